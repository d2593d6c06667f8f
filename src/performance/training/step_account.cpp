// SPDX-License-Identifier: Apache-2.0
#include "performance/training/step_account.h"

#include <algorithm>

#include "catalog/hardware/efficiency.h"
#include "performance/exchange/collectives.h"
#include "performance/training/ledger.h"

namespace trcost {

std::string_view kernel_name(KernelKind kind) {
  constexpr std::string_view kNames[] = {"matmul", "grouped matmul", "attention", "element-wise",
                                         "adapters"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

void add_rates(const Platform& platform, const StepCosts& costs, StepAccount& out) {
  const DeviceCosts& device = costs.device;
  out.peak_flops = 1 / device.seconds_per_flop.peak;
  out.matmul_flops = 1 / device.seconds_per_flop.matmul;
  out.attention_flops = 1 / (costs.materialised ? device.seconds_per_flop.batched_matmul
                                                : device.seconds_per_flop.flash_forward);
  out.memory_bytes = platform.accelerator->memory_bandwidth;
  out.memory_rate = 1 / device.seconds_per_byte.memory;
  out.elementwise_rate = 1 / device.seconds_per_byte.elementwise;
  out.ramp_seconds = device.matmul_start_seconds;
  out.gap_seconds = device.kernel_gap_seconds;
  out.half_bytes = costs.fabric.half_bytes;
}

void add_tiers(const Platform& platform, const Fabric& fabric, StepAccount& out) {
  std::size_t at = 0;
  for (const NetworkTier& tier : platform.system->tiers) {
    if (at == static_cast<std::size_t>(fabric.tiers)) break;
    out.tiers.push_back({tier.name, tier.size, tier.bandwidth,
                         1 / (fabric.seconds_per_byte[at] * tier.bandwidth),
                         fabric.latency_seconds[at]});
    ++at;
  }
}

}  // namespace

void Ledger::exchanged(ExchangeAccount entry) {
  // Over all its collectives; an all-reduce sends twice what a gather does, but for what switches
  // add.
  for (std::size_t i = 0; i < entry.collective_count; ++i) {
    const CollectiveAccount& each = entry.collectives[i];
    const double sent = each.kind == CollectiveKind::all_reduce ? 2 : 1;
    for (std::size_t t = 0; t < entry.tier_bytes.size(); ++t) {
      entry.tier_bytes[t] += each.times * sent * each.tier_bytes[t];
    }
  }
  // What is noted of one layer stands for all of its kind.
  const double times = entry.per == kPerLayers ? layers : 1;
  for (double* each :
       {&entry.times, &entry.window, &entry.hidden, &entry.crowding, &entry.exposed}) {
    *each *= times;
  }
  account.exchanges.push_back(entry);
}

void Ledger::drop_backward(std::size_t kernels, std::size_t exchanges) {
  for (std::size_t i = kernels; i < account.kernels.size(); ++i) {
    account.kernels[i].input_gradients = account.kernels[i].weight_gradients = 0;
  }
  const auto first = account.exchanges.begin() + static_cast<std::ptrdiff_t>(exchanges);
  account.exchanges.erase(std::remove_if(first, account.exchanges.end(),
                                         [](const ExchangeAccount& e) { return e.backward; }),
                          account.exchanges.end());
}

StepAccount StepModel::account(const Layout& layout) const {
  StepAccount out;
  add_rates(platform_, costs_, out);
  add_tiers(platform_, costs_.fabric, out);
  // Room for every kernel and exchange of the kinds of layers that a model has.
  constexpr std::size_t kMost = 1024;
  out.kernels.reserve(kMost);
  out.exchanges.reserve(kMost);
  Ledger ledger{out, costs_.fabric};
  out.time = evaluate(layout, &ledger);
  out.activation_bytes = memory(layout).activations;
  out.activations = memory_.activations(layout);
  return out;
}

bool per_replica(const ExchangeAccount& exchange) {
  return exchange.per == kPerLayers;
}
bool per_micro_batch(const ExchangeAccount& exchange) {
  return exchange.per == kPerMicroBatch;
}
bool per_step(const ExchangeAccount& exchange) {
  return exchange.per == kPerStep;
}

namespace {

double exposed(const StepAccount& a, bool (*of)(const ExchangeAccount&)) {
  double sum = 0;
  for (const ExchangeAccount& exchange : a.exchanges) sum += of(exchange) ? exchange.exposed : 0;
  return sum;
}

}  // namespace

double bubble_seconds(const StepAccount& a) {
  return a.micro_batches * a.stage_imbalance * (a.slowest_stage - a.mean_stage) +
         a.bubble_stages * (a.mean_stage + a.transfer + exposed(a, per_micro_batch));
}

double added_up(const StepAccount& a) {
  double replica = a.repeated + a.waiting + a.connector + exposed(a, per_replica);
  for (const KernelAccount& kernel : a.kernels) {
    replica += kernel.layers * (kernel.forward + kernel.input_gradients + kernel.weight_gradients);
  }
  const double each = replica / a.stages + a.transfer + exposed(a, per_micro_batch);
  const double step = a.micro_batches * each + bubble_seconds(a) + exposed(a, per_step) +
                      a.update_bytes / a.memory_rate + a.step_seconds;
  return (1 + a.imbalance) * a.slowdown / a.padding_efficiency * step;
}

}  // namespace trcost
