// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "catalog/loaders.h"
#include "catalog/models/architecture_reader.h"
#include "catalog/models/model.h"
#include "catalog/software/choices.h"
#include "trcost/numbers.h"

namespace trcost::catalog {

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

}  // namespace trcost::catalog
