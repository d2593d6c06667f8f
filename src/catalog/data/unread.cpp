// SPDX-License-Identifier: Apache-2.0
#include "catalog/data/unread.h"

#include <algorithm>
#include <vector>

#include "catalog/data/data_file.h"
#include "quantity/suggest.h"

namespace trcost::catalog {

namespace {

struct UnreadRow {
  std::string family;
  std::vector<std::string> models;  // how their names begin
  UnreadModel model;
};

std::vector<UnreadRow> read_unread_rows(const DataFolder& data) {
  ObjectReader file = read_data_file(data, "unread.json").object();
  file.accept("schema_version");
  file.accept("retrieved");
  ObjectReader reasons = file.required_object("reasons");
  std::vector<UnreadRow> rows;
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
std::optional<UnreadModel> first_unread(const DataFolder& data, const Matches& matches) {
  for (UnreadRow& row : read_unread_rows(data)) {
    if (matches(row)) return std::move(row.model);
  }
  return std::nullopt;
}

}  // namespace

std::optional<UnreadModel> unread_family(const DataFolder& data, std::string_view model_type) {
  return first_unread(data, [&](const UnreadRow& row) { return row.family == model_type; });
}

std::optional<UnreadModel> unread_model(const DataFolder& data, std::string_view name) {
  const std::string wanted = folded(name);
  return first_unread(data, [&](const UnreadRow& row) {
    return std::ranges::any_of(
        row.models, [&](const std::string& start) { return wanted.starts_with(folded(start)); });
  });
}

}  // namespace trcost::catalog
