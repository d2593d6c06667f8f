// SPDX-License-Identifier: Apache-2.0
// What one step was added up from, as the step model evaluated it: enough to add it up again by
// hand.
//
//   step = (1 + imbalance) x slowdown / padding_efficiency x (
//            micro_batches / stages x (kernels + repeated + waiting + connector + exchange of a
//            micro-batch)
//            + micro_batches x stage_imbalance x (slowest_stage - mean_stage)
//            + bubble_stages x (mean_stage + transfer + exchange of replicas per micro-batch)
//            + micro_batches x (transfer + exchange of replicas per micro-batch)
//            + exchange of replicas per step + update_bytes / memory rate + step_seconds)
//
// in seconds: kernels are the sum over the list of layers x (forward + input_gradients +
// weight_gradients), exchanges that of `exposed` by `per`.
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

/// A kernel of one layer, rank and micro-batch.
enum class KernelKind : std::uint8_t { matmul, grouped_matmul, attention, elementwise, adapters };
/// `matmul`, `grouped matmul`, ...
std::string_view kernel_name(KernelKind kind);

struct KernelAccount {
  std::string_view module = {};  ///< `layers`, `head`, `vision encoder`
  KernelKind kind{};
  double layers = 0;           ///< that it stands in, over the whole model
  double m = 0, n = 0, k = 0;  ///< of a matmul, of one rank; 0 where it is none
  double flops = 0;            ///< forward
  double bytes = 0;            ///< of memory moved, forward
  double forward = 0, input_gradients = 0, weight_gradients = 0;  ///< seconds
  AttentionTime attention = {};                                   ///< of an attention's core
  ElementwiseTime elementwise = {};
  double rate = 0;            ///< FLOP/s of a matmul, with the tiles that few tokens leave empty
  double gradient_bytes = 0;  ///< of memory moved by the gradient of its weights
};

/// What ranks exchange, and how much of it shows.
struct ExchangeAccount {
  std::string_view name = {};    ///< `tensor parallel, forward`
  std::string_view per = {};     ///< `micro-batch` of a replica; `micro-batch of a rank`; `step`
  std::string_view behind = {};  ///< what hides it, empty where nothing does
  double times = 0;              ///< collectives in that
  double bytes = 0;              ///< of one, whole
  double members = 0;            ///< ranks
  std::array<double, 4> tier_bytes{};  ///< of one, per rank over each tier, innermost first
  double each = 0;                     ///< seconds of one: of its collectives times x seconds
  double window = 0;                   ///< seconds of work that could hide them
  double hidden = 0;                   ///< seconds that it does
  double crowding = 0;                 ///< seconds that the hidden part costs the work
  double exposed = 0;                  ///< seconds that show: times x each - hidden + crowding
  bool backward = false;               ///< in the backward pass
  std::array<CollectiveAccount, 4> collectives{};
  std::size_t collective_count = 0;
  // hidden = min(hideable x times x each, window), window = window_share x passes x seconds of
  // work.
  double hideable = 1;        ///< share of the exchange that software can hide
  double window_share = 1;    ///< share of the work that hides
  double passes = 1;          ///< of micro-batches that an exchange runs beside
  double crowding_share = 0;  ///< crowding over the hidden seconds; of a ring, over the attention's
  bool ring = false;          ///< around which keys and values travel: see crowding_share
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

struct StepAccount {
  // Rates of the chip under the software.
  double peak_flops = 0;       ///< dense, of the format in use
  double matmul_flops = 0;     ///< FLOP/s of a large matmul
  double attention_flops = 0;  ///< of a long sequence's core, forward
  double memory_bytes = 0;     ///< bytes/s as specified
  double memory_rate = 0;      ///< bytes/s that streaming kernels reach
  double elementwise_rate =
      0;  ///< bytes/s of fused traffic, with what the software moves beside it
  double ramp_seconds = 0, gap_seconds = 0;  ///< of a matmul; between kernels
  double half_bytes = 0;                     ///< payload at half of the innermost tier's rate
  std::vector<TierAccount> tiers;
  std::vector<KernelAccount> kernels;
  std::vector<ExchangeAccount> exchanges;
  // A micro-batch through one replica, seconds over all its stages.
  double repeated = 0;  ///< forward work done again
  RepeatedTime repeated_layers = {}, repeated_encoder = {};
  HostTime host_forward = {}, host_backward = {};
  double waiting_forward = 0, waiting_backward = 0;
  double block_seconds = 0, dispatch_seconds = 0;  ///< of the host: a block, a collective
  double waiting = 0;                              ///< for the host that issues kernels
  double connector = 0;                            ///< projector of images
  double connector_flops = 0, connector_rate = 0;  ///< of a rank's micro-batch
  // The pipeline.
  double micro_batches = 0, stages = 1, virtual_stages = 1;
  double mean_stage = 0, slowest_stage = 0;  ///< seconds of a micro-batch
  double stage_imbalance = 0;                ///< share of the slowest stage's surplus that shows
  StageParts parts = {};                     ///< what the stages are added up from
  StageLayers stage_layers = {};             ///< language layers on them
  double model_layers = 0;
  double bubble_stages = 0;   ///< (stages - 1) / virtual_stages
  double transfer = 0;        ///< exposed between stages, per micro-batch
  double transfers = 0;       ///< in that, of `stage_transfer`
  double transfer_shown = 1;  ///< share of their seconds that nothing hides
  CollectiveAccount stage_transfer = {};
  // The update.
  double update_parameters = 0;  ///< of a rank
  double update_bytes = 0;       ///< of memory, for them
  double step_seconds = 0;       ///< fixed
  // On everything.
  double imbalance = 0;  ///< (1 + straggler x log2 hosts) x uneven - 1
  double straggler = 0, hosts = 1, uneven = 1;
  double slowdown = 1;  ///< of software that nobody tuned
  double padding_efficiency = 1;
  double activation_bytes = 0;  ///< kept on the fullest stage
  ActivationAccount activations = {};
  StepTime time;
};

/// Values of ExchangeAccount::per.
inline constexpr std::string_view kPerLayers = "micro-batch";
inline constexpr std::string_view kPerMicroBatch = "micro-batch of a rank";
inline constexpr std::string_view kPerStep = "step";
bool per_replica(const ExchangeAccount& exchange);
bool per_micro_batch(const ExchangeAccount& exchange);
bool per_step(const ExchangeAccount& exchange);
/// Waiting for the slowest stage, filling and draining.
double bubble_seconds(const StepAccount& account);
/// The step's seconds again, by the formula above.
double added_up(const StepAccount& account);

}  // namespace trcost::performance
