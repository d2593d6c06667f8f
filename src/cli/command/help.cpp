// SPDX-License-Identifier: Apache-2.0
#include "cli/command/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/glossary.h"
#include "cli/flags/help_topics.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "trcost/error.h"
#include "trcost/scenario.h"

namespace trcost::cli {
namespace {

constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kHelpColumn = 30;

// `text` in lines of at most `width`, every line but the first indented.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string indented(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    out += fmt::format("  {}\n", lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

// Text of a topic in lines of at most `width`. Indented lines are commands and tables and stay.
std::string filled(std::string_view text, std::size_t width) {
  std::string out, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) out += wrapped(paragraph, 0, width) + "\n";
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with(' ')) {
      end_paragraph();
      out += fmt::format("{}\n", line);
    } else {
      paragraph += fmt::format("{}{}", paragraph.empty() ? "" : " ", line);
    }
  }
  end_paragraph();
  return out;
}

std::string flag_line(const Flag& flag, std::size_t width) {
  std::string head = "  ";
  if (!flag.letter.empty()) head += flag.letter + ", ";
  head += flag.name;
  if (!flag.alias.empty()) head += ", " + flag.alias;
  if (!flag.positional() && !flag.value.empty()) head += " " + flag.value;
  const std::size_t bar = head.substr(0, width).rfind('|');
  if (head.size() > width && bar != std::string::npos) head.insert(bar + 1, "\n      ");
  if (head.size() + 2 > kHelpColumn) {
    head += "\n" + std::string(kHelpColumn, ' ');
  } else {
    head.resize(kHelpColumn, ' ');
  }
  return head + wrapped(flag.help, kHelpColumn, width) + "\n";
}

// The beginning of a help text that fits `width` columns, cut after a clause.
std::string first_clause(std::string_view text, std::size_t width) {
  text = trim(text.substr(0, std::min(text.find_first_of(";("), text.find(". "))));
  if (text.size() <= width) return std::string(text);
  const std::size_t clause = text.substr(0, width).find_last_of(",:");
  const std::size_t space = text.substr(0, width).rfind(' ');
  return std::string(text.substr(0, clause != text.npos ? clause : space));
}

// `A|B|..` for a long list of choices.
std::string short_value(const std::string& value) {
  constexpr std::size_t kLongest = 14;
  return value.size() <= kLongest ? value : value.substr(0, value.find('|')) + "|...";
}

// Fields that most questions set. Options of a command that are no fields are main ones, too.
constexpr Field kMainFields[] = {Field::model_params,    Field::model_name,
                                 Field::model_modality,  Field::train_recipe,
                                 Field::train_method,    Field::data_tokens,
                                 Field::data_samples,    Field::data_image_size,
                                 Field::data_seq_length, Field::hardware_accelerator,
                                 Field::hardware_gpus,   Field::hardware_deadline,
                                 Field::train_precision, Field::efficiency_stack,
                                 Field::efficiency_mfu,  Field::cost_price_per_gpu_hour,
                                 Field::cost_pricing};

// Further main fields of single commands.
constexpr std::pair<std::string_view, Field> kMainFieldsOf[] = {
    {"tco", Field::cost_utilization},      {"tco", Field::cost_node_price},
    {"tco", Field::cost_depreciation},     {"tco", Field::cost_capital_rate},
    {"tco", Field::cost_support_rate},     {"tco", Field::cost_colocation},
    {"estimate", Field::cost_experiments}, {"estimate", Field::efficiency_production_overhead},
    {"estimate", Field::cost_provider},    {"estimate", Field::cost_price_class},
    {"estimate", Field::cost_region},      {"estimate", Field::cost_node_price},
    {"serve", Field::cost_provider},       {"solve", Field::cost_provider}};

bool is_main_option(const Flag& flag, std::string_view command) {
  if (flag.group == "General") return false;
  const bool of_command = std::ranges::any_of(kMainFieldsOf, [&](const auto& each) {
    return each.first == command && field_info(each.second).flag == flag.name;
  });
  if (of_command) return true;
  const auto of_field = [&](const FieldInfo& info) { return info.flag == flag.name; };
  const auto info = std::ranges::find_if(fields(), of_field);
  if (command == "diff" && info != fields().end()) return false;  // recipes alone take them
  return info == fields().end() ||
         std::ranges::find(kMainFields, info->field) != std::end(kMainFields);
}

std::string term_help(const Term& term, std::size_t width) {
  std::string names(term.names);
  for (std::size_t bar = 0; (bar = names.find('|')) != std::string::npos;) {
    names.replace(bar, 1, ", ");
  }
  std::string out = names + "\n  " + wrapped(term.text, 2, width) + "\n";
  if (!term.flags.empty()) out += fmt::format("  See {}.\n", term.flags);
  return out;
}

