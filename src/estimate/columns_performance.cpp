// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns.h"

namespace trcost {
namespace {

using namespace column_rows;
using enum NumberKind;
using enum Better;

// Nothing where the stages of a job have layouts of their own.
template <auto Member>
Number degree(E e) {
  if (!e.one_layout) return std::nullopt;
  return static_cast<double>(e.layout.*Member);
}

constexpr Column kLayout[] = {
    figure("layout.tp", "", integer, neither, degree<&Layout::tp>, "tensor parallel degree"),
    figure("layout.pp", "", integer, neither, degree<&Layout::pp>, "pipeline parallel degree"),
    figure("layout.vp", "", integer, neither, degree<&Layout::vp>, "pipeline stages per rank"),
    figure("layout.cp", "", integer, neither, degree<&Layout::cp>, "context parallel degree"),
    figure("layout.ep", "", integer, neither, degree<&Layout::ep>, "expert parallel degree"),
    figure(
        "layout.etp", "", integer, neither,
        [](E e) -> Number {
          if (!e.one_layout || e.layout.etp <= 0) return std::nullopt;
          return e.layout.etp;
        },
        "ranks that share one expert's matrices, where there are experts"),
    figure("layout.dp", "", integer, neither, degree<&Layout::dp>, "data parallel degree"),
    figure("layout.micro_batch", "sequences", NumberKind::number, neither,
           degree<&Layout::micro_batch>, "per device and forward pass"),
    figure("layout.global_batch", "sequences", NumberKind::number, neither,
           degree<&Layout::global_batch>, "per optimizer step"),
    text(
        "layout.sharding",
        [](E e) { return e.one_layout ? sharding_name(e.layout.sharding) : std::string_view(); },
        "what the data-parallel ranks share out"),
    text(
        "layout.recompute",
        [](E e) { return e.one_layout ? recompute_name(e.layout.recompute) : std::string_view(); },
        "activation recomputation"),
    figure(
        "layout.recompute_layers", "layers", integer, neither,
        [](E e) -> Number {
          if (!e.one_layout) return std::nullopt;
          return e.layout.recompute == Recompute::full ? layers_of_stage(e.layout, e.model.layers)
                                                       : e.layout.recompute_layers;
        },
        "of a stage, that are recomputed in full"),
    text(
        "layout.context_kind",
        [](E e) {
          return e.one_layout && e.layout.cp > 1 ? context_kind_name(e.layout.context_kind)
                                                 : std::string_view();
        },
        "how ranks that share a sequence exchange"),
    boolean("layout.sequence_parallel", degree<&Layout::sequence_parallel>,
            "norms and residuals split along the sequence"),
    figure(
        "layout.idle_gpus", "accelerators", integer, neither,
        [](E e) -> Number {
          if (!e.one_layout) return std::nullopt;
          return e.gpus - e.layout.gpus();
        },
        "that the layout leaves idle; they are paid for"),
};

constexpr Column kMemory[] = {
    figure(
        "memory.weights_bytes", "bytes", bytes, lower,
        [](E e) -> Number { return e.memory.weights; }, "weights on the fullest device"),
    figure(
        "memory.gradients_bytes", "bytes", bytes, lower,
        [](E e) -> Number { return e.memory.gradients; }, "gradients"),
    figure(
        "memory.optimizer_bytes", "bytes", bytes, lower,
        [](E e) -> Number { return e.memory.optimizer; }, "optimizer states, master weights"),
    figure(
        "memory.activations_bytes", "bytes", bytes, lower,
        [](E e) -> Number { return e.memory.activations; }, "activations kept for backward"),
    figure(
        "memory.logits_bytes", "bytes", bytes, lower, [](E e) -> Number { return e.memory.logits; },
        "logits and their gradient"),
    figure(
        "memory.overhead_bytes", "bytes", bytes, lower,
        [](E e) -> Number { return e.memory.overhead; }, "context, buffers, fragmentation"),
    figure(
        "memory.total_bytes", "bytes", bytes, lower, [](E e) -> Number { return e.memory.total; },
        "sum on the fullest device"),
    figure(
        "memory.capacity_bytes", "bytes", bytes, higher,
        [](E e) -> Number { return e.memory.capacity; },
        "of one device, as far as a plan may fill it"),
    boolean(
        "memory.fits", [](E e) -> Number { return e.memory.fits; },
        "whether the total is within the capacity"),
    boolean(
        "memory.tight", [](E e) -> Number { return e.memory.tight; },
        "whether it fits, but leaves less free than hardware.memory_margin"),
};

constexpr Column kPerformance[] = {
    figure(
        "performance.step_seconds", "s", duration, lower,
        [](E e) -> Number { return e.performance.step_seconds; }, "one step in steady state"),
    figure(
        "performance.tokens_per_second_per_gpu", "tokens/s", count, higher,
        [](E e) -> Number { return e.performance.tokens_per_second_per_gpu; },
        "language-model tokens in steady state"),
    figure(
        "performance.tflops_per_gpu", "TFLOP/s", NumberKind::number, higher,
        [](E e) -> Number { return e.performance.tflops_per_gpu; }, "model FLOPs"),
    figure(
        "performance.mfu", "", fraction, higher, [](E e) -> Number { return e.performance.mfu; },
        "model FLOPs against the dense peak of the precision used"),
    figure(
        "performance.hfu", "", fraction, higher, [](E e) -> Number { return e.performance.hfu; },
        "the same with recomputation"),
    figure(
        "performance.mfu_bf16", "", fraction, higher,
        [](E e) -> Number { return e.performance.mfu_bf16; }, "against the bf16 dense peak"),
    figure(
        "performance.interconnect_efficiency", "", fraction, higher,
        [](E e) -> Number { return e.performance.interconnect_efficiency; },
        "share of the step that is not exposed communication"),
    figure(
        "performance.goodput", "", fraction, higher,
        [](E e) -> Number { return e.performance.goodput; }, "share not lost to failures"),
    text(
        "performance.method", [](E e) -> std::string_view { return e.performance.method; },
        "which model answered and how good it is there"),
    figure(
        "performance.production_overhead", "", fraction, higher,
        [](E e) -> Number { return e.performance.production_overhead; },
        "share of the time that steps are what runs"),
    figure(
        "performance.batch_token_cost", "", fraction, lower,
        [](E e) -> Number { return e.performance.batch_token_cost; },
        "more tokens that this batch takes than the usual one for the same loss"),
    figure(
        "gpu_hours", "GPU-hours", count, lower, [](E e) -> Number { return e.gpu_hours; },
        "with failures and production overhead"),
    figure(
        "wall_clock_seconds", "s", duration, lower,
        [](E e) -> Number { return e.wall_clock_seconds; }, "from start to end"),
};

}  // namespace

void add_performance_columns(std::vector<Column>& out) {
  out.insert(out.end(), std::begin(kLayout), std::end(kLayout));
  out.insert(out.end(), std::begin(kMemory), std::end(kMemory));
  out.insert(out.end(), std::begin(kPerformance), std::end(kPerformance));
}

}  // namespace trcost
