// SPDX-License-Identifier: Apache-2.0
// Reads rows and logs of a user's own runs as measured steps.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>

#include "catalog/hardware/efficiency.h"
#include "catalog/layout/layout.h"
#include "estimate/cluster/execution.h"
#include "estimate/question/question.h"
#include "estimate/question/recipe_defaults.h"
#include "quantity/quantity.h"
#include "scenario/fields.h"
#include "study/calibrate/calibrate.h"
#include "study/calibrate/training_log.h"
#include "study/validate/validate.h"
#include "text/unicode.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

// Fields of the command line that fill empty cells of the table.
OwnDefaults typed_defaults(const Scenario& asked) {
  // A column has the name of the last word of its path.
  constexpr Field kCells[] = {
      Field::hardware_accelerator, Field::hardware_system,   Field::hardware_gpus,
      Field::layout_sharding,      Field::train_micro_batch, Field::train_global_batch,
      Field::data_seq_length,      Field::layout_recompute,  Field::train_attention};
  OwnDefaults out;
  const auto fill = [&](std::string_view column, Field field) {
    if (!asked.has(field)) return;
    const std::optional<double> number = asked.number(field);
    out.emplace_back(column, number ? format_exact(*number) : std::string(asked.text(field)));
  };
  fill("model", Field::model_name);
  for (const Field field : kCells) {
    const std::string_view path = field_info(field).path;
    fill(path.substr(path.rfind('.') + 1), field);
  }
  for (std::size_t i = 0; i < kDimensionCount; ++i) fill(kDimensions[i].name, kDimensionFields[i]);
  out.emplace_back("precision", std::string(asked.text(Field::train_precision)));
  out.emplace_back("task", "pretrain");
  return out;
}

// The stack that is calibrated: that of --stack, or the one that all rows name.
std::string calibrated_stack(const Scenario& asked, const std::vector<ThroughputRow>& rows) {
  const std::string typed(asked.text(Field::efficiency_stack));
  if (asked.has(Field::efficiency_stack)) return typed;
  std::string base;
  for (const ThroughputRow& row : rows) {
    if (row.stack.empty() || row.stack == base) continue;
    if (!base.empty()) {
      throw Error(
          ErrorKind::usage, fmt::format("the rows are of several stacks: {}, {}", base, row.stack),
          "calibrate one at a time, or say which one to start from with --stack", "--measured");
    }
    base = row.stack;
  }
  return base.empty() ? typed : base;
}

void refuse_fields(const Scenario& asked) {
  if (asked.has(Field::efficiency_mfu)) {
    throw Error(ErrorKind::usage, "--mfu says the speed that is to be found out", "leave it out",
                "--mfu");
  }
  if (!asked.stages.empty()) {
    throw Error(ErrorKind::usage, "a training in several stages has no one step",
                "calibrate to the log of one stage");
  }
}

void require(const Scenario& scenario, Field field, std::string_view what, std::string_view name) {
  if (scenario.has(field)) return;
  throw Error(ErrorKind::usage, fmt::format("the log does not say {}", what),
              fmt::format("set {}", field_info(field).flag), std::string(name));
}

// Seconds of an optimizer step from the measured value of the log's program. `batch_share` is the
// batch of the layout over the one that ran, which may not divide.
double measured_seconds(const LogSteps& log, const Layout& layout, double seq_length,
                        double batch_share) {
  switch (log.unit) {
    case LogUnit::tokens_per_second_per_gpu:
      return layout.global_batch * seq_length / (log.value * layout.gpus());
    case LogUnit::tokens_per_second:
      return layout.global_batch * seq_length / log.value;
    case LogUnit::samples_per_second:
      return layout.global_batch / log.value;
    case LogUnit::batch_seconds:
      return log.value * layout.micro_batches();
    default:
      return log.value * batch_share;
  }
}

void note_log(const LogSteps& log, std::string_view name, std::vector<std::string>& warnings) {
  constexpr double kMuch = 0.15;
  if (log.unreadable > 0) {
    warnings.push_back(
        fmt::format("{}: {} of {} steps have no speed that is a number (not finite, or cut "
                    "off) and are left out",
                    name, log.unreadable, log.unreadable + log.steps));
  }
  if (log.whole_run) {
    warnings.push_back(
        fmt::format("{}: only the time of the whole run stands there, with its start, "
                    "evaluations and saves. A log with the progress bar says more",
                    name));
  }
  if (log.scatter > kMuch) {
    warnings.push_back(
        fmt::format("{}: its steps differ by {:.0f}% among each other, so the median is taken",
                    name, 100 * log.scatter));
  }
}

