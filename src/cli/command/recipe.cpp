// SPDX-License-Identifier: Apache-2.0
#include "recipe/read_recipe.h"

#include <memory>
#include <string>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "report/about/recipe.h"
#include "trcost/error.h"
#include "trcost/scenario.h"

namespace trcost::cli {
namespace {

struct RecipeArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  std::vector<std::string> files;
  bool strict = false;
};

int run_recipe(RecipeArguments& arguments, Session& session) {
  if (arguments.files.empty()) {
    throw Error(ErrorKind::usage, "no recipe",
                "trcost recipe config.yaml, or trcost recipe run.sh config.yaml");
  }
  const Format format = arguments.output.choose();
  const Scenario given = arguments.scenario.read(session);
  Output output(arguments.output.path);
  RecipeReport report;
  report.recipe = read_recipe(arguments.files, given, session.catalog());
  report.scenario = scenario_to_json(report.recipe.scenario);
  Document document = recipe_document(report);
  document.command = session.command;
  output.write(render(document, format, style_of(arguments.output, format, session)));
  output.commit();
  const bool whole = report.recipe.missing.empty();
  return arguments.strict && !whole ? kExitCheckFailed : kExitOk;
}

}  // namespace

Action define_recipe(Flags& flags, Session& session) {
  auto arguments = std::make_shared<RecipeArguments>();
  flags.group("Arguments");
  flags.add("FILE", arguments->files, "FILE",
            "configuration or launch script of another tool; several that belong together");
  arguments->scenario.add(flags, session);
  add_output_options(flags, arguments->output);
  flags.group("Output");
  flags.add("--strict", arguments->strict, "exit 3 if the files lack a field that is needed");
  return [arguments, &session] { return run_recipe(*arguments, session); };
}

}  // namespace trcost::cli
