// SPDX-License-Identifier: Apache-2.0
// A document whose rows are written while they come, in little memory whatever their number.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "json/row_writer.h"
#include "quantity/layers.h"
#include "trcost/report.h"

namespace trcost::report {

/// Whether a format writes rows as they come.
bool streams(Format format);

class RowStream {
 public:
  /// A format that streams. `head`: the subject before it has rows; of it stand the columns before
  /// the list `rows`, and the scalars beside each row. `write` takes the text in pieces.
  RowStream(const Record& head, std::string_view rows, Format format,
            std::function<void(std::string_view)> write);

  void add(const Record& row);
  /// What follows the rows, from the subject as it is then.
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
