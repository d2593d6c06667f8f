// SPDX-License-Identifier: Apache-2.0
// Decoder and encoder families that a table of keys and parts describes. None of their sizes has a
// default: a file that leaves one out is refused.
#pragma once

#include <span>
#include <string_view>

#include "catalog/models/model.h"
#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// Names of the keys that a family keeps its sizes under. Empty for a key that it does not have.
struct SizeKeys {
  std::string_view layers, hidden, heads, kv_heads, ffn, vocab, head_dim, positions;
};

enum class QkNorms : std::uint8_t { none, head, wide, asked };

/// A family by its keys and by what its layers hold.
struct DecoderFamily {
  std::string_view family;
  const SizeKeys* keys;
  Mlp mlp;
  Norm norm;
  Biases biases;
  QkNorms qk_norm;
  double norms_per_layer;
  bool tied;  ///< where the file does not say
  enum Extra : unsigned {
    none = 0,
    plain_norm = 1,        ///< norms without a shift
    head_bias = 2,         ///< a bias in the output head
    one_kv_head = 4,       ///< multi_query is on where the file does not say
    positions = 8,         ///< a learned table of positions
    bidirectional = 16,    ///< an encoder of text
    half_ffn = 32,         ///< the key of the feed-forward counts both of its halves
    gated_attention = 64,  ///< a gate over the output of attention
    full_heads = 128,      ///< no key of key heads: as many as heads
  };
  unsigned extras;
};

/// The families, in the order in which messages list them.
std::span<const DecoderFamily> decoder_families();
/// Null for a family that the table does not have.
const DecoderFamily* find_decoder_family(std::string_view family);
/// Reads a file of the family. Throws Error (data) for a size that it leaves out.
LanguageModel read_decoder_family(ObjectReader& config, const DecoderFamily& family);

}  // namespace trcost::catalog
