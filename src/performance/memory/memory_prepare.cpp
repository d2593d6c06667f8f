// SPDX-License-Identifier: Apache-2.0
// Preparation of a MemoryModel: bytes of a workload, summed over its blocks.
#include <algorithm>

#include "performance/memory/memory_model.h"
#include "workload/blocks/block.h"
#include "workload/blocks/vision.h"
#include "workload/trainable.h"
#include "workload/workload.h"

namespace trcost::performance {
namespace {

constexpr std::array<Recompute, 3> kModes{Recompute::none, Recompute::selective, Recompute::full};

bool is_low_precision(Precision precision) {
  return precision == Precision::fp8 || precision == Precision::mxfp8 ||
         precision == Precision::nvfp4;
}

/// Whether a block is a layer of GPT, which has dropout if its attention is materialised.
bool is_gpt(const Block& block) {
  const Core& core = block.core;
  return block.mlp == Mlp::plain && block.norm == Norm::layer && block.experts.count == 0 &&
         core.kv_latent == 0 && core.kv_heads == core.heads;
}

ActivationBytes scaled(const ActivationBytes& bytes, double factor) {
  return {bytes.hidden * factor, bytes.split * factor};
}

void add(ActivationBytes& sum, const ActivationBytes& part, double times) {
  sum.hidden += times * part.hidden;
  sum.split += times * part.split;
}

double linear_weights(const Block& block, bool routed) {
  double sum = 0;
  for (const Matrix& matrix : block.matrices) {
    if (matrix.routed == routed) sum += matrix.weights();
  }
  return sum;
}

}  // namespace

struct MemoryModel::Preparation {
  MemoryModel& model;
  const Workload& workload;
  Precision precision;
  bool eager_encoder;
  Gradients gradients = gradients_of(workload);
  double value_scale = is_single(precision) ? 2 : 1;  ///< 2 for values in 32 bits
  CrossTokens image = cross_tokens(workload);

  [[nodiscard]] const Passing& passing(Module module) const {
    if (module == Module::cross) return gradients.cross;
    return module == Module::encoder ? gradients.encoder : gradients.language;
  }
  /// Kind of adapters in the layers of a module.
  [[nodiscard]] Training adapters(Module module) const {
    if (module == Module::encoder) return workload.encoder_training;
    const bool none = module == Module::mtp || (module == Module::cross && bottlenecks());
    return none ? Training::frozen : workload.language_training;
  }
  /// Bottlenecks stand in the decoder's own layers only.
  [[nodiscard]] bool bottlenecks() const { return workload.language_training == Training::adapter; }

  /// Bytes of a frozen parameter that is not packed.
  [[nodiscard]] double frozen_bytes() const {
    if (is_low_precision(precision)) return model.recipe_.frozen_low_precision_bytes;
    const bool has_packed = workload.language_training == Training::qlora;
    return has_packed ? model.recipe_.unpacked_bytes : 2 * value_scale;
  }

  /// Bytes of `params` trainable or frozen parameters, `packed` of which are kept in 4 bits.
  [[nodiscard]] States states(double params, bool learn, double packed = 0) const {
    const StateBytes& per = model.recipe_.states;
    if (learn) return {0, params * per.weights, params * per.gradients, params * per.optimizer};
    return {(params - packed) * frozen_bytes() + packed * base_bytes(workload.base), 0, 0, 0};
  }
  /// Bytes of an auxiliary model, whose weights are never packed.
  [[nodiscard]] States auxiliary_states(double params, bool learn) const {
    if (learn || is_low_precision(precision)) return states(params, learn);
    return {params * 2 * value_scale, 0, 0, 0};
  }
  /// Bytes of `params` parameters of adapters.
  [[nodiscard]] States adapter_states(double params) const {
    const StateBytes& per = model.recipe_.adapter_states;
    return {0, params * per.weights, params * per.gradients, params * per.optimizer};
  }

  /// Bytes of one layer's matrices and vectors, or of its routed experts, with their adapters.
  [[nodiscard]] States states(const Run& run, bool routed) const {
    const Block& block = run.block;
    const Training training = adapters(run.module);
    const double params =
        routed ? expert_parameters(block, block.experts.count) : own_parameters(block);
    const bool packed = training == Training::qlora;
    States out =
        states(params, passing(run.module).weights, packed ? linear_weights(block, routed) : 0);
    const double rank = workload.lora_rank;
    if (low_rank(training)) {
      out.add(adapter_states(rank * adapter_widths(block, routed ? Adapted::routed : Adapted::own,
                                                   workload.lora_targets)),
              1);
    } else if (training == Training::adapter && !routed) {
      out.add(adapter_states(adapter_parameters(1, block.hidden, rank)), 1);
    }
    return out;
  }

