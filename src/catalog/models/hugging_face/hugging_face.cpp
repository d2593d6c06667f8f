// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/hugging_face.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "catalog/models/architecture_reader.h"
#include "catalog/models/hugging_face/parts.h"
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

}  // namespace

bool is_hugging_face_config(const JsonValue& document) {
  if (!document.is_object()) return false;
  const ObjectReader reader = document.object();
  if (reader.has("language")) return false;
  return reader.has("model_type") || reader.has("architectures") || reader.has("hidden_size") ||
         reader.has("n_embd") || reader.has("d_model");
}

Model read_hugging_face_config(const JsonValue& document, std::string_view origin,
                               const Catalog& catalog) {
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
  std::vector<ObjectReader::Fallback> fallbacks;
  config.log_fallbacks(&fallbacks);
  if (is_vision_language_family(family)) {
    read_hugging_face_vision_language(config, family, model);
  } else if (is_text_family(family)) {
    model.language = read_hugging_face_text(config, family);
  } else {
    refuse_family(catalog, config, family);
  }
  check_language(model.language, document);
  for (ObjectReader::Fallback& each : fallbacks) {
    model.defaults.push_back({std::move(each.key), std::move(each.value)});
  }
  return model;
}

}  // namespace trcost::catalog
