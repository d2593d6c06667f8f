// SPDX-License-Identifier: Apache-2.0
#include "workload/default_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "catalog/models/usual_connector.h"
#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "trcost/numbers.h"
#include "workload/blocks/vision.h"

// Shape rule. Published decoders keep hidden / layers near 128 (Llama-3 8B 128, 70B 102, 405B 130,
// GPT-3 128: arXiv 2407.21783 table 3, 2005.14165 table 2.1) and a head dim of 128, and use gated
// feed-forwards of 3.5 times the width with grouped queries. Cost at a fixed parameter count hangs
// little on it: FLOPs per token move by attention and head alone, memory with hidden x layers.
namespace trcost::workload {
namespace {

constexpr double kSmallest = 1e3;
constexpr double kLargest = 1e16;
constexpr double kTiedBelow = 3e9;  // small models share embedding and head
constexpr double kHiddenPerLayer = 128;
constexpr double kFeedForwardRatio = 3.5;
constexpr double kHeadDim = 128;
constexpr double kFullRule = 1e9;  // from here on head dim 128, ffn a multiple of 64

/// Step of the grid of hidden widths at `hidden`.
double hidden_step(double hidden) {
  return hidden < 2048 ? 256 : hidden < 8192 ? 512 : 1024;
}

/// Largest of 8, 4, 2, 1 that divides `heads`.
double grouped_heads(double heads) {
  for (const double groups : {8.0, 4.0, 2.0}) {
    if (std::fmod(heads, groups) == 0) return groups;
  }
  return 1;
}

LanguageModel with_width(double hidden, double head_dim, double vocab, bool tied) {
  LanguageModel m;
  m.hidden = hidden;
  m.head_dim = head_dim;
  m.heads = hidden / head_dim;
  m.kv_heads = grouped_heads(m.heads);
  m.vocab = vocab;
  m.tied_embeddings = tied;
  return m;
}

/// Parameters outside of the layers: embedding, head, final norm.
double outside_layers(const LanguageModel& m) {
  return (m.tied_embeddings ? 1 : 2) * m.vocab * m.hidden + m.hidden;
}

/// Parameters of a layer without its feed-forward.
double attention_and_norms(const LanguageModel& m) {
  return 2 * m.hidden * m.hidden + 2 * m.hidden * m.kv_heads * m.head_dim + 2 * m.hidden;
}

/// Layers that `params` are with the usual feed-forward, whole or not.
double usual_layers(const LanguageModel& m, double params) {
  const double layer = attention_and_norms(m) + 3 * kFeedForwardRatio * m.hidden * m.hidden;
  return (params - outside_layers(m)) / layer;
}

/// The nearest whole number of layers, possibly 0.
double nearest_layers(const LanguageModel& m, double params) {
  return std::round(usual_layers(m, params));
}

/// A multiple of four layers, which pipelines divide, if one is about as near. The feed-forward
/// makes up the difference.
double dividing_layers(const LanguageModel& m, double params) {
  constexpr double kStages = 4;
  constexpr double kAboutAsNear = 0.625;
  const double usual = usual_layers(m, params);
  const double multiple = std::round(usual / kStages) * kStages;
  return multiple > 0 && std::abs(usual - multiple) <= kAboutAsNear ? multiple : m.layers;
}

/// Gives the feed-forward the width that meets `params`, in multiples of `step`.
void solve_feed_forward(LanguageModel& m, double params, double step) {
  const double per_layer = (params - outside_layers(m)) / m.layers - attention_and_norms(m);
  m.ffn = std::max(step, std::round(per_layer / (3 * m.hidden) / step) * step);
}

/// First width of the search, from that of the closed form. Wide models are searched near it only.
double first_width(double closed) {
  const double low = std::floor(0.7 * closed / 1024) * 1024;
  return low > 8192 ? low : 256;
}

/// The model of the grid whose hidden / layers is nearest to 128, none if the embedding leaves no
/// parameters for a layer. Widths are tried around the closed form (128 N / 12.75)^(1/3).
std::optional<LanguageModel> on_grid(double params, double vocab) {
  const bool tied = params < kTiedBelow;
  const double closed = portable_pow(kHiddenPerLayer * params / 12.75, 1.0 / 3);
  std::optional<LanguageModel> best;
  double best_distance = 0;
  for (double hidden = first_width(closed); hidden <= 1.3 * closed + 1024;
       hidden += hidden_step(hidden)) {
    LanguageModel m = with_width(hidden, kHeadDim, vocab, tied);
    m.layers = nearest_layers(m, params);
    if (m.layers < 1) continue;
    const double distance = std::abs(hidden / m.layers - kHiddenPerLayer);
    if (!best || distance < best_distance) {
      best = m;
      best_distance = distance;
    }
  }
  return best;
}

/// Hidden width per layer of models below kFullRule: from 32 (SmolLM2 135M and 360M 19 and 30,
/// TinyStories, arXiv:2305.07759) over 64 (GPT-2 124M, OPT-125M and Pythia 160M) to that of 1B, by
/// the logarithm of the parameters.
double small_hidden_per_layer(double params) {
  constexpr double kNarrow = 32, kNarrowParams = 1e7;
  constexpr double kWide = 2048.0 / 13;  // of the first model of the grid
  const double share =
      portable_log(params / kNarrowParams) / portable_log(kFullRule / kNarrowParams);
  return kNarrow * portable_exp(std::clamp(share, 0.0, 1.0) * portable_log(kWide / kNarrow));
}

/// A model below kFullRule, whose size changes smoothly with its parameters. The embedding takes at
/// most half of them, with a smaller vocabulary if need be.
LanguageModel small_model(double params, double vocab) {
  constexpr double kEmbeddingShare = 0.5;
  constexpr double kLayerFactor = 12.75;  // parameters of a layer over the squared width
  constexpr double kHead = 64;
  const double ratio = small_hidden_per_layer(params);
  // The width at which embedding and hidden / ratio layers have all parameters, by bisection.
  double low = 1, high = portable_pow(ratio * params / kLayerFactor, 1.0 / 3) + 1;
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    const double embedding = std::min(vocab * middle, kEmbeddingShare * params);
    const double body = kLayerFactor * middle * middle * middle / ratio;
    (embedding + body < params ? low : high) = middle;
  }
  // Heads of about 64, whose width follows the hidden width, so that it changes in small steps.
  const double heads = std::max(1.0, std::round(low / kHead));
  const double head_dim = std::max(1.0, std::round(low / heads));
  const double hidden = heads * head_dim;
  const double rows = std::clamp(std::floor(kEmbeddingShare * params / hidden), 2.0, vocab);
  LanguageModel m = with_width(hidden, head_dim, rows, true);
  m.kv_heads = heads;
  m.layers = std::max(1.0, std::round(low / ratio));
  // Tensor ranks, in powers of two, get whole heads and whole channels.
  constexpr int kMostTensorRanks = 64;
  solve_feed_forward(m, params, std::gcd(static_cast<int>(heads), kMostTensorRanks));
  return m;
}

// Smallest share of the parameters for the language model.
constexpr double kSmallestLanguageShare = 0.2;
// Smallest number that shape_from_parameters() takes.
constexpr double kSmallestLanguage = 1e3;

}  // namespace

