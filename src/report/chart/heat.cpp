// SPDX-License-Identifier: Apache-2.0
// One value over two axes as shaded cells in SVG, and the same as a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantity/portable_math.h"
#include "report/chart/chart.h"
#include "report/table/markup.h"

namespace trcost::report {

namespace {

constexpr double kHeatWidth = 860;  // pixels
constexpr double kHeatLeft = 110;
constexpr double kHeatTop = 44;
constexpr double kHeatRow = 30;
constexpr double kWidest = 110;  // of a cell

// Where a value lies between the least and the most, by their logarithms where all are above 0.
class Shades {
 public:
  explicit Shades(const Heat& heat) {
    for (const Heat::Row& row : heat.rows) {
      for (const Heat::Cell& cell : row.cells) {
        if (cell.value) include(*cell.value);
      }
    }
  }
  [[nodiscard]] double of(double value) const {
    constexpr double kPalest = 0.06;
    constexpr double kDarkest = 0.66;  // words stay readable on it
    if (!(high_ > low_)) return kPalest;
    const double share = low_ > 0 ? portable_log(value / low_) / portable_log(high_ / low_)
                                  : (value - low_) / (high_ - low_);
    return kPalest + std::clamp(share, 0.0, 1.0) * (kDarkest - kPalest);
  }

 private:
  void include(double value) {
    low_ = any_ ? std::min(low_, value) : value;
    high_ = any_ ? std::max(high_, value) : value;
    any_ = true;
  }
  double low_ = 0;
  double high_ = 0;
  bool any_ = false;
};

}  // namespace

std::string svg_heat(const Heat& heat) {
  const double room = kHeatWidth - kHeatLeft;
  const double wide =
      std::min(kWidest, room / static_cast<double>(std::max<std::size_t>(1, heat.columns.size())));
  const double height = kHeatTop + kHeatRow * static_cast<double>(heat.rows.size()) + 4;
  const Shades shades(heat);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" "
      "viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\">\n",
      html_escape(heat.title), kHeatWidth, height, kHeatWidth, height);
  out += svg_text(kHeatLeft, 14, "start", heat.x) + svg_text(kHeatLeft - 8, 36, "end", heat.y);
  for (std::size_t c = 0; c < heat.columns.size(); ++c) {
    out +=
        svg_text(kHeatLeft + (static_cast<double>(c) + 0.5) * wide, 36, "middle", heat.columns[c]);
  }
  for (std::size_t r = 0; r < heat.rows.size(); ++r) {
    const Heat::Row& row = heat.rows[r];
    const double y = kHeatTop + static_cast<double>(r) * kHeatRow;
    out += svg_text(kHeatLeft - 8, y + 20, "end", row.label);
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const Heat::Cell& cell = row.cells[c];
      const double x = kHeatLeft + static_cast<double>(c) * wide;
      if (cell.value) {
        out += fmt::format(
            "<rect class=\"heat{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
            "fill-opacity=\"{:.3f}\"/>\n",
            cell.chosen ? " chosen" : "", x + 1, y + 1, wide - 2, kHeatRow - 2,
            shades.of(*cell.value));
      }
      out += svg_text(x + wide / 2, y + 20, "middle", cell.words);
    }
  }
  return out + "</svg>\n";
}

Table heat_table(const Heat& heat) {
  std::vector<TableColumn> heads{{.title = fmt::format("{} \\ {}", heat.y, heat.x)}};
  for (const std::string& column : heat.columns) {
    heads.push_back({.title = column, .align = Align::right});
  }
  Table table(std::move(heads));
  for (const Heat::Row& row : heat.rows) {
    std::vector<Cell> cells{row.label};
    for (const Heat::Cell& cell : row.cells) {
      const Cell out = cell.value ? Cell::number(*cell.value, cell.words) : Cell::unknown();
      cells.push_back(cell.chosen ? out.strong() : out);
    }
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace trcost::report
