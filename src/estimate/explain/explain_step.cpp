// SPDX-License-Identifier: Apache-2.0
#include "estimate/explain/explain_step.h"

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "catalog/layout/layout.h"
#include "quantity/quantity.h"

namespace trcost::estimation {
namespace {

constexpr std::string_view kStepModel = "model.md 5.1";

constexpr std::string_view kDerivedRates =
    "data/efficiency of the chip and data/stacks of the software: trcost show";

Derivation matmul_rate(const StepAccount& a) {
  return {"matmuls of the chip under this software", "specified x share reached",
          fmt::format("{} x {} FLOP/s; attention {} FLOP/s; {} s to start a matmul, {} s between "
                      "kernels; of the host {} s for a block, {} s for a collective",
                      digits(a.peak_flops), digits(a.matmul_flops / a.peak_flops),
                      digits(a.attention_flops), digits(a.ramp_seconds), digits(a.gap_seconds),
                      digits(a.block_seconds), digits(a.dispatch_seconds)),
          digits(a.matmul_flops) + " FLOP/s", std::string(kDerivedRates)};
}

Derivation memory_rate(const StepAccount& a) {
  return {"memory of the chip under this software", "specified x share reached",
          fmt::format("{} x {} byte/s; element-wise work {} byte/s", digits(a.memory_bytes),
                      digits(a.memory_rate / a.memory_bytes), digits(a.elementwise_rate)),
          digits(a.memory_rate) + " byte/s", std::string(kDerivedRates)};
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
      fmt::format("{} byte/s", digits(t.bytes_per_second * t.efficiency)), std::string(kStepModel)};
}

constexpr std::string_view kMatmulFormula =
    "layers x (forward + input gradients + weight gradients), each max(2 m n k / rate, "
    "bytes / memory rate) + start";
// One per KernelKind.
constexpr std::string_view kKernelFormulas[] = {
    kMatmulFormula, kMatmulFormula,
    "layers x (forward + backward), FLOP / rate of its head dimension and length + start",
    "layers x (bytes / element-wise rate + plain copies / memory rate + kernels x gap) x (forward "
    "+ "
    "backward)",
    "layers x 3 passes of FLOP / rate in 16 bit"};

std::string work_words(const KernelAccount& k) {
  std::string text = digits(k.flops) + " FLOP";
  if (k.rate > 0) text += fmt::format(" at {} FLOP/s", digits(k.rate));
  if (k.bytes > 0) text += fmt::format(", {} bytes", digits(k.bytes));
  if (k.weight_gradients > 0 && k.gradient_bytes > 0) {
    text += fmt::format("; weight gradients {} bytes", digits(k.gradient_bytes));
  }
  return text;
}

std::string kernel_numbers(const KernelAccount& k, const StepAccount& a) {
  if (k.kind != KernelKind::elementwise) {
    return fmt::format("{} x ({} + {} + {}) s; forward {}", digits(k.layers), digits(k.forward),
                       digits(k.input_gradients), digits(k.weight_gradients), work_words(k));
  }
  const ElementwiseTime& e = k.elementwise;
  const std::string plain =
      e.plain_bytes > 0 ? fmt::format("{} / {} + ", digits(e.plain_bytes), digits(a.memory_rate))
                        : std::string();
  return fmt::format("{} x ({} / {} + {}{} x {}) x (1 + {})", digits(k.layers), digits(e.bytes),
                     digits(a.elementwise_rate), plain, digits(e.kernels), digits(a.gap_seconds),
                     digits(k.input_gradients > 0 ? e.backward_factor : 0));
}

Derivation kernel(const KernelAccount& k, const StepAccount& a) {
  const std::string shape =
      k.m > 0 ? fmt::format(" {} x {} x {}", digits(k.m), digits(k.n), digits(k.k)) : std::string();
  return {fmt::format("{}: {}{}", k.module, kernel_name(k.kind), shape),
          std::string(kKernelFormulas[static_cast<std::size_t>(k.kind)]), kernel_numbers(k, a),
          fmt::format("{} a micro-batch",
                      in_seconds(k.layers * (k.forward + k.input_gradients + k.weight_gradients))),
          std::string(kStepModel)};
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

// The factors that are not 1.
std::string product_words(std::initializer_list<double> factors) {
  std::string out;
  for (const double each : factors) {
    if (each != 1) out += (out.empty() ? "" : " x ") + digits(each);
  }
  return out.empty() ? "1" : out;
}

// The smaller of the hideable exchange and the time that can hide it.
std::string hidden_words(const ExchangeAccount& e) {
  const double used = e.window_share * e.passes;
  return fmt::format("min({}, {})", product_words({e.hideable, e.times, e.each}),
                     used > 0 ? product_words({e.window_share, e.passes, e.window / used}) : "0");
}

Derivation exchange(const ExchangeAccount& e, const std::vector<TierAccount>& tiers) {
  std::string numbers = fmt::format("{} x {} s", digits(e.times), digits(e.each));
  if (!e.behind.empty()) numbers += " - " + hidden_words(e);
  if (e.crowding_share != 0 && e.crowding != 0) {
    numbers +=
        fmt::format(" + {} x {}", digits(e.crowding_share), digits(e.crowding / e.crowding_share));
  }
  numbers += fmt::format("; {} bytes among {}{}", digits(e.bytes), digits(e.members),
                         tier_words(e, tiers));
  if (!e.behind.empty()) {
    numbers += fmt::format(", which hide behind {}", e.behind);
  }
  const std::string_view costs =
      e.ring ? "what the last rank has more of attention" : "share of the hidden that hiding costs";
  return {fmt::format("exchange: {}", e.name),
          fmt::format("collectives x seconds of one - min(share that can hide of that, share x "
                      "seconds that hide) + {}",
                      costs),
          std::move(numbers), fmt::format("{} per {}", in_seconds(e.exposed), e.per),
          std::string(kStepModel)};
}

// `max(a, b)`, or the only item.
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
        half ? fmt::format("({} + {} x {} / {})", digits(c.tier_bytes[i]), digits(a.half_bytes),
                           digits(g - 1), digits(ring ? g : c.ranks))
             : digits(c.tier_bytes[i]);
    tiers.push_back(fmt::format("{} / {}", payload, digits(t.bytes_per_second * t.efficiency)));
    latency += ring ? fmt::format(" + {} x (log2({}) + {} x {})", digits(t.latency_seconds),
                                  digits(g), digits(kRingShare), digits(g - 1))
                    : fmt::format(" + {} x log2({})", digits(t.latency_seconds), digits(g));
  }
  if (tiers.empty()) return {};
  std::string payload = longest(tiers);
  if (ring && tiers.size() > 1) {
    payload = fmt::format("{} x {} + {} x ({})", digits(1 - kShorterTiers), payload,
                          digits(kShorterTiers), fmt::join(tiers, " + "));
  }
  std::string all = payload + latency;
  if (c.inner_steps > 0) {
    all += fmt::format(" + {} x {} x {}", digits(kLineShare), digits(a.tiers[0].latency_seconds),
                       digits(c.inner_steps));
  }
  if (c.passes != 1) all = fmt::format("{} x ({})", digits(c.passes), all);
  return c.times == 1 ? all : fmt::format("{} x ({})", digits(c.times), all);
}

