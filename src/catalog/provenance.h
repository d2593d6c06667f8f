// SPDX-License-Identifier: Apache-2.0
// What accelerator and system files have in common: a head, sources by key, and values that name
// one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// A value with the text of its source looked up.
struct CatalogNumber {
  double value = 0;
  std::string source;     ///< empty for a bare number in a user's own file
  std::string retrieved;  ///< YYYY-MM-DD
};

/// The `sources` of a file: key to text.
class Sources {
 public:
  Sources() = default;
  /// Reads and accepts the key `sources` of `file`.
  explicit Sources(ObjectReader& file);

  /// The number under `key`, or nothing where it is absent or null. Its `source` is a key of
  /// `sources`, or a text of its own (anything with a blank).
  std::optional<CatalogNumber> optional(ObjectReader& reader, std::string_view key, double lowest,
                                        double highest) const;
  CatalogNumber required(ObjectReader& reader, std::string_view key, double lowest,
                         double highest) const;
  /// The text behind a source key.
  std::string text(const JsonValue& key) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

/// Checks `schema_version` and that a catalog file's `name` is its file name; returns the name.
std::string read_head(ObjectReader& file, std::string_view origin);

/// A price, with the date that it held on.
struct CatalogPrice {
  std::optional<double> usd;
  std::optional<double> accelerators;  ///< chips in that price
  std::string source;
  std::string date;
};
CatalogPrice read_price(ObjectReader& file, const Sources& sources);

}  // namespace trcost::catalog
