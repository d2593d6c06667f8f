// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "json/strict_json.h"
#include "prices/rows/price_book.h"
#include "quantity/layers.h"

namespace trcost::prices {

/// Reads price files into a book, one after another. Errors (data) name file, place and what is
/// allowed; a row that stands twice is one, in whatever files.
class PriceReader {
 public:
  /// `book` has its date; rows are added to it.
  explicit PriceReader(PriceBook& book);
  ~PriceReader();
  PriceReader(const PriceReader&) = delete;
  PriceReader& operator=(const PriceReader&) = delete;

  void read_file(const JsonValue& root);
  /// Rows of a user's own file may be of later dates than the book, up to the day that the file
  /// says it was retrieved; `accelerators` are those that it may be about.
  void read_own_file(const JsonValue& root, const std::vector<std::string>& accelerators);
  /// The newest of the book's date and of the rows.
  [[nodiscard]] const std::string& newest() const;

 private:
  class Rows;
  std::unique_ptr<Rows> rows_;
};

}  // namespace trcost::prices