constexpr std::string_view kCollectiveFormula =
    "bytes over each tier, with half bytes x its share on the innermost, / rate, the longest and a "
    "quarter of the others of a ring, + latency x (log2 ranks, of a ring + 0.2 a step)";

// Derives one collective of an exchange, if it is one.
void add_collectives(const ExchangeAccount& e, const StepAccount& a, std::vector<Derivation>& out) {
  std::string numbers;
  for (std::size_t i = 0; i < e.collective_count; ++i) {
    const std::string words = collective_words(e.collectives[i], a);
    if (!words.empty()) numbers += (numbers.empty() ? "" : " + ") + words;
  }
  if (numbers.empty()) return;
  out.push_back({fmt::format("one of {}", e.name), std::string(kCollectiveFormula),
                 std::move(numbers), in_seconds(e.each), std::string(kStepModel)});
}

std::string pass_words(double flops, double bytes, double seconds_per_flop, double starts,
                       const AttentionTime& core, const StepAccount& a) {
  std::string text = fmt::format("{} x {} x {} / {}", digits(flops), digits(core.head_factor),
                                 digits(core.length_factor), digits(1 / seconds_per_flop));
  if (bytes > 0) text += fmt::format(" + {} / {}", digits(bytes), digits(a.memory_rate));
  return text + fmt::format(" + {} x {}", digits(starts), digits(a.ramp_seconds));
}

