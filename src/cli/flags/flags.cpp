// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/flags/flag_advice.h"
#include "cli/session/session.h"
#include "quantity/suggest.h"
#include "trcost/error.h"
#include "trcost/scenario.h"

namespace trcost::cli {
namespace {

constexpr std::size_t kQuotedFlagLength = 60;

Error usage_error(std::string message, std::string hint) {
  return {ErrorKind::usage, std::move(message), std::move(hint)};
}

std::string value_of(const CLI::Option& option) {
  return option.get_items_expected_max() > 0 ? option.get_type_name() : std::string();
}

Flag row_of(const CLI::Option& option) {
  Flag row;
  const bool positional = option.get_lnames().empty() && option.get_snames().empty();
  row.name = positional ? option.get_name(true) : "--" + option.get_lnames().front();
  if (option.get_lnames().size() > 1) row.alias = "--" + option.get_lnames().back();
  if (!option.get_snames().empty()) row.letter = "-" + option.get_snames().front();
  row.value = value_of(option);
  row.help = option.get_description();
  row.group = option.get_group();
  row.repeats = option.get_expected_max() > 1;
  return row;
}

// The options of this command that stand for what was meant: of the field that ends in the word, or
// such that share a long word with it. Empty: none.
std::string related(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t kLongWord = 5;
  constexpr std::size_t kMost = 4;
  const auto is_known = [&](std::string_view flag) {
    return std::ranges::find(known, flag) != known.end();
  };
  std::string wanted(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::ranges::replace(wanted, '_', '-');
  std::string member = wanted;
  std::ranges::replace(member, '-', '_');
  for (const FieldInfo& info : fields()) {
    if (info.path.ends_with("." + member) && is_known(info.flag)) {
      return fmt::format("{} is set by {}", info.path, info.flag);
    }
  }
  std::vector<std::string> near;
  for (std::size_t at = 0; at < wanted.size();) {
    const std::size_t end = std::min(wanted.find('-', at), wanted.size());
    const std::string word = wanted.substr(at, end - at);
    at = end + 1;
    if (word.size() < kLongWord) continue;
    for (const std::string& flag : known) {
      const bool has = (flag + "-").find("-" + word + "-") != std::string::npos;
      if (has && std::ranges::find(near, flag) == near.end()) near.push_back(flag);
    }
  }
  if (near.empty() || near.size() > kMost) return {};
  return fmt::format("near it: {}", fmt::join(near, ", "));
}

// The known flag nearest to a mistyped one. No hint is better than a wrong one, so that short names
// allow one slip, and very short ones none.
std::string near_flag(std::string_view typed, const std::vector<std::string>& known) {
  constexpr std::size_t kDashes = 2, kLeast = 3, kOneSlip = 7;
  const std::size_t letters = typed.size() - std::min(typed.size(), kDashes);
  if (letters < kLeast) return {};
  std::string name = nearest_name(typed, known);
  const std::size_t longest = std::max(name.size(), typed.size());
  const std::size_t shortest = std::min(name.size(), typed.size());
  const bool same_start = !name.empty() && name.size() > kDashes && typed.size() > kDashes &&
                          name[kDashes] == typed[kDashes];
  if (!same_start || longest - shortest > 2) return {};
  if (letters <= kOneSlip && edit_distance(typed, name) > 1) return {};
  return name;
}

Error missing_value(std::string_view name, const CLI::Option& option) {
  std::string hint = fmt::format("write {} {}", name, option.get_type_name());
  if (option.get_type_name().starts_with("USD")) {
    hint += ". A shell removes an unquoted $5: write 5, or '$5' in quotes";
  }
  return usage_error(fmt::format("{} needs a value", name), std::move(hint));
}

// The flag that an argument without one is the value of, by its form. Empty if the command has none
// or it is set already.
std::string flag_of_argument(const CLI::App& app, std::string_view word) {
  const auto count = [&](const char* flag) {
    const CLI::Option* option = app.get_option_no_throw(flag);
    return option == nullptr ? -1 : static_cast<int>(option->count());
  };
  const auto unset = [&](const char* flag) { return count(flag) == 0 ? flag : ""; };
  const std::size_t x = word.find_first_not_of("0123456789");
  const bool counted = x > 0 && x + 1 < word.size() && (word[x] == 'x' || word[x] == 'X');
  const bool digit = counted && word.find_first_not_of("0123456789", x + 1) == word.npos;
  if (digit) return count("--image") == 0 ? "--image" : unset("--image-size");
  if (counted) return unset("--accelerator");
  if (is_number_with_unit(word, "bB")) return count("--model") > 0 ? "" : unset("--params");
  if (is_number_with_unit(word, "tT")) return unset("--tokens");
  const bool further = word.ends_with(".json") && count("--recipe") > 0;
  if ((is_recipe_name(word) && count("--recipe") >= 0) || further) return "--recipe";
  return unset("--model");
}

// The arguments that no flag stands before, each with the flag of its form. Empty if one has none.
std::string with_flags(const CLI::App& app) {
  std::string out;
  for (const std::string& word : app.remaining(true)) {
    if (word.starts_with('-')) break;
    const std::string flag = flag_of_argument(app, word);
    if (flag.empty()) return {};
    append_item(out, fmt::format("{} {}", flag, word.substr(0, kQuotedFlagLength)), " ");
  }
  return out;
}

// CLI11 reports a mistyped flag as another one missing, so what it could not place comes first.
void refuse_leftovers(const CLI::App& app, std::string_view command, std::string_view usage) {
  bool after_dashes = false;
  for (const std::string& word : app.remaining(true)) {
    if (word == "--") {
      after_dashes = true;
      continue;
    }
    const std::string name = word.substr(0, std::min(word.find('='), word.size()));
    const std::string shown = name.substr(0, kQuotedFlagLength);
    if (!name.starts_with('-') || after_dashes) {
      const std::string flags = after_dashes ? std::string() : with_flags(app);
      const std::string hint = flags.empty() ? fmt::format("usage: trcost {} {}", command, usage)
                                             : fmt::format("write {}", flags);
      throw usage_error(fmt::format("unexpected argument \"{}\"", shown), hint);
    }
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& flag : option->get_lnames()) known.push_back("--" + flag);
    }
    std::string hint = advice_on_flag(name, command, known);
    if (hint.empty()) {
      if (const std::string near = near_flag(name, known); !near.empty()) {
        hint = fmt::format("did you mean \"{}\"?", near);
      }
    }
    if (hint.empty()) hint = related(name, known);
    if (hint.empty()) hint = fmt::format("`trcost {} --help` lists its options", command);
    throw usage_error(fmt::format("unknown option \"{}\"", shown), std::move(hint));
  }
}

// Error of CLI11 about an option, in this program's words.
Error option_error(const CLI::App& app, std::string_view command, const CLI::ParseError& error) {
  const std::string text = error.what();
  std::string help = fmt::format("`trcost {} --help` lists its options", command);
  constexpr std::string_view kConversion = "Could not convert: ";
  if (text.starts_with(kConversion)) {
    const std::string rest = text.substr(kConversion.size());
    return usage_error(fmt::format("{} takes no value", rest.substr(0, rest.find(' '))),
                       std::move(help));
  }
  const std::string name = text.substr(0, text.find(':'));
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr) return usage_error(text, std::move(help));
  if (text.find("At Most") != std::string::npos) {
    return usage_error(name + " is given more than once", "set it once");
  }
  if (text.ends_with(" missing")) {
    return missing_value(name, *option);
  }
  return usage_error(text, std::move(help));
}

}  // namespace

