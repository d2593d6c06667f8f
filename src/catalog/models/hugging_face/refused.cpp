// SPDX-License-Identifier: Apache-2.0
// Why a config.json is not read.
#include <fmt/format.h>

#include <optional>

#include "catalog/models/hugging_face/parts.h"
#include "catalog/unread.h"
#include "quantity/suggest.h"

namespace trcost::catalog {

namespace {

/// Keys of a decoder that a configuration of an unknown family lacks.
std::string missing_keys(const ObjectReader& config) {
  std::string missing;
  for (const char* key : {"num_hidden_layers", "hidden_size", "num_attention_heads",
                          "intermediate_size", "vocab_size"}) {
    if (!config.has(key)) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", key);
  }
  return missing;
}

/// What stands in the object of the decoder where a file has one.
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

std::string reason(ObjectReader& config) {
  if (std::optional<std::string> nested = nested_reason(config)) return *std::move(nested);
  const std::string missing = missing_keys(config);
  return missing.empty() ? "its keys are those of a decoder, but what its layers hold is not known"
                         : fmt::format("the keys {} are missing", missing);
}

/// The known family whose name is nearest and begins alike, as another generation's does.
std::string nearest_family(std::string_view family) {
  const std::string all = text_family_names() + ", " + vision_language_family_names();
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

}  // namespace

void refuse_family(const Catalog& catalog, ObjectReader& config, const std::string& family) {
  constexpr std::string_view kOwnFile =
      "for others write a model file with \"language\": layers, hidden, heads, ffn, vocab";
  const std::string shown = family.substr(0, 60);
  if (const std::optional<UnreadModel> known = unread_family(catalog, family)) {
    const std::string instead =
        known->nearest.empty() ? std::string()
                               : fmt::format("{} of the catalog comes nearest; ", known->nearest);
    config.value().fail(fmt::format("the model family \"{}\" is not read: {}", shown, known->why),
                        fmt::format("{}{}", instead, kOwnFile));
  }
  const std::string nearest = nearest_family(family);
  config.value().fail(
      fmt::format("the model family \"{}\" is not read; {}", shown, reason(config)),
      fmt::format("{}families that are read: {}, {}; {}",
                  nearest.empty()
                      ? std::string()
                      : fmt::format("the nearest that is read is {}, whose name may stand as "
                                    "model_type where the layers are the same; ",
                                    nearest),
                  text_family_names(), vision_language_family_names(), kOwnFile));
}

}  // namespace trcost::catalog
