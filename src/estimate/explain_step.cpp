// SPDX-License-Identifier: Apache-2.0
#include "estimate/explain_step.h"

#include <fmt/format.h>

#include "quantity/digits.h"
#include "quantity/quantity.h"

namespace trcost {
namespace {

constexpr std::string_view kModel = "model.md 5.1";

constexpr std::string_view kRates =
    "data/efficiency of the chip and data/stacks of the software: trcost show";

Derivation matmul_rate(const StepAccount& a) {
  return {"matmuls of the chip under this software", "specified x share reached",
          fmt::format("{} x {} FLOP/s; attention {} FLOP/s; {} s to start a matmul, {} s between "
                      "kernels",
                      digits(a.peak_flops), digits(a.matmul_flops / a.peak_flops),
                      digits(a.attention_flops), digits(a.ramp_seconds), digits(a.gap_seconds)),
          digits(a.matmul_flops) + " FLOP/s", std::string(kRates)};
}

Derivation memory_rate(const StepAccount& a) {
  return {"memory of the chip under this software", "specified x share reached",
          fmt::format("{} x {} byte/s; element-wise work {} byte/s", digits(a.memory_bytes),
                      digits(a.memory_rate / a.memory_bytes), digits(a.elementwise_rate)),
          digits(a.memory_rate) + " byte/s", std::string(kRates)};
}

// The last tier spans any cluster.
constexpr double kAll = 1e6;

Derivation tier(const TierAccount& t) {
  return {
      "network: " + t.name, "specified x share reached, per accelerator and direction",
      fmt::format(
          "{} x {} byte/s; {}{} s latency", digits(t.bytes_per_second), digits(t.efficiency),
          t.size > 0 && t.size < kAll ? fmt::format("among {}, ", digits(t.size)) : std::string(),
          digits(t.latency_seconds)),
      fmt::format("{} byte/s", digits(t.bytes_per_second * t.efficiency)), std::string(kModel)};
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
  const std::string bytes = k.bytes > 0 ? digits(k.bytes) + " bytes" : std::string();
  if (k.flops <= 0) return bytes;
  return fmt::format("{} FLOP{}{}", digits(k.flops), bytes.empty() ? "" : ", ", bytes);
}

Derivation kernel(const KernelAccount& k) {
  const std::string shape =
      k.m > 0 ? fmt::format(" {} x {} x {}", digits(k.m), digits(k.n), digits(k.k)) : std::string();
  return {fmt::format("{}: {}{}", k.module, kernel_name(k.kind), shape),
          std::string(kKernelFormulas[static_cast<std::size_t>(k.kind)]),
          fmt::format("{} x ({} + {} + {}) s; forward {}", digits(k.layers), digits(k.forward),
                      digits(k.input_gradients), digits(k.weight_gradients), work_words(k)),
          fmt::format("{} a micro-batch",
                      in_seconds(k.layers * (k.forward + k.input_gradients + k.weight_gradients))),
          std::string(kModel)};
}

std::string tier_words(const ExchangeAccount& e, const std::vector<TierAccount>& tiers) {
  std::string out;
  for (std::size_t i = 0; i < tiers.size() && i < e.tier_bytes.size(); ++i) {
    if (e.tier_bytes[i] <= 0) continue;
    out += fmt::format("{}{} bytes over {}", out.empty() ? " (" : ", ", digits(e.tier_bytes[i]),
                       tiers[i].name);
  }
  return out.empty() ? out : out + ")";
}

Derivation exchange(const ExchangeAccount& e, const std::vector<TierAccount>& tiers) {
  std::string numbers = fmt::format("{} x {} s", digits(e.times), digits(e.each));
  if (!e.behind.empty()) numbers += fmt::format(" - {}", digits(e.hidden));
  if (e.crowding != 0) numbers += fmt::format(" + {}", digits(e.crowding));
  numbers += fmt::format("; {} bytes among {}{}", digits(e.bytes), digits(e.members),
                         tier_words(e, tiers));
  if (!e.behind.empty()) {
    numbers += fmt::format(", which hide behind {} s of {}", digits(e.window), e.behind);
  }
  return {fmt::format("exchange: {}", e.name),
          "collectives x seconds of one - hidden + what hiding costs", std::move(numbers),
          fmt::format("{} per {}", in_seconds(e.exposed), e.per), std::string(kModel)};
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

void add_pipeline(const StepAccount& a, const Sums& sums, std::vector<Derivation>& out) {
  if (a.stages <= 1) return;
  out.push_back(
      {"pipeline bubble",
       "(p - 1) / v x (mean stage + transfer + exchange of replicas) + micro-batches x "
       "share x (slowest stage - mean stage)",
       fmt::format("({} - 1) / {} x ({} + {} + {}) + {} x {} x ({} - {})", digits(a.stages),
                   digits(a.virtual_stages), digits(a.mean_stage), digits(a.transfer),
                   digits(sums.each), digits(a.micro_batches), digits(a.stage_imbalance),
                   digits(a.slowest_stage), digits(a.mean_stage)),
       in_seconds(bubble_seconds(a)), "Narayanan et al., arXiv:2104.04473, section 2.2"});
}

}  // namespace

std::vector<Derivation> derive_step(const StepAccount& a) {
  std::vector<Derivation> out = {matmul_rate(a), memory_rate(a)};
  for (const TierAccount& each : a.tiers) out.push_back(tier(each));
  for (const KernelAccount& each : a.kernels) out.push_back(kernel(each));
  for (const ExchangeAccount& each : a.exchanges) out.push_back(exchange(each, a.tiers));
  const Sums sums = sums_of(a);
  const double replica = sums.kernels + sums.replica + a.repeated + a.waiting + a.connector;
  out.push_back(
      {"a micro-batch through a replica",
       "kernels + exchange within it + forward work done again + waiting for the host + projector",
       fmt::format("{} + {} + {} + {} + {}", digits(sums.kernels), digits(sums.replica),
                   digits(a.repeated), digits(a.waiting), digits(a.connector)),
       fmt::format("{} over its {} stages", in_seconds(replica), digits(a.stages)),
       std::string(kModel)});
  add_pipeline(a, sums, out);
  out.push_back(
      {"optimizer's update", "parameters of a rank x bytes of each / memory rate + fixed time",
       fmt::format("{} x {} / {} + {}", digits(a.update_parameters),
                   digits(a.update_parameters > 0 ? a.update_bytes / a.update_parameters : 0),
                   digits(a.memory_rate), digits(a.step_seconds)),
       in_seconds(a.update_bytes / a.memory_rate + a.step_seconds), std::string(kModel)});
  out.push_back({"activations kept on the fullest stage", "", digits(a.activation_bytes),
                 fmt::format("{} bytes", digits(a.activation_bytes)), "model.md 4"});
  out.push_back(
      {"one step",
       "(1 + imbalance) x tuning / filled x (micro-batches x (replica / stages + transfer + "
       "exchange of "
       "replicas) + bubble + exchange per step + update)",
       fmt::format("(1 + {}) x {} / {} x ({} x ({} / {} + {} + {}) + {} + {} + {})",
                   digits(a.imbalance), digits(a.slowdown), digits(a.padding_efficiency),
                   digits(a.micro_batches), digits(replica), digits(a.stages), digits(a.transfer),
                   digits(sums.each), digits(bubble_seconds(a)), digits(sums.once),
                   digits(a.update_bytes / a.memory_rate + a.step_seconds)),
       in_seconds(added_up(a)), std::string(kModel)});
  return out;
}

}  // namespace trcost
