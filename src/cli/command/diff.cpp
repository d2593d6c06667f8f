// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "report/about/documents.h"
#include "study/diff/diff.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "trcost/report.h"

namespace trcost::cli {
namespace {

struct DiffArguments {
  std::vector<std::string> files;
  ScenarioOptions scenario;  // of --recipe
  std::string fail_above;
  bool all = false;
  OutputOptions output;
};

// Dollars carry a sign or a unit, or are more than a percentage in words could be.
std::optional<DiffLimit> threshold(const std::string& text) {
  if (text.empty()) return std::nullopt;
  constexpr double kLeastPlainUsd = 100;
  // Any percentage, also above 100.
  const bool percent = text.ends_with('%');
  const bool dollars = text.find_first_not_of("0123456789.e+-") != std::string::npos && !percent;
  double value = 0;
  try {
    value = parse_number(percent ? text.substr(0, text.size() - 1) : text,
                         dollars ? NumberKind::money : NumberKind::number);
  } catch (const Error& error) {
    throw Error(error.kind, error.message, "write a share like 10%, or dollars like 1000 or $50",
                "--fail-above");
  }
  if (dollars || (!percent && value > kLeastPlainUsd)) return DiffLimit{0, value};
  if (percent) return DiffLimit{value / 100, std::nullopt};
  if (value > 1) {
    throw Error(ErrorKind::usage,
                fmt::format("{} could be a percentage or an amount of dollars", text),
                fmt::format("write {0}% or ${0}", text), "--fail-above");
  }
  return DiffLimit{value, std::nullopt};
}

// The estimate of a recipe with the flags, as `estimate --format json` saves it.
std::string estimate_recipe(DiffArguments& arguments, const std::string& recipe, Session& session) {
  arguments.scenario.set_recipes({recipe});
  const Scenario scenario = arguments.scenario.read(session);
  Estimator estimator(session.catalog(), {});
  const std::vector<Estimate> estimates = estimator.run(scenario);
  Report report;
  report.scenario = &scenario;
  report.estimates = estimates;
  report.failures = estimator.failures();
  report.price_data_date = price_date(session.catalog());
  report.settings = session.settings;
  return render(report, Format::json, {});
}

DiffResult compare_recipes(DiffArguments& arguments, DiffReport& report, Session& session) {
  // Of `--recipe OLD NEW` the second is an argument of the command.
  std::vector<std::string> recipes = arguments.scenario.recipes();
  recipes.insert(recipes.end(), arguments.files.begin(), arguments.files.end());
  if (recipes.size() != 2) {
    throw Error(ErrorKind::usage, fmt::format("two recipes are needed, {} given", recipes.size()),
                "trcost diff --recipe old.yaml new.yaml --gpu 8xh100", "--recipe");
  }
  report.a = recipes[0];
  report.b = recipes[1];
  const std::string before = estimate_recipe(arguments, recipes[0], session);
  return diff_results(before, report.a, estimate_recipe(arguments, recipes[1], session), report.b);
}

DiffResult compare_files(const DiffArguments& arguments, DiffReport& report) {
  if (!arguments.scenario.typed().empty()) {
    throw Error(ErrorKind::usage, "flags of a scenario belong to --recipe",
                "saved results have theirs already");
  }
  if (arguments.files.size() != 2) {
    throw Error(ErrorKind::usage,
                fmt::format("two saved results are needed, {} given", arguments.files.size()),
                "trcost diff before.json after.json");
  }
  for (const std::string& file : arguments.files) {
    if (!is_recipe_name(file)) continue;
    throw Error(ErrorKind::usage, "not a saved result, but a recipe by its name",
                "trcost diff --recipe old.yaml new.yaml --gpu 8xh100", file);
  }
  const std::string& a = arguments.files[0];
  const std::string& b = arguments.files[1];
  if (a == "-" && b == "-") {
    throw Error(ErrorKind::usage, "stdin cannot be both results", "name a file for one of them");
  }
  report.a = a == "-" ? "stdin" : a;
  report.b = b == "-" ? "stdin" : b;
  return diff_results(read_input(a), report.a, read_input(b), report.b);
}

int run_diff(DiffArguments& arguments, Session& session) {
  const Format format = arguments.output.choose();
  DiffReport report;
  report.fail_above = threshold(arguments.fail_above);
  report.everything = arguments.all;
  report.result = arguments.scenario.recipes().empty()
                      ? compare_files(arguments, report)
                      : compare_recipes(arguments, report, session);
  Output output(arguments.output.path);
  Document document = diff_document(report);
  document.command = session.command;
  output.write(render(document, format, style_of(arguments.output, format, session)));
  output.commit();
  if (!report.fail_above) return kExitOk;
  const std::vector<std::string> failed = totals_above(report.result, *report.fail_above);
  for (const std::string& text : failed) {
    session.error(text,
                  &text != &failed.back()
                      ? ""
                      : fmt::format("--fail-above {} checks every platform. To check one, save "
                                    "both results with --accelerator NAME",
                                    arguments.fail_above));
  }
  return failed.empty() ? kExitOk : kExitCheckFailed;
}

}  // namespace

Action define_diff(Flags& flags, Session& session) {
  auto arguments = std::make_shared<DiffArguments>();
  flags.group("Input");
  flags.add("FILES", arguments->files, "A.json B.json",
            "two results of one command, saved with --format json");
  flags.group("Output");
  flags.add("--fail-above", arguments->fail_above, "USD|SHARE",
            "exit 3 if the total of a platform rises by more than these dollars (1000, $50) or "
            "this share (10%), or cannot be compared");
  flags.add("--all", arguments->all, "every figure that differs, not only the main ones");
  add_output_options(flags, arguments->output);
  arguments->scenario.add(flags, session);
  return [arguments, &session] { return run_diff(*arguments, session); };
}

}  // namespace trcost::cli
