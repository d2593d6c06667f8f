// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/columns.h"
#include "workload/method.h"

namespace trcost::estimation {

namespace {

using namespace column_rows;

// Errors are known where there are rows to have them on.
template <double MethodQuality::*Member>
constexpr auto error_of = [](E e) -> Number {
  const std::optional<MethodQuality>& quality = e.performance.quality;
  return quality && quality->rows > 0 ? Number((*quality).*Member) : std::nullopt;
};

template <std::string_view MethodQuality::*Member>
constexpr auto quality_words = [](E e) {
  return e.performance.quality ? (*e.performance.quality).*Member : std::string_view();
};

constexpr EstimateColumn kPerformance[] = {
    figure(
        "performance.step_seconds", "s", NumberKind::duration, Better::lower,
        [](E e) -> Number { return e.performance.step_seconds; }, "one step in steady state",
        Rank::main),
    shown({.line = {beside::kSpeed + 2, "tokens/s per GPU"}, .rank = Rank::main},
          figure(
              "performance.tokens_per_second_per_gpu", "tokens/s", NumberKind::count,
              Better::higher, [](E e) -> Number { return e.performance.tokens_per_second_per_gpu; },
              "language-model tokens in steady state", Rank::main)),
    figure(
        "performance.tflops_per_gpu", "TFLOP/s", NumberKind::number, Better::higher,
        [](E e) -> Number { return e.performance.tflops_per_gpu; }, "model FLOPs"),
    as(ColumnRole::mfu,
       shown({.line = {beside::kSpeed + 1}, .brief = {beside::kMayGo + 2}},
             figure(
                 "performance.mfu", "", NumberKind::fraction, Better::higher,
                 [](E e) -> Number { return e.performance.mfu; },
                 "model FLOPs against the dense peak of the precision used", Rank::first, "MFU"))),
    figure(
        "performance.hfu", "", NumberKind::fraction, Better::higher,
        [](E e) -> Number { return e.performance.hfu; }, "the same with recomputation"),
    figure(
        "performance.mfu_bf16", "", NumberKind::fraction, Better::higher,
        [](E e) -> Number { return e.performance.mfu_bf16; },
        "against the bf16 dense peak; none where the chip has none"),
    figure(
        "performance.interconnect_efficiency", "", NumberKind::fraction, Better::higher,
        [](E e) -> Number { return e.performance.interconnect_efficiency; },
        "share of the step that is not exposed communication; none of a given MFU or of a round of "
        "several kinds of work"),
    figure(
        "performance.goodput", "", NumberKind::fraction, Better::higher,
        [](E e) -> Number { return e.performance.goodput; }, "share not lost to failures",
        Rank::main),
    text(
        "performance.method", [](E e) -> std::string_view { return e.performance.method; },
        "which model answered and how good it is there"),
    figure(
        "performance.production_overhead", "", NumberKind::fraction, Better::higher,
        [](E e) -> Number { return e.performance.production_overhead; },
        "share of the time that steps are what runs"),
    figure(
        "performance.batch_token_cost", "", NumberKind::fraction, Better::lower,
        [](E e) -> Number { return e.performance.batch_token_cost; },
        "more tokens that this batch takes than the usual one for the same loss"),
    text("performance.quality.method", quality_words<&MethodQuality::name>,
         "kind of model that answered"),
    figure("performance.quality.sigma", "", NumberKind::number, Better::lower,
           error_of<&MethodQuality::sigma>,
           "standard deviation of ln(predicted / measured) on published rows"),
    figure("performance.quality.median_error", "", NumberKind::fraction, Better::lower,
           error_of<&MethodQuality::median_error>, "median of |predicted / measured - 1| there"),
    figure(
        "performance.quality.rows", "", NumberKind::integer, Better::higher,
        [](E e) -> Number {
          const std::optional<MethodQuality>& quality = e.performance.quality;
          return quality ? Number(quality->rows) : std::nullopt;
        },
        "published rows behind it"),
    text("performance.quality.family", quality_words<&MethodQuality::family>,
         "which rows these are"),
    as(ColumnRole::gpu_hours,
       shown({.line = {beside::kSpeed + 3}, .brief = {beside::kMayGo + 1}},
             figure(
                 "gpu_hours", "GPU-hours", NumberKind::count, Better::lower,
                 [](E e) -> Number { return e.gpu_hours; }, "with failures and production overhead",
                 Rank::first, "GPU-hours"))),
    as(ColumnRole::wall_clock,
       shown({.line = {beside::kSpeed + 4, "wall-clock"}, .brief = {3, "wall-clock"}},
             figure(
                 "wall_clock_seconds", "s", NumberKind::duration, Better::lower,
                 [](E e) -> Number { return e.wall_clock_seconds; }, "from start to end",
                 Rank::first, "wall clock"))),
};

// Accelerators that the layout is of: in a round some may generate beside them.
double learners(E e) {
  double gpus = e.gpus;
  for (const PhaseResult& phase : e.phases) {
    if (phase.work == Work::generate && phase.gpus < e.gpus) gpus -= phase.gpus;
  }
  return gpus;
}

}  // namespace

void add_performance_columns(Columns<Estimate>& out) {
  out.lift<[](E e) {
    return e.one_layout
               ? std::optional<PlacedLayout>({&e.layout, learners(e), e.model.dealt_layers})
               : std::nullopt;
  },
           layout_columns>("layout");
  out.lift<[](E e) { return &e.memory; }, memory_use_columns>("memory");
  out.add(kPerformance);
}

}  // namespace trcost::estimation
