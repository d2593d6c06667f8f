// SPDX-License-Identifier: Apache-2.0
// Types of choice fields and their words, except those that the catalog also reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "quantity/choice.h"
#include "quantity/layers.h"

namespace trcost::scenario {

/// Training of a module's parameters.
enum class Training : std::uint8_t {
  frozen,   ///< forward only, unless something upstream learns
  full,     ///< all parameters learn
  lora,     ///< low-rank adapters on every linear layer learn, the base is frozen
  qlora,    ///< as lora, base stored in 4 or 8 bits
  adapter,  ///< bottleneck adapters after attention and feed-forward learn
};
/// Connectors have the first two.
inline constexpr Choice<Training> kTrainings[] = {{"full", Training::full},
                                                  {"frozen", Training::frozen},
                                                  {"lora", Training::lora},
                                                  {"qlora", Training::qlora},
                                                  {"adapter", Training::adapter}};

/// Training recipe, module by module.
struct Recipe {
  Training language, encoder, connector;
  bool of_vision = false;  ///< applies to models with vision alone
  [[nodiscard]] constexpr bool everything() const noexcept {
    return language == Training::full && encoder == Training::full && connector == Training::full;
  }
};
inline constexpr Choice<Recipe> kRecipes[] = {
    {"full", {Training::full, Training::full, Training::full}},
    {"frozen-vision", {Training::full, Training::frozen, Training::full, true}},
    {"projector", {Training::frozen, Training::frozen, Training::full, true}},
    {"lora", {Training::lora, Training::frozen, Training::full}},
    {"qlora", {Training::qlora, Training::frozen, Training::full}},
    {"adapter", {Training::adapter, Training::frozen, Training::full}}};

/// Matrices of a layer that take low-rank adapters, a bit each.
using AdapterTargets = std::uint8_t;
namespace target {
inline constexpr AdapterTargets query = 1, key = 2, value = 4, output = 8, gate = 16, up = 32,
                                down = 64, other = 128;
inline constexpr AdapterTargets attention = query | key | value | output;
inline constexpr AdapterTargets feed_forward = gate | up | down;
inline constexpr AdapterTargets all = 255;
}  // namespace target
/// Names of the single ones are those of Llama's modules in transformers, without `_proj`.
inline constexpr Choice<AdapterTargets> kAdapterTargets[] = {
    {"all-linear", target::all},
    {"attention", target::attention},
    {"qv", target::query | target::value},
    {"mlp", target::feed_forward},
    {"qkv", target::query | target::key | target::value},
    {"gate_up", target::gate | target::up},
    {"q", target::query},
    {"k", target::key},
    {"v", target::value},
    {"o", target::output},
    {"gate", target::gate},
    {"up", target::up},
    {"down", target::down}};

/// Storage of the logits in the loss over the vocabulary.
enum class Loss : std::uint8_t {
  eager,    ///< in 16 and in 32 bit, and their gradient
  fused,    ///< in 16 and in 32 bit, the gradient in their place
  chunked,  ///< some tokens at a time, with the head's product (Liger, cut cross-entropy)
};
inline constexpr Choice<Loss> kLosses[] = {
    {"eager", Loss::eager}, {"fused", Loss::fused}, {"chunked", Loss::chunked}};

/// Optimizer of the trainable parameters.
enum class Optimizer : std::uint8_t {
  adamw,       ///< by the software stack: weights and moments in 32 bit
  adamw_bf16,  ///< weights, gradients and both moments in the format of the matmuls, and no more
  adamw_8bit,  ///< the same with both moments in 8 bit
  adamw_paged_8bit,  ///< the same with moments that move to the host when memory runs short
  muon,              ///< one moment, made orthogonal by matrix products
  adafactor,         ///< sums over rows and columns in place of moments
  lion,              ///< one moment
  sgd,               ///< no moments
};
inline constexpr Choice<Optimizer> kOptimizers[] = {
    {"adamw", Optimizer::adamw},
    {"adamw-bf16", Optimizer::adamw_bf16},
    {"adamw-8bit", Optimizer::adamw_8bit},
    {"adamw-paged-8bit", Optimizer::adamw_paged_8bit},
    {"muon", Optimizer::muon},
    {"adafactor", Optimizer::adafactor},
    {"lion", Optimizer::lion},
    {"sgd", Optimizer::sgd}};

/// Storage of the weights that low-rank adapters stand beside.
enum class BaseFormat : std::uint8_t { bf16, int8, nf4 };
inline constexpr Choice<BaseFormat> kBaseFormats[] = {
    {"bf16", BaseFormat::bf16}, {"int8", BaseFormat::int8}, {"nf4", BaseFormat::nf4}};

/// Bytes of a gradient, of a gathered weight, and of a moment of the optimizer.
inline constexpr Choice<double> kGradientFormats[] = {{"fp32", 4}, {"bf16", 2}};
inline constexpr Choice<double> kGatherFormats[] = {{"bf16", 2}, {"fp8", 1}};
inline constexpr Choice<double> kMomentFormats[] = {{"fp32", 4}, {"bf16", 2}, {"8bit", 1}};

/// Hours that are counted.
enum class Scope : std::uint8_t {
  run,      ///< of the final run
  project,  ///< with restarts and second attempts up to the release
};
inline constexpr Choice<Scope> kScopes[] = {{"run", Scope::run}, {"project", Scope::project}};

/// State offloaded to the host's memory.
struct Offload {
  bool optimizer = false;  ///< optimizer state, which the host updates, and gradients
  bool activations =
      false;  ///< activations of the language model's layers, from forward to backward
  bool parameters = false;  ///< weights, copied to the device layer by layer in each pass
  double share = 1;         ///< part of each that is offloaded
  [[nodiscard]] constexpr bool any() const noexcept {
    return optimizer || activations || parameters;
  }
};
/// The host updates the weights that it holds, as ZeRO-3's offload_param and FSDP's CPU offload do.
inline constexpr Choice<Offload> kOffloads[] = {
    {"none", {}},
    {"optimizer", {.optimizer = true}},
    {"activations", {.activations = true}},
    {"all", {.optimizer = true, .activations = true}},
    {"parameters", {.optimizer = true, .parameters = true}}};

/// Overlapped share of each exchange, relative to the share that the software can hide.
struct Overlap {
  double tensor = 0, expert = 0, pipeline = 0, data = 0, context = 0;
  /// Smallest overlapped share of the all-to-all that leaves a domain: 1 if it runs behind the
  /// compute of another micro-batch, which is enough for all of it (DualPipe, arXiv:2412.19437,
  /// section 3.2.1, and Megatron-Core's overlap of one forward with one backward).
  double expert_network = 0;
  friend bool operator==(const Overlap&, const Overlap&) = default;
};
inline constexpr double Overlap::*kExchanges[] = {&Overlap::tensor,   &Overlap::expert,
                                                  &Overlap::pipeline, &Overlap::data,
                                                  &Overlap::context,  &Overlap::expert_network};
inline constexpr Overlap kAllHidden = {1, 1, 1, 1, 1, 1};
/// Default of the software.
inline constexpr Overlap kUsuallyHidden = {1, 1, 1, 1, 1, 0};
inline constexpr Choice<Overlap> kOverlaps[] = {
    {"on", kAllHidden},      {"off", {}},
    {"dp", {.data = 1}},     {"tp", {.tensor = 1}},
    {"pp", {.pipeline = 1}}, {"ep", {.expert = 1, .expert_network = 1}},
    {"cp", {.context = 1}}};

/// Packing of samples into sequences.
enum class Packing : std::uint8_t {
  packed,        ///< samples fill sequences, which batches count
  grouped,       ///< a sequence per sample, samples of similar length together
  padded,        ///< a sequence per sample
  padding_free,  ///< samples of a micro-batch concatenated without padding
};
inline constexpr Choice<Packing> kPackings[] = {{"packed", Packing::packed},
                                                {"grouped", Packing::grouped},
                                                {"padded", Packing::padded},
                                                {"padding-free", Packing::padding_free}};

/// Placement of a round's generating and learning.
enum class Placement : std::uint8_t {
  colocated,  ///< on the same accelerators in turn
  split,      ///< on accelerators of its own, one after the other
  async,      ///< on accelerators of its own, at the same time
};
inline constexpr Choice<Placement> kPlacements[] = {
    {"colocated", Placement::colocated}, {"split", Placement::split}, {"async", Placement::async}};

/// Kind of provider that a price is from.
enum class ProviderClass : std::uint8_t {
#define TRCOST_PROVIDER_CLASS(id, word, prices) id,
#include "scenario/provider_classes.def"
#undef TRCOST_PROVIDER_CLASS
};
inline constexpr Choice<ProviderClass> kProviderClasses[] = {
#define TRCOST_PROVIDER_CLASS(id, word, prices) {word, ProviderClass::id},
#include "scenario/provider_classes.def"
#undef TRCOST_PROVIDER_CLASS
};
constexpr std::string_view provider_class_name(ProviderClass provider_class) {
  return word_of(kProviderClasses, provider_class);
}

/// Class of prices. An answer has one class for all of its platforms. Surveys count as indices.
enum class PriceClass : std::uint8_t { specialist, marketplace, hyperscaler, index };
/// The words of --price-class, which are those of kinds of providers.
inline constexpr Choice<PriceClass> kPriceClasses[] = {
    {provider_class_name(ProviderClass::specialist), PriceClass::specialist},
    {provider_class_name(ProviderClass::marketplace), PriceClass::marketplace},
    {provider_class_name(ProviderClass::hyperscaler), PriceClass::hyperscaler},
    {provider_class_name(ProviderClass::index), PriceClass::index}};
constexpr std::string_view price_class_name(PriceClass price_class) {
  return word_of(kPriceClasses, price_class);
}
constexpr PriceClass price_class_of(ProviderClass provider_class) {
  constexpr PriceClass kClasses[] = {
#define TRCOST_PROVIDER_CLASS(id, word, prices) PriceClass::prices,
#include "scenario/provider_classes.def"
#undef TRCOST_PROVIDER_CLASS
  };
  return kClasses[static_cast<std::size_t>(provider_class)];
}

/// Commitment for a price.
enum class Commitment : std::uint8_t {
#define TRCOST_COMMITMENT(id, word, years) id,
#include "scenario/commitments.def"
#undef TRCOST_COMMITMENT
};
inline constexpr Choice<Commitment> kCommitments[] = {
#define TRCOST_COMMITMENT(id, word, years) {word, Commitment::id},
#include "scenario/commitments.def"
#undef TRCOST_COMMITMENT
};
constexpr std::string_view commitment_name(Commitment commitment) {
  return word_of(kCommitments, commitment);
}
/// Years that a commitment binds, 0 for none.
constexpr double commitment_years(Commitment commitment) {
  constexpr double kYears[] = {
#define TRCOST_COMMITMENT(id, word, years) years,
#include "scenario/commitments.def"
#undef TRCOST_COMMITMENT
  };
  return kYears[static_cast<std::size_t>(commitment)];
}
/// Years that a word of --pricing binds, 0 for owned machines and for no commitment.
constexpr double term_years(std::string_view pricing) {
  const std::optional<Commitment> commitment = find_value(kCommitments, pricing);
  return commitment ? commitment_years(*commitment) : 0;
}

}  // namespace trcost::scenario
