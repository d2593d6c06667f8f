// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/output.h"
#include "cli/scenario_options.h"
#include "cli/session.h"
#include "cost/prices.h"
#include "report/documents.h"
#include "study/experiments.h"
#include "trcost/error.h"
#include "trcost/report.h"

namespace trcost::cli {
namespace {

struct ExperimentArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  std::string file;
  std::string runs;
  std::string params_fraction;
  std::string tokens_fraction;
  std::string failure_share;
  std::string early_stopping;
  std::string run_time;
  bool strict = false;
};

double number(const std::string& text, NumberKind kind, double lowest, double highest,
              std::string_view flag) {
  double value = 0;
  try {
    value = parse_number(text, kind);
  } catch (const Error& error) {
    throw Error(error.kind, error.message, error.hint, std::string(flag));
  }
  if (value >= lowest && value <= highest) return value;
  throw Error(ErrorKind::usage, fmt::format("{} is outside the allowed range", text),
              fmt::format("from {} to {}", format_exact(lowest), format_exact(highest)),
              std::string(flag));
}

// The study that the flags describe where no file does.
Experiment from_flags(const ExperimentArguments& arguments) {
  constexpr double kSmallest = 1e-9;
  constexpr double kBelowOne = 0.999;
  const auto given = [](const std::string& text, NumberKind kind, double lowest, double highest,
                        std::string_view flag, double otherwise) {
    return text.empty() ? otherwise : number(text, kind, lowest, highest, flag);
  };
  using enum NumberKind;
  Experiment out;
  out.name = "runs";
  out.repeats = given(arguments.runs, integer, 1, 1e6, "--runs", 1);
  out.params_fraction =
      given(arguments.params_fraction, fraction, kSmallest, 1, "--params-fraction", 1);
  out.tokens_fraction =
      given(arguments.tokens_fraction, fraction, kSmallest, 1000, "--tokens-fraction", 1);
  out.failure_share = given(arguments.failure_share, fraction, 0, kBelowOne, "--failure-share", 0);
  out.early_stopping =
      given(arguments.early_stopping, fraction, 0, kBelowOne, "--early-stopping", 0);
  return out;
}

bool described_by_flags(const ExperimentArguments& arguments) {
  for (const std::string* text :
       {&arguments.runs, &arguments.params_fraction, &arguments.tokens_fraction,
        &arguments.failure_share, &arguments.early_stopping}) {
    if (!text->empty()) return true;
  }
  return false;
}

// Each reason once; an experiment that does not fit in its time is one too.
int strict_exit(const ExperimentReport& report, Session& session) {
  std::set<std::string> reasons;
  bool whole = report.failures.empty();
  for (const PlatformExperiments& platform : report.platforms) {
    for (const ExperimentResult& each : platform.experiments) {
      whole = whole && each.in_time;
      for (std::string& reason : strict_reasons(each.run)) reasons.insert(std::move(reason));
    }
  }
  for (const std::string& reason : reasons) session.warn(reason);
  return whole && reasons.empty() ? kExitOk : kExitCheckFailed;
}

int run_experiments_command(ExperimentArguments& arguments, Session& session) {
  const Format format = arguments.output.choose();
  ExperimentStudy study;
  if (!arguments.file.empty()) arguments.scenario.set_file(arguments.file);
  study.base = arguments.scenario.read(session, [&](std::string text, const std::string& origin) {
    return take_experiments(text, origin, study.experiments);
  });
  if (described_by_flags(arguments)) {
    if (!study.experiments.empty()) {
      throw Error(ErrorKind::usage, "the study file lists the experiments already",
                  "leave --runs and the fractions out, or the list \"experiments\"");
    }
    study.experiments.push_back(from_flags(arguments));
  }
  if (!arguments.run_time.empty()) {
    study.run_seconds = number(arguments.run_time, NumberKind::duration, 1, 1e11, "--run-time");
  }
  Output output(arguments.output.path);
  ExperimentReport report = run_experiments(study, session.catalog());
  report.price_data_date = session.catalog().price_date();
  report.scenario = scenario_to_json(study.base);
  Document document = experiments_document(report);
  document.command = session.command;
  output.write(render(document, format, style_of(arguments.output, format, session)));
  output.commit();
  for (const Estimator::Failure& failure : report.failures) session.warn(failure_line(failure));
  for (const PlatformExperiments& platform : report.platforms) {
    for (const ExperimentResult& each : platform.experiments) {
      if (each.in_time) continue;
      session.warn(fmt::format("{}: a run of \"{}\" takes {}, more than --run-time",
                               platform.accelerator, each.experiment->name,
                               format_number(each.run_seconds, NumberKind::duration)));
    }
  }
  return arguments.strict ? strict_exit(report, session) : kExitOk;
}

}  // namespace

Action define_experiments(Flags& flags, Session& session) {
  auto arguments = std::make_shared<ExperimentArguments>();
  flags.group("Study");
  const auto add = [&](const char* name, std::string& text, const char* type, const char* help) {
    flags.add(name, text, type, help);
  };
  add("STUDY", arguments->file, "FILE",
      "a scenario as JSON with a list \"experiments\" of name, params_fraction, tokens_fraction, "
      "repeats, seeds, failure_share, early_stopping and groups of scenario fields");
  add("--runs", arguments->runs, "N", "runs, where no file lists experiments");
  add("--params-fraction", arguments->params_fraction, "F",
      "of the final run's parameters (default: 1)");
  add("--tokens-fraction", arguments->tokens_fraction, "F", "of its tokens (default: 1)");
  add("--failure-share", arguments->failure_share, "F",
      "attempts that fail and are run again: attempts = runs / (1 - F) (default: 0)");
  add("--early-stopping", arguments->early_stopping, "F",
      "share of the compute that stopping hopeless runs saves (default: 0)");
  add("--run-time", arguments->run_time, "TIME",
      "a run gets the fewest GPUs that finish it in this time (default: 3d), and more of a node "
      "where less is paid so; --gpus is the cluster that all runs are packed onto");
  arguments->scenario.add(flags, session);
  add_output_options(flags, arguments->output);
  flags.group("Output");
  flags.add("--strict", arguments->strict,
            "exit 3 when a number is not known, a price imputed, of another class or older than a "
            "year, a platform without an answer, or a run over its time");
  return [arguments, &session] { return run_experiments_command(*arguments, session); };
}

}  // namespace trcost::cli
