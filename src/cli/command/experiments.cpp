// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "report/about/documents.h"
#include "study/experiments/experiments.h"
#include "trcost/error.h"
#include "trcost/report.h"

namespace trcost::cli {
namespace {

// A number of the study that the flags describe where no file does.
struct NumberFlag {
  const char* name;
  double Experiment::*in;
  const char* type;
  const char* help;
};
constexpr NumberFlag kFlags[] = {
    {"--runs", &Experiment::repeats, "N", "number of runs, without a study file"},
    {"--params-fraction", &Experiment::params_fraction, "F",
     "size of a run as a share of the final run's parameters, for a mixture of experts its active "
     "ones (default: 0.1, a dense model, or 1 for fine-tuning)"},
    {"--tokens-fraction", &Experiment::tokens_fraction, "F",
     "tokens of a run as a share of the final run's (default: 0.1; 1 for fine-tuning)"},
    {"--failure-share", &Experiment::failure_share, "F",
     "share of the attempts that fail and run again (default: 0)"},
    {"--early-stopping", &Experiment::early_stopping, "F",
     "share of the compute saved by stopping poor runs early (default: 0)"},
};

struct ExperimentArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  std::string file;
  std::array<std::string, std::size(kFlags)> numbers;  // as typed
  std::string run_time;
  bool strict = false;
};

double number_in_range(const std::string& text, NumberKind kind, double lowest, double highest,
                       std::string_view flag) {
  const double value = flag_number(text, kind, flag);
  if (value >= lowest && value <= highest) return value;
  throw Error(ErrorKind::usage, fmt::format("{} is outside the allowed range", text),
              fmt::format("from {} to {}", format_exact(lowest), format_exact(highest)),
              std::string(flag));
}

// Whether the final run adapts a model that exists.
bool adapts_model(const Scenario& base) {
  const std::string_view recipe = base.text(Field::train_recipe);
  const std::string_view method = base.text(Field::train_method);
  return (!recipe.empty() && recipe != "full") || (!method.empty() && method != "pretrain") ||
         base.has(Field::data_samples);
}

Experiment from_flags(const ExperimentArguments& arguments, const Scenario& base) {
  constexpr double kUsualFraction = 0.1;  // of ablations of pre-training; the answer says so
  Experiment out;
  out.name = "runs";
  out.params_fraction = out.tokens_fraction = adapts_model(base) ? 1 : kUsualFraction;
  for (std::size_t i = 0; i < std::size(kFlags); ++i) {
    const std::string& text = arguments.numbers[i];
    if (text.empty()) continue;
    const auto* row = std::ranges::find(kExperimentNumbers, kFlags[i].in, &ExperimentNumber::in);
    out.*row->in = number_in_range(text, row->kind, row->lowest, row->highest, kFlags[i].name);
  }
  return out;
}

bool described_by_flags(const ExperimentArguments& arguments) {
  return !std::ranges::all_of(arguments.numbers, &std::string::empty);
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
    return extract_experiments(text, origin, study.experiments);
  });
  if (described_by_flags(arguments)) {
    if (!study.experiments.empty()) {
      throw Error(ErrorKind::usage, "the study file already lists experiments",
                  "leave out --runs and the fractions, or the list \"experiments\"");
    }
    study.experiments.push_back(from_flags(arguments, study.base));
  }
  if (!arguments.run_time.empty()) {
    study.run_seconds =
        number_in_range(arguments.run_time, NumberKind::duration, 1, 1e11, "--run-time");
  }
  Output output(arguments.output.path);
  ExperimentReport report = run_experiments(study, session.catalog());
  report.price_data_date = price_date(session.catalog());
  report.scenario = scenario_to_json(study.base);
  Document document = experiments_document(report);
  document.command = session.command;
  output.write(render(document, format, style_of(arguments.output, format, session)));
  output.commit();
  if (format != Format::table) {  // the text has them
    for (const std::string& warning : report.warnings) session.warn(warning);
    for (const Estimator::Failure& failure : report.failures) session.warn(failure_line(failure));
  }
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
  for (std::size_t i = 0; i < std::size(kFlags); ++i) {
    add(kFlags[i].name, arguments->numbers[i], kFlags[i].type, kFlags[i].help);
  }
  add("--run-time", arguments->run_time, "TIME",
      "time limit of a run, which sets its number of GPUs (default: 3d). With --gpus, "
      "all runs share that cluster");
  arguments->scenario.add(flags, session);
  add_details_option(flags, arguments->output);
  add_output_options(flags, arguments->output);
  flags.group("Output");
  flags.add("--strict", arguments->strict,
            "exit 3 when a number is not known, a price imputed, of another class or older than a "
            "year, a platform without an answer, or a run over its time");
  return [arguments, &session] { return run_experiments_command(*arguments, session); };
}

}  // namespace trcost::cli