  /// Length of a token's scores if attention is materialised, 0 if it is fused.
  [[nodiscard]] double score_length(const Run& run) const {
    if (run.module == Module::encoder) return eager_encoder ? attention_span(workload) : 0;
    if (workload.attention != Attention::standard) return 0;
    return run.module == Module::cross ? image.keys : workload.seq_length;
  }

  [[nodiscard]] LayerWidths widths(const Run& run) const {
    LayerWidths out = layer_widths(run.block, image.share);
    out.scores = run.block.core.heads * score_length(run) * score_scale();
    out.dropout = out.scores > 0 && run.module != Module::encoder && is_gpt(run.block);
    const Passing& of = passing(run.module);
    out.frozen = of.backward > 0 && !of.weights && !has_adapters(adapters(run.module));
    if (is_low_precision(precision)) out.input_bytes = model.recipe_.low_precision_inputs;
    out.gate_bytes = model.recipe_.gate_bytes;
    return out;
  }

  /// Bytes per token that low-rank adapters keep of their inputs.
  [[nodiscard]] double adapter_bytes(const Run& run) const {
    if (!low_rank(adapters(run.module))) return 0;
    return model.recipe_.adapter_input_bytes * adapter_inputs(run.block, workload.lora_targets);
  }

  /// Share of the scores that the stack keeps, over that of all activations, which add_run()
  /// applies.
  [[nodiscard]] double score_scale() const {
    const MemoryRecipe& recipe = model.recipe_;
    return recipe.activation_share > 0 ? recipe.score_share / recipe.activation_share : 0;
  }

  /// Share of the formula's bytes that the stack keeps.
  [[nodiscard]] double kept_share(Recompute mode) const {
    const MemoryRecipe& recipe = model.recipe_;
    if (mode == Recompute::full) return 1;
    return recipe.activation_share * (mode == Recompute::selective ? recipe.selective_share : 1);
  }

  /// Adds the layers of a run to the sums of their place.
  void add_run(const Run& run) const {
    Layers& of = model.layers_[place_index(run.place)];
    of.count += run.count;
    of.tokens = run.module == Module::encoder
                    ? workload.images_per_sequence * workload.encoder_tokens_per_image
                    : workload.seq_length;
    of.own.add(states(run, false), run.count);
    of.routed.add(states(run, true), run.count);
    if (run.module == Module::cross && image.keys <= 0) return;  // nothing to attend to, skipped
    const LayerWidths kept = widths(run);
    for (const Recompute mode : kModes) {
      const double share = kept_share(mode);
      ActivationBytes bytes = scaled(activation_bytes(kept, mode), value_scale * share);
      if (mode != Recompute::full) bytes.hidden += adapter_bytes(run);
      add(of.kept[static_cast<std::size_t>(mode)], bytes, run.count * passing(run.module).backward);
      if (mode == Recompute::none && bytes.per_token(1, false) > of.most.per_token(1, false)) {
        of.most = bytes;
      }
    }
    if (run.module == Module::encoder) return;
    // A packed base is gathered as it is kept.
    const bool packed = adapters(run.module) == Training::qlora;
    const double width = packed ? base_bytes(workload.base) : 2 * value_scale;
    model.layer_weights_ = std::max(model.layer_weights_, width * own_parameters(run.block));
    const double experts = expert_parameters(run.block, run.block.experts.count);
    model.expert_weights_ = std::max(model.expert_weights_, width * experts);
    const double live = packed ? 0 : model.recipe_.live_parameters;
    model.gathered_layers_ =
        std::max(model.gathered_layers_, live / (own_parameters(run.block) + experts));
    if (!passing(run.module).weights) return;
    model.layer_gradients_ =
        std::max(model.layer_gradients_, scattered_bytes() * own_parameters(run.block));
    model.expert_gradients_ = std::max(model.expert_gradients_, scattered_bytes() * experts);
  }

  /// Bytes per parameter of a whole gradient and of its copy in the format in which ranks sum it
  /// (PyTorch FSDP, MixedPrecisionPolicy reduce_dtype; DeepSpeed, contiguous_gradients).
  [[nodiscard]] double scattered_bytes() const {
    return 2 * value_scale + model.recipe_.states.gradients;
  }

  void add_layers() const {
    model.gathered_layers_ = model.recipe_.unsharded_layers;
    for (const Run& run : blocks_of(workload)) add_run(run);
    for (Layers& of : model.layers_) {
      if (of.count <= 0) continue;
      const double each = 1 / of.count;
      States own, routed;
      own.add(of.own, each);
      routed.add(of.routed, each);
      of.own = own;
      of.routed = routed;
      for (ActivationBytes& kept : of.kept) kept = scaled(kept, each);
    }
  }

