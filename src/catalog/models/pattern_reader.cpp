// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/pattern_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "catalog/models/model.h"
#include "catalog/models/models.h"
#include "quantity/choice.h"

namespace trcost::catalog {

namespace {

// The words of a pattern.
constexpr Choice<Mixer> kMixers[] = {{"attention", Mixer::attention},
                                     {"mamba", Mixer::mamba},
                                     {"linear", Mixer::linear},
                                     {"sparse", Mixer::sparse},
                                     {"none", Mixer::none}};
constexpr Choice<FeedForward> kFeedForwards[] = {
    {"dense", FeedForward::dense}, {"moe", FeedForward::moe}, {"none", FeedForward::none}};

constexpr double kMostTaps = 64;

StateSpace read_state_space(ObjectReader r) {
  StateSpace s;
  s.heads = r.required_whole("heads", 1, kWidest);
  s.head_dim = r.required_whole("head_dim", 1, kWidest);
  s.state = r.required_whole("state", 1, kWidest);
  s.groups = r.whole_or("groups", s.groups, 1, kWidest);
  s.conv = r.whole_or("conv", s.conv, 1, kMostTaps);
  s.conv_bias = r.boolean_or("conv_bias", s.conv_bias);
  s.chunk = r.whole_or("chunk", s.chunk, 1, kWidest);
  r.finish();
  return s;
}

LinearAttention read_linear_attention(ObjectReader r) {
  LinearAttention a;
  a.key_heads = r.required_whole("key_heads", 1, kWidest);
  a.key_dim = r.required_whole("key_dim", 1, kWidest);
  a.value_heads = r.required_whole("value_heads", 1, kWidest);
  a.value_dim = r.required_whole("value_dim", 1, kWidest);
  a.conv = r.whole_or("conv", a.conv, 1, kMostTaps);
  a.chunk = r.whole_or("chunk", a.chunk, 1, kWidest);
  r.finish();
  return a;
}

SparseAttention read_sparse_attention(ObjectReader r) {
  SparseAttention sparse;
  sparse.index_heads = r.required_whole("index_heads", 1, kWidest);
  sparse.index_dim = r.required_whole("index_dim", 1, kWidest);
  sparse.top_k = r.required_whole("top_k", 1, 1e9);
  r.finish();
  return sparse;
}

std::span<const PatternPart> parts_of(const LanguageModel& m) {
  return {m.pattern.data(), static_cast<std::size_t>(m.pattern_parts)};
}

void read_parts(const std::vector<JsonValue>& parts, LanguageModel& m) {
  const FeedForward usual = m.moe ? FeedForward::moe : FeedForward::dense;
  for (const JsonValue& each : parts) {
    if (m.pattern_parts == static_cast<int>(m.pattern.size())) {
      each.fail(fmt::format("a pattern has at most {} parts", m.pattern.size()),
                "write one entry for each kind of layer, with how many there are");
    }
    ObjectReader part = each.object();
    PatternPart& slot = m.pattern[static_cast<std::size_t>(m.pattern_parts++)];
    slot.mixer = part.choice_or("block", Mixer::attention, kMixers);
    slot.ffn = part.choice_or("ffn", usual, kFeedForwards);
    slot.count = part.whole_or("count", 1, 1, kMostLayers);
    part.finish();
    if (slot.mixer == Mixer::none && slot.ffn == FeedForward::none) {
      each.fail("a layer with neither block nor ffn is empty");
    }
  }
}

/// The object that a mixer's sizes stand in, where the model has none.
std::string_view missing_sizes(const LanguageModel& m, Mixer mixer) {
  if (mixer == Mixer::mamba && !m.mamba) return "mamba";
  if (mixer == Mixer::linear && !m.linear) return "linear";
  if (mixer == Mixer::sparse && !m.sparse) return "sparse";
  return mixer == Mixer::sparse && !m.mla ? "mla" : std::string_view();
}

}  // namespace

void read_pattern(ObjectReader& r, LanguageModel& m) {
  if (std::optional<ObjectReader> mamba = r.optional_object("mamba")) {
    m.mamba = read_state_space(*mamba);
  }
  if (std::optional<ObjectReader> linear = r.optional_object("linear")) {
    m.linear = read_linear_attention(*linear);
  }
  if (std::optional<ObjectReader> sparse = r.optional_object("sparse")) {
    m.sparse = read_sparse_attention(*sparse);
  }
  read_parts(r.array_or_empty("pattern"), m);
}

bool has_dense_layers(const LanguageModel& m) {
  if (m.moe && m.moe->dense_layers > 0) return true;
  if (m.pattern_parts == 0) return !m.moe;
  return std::ranges::any_of(
      parts_of(m), [](const PatternPart& part) { return part.ffn == FeedForward::dense; });
}

void check_pattern(const LanguageModel& m, const JsonValue& where) {
  if (m.pattern_parts == 0) {
    if (m.mamba || m.linear || m.sparse) {
      where.fail(
          "sizes of mamba, linear or sparse blocks need a pattern that says which layers "
          "have them",
          R"(for example "pattern": [ { "block": "mamba", "count": 3 }, {} ])");
    }
    return;
  }
  double layers = 0;
  for (const PatternPart& part : parts_of(m)) {
    layers += part.count;
    if (const std::string_view missing = missing_sizes(m, part.mixer); !missing.empty()) {
      where.fail(fmt::format("the pattern has a {} block, and \"{}\" is missing",
                             word_of(kMixers, part.mixer), missing),
                 "each block's sizes stand in an object of its name beside the pattern");
    }
    if (part.ffn == FeedForward::moe && !m.moe) {
      where.fail("the pattern has experts, and \"moe\" is missing");
    }
  }
  if (std::fmod(m.layers, layers) != 0) {
    where.fail(fmt::format("the pattern is {:.0f} layers long, of which {:.0f} are no multiple",
                           layers, m.layers),
               "a pattern is repeated to the layers");
  }
}

}  // namespace trcost::catalog