LanguageModel shape_from_parameters(double params, double vocab) {
  if (!(params >= kSmallest && params <= kLargest)) {
    throw Error(ErrorKind::usage, "a shape follows from 1e3 to 1e16 parameters",
                "use a number within that range, or a model file with --model");
  }
  if (!(vocab >= 2 && vocab <= 1e8)) {
    throw Error(ErrorKind::usage, "a vocabulary has from 2 to 1e8 entries",
                "leave it out for 128,256, as in Llama 3", "--vocab");
  }
  if (params < kFullRule) return small_model(params, vocab);
  const std::optional<LanguageModel> found = on_grid(params, vocab);
  if (!found) return small_model(params, vocab);
  LanguageModel m = *found;
  m.layers = dividing_layers(m, params);
  solve_feed_forward(m, params, 64);
  return m;
}

void attach_vision(Model& model, const Encoder& encoder, ConnectorKind kind) {
  VisionModel vision;
  vision.encoder = encoder;
  vision.connector = usual_connector(kind, model.language);
  if (const std::string mismatch = connector_mismatch(encoder, vision.connector);
      !mismatch.empty()) {
    throw Error(ErrorKind::usage, mismatch, "choose another --connector, or another encoder",
                "--connector");
  }
  vision.encoder_tokens_per_image = usual_encoder_tokens(encoder);
  vision.tokens_per_image = usual_vision_tokens(encoder, vision.connector);
  if (kind == ConnectorKind::cross_attention && !model.language.cross_attention) {
    model.language.cross_attention = usual_cross_attention(model.language);
  }
  model.vision = vision;
  model.token_family = encoder.token_family;
}

Model vision_language_model(double params, const Encoder& encoder, ConnectorKind kind,
                            double vocab) {
  const double encoder_params = encoder_parameters(encoder);
  if (params - encoder_params < kSmallestLanguageShare * params) {
    throw Error(ErrorKind::usage,
                fmt::format("the encoder {} alone has {} parameters of {}", encoder.name,
                            format_number(encoder_params, NumberKind::count),
                            format_number(params, NumberKind::count)),
                "choose a smaller --vision-encoder (`trcost list encoders`) or more --params");
  }
  Model model, best;
  double least = params;
  double language = params - encoder_params;
  // The connector is as wide as the language model, so its share converges in a few rounds.
  constexpr int kRounds = 12;
  constexpr double kClose = 1e-3;
  constexpr double kDamping = 0.7;  // wide connectors grow with the language model
  for (int round = 0; round < kRounds; ++round) {
    model.language = shape_from_parameters(std::max(language, kSmallestLanguage), vocab);
    attach_vision(model, encoder, kind);
    const double missing = params - count_parameters(model).total;
    if (std::abs(missing) < least) {
      least = std::abs(missing);
      best = model;
    }
    if (least < kClose * params) break;
    language += kDamping * missing;
  }
  return best;
}

SampleMix default_sample_mix(bool pretraining, bool projector_only) {
  if (pretraining) {
    return {512, 1, 0.5, "half of the documents carry an image, 512 text tokens each",
            "between caption pairs and interleaved pages: MM1 (arXiv:2403.09611), "
            "Idefics2 (arXiv:2405.02246)"};
  }
  if (projector_only) {
    return {44, 1, 1, "captions of image-text pairs",
            "LLaVA-1.5 pre-training, 558K pairs of about 620 tokens with 576 of the image"};
  }
  return {324, 1, 1, "instructions about an image",
          "LLaVA-1.5 instruction tuning, 665K samples of about 900 tokens with 576 of the image"};
}

}  // namespace trcost::workload
