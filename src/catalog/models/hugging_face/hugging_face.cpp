// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/hugging_face.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "catalog/data/unread.h"
#include "catalog/models/hugging_face/folder_files.h"
#include "catalog/models/hugging_face/image_families.h"
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
         reader.has("n_embd") || reader.has("d_model") || reader.has("text_config");
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
          "its {} is of the family {}, which is read. How its other parts join it is "
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
  // Another family's name helps only a file that has its keys.
  const std::string nearest = missing_keys(config).empty() ? nearest_family(family) : std::string();
  config.value().fail(
      fmt::format("the model family \"{}\" is not read: {}", shown, refusal_reason(config)),
      fmt::format(
          "{}families that are read: {}, {}. {}",
          nearest.empty() ? std::string()
                          : fmt::format("the nearest that is read is {}, whose name may stand as "
                                        "model_type where the layers are the same. Other ",
                                        nearest),
          text_family_names(), vision_family_names() + ", " + image_family_names(), kOwnFile));
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

namespace {

/// Class names of transformers end so.
constexpr std::string_view kClassEndings[] = {"ForCausalLM",
                                              "ForConditionalGeneration",
                                              "ForMaskedLM",
                                              "ForSequenceClassification",
                                              "ForTokenClassification",
                                              "ForQuestionAnswering",
                                              "LMHeadModel",
                                              "LMModel",
                                              "Model"};

bool is_family(std::string_view family) {
  return is_text_family(family) || is_vision_family(family) || is_image_family(family);
}

/// The name of the model's class, the first of its architectures. Empty for none.
std::string class_name(ObjectReader& config) {
  const std::optional<JsonValue> value = config.optional_value("architectures");
  if (!value || !value->is_array() || value->array().empty()) return {};
  const JsonValue first = value->array().front();
  return first.is_text() ? first.text() : std::string();
}

/// The family that the name of the class gives: minicpm3 for MiniCPM3ForCausalLM. Empty for none.
std::string family_of_class(ObjectReader& config) {
  std::string name = class_name(config);
  if (name.empty()) return {};
  for (const std::string_view ending : kClassEndings) {
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    break;
  }
  const std::string wanted = folded(name);
  const std::string all = text_family_names() + ", " + vision_family_names();
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(", ", at), all.size());
    const std::string family = all.substr(at, end - at);
    if (folded(family) == wanted) return family;
    at = end + 2;
  }
  return {};
}

/// Keys without which another family's sizes would stand in for all of the file's own.
bool lacks_sizes(const ObjectReader& config) {
  for (const char* key : {"hidden_size", "n_embd", "d_model", "dim", "text_config", "llm_config",
                          "llm_cfg", "language_config"}) {
    if (config.has(key)) return false;
  }
  return true;
}

/// The family to read a file by: model_type, else that of the class.
std::string family_of(ObjectReader& config, std::vector<std::string>& warnings) {
  const std::string named = config.text_or("model_type", {});
  const std::string by_class = family_of_class(config);
  // A file whose keys are of its class's family, under the name of another.
  const bool misnamed = named == "phi3" && by_class == "phi" && config.has("n_embd");
  if (misnamed || (named.empty() && !by_class.empty()) ||
      (!named.empty() && !is_family(named) && !by_class.empty() && !is_vision_family(by_class))) {
    warnings.push_back(
        fmt::format("the file is read as of the family {}, that of its class, {}", by_class,
                    named.empty() ? "because it has no model_type"
                                  : fmt::format("not as \"{}\"", printable(named.substr(0, 60)))));
    return misnamed ? "phi-msft" : by_class;
  }
  return named;
}

/// An encoder of text predicts masked tokens only if its class says so. Without a class it does, as
/// in pre-training.
void drop_vocabulary_head(ObjectReader& config, Model& model) {
  constexpr std::string_view kHeadless[] = {"Model", "ForSequenceClassification",
                                            "ForTokenClassification", "ForQuestionAnswering"};
  if (!model.language.bidirectional) return;
  const std::string name = class_name(config);
  const bool headless = std::ranges::any_of(
      kHeadless, [&](std::string_view ending) { return name.ends_with(ending); });
  if (!headless || name.ends_with("LMHeadModel") || name.ends_with("LMModel")) return;
  model.language.output_head = false;
  model.warnings.push_back(
      fmt::format("{} is an encoder without a head over the vocabulary: no logits are counted",
                  printable(name.substr(0, 60))));
}

