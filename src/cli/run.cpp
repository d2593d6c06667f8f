// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/commands.h"
#include "cli/command/help.h"
#include "cli/flags/flag_advice.h"
#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "quantity/suggest.h"
#include "text/files.h"
#include "trcost/error.h"
#include "trcost/report.h"
#include "trcost/version.h"

namespace trcost::cli {
namespace {

constexpr std::size_t kQuotedLength = 60;

int exit_code(ErrorKind kind) {
  return kind == ErrorKind::usage ? kExitUsage : kExitFailure;
}

// Files read, for -v.
int finished(int code, Session& session) {
  for (const std::string& name : inputs_read()) session.trace("read " + name);
  return code;
}

// Defining an option takes longer than reading it, and a scenario has a hundred: a command line
// that is in order needs those that it names. Nothing where it is not, or asks for help.
std::optional<int> try_fast_run(const Command& command, const std::vector<std::string>& arguments,
                                Session& session) {
  Flags flags;
  session.define_only(&arguments);
  const Action action = command.define(flags, session);
  session.define_only(nullptr);
  add_global_options(flags, session.options);
  if (!flags.try_fast_parse(arguments)) return std::nullopt;
  session.check_options();
  return finished(action(), session);
}

int run_command(const Command& command, const std::vector<std::string>& arguments,
                Session& session) {
  if (const std::optional<int> code = try_fast_run(command, arguments, session)) return *code;
  Flags flags;
  flags.add_help();
  const Action action = command.define(flags, session);
  add_global_options(flags, session.options);
  if (flags.parse(arguments, command.name, command.usage) == Parsed::help) {
    // -h is a screen, --help everything.
    const bool all = std::ranges::find(arguments, "-h") == arguments.end() ||
                     std::ranges::find(arguments, "--help") != arguments.end();
    Output("-").write(all ? command_help(command, flags, session.width())
                          : command_summary(command, flags));
    return kExitOk;
  }
  session.check_options();
  return finished(action(), session);
}

bool is_global(std::string_view word) {
  return word == "-q" || word == "--quiet" || word == "-v" || word == "--verbose" ||
         word == "--no-config";
}

// Global options may stand before the command: `trcost -q estimate`.
std::optional<std::size_t> command_position(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.starts_with('-')) return i;
    if (word == "--data-dir" || word == "--config" || word == "--color" || word == "--currency" ||
        word == "--rate")
      ++i;
  }
  return std::nullopt;
}

// Words that a shell would take apart are quoted.
std::string shell_words(const std::vector<std::string>& words) {
  std::string out = "trcost";
  for (const std::string& word : words) {
    const bool plain =
        !word.empty() &&
        word.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,:/@%+") ==
            word.npos;
    out += ' ';
    if (plain) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

// `70 billion` and `30 days` without quotes become one argument, as the value of the option before
// them.
void join_units(std::vector<std::string>& arguments) {
  static constexpr std::string_view kUnits[] = {
      "thousand", "million", "billion", "trillion", "second", "seconds",
      "minute",   "minutes", "hour",    "hours",    "day",    "days",
      "week",     "weeks",   "month",   "months",   "year",   "years"};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (std::ranges::find(kUnits, lower_case(arguments[i])) == std::end(kUnits)) continue;
    std::string& before = arguments[i - 1];
    const std::size_t equals = before.starts_with("--") ? before.find('=') : before.npos;
    const std::string_view number =
        std::string_view(before).substr(equals == before.npos ? 0 : equals + 1);
    const bool is_value = equals != before.npos || (i > 1 && arguments[i - 2].starts_with('-'));
    if (!is_value || number.empty() || number.find_first_not_of("$0123456789.,") != number.npos) {
      continue;
    }
    before += " " + lower_case(arguments[i]);
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

int run_arguments(std::vector<std::string> arguments, Session& session) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    require_text(arguments[i], fmt::format("argument {}", i + 1));
  }
  join_units(arguments);
  session.command = shell_words(arguments);
  const std::optional<std::size_t> position = command_position(arguments);
  if (!position) {
    const auto asked = [&](std::string_view word) {
      return std::ranges::find(arguments, word) != arguments.end();
    };
    if (asked("--version") || asked("-V")) {
      const std::string_view commit = trcost_commit();
      Output("-").write(fmt::format("trcost {}{}{} (price data of {})\n", trcost_version(),
                                    commit.empty() ? "" : ", commit ", commit,
                                    price_date(session.catalog())));
      return kExitOk;
    }
    if (asked("--help") || asked("-h")) {
      Output("-").write(program_help());
      return kExitOk;
    }
    const bool only_global = std::ranges::all_of(arguments, is_global);
    if (!only_global) {
      throw Error(ErrorKind::usage,
                  fmt::format("unknown option \"{}\"", arguments[0].substr(0, kQuotedLength)),
                  "options come after a command: see `trcost --help`");
    }
    session.error("no command", "trcost estimate --params 10e9 --modality vl");
    session.text("\n" + program_help());
    return kExitUsage;
  }
  const std::string name = arguments[*position];
  const Command* command = find_command(name);
  if (command == nullptr) {
    std::string hint(advice_on_command(name));
    if (*position > 0 && !is_global(arguments[*position - 1])) {
      hint = fmt::format("a command comes first: trcost estimate {} {}",
                         arguments[*position - 1].substr(0, kQuotedLength),
                         name.substr(0, kQuotedLength));
    }
    if (hint.empty()) {
      // A slip leaves the first letter alone.
      std::vector<std::string> known;
      for (const Command& each : commands()) {
        if (each.name.front() == lower_case(name.front())) known.emplace_back(each.name);
      }
      hint = did_you_mean(name, known);
    }
    if (hint.empty()) hint = "`trcost --help` lists the commands";
    throw Error(ErrorKind::usage,
                fmt::format("unknown command \"{}\"", name.substr(0, kQuotedLength)), hint);
  }
  arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(*position));
  return run_command(*command, arguments, session);
}

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the file's size is an error of write()
  Session session;
  try {
    return run_arguments({argv + std::min(1, argc), argv + argc}, session);
  } catch (const Error& error) {
    session.error(error.what(), error.hint);
    return exit_code(error.kind);
  } catch (const ClosedPipe&) {
    return kExitOk;
  } catch (const std::bad_alloc&) {
    session.error("out of memory",
                  "ask for less at once (--top, --shard, fewer --threads), or raise the limit "
                  "(ulimit -v)");
    return kExitFailure;
  } catch (const std::filesystem::filesystem_error& error) {
    session.error(fmt::format("{}: {}", error.path1().string(), error.code().message()),
                  "check that it exists, and its permissions");
    return kExitFailure;
  } catch (const std::exception& error) {
    session.error(fmt::format("internal error: {}", error.what()),
                  "this is a bug: please report it with the command line");
    return kExitFailure;
  }
}

}  // namespace trcost::cli
