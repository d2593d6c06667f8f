// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "report/about/documents.h"
#include "study/calibrate/calibrate.h"
#include "study/validate/first_predictions.h"
#include "study/validate/replay.h"
#include "study/validate/serving_validation.h"
#include "study/validate/validate.h"
#include "study/validate/validate_runs.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::cli {
namespace {

struct ValidateOptions {
  ValidationFilter filter;
  std::string max_error;
  bool rows = false;
  bool summary = false;
  bool runs = false;
  bool vision = false;
  bool memory = false;
  bool serving = false;
  bool posttraining = false;
  bool calibrated = false;
  bool predicted_first = false;
  OutputOptions output;
};
using Typed = const ValidateOptions&;

// Options that only some subjects take.
enum Takes : unsigned {
  kAccelerator = 1,
  kStack = 2,
  kSource = 4,
  kTask = 8,
  kModel = 16,
  kRows = 32,
  kSummary = 64,
  kDefaultTuning = 128,
};
struct Selection {
  std::string_view flag;
  Takes bit;
  bool (*given)(Typed);
};
constexpr Selection kSelections[] = {
    {"--accelerator", kAccelerator, [](Typed t) { return !t.filter.accelerator.empty(); }},
    {"--stack", kStack, [](Typed t) { return !t.filter.stack.empty(); }},
    {"--source", kSource, [](Typed t) { return !t.filter.source.empty(); }},
    {"--task", kTask, [](Typed t) { return !t.filter.task.empty(); }},
    {"--model", kModel, [](Typed t) { return !t.filter.model.empty(); }},
    {"--rows", kRows, [](Typed t) { return t.rows; }},
    {"--summary", kSummary, [](Typed t) { return t.summary; }},
    {"--default-tuning", kDefaultTuning, [](Typed t) { return t.filter.default_tuning; }},
};

int run_throughput(Typed typed, Session& session);
int run_runs(Typed typed, Session& session);
int run_vision(Typed typed, Session& session);
int validate_memory_peaks(Typed typed, Session& session);
int run_serving(Typed typed, Session& session);
int run_posttraining(Typed typed, Session& session);
int run_calibrated(Typed typed, Session& session);
int run_predicted_first(Typed typed, Session& session);

// Subjects of a replay. The first one is the default.
struct Subject {
  std::string_view flag;
  bool ValidateOptions::*asked;
  unsigned takes;
  int (*run)(Typed, Session&);
};
constexpr unsigned kPublished = kAccelerator | kStack | kSource | kModel;
constexpr Subject kSubjects[] = {
    {"", nullptr, kPublished | kTask | kRows | kSummary | kDefaultTuning, run_throughput},
    {"--runs", &ValidateOptions::runs, 0, run_runs},
    {"--vision", &ValidateOptions::vision, kPublished, run_vision},
    {"--memory", &ValidateOptions::memory, kPublished | kTask | kRows, validate_memory_peaks},
    {"--serving", &ValidateOptions::serving, kPublished | kRows, run_serving},
    {"--posttraining", &ValidateOptions::posttraining, kPublished | kTask | kRows,
     run_posttraining},
    {"--calibrated", &ValidateOptions::calibrated, kSource, run_calibrated},
    {"--predicted-first", &ValidateOptions::predicted_first, kSource | kRows, run_predicted_first},
};

const Subject& chosen_subject(Typed typed) {
  std::vector<std::string_view> asked;
  const Subject* out = &kSubjects[0];
  for (const Subject& each : kSubjects) {
    if (each.asked == nullptr || !(typed.*each.asked)) continue;
    asked.push_back(each.flag);
    out = &each;
  }
  if (asked.size() < 2) return *out;
  throw Error(ErrorKind::usage, fmt::format("{} are replayed apart", fmt::join(asked, " and ")),
              "keep one of them");
}

void refuse_what_it_ignores(const Subject& subject, Typed typed) {
  std::vector<std::string_view> taken, ignored;
  for (const Selection& each : kSelections) {
    if ((subject.takes & each.bit) != 0) {
      taken.push_back(each.flag);
    } else if (each.given(typed)) {
      ignored.push_back(each.flag);
    }
  }
  if (!ignored.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("validate {} does not take {}", subject.flag, fmt::join(ignored, ", ")),
                taken.empty() ? std::string("it shows all that there is, row by row")
                              : fmt::format("it takes {}", fmt::join(taken, ", ")));
  }
  if (typed.rows && typed.summary) {
    throw Error(ErrorKind::usage, "--rows and --summary exclude each other", "keep one of them");
  }
}

