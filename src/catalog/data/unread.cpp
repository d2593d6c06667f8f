// SPDX-License-Identifier: Apache-2.0
#include "catalog/data/unread.h"

#include <algorithm>
#include <vector>

#include "catalog/data/data_file.h"
#include "quantity/suggest.h"

namespace trcost::catalog {

namespace {

// The first row for which `matches(family, models)`, where `models` are starts of their names.
template <class Matches>
std::optional<UnreadModel> first_unread(const DataFolder& data, const Matches& matches) {
  ObjectReader file = read_data_file(data, "unread.json").object();
  file.accept("schema_version");
  file.accept("retrieved");
  ObjectReader reasons = file.required_object("reasons");
  std::optional<UnreadModel> found;
  for (const JsonValue& value : file.required_value("families").array()) {
    ObjectReader row = value.object();
    const std::string family = row.required_text("family");
    const std::vector<std::string> models = row.texts_or_empty("models");
    UnreadModel model{reasons.required_text(row.required_text("reason")),
                      row.text_or("nearest", {})};
    row.finish();
    if (!found && matches(family, models)) found = std::move(model);
  }
  file.finish();
  reasons.finish();
  return found;
}

}  // namespace

std::optional<UnreadModel> unread_family(const DataFolder& data, std::string_view model_type) {
  return first_unread(data,
                      [&](const std::string& family, const auto&) { return family == model_type; });
}

std::optional<UnreadModel> unread_model(const DataFolder& data, std::string_view name) {
  const std::string wanted = folded(name);
  return first_unread(data, [&](const std::string&, const std::vector<std::string>& models) {
    return std::ranges::any_of(
        models, [&](const std::string& start) { return wanted.starts_with(folded(start)); });
  });
}

}  // namespace trcost::catalog
