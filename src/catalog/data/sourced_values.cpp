// SPDX-License-Identifier: Apache-2.0
#include "catalog/data/sourced_values.h"

#include <fmt/core.h>

#include "quantity/calendar.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::catalog {

Sources::Sources(ObjectReader& file) {
  std::optional<ObjectReader> sources = file.optional_object("sources");
  if (!sources) return;
  for (const std::string& key : sources->keys()) texts_[key] = sources->required_text(key);
}

std::string Sources::text(const JsonValue& key) const {
  std::string written = key.text();
  const auto found = texts_.find(written);
  if (found != texts_.end()) return found->second;
  if (written.find(' ') != std::string::npos) return written;
  std::vector<std::string> known;
  for (const auto& [name, unused] : texts_) known.push_back(name);
  std::string hint = did_you_mean(written, known);
  if (hint.empty()) hint = "add it to \"sources\", or write the source out in words";
  key.fail(fmt::format("\"{}\" is not a key of \"sources\" in this file", written.substr(0, 100)),
           std::move(hint));
}

std::optional<CatalogNumber> Sources::optional(ObjectReader& reader, std::string_view key,
                                               double lowest, double highest) const {
  const std::optional<JsonValue> found = reader.optional_value(key);
  if (!found) return std::nullopt;
  if (found->is_number()) return CatalogNumber{found->number(lowest, highest), {}, {}};
  if (!found->is_object()) {
    found->fail("a number, or an object with value, source and retrieved is expected");
  }
  ObjectReader object = found->object();
  CatalogNumber number;
  const std::optional<double> value = object.optional_number("value", lowest, highest);
  if (const auto source = object.optional_value("source")) number.source = text(*source);
  number.retrieved = read_date(object, "retrieved");
  object.accept("note");
  object.finish();
  if (!value) return std::nullopt;
  number.value = *value;
  return number;
}

CatalogNumber Sources::required(ObjectReader& reader, std::string_view key, double lowest,
                                double highest) const {
  std::optional<CatalogNumber> number = optional(reader, key, lowest, highest);
  if (!number) reader.fail_missing(key);
  return *std::move(number);
}

std::string read_date(ObjectReader& reader, std::string_view key) {
  const std::optional<JsonValue> value = reader.optional_value(key);
  if (!value) return {};
  std::string text = value->text();
  if (!text.empty() && !date_span(text)) {
    value->fail(fmt::format("\"{}\" is not a date", text.substr(0, 60)),
                "write it like 2026-09-19, 2026-05, 2025-H2 or 2026");
  }
  return text;
}

std::string read_entry_head(ObjectReader& file, std::string_view origin) {
  const JsonValue version = file.required_value("schema_version");
  if (!version.text().starts_with("1.")) {
    version.fail(fmt::format("schema version {} is not known", version.text().substr(0, 20)),
                 "this version of trcost reads 1.x");
  }
  const JsonValue name = file.required_value("name");
  std::string text = name.text();
  if (text.empty()) name.fail("the name is empty");
  const std::size_t slash = origin.rfind('/');
  const std::string_view file_name =
      slash == std::string_view::npos ? origin : origin.substr(slash + 1);
  const bool in_catalog = origin.find('/') != std::string_view::npos &&
                          (origin.starts_with("accelerators/") || origin.starts_with("systems/"));
  if (in_catalog && file_name != text + ".json") {
    name.fail(fmt::format("the name \"{}\" differs from the file's", text.substr(0, 100)),
              "a catalog file is named after its entry");
  }
  return text;
}

CatalogPrice read_price(ObjectReader& file, const Sources& sources) {
  constexpr double kHighestPrice = 1e9;
  const std::optional<JsonValue> found = file.optional_value("price_usd");
  CatalogPrice price;
  if (!found) return price;
  if (found->is_number()) {
    price.usd = found->number(1, kHighestPrice);
    return price;
  }
  ObjectReader object = found->object();
  price.usd = object.required_number("value", 1, kHighestPrice);
  if (const auto chips = object.optional_value("accelerators")) {
    price.accelerators = chips->whole(1, 1e6);
  }
  price.date = read_date(object, "date");
  if (const auto source = object.optional_value("source")) price.source = sources.text(*source);
  read_date(object, "retrieved");
  object.accept("note");
  object.finish();
  return price;
}

}  // namespace trcost::catalog