// The command whose rows a judgement is of.
std::string rows_command(const Subject& subject) {
  std::string out = "trcost validate";
  if (!subject.flag.empty()) out += fmt::format(" {}", subject.flag);
  return (subject.takes & kRows) != 0 ? out + " --rows" : out;
}

std::optional<double> limit(Typed typed) {
  if (typed.max_error.empty()) return std::nullopt;
  return flag_number(typed.max_error, NumberKind::fraction, "--max-error");
}

// The error that --max-error limits: the one that the answer states first.
struct JudgedError {
  double value = 0;
  std::string_view name;
};

int check(const JudgedError& error, Typed typed, std::optional<double> most, Session& session) {
  if (!most || error.value <= *most) return kExitOk;
  const Subject& subject = chosen_subject(typed);
  session.error(fmt::format("{} is {:.1f}%, above the {:.1f}% of --max-error", error.name,
                            100 * error.value, 100 * *most),
                fmt::format("`{}`{} lists the rows", rows_command(subject),
                            (subject.takes & kPublished) != 0 ? " with the same filters" : ""));
  return kExitCheckFailed;
}

constexpr std::string_view kFitted = "the median error of the fit";
constexpr std::string_view kLeftOut = "the median error on sources left out of the fit";

// The median error of the selected rows, left out of the fit where they have such a prediction.
constexpr auto kMedianError = [](const auto& result) {
  const ValidationSummary& all = result.all;
  return all.left_out ? JudgedError{all.left_out->median, kLeftOut}
                      : JudgedError{all.median, kFitted};
};

// Prints a replay, and checks the error that `judge` returns against --max-error.
template <class Replay, class Judge, class Describe>
int show_replay(Typed typed, Session& session, std::string_view what, const Replay& replay,
                const Describe& describe, const Judge& judge) {
  const Format format = typed.output.choose();
  const std::optional<double> most = limit(typed);
  Output output(typed.output.path);
  const auto result = replay();
  if (result.rows.empty()) {
    throw Error(ErrorKind::usage, fmt::format("no {} is left by these filters", what),
                fmt::format("without them, all rows are replayed. {}--rows --format csv lists "
                            "the values of each column",
                            typed.filter.task.empty()
                                ? ""
                                : "--task is one of pretrain, sft, lora, qlora, lora+emb. "));
  }
  Document document = describe(result);
  document.command = session.command;
  output.write(render(document, format, style_of(typed.output, format, session)));
  output.commit();
  return check(judge(result), typed, most, session);
}

int run_throughput(Typed typed, Session& session) {
  const ValidationPart part = typed.summary ? ValidationPart::summaries
                              : typed.rows  ? ValidationPart::rows
                                            : ValidationPart::usual;
  const auto judged = [&](const ValidationResult& result) {
    for (const ValidationRow& row : result.rows) {
      if (!row.problem.empty()) session.warn(fmt::format("{}: {}", row.measured->id, row.problem));
    }
    return kMedianError(result);
  };
  return show_replay(
      typed, session, "measured row", [&] { return validate(session.catalog(), typed.filter); },
      [&](const ValidationResult& r) { return validation_document(r, part); }, judged);
}

int run_posttraining(Typed typed, Session& session) {
  return show_replay(
      typed, session, "post-training row",
      [&] { return validate_posttraining(session.catalog(), typed.filter); },
      [&](const auto& r) { return posttraining_validation_document(r, typed.rows); }, kMedianError);
}

int run_calibrated(Typed typed, Session& session) {
  return show_replay(
      typed, session, "source of measured rows",
      [&] { return calibration_curve(session.catalog(), typed.filter.source); },
      [](const auto& r) { return calibration_curve_document(r); },
      [](const CalibrationCurve& r) {
        return JudgedError{r.wrong.after[1],
                           "the error of sources above 15%, calibrated to three rows,"};
      });
}

