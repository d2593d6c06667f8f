// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/output.h"
#include "cli/session.h"
#include "report/documents.h"
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
  OutputOptions output;
};

std::optional<double> limit(const ValidateOptions& typed) {
  if (typed.max_error.empty()) return std::nullopt;
  try {
    return parse_number(typed.max_error, NumberKind::fraction);
  } catch (const Error& error) {
    throw Error(error.kind, error.message, error.hint, "--max-error");
  }
}

int check(double error, const char* what, std::optional<double> most, Session& session) {
  if (!most || error <= *most) return kExitOk;
  session.error(fmt::format("{} is {:.1f} %, above the {:.1f} % of --max-error", what, 100 * error,
                            100 * *most),
                "`trcost validate --rows` shows the rows");
  return kExitCheckFailed;
}

// Prints what a replay found; `error` is held against --max-error.
template <class Replay, class Judge, class Describe>
int show(const ValidateOptions& typed, Session& session, const char* what, const Replay& replay,
         const Describe& describe, const Judge& error) {
  const Format format = typed.output.choose();
  const std::optional<double> most = limit(typed);
  Output output(typed.output.path);
  const auto result = replay();
  if (result.rows.empty()) {
    throw Error(ErrorKind::usage, fmt::format("no {} is left by these filters", what),
                "the same without filters replays all of them");
  }
  Document document = describe(result);
  document.command = session.command;
  output.write(render(document, format, style_of(typed.output, format, session)));
  output.commit();
  return check(error(result), "the median error of the selected rows", most, session);
}

int run_throughput(const ValidateOptions& typed, Session& session) {
  const ValidationPart part = typed.summary ? ValidationPart::summaries
                              : typed.rows  ? ValidationPart::rows
                                            : ValidationPart::usual;
  const auto judged = [&](const ValidationResult& result) {
    for (const ValidationRow& row : result.rows) {
      if (!row.problem.empty()) session.warn(fmt::format("{}: {}", row.measured->id, row.problem));
    }
    return result.all.median;
  };
  return show(
      typed, session, "measured row", [&] { return validate(session.catalog(), typed.filter); },
      [&](const ValidationResult& r) { return validation_document(r, part); }, judged);
}

int run_validate(const ValidateOptions& typed, Session& session) {
  const Catalog& catalog = session.catalog();
  const auto all = [](const auto& result) { return result.all.median; };
  if (typed.posttraining) {
    return show(
        typed, session, "post-training row",
        [&] { return validate_posttraining(catalog, typed.filter); },
        [&](const auto& r) { return posttraining_validation_document(r, typed.rows); }, all);
  }
  if (typed.calibrated) {
    return show(
        typed, session, "source of measured rows",
        [&] { return calibration_curve(catalog, typed.filter.source); },
        [](const auto& r) { return calibration_curve_document(r); },
        [](const CalibrationCurve& r) { return r.wrong.after[1]; });
  }
  if (typed.serving) {
    return show(
        typed, session, "serving measurement",
        [&] { return validate_serving(catalog, typed.filter); },
        [&](const auto& r) { return serving_validation_document(r, typed.rows); }, all);
  }
  if (typed.vision) {
    return show(
        typed, session, "vision-language run",
        [&] { return validate_vision(catalog, typed.filter); },
        [](const auto& r) { return vision_validation_document(r); }, all);
  }
  if (typed.memory) {
    return show(
        typed, session, "published peak of memory",
        [&] { return validate_memory(catalog, typed.filter); },
        [&](const auto& r) { return memory_validation_document(r, typed.rows); }, all);
  }
  if (typed.runs) {
    return show(
        typed, session, "published run", [&] { return validate_runs(catalog); },
        [](const auto& r) { return run_validation_document(r); },
        [](const RunValidation& r) { return r.median_error; });
  }
  return run_throughput(typed, session);
}

void add_filters(Flags& flags, ValidationFilter& filter) {
  flags.group("Which rows");
  const auto add = [&](const char* flag, std::string& value, const char* type, const char* help) {
    flags.add(flag, value, type, help);
  };
  add("--accelerator", filter.accelerator, "NAME", "of this accelerator");
  add("--stack", filter.stack, "NAME", "of this software stack");
  add("--source", filter.source, "TEXT", "whose source contains this text");
  add("--task", filter.task, "pretrain|sft|lora|qlora|lora+emb", "of this kind of training");
  add("--model", filter.model, "TEXT", "whose model contains this text");
}

}  // namespace

Action define_validate(Flags& flags, Session& session) {
  auto typed = std::make_shared<ValidateOptions>();
  add_filters(flags, typed->filter);
  flags.group("Options");
  flags.add("--rows", typed->rows, "show every row, not the summary alone");
  flags.add("--summary", typed->summary, "the summary alone, also for machines");
  flags.add("--default-tuning", typed->filter.default_tuning,
            "as `trcost estimate` without --tuning: who ran a row is not said");
  flags.add("--runs", typed->runs, "whole published runs: does the range hold their GPU-hours");
  flags.add("--vision", typed->vision, "published vision-language runs and rates");
  flags.add("--memory", typed->memory,
            "published peaks of memory, as the counter of each shows it; --task is what learns");
  flags.add("--serving", typed->serving, "published serving measurements; --stack is the engine");
  flags.add("--posttraining", typed->posttraining,
            "published rounds and whole runs of post-training; --stack is the framework, --task "
            "the method");
  flags.add("--calibrated", typed->calibrated,
            "each source after calibrating to 1, 3 and 10 of its rows (with --source alone)");
  flags.add("--max-error", typed->max_error, "F",
            "exit 3 where the median error of the selected rows is larger, e.g. 10%");
  add_output_options(flags, typed->output);
  return [typed, &session] { return run_validate(*typed, session); };
}

}  // namespace trcost::cli