constexpr std::string_view kNestedDecoders[] = {"text_config", "llm_config", "language_config",
                                                "llm_cfg"};

/// Reads the decoder of a file whose other parts are not known. False if its family is not either.
bool read_decoder_alone(ObjectReader& config, const std::string& family, Model& model) {
  for (const std::string_view key : kNestedDecoders) {
    if (!config.has(key)) continue;
    ObjectReader text = config.required_object(key);
    const std::string of = text.text_or("model_type", {});
    if (!is_text_family(of)) return false;
    model.language = read_text_family(text, of);
    if (!text.has("tie_word_embeddings") && config.has("tie_word_embeddings")) {
      model.language.tied_embeddings = config.boolean_or("tie_word_embeddings", false);
    }
    for (const char* part : {"vision_config", "audio_config", "visual", "vision_tower_cfg"}) {
      config.accept(part);
    }
    model.warnings.push_back(fmt::format(
        "only the decoder of the file is read ({}, of the family {}): how the other parts of {} "
        "join it is not known, and they are not counted",
        key, of, printable(family.substr(0, 60))));
    return true;
  }
  return false;
}

void read_parts(const DataFolder& data, ObjectReader& config, const std::string& family,
                Model& model) {
  const bool nested =
      std::ranges::any_of(kNestedDecoders, [&](std::string_view key) { return config.has(key); });
  const bool tower = config.has("vision_config") || config.has("vision_tower_cfg");
  if (is_vision_family(family) && (!is_text_family(family) || (nested && tower))) {
    if (nested && !tower && read_decoder_alone(config, family, model)) return;
    return read_vision_family(config, family, model);
  }
  if (is_image_family(family) && !nested) return read_image_family(config, family, model);
  if (is_text_family(family) && !nested) {
    model.language = read_text_family(config, family);
    drop_vocabulary_head(config, model);
    return;
  }
  if (!read_decoder_alone(config, family, model)) refuse_family(data, config, family);
}

/// Accepts the width at the top of a file whose decoder has an object of its own, if it is that of
/// the decoder.
void accept_same_width(const JsonValue& document, ObjectReader& config, const Model& model) {
  const std::optional<JsonValue> width = document.object().optional_value("hidden_size");
  if (width && width->is_number() && width->number(0, 1e9) == model.language.hidden) {
    config.accept("hidden_size");
  }
}

/// Warns of the keys that were neither read nor are known to be harmless.
void warn_of_unread_keys(const JsonValue& document, std::vector<std::string> read,
                         const DataFolder& data, Model& model) {
  const std::vector<std::string> keys = unread_keys(document, std::move(read), data);
  if (keys.empty()) return;
  constexpr std::size_t kMostShown = 12;
  std::string shown;
  for (std::size_t i = 0; i < std::min(keys.size(), kMostShown); ++i) {
    shown += (i == 0 ? "" : ", ") + keys[i];
  }
  if (keys.size() > kMostShown) shown += fmt::format(" and {} more", keys.size() - kMostShown);
  model.warnings.push_back(
      fmt::format("the configuration of {} has keys that are not used: {}", model.name, shown));
}

}  // namespace

Model read_model(const JsonValue& document, const DataFolder& data,
                 const EncoderLookup& find_encoder) {
  if (!is_hugging_face_config(document)) {
    if (document.is_object() && !document.object().has("language")) refuse_other_file(document);
    return parse_model(document, find_encoder);
  }
  const std::string& origin = document.origin();
  ObjectReader config = document.object();
  if (config.has("peft_type") || config.has("log_history")) refuse_other_file(document);
  Model model;
  model.from_config = true;
  const std::string family = family_of(config, model.warnings);
  if (family.empty()) {
    if (lacks_sizes(config)) refuse_other_file(document);
    document.fail("the key model_type is missing",
                  "a config.json of transformers names its family");
  }
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
  std::vector<std::string> read;
  config.log_fallbacks(&fallbacks);
  config.log_reads(&read);
  read_parts(data, config, family, model);
  accept_same_width(document, config, model);
  check_language(model.language, document);
  refuse_missing_pattern(fallbacks, document);
  for (ObjectReader::Fallback& each : fallbacks) {
    model.defaults.push_back({std::move(each.key), std::move(each.value)});
  }
  warn_of_unread_keys(document, std::move(read), data, model);
  return model;
}

}  // namespace trcost::catalog
