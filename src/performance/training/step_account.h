// SPDX-License-Identifier: Apache-2.0
// Parts of one step, as the step model evaluated it. They add up to its seconds:
//
//   step = (1 + imbalance) x slowdown / padding_efficiency x (
//            micro_batches / stages x (kernels + repeated + waiting + connector + exchange of a
//            micro-batch)
//            + micro_batches x stage_imbalance x (slowest_stage - mean_stage)
//            + bubble_stages x (mean_stage + transfer + exchange of replicas per micro-batch)
//            + micro_batches x (transfer + exchange of replicas per micro-batch)
//            + exchange of replicas per step + update_bytes / memory rate + step_seconds)
//
// kernels: sum over the list of layers x (forward + input_gradients + weight_gradients).
// exchange: sum of `exposed` by `per`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "performance/exchange/collectives.h"
#include "performance/training/kernels.h"
#include "performance/training/step.h"
#include "quantity/layers.h"

namespace trcost::performance {

/// Kind of a kernel.
enum class KernelKind : std::uint8_t { matmul, grouped_matmul, attention, elementwise, adapters };
/// `matmul`, `grouped matmul`, ...
std::string_view kernel_name(KernelKind kind);

/// A kernel of one layer, rank and micro-batch.
struct KernelAccount {
  std::string_view module = {};  ///< `layers`, `head`, `vision encoder`
  KernelKind kind{};
  double layers = 0;           ///< with this kernel, over the whole model
  double m = 0, n = 0, k = 0;  ///< sizes of a matmul on one rank, else 0
  double flops = 0;            ///< forward
  double bytes = 0;            ///< of memory moved, forward
  double forward = 0, input_gradients = 0, weight_gradients = 0;  ///< seconds
  AttentionTime attention = {};  ///< parts of an attention's seconds
  ElementwiseTime elementwise = {};
  double rate = 0;            ///< FLOP/s of a matmul, including tiles that few tokens leave empty
  double gradient_bytes = 0;  ///< of memory moved by the gradient of its weights
};

/// One exchange between ranks and its exposed seconds.
struct ExchangeAccount {
  std::string_view name = {};          ///< `tensor parallel, forward`
  std::string_view per = {};           ///< kPerLayers, kPerMicroBatch or kPerStep
  std::string_view behind = {};        ///< work that hides it, empty if none
  double times = 0;                    ///< number of collectives
  double bytes = 0;                    ///< of one, whole
  double members = 0;                  ///< ranks
  std::array<double, 4> tier_bytes{};  ///< of one, per rank over each tier, innermost first
  double each = 0;                     ///< seconds of one: of its collectives times x seconds
  double window = 0;                   ///< seconds of work that could hide it
  double hidden = 0;                   ///< hidden seconds
  double crowding = 0;                 ///< seconds that the work loses by hiding it
  double exposed = 0;                  ///< exposed seconds: times x each - hidden + crowding
  bool backward = false;               ///< in the backward pass
  std::array<CollectiveAccount, 4> collectives{};
  std::size_t collective_count = 0;
  // hidden = min(hideable x times x each, window), window = window_share x passes x seconds of
  // work.
  double hideable = 1;        ///< share of the exchange that software can hide
  double window_share = 1;    ///< share of the work that hides
  double passes = 1;          ///< micro-batches that an exchange overlaps
  double crowding_share = 0;  ///< crowding over the hidden seconds, or over a ring's attention
  bool ring = false;          ///< keys and values travel around a ring: see crowding_share
  void add(CollectiveAccount one, double count) {
    one.times = count;
    collectives[collective_count++] = one;
  }
};

/// A tier of the network.
struct TierAccount {
  std::string name;
  double size = 0;              ///< accelerators within one domain, 0 for all
  double bytes_per_second = 0;  ///< per accelerator and direction, as specified
  double efficiency = 0;        ///< share of it that large exchanges reach
  double latency_seconds = 0;
};

/// All parts of a step.
struct StepAccount {
  // Rates of the chip under the software.
  double peak_flops = 0;        ///< dense, of the format in use
  double matmul_flops = 0;      ///< FLOP/s of a large matmul
  double attention_flops = 0;   ///< of a long sequence's core, forward
  double memory_bytes = 0;      ///< bytes/s as specified
  double memory_rate = 0;       ///< bytes/s that streaming kernels reach
  double elementwise_rate = 0;  ///< bytes/s of element-wise traffic under the stack
  double ramp_seconds = 0;      ///< start of a matmul
  double gap_seconds = 0;       ///< between kernels
  double half_bytes = 0;        ///< payload at half of the innermost tier's rate
  std::vector<TierAccount> tiers;
  std::vector<KernelAccount> kernels;
  std::vector<ExchangeAccount> exchanges;
  StepParts step;
  double block_seconds = 0, dispatch_seconds = 0;  ///< of the host per block and per collective
  double connector_flops = 0, connector_rate = 0;  ///< of a rank's micro-batch
  double micro_batches = 0, stages = 1, virtual_stages = 1;
  double model_layers = 0;
  double stage_imbalance = 0;  ///< exposed share of the slowest stage's surplus
  double bubble_stages = 0;    ///< (stages - 1) / virtual_stages
  CollectiveAccount stage_transfer = {};
  double update_parameters = 0;      ///< of a rank
  double update_flops = 0;           ///< of a rank, of Muon alone
  double update_bytes = 0;           ///< of memory, for them
  double step_seconds = 0;           ///< fixed
  double straggler = 0, uneven = 1;  ///< imbalance = (1 + straggler x log2 hosts) x uneven - 1
  double slowdown = 1;               ///< of software that is not tuned
  double padding_efficiency = 1;
  double activation_bytes = 0;  ///< kept on the fullest stage
  ActivationAccount activations = {};
};

/// Values of ExchangeAccount::per.
inline constexpr std::string_view kPerLayers = "micro-batch";
inline constexpr std::string_view kPerMicroBatch = "micro-batch of a rank";
inline constexpr std::string_view kPerStep = "step";
bool per_replica(const ExchangeAccount& exchange);
bool per_micro_batch(const ExchangeAccount& exchange);
bool per_step(const ExchangeAccount& exchange);
/// Seconds of waiting for the slowest stage, filling and draining the pipeline.
double bubble_seconds(const StepAccount& account);
/// Seconds of the step by the formula above.
double added_up(const StepAccount& account);

}  // namespace trcost::performance