void add_attention(const KernelAccount& k, const StepAccount& a, std::vector<Derivation>& out) {
  if (k.kind != KernelKind::attention) return;
  const AttentionTime& core = k.attention;
  constexpr std::string_view kFormula =
      "FLOP x of the head's dimension x of the length / rate + bytes / memory rate + starts";
  out.push_back({fmt::format("{}: attention of one layer, forward", k.module),
                 std::string(kFormula),
                 pass_words(k.flops, k.bytes, core.seconds_per_flop, core.starts, core, a),
                 in_seconds(k.forward), std::string(kStepModel)});
  if (k.input_gradients <= 0) return;
  out.push_back({fmt::format("{}: attention of one layer, backward", k.module),
                 std::string(kFormula),
                 pass_words(core.backward_flops, core.backward_bytes,
                            core.backward_seconds_per_flop, core.backward_starts, core, a),
                 in_seconds(k.input_gradients), std::string(kStepModel)});
}

void add_kept(const ActivationAccount& kept, std::string_view name, double bytes,
              const std::array<double, kPlaces>& per_token, std::vector<Derivation>& out) {
  std::string numbers;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (kept.layers[i] <= 0 || per_token[i] <= 0) continue;
    numbers += fmt::format("{}{} x {} x {}", numbers.empty() ? "" : " + ", digits(kept.layers[i]),
                           digits(kept.tokens[i]), digits(per_token[i]));
  }
  if (kept.connector > 0) numbers += (numbers.empty() ? "" : " + ") + digits(kept.connector);
  if (numbers.empty()) return;
  out.push_back({std::string(name), "layers x tokens x bytes of each, of every kind, + projector",
                 std::move(numbers), digits(bytes) + " bytes", "model.md 4.3"});
}

void add_activations(const StepAccount& a, std::vector<Derivation>& out) {
  const ActivationAccount& kept = a.activations;
  add_kept(kept, "bytes of a micro-batch on its layers", kept.kept, kept.per_token, out);
  if (kept.repeated <= 0) return;
  add_kept(kept, "the same, recomputed in full", kept.repeated_kept, kept.repeated_per_token, out);
}

Derivation activations(const StepAccount& a) {
  const ActivationAccount& kept = a.activations;
  const auto mixed = [&](double own, double again) {
    if (kept.repeated == 0) return digits(own);
    return fmt::format("({} + {} x ({} - {}))", digits(own), digits(kept.repeated), digits(again),
                       digits(own));
  };
  return {
      "activations kept on the fullest stage",
      "micro-batches in flight x bytes of one on its layers + those of the layer at work - those "
      "with the host",
      fmt::format("{} x {} + {} - {}", digits(kept.in_flight), mixed(kept.kept, kept.repeated_kept),
                  mixed(kept.transient, kept.repeated_transient), digits(kept.on_host)),
      fmt::format("{} bytes", digits(a.activation_bytes)), "model.md 4.3"};
}

// The kernels, and the exchange within a replica, of a pass.
struct PassSums {
  double kernels = 0, exchange = 0;
};

PassSums pass_sums(const StepAccount& a, bool backward) {
  PassSums out;
  for (const KernelAccount& k : a.kernels) {
    out.kernels += k.layers * (backward ? k.input_gradients + k.weight_gradients : k.forward);
  }
  for (const ExchangeAccount& e : a.exchanges) {
    if (per_replica(e) && e.backward == backward) out.exchange += e.exposed;
  }
  return out;
}

