// SPDX-License-Identifier: Apache-2.0
// Formats of huggingface/transformers src/transformers/utils/quantization_config.py,
// vllm-project/compressed-tensors src/compressed_tensors/quantization, NVIDIA ModelOpt's
// hf_quant_config.json and AMD Quark's export.
#include "catalog/models/hugging_face/quantization.h"

#include "quantity/suggest.h"

namespace trcost::catalog {

namespace {

std::string lower_text(ObjectReader& object, std::string_view key) {
  const std::optional<JsonValue> value = object.optional_value(key);
  return value && value->is_text() ? lower_case(value->text()) : std::string();
}

double number_at(ObjectReader& object, std::string_view key) {
  const std::optional<JsonValue> value = object.optional_value(key);
  return value && value->is_number() ? value->number(-1e9, 1e9) : 0;
}

bool is_set(ObjectReader& object, std::string_view key) {
  const std::optional<JsonValue> value = object.optional_value(key);
  return value && value->is_boolean() && value->boolean();
}

std::optional<ObjectReader> object_at(const ObjectReader& object, std::string_view key) {
  if (!object.has(key)) return std::nullopt;
  ObjectReader copy = object;
  const std::optional<JsonValue> value = copy.optional_value(key);
  if (!value || !value->is_object()) return std::nullopt;
  return value->object();
}

// 8-bit integers have the bytes of fp8. Blocks of 16 share a scale in NVFP4, blocks of 32 in MXFP4.
std::optional<WeightFormat> format_of_bits(double bits, bool floating, double group) {
  if (bits == 8) return WeightFormat::fp8;
  if (bits != 4) return std::nullopt;
  if (!floating) return WeightFormat::int4;
  return group == 32 ? WeightFormat::mxfp4 : WeightFormat::nvfp4;
}

// A name of a format within a word, as `NVFP4`, `W4A16_AWQ`, `fp8_e4m3` or `mxfp4`.
std::optional<WeightFormat> format_in_word(std::string_view word) {
  constexpr std::pair<std::string_view, WeightFormat> kParts[] = {
      {"nvfp4", WeightFormat::nvfp4}, {"mxfp4", WeightFormat::mxfp4}, {"fp4", WeightFormat::mxfp4},
      {"fp8", WeightFormat::fp8},     {"int8", WeightFormat::fp8},    {"w8", WeightFormat::fp8},
      {"int4", WeightFormat::int4},   {"w4", WeightFormat::int4}};
  for (const auto& [part, format] : kParts) {
    if (word.find(part) != std::string_view::npos) return format;
  }
  return std::nullopt;
}

// The smallest format of the groups, which is that of the experts.
std::optional<WeightFormat> format_of_groups(ObjectReader& config) {
  std::optional<WeightFormat> smallest;
  const std::optional<ObjectReader> groups = object_at(config, "config_groups");
  if (!groups) return smallest;
  for (const std::string& key : groups->keys()) {
    const std::optional<ObjectReader> group = object_at(*groups, key);
    std::optional<ObjectReader> weights = group ? object_at(*group, "weights") : std::nullopt;
    if (!weights) continue;
    const auto format =
        format_of_bits(number_at(*weights, "num_bits"), lower_text(*weights, "type") == "float",
                       number_at(*weights, "group_size"));
    if (!format) continue;
    const bool smaller =
        !smallest || weight_format(*format).other_bytes < weight_format(*smallest).other_bytes;
    if (smaller) smallest = format;
  }
  return smallest;
}

std::optional<WeightFormat> format_of_bitsandbytes(ObjectReader& config) {
  if (is_set(config, "load_in_4bit") || is_set(config, "_load_in_4bit")) return WeightFormat::int4;
  if (is_set(config, "load_in_8bit") || is_set(config, "_load_in_8bit")) return WeightFormat::fp8;
  return std::nullopt;
}

// NVIDIA's files name the algorithm in the object or in one below it.
std::optional<WeightFormat> format_of_modelopt(ObjectReader& config) {
  std::string algorithm = lower_text(config, "quant_algo");
  if (std::optional<ObjectReader> inner = object_at(config, "quantization");
      algorithm.empty() && inner) {
    algorithm = lower_text(*inner, "quant_algo");
  }
  if (const auto format = format_in_word(algorithm)) return format;
  return format_of_groups(config);
}

std::optional<WeightFormat> format_of_quark(ObjectReader& config) {
  const std::optional<ObjectReader> all = object_at(config, "global_quant_config");
  std::optional<ObjectReader> weight = all ? object_at(*all, "weight") : std::nullopt;
  return weight ? format_in_word(lower_text(*weight, "dtype")) : std::nullopt;
}

std::optional<WeightFormat> format_of_method(ObjectReader& config, const std::string& method) {
  if (method == "bitsandbytes") return format_of_bitsandbytes(config);
  if (method.starts_with("modelopt")) return format_of_modelopt(config);
  if (method.starts_with("compressed")) {
    if (const auto format = format_of_groups(config)) return format;
  }
  if (method == "quark") return format_of_quark(config);
  const double bits = number_at(config, config.has("bits") ? "bits" : "w_bit");
  if (bits > 0) return format_of_bits(bits, false, 0);
  const std::string format = lower_text(config, "format") + lower_text(config, "forward_dtype");
  if (const auto found = format_in_word(format)) return found;
  return format_in_word(method);
}

}  // namespace

Quantization read_quantization(const ObjectReader& config) {
  Quantization out;
  std::optional<ObjectReader> found = object_at(config, "quantization_config");
  for (const char* key : {"text_config", "llm_config", "language_config"}) {
    if (found) break;
    const std::optional<ObjectReader> language = object_at(config, key);
    if (language) found = object_at(*language, "quantization_config");
  }
  if (!found) return out;
  out.method = lower_text(*found, "quant_method");
  out.format = format_of_method(*found, out.method);
  if (out.method.empty()) out.method = "none";
  return out;
}

}  // namespace trcost::catalog
