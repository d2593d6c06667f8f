// SPDX-License-Identifier: Apache-2.0
// Common parts of data files: a head, numbers with their source, and tables of numbers with their
// keys and plausible ranges.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/data/data_file.h"
#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// A number with the text of its source.
struct CatalogNumber {
  double value = 0;
  std::string source;     ///< empty for a bare number in a user's own file
  std::string retrieved;  ///< YYYY-MM-DD
};

/// The object `sources` of a file: key to text.
class Sources {
 public:
  Sources() = default;
  /// Reads and accepts the key `sources` of `file`.
  explicit Sources(ObjectReader& file);

  /// The number under `key`, empty if it is absent or null. Its `source` is a key of `sources`, or
  /// a text of its own (anything with a blank).
  std::optional<CatalogNumber> optional(ObjectReader& reader, std::string_view key, double lowest,
                                        double highest) const;
  /// The number under `key`. Throws Error (data) if it is absent.
  CatalogNumber required(ObjectReader& reader, std::string_view key, double lowest,
                         double highest) const;
  /// The text behind a source key.
  std::string text(const JsonValue& key) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

/// The date under `key` (date_span()), or empty. Throws Error (data) for another text.
std::string read_date(ObjectReader& reader, std::string_view key);

/// Checks `schema_version` and that a catalog file's `name` is its file name. Returns the name.
std::string read_entry_head(ObjectReader& file, std::string_view origin);

/// A price, with the date that it held on.
struct CatalogPrice {
  std::optional<double> usd;
  std::optional<double> accelerators;  ///< chips in that price
  std::string source;
  std::string date;
};
CatalogPrice read_price(ObjectReader& file, const Sources& sources);

/// A number of a data file: its key, member and plausible range. The readers below take a range of
/// them.
template <class T>
struct Constant {
  std::string_view name;
  double T::*member;
  double lowest, highest;
};

/// Reads all constants. Throws Error (data) if one is missing.
template <class T>
void read_constants(ObjectReader& reader, const auto& constants, T& out) {
  for (const Constant<T>& c : constants) {
    out.*c.member = reader.required_number(c.name, c.lowest, c.highest);
  }
}

/// Reads the constants that the file has and leaves the others as they are.
template <class T>
void read_given_constants(ObjectReader& reader, const auto& constants, T& out) {
  for (const Constant<T>& c : constants) {
    out.*c.member = reader.number_or(c.name, out.*c.member, c.lowest, c.highest);
  }
}

/// Reads all constants, each with its source.
template <class T>
void read_sourced_constants(ObjectReader& reader, const Sources& sources, const auto& constants,
                            T& out) {
  for (const Constant<T>& c : constants) {
    out.*c.member = sources.required(reader, c.name, c.lowest, c.highest).value;
  }
}

/// Reads a file of data/assumed: `constants`, and what `more` reads, all with sources.
template <class T>
T read_assumed(const DataFolder& data, std::string_view path, const auto& constants,
               const auto& more) {
  ObjectReader reader = read_data_file(data, path).object();
  reader.accept("schema_version");
  const Sources sources(reader);
  T out;
  read_sourced_constants(reader, sources, constants, out);
  more(reader, sources, out);
  reader.finish();
  return out;
}
template <class T>
T read_assumed(const DataFolder& data, std::string_view path, const auto& constants) {
  return read_assumed<T>(data, path, constants, [](auto&&...) {});
}

}  // namespace trcost::catalog
