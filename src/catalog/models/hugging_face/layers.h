// SPDX-License-Identifier: Apache-2.0
// Experts, hybrid and sparse layers of a Hugging Face config.json. Readers of such files never call
// finish(): the files hold many keys that do not shape the architecture.
#pragma once

#include <string_view>

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// A whole number from 1 on.
double width_or(ObjectReader& config, std::string_view key, double fallback);

/// Reads the experts of a decoder family that has them. Others stay as they are.
void read_experts(ObjectReader& config, std::string_view model_type, LanguageModel& language);
/// Reads groups of experts that limit a token's choice: n_group and topk_group, or the class's
/// usual.
void read_expert_groups(ObjectReader& config, double usual_groups, double usual_used,
                        MixtureOfExperts& moe);
/// Reads layers of linear attention between those of gated attention (Qwen3-Next).
void read_delta_layers(ObjectReader& config, LanguageModel& language);
/// Reads layers of Mamba-2 and of attention, each with a feed-forward (Bamba, Granite 4).
void read_mamba_layers(ObjectReader& config, LanguageModel& language);
/// Reads the indexer of sparse attention in all layers (DeepSeek-V3.2).
void read_indexer(ObjectReader& config, LanguageModel& language);
/// Reads layers of Mamba-2, of attention, and of feed-forwards alone (Nemotron-H).
LanguageModel read_nemotron_h(ObjectReader& config);

}  // namespace trcost::catalog