bool is_recipe_name(std::string_view file) {
  constexpr std::string_view kEndings[] = {".yaml", ".yml", ".toml", ".sh"};
  return std::ranges::any_of(kEndings, [&](auto ending) { return file.ends_with(ending); });
}

Flags::Flags() : app_(std::make_unique<CLI::App>()) {
  app_->allow_extras(true);
  app_->set_help_flag();
}

Flags::~Flags() = default;

CLI::Option* Flags::named(CLI::Option* option, std::string_view value) {
  return option->type_name(std::string(value))->group(group_);
}

void Flags::add(const std::string& names, std::string& to, std::string_view value,
                std::string help) {
  named(app_->add_option(names, to, std::move(help)), value);
}

void Flags::add(const std::string& names, std::optional<std::string>& to, std::string_view value,
                std::string help, bool bare) {
  const auto keep = [&to](const CLI::results_t& texts) {
    to = texts.empty() ? std::string() : texts.front();
    return true;
  };
  named(app_->add_option(names, keep, std::move(help)), value)->expected(bare ? 0 : 1, 1);
}

void Flags::add(const std::string& names, std::vector<std::string>& to, std::string_view value,
                std::string help) {
  named(app_->add_option(names, to, std::move(help)), value)
      ->allow_extra_args(!names.starts_with('-'));
}