  /// Adds embedding, head and encoder.
  void add_ends() const {
    const LanguageModel& m = workload.language;
    const ParameterCounts counts = count_parameters(m);
    const bool embedding = gradients.head.weights;
    model.first_ = states(counts.embedding, embedding);
    model.last_ = states(norm_vectors(m.norm, m.hidden, m.norm_bias), gradients.language.weights);
    if (m.tied_embeddings) {
      model.tied_head_ = states(counts.embedding, embedding);
    } else {
      model.last_.add(states(counts.head, embedding), 1);
    }
    model.embedding_weights_ = 2 * value_scale * counts.embedding;
    model.tied_ = m.tied_embeddings;
    model.head_weights_ = 2 * value_scale * (m.tied_embeddings ? counts.embedding : counts.head);
    if (embedding) {
      model.head_gradients_ =
          scattered_bytes() * (m.tied_embeddings ? counts.embedding : counts.head);
    }
    // Each module that predicts a further token has logits of its own, all of them kept for the
    // backward pass (Megatron-Core multi_token_prediction.py, process_mtp_loss).
    const double outputs = workload.loss == Loss::chunked ? 1 : 1 + m.mtp_layers;
    model.logit_bytes_ = model.recipe_.logits_bytes * head_outputs(m) * outputs;
    model.logit_gradient_ = 2 * head_outputs(m);
    if (workload.encoder) add_vision();
  }

  void add_vision() const {
    const Encoder& encoder = *workload.encoder;
    if (!workload.cached_features) {
      const double around =
          encoder_parameters(encoder) - encoder.layers * own_parameters(encoder_block(encoder));
      model.first_.add(states(around, gradients.encoder.weights), 1);
    }
    if (!workload.connector) return;
    const double connector =
        connector_parameters(*workload.connector, encoder, workload.language.hidden);
    model.first_.add(states(connector, gradients.connector.weights), 1);
    if (gradients.connector.backward <= 0) return;
    model.connector_kept_ =
        2 * value_scale * model.recipe_.activation_share * workload.images_per_sequence *
        connector_kept_values(*workload.connector, encoder, workload.language.hidden,
                              workload.encoder_tokens_per_image, connector_tokens(workload));
  }
};

MemoryModel::MemoryModel(const Workload& workload, const MemoryRecipe& recipe, Precision precision,
                         double capacity, double domain, bool eager_encoder)
    : MemoryModel(workload, make_pipeline_layers(workload), recipe, precision, capacity, domain,
                  eager_encoder) {}

MemoryModel::MemoryModel(const Workload& workload, const PipelineLayers& pipeline,
                         const MemoryRecipe& recipe, Precision precision, double capacity,
                         double domain, bool eager_encoder)
    : recipe_(recipe),
      offload_(workload.offload),
      capacity_(recipe.plan_share * capacity),
      domain_(domain),
      pipeline_layers_(pipeline),
      experts_(workload.language.moe.has_value()),
      seq_length_(workload.seq_length) {
  const LanguageModel& m = workload.language;
  const Preparation prepare{*this, workload, precision, eager_encoder};
  if (is_single(precision)) recipe_.states = recipe_.adapter_states = {4, 4, 8};
  for (StateBytes* states : {&recipe_.states, &recipe_.adapter_states}) {
    *states = state_bytes(formats_of(workload), *states, 2 * prepare.value_scale);
  }
  if (workload.optimizer != Optimizer::adamw_bf16) recipe_.update_copies = 0;
  if (workload.loss)
    recipe_.logits_bytes = bytes_per_logit(*workload.loss, head_outputs(m), m.hidden);
  if (offload_.optimizer) {
    // The device keeps 16-bit weights and gradients (ZeRO-Offload, arXiv:2101.06840, section 4).
    // The host's AdamW reads 32-bit gradients: 16 bytes with master weights and moments (DeepSpeed,
    // estimate_zero3_model_states_mem_needs).
    for (StateBytes* states : {&recipe_.states, &recipe_.adapter_states}) {
      const double width = 2 * prepare.value_scale;
      const double master = states->weights > width ? states->weights : 0;
      const double gradients =
          lacks_master(workload.optimizer) ? states->gradients : std::max(4.0, states->gradients);
      *states = {width, width, master + gradients + states->optimizer};
    }
  }
  prepare.add_layers();
  prepare.add_ends();
  has_auxiliary_models_ = !workload.others.empty();
  for (const HeldModel& other : workload.others) {
    auxiliary_.add(prepare.auxiliary_states(other.params.total - other.params.expert, other.learns),
                   1);
    auxiliary_experts_.add(prepare.auxiliary_states(other.params.expert, other.learns), 1);
  }
}

}  // namespace trcost::performance
