// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/hugging_face.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "catalog/data/unread.h"
#include "catalog/models/hugging_face/quantization.h"
#include "catalog/models/hugging_face/text_families.h"
#include "catalog/models/hugging_face/vision_families.h"
#include "catalog/models/models.h"
#include "quantity/suggest.h"
#include "text/unicode.h"

namespace trcost::catalog {

namespace {

/// A config.json is named by the model that it says it is, else by the folder that it lies in,
/// which `.` and `..` stand for too; another file by its own name.
std::string config_name(ObjectReader& config, std::string_view origin, std::string_view family) {
  namespace fs = std::filesystem;
  const fs::path file(origin);
  std::string name;
  if (file.filename() != "config.json") {
    name = file.stem().string();
  } else {
    name = config.text_or("_name_or_path", {});
    if (name.starts_with('/') || name.starts_with('.')) name.clear();
    name = name.substr(name.rfind('/') + 1);
    if (name.empty()) {
      std::error_code failed;
      name = fs::absolute(file, failed).lexically_normal().parent_path().filename().string();
    }
  }
  return name.empty() ? std::string(family) : printable(name);
}

bool is_hugging_face_config(const JsonValue& document) {
  if (!document.is_object()) return false;
  const ObjectReader reader = document.object();
  if (reader.has("language")) return false;
  return reader.has("model_type") || reader.has("architectures") || reader.has("hidden_size") ||
         reader.has("n_embd") || reader.has("d_model");
}

/// Keys of a decoder that a configuration of an unknown family lacks.
std::string missing_keys(const ObjectReader& config) {
  std::string missing;
  for (const char* key : {"num_hidden_layers", "hidden_size", "num_attention_heads",
                          "intermediate_size", "vocab_size"}) {
    if (!config.has(key)) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", key);
  }
  return missing;
}

/// The reason in a file whose decoder has an object of its own.
std::optional<std::string> nested_reason(ObjectReader& config) {
  for (const char* key : {"text_config", "llm_config", "language_config"}) {
    if (!config.has(key)) continue;
    ObjectReader text = config.required_object(key);
    const std::string family = text.text_or("model_type", {});
    if (is_text_family(family)) {
      return fmt::format(
          "its {} is of the family {}, which is read; how its other parts join it is "
          "not known",
          key, family);
    }
    return fmt::format("its keys stand in {}, of the family \"{}\", which is not known", key,
                       family.substr(0, 60));
  }
  return std::nullopt;
}

std::string refusal_reason(ObjectReader& config) {
  if (std::optional<std::string> nested = nested_reason(config)) return *std::move(nested);
  const std::string missing = missing_keys(config);
  return missing.empty() ? "its keys are those of a decoder, but what its layers hold is not known"
                         : fmt::format("the keys {} are missing", missing);
}

/// The known family whose name is nearest and begins alike, as another generation's does.
std::string nearest_family(std::string_view family) {
  const std::string all = text_family_names() + ", " + vision_family_names();
  const std::string stem(family.substr(0, family.find_first_of("0123456789_-")));
  std::vector<std::string> alike;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(", ", at), all.size());
    std::string name = all.substr(at, end - at);
    if (stem.size() > 1 && name.starts_with(stem)) alike.push_back(std::move(name));
    at = end + 2;
  }
  const std::string nearest = nearest_name(family, alike);
  return nearest.empty() && alike.size() == 1 ? alike.front() : nearest;
}

/// Throws Error (data): the family is not read, for which reason, and the nearest one that is.
[[noreturn]] void refuse_family(const DataFolder& data, ObjectReader& config,
                                const std::string& family) {
  constexpr std::string_view kOwnFile =
      "for others write a model file with \"language\": layers, hidden, heads, ffn, vocab";
  const std::string shown = family.substr(0, 60);
  if (const std::optional<UnreadModel> known = unread_family(data, family)) {
    const std::string instead =
        known->nearest.empty() ? std::string()
                               : fmt::format("{} of the catalog comes nearest; ", known->nearest);
    config.value().fail(fmt::format("the model family \"{}\" is not read: {}", shown, known->why),
                        fmt::format("{}{}", instead, kOwnFile));
  }
  const std::string nearest = nearest_family(family);
  config.value().fail(
      fmt::format("the model family \"{}\" is not read; {}", shown, refusal_reason(config)),
      fmt::format("{}families that are read: {}, {}; {}",
                  nearest.empty()
                      ? std::string()
                      : fmt::format("the nearest that is read is {}, whose name may stand as "
                                    "model_type where the layers are the same; ",
                                    nearest),
                  text_family_names(), vision_family_names(), kOwnFile));
}

}  // namespace

namespace {

// The kinds of a hybrid's layers are those of another model by default, so their key is needed.
void refuse_missing_pattern(const std::vector<ObjectReader::Fallback>& fallbacks,
                            const JsonValue& document) {
  constexpr std::string_view kPattern = "hybrid_override_pattern";
  if (std::ranges::find(fallbacks, kPattern, &ObjectReader::Fallback::key) == fallbacks.end()) {
    return;
  }
  document.fail(
      fmt::format("the file lacks {}", kPattern),
      "the order of the layers is needed: take the config.json of the weights, or write a "
      "model file with a \"pattern\"");
}

}  // namespace

Model read_model(const JsonValue& document, const DataFolder& data,
                 const EncoderLookup& find_encoder) {
  if (!is_hugging_face_config(document)) return parse_model(document, find_encoder);
  const std::string& origin = document.origin();
  ObjectReader config = document.object();
  const std::string family = config.text_or("model_type", {});
  if (family.empty()) {
    document.fail("the key model_type is missing",
                  "a config.json of transformers names its family");
  }
  Model model;
  model.name = config_name(config, origin, family);
  model.title = model.name;
  model.source = fmt::format("{} (Hugging Face config.json, family {})", origin, family);
  const Quantization quantization = read_quantization(config);
  if (quantization.format) {
    model.released_format = weight_format_name(*quantization.format);
  } else {
    model.unread_quantization = printable(quantization.method.substr(0, 40));
  }
  std::vector<ObjectReader::Fallback> fallbacks;
  config.log_fallbacks(&fallbacks);
  if (is_vision_family(family)) {
    read_vision_family(config, family, model);
  } else if (is_text_family(family)) {
    model.language = read_text_family(config, family);
  } else {
    refuse_family(data, config, family);
  }
  check_language(model.language, document);
  refuse_missing_pattern(fallbacks, document);
  for (ObjectReader::Fallback& each : fallbacks) {
    model.defaults.push_back({std::move(each.key), std::move(each.value)});
  }
  return model;
}

}  // namespace trcost::catalog
