// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/help.h"
#include "cli/flags/help_topics.h"
#include "cli/output/output.h"
#include "cli/session.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

std::string topic_text(const std::string& topic, Session& session) {
  if (topic.empty()) return program_help();
  if (topic == "fields") return fields_help();
  if (topic == "topics") return topics_help();
  if (const Command* command = find_command(topic)) {
    Flags flags;
    flags.add_help();
    const Action action = command->define(flags, session);
    session.add_global_options(flags);
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
