// SPDX-License-Identifier: Apache-2.0
// Numbers of a data file that are read by a table: their keys, members and sane ranges.
#pragma once

#include <string_view>

#include "catalog/data_file.h"
#include "catalog/provenance.h"
#include "json/strict_json.h"
#include "quantity/layers.h"

namespace trcost::catalog {

/// One of them. The readers below take a range of such.
template <class T>
struct Constant {
  std::string_view name;
  double T::*member;
  double lowest, highest;
};

/// All of them, or an Error (kind data).
template <class T>
void read_constants(ObjectReader& reader, const auto& constants, T& out) {
  for (const Constant<T>& c : constants) {
    out.*c.member = reader.required_number(c.name, c.lowest, c.highest);
  }
}

/// Those that the file gives; the others stay as they are.
template <class T>
void read_given_constants(ObjectReader& reader, const auto& constants, T& out) {
  for (const Constant<T>& c : constants) {
    out.*c.member = reader.number_or(c.name, out.*c.member, c.lowest, c.highest);
  }
}

/// All of them, each with its source.
template <class T>
void read_sourced_constants(ObjectReader& reader, const Sources& sources, const auto& constants,
                            T& out) {
  for (const Constant<T>& c : constants) {
    out.*c.member = sources.required(reader, c.name, c.lowest, c.highest).value;
  }
}

/// What a file of data/assumed says, which holds these and what `more` reads with its sources.
template <class T>
T read_assumed(const Catalog& catalog, std::string_view path, const auto& constants,
               const auto& more) {
  ObjectReader reader = read_data_file(catalog, path).object();
  reader.accept("schema_version");
  const Sources sources(reader);
  T out;
  read_sourced_constants(reader, sources, constants, out);
  more(reader, sources, out);
  reader.finish();
  return out;
}
template <class T>
T read_assumed(const Catalog& catalog, std::string_view path, const auto& constants) {
  return read_assumed<T>(catalog, path, constants, [](auto&&...) {});
}

}  // namespace trcost::catalog