// Options whose help has no short first clause, or whose first word is not the usual one.
struct ShortHelp {
  std::string_view flag, value, text;  // an empty value: that of the option
};
constexpr ShortHelp kShortHelp[] = {
    {"--recipe", "", "configuration or launch script of another tool"},
    {"--model", "", "catalog model, Hugging Face name or config.json"},
    {"--params", "", "parameters of the whole model, such as 10e9 or 10B"},
    {"--pricing", "KIND", "on-demand, spot, reserved-1y, reserved-3y, own"},
    {"--price-class", "CLASS", "specialist, hyperscaler, marketplace or index"},
    {"--years", "", "years that are covered (default: 3)"},
    {"--utilization", "", "share of the hours in use (default: 0.8)"},
    {"--train", "full|lora|...", "what is trained: full, lora, qlora and others"},
    {"--method", "sft|dpo|grpo|...", "kind of training, such as sft, dpo or grpo"},
    {"--accelerator", "NAME[,NAME]", "types of GPU (also --gpu)"},
    {"--token-price", "", "revenue per million tokens"},
    {"--tokens-per-second-per-user", "N", "lowest speed that each user gets"},
    {"--measured-tokens-per-second", "N", "measured speed of steady steps"},
    {"--node-price", "", "price of a whole machine, with --pricing own"},
    {"--depreciation", "", "yearly loss of value, with --pricing own"},
    {"--min-pixels", "", "minimum of pixels after resizing"},
    {"--max-pixels", "", "maximum of pixels after resizing"},
    {"--max-tiles", "", "maximum of tiles, without the overview"},
    {"--video-pipeline", "", "program that samples the frames"},
    {"--sort", "", "order by columns, COLUMN:desc for the highest first"},
    {"--to-gpus", "", "GPUs of each target that sets no number"},
    {"--details", "", "everything, beyond one screen of text"},
    {"WHAT", "", "show or path"},
    {"TOPIC", "", "a command, a term such as MFU, or a topic"},
    {"--mfu", "", "speed as a share of the GPU's dense peak"},
    {"--claim", "", "a vendor's number to judge, such as '5x over h100'"},
    {"--claim-reference", "", "conditions of what the claim compares with"},
    {"--max-error", "", "exit 3 if the median error is larger"},
    {"STUDY", "", "scenario as JSON with a list of experiments"},
    {"--break-even", "", "price at which A costs as much as B"},
    {"--calibrated", "", "error on each source after calibrating to a few of its rows"},
    {"--log", "", "log of a training program"},
    {"--api-price", "", "price of a million tokens from an API"},
    {"--duration", "", "time for which --gpus are rented"},
    {"--predicted-first", "", "sources predicted before they were added"},
};

// Options of `tco`, which owns without --pricing own and has 8 GPUs if none are set.
std::string help_in(const Command& command, const Flag& flag, std::string help) {
  if (command.name != "tco") return help;
  if (flag.name == field_info(Field::hardware_gpus).flag) {
    return "number of accelerators (default: 8)";
  }
  for (const std::string_view own : {"with --pricing own: ", ", with --pricing own"}) {
    if (const std::size_t at = help.find(own); at != std::string::npos) help.erase(at, own.size());
  }
  return help;
}

}  // namespace

std::string program_help() {
  std::string out =
      "trcost: what it costs to train a language or vision-language model\n\n"
      "Examples:\n"
      "  trcost estimate --params 10e9 --modality vl\n"
      "  trcost estimate --model llama-3.1-8b --tokens 1T --gpu 512xh100-sxm\n"
      "  trcost estimate --model qwen2.5-vl-7b --train lora --samples 50k --gpu 1xl40s\n\n"
      "Commands:\n";
  for (const Command& command : commands()) {
    out += fmt::format("  {:<13} {}\n", command.name, command.summary);
  }
  out +=
      "\nMore help, each after trcost:\n"
      "  COMMAND -h    main options of a command. --help has all of them\n"
      "  help TERM     a term, such as MFU, LoRA or P10/P90. help terms lists them\n"
      "  help topics   prices, ranges, calibration, phases, formats\n"
      "  help fields   fields of a scenario\n"
      "  -V            version\n";
  return out;
}

std::string command_help(const Command& command, const Flags& flags, int columns) {
  const auto width = static_cast<std::size_t>(columns);
  std::string out =
      fmt::format("trcost {}: {}\n\nExamples:\n{}\nUsage: trcost {} {}\n", command.name,
                  command.summary, indented(command.examples), command.name, command.usage);
  const std::vector<Flag> rows = flags.rows();
  std::vector<std::string> groups;
  for (const Flag& flag : rows) {
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  }
  // Options of every command come last.
  std::stable_partition(groups.begin(), groups.end(),
                        [](const std::string& group) { return group != "General"; });
  for (const std::string& group : groups) {
    out += fmt::format("\n{}:\n", group);
    for (Flag flag : rows) {
      if (flag.group != group) continue;
      flag.help = help_in(command, flag, flag.help);
      out += flag_line(flag, width);
    }
  }
  const auto topic = std::ranges::find(help_topics(), command.name, &HelpTopic::name);
  if (topic != help_topics().end()) out += fmt::format("\n{}", filled(topic->text(), width));
  return out;
}

