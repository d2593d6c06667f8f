// SPDX-License-Identifier: Apache-2.0
#include "performance/memory/pipeline.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "workload/blocks/block.h"
#include "workload/flops.h"
#include "workload/workload.h"

namespace trcost::performance {
namespace {

double& layers_at(std::array<double, kPlaces>& layers, Place place) {
  return layers[place_index(place)];
}

// FLOPs of encoder and connector over those of a layer, of all their passes.
double encoder_in_layers(const Workload& w, double layers) {
  const TrainingFlops training = training_flops(w);
  const ForwardFlops forward = forward_flops(w);
  const double own = forward.layers_gemm + forward.attention_core + forward.cross_attention;
  const double passes = training.language() / training.language_forward;
  return (training.encoder() + training.connector()) * layers / (own * passes);
}

}  // namespace

double PipelineLayers::count() const noexcept {
  return std::accumulate(layers.begin(), layers.end(), 0.0);
}

double PipelineLayers::encoder_at(int tp) const noexcept {
  const auto doublings = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(tp)) - 1);
  return encoder[std::min(doublings, encoder.size() - 1)];
}

PipelineLayers make_pipeline_layers(const Workload& w) {
  PipelineLayers out;
  for (const Run& run : blocks_of(w.language)) layers_at(out.layers, run.place) += run.count;
  out.head = head_in_layers(w.language);
  if (w.encoder) out.encoder.fill(encoder_in_layers(w, out.count()));
  return out;
}

StageLayers partition_layers(double layers, double stages, double head) noexcept {
  const double most = std::ceil(layers / stages), missing = most * stages - layers;
  const double half = std::ceil(missing / 2);
  const double at_head = missing > 2 ? std::fmin(missing, std::fmax(half, std::ceil(head))) : half;
  const auto without = [&](double fewer) { return most - std::fmin(fewer, most - 1); };
  return {without(missing - at_head), most, without(at_head)};
}

StageLayers balance_stages_with_encoder(double encoder, double layers, double stages,
                                        double head) noexcept {
  constexpr double kUneven = 0.5;
  const double all = (layers + encoder + head) / stages;
  const double mean = encoder < all ? all : (layers + head) / (stages - 1);
  const auto layers_next_to = [&](double work) { return work < mean ? mean - work + kUneven : 0; };
  return {encoder < all ? layers_next_to(encoder) : 0, layers_next_to(0), layers_next_to(head)};
}

StageLayers partition_stages(const PipelineLayers& pipeline, const Layout& layout) noexcept {
  const double layers = pipeline.count(), stages = layout.pp;
  const double encoder = pipeline.encoder_at(layout.tp);
  if (encoder <= 0 || stages <= 1) return partition_layers(layers, stages, pipeline.head);
  return balance_stages_with_encoder(encoder, layers, stages, pipeline.head);
}

std::array<double, kPlaces> stage_layers_by_place(const PipelineLayers& pipeline,
                                                  const StageLayers& each,
                                                  PipelineStage stage) noexcept {
  const double layers = stage == PipelineStage::first   ? each.first
                        : stage == PipelineStage::inner ? each.inner
                                                        : each.last;
  std::array<double, kPlaces> out{}, left = pipeline.layers;
  const auto take = [&](Place place, double most) {
    layers_at(out, place) = std::clamp(most, 0.0, layers_at(left, place));
    return layers_at(out, place);
  };
  double room = layers;
  if (stage == PipelineStage::first) room -= take(Place::first, room);
  if (stage == PipelineStage::last) room -= take(Place::last, room);
  room -= take(Place::spread, room);
  // Layers that the neighbouring stages have no room for.
  (stage == PipelineStage::first ? layers_at(out, Place::last) : layers_at(out, Place::first)) +=
      room;
  return out;
}

double interleaving_group(double pp, double micro_batches) noexcept {
  for (double group = pp; group <= micro_batches; ++group) {
    const double rest = std::fmod(micro_batches, group);
    if (rest == 0 || rest >= pp) return group;
  }
  return 0;
}

double micro_batches_in_flight(double pp, double vp, double micro_batches, double behind) noexcept {
  double scheduled = pp - behind;
  if (vp > 1 && pp > 1) {
    const double group = std::fmax(pp, interleaving_group(pp, micro_batches));
    scheduled = ((vp - 1) * group + 2 * (pp - 1 - behind) + 1) / vp;
  }
  return std::max(1 / vp, std::min(scheduled, std::max(1.0, micro_batches)));
}

StageTimes stage_times(const PipelineLayers& pipeline, const StageParts& parts,
                       double stages) noexcept {
  const double layers = pipeline.count();
  const double total = layers * parts.layer + parts.head + parts.encoder;
  if (stages <= 1) return {total, total};
  const double mean = total / stages;
  const StageLayers each = parts.encoder > 0
                               ? balance_stages_with_encoder(parts.encoder / parts.layer, layers,
                                                             stages, parts.head / parts.layer)
                               : partition_layers(layers, stages, pipeline.head);
  const double slowest = std::max({each.first * parts.layer + parts.encoder,
                                   each.inner * parts.layer, each.last * parts.layer + parts.head});
  return {mean, std::max(mean, slowest), each};
}

double bubble_stages(double stages, double virtual_stages) noexcept {
  return (stages - 1) / virtual_stages;
}

}  // namespace trcost::performance
