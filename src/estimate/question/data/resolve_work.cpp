// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/data/resolve_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalog/assumed.h"
#include "catalog/models/model.h"
#include "estimate/question/data/resolve_images.h"
#include "estimate/question/data/resolve_sequence.h"
#include "estimate/question/work/resolve_model.h"
#include "performance/serving/rollout.h"
#include "quantity/quantity.h"
#include "scenario/fields.h"
#include "trcost/error.h"
#include "workload/default_model.h"
#include "workload/flops.h"
#include "workload/method.h"
#include "workload/trainable.h"
#include "workload/workload.h"

namespace trcost::estimation {
namespace {

AdapterTargets resolve_targets(const Scenario& scenario) {
  if (!scenario.has(Field::train_lora_targets)) return target::all;
  AdapterTargets targets = 0;
  for (const std::string& word : scenario.names(Field::train_lora_targets)) {
    targets |= value_of(kAdapterTargets, word);
  }
  return targets;
}

// --attention and --loss win over what --kernels implies.
void resolve_kernels(const Scenario& scenario, Workload& work) {
  const auto kernels = find_value(kKernelSets, scenario.text(Field::efficiency_kernels));
  work.attention = value_of(kAttentions, scenario.text(Field::train_attention));
  if (kernels == Kernels::plain && !scenario.has(Field::train_attention)) {
    work.attention = Attention::masked;
  }
  if (scenario.has(Field::train_loss)) {
    work.loss = value_of(kLosses, scenario.text(Field::train_loss));
  } else if (kernels == Kernels::fused) {
    work.loss = Loss::chunked;
  }
}

// A base in fewer bits makes lora what qlora is.
void resolve_base(const Scenario& scenario, Workload& work) {
  if (!scenario.has(Field::train_base_precision)) return;
  work.base = value_of(kBaseFormats, scenario.text(Field::train_base_precision));
  const bool whole = work.base == BaseFormat::bf16;
  if (whole && work.language_training == Training::qlora) {
    throw Error(ErrorKind::usage, "--train qlora has a base in 4 bits, not bf16",
                "write --train lora, or leave --base-precision out");
  }
  if (!whole && work.language_training == Training::lora) work.language_training = Training::qlora;
}

void resolve_formats(const Scenario& scenario, Workload& work) {
  work.optimizer = value_of(kOptimizers, scenario.text(Field::train_optimizer));
  const auto width = [&](Field field, const auto& formats) -> std::optional<double> {
    if (!scenario.has(field)) return std::nullopt;
    return value_of(formats, scenario.text(field));
  };
  work.gradient_width = width(Field::train_gradient_precision, kGradientFormats);
  work.moment_width = width(Field::train_moment_precision, kMomentFormats);
  work.gather_width = width(Field::train_gather_precision, kGatherFormats).value_or(2);
}

// In a mixture of experts the choice of adapted matrices decides nearly all trainable parameters.
void note_adapted_experts(const Workload& work, Notes& notes) {
  const bool chosen = work.lora_targets != target::all;
  if (!notes.wanted() || !low_rank(work.language_training) || !work.language.moe || chosen) return;
  const double all = lora_parameters(work.language, work.lora_rank, work.lora_targets);
  const double routed = routed_lora_parameters(work.language, work.lora_rank, work.lora_targets);
  notes.add({"train.lora_targets", "all-linear", "",
             fmt::format("adapters go on attention, on every one of {:.0f} experts and on what is "
                         "shared, not on the router: {} of {} adapter parameters are the experts'; "
                         "software that leaves experts out trains the other {} alone",
                         work.language.moe->experts, format_number(routed, NumberKind::count),
                         format_number(all, NumberKind::count),
                         format_number(all - routed, NumberKind::count)),
             "as target_modules \"all-linear\" of peft does where experts are linear layers; LoRA, "
             "arXiv:2106.09685, section 4.1"});
}

// Inserted cross-attention layers hold nearly all parameters of the connector, so whether they
// learn in full decides most of the trainable parameters.
void note_adapted_cross_attention(const Workload& work, Notes& notes) {
  const auto& cross = work.language.cross_attention;
  if (!notes.wanted() || !cross || !has_adapters(work.language_training)) return;
  const bool adapted = low_rank(work.language_training);
  notes.add(
      {"train.cross_attention", adapted ? "adapters" : "frozen", "",
       fmt::format("the {:.0f} inserted layers of cross-attention stand in the language model "
                   "and learn as it does: {}",
                   cross->layers,
                   adapted ? "their matrices are frozen, with adapters beside them"
                           : "they are frozen, bottlenecks stand in its own layers"),
       "torchtune recipes/configs/llama3_2_vision/11B_lora.yaml (fusion_trainable: lora)"});
}

// An ignored input without a warning would mislead.
void warn_about_unused(const Scenario& scenario, const Workload& work, Notes& notes) {
  const auto unused = [&](Precondition missing) {
    for (std::string& text : unused_without(scenario, missing)) notes.warn(std::move(text));
  };
  const bool adapted = has_adapters(work.language_training) ||
                       (work.vision() && has_adapters(work.encoder_training));
  if (!adapted) unused(Precondition::adapters);
  if (!work.vision()) unused(Precondition::vision);
}

void resolve_recipe(const Scenario& scenario, Workload& work, Notes& notes) {
  const std::string_view word = scenario.text(Field::train_recipe);
  if (!scenario.has(Field::train_recipe)) notes.fallback(Field::train_recipe, word);
  const Recipe recipe = value_of(kRecipes, word);
  const auto module = [&](Field field, Training otherwise) {
    return scenario.has(field) ? value_of(kTrainings, scenario.text(field)) : otherwise;
  };
  work.language_training = module(Field::train_language, recipe.language);
  work.encoder_training = module(Field::train_encoder, recipe.encoder);
  work.connector_training = module(Field::train_connector, recipe.connector);
  const bool vision = work.vision();
  if (!vision && recipe.of_vision) {
    throw Error(ErrorKind::usage, fmt::format("--train {} needs a vision-language model", word),
                "add --modality vl, or choose a model with vision");
  }
  const bool any = learns(work.language_training) ||
                   (vision && (learns(work.encoder_training) || learns(work.connector_training)));
  if (!any) {
    throw Error(ErrorKind::usage, "this recipe trains nothing",
                "set --train-language, --train-encoder or --train-connector to full or lora");
  }
  resolve_base(scenario, work);
  warn_about_unused(scenario, work, notes);
  work.lora_rank = scenario.number_or_default(Field::train_lora_rank);
  if (has_adapters(work.language_training) && !scenario.has(Field::train_lora_rank)) {
    notes.fallback(Field::train_lora_rank, work.lora_rank);
  }
  work.lora_targets = resolve_targets(scenario);
  const bool experts_adapted = work.language.moe.has_value();  // have a note of their own
  if (low_rank(work.language_training) && !experts_adapted &&
      !scenario.has(Field::train_lora_targets)) {
    notes.fallback(Field::train_lora_targets, "all-linear");
  }
  note_adapted_experts(work, notes);
  note_adapted_cross_attention(work, notes);
  work.train_embeddings = scenario.flag(Field::train_lora_embeddings);
  work.cached_features = scenario.flag(Field::train_cached_features);
  const bool fused = scenario.text(Field::efficiency_kernels) == "fused";
  resolve_kernels(scenario, work);
  resolve_formats(scenario, work);
  work.offload = value_of(kOffloads, scenario.text(Field::train_offload));
  work.offload.share = scenario.number_or_default(Field::train_offload_share);
  // Encoders that take any size need fused attention for their sequences of many lengths.
  work.fused_encoder = vision && (scenario.has(Field::train_attention) || fused ||
                                  work.encoder->image <= 0 || work.encoder->fused_attention);
}

// Tools that adapt Qwen-VL keep its merger frozen unless told otherwise. LLaVA's own LoRA recipe
// trains the projector.
void freeze_usual_connector(const Scenario& scenario, const Model& model, Workload& work,
                            Notes& notes) {
  const bool asked = scenario.has(Field::train_connector);
  if (asked || !low_rank(work.language_training) || !model.token_family.starts_with("qwen")) return;
  work.connector_training = Training::frozen;
  notes.add(Field::train_connector, "frozen", "tools adapt Qwen-VL with a frozen merger",
            "LLaMA-Factory, freeze_multi_modal_projector: true; ms-swift, freeze_aligner: true");
}

// Text tokens of a sample. A text of a corpus fills its sequence. A sample is as long as those of
// its kind, and no longer than --seq-length.
double resolve_sample_text(const Scenario& scenario, const Catalog& catalog, const Model& model,
                           Notes& notes) {
  if (const auto given = scenario.number(Field::data_text_tokens_per_sample)) return *given;
  const auto sequence = scenario.number(Field::data_seq_length);
  if (model.patches) {
    const double patches = std::min(*model.patches, sequence.value_or(*model.patches));
    notes.add(Field::data_text_tokens_per_sample, patches, "patches of an image", model.source);
    return patches;
  }
  if (!scenario.has(Field::data_samples)) {
    return std::min(kDefaultSequence, sequence.value_or(kDefaultSequence));
  }
  const Method method = method_named(scenario.text(Field::train_method));
  const AssumedChoices& assumed = catalog.assumed();
  const bool answers = method == Method::pretrain || method == Method::sft;
  const SampleChoice& usual = answers ? assumed.instructions : assumed.preferences;
  if (sequence && *sequence < *usual.text_tokens) {
    notes.add(Field::data_text_tokens_per_sample, *sequence, "the sequence asked for cuts it",
              "--seq-length");
    return *sequence;
  }
  notes.add(Field::data_text_tokens_per_sample, *usual.text_tokens, usual.why, usual.source);
  return *usual.text_tokens;
}

// Cuts samples to --sample-limit. Images are never cut, only the text beside them.
void cut_sample(const Scenario& scenario, Sample& sample, Notes& notes) {
  const auto limit = scenario.number(Field::data_sample_limit);
  if (!limit) return;
  if (!scenario.has(Field::data_samples)) {
    notes.warn("--sample-limit has no effect: a corpus is cut into sequences of --seq-length");
    return;
  }
  const double left = *limit - sample.vision;
  if (left <= 0 && sample.vision > 0) {
    throw Error(ErrorKind::usage,
                fmt::format("the images of a sample, {} tokens, do not fit into --sample-limit {}",
                            format_exact(sample.vision), format_exact(*limit)),
                "raise --sample-limit, or lower --images-per-sample or --image-size");
  }
  const double cut =
      std::round(mean_below(left, sample.text, default_number(Field::rollout_response_spread)));
  notes.add({"data.cut_text_tokens", format_exact(cut), "tokens",
             fmt::format("mean of samples of {} text tokens, the longer ones cut to {}",
                         format_exact(sample.text), format_exact(left)),
             "lengths spread as those of responses: data/phases.md, A.3"});
  sample.text = cut;
}

Sample resolve_sample(const Scenario& scenario, const Catalog& catalog, const ResolvedWork& work,
                      bool pretraining, Notes& notes) {
  const bool vision = work.workload.vision();
  const bool projector_only = vision && work.workload.language_training == Training::frozen;
  const SampleMix mix = default_sample_mix(pretraining, projector_only);
  Sample sample;
  if (!vision) {
    sample.text = resolve_sample_text(scenario, catalog, work.model, notes);
    cut_sample(scenario, sample, notes);
    return sample;
  }
  sample.text = scenario.number_or(Field::data_text_tokens_per_sample, mix.text_tokens);
  if (!scenario.has(Field::data_text_tokens_per_sample)) {
    notes.add(Field::data_text_tokens_per_sample, sample.text, std::string(mix.why),
              std::string(mix.source));
  }
  const double images = scenario.number_or(Field::data_images_per_sample, mix.images);
  const bool said = scenario.has(Field::data_images_per_sample);
  const double share = scenario.number_or(Field::data_image_share, mix.image_share);
  const bool clips = work.medium != Medium::image;
  if (!said && !clips) {
    notes.add(Field::data_images_per_sample, images, std::string(mix.why), std::string(mix.source));
  }
  if (!scenario.has(Field::data_image_share) && pretraining) {
    const std::string why = (clips ? "one clip, as of images: " : "") + std::string(mix.why);
    notes.add(Field::data_image_share, share, why, std::string(mix.source));
  }
  sample.images = images * share;
  if (in_sequence(work.workload)) {
    sample.vision = sample.images * work.workload.vision_tokens_per_image;
  }
  cut_sample(scenario, sample, notes);
  return sample;
}

void refuse_data_contradictions(const Scenario& scenario, bool vision) {
  refuse_clip_contradictions(scenario);
  const bool image_fields = scenario.number_or(Field::data_images_per_sample, 0) > 0 ||
                            scenario.has(Field::data_image_size) ||
                            scenario.has(Field::data_video) || scenario.flag(Field::data_audio);
  if (!vision && image_fields) {
    throw Error(ErrorKind::usage, "images and clips need a model that takes them in",
                "add --modality vl, or choose a model with vision");
  }
}

// Resolves the data of contrastive training: one pair of image and text is one sequence, and
// nothing is packed. The batch is part of the loss, and so of the work.
void resolve_pairs(const Scenario& scenario, ResolvedWork& out, Notes& notes) {
  const ContrastiveDefaults usual;
  Workload& work = out.workload;
  const Workload towers = contrastive_workload(out.model, usual.batch);
  const double text = scenario.number_or(Field::data_text_tokens_per_sample, towers.seq_length);
  if (!scenario.has(Field::data_text_tokens_per_sample)) {
    notes.add(Field::data_text_tokens_per_sample, text,
              "texts are padded to the text tower's position table", out.model.source);
  }
  work.contrastive_batch = scenario.number_or(Field::train_global_batch, usual.batch);
  if (!scenario.has(Field::train_global_batch)) {
    notes.add(Field::train_global_batch, work.contrastive_batch, "pairs that the loss compares",
              std::string(usual.source));
  }
  work.seq_length = text;
  work.attention_length = text;
  work.images_per_sequence = 1;
  work.vision_tokens_per_image = 0;
  out.seq_length = text;
}

}  // namespace

ResolvedWork resolve_work(const Scenario& scenario, const Catalog& catalog, Notes& notes) {
  ResolvedWork out;
  out.model = resolve_model(scenario, catalog, notes);
  if (method_named(scenario.text(Field::train_method)) == Method::reward) {
    out.model.language = with_scalar_head(out.model.language);
    notes.add({"model.output_head", "one value per token", "",
               "a reward model has no logits over the vocabulary",
               "transformers, LlamaForSequenceClassification: score of hidden x 1"});
  }
  Workload& work = out.workload;
  work.language = out.model.language;
  if (out.model.vision) {
    work.encoder = out.model.vision->encoder;
    work.connector = out.model.vision->connector;
  }
  refuse_data_contradictions(scenario, work.vision());
  resolve_recipe(scenario, work, notes);
  freeze_usual_connector(scenario, out.model, work, notes);
  if (work.vision()) resolve_images(scenario, catalog, out, notes);
  out.params = count_parameters(out.model);
  out.rule_params = scenario.number(Field::model_params).value_or(out.params.active);
  out.trainable = count_trainable(work);
  if (is_contrastive(out.model)) {
    resolve_pairs(scenario, out, notes);
    out.flops_per_token = training_flops(work);
    return out;
  }
  const bool from_samples = scenario.has(Field::data_samples);
  const bool pretraining =
      !from_samples && value_of(kRecipes, scenario.text(Field::train_recipe)).everything();
  const Sample sample = resolve_sample(scenario, catalog, out, pretraining, notes);
  if (sample.tokens() <= 0) {
    throw Error(ErrorKind::usage, "a sample has neither text nor images",
                "set --text-tokens-per-sample or --images-per-sample");
  }
  resolve_sequence(scenario, catalog, sample, from_samples, out, notes);
  out.sample_tokens = sample.tokens();
  out.sample_images = sample.images;
  out.flops_per_token = training_flops(work);
  return out;
}

}  // namespace trcost::estimation
