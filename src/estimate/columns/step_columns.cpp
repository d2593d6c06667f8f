// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/step_columns.h"

#include <algorithm>
#include <optional>
#include <span>

namespace trcost::estimation {

namespace {

using namespace column;
using column::json;
using column::text;
using A = const StepAccount&;
using K = const KernelAccount&;
using X = const ExchangeAccount&;
using T = const TierAccount&;

constexpr auto with_unit(std::string_view path, std::string_view unit, auto get,
                         std::string_view help) {
  return number(path, unit, NumberKind::number, get, help);
}

// Of an attention's core; unknown of other kernels.
template <double AttentionTime::*Part>
constexpr auto core = [](K k) {
  return k.kind == KernelKind::attention ? std::optional(k.attention.*Part) : std::nullopt;
};

template <double AttentionTime::*SecondsPerFlop>
constexpr auto core_rate = [](K k) {
  return k.kind == KernelKind::attention ? std::optional(1 / k.attention.*SecondsPerFlop)
                                         : std::nullopt;
};

template <double ElementwiseTime::*Part>
constexpr auto fused = [](K k) {
  return k.kind == KernelKind::elementwise ? std::optional(k.elementwise.*Part) : std::nullopt;
};

const Columns<KernelAccount>& kernel_columns() {
  static const Columns<KernelAccount> table = {
      text(
          "module", [](K k) { return k.module; }, "of the model", Rank::key),
      text(
          "kind", [](K k) { return kernel_name(k.kind); }, "of work"),
      with_unit(
          "layers", "", [](K k) { return k.layers; }, "that it stands in"),
      with_unit(
          "m", "", [](K k) { return k.m; }, "rows of a matmul, of one rank and micro-batch"),
      with_unit(
          "n", "", [](K k) { return k.n; }, "columns"),
      with_unit(
          "k", "", [](K k) { return k.k; }, "summed over"),
      with_unit(
          "flops", "FLOP", [](K k) { return k.flops; }, "forward"),
      with_unit(
          "bytes", "bytes", [](K k) { return k.bytes; }, "of memory, forward"),
      with_unit(
          "forward_seconds", "s", [](K k) { return k.forward; }, "of one layer"),
      with_unit(
          "input_gradients_seconds", "s", [](K k) { return k.input_gradients; }, "likewise"),
      with_unit(
          "weight_gradients_seconds", "s", [](K k) { return k.weight_gradients; }, "likewise"),
      with_unit("attention.flops_per_second", "FLOP/s", core_rate<&AttentionTime::seconds_per_flop>,
                "of a long core of head dimension 128, forward"),
      with_unit("attention.backward_flops_per_second", "FLOP/s",
                core_rate<&AttentionTime::backward_seconds_per_flop>, "backward"),
      with_unit("attention.of_head", "", core<&AttentionTime::head_factor>,
                "how much longer at its head dimension"),
      with_unit("attention.of_length", "", core<&AttentionTime::length_factor>,
                "how much longer at its length"),
      with_unit("attention.backward_flops", "FLOP", core<&AttentionTime::backward_flops>,
                "of the backward pass"),
      with_unit("attention.backward_bytes", "bytes", core<&AttentionTime::backward_bytes>,
                "of memory, backward"),
      with_unit("attention.starts", "", core<&AttentionTime::starts>, "of matmuls, forward"),
      with_unit("attention.backward_starts", "", core<&AttentionTime::backward_starts>, "backward"),
      with_unit("elementwise.bytes", "bytes", fused<&ElementwiseTime::bytes>,
                "at the element-wise rate, forward"),
      with_unit("elementwise.plain_bytes", "bytes", fused<&ElementwiseTime::plain_bytes>,
                "at the memory's rate, forward"),
      with_unit("elementwise.kernels", "", fused<&ElementwiseTime::kernels>, "with a gap each"),
      with_unit("elementwise.backward", "", fused<&ElementwiseTime::backward_factor>,
                "seconds over those forward, where gradients pass"),
      with_unit(
          "flops_per_second", "FLOP/s",
          [](K k) { return k.rate > 0 ? std::optional(k.rate) : std::nullopt; },
          "of matmuls and adapters"),
      with_unit(
          "gradient_bytes", "bytes",
          [](K k) { return k.m > 0 ? std::optional(k.gradient_bytes) : std::nullopt; },
          "of memory, for the gradient of the weights")};
  return table;
}

using C = const CollectiveAccount&;

template <std::size_t Tier>
constexpr auto sent = [](C c) { return c.tier_bytes[Tier]; };
// Unknown where the tier joins none.
template <std::size_t Tier>
constexpr auto joined_ranks =
    [](C c) { return c.tier_ranks[Tier] > 0 ? std::optional(c.tier_ranks[Tier]) : std::nullopt; };

const Columns<CollectiveAccount>& collective_columns() {
  static const Columns<CollectiveAccount> table = {
      text(
          "kind", [](C c) { return collective_name(c.kind); },
          "gather (or scatter), all-reduce, all-to-all or transfer", Rank::key),
      with_unit(
          "times", "", [](C c) { return c.times; }, "of them in one exchange"),
      with_unit(
          "passes", "", [](C c) { return c.passes; }, "of an all-reduce, in units of a gather"),
      with_unit(
          "members", "", [](C c) { return c.ranks; }, "ranks"),
      with_unit(
          "bytes", "bytes", [](C c) { return c.bytes; }, "whole"),
      with_unit("tier_bytes.innermost", "bytes", sent<0>,
                "a rank sends over the innermost tier, in a gather's pass"),
      with_unit("tier_bytes.second", "bytes", sent<1>, "over the next one"),
      with_unit("tier_bytes.third", "bytes", sent<2>, "likewise"),
      with_unit("tier_bytes.fourth", "bytes", sent<3>, "likewise"),
      with_unit("tier_members.innermost", "", joined_ranks<0>,
                "groups that the innermost tier joins"),
      with_unit("tier_members.second", "", joined_ranks<1>, "that the next one joins"),
      with_unit("tier_members.third", "", joined_ranks<2>, "likewise"),
      with_unit("tier_members.fourth", "", joined_ranks<3>, "likewise"),
      with_unit(
          "inner_steps", "", [](C c) { return c.inner_steps; },
          "within the domains, of a ring through all ranks"),
      with_unit(
          "seconds", "s", [](C c) { return c.seconds; }, "of one")};
  return table;
}

std::span<const CollectiveAccount> collectives_of(X x) {
  return std::span(x.collectives).first(x.collective_count);
}

template <std::size_t Tier>
constexpr auto over = [](X x) { return x.tier_bytes[Tier]; };

const Columns<ExchangeAccount>& exchange_columns() {
  static const Columns<ExchangeAccount> table = {
      text(
          "name", [](X x) { return x.name; }, "what travels", Rank::key),
      text(
          "per", [](X x) { return x.per; }, "of what the seconds are"),
      text(
          "behind", [](X x) { return x.behind; }, "what hides it"),
      with_unit(
          "times", "", [](X x) { return x.times; }, "collectives"),
      with_unit(
          "bytes", "bytes", [](X x) { return x.bytes; }, "of one, whole"),
      with_unit(
          "members", "", [](X x) { return x.members; }, "ranks"),
      with_unit("tier_bytes.innermost", "bytes", over<0>, "a rank sends over the innermost tier"),
      with_unit("tier_bytes.second", "bytes", over<1>, "over the next one"),
      with_unit("tier_bytes.third", "bytes", over<2>, "likewise"),
      with_unit("tier_bytes.fourth", "bytes", over<3>, "likewise"),
      list<collective_columns>(
          "collectives", [](X x) { return collectives_of(x); },
          "of one: their times x seconds are its seconds"),
      with_unit(
          "each_seconds", "s", [](X x) { return x.each; }, "of one"),
      with_unit(
          "window_seconds", "s", [](X x) { return x.window; }, "of work that could hide them"),
      with_unit(
          "hidden_seconds", "s", [](X x) { return x.hidden; }, "that it does"),
      with_unit(
          "crowding_seconds", "s", [](X x) { return x.crowding; }, "that hiding costs the work"),
      with_unit(
          "exposed_seconds", "s", [](X x) { return x.exposed; },
          "times x each - hidden + crowding"),
      with_unit(
          "hideable_share", "", [](X x) { return x.hideable; },
          "of times x each: the hidden seconds are no more than that"),
      with_unit(
          "window_share", "", [](X x) { return x.window_share; }, "of the work that can hide them"),
      with_unit(
          "window_passes", "", [](X x) { return x.passes; }, "of micro-batches, that can"),
      with_unit(
          "crowding_share", "", [](X x) { return x.crowding_share; },
          "of the hidden seconds, or of a ring's attention")};
  return table;
}

const Columns<TierAccount>& tier_columns() {
  static const Columns<TierAccount> table = {
      text(
          "name", [](T t) -> auto& { return t.name; }, "of the network", Rank::key),
      with_unit(
          "accelerators", "", [](T t) { return t.size > 0 ? std::optional(t.size) : std::nullopt; },
          "within one domain; unknown for the last, which spans all"),
      with_unit(
          "bytes_per_second", "bytes/s", [](T t) { return t.bytes_per_second; },
          "per accelerator and direction, as specified"),
      with_unit(
          "efficiency", "", [](T t) { return t.efficiency; }, "share of it that exchanges reach"),
      with_unit(
          "latency_seconds", "s", [](T t) { return t.latency_seconds; }, "of a step")};
  return table;
}

constexpr Column<StepAccount> kRates[] = {
    with_unit(
        "peak_flops", "FLOP/s", [](A a) { return a.peak_flops; }, "dense, of the format in use"),
    with_unit(
        "matmul_flops", "FLOP/s", [](A a) { return a.matmul_flops; }, "of a large matmul"),
    with_unit(
        "attention_flops", "FLOP/s", [](A a) { return a.attention_flops; },
        "of a long core, forward"),
    with_unit(
        "memory_bytes_per_second", "bytes/s", [](A a) { return a.memory_bytes; }, "as specified"),
    with_unit(
        "memory_rate", "bytes/s", [](A a) { return a.memory_rate; }, "that streaming reaches"),
    with_unit(
        "elementwise_rate", "bytes/s", [](A a) { return a.elementwise_rate; },
        "of fused traffic, with what the software moves beside it"),
    with_unit(
        "ramp_seconds", "s", [](A a) { return a.ramp_seconds; }, "of a matmul"),
    with_unit(
        "gap_seconds", "s", [](A a) { return a.gap_seconds; }, "between kernels"),
    with_unit(
        "link_half_bytes", "bytes", [](A a) { return a.half_bytes; },
        "payload at half of the innermost tier's rate"),
    with_unit(
        "ring_step_share", "", [](A) { return kRingShare; },
        "of a tier's latency, for each step of a ring"),
    with_unit(
        "shorter_tiers_share", "", [](A) { return kShorterTiers; },
        "of the shorter tiers' seconds, which run beside the longest"),
    with_unit(
        "inner_step_share", "", [](A) { return kLineShare; },
        "of the innermost tier's latency, for each step within domains")};

const Column<StepAccount> kParts[] = {
    list<tier_columns>(
        "tiers", [](A a) -> auto& { return a.tiers; }, "of the network"),
    list<kernel_columns>(
        "kernels", [](A a) -> auto& { return a.kernels; }, "of a micro-batch"),
    list<exchange_columns>(
        "exchanges", [](A a) -> auto& { return a.exchanges; }, "between ranks")};

constexpr Column<StepAccount> kSums[] = {
    with_unit(
        "repeated_seconds", "s", [](A a) { return a.step.work.repeated(); },
        "forward work done again"),
    with_unit(
        "waiting_seconds", "s", [](A a) { return a.step.work.waiting(); }, "for the host"),
    with_unit(
        "host_forward_seconds", "s", [](A a) { return a.step.work.host_forward.total(); },
        "of the host, to issue the forward pass of a micro-batch"),
    with_unit(
        "host_backward_seconds", "s", [](A a) { return a.step.work.host_backward.total(); },
        "backward, with what is done again"),
    with_unit(
        "connector_seconds", "s", [](A a) { return a.step.work.connector; }, "projector"),
    with_unit(
        "micro_batches", "", [](A a) { return a.micro_batches; }, "of a replica and step"),
    with_unit(
        "stages", "", [](A a) { return a.stages; }, "of the pipeline"),
    with_unit(
        "virtual_stages", "", [](A a) { return a.virtual_stages; }, "of a rank"),
    with_unit(
        "mean_stage_seconds", "s", [](A a) { return a.step.stages.mean; }, "of a micro-batch"),
    with_unit(
        "slowest_stage_seconds", "s", [](A a) { return a.step.stages.slowest; }, "likewise"),
    with_unit(
        "stage_imbalance", "", [](A a) { return a.stage_imbalance; },
        "share of the surplus that shows"),
    with_unit(
        "bubble_stages", "", [](A a) { return a.bubble_stages; }, "(stages - 1) / virtual stages"),
    with_unit(
        "transfer_seconds", "s", [](A a) { return a.step.transfer.seconds(); },
        "between stages, a micro-batch"),
    with_unit(
        "transfers", "", [](A a) { return a.step.transfer.times; }, "in that, of one's seconds"),
    with_unit(
        "transfer_bytes", "bytes", [](A a) { return a.stage_transfer.bytes; }, "of one"),
    with_unit(
        "transfer_tier", "",
        [](A a) -> std::optional<double> {
          const auto& tiers = a.stage_transfer.tier_bytes;
          const auto at = std::ranges::find_if(tiers, [](double bytes) { return bytes > 0; });
          if (at == tiers.end()) return std::nullopt;
          return static_cast<double>(at - tiers.begin());
        },
        "over which it goes, 0 for the innermost"),
    with_unit(
        "transfer_shown", "", [](A a) { return a.step.transfer.exposed; },
        "share of them that nothing hides"),
    with_unit(
        "update_parameters", "", [](A a) { return a.update_parameters; }, "of a rank"),
    with_unit(
        "update_bytes", "bytes", [](A a) { return a.update_bytes; }, "of memory"),
    with_unit(
        "fixed_seconds", "s", [](A a) { return a.step_seconds; }, "of a step"),
    with_unit(
        "imbalance", "", [](A a) { return a.step.imbalance; },
        "share of all that stragglers add: (1 + straggler x log2 hosts) x uneven - 1"),
    with_unit(
        "straggler", "", [](A a) { return a.straggler; }, "of each doubling of hosts"),
    with_unit(
        "hosts", "", [](A a) { return a.step.hosts; }, "of eight accelerators"),
    with_unit(
        "uneven", "", [](A a) { return a.uneven; }, "the slowest rank's work over the mean"),
    with_unit(
        "slowdown", "", [](A a) { return a.slowdown; }, "of software that nobody tuned"),
    with_unit(
        "padding_efficiency", "", [](A a) { return a.padding_efficiency; },
        "of sequences filled up"),
    with_unit(
        "activation_bytes", "bytes", [](A a) { return a.activation_bytes; },
        "on the fullest stage: in flight x kept + transient - on the host"),
    with_unit(
        "activations.in_flight", "", [](A a) { return a.activations.in_flight; }, "micro-batches"),
    with_unit(
        "activations.kept_bytes", "bytes", [](A a) { return a.activations.kept; },
        "of a micro-batch on the stage's layers (model.md 4.3)"),
    with_unit(
        "activations.transient_bytes", "bytes", [](A a) { return a.activations.transient; },
        "further ones of the layer at work"),
    with_unit(
        "activations.host_bytes", "bytes", [](A a) { return a.activations.on_host; },
        "that the host keeps instead"),
    with_unit(
        "activations.repeated", "", [](A a) { return a.activations.repeated; },
        "share of the layers that keep what full recomputation does"),
    with_unit(
        "activations.repeated_kept_bytes", "bytes", [](A a) { return a.activations.repeated_kept; },
        "of a micro-batch, were it all layers"),
    with_unit(
        "activations.repeated_transient_bytes", "bytes",
        [](A a) { return a.activations.repeated_transient; }, "likewise"),
    with_unit(
        "seconds", "s", [](A a) { return a.step.time.seconds; },
        "of a step, before waiting for data")};

}  // namespace

const Columns<StepAccount>& step_columns() {
  static const Columns<StepAccount> table = [] {
    Columns<StepAccount> t;
    t.add(kRates);
    t.add(kParts);
    t.add(kSums);
    return t;
  }();
  return table;
}

}  // namespace trcost::estimation
