// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

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
  bool serving = false;
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

int run_whole_runs(const ValidateOptions& typed, Session& session) {
  const Format format = typed.output.choose();
  const std::optional<double> most = limit(typed);
  Output output(typed.output.path);
  const RunValidation validation = validate_runs(session.catalog());
  const Style style{.color = session.colored(STDOUT_FILENO)};
  Document document = run_validation_document(validation);
  document.command = session.command;
  output.write(render(document, format, style));
  output.commit();
  return check(validation.median_error, "the median error of GPU-hours", most, session);
}

int run_vision(const ValidateOptions& typed, Session& session) {
  const Format format = typed.output.choose();
  const std::optional<double> most = limit(typed);
  Output output(typed.output.path);
  const VisionValidation validation = validate_vision(session.catalog(), typed.filter);
  if (validation.rows.empty()) {
    throw Error(ErrorKind::usage, "no vision-language run is left by these filters",
                "`trcost validate --vision` without filters replays all of them");
  }
  const Style style{.color = session.colored(STDOUT_FILENO)};
  Document document = vision_validation_document(validation);
  document.command = session.command;
  output.write(render(document, format, style));
  output.commit();
  return check(validation.all.median, "the median error of the selected rows", most, session);
}

int run_serving(const ValidateOptions& typed, Session& session) {
  const Format format = typed.output.choose();
  const std::optional<double> most = limit(typed);
  Output output(typed.output.path);
  const ServingValidation validation = validate_serving(session.catalog(), typed.filter);
  if (validation.rows.empty()) {
    throw Error(ErrorKind::usage, "no serving measurement is left by these filters",
                "`trcost validate --serving` without filters summarises all of them");
  }
  const Style style{.color = session.colored(STDOUT_FILENO)};
  Document document = serving_validation_document(validation, typed.rows);
  document.command = session.command;
  output.write(render(document, format, style));
  output.commit();
  return check(validation.all.median, "the median error of the selected rows", most, session);
}

int run_validate(const ValidateOptions& typed, Session& session) {
  if (typed.serving) return run_serving(typed, session);
  if (typed.vision) return run_vision(typed, session);
  if (typed.runs) return run_whole_runs(typed, session);
  const Format format = typed.output.choose();
  const std::optional<double> most = limit(typed);
  Output output(typed.output.path);
  const ValidationResult result = validate(session.catalog(), typed.filter);
  if (result.rows.empty()) {
    throw Error(ErrorKind::usage, "no measured row is left by these filters",
                "`trcost validate` without filters summarises all of them");
  }
  const Style style{.color = session.colored(STDOUT_FILENO)};
  const ValidationPart part = typed.summary ? ValidationPart::summaries
                              : typed.rows  ? ValidationPart::rows
                                            : ValidationPart::usual;
  Document document = validation_document(result, part);
  document.command = session.command;
  output.write(render(document, format, style));
  output.commit();
  for (const ValidationRow& row : result.rows) {
    if (!row.problem.empty()) session.warn(fmt::format("{}: {}", row.measured->id, row.problem));
  }
  return check(result.all.median, "the median error of the selected rows", most, session);
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
  flags.add("--serving", typed->serving, "published serving measurements; --stack is the engine");
  flags.add("--max-error", typed->max_error, "F",
            "exit 3 where the median error of the selected rows is larger, e.g. 10%");
  add_output_options(flags, typed->output);
  return [typed, &session] { return run_validate(*typed, session); };
}

}  // namespace trcost::cli
