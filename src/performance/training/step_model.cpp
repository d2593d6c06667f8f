// SPDX-License-Identifier: Apache-2.0
// Preparation: everything about a workload on a platform that no layout changes.
#include <algorithm>

#include "catalog/software/stacks.h"
#include "performance/exchange/collectives.h"
#include "performance/memory/memory.h"
#include "performance/training/kernels.h"
#include "performance/training/layer_shape.h"
#include "performance/training/step_model.h"
#include "workload/blocks/block.h"
#include "workload/blocks/vision.h"
#include "workload/flops.h"
#include "workload/trainable.h"
#include "workload/workload.h"

namespace trcost::performance {
namespace {

void prepare_passes(const Workload& workload, const Platform& platform, StepCosts& costs) {
  const bool vision = workload.vision();
  const Gradients gradients = gradients_of(workload);
  costs.language_backward = gradients.head.backward > 0;
  costs.head_wgrad = gradients.head.weights;
  costs.encoder_backward = gradients.encoder.backward > 0;
  costs.materialised = workload.attention == Attention::standard;
  const Stack& stack = *platform.stack;
  costs.encoder_materialised = materialised_encoder(workload, stack);
  costs.offload = workload.offload;
  costs.gather_seconds = vision ? stack.vision_gather_seconds : 0;
  // Weights in fewer bits are read and written in 16 bit before each matmul.
  if (workload.language_training == Training::qlora) {
    const double read = workload.base == BaseFormat::int8 ? 1 : 0.5;
    const double fused = platform.kernels == Kernels::fused ? stack.fused_dequantise : 1;
    costs.dequantise = (read + 2) * stack.dequantise_traffic * fused;
  }
  costs.gather_width = workload.gather_width;
  costs.gradient_width = workload.gradient_width.value_or(stack.gradient_bytes);
}

void prepare_parameters(const Workload& workload, const Platform& platform, StepCosts& costs) {
  const LanguageModel& model = workload.language;
  const ParameterCounts counts = count_parameters(model);
  costs.parameters_expert = counts.expert + counts.mtp_expert;
  costs.parameters_dense = counts.language + counts.mtp - costs.parameters_expert;
  if (workload.encoder && !workload.cached_features) {
    costs.parameters_dense += encoder_parameters(*workload.encoder);
  }
  if (workload.connector && workload.encoder) {
    costs.parameters_dense +=
        connector_parameters(*workload.connector, *workload.encoder, model.hidden);
  }
  costs.dense_width = costs.expert_width = workload.gather_width;
  // A packed base is gathered as it is kept (bnb_4bit_quant_storage of bitsandbytes and FSDP).
  if (workload.language_training == Training::qlora) {
    costs.expert_width = base_bytes(workload.base);
    const double packed = counts.layers - counts.expert;
    costs.dense_width += packed / costs.parameters_dense * (costs.expert_width - costs.dense_width);
  }
  const TrainableCounts trainable = count_trainable(workload);
  const bool all = gradients_of(workload).language.weights;
  costs.trainable_expert = all ? costs.parameters_expert : 0;
  costs.update_traffic = update_traffic(formats_of(workload), platform.stack->optimizer_bytes,
                                        is_single(platform.precision) ? 4 : 2);
  costs.trainable_dense = trainable.total + (all ? counts.mtp : 0) - costs.trainable_expert;
}

// Shape of the kind of layers that a run belongs to. A multi-token-prediction module counts as one
// more of the layers with the same mixer and feed-forward, if there are such.
LayerShape& find_or_add_shape(const Workload& workload, const Run& run, StepCosts& costs) {
  const LayerShape shape = decoder_layer_shape(workload, run.block);
  if (run.module == Module::mtp) {
    const auto alike = [&](const LayerShape& known) {
      return known.experts == shape.experts && known.attention_flops == shape.attention_flops;
    };
    const auto known = std::ranges::find_if(costs.own, alike);
    if (known != costs.own.end()) return *known;
  }
  return costs.own.emplace_back(shape);
}

void prepare_layers(const Workload& workload, StepCosts& costs) {
  const LanguageModel& model = workload.language;
  const Gradients gradients = gradients_of(workload);
  costs.head_count = model.output_head ? 1 + model.mtp_layers : 0;
  for (const Run& run : blocks_of(workload)) {
    if (run.module == Module::encoder) {
      costs.encoder = encoder_layer_shape(run.block, attention_span(workload));
      costs.encoder.count = run.count;
      costs.encoder.learns = gradients.encoder.weights;
      costs.encoder_tokens = workload.images_per_sequence * workload.encoder_tokens_per_image;
    } else if (run.module == Module::cross) {
      if (cross_tokens(workload).keys <= 0) continue;
      costs.cross = cross_layer_shape(workload, run.block);
      costs.cross.count = run.count;
      costs.cross.learns = gradients.cross.weights;
    } else {
      if (workload.optimizer == Optimizer::muon && gradients.language.weights) {
        const UpdateFlops update = muon_flops(run.block);
        costs.update_flops_dense += run.count * update.own;
        costs.update_flops_expert += run.count * update.routed;
      }
      LayerShape& shape = find_or_add_shape(workload, run, costs);
      shape.count += run.count;
      shape.learns = gradients.language.weights;
    }
  }
}

void prepare_flops(const Workload& workload, StepCosts& costs) {
  const double s = workload.seq_length;
  const TrainingFlops training = training_flops(workload);
  const ForwardFlops forward = forward_flops(workload);
  costs.model_flops = training.total() * s;
  costs.forward_flops =
      (forward.layers_gemm + forward.attention_core + forward.cross_attention) * s;
  costs.core_flops = (forward.attention_core + forward.cross_attention_core) * s;
  costs.vision_flops = (training.encoder() + training.connector()) * s;
  costs.connector_flops = training.connector() * s;
}

// Share of each exchange that the software can hide and this run does.
Overlap hideable_overlap(const Platform& platform) {
  const Stack& stack = *platform.stack;
  Overlap run = platform.overlap;
  run.tensor *= stack.tensor_overlap;
  run.expert_network = std::max(run.expert_network, run.expert * stack.expert_network_overlap);
  run.expert *= stack.expert_overlap;
  run.pipeline *= stack.pipeline_overlap;
  run.data *= stack.data_overlap;
  return run;
}

}  // namespace

StepCosts StepModel::prepare(const Workload& workload, const Platform& platform) {
  StepCosts costs;
  costs.device = prepare_device_costs(platform, workload.attention);
  costs.overlap = hideable_overlap(platform);
  costs.fabric = prepare_fabric(*platform.system, *platform.efficiency);
  for (std::size_t tier = 0; tier < costs.fabric.seconds_per_byte.size(); ++tier) {
    costs.fabric.seconds_per_byte[tier] *= platform.stack->exchange_time;
    costs.fabric.latency_seconds[tier] *= platform.stack->exchange_time;
  }
  prepare_passes(workload, platform, costs);
  prepare_parameters(workload, platform, costs);
  prepare_layers(workload, costs);
  prepare_flops(workload, costs);
  costs.pipeline_layers = make_pipeline_layers(workload);
  if (costs.pipeline_layers.encoder_at(1) > 0)
    costs.pipeline_layers = partition_layers_by_time(costs, workload, platform);
  return costs;
}

StepModel::StepModel(const Workload& workload, const Platform& platform)
    : workload_(workload), platform_(platform), costs_(prepare(workload_, platform_)) {}

}  // namespace trcost::performance