void Flags::add(const std::string& names, bool& to, std::string help) {
  app_->add_flag(names, to, std::move(help))->group(group_);
}

void Flags::add_help() {
  app_->set_help_flag("-h,--help", "-h: main options, --help: all of them")->group("General");
}

std::vector<Flag> Flags::rows() const {
  std::vector<Flag> rows;
  for (const CLI::Option* option : app_->get_options()) rows.push_back(row_of(*option));
  return rows;
}

// CLI11 takes what follows an option as its value, also where that is the next option or where the
// option ends in "=", and nothing as a value of a switch.
void Flags::refuse_lost_values(const std::vector<std::string>& arguments) const {
  const auto known = [&](const std::string& word) -> const CLI::Option* {
    return word.starts_with('-') ? app_->get_option_no_throw(word) : nullptr;
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") return;
    const std::string name = word.substr(0, word.find('='));
    const CLI::Option* option = known(name);
    if (option == nullptr) continue;
    const bool given_here = name.size() < word.size();
    const bool empty_here = name.size() + 1 == word.size();
    if (option->get_items_expected_max() == 0) {
      if (empty_here) throw usage_error(name + " takes no value", "write " + name);
      continue;
    }
    if (given_here && !empty_here) continue;
    const bool last = i + 1 == arguments.size();
    const bool optional = option->get_items_expected_min() == 0;
    if (empty_here || (!last && arguments[i + 1].empty()) ||
        (!last && !optional && known(arguments[i + 1]) != nullptr)) {
      throw missing_value(name, *option);
    }
    if (!optional) ++i;
  }
}

bool Flags::try_fast_parse(std::vector<std::string> arguments) {
  refuse_lost_values(arguments);
  std::ranges::reverse(arguments);  // CLI11 takes them from the back
  try {
    app_->parse(std::move(arguments));
  } catch (const CLI::ParseError&) {
    return false;
  }
  return app_->remaining(true).empty();
}

Parsed Flags::parse(std::vector<std::string> arguments, std::string_view command,
                    std::string_view usage) {
  refuse_lost_values(arguments);
  std::ranges::reverse(arguments);
  try {
    app_->parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return Parsed::help;
  } catch (const CLI::ParseError& error) {
    refuse_leftovers(*app_, command, usage);
    throw option_error(*app_, command, error);
  }
  refuse_leftovers(*app_, command, usage);
  return Parsed::good;
}

void add_global_options(Flags& flags, GlobalOptions& options) {
  flags.group("General");
  flags.add("--data-dir", options.data_dir, "DIR",
            "folder of catalog files over the built-in ones");
  flags.add("--config", options.config, "FILE",
            "defaults of scenario fields as JSON (else TRCOST_CONFIG, else trcost/config.json in "
            "XDG_CONFIG_HOME or ~/.config; `trcost config show`)");
  flags.add("--no-config", options.no_config, "without a config file");
  flags.add("--color", options.color, "auto|always|never", "colour of what is shown");
  flags.add("--currency", options.currency, "CODE",
            "currency of text, pages and workbooks, with --rate. Flags and machine formats stay in "
            "US dollars");
  flags.add("--rate", options.rate, "N", "with --currency: its units per US dollar, such as 0.92");
  flags.add("-q,--quiet", options.quiet, "no warnings");
  flags.add("-v,--verbose", options.verbose, "say on stderr what was read, tried and imputed");
}

double flag_number(std::string_view text, NumberKind kind, std::string_view flag) {
  return with_flag(flag, [&] { return parse_number(text, kind); });
}

double positive_flag_number(std::string_view text, NumberKind kind, std::string_view flag,
                            std::string_view hint) {
  const double value = flag_number(text, kind, flag);
  if (value > 0) return value;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is not above 0", text.substr(0, 60)),
              std::string(hint), std::string(flag));
}

}  // namespace trcost::cli
