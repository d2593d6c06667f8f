// SPDX-License-Identifier: Apache-2.0
#include "catalog/unread.h"

#include <algorithm>
#include <vector>

#include "catalog/data_file.h"
#include "quantity/suggest.h"

namespace trcost::catalog {

namespace {

struct Row {
  std::string family;
  std::vector<std::string> models;  // how their names begin
  UnreadModel model;
};

std::vector<Row> rows_of(const Catalog& catalog) {
  ObjectReader file = read_data_file(catalog, "unread.json").object();
  file.accept("schema_version");
  file.accept("retrieved");
  ObjectReader reasons = file.required_object("reasons");
  std::vector<Row> rows;
  for (const JsonValue& value : file.required_value("families").array()) {
    ObjectReader row = value.object();
    rows.push_back(
        {row.required_text("family"),
         row.texts_or_empty("models"),
         {reasons.required_text(row.required_text("reason")), row.text_or("nearest", {})}});
    row.finish();
  }
  file.finish();
  reasons.finish();
  return rows;
}

template <class Matches>
std::optional<UnreadModel> first(const Catalog& catalog, const Matches& matches) {
  for (Row& row : rows_of(catalog)) {
    if (matches(row)) return std::move(row.model);
  }
  return std::nullopt;
}

}  // namespace

std::optional<UnreadModel> unread_family(const Catalog& catalog, std::string_view model_type) {
  return first(catalog, [&](const Row& row) { return row.family == model_type; });
}

std::optional<UnreadModel> unread_model(const Catalog& catalog, std::string_view name) {
  const std::string wanted = folded(name);
  return first(catalog, [&](const Row& row) {
    return std::ranges::any_of(
        row.models, [&](const std::string& start) { return wanted.starts_with(folded(start)); });
  });
}

}  // namespace trcost::catalog
