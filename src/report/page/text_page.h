// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "report/page/wording.h"
#include "report/table/table.h"
#include "report/table/text_width.h"

namespace trcost::report {

/// A page of text under way: headings at the margin, all else indented by two, lines kept to the
/// width.
class TextPage {
 public:
  explicit TextPage(const Style& style) : style_(style) {}

  /// A heading with an empty line before it; `note` stands behind it, dimmed.
  void heading(std::string_view title, std::string_view note = {});
  void line(std::string_view text, Ink ink = Ink::plain);
  /// Broken at spaces, further lines indented by `hang` more.
  void paragraph(std::string_view text, int hang = 0, Ink ink = Ink::plain);
  /// Labels in a column, texts wrapped beside them.
  void facts(std::span<const Fact> facts);
  void table(const Table& table);
  /// `label  ######      value`, `share` of the longest bar.
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

/// A bar of `share` (0..1) of `width` columns: eighths of a block, or # signs.
std::string text_bar(double share, int width, bool unicode);
/// P10, P50 and P90 on a line of `width` columns that stands for 0 to `most`.
std::string range_bar(double p10, double p50, double p90, double most, int width, bool unicode);

}  // namespace trcost::report