std::string command_summary(const Command& command, const Flags& flags) {
  constexpr std::size_t kNameColumn = 30;
  std::string out = fmt::format(
      "trcost {}: {}\n\nExamples:\n{}\nUsage: trcost {} {}\n\nMain options:\n", command.name,
      command.summary, indented(command.examples), command.name, command.usage);
  for (const Flag& flag : flags.rows()) {
    if (!is_main_option(flag, command.name)) continue;
    const auto known = std::ranges::find(kShortHelp, flag.name, &ShortHelp::flag);
    // A filter of texts has words of its own.
    const bool by_table = known != std::end(kShortHelp) && flag.value != "TEXT";
    const bool own_value = by_table && !known->value.empty();
    const std::string value = own_value ? std::string(known->value) : short_value(flag.value);
    std::string line = "  " + flag.name;
    if (!flag.positional() && !value.empty()) line += " " + value;
    if (line.size() >= kNameColumn) line += "\n";
    line.resize(std::max(kNameColumn, line.size() + (line.ends_with('\n') ? kNameColumn : 0)), ' ');
    const std::string help =
        help_in(command, flag, by_table ? std::string(known->text) : flag.help);
    out += line + (by_table ? help : first_clause(help, kUsualWidth - line.size())) + "\n";
  }
  return out + fmt::format("\n`trcost {} --help` lists all options.\n", command.name);
}

std::string terms_help() {
  std::string out = "trcost help TERM explains:\n";
  std::string line = " ";
  for (const Term& term : glossary()) {
    const std::string word = fmt::format(" {},", term_name(term));
    if (line.size() + word.size() > kUsualWidth) {
      out += line + "\n";
      line = " ";
    }
    line += word;
  }
  line.pop_back();
  return out + line + "\n";
}

std::string topics_help() {
  std::string out = "trcost help TOPIC:\n";
  const auto add = [&](std::string_view name, std::string_view summary) {
    out += fmt::format("  {:<13} {}\n", name, summary);
  };
  for (const HelpTopic& topic : help_topics()) add(topic.name, topic.summary);
  add("terms", "terms that are explained: MFU, LoRA, P10/P90 and others");
  add("fields", "the fields of a scenario, with ranges and defaults");
  add("COMMAND", "all options of a command, as trcost COMMAND --help");
  return out;
}

std::string fields_help(int columns) {
  const auto width = static_cast<std::size_t>(columns);
  std::string out = wrapped(
      "Scenario fields. Each is a flag, an environment variable, a key of the scenario file and a "
      "sweep axis. Numeric fields can be an unknown of `solve` and an uncertain input.",
      0, width);
  out += "\n";
  for (const FieldInfo& info : fields()) {
    out += fmt::format("\n{}  {}  {}\n", info.path, info.flag, environment_variable(info));
    out += "    " + wrapped(info.help, 4, width) + "\n";
    if (!info.choices.empty()) out += "    values: " + wrapped(info.choices, 12, width) + "\n";
    if (is_numeric(info.kind)) out += fmt::format("    {}\n", allowed_range(info));
    const std::string fallback = info.fallback.empty()
                                     ? std::string(info.rule)
                                     : fmt::format("{} ({})", info.fallback, info.rule);
    out += "    default: " + wrapped(fallback, 13, width) + "\n";
  }
  return out;
}

namespace {

std::string topic_text(const std::string& topic, Session& session) {
  if (topic.empty()) return program_help();
  if (topic == "fields") return fields_help(session.width());
  if (topic == "topics") return topics_help();
  if (topic == "terms") return terms_help();
  // A command that shares its name with a topic has its options in --help.
  const auto explained = std::ranges::find(help_topics(), topic, &HelpTopic::name);
  if (explained != help_topics().end()) return filled(explained->text(), session.width());
  if (const Command* command = find_command(topic)) {
    Flags flags;
    flags.add_help();
    const Action action = command->define(flags, session);
    add_global_options(flags, session.options);
    return command_help(*command, flags, session.width());
  }
  if (const Term* term = find_term(topic)) return term_help(*term, session.width());
  std::vector<std::string> known{"fields", "topics", "terms"};
  for (const Term& each : glossary()) known.emplace_back(lower_case(term_name(each)));
  for (const HelpTopic& each : help_topics()) known.emplace_back(each.name);
  for (const Command& command : commands()) known.emplace_back(command.name);
  std::string hint = did_you_mean(topic, known);
  if (hint.empty()) hint = "`trcost help terms` and `trcost help topics` list what is explained";
  throw Error(ErrorKind::usage, fmt::format("there is no help on \"{}\"", topic), hint);
}

}  // namespace

Action define_help(Flags& flags, Session& session) {
  auto words = std::make_shared<std::vector<std::string>>();
  flags.group("Arguments");
  flags.add("TOPIC", *words, "", "a command, a term, a topic, fields, terms or topics");
  return [words, &session] {
    Output output("-");
    output.write(topic_text(fmt::format("{}", fmt::join(*words, " ")), session));
    return kExitOk;
  };
}

}  // namespace trcost::cli
