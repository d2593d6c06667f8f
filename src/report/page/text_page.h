// SPDX-License-Identifier: Apache-2.0
// A page of plain text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "report/table/table.h"
#include "report/table/text_width.h"

namespace trcost::report {

/// Writer of a page of text: headings at the margin, everything else indented by two columns, no
/// line longer than the width.
class TextPage {
 public:
  explicit TextPage(const Style& style) : style_(style) {}

  /// Adds an empty line and a heading with `note` behind it, dimmed.
  void heading(std::string_view title, std::string_view note = {});
  void line(std::string_view text, Ink ink = Ink::plain);
  /// Adds a paragraph, broken at spaces, whose further lines are indented by `hang` more columns.
  void paragraph(std::string_view text, int hang = 0, Ink ink = Ink::plain);
  /// Adds labels in a column and texts wrapped beside them.
  void facts(std::span<const Fact> facts);
  void table(const Table& table);
  /// Adds `label      value  ######`, a bar of `share` of the longest one.
  void bar(std::string_view label, int label_width, double share, std::string_view value,
           int value_width);
  void blank() { out_ += '\n'; }

  [[nodiscard]] const Style& style() const { return style_; }
  [[nodiscard]] int inner_width() const { return style_.width - kIndent; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  static constexpr int kIndent = 2;
  Style style_;
  std::string out_;
};

/// Returns a bar of `share` (0..1) of `width` columns: eighths of a block, or # signs.
std::string text_bar(double share, int width, bool unicode);
/// Returns P10, P50 and P90 on a line of `width` columns for 0 to `most`.
std::string range_bar(double p10, double p50, double p90, double most, int width, bool unicode);

}  // namespace trcost::report
