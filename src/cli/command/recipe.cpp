// SPDX-License-Identifier: Apache-2.0
#include "recipe/read_recipe.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/flags/settings.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "report/about/recipe.h"
#include "trcost/error.h"
#include "trcost/numbers.h"
#include "trcost/scenario.h"

namespace trcost::cli {
namespace {

struct RecipeArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  std::vector<std::string> files;
  bool strict = false;
};

// Text of a field that the user set.
std::string setting_text(const Scenario& scenario, const FieldInfo& info) {
  return is_numeric(info.kind) ? format_exact(*scenario.number(info.field))
                               : std::string(scenario.text(info.field));
}

// The recipe's scenario with the user's flags over it and other settings beneath it.
RecipeReport read_report(RecipeArguments& arguments, Session& session) {
  RecipeReport out;
  const std::vector<Layer> layers = arguments.scenario.layers(session, {}, &out.recipe);
  Layered layered = combined(layers);
  note_settings(layered, session);
  for (const FieldInfo& info : fields()) {
    const Layer* const origin = layered.origin[static_cast<std::size_t>(info.field)];
    if (origin == nullptr || origin->kind == Layer::Kind::recipe) continue;
    out.given.push_back(
        {std::string(info.path), setting_text(layered.scenario, info), origin_words(origin, info)});
  }
  out.recipe.scenario = std::move(layered.scenario);
  out.scenario = scenario_to_json(out.recipe.scenario);
  return out;
}

int run_recipe(RecipeArguments& arguments, Session& session) {
  std::vector<std::string> files = arguments.scenario.recipes();
  files.insert(files.end(), arguments.files.begin(), arguments.files.end());
  if (files.empty()) {
    throw Error(ErrorKind::usage, "no recipe",
                "trcost recipe config.yaml, or trcost recipe run.sh config.yaml");
  }
  arguments.scenario.set_recipes(std::move(files));
  const Format format = arguments.output.choose();
  Output output(arguments.output.path);
  const RecipeReport report = read_report(arguments, session);
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
            "configuration or launch script of another tool. Several may belong together");
  arguments->scenario.add(flags, session);
  add_output_options(flags, arguments->output);
  flags.group("Output");
  flags.add("--strict", arguments->strict, "exit 3 if the files lack a field that is needed");
  return [arguments, &session] { return run_recipe(*arguments, session); };
}

}  // namespace trcost::cli
