// SPDX-License-Identifier: Apache-2.0
#include "cli/command/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/help_topics.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "trcost/error.h"
#include "trcost/scenario.h"

namespace trcost::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kHelpColumn = 34;

// `text` in lines of the page's width, every line but the first indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (column > indent && column + 1 + word.size() > kWidth) {
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

std::string flag_line(const Flag& flag) {
  std::string head = "  ";
  if (!flag.letter.empty()) head += flag.letter + ", ";
  head += flag.name;
  if (!flag.positional() && !flag.value.empty()) head += " " + flag.value;
  if (head.size() + 2 > kHelpColumn) {
    head += "\n" + std::string(kHelpColumn, ' ');
  } else {
    head.resize(kHelpColumn, ' ');
  }
  return head + wrapped(flag.help, kHelpColumn) + "\n";
}

}  // namespace

std::string program_help() {
  std::string out =
      "trcost: what it costs to train a language or vision-language model\n\n"
      "Examples:\n"
      "  trcost estimate --params 10e9 --modality vl\n"
      "  trcost estimate --model llama-3.1-8b --tokens 1T --accelerator h100-sxm --gpus 512\n\n"
      "Commands:\n";
  for (const Command& command : commands()) {
    out += fmt::format("  {:<13} {}\n", command.name, command.summary);
  }
  out +=
      "\n`trcost COMMAND --help` lists a command's options, `trcost help fields` the fields of a\n"
      "scenario, `trcost help topics` what else is explained (prices, ranges, calibration, "
      "phases),\n"
      "`trcost --version` the versions of the program and of its price data.\n";
  return out;
}

std::string command_help(const Command& command, const Flags& flags) {
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
    for (const Flag& flag : rows) {
      if (flag.group == group) out += flag_line(flag);
    }
  }
  const auto topic = std::ranges::find(help_topics(), command.name, &HelpTopic::name);
  if (topic != help_topics().end()) out += fmt::format("\n{}", topic->text());
  return out;
}

std::string topics_help() {
  std::string out = "trcost help TOPIC:\n";
  const auto add = [&](std::string_view name, std::string_view summary) {
    out += fmt::format("  {:<13} {}\n", name, summary);
  };
  for (const HelpTopic& topic : help_topics()) add(topic.name, topic.summary);
  add("fields", "the fields of a scenario, with ranges and defaults");
  add("COMMAND", "a command's options; so does trcost COMMAND --help");
  return out;
}

std::string fields_help() {
  std::string out =
      "Scenario fields. Each is a flag, an environment variable, a key of the scenario file, a "
      "sweep\n"
      "axis, and (when numeric) an unknown of `solve` and an uncertain input.\n";
  for (const FieldInfo& info : fields()) {
    out += fmt::format("\n{}  {}  {}\n", info.path, info.flag, environment_variable(info));
    out += "    " + wrapped(info.help, 4) + "\n";
    if (!info.choices.empty()) out += "    values: " + wrapped(info.choices, 12) + "\n";
    if (is_numeric(info.kind)) out += fmt::format("    {}\n", allowed_range(info));
    const std::string fallback = info.fallback.empty()
                                     ? std::string(info.rule)
                                     : fmt::format("{} ({})", info.fallback, info.rule);
    out += "    default: " + wrapped(fallback, 13) + "\n";
  }
  return out;
}

namespace {

std::string topic_text(const std::string& topic, Session& session) {
  if (topic.empty()) return program_help();
  if (topic == "fields") return fields_help();
  if (topic == "topics") return topics_help();
  if (const Command* command = find_command(topic)) {
    Flags flags;
    flags.add_help();
    const Action action = command->define(flags, session);
    add_global_options(flags, session.options);
    return command_help(*command, flags);
  }
  const auto explained = std::ranges::find(help_topics(), topic, &HelpTopic::name);
  if (explained != help_topics().end()) return explained->text();
  std::vector<std::string> known{"fields", "topics"};
  for (const HelpTopic& each : help_topics()) known.emplace_back(each.name);
  for (const Command& command : commands()) known.emplace_back(command.name);
  std::string hint = did_you_mean(topic, known);
  if (hint.empty()) hint = "`trcost --help` lists the commands, `trcost help topics` the topics";
  throw Error(ErrorKind::usage, fmt::format("there is no help on \"{}\"", topic), hint);
}

}  // namespace

Action define_help(Flags& flags, Session& session) {
  auto topic = std::make_shared<std::string>();
  flags.group("Arguments");
  flags.add("TOPIC", *topic, "", "a command, fields, or one of `trcost help topics`");
  return [topic, &session] {
    Output output("-");
    output.write(topic_text(*topic, session));
    return kExitOk;
  };
}

}  // namespace trcost::cli
