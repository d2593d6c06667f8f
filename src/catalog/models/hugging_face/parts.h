// SPDX-License-Identifier: Apache-2.0
// The two halves of a Hugging Face config.json. Readers never call finish(): such files hold many
// keys that do not shape the architecture.
#pragma once

#include <string>
#include <string_view>

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// Whether a decoder family is known.
bool is_text_family(std::string_view model_type);
/// Names of all decoder families, joined with commas.
std::string text_family_names();
/// The decoder that a text configuration of a known family describes.
LanguageModel read_hugging_face_text(ObjectReader& config, std::string_view model_type);

/// The experts of a decoder family that has them; others stay as they are.
void read_experts(ObjectReader& config, std::string_view model_type, LanguageModel& language);
/// Groups of experts that limit a token's choice: n_group and topk_group, or the class's usual.
void read_expert_groups(ObjectReader& config, double usual_groups, double usual_used,
                        MixtureOfExperts& moe);

/// Layers of linear attention between those of gated attention (Qwen3-Next).
void read_delta_layers(ObjectReader& config, LanguageModel& language);
/// The indexer of sparse attention in all layers (DeepSeek-V3.2).
void read_indexer(ObjectReader& config, LanguageModel& language);
/// Layers of Mamba-2, of attention, and of feed-forwards alone (Nemotron-H).
LanguageModel read_nemotron_h(ObjectReader& config);

/// Throws Error (data): the family is not read, for the reason that holds for it, and what is near.
[[noreturn]] void refuse_family(const Catalog& catalog, ObjectReader& config,
                                const std::string& model_type);

/// Whether a vision-language family is known.
bool is_vision_language_family(std::string_view model_type);
std::string vision_language_family_names();
/// Decoder and vision half of a known family, token family included.
void read_hugging_face_vision_language(ObjectReader& config, std::string_view model_type,
                                       Model& model);

}  // namespace trcost::catalog