// A pass with the host that issues it, over all stages.
void add_pass(const StepAccount& a, bool backward, std::vector<Derivation>& out) {
  const PassSums sums = pass_sums(a, backward);
  const double again = backward ? a.step.work.repeated() : 0;
  const double device = sums.kernels + sums.exchange + again;
  if (device <= 0) return;
  const HostTime& host = backward ? a.step.work.host_backward : a.step.work.host_forward;
  const double waiting = backward ? a.step.work.waiting_backward : a.step.work.waiting_forward;
  out.push_back(
      {fmt::format("{} pass of a micro-batch", backward ? "backward" : "forward"),
       "(device^4 + host^4)^(1/4), device: kernels + exchange + work done again; host: layers + "
       "head + encoder + work done again + sharded weights + schedule",
       fmt::format("sqrt(sqrt(({} + {} + {})^4 + ({} + {} + {} + {} + {} + {})^4)); {} s of it "
                   "waiting for the host",
                   digits(sums.kernels), digits(sums.exchange), digits(again), digits(host.layers),
                   digits(host.head), digits(host.encoder), digits(host.repeated),
                   digits(host.gathers), digits(host.schedule), digits(waiting)),
       in_seconds(device + waiting), std::string(kStepModel)});
}

void add_repeated(const RepeatedTime& r, std::string_view module, std::vector<Derivation>& out) {
  if (r.seconds <= 0) return;
  std::vector<std::string> some;
  if (r.elementwise_share > 0) {
    some.push_back(fmt::format("{} x ({} - {})", digits(r.elementwise_share), digits(r.elementwise),
                               digits(r.routing)));
  }
  if (r.matmul_share > 0) {
    some.push_back(fmt::format("{} x {}", digits(r.matmul_share), digits(r.matmul)));
  }
  if (r.attention_share > 0) some.push_back(digits(r.attention));
  const std::string selective = fmt::format("{}", fmt::join(some, " + "));
  std::string numbers = selective;
  if (r.share > 0) {
    numbers += fmt::format("{}{} x ({} - {}{})", selective.empty() ? "" : " + ", digits(r.share),
                           digits(r.forward), digits(r.kept),
                           selective.empty() ? "" : " - (" + selective + ")");
  }
  out.push_back({fmt::format("forward work done again: {}", module),
                 "share of norms and activation functions (routing not) + of matmuls, or attention "
                 "+ share of layers x (forward pass - what is kept - those)",
                 std::move(numbers), in_seconds(r.seconds), "arXiv:2205.05198, section 5"});
}

// Sums of kernels and of exchange: within a replica, per micro-batch and per step.
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
  out.push_back({"transfer between stages",
                 "transfers x share that shows x (bytes / rate + latency)",
                 fmt::format("{} x {} x ({})", digits(a.step.transfer.times),
                             digits(a.step.transfer.exposed), collective_words(one, a)),
                 in_seconds(a.step.transfer.seconds()), std::string(kStepModel)});
}

void add_pipeline(const StepAccount& a, const Sums& sums, std::vector<Derivation>& out) {
  if (a.stages <= 1) return;
  const StageParts& parts = a.step.placed;
  const std::string layer = digits(parts.layer);
  out.push_back({"mean stage", "(layers x seconds of one + head + encoder) / stages",
                 fmt::format("({} x {} + {} + {}) / {}", digits(a.model_layers), layer,
                             digits(parts.head), digits(parts.encoder), digits(a.stages)),
                 in_seconds(a.step.stages.mean), std::string(kStepModel)});
  out.push_back(
      {"slowest stage", "the longest of first, inner, last and mean stage",
       fmt::format("max({} x {} + {}, {} x {}, {} x {} + {}, {})",
                   digits(a.step.stages.layers.first), layer, digits(parts.encoder),
                   digits(a.step.stages.layers.inner), layer, digits(a.step.stages.layers.last),
                   layer, digits(parts.head), digits(a.step.stages.mean)),
       in_seconds(a.step.stages.slowest), std::string(kStepModel)});
  out.push_back({"pipeline bubble",
                 "(p - 1) / v x (mean stage + transfer + exchange of replicas) + micro-batches x "
                 "share that shows, of the software, x (slowest stage - mean stage)",
                 fmt::format("({} - 1) / {} x ({} + {} + {}) + {} x {} x ({} - {})",
                             digits(a.stages), digits(a.virtual_stages), digits(a.step.stages.mean),
                             digits(a.step.transfer.seconds()), digits(sums.each),
                             digits(a.micro_batches), digits(a.stage_imbalance),
                             digits(a.step.stages.slowest), digits(a.step.stages.mean)),
                 in_seconds(bubble_seconds(a)), "Narayanan et al., arXiv:2104.04473, section 2.2"});
}

}  // namespace