int run_predicted_first(Typed typed, Session& session) {
  return show_replay(
      typed, session, "stored prediction",
      [&] { return first_predictions(session.catalog(), typed.filter.source); },
      [&](const auto& r) { return first_predictions_document(r, typed.rows); },
      [](const FirstPredictions& r) {
        return JudgedError{r.summaries.front().median,
                           "the median error of sources predicted first"};
      });
}

int run_serving(Typed typed, Session& session) {
  return show_replay(
      typed, session, "serving measurement",
      [&] { return validate_serving(session.catalog(), typed.filter); },
      [&](const auto& r) { return serving_validation_document(r, typed.rows); }, kMedianError);
}

int run_vision(Typed typed, Session& session) {
  return show_replay(
      typed, session, "vision-language run",
      [&] { return validate_vision(session.catalog(), typed.filter); },
      [](const auto& r) { return vision_validation_document(r); },
      [](const VisionValidation& r) {
        return r.left_out_factor ? JudgedError{*r.left_out_factor - 1, kLeftOut}
                                 : JudgedError{r.vision.factor - 1, kFitted};
      });
}

int validate_memory_peaks(Typed typed, Session& session) {
  return show_replay(
      typed, session, "published peak of memory",
      [&] { return validate_memory(session.catalog(), typed.filter); },
      [&](const auto& r) { return memory_validation_document(r, typed.rows); }, kMedianError);
}

int run_runs(Typed typed, Session& session) {
  return show_replay(
      typed, session, "published run", [&] { return validate_runs(session.catalog()); },
      [](const auto& r) { return run_validation_document(r); },
      [](const RunValidation& r) {
        return JudgedError{r.left_out_factor - 1,
                           "the median error on families left out of the fit"};
      });
}

int run_validate(Typed typed, Session& session) {
  const Subject& subject = chosen_subject(typed);
  refuse_what_it_ignores(subject, typed);
  return subject.run(typed, session);
}

void add_filters(Flags& flags, ValidationFilter& filter) {
  flags.group("Which rows");
  const auto add = [&](const char* flag, std::string& value, const char* type, const char* help) {
    flags.add(flag, value, type, help);
  };
  add("--accelerator", filter.accelerator, "NAME", "only rows of this accelerator");
  add("--stack", filter.stack, "NAME", "only rows of this software stack");
  add("--source", filter.source, "TEXT", "only rows whose source contains this text");
  add("--task", filter.task, "pretrain|sft|lora|qlora|lora+emb",
      "only rows of this kind of training");
  add("--model", filter.model, "TEXT", "only rows whose model contains this text");
}

}  // namespace

Action define_validate(Flags& flags, Session& session) {
  auto typed = std::make_shared<ValidateOptions>();
  add_filters(flags, typed->filter);
  flags.group("Options");
  flags.add("--rows", typed->rows, "show every row, not the summary alone");
  flags.add("--summary", typed->summary, "the summary alone, also for machines");
  flags.add("--default-tuning", typed->filter.default_tuning,
            "ignore who ran a row, as `trcost estimate` does without --tuning");
  flags.add("--runs", typed->runs,
            "whole published runs, and whether the range contains their GPU-hours");
  flags.add("--vision", typed->vision, "published vision-language runs and rates");
  flags.add("--memory", typed->memory, "published peaks of memory. --task is the trained part");
  flags.add("--serving", typed->serving, "published serving measurements. --stack is the engine");
  flags.add("--posttraining", typed->posttraining,
            "published rounds and whole runs of post-training. --stack is the framework, --task "
            "the method");
  flags.add("--calibrated", typed->calibrated,
            "each source after calibrating to 1, 3 and 10 of its rows (with --source alone)");
  flags.add("--predicted-first", typed->predicted_first,
            "sources that were predicted before they were added, with the error of that day");
  flags.add("--max-error", typed->max_error, "F",
            "exit 3 if the median error is larger, such as 10%: that on sources left out of the "
            "fit, if known");
  add_details_option(flags, typed->output);
  add_output_options(flags, typed->output);
  return [typed, &session] { return run_validate(*typed, session); };
}

}  // namespace trcost::cli