// The scenario of the log, with one accelerator and everything that a step depends on.
Scenario log_scenario(const LogSteps& log, std::string_view name, const Scenario& asked,
                      std::vector<std::string>& warnings) {
  // A flag has precedence over a fact that the log prints.
  Scenario out = asked;
  for (const auto& [field, value] : log.facts) {
    const FieldInfo& info = field_info(field);
    const std::optional<double> typed = asked.number(field);
    if (!typed) {
      out.set_number(info, value, name);
    } else if (*typed != value) {
      warnings.push_back(fmt::format("{} prints {} = {}, {} says {}: the flag is taken", name,
                                     info.path, format_exact(value), info.flag,
                                     format_exact(*typed)));
    }
  }
  require(out, Field::hardware_accelerator, "on which accelerator it ran", name);
  require(out, Field::hardware_gpus, "how many accelerators it ran on", name);
  const bool per_token =
      log.unit == LogUnit::tokens_per_second_per_gpu || log.unit == LogUnit::tokens_per_second;
  if (log.step_tokens > 0 && !out.has(Field::train_global_batch)) {
    if (const std::optional<double> length = out.number(Field::data_seq_length)) {
      const double batch = std::round(log.step_tokens / *length);
      if (batch >= 1) out.set_number(field_info(Field::train_global_batch), batch, name);
    }
  }
  const bool round = log.unit == LogUnit::round_seconds;
  if (!per_token && !round) {
    require(out, Field::train_global_batch, "the global batch of its steps", name);
  }
  if (log.unit == LogUnit::batch_seconds) {
    require(out, Field::train_micro_batch, "the size of the batches that its bar counts", name);
  }
  if (!out.has(Field::model_name) && !out.has(Field::model_params)) {
    throw Error(ErrorKind::usage, "the log does not say which model it trained",
                "set --model, or --params", std::string(name));
  }
  if (out.names(Field::hardware_accelerator).size() != 1) {
    throw Error(ErrorKind::usage, "a log is of one accelerator", "use one --accelerator",
                std::string(name));
  }
  return out;
}

}  // namespace

void read_measured_rows(const Catalog& catalog, std::string_view csv, std::string_view origin,
                        const Scenario& asked, Measurements& out) {
  refuse_fields(asked);
  std::vector<std::string> unknown;
  std::vector<ThroughputRow> rows = own_rows(catalog, csv, origin, typed_defaults(asked), unknown);
  for (const std::string& column : unknown) {
    out.warnings.push_back(
        fmt::format("the column \"{}\" is none of data/runs/throughput.csv and is not "
                    "read",
                    printable_line(column)));
  }
  const std::string base = calibrated_stack(asked, rows);
  if (out.base.empty()) out.base = base;
  for (ThroughputRow& row : rows) {
    // The calibration finds out how tuned the run was, so the row is predicted without its version.
    row.stack = out.base;
    row.version.clear();
    row.left_out.reset();
    try {
      out.steps.push_back(published_step(catalog, row));
    } catch (const Error& error) {
      throw Error(error.kind, fmt::format("{}: {}", row.id, error.message), error.hint,
                  error.location.empty() ? std::string(origin) : error.location);
    }
  }
}

void read_measured_log(const Catalog& catalog, std::istream& in, std::string_view origin,
                       const Scenario& asked, Measurements& out) {
  refuse_fields(asked);
  const LogSteps log = read_training_log(in, origin);
  const std::string name = std::filesystem::path(origin).filename().string();
  Scenario question = log_scenario(log, name, asked, out.warnings);
  if (!question.has(Field::efficiency_stack) && !out.base.empty()) {
    question.set_text(Field::efficiency_stack, out.base);
  }
  if (log.unit == LogUnit::round_seconds) {
    out.rounds.push_back(explain_round(catalog, log, name, question));
    note_log(log, name, out.warnings);
    return;
  }
  Notes silent(false);
  Scenario adapted;
  const std::string chip = question.names(Field::hardware_accelerator).front();
  if (usual_recipe(question, catalog, chip, silent, adapted)) question = adapted;
  const Task task = resolve_task(question, catalog, chip, silent);
  if (task.prepared->round) {
    throw Error(ErrorKind::usage, "a round with rollouts is more than training steps",
                "calibrate to a log of pre-training or fine-tuning", "--method");
  }
  if (!question.has(Field::data_seq_length)) {
    out.warnings.push_back(fmt::format(
        "{} does not say how long its sequences are: {} tokens are assumed. Set {}", name,
        grouped(task.work().seq_length, 0), field_info(Field::data_seq_length).flag));
  }
  const Execution execution = execute(task, *task.fixed.gpus);
  MeasuredStep step;
  step.name = name;
  step.model = task.work().model.name;
  step.workload = task.work().workload;
  step.platform = task.platform();
  step.request = request_for(task, execution.gpus);
  step.layout = execution.plan.layout;
  step.wait = execution.data_wait;
  const double share = step.layout.global_batch /
                       question.number_or(Field::train_global_batch, step.layout.global_batch);
  step.seconds = measured_seconds(log, step.layout, task.work().seq_length, share);
  note_log(log, name, out.warnings);
  if (out.base.empty()) out.base = std::string(question.text(Field::efficiency_stack));
  out.steps.push_back(std::move(step));
}

}  // namespace trcost::study