std::vector<Derivation> derive_step(const StepAccount& a) {
  std::vector<Derivation> out = {matmul_rate(a), memory_rate(a)};
  for (const TierAccount& each : a.tiers) out.push_back(tier(each));
  for (const KernelAccount& each : a.kernels) {
    out.push_back(kernel(each, a));
    add_attention(each, a, out);
  }
  for (const ExchangeAccount& each : a.exchanges) {
    out.push_back(exchange(each, a.tiers));
    add_collectives(each, a, out);
  }
  add_transfer(a, out);
  add_repeated(a.step.work.repeated_layers, "layers", out);
  add_repeated(a.step.work.repeated_vision, "vision encoder", out);
  add_pass(a, false, out);
  add_pass(a, true, out);
  if (a.step.work.connector > 0) {
    out.push_back({"projector", "FLOP of all passes / rate",
                   fmt::format("{} / {}", digits(a.connector_flops), digits(a.connector_rate)),
                   in_seconds(a.step.work.connector), std::string(kStepModel)});
  }
  const Sums sums = sums_of(a);
  const double replica = sums.kernels + sums.replica + a.step.work.repeated() +
                         a.step.work.waiting() + a.step.work.connector;
  out.push_back(
      {"a micro-batch through a replica",
       "kernels + exchange within it + forward work done again + waiting for the host + projector",
       fmt::format("{} + {} + {} + {} + {}", digits(sums.kernels), digits(sums.replica),
                   digits(a.step.work.repeated()), digits(a.step.work.waiting()),
                   digits(a.step.work.connector)),
       fmt::format("{} over its {} stages", in_seconds(replica), digits(a.stages)),
       std::string(kStepModel)});
  add_pipeline(a, sums, out);
  const double products = a.update_flops / a.connector_rate;
  out.push_back(
      {"optimizer's update",
       products > 0
           ? "parameters of a rank x bytes of each / memory rate + FLOPs of Muon / rate in "
             "16 bit + fixed time"
           : "parameters of a rank x bytes of each / memory rate + fixed time",
       fmt::format("{} x {} / {}{} + {}", digits(a.update_parameters),
                   digits(a.update_parameters > 0 ? a.update_bytes / a.update_parameters : 0),
                   digits(a.memory_rate),
                   products > 0
                       ? fmt::format(" + {} / {}", digits(a.update_flops), digits(a.connector_rate))
                       : std::string(),
                   digits(a.step_seconds)),
       in_seconds(a.update_bytes / a.memory_rate + products + a.step_seconds),
       std::string(kStepModel)});
  add_activations(a, out);
  out.push_back(activations(a));
  out.push_back({"stragglers and imbalance", "(1 + straggler x log2(hosts)) x uneven sequences - 1",
                 fmt::format("(1 + {} x log2({})) x {} - 1", digits(a.straggler),
                             digits(a.step.hosts), digits(a.uneven)),
                 digits(a.step.imbalance), std::string(kStepModel)});
  out.push_back(
      {"one step",
       "(1 + imbalance) x tuning beyond the rates / filled x (micro-batches x (replica / stages + "
       "transfer + exchange of replicas) + bubble + exchange per step + update)",
       fmt::format("(1 + {}) x {} / {} x ({} x ({} / {} + {} + {}) + {} + {} + {})",
                   digits(a.step.imbalance), digits(a.slowdown), digits(a.padding_efficiency),
                   digits(a.micro_batches), digits(replica), digits(a.stages),
                   digits(a.step.transfer.seconds()), digits(sums.each), digits(bubble_seconds(a)),
                   digits(sums.once), digits(a.update_bytes / a.memory_rate + a.step_seconds)),
       in_seconds(added_up(a)), std::string(kStepModel)});
  return out;
}

}  // namespace trcost::estimation
