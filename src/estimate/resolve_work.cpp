// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/data_scale.h"
#include "estimate/resolve.h"
#include "estimate/resolve_sequence.h"
#include "trcost/contrastive.h"
#include "trcost/error.h"
#include "trcost/planner.h"
#include "trcost/tokens.h"
#include "trcost/vision_defaults.h"

namespace trcost {
namespace {

Training training_of(std::string_view word) {
  if (word == "frozen") return Training::frozen;
  if (word == "lora") return Training::lora;
  if (word == "qlora") return Training::qlora;
  if (word == "adapter") return Training::adapter;
  return Training::full;
}

struct Recipe {
  Training language, encoder, connector;
};

Recipe recipe_of(std::string_view word) {
  using enum Training;
  if (word == "frozen-vision") return {full, frozen, full};
  if (word == "projector") return {frozen, frozen, full};
  if (word == "lora") return {lora, frozen, full};
  if (word == "qlora") return {qlora, frozen, full};
  if (word == "adapter") return {adapter, frozen, full};
  return {full, full, full};
}

bool is_base_model(std::string_view recipe) {
  return recipe == "full";
}

void resolve_recipe(const Scenario& scenario, Workload& work, Notes& notes) {
  const std::string_view word = scenario.text(Field::train_recipe);
  if (!scenario.has(Field::train_recipe)) notes.fallback(Field::train_recipe, word);
  const Recipe recipe = recipe_of(word);
  const auto module = [&](Field field, Training otherwise) {
    return scenario.has(field) ? training_of(scenario.text(field)) : otherwise;
  };
  work.language_training = module(Field::train_language, recipe.language);
  work.encoder_training = module(Field::train_encoder, recipe.encoder);
  work.connector_training = module(Field::train_connector, recipe.connector);
  const bool vision = work.vision();
  if (!vision && (word == "projector" || word == "frozen-vision")) {
    throw Error(ErrorKind::usage, fmt::format("--train {} needs a vision-language model", word),
                "add --modality vl, or choose a model with vision");
  }
  const bool learns = work.language_training != Training::frozen ||
                      (vision && (work.encoder_training != Training::frozen ||
                                  work.connector_training != Training::frozen));
  if (!learns) {
    throw Error(ErrorKind::usage, "this recipe trains nothing",
                "set --train-language, --train-encoder or --train-connector to full or lora");
  }
  const auto low_rank = [](Training training) {
    return training == Training::lora || training == Training::qlora ||
           training == Training::adapter;
  };
  work.lora_rank = scenario.number_or_default(Field::train_lora_rank);
  if (low_rank(work.language_training) && !scenario.has(Field::train_lora_rank)) {
    notes.fallback(Field::train_lora_rank, work.lora_rank);
  }
  work.train_embeddings = scenario.flag(Field::train_lora_embeddings);
  work.cached_features = scenario.flag(Field::train_cached_features);
  work.attention =
      scenario.text(Field::train_attention) == "standard" ? Attention::standard : Attention::flash;
}

// What a connector makes of the encoder's tokens, where the family's rule is about another one.
double tokens_out(const TokenCount& count, const VisionModel& vision) {
  const Connector& c = vision.connector;
  const double encoder = static_cast<double>(count.vision_encoder.value_or(count.vision));
  const auto tiles = static_cast<double>(count.tiles);
  if (c.kind == ConnectorKind::perceiver || c.kind == ConnectorKind::qformer) {
    return c.latents * tiles;
  }
  if (c.kind == ConnectorKind::cross_attention) return encoder;
  return std::floor((encoder - (vision.encoder.class_token ? tiles : 0)) / c.merge);
}

// Tokens of one image in encoder and language model, by the model's rule for the image's size, or
// as the encoder has them for its own input size.
void resolve_image_tokens(const Scenario& scenario, ResolvedWork& out, Notes& notes) {
  const VisionModel& vision = *out.model.vision;
  Workload& work = out.workload;
  work.encoder_tokens_per_image = vision.encoder_tokens_per_image;
  work.vision_tokens_per_image = vision.tokens_per_image;
  const std::optional<PixelSize> size = scenario.size(Field::data_image_size);
  constexpr double kTypicalSide = 1024;
  const double side = vision.encoder.image > 0 ? vision.encoder.image : kTypicalSide;
  const PixelSize assumed{static_cast<std::int64_t>(side), static_cast<std::int64_t>(side)};
  const PixelSize used = size.value_or(assumed);
  out.image_pixels = static_cast<double>(used.width) * static_cast<double>(used.height);
  if (!size) {
    notes.add(Field::data_image_size, fmt::format("{}x{}", used.width, used.height),
              vision.encoder.image > 0 ? "the encoder's own input size"
                                       : "native resolution; a typical photograph, scaled down",
              vision.encoder.name);
  }
  const bool by_rule =
      !out.model.token_family.empty() && (size || work.encoder_tokens_per_image <= 0);
  if (by_rule) {
    const TokenCount count = count_image_tokens(
        out.model.token_family, used, {.encoder = token_encoder(vision)});
    if (count.vision_encoder) {
      work.encoder_tokens_per_image = static_cast<double>(*count.vision_encoder);
    }
    const bool chosen =
        scenario.has(Field::model_connector) || scenario.has(Field::model_vision_encoder);
    const bool other_connector = chosen && vision.connector.kind != own_connector(vision.encoder);
    work.vision_tokens_per_image =
        other_connector ? tokens_out(count, vision) : static_cast<double>(count.vision);
    if (count.encoder_sequence) {
      work.encoder_attention_tokens = static_cast<double>(*count.encoder_sequence);
    }
    notes.add(Field::data_vision_tokens_per_image, work.vision_tokens_per_image,
              fmt::format("token rule of {}: {}", out.model.token_family, count.rule),
              std::string(count.source));
  }
  if (const auto given = scenario.number(Field::data_vision_tokens_per_image)) {
    const double before = std::max(1.0, work.vision_tokens_per_image);
    if (work.encoder_tokens_per_image <= 0) work.encoder_tokens_per_image = *given;
    work.encoder_tokens_per_image *= by_rule ? *given / before : 1;
    work.vision_tokens_per_image = *given;
  }
}

Sample resolve_sample(const Scenario& scenario, const ResolvedWork& work, bool pretraining,
                      Notes& notes) {
  const bool vision = work.workload.vision();
  const bool projector_only = vision && work.workload.language_training == Training::frozen;
  const SampleMix mix = default_sample_mix(pretraining, projector_only);
  Sample sample;
  // A text fills its sequence.
  const double whole =
      std::min(kDefaultSequence, scenario.number_or(Field::data_seq_length, kDefaultSequence));
  const double text_default = vision ? mix.text_tokens : whole;
  sample.text = scenario.number_or(Field::data_text_tokens_per_sample, text_default);
  if (!scenario.has(Field::data_text_tokens_per_sample) && vision) {
    notes.add(Field::data_text_tokens_per_sample, sample.text, std::string(mix.why),
              std::string(mix.source));
  }
  if (!vision) return sample;
  const double images = scenario.number_or(Field::data_images_per_sample, mix.images);
  const double share = scenario.number_or(Field::data_image_share, mix.image_share);
  if (!scenario.has(Field::data_images_per_sample)) {
    notes.add(Field::data_images_per_sample, images, std::string(mix.why), std::string(mix.source));
  }
  if (!scenario.has(Field::data_image_share) && pretraining) {
    notes.add(Field::data_image_share, share, std::string(mix.why), std::string(mix.source));
  }
  sample.images = images * share;
  if (in_sequence(work.workload)) {
    sample.vision = sample.images * work.workload.vision_tokens_per_image;
  }
  return sample;
}

void refuse_data_contradictions(const Scenario& scenario, bool vision) {
  if (scenario.has(Field::data_images_per_sample) && !scenario.has(Field::data_samples)) {
    throw Error(ErrorKind::usage, "--images-per-sample needs --samples",
                "add --samples N, or drop it: --tokens counts text and vision together");
  }
  const bool image_fields = scenario.number_or(Field::data_images_per_sample, 0) > 0 ||
                            scenario.has(Field::data_image_size);
  if (!vision && image_fields) {
    throw Error(ErrorKind::usage, "images need a vision-language model",
                "add --modality vl, or choose a model with vision");
  }
}

// What the language model sees is never nothing where a sample has images: a model priced as text
// would be several times too cheap, and nobody would see it. Holds for every estimate, since all
// amounts pass here; the towers of contrastive training do not share a sequence (resolve_pairs).
void refuse_unseen_images(const ResolvedWork& out) {
  if (out.sample_images <= 0 || out.workload.vision_tokens_per_image > 0) return;
  throw Error(ErrorKind::data,
              fmt::format("how many tokens an image becomes in {} is not known: {} has no input "
                          "size and no token rule",
                          out.model.name, out.model.vision->encoder.name),
              "give --vision-tokens-per-image N, or \"token_family\" in the model's file "
              "(`trcost tokens --families`); --images-per-sample 0 is text alone");
}

// Tokens of the whole training from samples, a budget, or the scaling law.
void resolve_totals(const Scenario& scenario, ResolvedWork& out, Notes& notes) {
  if (scenario.has(Field::data_tokens) && scenario.has(Field::data_samples)) {
    throw Error(ErrorKind::usage, "--tokens and --samples exclude each other", "give one of them");
  }
  const double epochs = scenario.number_or_default(Field::data_epochs);
  out.epochs = epochs;
  TokenTotals& tokens = out.tokens;
  double samples = 0;
  out.samples = 0;
  out.tokens_given = false;
  if (const auto given = scenario.number(Field::data_samples)) {
    samples = *given * epochs;
    out.samples = samples;
    tokens.total = samples * out.sample_tokens;
    out.tokens_given = true;
  } else {
    double once = 0;
    if (const auto budget = scenario.number(Field::data_tokens)) {
      once = *budget;
      out.tokens_given = true;
    } else {
      once = optimal_tokens(out.params.active);
      if (notes.wanted()) {
        notes.add(Field::data_tokens, std::round(once),
                  fmt::format("compute-optimal for {} parameters",
                              format_number(out.params.active, NumberKind::count)),
                  "Hoffmann et al. refit by Epoch AI (arXiv:2404.10102), L = E + A/N^a + B/D^b");
      }
      once = std::round(once);
    }
    tokens.total = once * epochs;
    samples = out.sample_tokens > 0 ? tokens.total / out.sample_tokens : 0;
  }
  out.images = samples * out.sample_images;
  tokens.vision = out.images * out.workload.vision_tokens_per_image;
  tokens.vision_encoder = out.images * out.workload.encoder_tokens_per_image;
  tokens.text = in_sequence(out.workload) ? tokens.total - tokens.vision : tokens.total;
}

// A whole language model that learns from samples may be pre-trained on them, as PaliGemma on a
// billion of pairs (arXiv:2407.07726): what counts is how many there are.
bool is_fine_tuning(bool from_samples, const ResolvedWork& work) {
  if (work.workload.language_training != Training::full) return true;
  return from_samples && is_adaptation(work);
}

// Released instruction-tuning recipes: 128 samples (LLaVA-1.5 stage 2), 256 for a projector.
double fine_tuning_batch(const Workload& work) {
  constexpr double kFineTuning = 128;
  constexpr double kProjector = 256;
  return work.language_training == Training::frozen ? kProjector : kFineTuning;
}

void resolve_batch(const Scenario& scenario, bool from_samples, ResolvedWork& out, Notes& notes) {
  const bool fine_tuning = is_fine_tuning(from_samples, out);
  const double rule = fine_tuning ? fine_tuning_batch(out.workload)
                                  : default_global_batch(out.tokens.total, out.seq_length);
  const double sequences = std::max(1.0, std::ceil(out.tokens.total / out.seq_length));
  out.usual_batch = std::min(rule, sequences);
  out.usual_batch_grows = !fine_tuning && sequences >= rule;
  out.global_batch_given = scenario.has(Field::train_global_batch);
  out.global_batch = scenario.number_or(Field::train_global_batch, out.usual_batch);
  if (out.global_batch_given) return;
  if (sequences < rule) {
    notes.add(Field::train_global_batch, sequences, "the data has no more sequences",
              "trcost default");
  } else if (fine_tuning) {
    notes.add(Field::train_global_batch, out.global_batch, "usual batch of fine-tuning recipes",
              "LLaVA-1.5 (arXiv:2310.03744): 256 for the projector, 128 for instructions");
  } else {
    notes.add(Field::train_global_batch, out.global_batch,
              "published batch sizes by training tokens",
              "Llama 2 (arXiv:2307.09288): 4 Mi tokens at 2e12, growing as in Llama 3.1 405B "
              "(arXiv:2407.21783)");
  }
}

}  // namespace

ResolvedWork resolve_work(const Scenario& scenario, const Catalog& catalog, Notes& notes) {
  ResolvedWork out;
  out.model = resolve_model(scenario, catalog, notes);
  Workload& work = out.workload;
  work.language = out.model.language;
  if (out.model.vision) {
    work.encoder = out.model.vision->encoder;
    work.connector = out.model.vision->connector;
  }
  refuse_data_contradictions(scenario, work.vision());
  resolve_recipe(scenario, work, notes);
  if (work.vision()) resolve_image_tokens(scenario, out, notes);
  out.params = count_parameters(out.model);
  out.trainable = count_trainable(work);
  if (is_contrastive(out.model)) {
    resolve_pairs(scenario, out, notes);
    out.flops_per_token = training_flops(work);
    return out;
  }
  const bool from_samples = scenario.has(Field::data_samples);
  const bool pretraining = !from_samples && is_base_model(scenario.text(Field::train_recipe));
  const Sample sample = resolve_sample(scenario, out, pretraining, notes);
  if (sample.tokens() <= 0) {
    throw Error(ErrorKind::usage, "a sample has neither text nor images",
                "give --text-tokens-per-sample or --images-per-sample");
  }
  resolve_sequence(scenario, sample, from_samples, out, notes);
  out.sample_tokens = sample.tokens();
  out.sample_images = sample.images;
  resolve_amounts(scenario, out, notes);
  out.flops_per_token = training_flops(work);
  return out;
}

void resolve_amounts(const Scenario& scenario, ResolvedWork& out, Notes& notes) {
  refuse_unseen_images(out);
  resolve_totals(scenario, out, notes);
  resolve_batch(scenario, scenario.has(Field::data_samples), out, notes);
}

}  // namespace trcost
