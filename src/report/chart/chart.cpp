// SPDX-License-Identifier: Apache-2.0
// Bars and ranges as SVG; the page's style sheet gives the classes their colours.
#include <fmt/format.h>

#include <algorithm>

#include "report/chart/chart.h"
#include "report/table/markup.h"

namespace trcost::report {

namespace {

constexpr int kLabel = 190;  // pixels
constexpr int kBars = 500;
constexpr int kValue = 230;
constexpr int kBarRow = 24;
constexpr int kBarGap = 10;

std::string open_bars(std::size_t rows, std::string_view title) {
  const int width = kLabel + kBars + kValue;
  const int height = static_cast<int>(rows) * kBarRow;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" "
      "viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\">\n",
      html_escape(title), width, height, width, height);
}

std::string draw_label(int x, std::size_t row, std::string_view text) {
  constexpr int kBaseline = 16;
  return fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x,
                     static_cast<int>(row) * kBarRow + kBaseline, html_escape(text));
}

// From `from` to `to` of the full width (0..1).
std::string bar(std::size_t row, double from, double to, std::string_view look) {
  from = std::clamp(from, 0.0, 1.0);
  to = std::clamp(to, from, 1.0);
  constexpr int kInset = 5;
  return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>\n",
                     look, kLabel + from * kBars, static_cast<int>(row) * kBarRow + kInset,
                     (to - from) * kBars, kBarRow - 2 * kInset);
}

}  // namespace

std::string svg_bars(const Bars& bars) {
  std::string out = open_bars(bars.bars.size(), bars.title);
  for (std::size_t row = 0; row < bars.bars.size(); ++row) {
    const Bars::Bar& each = bars.bars[row];
    out += draw_label(0, row, each.label) + bar(row, 0, each.share, "bar");
    if (each.before > each.share) out += bar(row, each.share, each.before, "gone");
    out += draw_label(kLabel + kBars + kBarGap, row, each.value);
  }
  return out + "</svg>\n";
}

std::string svg_ranges(const Ranges& ranges) {
  double most = 0;
  for (const Ranges::Row& row : ranges.rows) most = std::max(most, row.at[2]);
  if (!(most > 0)) return {};
  std::string out = open_bars(ranges.rows.size(), ranges.title);
  for (std::size_t row = 0; row < ranges.rows.size(); ++row) {
    const Ranges::Row& each = ranges.rows[row];
    constexpr double kMark = 0.003;  // half the width of the median's mark
    const double middle = each.at[1] / most;
    out += draw_label(0, row, each.label) +
           bar(row, each.at[0] / most, each.at[2] / most, "range") +
           bar(row, middle - kMark, middle + kMark, "middle");
    out +=
        draw_label(kLabel + kBars + kBarGap, row, fmt::format("{}", fmt::join(each.words, ", ")));
  }
  return out + "</svg>\n";
}

}  // namespace trcost::report
