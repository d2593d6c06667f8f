// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/models.h"

#include <fmt/format.h>

#include "catalog/models/weight_formats.h"
#include "trcost/error.h"

namespace trcost {

Model parse_model(const JsonValue& document, const EncoderLookup& find_encoder) {
  const std::string& origin = document.origin();
  ObjectReader r = document.object();
  Model model;
  read_schema_version(r);
  model.name = r.required_text("name");
  model.title = r.text_or("title", model.name);
  model.source = r.text_or("source", origin);
  r.texts_or_empty("aliases");
  r.text_or("retrieved", {});
  r.text_or("note", {});
  model.released_format = r.text_or("released_format", {});
  if (!model.released_format.empty() && !parse_weight_format(model.released_format)) {
    throw Error(ErrorKind::data,
                "\"" + model.released_format + "\" is no format that weights are served in",
                fmt::format("one of {}", fmt::join(words_in(kServedFormats, kWeightFormats), ", ")),
                origin + "#/released_format");
  }
  read_published_parameters(r);
  model.language = read_language(r.required_object("language"));
  model.token_family = r.text_or("token_family", {});
  if (std::optional<ObjectReader> vision = r.optional_object("vision")) {
    model.vision = read_vision(*vision, model.language, model.token_family, find_encoder);
    if (model.token_family.empty()) model.token_family = model.vision->encoder.token_family;
  }
  r.finish();
  return model;
}

Encoder parse_encoder(const JsonValue& document) {
  ObjectReader r = document.object();
  read_schema_version(r);
  const std::string name = r.required_text("name");
  const std::string title = r.text_or("title", name);
  r.texts_or_empty("aliases");
  r.required_text("source");
  r.text_or("retrieved", {});
  r.text_or("note", {});
  read_published_parameters(r);
  const std::string family = r.text_or("token_family", {});
  const ConnectorKind connector = r.choice_or("connector", ConnectorKind::mlp, kConnectors);
  Encoder encoder = read_encoder(r.required_object("encoder"));
  r.finish();
  encoder.name = name;
  encoder.title = title;
  encoder.token_family = family;
  encoder.connector = connector;
  return encoder;
}

}  // namespace trcost
