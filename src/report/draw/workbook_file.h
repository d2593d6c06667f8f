// SPDX-License-Identifier: Apache-2.0
// A workbook under way: sheets, rows and cells.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trcost/numbers.h"

namespace trcost {

class WorkbookFile {
 public:
  /// `title`: of the document's properties. Throws Error (usage) where the build writes no
  /// workbooks, Error (data) where the machine cannot.
  explicit WorkbookFile(const std::string& title);
  ~WorkbookFile();
  WorkbookFile(const WorkbookFile&) = delete;
  WorkbookFile& operator=(const WorkbookFile&) = delete;

  /// Starts a sheet; a name that is taken gets a number. The first `rows` rows and `columns`
  /// columns stay in view.
  void sheet(std::string name, std::size_t rows, std::size_t columns);
  void width(std::size_t column, double letters);
  /// Filter buttons over the columns from 0 to `last` in the first row of the sheet, down to here.
  void filter(std::size_t last);
  void next_row();
  void text(std::size_t column, std::string_view value, bool bold = false);
  /// Exact; `kind` says how it looks.
  void number(std::size_t column, double value, std::optional<NumberKind> kind = {},
              bool bold = false);
  void boolean(std::size_t column, bool value);
  /// The bytes; nothing can be added then.
  std::string close();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trcost
