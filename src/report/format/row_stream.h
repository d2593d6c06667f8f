// SPDX-License-Identifier: Apache-2.0
// Streaming of a document row by row in constant memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "json/row_writer.h"
#include "quantity/layers.h"
#include "trcost/report.h"

namespace trcost::report {

/// Tells whether a format can write rows one by one.
bool can_stream(Format format);

class RowStream {
 public:
  /// Starts a document in a format that can stream. `head` is the answer before it has rows: it
  /// gives the columns before the list `rows` and the scalars of each row. `write` receives pieces
  /// of text.
  RowStream(const Record& head, std::string_view rows, Format format,
            std::function<void(std::string_view)> write);

  void add(const Record& row);
  /// Writes the columns after the rows, from the answer in its final state.
  void finish(const Record& document);

 private:
  void flush(std::size_t above);

  Record head_;
  RowPlan plan_;
  const RowWriter* writer_;
  std::function<void(std::string_view)> write_;
  std::string out_;
  bool any_ = false;
};

}  // namespace trcost::report
