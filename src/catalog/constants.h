// SPDX-License-Identifier: Apache-2.0
// Numbers of a data file that are read by a table: their keys, members and sane ranges.
#pragma once

#include <string_view>

#include "catalog/provenance.h"
#include "catalog/strict_json.h"

namespace trcost {

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

}  // namespace trcost
