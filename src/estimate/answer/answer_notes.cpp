// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer/answer_notes.h"

#include <fmt/format.h>

#include <cmath>

namespace trcost::estimation {
namespace {

void warn_about_memory(const Estimate& out, double margin, Notes& notes) {
  if (out.memory.tight) {
    notes.warn(fmt::format(
        "{} is tight: {} of the {} that a plan may fill per {}, with less than {} left for "
        "fragmentation (--memory-margin)",
        out.model.name, format_number(out.memory.total, NumberKind::bytes),
        format_number(out.memory.capacity, NumberKind::bytes), out.accelerator_title,
        format_number(margin, NumberKind::fraction)));
  }
  if (out.memory.fits) return;
  notes.warn(fmt::format("{} needs {} per device but {} plans with {}: over by {}", out.model.name,
                         format_number(out.memory.total, NumberKind::bytes), out.accelerator_title,
                         format_number(out.memory.capacity, NumberKind::bytes),
                         format_number(out.memory.total - out.memory.capacity, NumberKind::bytes)));
}

void warn_about_steps(const ResolvedWork& work, const Estimate& out, Notes& notes) {
  const double step = tokens_per_step(work, out.layout);
  if (out.tokens.total >= step) return;
  notes.warn(fmt::format(
      "{} tokens are less than one optimizer step of {} sequences of {}: one whole step is counted",
      format_number(out.tokens.total, NumberKind::count), format_exact(out.layout.global_batch),
      format_exact(work.seq_length)));
}

void warn_about_mfu(const Task& task, const Estimate& out, Notes& notes) {
  const Efficiency& chip = *task.platform().efficiency;
  const double matmuls = chip.matmul[static_cast<std::size_t>(out.precision)];
  if (!chip.measured || task.fixed.mfu.value_or(0) <= matmuls) return;
  notes.warn(fmt::format(
      "{} of the peak is more than the {:.0f} % that large matmuls alone reach in training on {}: "
      "no measured run reaches it",
      format_number(*task.fixed.mfu, NumberKind::fraction), 100 * matmuls, out.accelerator_title));
}

// A given MFU and a layout that recomputes may ask for more than the chip has.
void warn_about_peak(const Estimate& out, Notes& notes) {
  if (out.performance.hfu <= 1) return;
  notes.warn(
      fmt::format("with recomputation {} would work at {:.1f} % of the peak of {}: the MFU "
                  "that was given cannot be reached with recompute {}",
                  out.accelerator_title, 100 * out.performance.hfu, precision_name(out.precision),
                  recompute_name(out.layout.recompute)));
}

void warn_about_context(const PlanRequest& asked, const Estimate& out, Notes& notes) {
  if (!asked.context_kind || out.layout.cp > 1) return;
  notes.warn(unused_text(field_info(Field::layout_context_kind)));
}

}  // namespace

void warn_about_plan(const Task& task, const Estimate& out, Notes& notes) {
  warn_about_memory(out, task.fixed.layout.memory_margin, notes);
  warn_about_steps(task.work(), out, notes);
  warn_about_context(task.fixed.layout, out, notes);
  warn_about_mfu(task, out, notes);
  warn_about_peak(out, notes);
}

// Compared by sequence: the two may take other batches.
std::string runner_up_text(const Plan& plan) {
  if (!plan.runner_up) return {};
  const Layout& layout = *plan.runner_up;
  const double ratio =
      plan.runner_up_seconds / layout.global_batch / (plan.time.seconds / plan.layout.global_batch);
  const std::string batch =
      layout.global_batch == plan.layout.global_batch
          ? std::string()
          : fmt::format(", global batch {}", format_exact(layout.global_batch));
  constexpr double kShown = 0.0005;  // less rounds to 0.0 %
  const std::string difference =
      std::abs(ratio - 1) < kShown
          ? "as fast"
          : fmt::format("{:.1f} % {}", 100 * std::abs(ratio - 1),
                        ratio < 1 ? "faster, with a batch farther from the usual" : "slower");
  return fmt::format("{}, micro-batch {}{}, sharding {}, recompute {}: {}", degree_words(layout),
                     format_exact(layout.micro_batch), batch, sharding_name(layout.sharding),
                     recompute_words(layout), difference);
}

void trace_choices(const Execution& execution, const PriceQuote& price, const Estimate& out,
                   const std::function<void(std::string_view)>& trace) {
  const Plan& plan = execution.plan;
  if (execution.mfu_given) {
    trace(fmt::format("{}: the MFU is given, no layout was searched for speed", out.accelerator));
  }
  trace(fmt::format(
      "{}: {} kinds of layout of {} GPUs ranked, {} steps computed; taken: {}, {} a step",
      out.accelerator, format_exact(plan.considered), format_exact(execution.gpus),
      format_exact(plan.evaluated), degree_words(plan.layout),
      format_number(execution.step_seconds, NumberKind::duration)));
  if (price.usd) {
    trace(fmt::format("{}: {} USD per GPU-hour{}: {}", out.accelerator, format_exact(*price.usd),
                      price.imputed ? ", imputed" : "", price.source));
  }
}

}  // namespace trcost::estimation
