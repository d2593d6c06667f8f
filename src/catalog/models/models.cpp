// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "catalog/loaders.h"
#include "catalog/models/architecture_reader.h"
#include "catalog/models/hugging_face/hugging_face.h"
#include "catalog/software/choices.h"
#include "catalog/software/engine.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::catalog {

Model parse_model(const JsonValue& document, const Catalog& catalog) {
  const std::string& origin = document.origin();
  if (is_hugging_face_config(document)) return read_hugging_face_config(document, origin, catalog);
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
    model.vision = read_vision(*vision, model.language, model.token_family, catalog);
    if (model.token_family.empty()) model.token_family = model.vision->encoder.token_family;
  }
  r.finish();
  return model;
}

}  // namespace trcost::catalog
