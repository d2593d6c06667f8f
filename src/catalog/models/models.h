// SPDX-License-Identifier: Apache-2.0
// Readers of data/models and data/encoders. Every function throws Error (data) for a malformed
// part.
#pragma once

#include <functional>
#include <string_view>

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// Largest counts and widths of an architecture.
inline constexpr double kMostLayers = 1e5;
inline constexpr double kWidest = 1e8;

/// Looks up an encoder of the catalog by name or path. Throws Error (usage) for an unknown one.
using EncoderLookup = std::function<const Encoder&(std::string_view)>;

/// Reads the "language" object.
LanguageModel read_language(ObjectReader reader);
/// Reads the "encoder" object of an encoder file, or of a model file that describes its own
/// encoder.
Encoder read_encoder(ObjectReader reader);
/// Reads the "vision" object. `language` gives defaults, and receives inserted layers if the
/// connector is cross-attention and the file describes none. Tokens per image stay empty if the
/// rule of `token_family` (empty: the encoder's) depends on the size of the image.
VisionModel read_vision(ObjectReader reader, LanguageModel& language, std::string_view token_family,
                        const EncoderLookup& find_encoder);

/// Sets the tokens per image that a file leaves out, if the family has the same number for every
/// image: the encoder's own, and those that the connector makes of them. Else they stay empty, for
/// the family's rule. Model files and config.json both use it, so that one model has one answer.
void set_usual_tokens(VisionModel& vision, std::string_view token_family);

/// Checks values against each other: heads that groups do not divide, more experts used than there
/// are, window shares that do not sum to 1, more dense layers than layers.
void check_language(const LanguageModel& language, const JsonValue& where);

/// Sets a square image of `pixels` per side, and with it tokens and position table.
void set_image_size(Encoder& encoder, double pixels);

/// Reads `schema_version`, which has to be 1.x.
void read_schema_version(ObjectReader& reader);

/// A published parameter count, for tests of the data alone.
struct PublishedParameters {
  double value = 0;
  double within = 0;  ///< relative rounding of the published figure, 0: exact
};
/// Reads the optional "published_params": a number, or { "value", "within", "source" }.
PublishedParameters read_published_parameters(ObjectReader& reader);

/// Reads a model's file.
Model parse_model(const JsonValue& document, const EncoderLookup& find_encoder);
/// Reads an encoder's file.
Encoder parse_encoder(const JsonValue& document);

}  // namespace trcost::catalog
