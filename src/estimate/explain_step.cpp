// SPDX-License-Identifier: Apache-2.0
#include "estimate/explain_step.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "quantity/quantity.h"

namespace trcost {
namespace {

constexpr std::string_view kModel = "model.md 5.1";

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string seconds(double value) {
  return fmt::format("{:.6g} s", value);
}

constexpr std::string_view kRates =
    "data/efficiency of the chip and data/stacks of the software: trcost show";

Derivation matmul_rate(const StepAccount& a) {
  return {"matmuls of the chip under this software", "specified x share reached",
          fmt::format("{} x {} FLOP/s; attention {} FLOP/s; {} s to start a matmul, {} s between "
                      "kernels",
                      number(a.peak_flops), number(a.matmul_flops / a.peak_flops),
                      number(a.attention_flops), number(a.ramp_seconds), number(a.gap_seconds)),
          number(a.matmul_flops) + " FLOP/s", std::string(kRates)};
}

Derivation memory_rate(const StepAccount& a) {
  return {"memory of the chip under this software", "specified x share reached",
          fmt::format("{} x {} byte/s; element-wise work {} byte/s", number(a.memory_bytes),
                      number(a.memory_rate / a.memory_bytes), number(a.elementwise_rate)),
          number(a.memory_rate) + " byte/s", std::string(kRates)};
}

// The last tier spans any cluster.
constexpr double kAll = 1e6;

Derivation tier(const TierAccount& t) {
  return {
      "network: " + t.name, "specified x share reached, per accelerator and direction",
      fmt::format(
          "{} x {} byte/s; {}{} s latency", number(t.bytes_per_second), number(t.efficiency),
          t.size > 0 && t.size < kAll ? fmt::format("among {}, ", number(t.size)) : std::string(),
          number(t.latency_seconds)),
      fmt::format("{} byte/s", number(t.bytes_per_second * t.efficiency)), std::string(kModel)};
}

constexpr std::string_view kMatmulFormula =
    "layers x (forward + input gradients + weight gradients), each max(2 m n k / rate, "
    "bytes / memory rate) + start";
// One per KernelKind.
constexpr std::string_view kKernelFormulas[] = {
    kMatmulFormula, kMatmulFormula,
    "layers x (forward + backward), FLOP / rate of its head dimension and length + start",
    "layers x (forward + backward), bytes / element-wise rate + kernels x gap",
    "layers x 3 passes of FLOP / rate in 16 bit"};

std::string work_words(const KernelAccount& k) {
  const std::string bytes = k.bytes > 0 ? number(k.bytes) + " bytes" : std::string();
  if (k.flops <= 0) return bytes;
  return fmt::format("{} FLOP{}{}", number(k.flops), bytes.empty() ? "" : ", ", bytes);
}

Derivation kernel(const KernelAccount& k) {
  const std::string shape =
      k.m > 0 ? fmt::format(" {} x {} x {}", number(k.m), number(k.n), number(k.k)) : std::string();
  return {fmt::format("{}: {}{}", k.module, kernel_name(k.kind), shape),
          std::string(kKernelFormulas[static_cast<std::size_t>(k.kind)]),
          fmt::format("{} x ({} + {} + {}) s; forward {}", number(k.layers), number(k.forward),
                      number(k.input_gradients), number(k.weight_gradients), work_words(k)),
          fmt::format("{} a micro-batch",
                      seconds(k.layers * (k.forward + k.input_gradients + k.weight_gradients))),
          std::string(kModel)};
}

std::string tier_words(const ExchangeAccount& e, const std::vector<TierAccount>& tiers) {
  std::string out;
  for (std::size_t i = 0; i < tiers.size() && i < e.tier_bytes.size(); ++i) {
    if (e.tier_bytes[i] <= 0) continue;
    out += fmt::format("{}{} bytes over {}", out.empty() ? " (" : ", ", number(e.tier_bytes[i]),
                       tiers[i].name);
  }
  return out.empty() ? out : out + ")";
}

Derivation exchange(const ExchangeAccount& e, const std::vector<TierAccount>& tiers) {
  std::string numbers = fmt::format("{} x {} s", number(e.times), number(e.each));
  if (!e.behind.empty()) numbers += fmt::format(" - {}", number(e.hidden));
  if (e.crowding != 0) numbers += fmt::format(" + {}", number(e.crowding));
  numbers += fmt::format("; {} bytes among {}{}", number(e.bytes), number(e.members),
                         tier_words(e, tiers));
  if (!e.behind.empty()) {
    numbers += fmt::format(", which hide behind {} s of {}", number(e.window), e.behind);
  }
  return {fmt::format("exchange: {}", e.name),
          "collectives x seconds of one - hidden + what hiding costs", std::move(numbers),
          fmt::format("{} per {}", seconds(e.exposed), e.per), std::string(kModel)};
}

// `max(a, b)`, or the one that there is.
std::string longest(const std::vector<std::string>& of) {
  return of.size() == 1 ? of.front() : fmt::format("max({})", fmt::join(of, ", "));
}

// The seconds of one collective in numbers, as CollectiveAccount has the formula.
std::string collective_words(const CollectiveAccount& c, const StepAccount& a) {
  const bool ring = c.kind == CollectiveKind::gather || c.kind == CollectiveKind::all_reduce;
  std::vector<std::string> tiers;
  std::string latency;
  for (std::size_t i = 0; i < a.tiers.size() && i < c.tier_ranks.size(); ++i) {
    const double g = c.tier_ranks[i];
    if (g <= 1) continue;
    const TierAccount& t = a.tiers[i];
    const bool half = i == 0 && c.kind != CollectiveKind::transfer;
    const std::string payload =
        half ? fmt::format("({} + {} x {} / {})", number(c.tier_bytes[i]), number(a.half_bytes),
                           number(g - 1), number(ring ? g : c.ranks))
             : number(c.tier_bytes[i]);
    tiers.push_back(fmt::format("{} / {}", payload, number(t.bytes_per_second * t.efficiency)));
    latency += ring ? fmt::format(" + {} x (log2({}) + {} x {})", number(t.latency_seconds),
                                  number(g), number(kRingShare), number(g - 1))
                    : fmt::format(" + {} x log2({})", number(t.latency_seconds), number(g));
  }
  if (tiers.empty()) return {};
  std::string payload = longest(tiers);
  if (ring && tiers.size() > 1) {
    payload = fmt::format("{} x {} + {} x ({})", number(1 - kShorterTiers), payload,
                          number(kShorterTiers), fmt::join(tiers, " + "));
  }
  std::string all = payload + latency;
  if (c.inner_steps > 0) {
    all += fmt::format(" + {} x {} x {}", number(kLineShare), number(a.tiers[0].latency_seconds),
                       number(c.inner_steps));
  }
  if (c.passes != 1) all = fmt::format("{} x ({})", number(c.passes), all);
  return c.times == 1 ? all : fmt::format("{} x ({})", number(c.times), all);
}

constexpr std::string_view kCollectiveFormula =
    "bytes over each tier, with half bytes x its share on the innermost, / rate, the longest and a "
    "quarter of the others of a ring, + latency x (log2 ranks, of a ring + 0.2 a step)";

// What one of an exchange takes; nothing where it is no collective.
void add_collectives(const ExchangeAccount& e, const StepAccount& a, std::vector<Derivation>& out) {
  std::string numbers;
  for (std::size_t i = 0; i < e.collective_count; ++i) {
    const std::string words = collective_words(e.collectives[i], a);
    if (!words.empty()) numbers += (numbers.empty() ? "" : " + ") + words;
  }
  if (numbers.empty()) return;
  out.push_back({fmt::format("one of {}", e.name), std::string(kCollectiveFormula),
                 std::move(numbers), seconds(e.each), std::string(kModel)});
}

std::string pass_words(double flops, double bytes, double rate, double starts,
                       const AttentionAccount& core, const StepAccount& a) {
  std::string text = fmt::format("{} x {} x {} / {}", number(flops), number(core.of_head),
                                 number(core.of_length), number(rate));
  if (bytes > 0) text += fmt::format(" + {} / {}", number(bytes), number(a.memory_rate));
  return text + fmt::format(" + {} x {}", number(starts), number(a.ramp_seconds));
}

void add_attention(const KernelAccount& k, const StepAccount& a, std::vector<Derivation>& out) {
  if (k.kind != KernelKind::attention) return;
  const AttentionAccount& core = k.attention;
  constexpr std::string_view kFormula =
      "FLOP x of the head's dimension x of the length / rate + bytes / memory rate + starts";
  out.push_back({fmt::format("{}: attention of one layer, forward", k.module),
                 std::string(kFormula),
                 pass_words(k.flops, k.bytes, core.rate, core.starts, core, a), seconds(k.forward),
                 std::string(kModel)});
  if (k.input_gradients <= 0) return;
  out.push_back({fmt::format("{}: attention of one layer, backward", k.module),
                 std::string(kFormula),
                 pass_words(core.backward_flops, core.backward_bytes, core.backward_rate,
                            core.backward_starts, core, a),
                 seconds(k.input_gradients), std::string(kModel)});
}

Derivation activations(const StepAccount& a) {
  const ActivationAccount& kept = a.activations;
  const auto mixed = [&](double own, double again) {
    if (kept.repeated == 0) return number(own);
    return fmt::format("({} + {} x ({} - {}))", number(own), number(kept.repeated), number(again),
                       number(own));
  };
  return {"activations kept on the fullest stage",
          "micro-batches in flight x bytes of one on its layers + those of the layer at work - those "
          "with the host",
          fmt::format("{} x {} + {} - {}", number(kept.in_flight),
                      mixed(kept.kept, kept.repeated_kept),
                      mixed(kept.transient, kept.repeated_transient), number(kept.on_host)),
          fmt::format("{} bytes", number(a.activation_bytes)), "model.md 4.3"};
}

// Sums over the list; `replica` of layers, `each` and `once` of exchange between replicas.
struct Sums {
  double kernels = 0, replica = 0, each = 0, once = 0;
};

Sums sums_of(const StepAccount& a) {
  Sums out;
  for (const KernelAccount& k : a.kernels) {
    out.kernels += k.layers * (k.forward + k.input_gradients + k.weight_gradients);
  }
  for (const ExchangeAccount& e : a.exchanges) out.replica += per_replica(e) ? e.exposed : 0;
  for (const ExchangeAccount& e : a.exchanges) out.each += per_micro_batch(e) ? e.exposed : 0;
  for (const ExchangeAccount& e : a.exchanges) out.once += per_step(e) ? e.exposed : 0;
  return out;
}

void add_transfer(const StepAccount& a, std::vector<Derivation>& out) {
  if (a.stages <= 1) return;
  CollectiveAccount one = a.stage_transfer;
  one.times = 1;
  out.push_back({"transfer between stages", "transfers x share that shows x (bytes / rate + latency)",
                 fmt::format("{} x {} x ({})", number(a.transfers), number(a.transfer_shown),
                             collective_words(one, a)),
                 seconds(a.transfer), std::string(kModel)});
}

void add_pipeline(const StepAccount& a, const Sums& sums, std::vector<Derivation>& out) {
  if (a.stages <= 1) return;
  out.push_back(
      {"pipeline bubble",
       "(p - 1) / v x (mean stage + transfer + exchange of replicas) + micro-batches x "
       "share x (slowest stage - mean stage)",
       fmt::format("({} - 1) / {} x ({} + {} + {}) + {} x {} x ({} - {})", number(a.stages),
                   number(a.virtual_stages), number(a.mean_stage), number(a.transfer),
                   number(sums.each), number(a.micro_batches), number(a.stage_imbalance),
                   number(a.slowest_stage), number(a.mean_stage)),
       seconds(bubble_seconds(a)), "Narayanan et al., arXiv:2104.04473, section 2.2"});
}

}  // namespace

std::vector<Derivation> derive_step(const StepAccount& a) {
  std::vector<Derivation> out = {matmul_rate(a), memory_rate(a)};
  for (const TierAccount& each : a.tiers) out.push_back(tier(each));
  for (const KernelAccount& each : a.kernels) {
    out.push_back(kernel(each));
    add_attention(each, a, out);
  }
  for (const ExchangeAccount& each : a.exchanges) {
    out.push_back(exchange(each, a.tiers));
    add_collectives(each, a, out);
  }
  add_transfer(a, out);
  const Sums sums = sums_of(a);
  const double replica = sums.kernels + sums.replica + a.repeated + a.waiting + a.connector;
  out.push_back(
      {"a micro-batch through a replica",
       "kernels + exchange within it + forward work done again + waiting for the host + projector",
       fmt::format("{} + {} + {} + {} + {}", number(sums.kernels), number(sums.replica),
                   number(a.repeated), number(a.waiting), number(a.connector)),
       fmt::format("{} over its {} stages", seconds(replica), number(a.stages)),
       std::string(kModel)});
  add_pipeline(a, sums, out);
  out.push_back(
      {"optimizer's update", "parameters of a rank x bytes of each / memory rate + fixed time",
       fmt::format("{} x {} / {} + {}", number(a.update_parameters),
                   number(a.update_parameters > 0 ? a.update_bytes / a.update_parameters : 0),
                   number(a.memory_rate), number(a.step_seconds)),
       seconds(a.update_bytes / a.memory_rate + a.step_seconds), std::string(kModel)});
  out.push_back(activations(a));
  out.push_back(
      {"one step",
       "(1 + imbalance) x tuning / filled x (micro-batches x (replica / stages + transfer + "
       "exchange of "
       "replicas) + bubble + exchange per step + update)",
       fmt::format("(1 + {}) x {} / {} x ({} x ({} / {} + {} + {}) + {} + {} + {})",
                   number(a.imbalance), number(a.slowdown), number(a.padding_efficiency),
                   number(a.micro_batches), number(replica), number(a.stages), number(a.transfer),
                   number(sums.each), number(bubble_seconds(a)), number(sums.once),
                   number(a.update_bytes / a.memory_rate + a.step_seconds)),
       seconds(added_up(a)), std::string(kModel)});
  return out;
}

}  // namespace trcost
