// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/session.h"
#include "trcost/error.h"
#include "trcost/suggest.h"

namespace trcost::cli {
namespace {

std::string topic_text(const std::string& topic, Session& session) {
  if (topic.empty()) return program_help();
  if (topic == "fields") return fields_help();
  if (const Command* command = find_command(topic)) {
    CLI::App app;
    app.set_help_flag("-h,--help", "this help")->group("General");
    const Action action = command->define(app, session);
    session.add_global_options(app);
    return command_help(*command, app);
  }
  std::vector<std::string> known{"fields"};
  for (const Command& command : commands()) known.emplace_back(command.name);
  std::string hint = did_you_mean(topic, known);
  if (hint.empty()) hint = "`trcost --help` lists the commands";
  throw Error(ErrorKind::usage, fmt::format("there is no help on \"{}\"", topic), hint);
}

}  // namespace

Action define_help(CLI::App& app, Session& session) {
  auto topic = std::make_shared<std::string>();
  app.add_option("TOPIC", *topic, "a command, or fields")->group("Arguments");
  return [topic, &session] {
    Output output("-");
    output.write(topic_text(*topic, session));
    return kExitOk;
  };
}

}  // namespace trcost::cli
