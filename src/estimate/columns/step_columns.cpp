// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/step_columns.h"

#include <algorithm>
#include <optional>
#include <span>

namespace trcost::estimation {
namespace {

using namespace column;

// Numbers in plain units, which --explain computes again to the last digit.
constexpr auto with_unit(std::string_view path, std::string_view unit, auto get,
                         std::string_view help) {
  return number(path, unit, NumberKind::number, get, help);
}

// A number that is unknown if it is 0.
std::optional<double> if_any(double number) {
  return number > 0 ? std::optional(number) : std::nullopt;
}

// A figure of an attention kernel, unknown for other kernels.
template <double AttentionTime::*Part>
constexpr auto attention = [](const KernelAccount& k) {
  return k.kind == KernelKind::attention ? std::optional(k.attention.*Part) : std::nullopt;
};

// FLOP per second of an attention kernel, unknown for other kernels.
template <double AttentionTime::*SecondsPerFlop>
constexpr auto attention_rate = [](const KernelAccount& k) {
  return k.kind == KernelKind::attention ? std::optional(1 / k.attention.*SecondsPerFlop)
                                         : std::nullopt;
};

// A figure of an element-wise kernel, unknown for other kernels.
template <double ElementwiseTime::*Part>
constexpr auto elementwise = [](const KernelAccount& k) {
  return k.kind == KernelKind::elementwise ? std::optional(k.elementwise.*Part) : std::nullopt;
};

const Columns<KernelAccount>& kernel_columns() {
  using A = KernelAccount;
  static const Columns<KernelAccount> table = {
      string("module", member<&A::module>, "of the model", Rank::key),
      string("kind", member<&A::kind, kernel_name>, "of work"),
      plain("layers", member<&A::layers>, "that it stands in"),
      plain("m", member<&A::m>, "rows of a matmul, of one rank and micro-batch"),
      plain("n", member<&A::n>, "columns"),
      plain("k", member<&A::k>, "summed over"),
      flop("flops", member<&A::flops>, "forward"),
      with_unit("bytes", "bytes", member<&A::bytes>, "of memory, forward"),
      with_unit("forward_seconds", "s", member<&A::forward>, "of one layer"),
      with_unit("input_gradients_seconds", "s", member<&A::input_gradients>, "likewise"),
      with_unit("weight_gradients_seconds", "s", member<&A::weight_gradients>, "likewise"),
      with_unit("attention.flops_per_second", "FLOP/s",
                attention_rate<&AttentionTime::seconds_per_flop>,
                "of a long core of head dimension 128, forward"),
      with_unit("attention.backward_flops_per_second", "FLOP/s",
                attention_rate<&AttentionTime::backward_seconds_per_flop>, "backward"),
      plain("attention.of_head", attention<&AttentionTime::head_factor>,
            "how much longer at its head dimension"),
      plain("attention.of_length", attention<&AttentionTime::length_factor>,
            "how much longer at its length"),
      flop("attention.backward_flops", attention<&AttentionTime::backward_flops>,
           "of the backward pass"),
      with_unit("attention.backward_bytes", "bytes", attention<&AttentionTime::backward_bytes>,
                "of memory, backward"),
      plain("attention.starts", attention<&AttentionTime::starts>, "of matmuls, forward"),
      plain("attention.backward_starts", attention<&AttentionTime::backward_starts>, "backward"),
      with_unit("elementwise.bytes", "bytes", elementwise<&ElementwiseTime::bytes>,
                "at the element-wise rate, forward"),
      with_unit("elementwise.plain_bytes", "bytes", elementwise<&ElementwiseTime::plain_bytes>,
                "at the memory's rate, forward"),
      plain("elementwise.kernels", elementwise<&ElementwiseTime::kernels>, "with a gap each"),
      plain("elementwise.backward", elementwise<&ElementwiseTime::backward_factor>,
            "seconds over those forward, where gradients pass"),
      with_unit("flops_per_second", "FLOP/s", member<&A::rate, if_any>, "of matmuls and adapters"),
      with_unit(
          "gradient_bytes", "bytes",
          [](const A& k) { return k.m > 0 ? std::optional(k.gradient_bytes) : std::nullopt; },
          "of memory, for the gradient of the weights")};
  return table;
}

const Columns<CollectiveAccount>& collective_columns() {
  using A = CollectiveAccount;
  static const Columns<CollectiveAccount> table = {
      string("kind", member<&A::kind, collective_name>,
             "gather (or scatter), all-reduce, all-to-all or transfer", Rank::key),
      plain("times", member<&A::times>, "of them in one exchange"),
      plain("passes", member<&A::passes>, "of an all-reduce, in units of a gather"),
      plain("members", member<&A::ranks>, "ranks"),
      with_unit("bytes", "bytes", member<&A::bytes>, "whole"),
      with_unit("tier_bytes.innermost", "bytes", member<&A::tier_bytes, at<0>>,
                "a rank sends over the innermost tier, in a gather's pass"),
      with_unit("tier_bytes.second", "bytes", member<&A::tier_bytes, at<1>>, "over the next one"),
      with_unit("tier_bytes.third", "bytes", member<&A::tier_bytes, at<2>>, "likewise"),
      with_unit("tier_bytes.fourth", "bytes", member<&A::tier_bytes, at<3>>, "likewise"),
      plain("tier_members.innermost", member<&A::tier_ranks, at<0>, if_any>,
            "groups that the innermost tier joins"),
      plain("tier_members.second", member<&A::tier_ranks, at<1>, if_any>,
            "that the next one joins"),
      plain("tier_members.third", member<&A::tier_ranks, at<2>, if_any>, "likewise"),
      plain("tier_members.fourth", member<&A::tier_ranks, at<3>, if_any>, "likewise"),
      plain("inner_steps", member<&A::inner_steps>,
            "within the domains, of a ring through all ranks"),
      with_unit("seconds", "s", member<&A::seconds>, "of one")};
  return table;
}

std::span<const CollectiveAccount> collectives_of(const ExchangeAccount& x) {
  return std::span(x.collectives).first(x.collective_count);
}

const Columns<ExchangeAccount>& exchange_columns() {
  using A = ExchangeAccount;
  static const Columns<ExchangeAccount> table = {
      string("name", member<&A::name>, "what travels", Rank::key),
      string("per", member<&A::per>, "of what the seconds are"),
      string("behind", member<&A::behind>, "what hides it"),
      plain("times", member<&A::times>, "collectives"),
      with_unit("bytes", "bytes", member<&A::bytes>, "of one, whole"),
      plain("members", member<&A::members>, "ranks"),
      with_unit("tier_bytes.innermost", "bytes", member<&A::tier_bytes, at<0>>,
                "a rank sends over the innermost tier"),
      with_unit("tier_bytes.second", "bytes", member<&A::tier_bytes, at<1>>, "over the next one"),
      with_unit("tier_bytes.third", "bytes", member<&A::tier_bytes, at<2>>, "likewise"),
      with_unit("tier_bytes.fourth", "bytes", member<&A::tier_bytes, at<3>>, "likewise"),
      list<collective_columns>("collectives", member<collectives_of>,
                               "of one: their times x seconds are its seconds"),
      with_unit("each_seconds", "s", member<&A::each>, "of one"),
      with_unit("window_seconds", "s", member<&A::window>, "of work that could hide them"),
      with_unit("hidden_seconds", "s", member<&A::hidden>, "that it does"),
      with_unit("crowding_seconds", "s", member<&A::crowding>, "that hiding costs the work"),
      with_unit("exposed_seconds", "s", member<&A::exposed>, "times x each - hidden + crowding"),
      plain("hideable_share", member<&A::hideable>,
            "of times x each: the hidden seconds are no more than that"),
      plain("window_share", member<&A::window_share>, "of the work that can hide them"),
      plain("window_passes", member<&A::passes>, "of micro-batches, that can"),
      plain("crowding_share", member<&A::crowding_share>,
            "of the hidden seconds, or of a ring's attention")};
  return table;
}

const Columns<TierAccount>& tier_columns() {
  using A = TierAccount;
  static const Columns<TierAccount> table = {
      string("name", member<&A::name>, "of the network", Rank::key),
      plain("accelerators", member<&A::size, if_any>,
            "within one domain; unknown for the last, which spans all"),
      with_unit("bytes_per_second", "bytes/s", member<&A::bytes_per_second>,
                "per accelerator and direction, as specified"),
      plain("efficiency", member<&A::efficiency>, "share of it that exchanges reach"),
      with_unit("latency_seconds", "s", member<&A::latency_seconds>, "of a step")};
  return table;
}

// The tier that carries a transfer between stages, 0 for the innermost.
std::optional<double> transfer_tier(const CollectiveAccount& transfer) {
  const auto& tiers = transfer.tier_bytes;
  const auto tier = std::ranges::find_if(tiers, [](double bytes) { return bytes > 0; });
  if (tier == tiers.end()) return std::nullopt;
  return static_cast<double>(tier - tiers.begin());
}

}  // namespace

const Columns<StepAccount>& step_columns() {
  using A = StepAccount;
  using K = ActivationAccount;
  using S = StepParts;
  using W = MicroBatch;
  using G = StageTimes;
  using T = StageTransfer;
  static const Columns<StepAccount> table = {
      with_unit("peak_flops", "FLOP/s", member<&A::peak_flops>, "dense, of the format in use"),
      with_unit("matmul_flops", "FLOP/s", member<&A::matmul_flops>, "of a large matmul"),
      with_unit("attention_flops", "FLOP/s", member<&A::attention_flops>,
                "of a long core, forward"),
      with_unit("memory_bytes_per_second", "bytes/s", member<&A::memory_bytes>, "as specified"),
      with_unit("memory_rate", "bytes/s", member<&A::memory_rate>, "that streaming reaches"),
      with_unit("elementwise_rate", "bytes/s", member<&A::elementwise_rate>,
                "of fused traffic, with what the software moves beside it"),
      with_unit("ramp_seconds", "s", member<&A::ramp_seconds>, "of a matmul"),
      with_unit("gap_seconds", "s", member<&A::gap_seconds>, "between kernels"),
      with_unit("link_half_bytes", "bytes", member<&A::half_bytes>,
                "payload at half of the innermost tier's rate"),
      plain(
          "ring_step_share", [](const A&) { return kRingShare; },
          "of a tier's latency, for each step of a ring"),
      plain(
          "shorter_tiers_share", [](const A&) { return kShorterTiers; },
          "of the shorter tiers' seconds, which run beside the longest"),
      plain(
          "inner_step_share", [](const A&) { return kLineShare; },
          "of the innermost tier's latency, for each step within domains"),
      list<tier_columns>("tiers", member<&A::tiers>, "of the network"),
      list<kernel_columns>("kernels", member<&A::kernels>, "of a micro-batch"),
      list<exchange_columns>("exchanges", member<&A::exchanges>, "between ranks"),
      with_unit("repeated_seconds", "s", member<&A::step, &S::work, &W::repeated>,
                "forward work done again"),
      with_unit("waiting_seconds", "s", member<&A::step, &S::work, &W::waiting>, "for the host"),
      with_unit("host_forward_seconds", "s",
                member<&A::step, &S::work, &W::host_forward, &HostTime::total>,
                "of the host, to issue the forward pass of a micro-batch"),
      with_unit("host_backward_seconds", "s",
                member<&A::step, &S::work, &W::host_backward, &HostTime::total>,
                "backward, with what is done again"),
      with_unit("connector_seconds", "s", member<&A::step, &S::work, &W::connector>, "projector"),
      plain("micro_batches", member<&A::micro_batches>, "of a replica and step"),
      plain("stages", member<&A::stages>, "of the pipeline"),
      plain("virtual_stages", member<&A::virtual_stages>, "of a rank"),
      with_unit("mean_stage_seconds", "s", member<&A::step, &S::stages, &G::mean>,
                "of a micro-batch"),
      with_unit("slowest_stage_seconds", "s", member<&A::step, &S::stages, &G::slowest>,
                "likewise"),
      plain("stage_imbalance", member<&A::stage_imbalance>, "share of the surplus that shows"),
      plain("bubble_stages", member<&A::bubble_stages>, "(stages - 1) / virtual stages"),
      with_unit("transfer_seconds", "s", member<&A::step, &S::transfer, &T::seconds>,
                "between stages, a micro-batch"),
      plain("transfers", member<&A::step, &S::transfer, &T::times>, "in that, of one's seconds"),
      with_unit("transfer_bytes", "bytes", member<&A::stage_transfer, &CollectiveAccount::bytes>,
                "of one"),
      plain("transfer_tier", member<&A::stage_transfer, transfer_tier>,
            "over which it goes, 0 for the innermost"),
      plain("transfer_shown", member<&A::step, &S::transfer, &T::exposed>,
            "share of them that nothing hides"),
      plain("update_parameters", member<&A::update_parameters>, "of a rank"),
      plain("update_flops", member<&A::update_flops>, "of a rank, of Muon alone"),
      with_unit("update_bytes", "bytes", member<&A::update_bytes>, "of memory"),
      with_unit("fixed_seconds", "s", member<&A::step_seconds>, "of a step"),
      plain("imbalance", member<&A::step, &S::imbalance>,
            "share of all that stragglers add: (1 + straggler x log2 hosts) x uneven - 1"),
      plain("straggler", member<&A::straggler>, "of each doubling of hosts"),
      plain("hosts", member<&A::step, &S::hosts>, "of eight accelerators"),
      plain("uneven", member<&A::uneven>, "work of the slowest rank relative to the average"),
      plain("slowdown", member<&A::slowdown>, "of untuned software"),
      plain("padding_efficiency", member<&A::padding_efficiency>, "of sequences filled up"),
      with_unit("activation_bytes", "bytes", member<&A::activation_bytes>,
                "on the fullest stage: in flight x kept + transient - on the host"),
      plain("activations.in_flight", member<&A::activations, &K::in_flight>, "micro-batches"),
      with_unit("activations.kept_bytes", "bytes", member<&A::activations, &K::kept>,
                "of a micro-batch on the stage's layers (model.md 4.3)"),
      with_unit("activations.transient_bytes", "bytes", member<&A::activations, &K::transient>,
                "further ones of the layer at work"),
      with_unit("activations.host_bytes", "bytes", member<&A::activations, &K::on_host>,
                "that the host keeps instead"),
      plain("activations.repeated", member<&A::activations, &K::repeated>,
            "share of the layers that keep what full recomputation does"),
      with_unit("activations.repeated_kept_bytes", "bytes",
                member<&A::activations, &K::repeated_kept>, "of a micro-batch, were it all layers"),
      with_unit("activations.repeated_transient_bytes", "bytes",
                member<&A::activations, &K::repeated_transient>, "likewise"),
      with_unit("seconds", "s", member<&A::step, &S::time, &StepTime::seconds>,
                "of a step, before waiting for data")};
  return table;
}

}  // namespace trcost::estimation
