// SPDX-License-Identifier: Apache-2.0
// Reads the parts of a model file; every function throws Error (kind data) on what is malformed.
#pragma once

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// Largest counts and widths that are taken for an architecture.
inline constexpr double kMostLayers = 1e5;
inline constexpr double kWidest = 1e8;

/// The "language" object.
LanguageModel read_language(ObjectReader reader);
/// The "encoder" object of an encoder file, or of a model file that describes its own encoder.
Encoder read_encoder(ObjectReader reader);
/// The "vision" object. `language` gives defaults, and receives inserted layers where the connector
/// is cross-attention and the file describes none. Tokens per image stay 0 where the rule of
/// `token_family` (empty: the encoder's) depends on the size of the image.
VisionModel read_vision(ObjectReader reader, LanguageModel& language, std::string_view token_family,
                        const Catalog& catalog);

/// Tokens per image that a file does not give: the encoder's own, and what the connector makes of
/// them, where the family's are the same for every image; else they stay 0, for the family's rule.
/// A model file and a config.json both go through it, so that one model has one answer.
void set_usual_tokens(VisionModel& vision, std::string_view token_family);

/// What no single value shows: heads that groups do not divide, more experts used than there are,
/// window shares that do not sum to 1, more dense layers than layers.
void check_language(const LanguageModel& language, const JsonValue& where);

/// A square image of `pixels` per side: tokens and position table follow.
void set_image_size(Encoder& encoder, double pixels);

/// `schema_version`, which has to be 1.x.
void read_schema_version(ObjectReader& reader);

/// A published parameter count, for the tests of the data; not used by any estimate.
struct PublishedParameters {
  double value = 0;
  double within = 0;  ///< relative rounding of the published figure, 0: exact
};
/// The optional "published_params": a number, or { "value", "within", "source" }.
PublishedParameters read_published_parameters(ObjectReader& reader);

}  // namespace trcost::catalog
