// SPDX-License-Identifier: Apache-2.0
#include "report/chart/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "quantity/currency.h"
#include "quantity/portable_math.h"
#include "report/table/markup.h"
#include "report/table/text_width.h"
#include "trcost/numbers.h"

namespace trcost::report {
namespace {

// Opens a figure. `title` describes it to people who cannot see it.
std::string open_svg(std::string_view title, double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" "
      "viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\">\n",
      html_escape(title), width, height, width, height);
}

// Returns a text. `anchor` is start, middle or end, as in SVG.
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     html_escape(text));
}

constexpr int kLabel = 190;  // pixels
constexpr int kBars = 500;
constexpr int kValue = 230;
constexpr int kBarRow = 24;
constexpr int kBarGap = 10;

std::string bar_text(int x, std::size_t row, std::string_view text) {
  constexpr int kBaseline = 16;
  return fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x,
                     static_cast<int>(row) * kBarRow + kBaseline, html_escape(text));
}

// Returns a bar from `from` to `to`, shares of the full width.
std::string svg_bar(std::size_t row, double from, double to, std::string_view look) {
  from = std::clamp(from, 0.0, 1.0);
  to = std::clamp(to, from, 1.0);
  constexpr int kInset = 5;
  return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>\n",
                     look, kLabel + from * kBars, static_cast<int>(row) * kBarRow + kInset,
                     (to - from) * kBars, kBarRow - 2 * kInset);
}

constexpr double kHeatWidth = 860;  // pixels
constexpr double kHeatLeft = 110;
constexpr double kHeatTop = 44;
constexpr double kHeatRow = 30;
constexpr double kWidestHeatCell = 110;

// Opacity of values between the least and the most, by their logarithms if all are above 0.
class HeatShades {
 public:
  explicit HeatShades(const Heat& heat) {
    for (const Heat::Row& row : heat.rows) {
      for (const Heat::Cell& cell : row.cells) {
        if (cell.value) include(*cell.value);
      }
    }
  }
  [[nodiscard]] double opacity(double value) const {
    constexpr double kPalest = 0.06;
    constexpr double kDarkest = 0.66;  // text stays readable on it
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

std::string svg_bars(const Bars& bars) {
  std::string out = open_svg(bars.title, kLabel + kBars + kValue,
                             static_cast<double>(bars.bars.size()) * kBarRow);
  for (std::size_t row = 0; row < bars.bars.size(); ++row) {
    const Bars::Bar& each = bars.bars[row];
    out += bar_text(0, row, each.label) + svg_bar(row, 0, each.share, "bar");
    if (each.before > each.share) out += svg_bar(row, each.share, each.before, "gone");
    out += bar_text(kLabel + kBars + kBarGap, row, each.value);
  }
  return out + "</svg>\n";
}

std::string svg_ranges(const Ranges& ranges) {
  double most = 0;
  for (const Ranges::Row& row : ranges.rows) most = std::max(most, row.at[2]);
  if (!(most > 0)) return {};
  std::string out = open_svg(ranges.title, kLabel + kBars + kValue,
                             static_cast<double>(ranges.rows.size()) * kBarRow);
  for (std::size_t row = 0; row < ranges.rows.size(); ++row) {
    const Ranges::Row& each = ranges.rows[row];
    constexpr double kMark = 0.003;  // half the width of the median's mark
    const double middle = each.at[1] / most;
    out += bar_text(0, row, each.label) +
           svg_bar(row, each.at[0] / most, each.at[2] / most, "range") +
           svg_bar(row, middle - kMark, middle + kMark, "middle");
    out += bar_text(kLabel + kBars + kBarGap, row, fmt::format("{}", fmt::join(each.words, ", ")));
  }
  return out + "</svg>\n";
}

std::string svg_heat(const Heat& heat) {
  const double available = kHeatWidth - kHeatLeft;
  const double wide =
      std::min(kWidestHeatCell,
               available / static_cast<double>(std::max<std::size_t>(1, heat.columns.size())));
  const double height = kHeatTop + kHeatRow * static_cast<double>(heat.rows.size()) + 4;
  const HeatShades shades(heat);
  std::string out = open_svg(heat.title, kHeatWidth, height);
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
            shades.opacity(*cell.value));
      }
      out += svg_text(x + wide / 2, y + 20, "middle", cell.words);
    }
  }
  return out + "</svg>\n";
}

Table heat_table(const Heat& heat) {
  std::vector<TableColumn> heads{{.title = fmt::format("{} \\ {}", heat.y, heat.x)}};
  for (const std::string& column : heat.columns) {
    heads.push_back(number_column(column));
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

namespace {

constexpr double kCurveWidth = 860;  // pixels
constexpr double kCurveHeight = 380;
constexpr double kCurveLeft = 90;
constexpr double kCurveRight = 30;
constexpr double kCurveTop = 20;
constexpr double kCurveBottom = 50;
constexpr std::size_t kColours = kMostCurveSeries / 2;  // classes s0 to s5 of the style sheet
constexpr double kLegendLine = 18;

// Returns the CSS classes of a series. `again` distinguishes the second use of a colour.
std::string series_class(std::size_t series) {
  return fmt::format("s{}{}", series % kColours, series / kColours % 2 == 0 ? "" : " again");
}

// Returns the power of ten at or below a positive value.
double power_of_ten_below(double value) {
  double power = 1;
  while (power > value) power /= 10;
  while (power * 10 <= value) power *= 10;
  return power;
}

// Span of the values of one axis, and their places in pixels.
class Scale {
 public:
  Scale(const Curve::Axis& axis, double from, double to) : axis_(axis), from_(from), to_(to) {}

  void include(double value) {
    if (!std::isfinite(value) || (axis_.logarithmic && value <= 0)) return;
    low_ = any_ ? std::min(low_, value) : value;
    high_ = any_ ? std::max(high_, value) : value;
    any_ = true;
  }
  // Adds a margin around the values. A linear axis begins at 0 if the values are near it.
  void finish() {
    if (!any_) low_ = 1, high_ = 2;
    if (axis_.logarithmic) {
      if (high_ <= low_) high_ = low_ * 2, low_ /= 2;
      return;
    }
    constexpr double kNear = 0.5;
    constexpr double kLeast = 0.2;  // share of the values: a narrower span would magnify noise
    constexpr double kMargin = 0.04;
    const bool from_zero = low_ >= 0 && low_ < kNear * high_;
    const double span = std::max(high_ - low_, kLeast * std::abs(high_));
    const double middle = (low_ + high_) / 2;
    low_ = from_zero ? 0 : middle - span * (1 + kMargin) / 2;
    high_ = from_zero ? high_ + span * kMargin : middle + span * (1 + kMargin) / 2;
    if (high_ <= low_) high_ = low_ + 1;
  }
  [[nodiscard]] double at(double value) const {
    const double share = axis_.logarithmic ? portable_log(value / low_) / portable_log(high_ / low_)
                                           : (value - low_) / (high_ - low_);
    return from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_);
  }
  [[nodiscard]] std::vector<double> ticks() const {
    constexpr std::size_t kFewest = 3;
    std::vector<double> out = axis_.logarithmic ? decades() : steps();
    return out.size() < kFewest ? steps() : out;  // steps on a short logarithmic axis
  }
  [[nodiscard]] std::string words(double tick) const {
    if (tick == 0) return "0";
    if (axis_.kind == NumberKind::money && tick == std::floor(tick) && tick < kWholeDollars) {
      return shown_currency().sign + grouped(tick * shown_currency().per_usd, 0);
    }
    return format_number(tick, axis_.kind, 3);
  }
  [[nodiscard]] const Curve::Axis& axis() const { return axis_; }

 private:
  static constexpr double kWholeDollars = 1e4;  // larger amounts are shown in thousands

  // Returns the unit whose round multiples are ticks: seconds, minutes, hours or days for times.
  [[nodiscard]] double unit() const {
    constexpr double kTimeUnits[] = {86400, 3600, 60};
    if (axis_.kind != NumberKind::duration) return 1;
    const auto* unit = std::ranges::find_if(kTimeUnits, [&](double u) { return high_ >= 2 * u; });
    return unit == std::end(kTimeUnits) ? 1 : *unit;
  }
  [[nodiscard]] std::vector<double> steps() const {
    constexpr double kWanted = 5;
    double step = power_of_ten_below((high_ - low_) / kWanted / unit()) * unit();
    for (const double times : {5.0, 2.0}) {
      if ((high_ - low_) / (step * times) >= kWanted) {
        step *= times;
        break;
      }
    }
    std::vector<double> out;
    for (double tick = std::ceil(low_ / step) * step; tick <= high_ * (1 + 1e-9); tick += step) {
      out.push_back(tick);
    }
    return out;
  }
  [[nodiscard]] std::vector<double> decades() const {
    constexpr double kFew = 2.5;  // decades: on a longer axis only powers of ten have ticks
    const double decades = portable_log(high_ / low_) / std::numbers::ln10;
    std::vector<double> out;
    for (double power = power_of_ten_below(low_ / unit()) * unit(); power <= high_; power *= 10) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit > 1 && decades > kFew) break;
        const double tick = digit * power;
        if (tick >= low_ * (1 - 1e-9) && tick <= high_ * (1 + 1e-9)) out.push_back(tick);
      }
    }
    return out;
  }

  const Curve::Axis& axis_;
  double from_;
  double to_;
  double low_ = 0;
  double high_ = 0;
  bool any_ = false;
};

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view look) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", look, x1,
      y1, x2, y2);
}

std::string svg_axes(const Scale& x, const Scale& y) {
  constexpr double kTickRoom = 18;
  std::string out;
  for (const double tick : x.ticks()) {
    out += svg_line(x.at(tick), kCurveTop, x.at(tick), kCurveHeight - kCurveBottom, "grid");
    out += svg_text(x.at(tick), kCurveHeight - kCurveBottom + kTickRoom, "middle", x.words(tick));
  }
  for (const double tick : y.ticks()) {
    out += svg_line(kCurveLeft, y.at(tick), kCurveWidth - kCurveRight, y.at(tick), "grid");
    out += svg_text(kCurveLeft - 8, y.at(tick) + 4, "end", y.words(tick));
  }
  out += svg_text((kCurveLeft + kCurveWidth - kCurveRight) / 2, kCurveHeight - 10, "middle",
                  x.axis().title);
  return out + svg_text(kCurveLeft - 8, 12, "start", y.axis().title);
}

std::string svg_series(const Curve::Series& of, std::size_t look, const Scale& x, const Scale& y) {
  std::string out;
  if (of.line && of.points.size() > 1) {
    std::string path;
    for (const Curve::Point& p : of.points) {
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x.at(p.x), y.at(p.y));
    }
    out += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n",
                       of.dashed ? "dashed" : series_class(look), path);
  }
  if (of.dashed) return out;
  for (const Curve::Point& p : of.points) {
    const std::string tip =
        fmt::format("{}{}{}", of.name, of.name.empty() || p.label.empty() ? "" : ": ", p.label);
    out += fmt::format(
        "<circle class=\"{}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}</title></circle>\n",
        series_class(look), p.chosen ? " chosen" : "", x.at(p.x), y.at(p.y), p.chosen ? 7 : 3,
        html_escape(tip));
  }
  return out;
}

// Names of the series, if there are several, in as many lines as they need.
struct Legend {
  std::string svg;
  double height = 0;
};

Legend draw_legend(const Curve& curve) {
  Legend out;
  if (curve.series.size() < 2) return out;
  double x = kCurveLeft;
  double y = kCurveHeight + 12;
  for (std::size_t i = 0; i < curve.series.size(); ++i) {
    constexpr double kLetter = 7.2;
    constexpr double kSpace = 36;
    const std::string& name = curve.series[i].name;
    const double width = kSpace + kLetter * display_width(name);
    if (x > kCurveLeft && x + width > kCurveWidth) {
      x = kCurveLeft;
      y += kLegendLine;
    }
    out.svg +=
        curve.series[i].dashed
            ? fmt::format("<polyline class=\"dashed\" points=\"{:.1f},{:.1f} {:.1f},{:.1f}\"/>\n",
                          x - 8, y - 4, x + 6, y - 4)
            : fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>\n",
                          series_class(i), x, y - 4);
    out.svg += svg_text(x + 10, y, "start", name);
    x += width;
  }
  out.height = y + 12 - kCurveHeight;
  return out;
}

}  // namespace

std::string svg_curve(const Curve& curve) {
  Scale x(curve.x, kCurveLeft, kCurveWidth - kCurveRight);
  Scale y(curve.y, kCurveHeight - kCurveBottom, kCurveTop);
  for (const Curve::Series& each : curve.series) {
    for (const Curve::Point& p : each.points) {
      x.include(p.x);
      y.include(p.y);
      if (!curve.diagonal) continue;
      x.include(p.y);
      y.include(p.x);
    }
  }
  x.finish();
  y.finish();
  const Legend legend = draw_legend(curve);
  const double height = kCurveHeight + legend.height;
  std::string out = open_svg(curve.title, kCurveWidth, height);
  out += svg_axes(x, y);
  if (curve.diagonal) {
    out += svg_line(kCurveLeft, kCurveHeight - kCurveBottom, kCurveWidth - kCurveRight, kCurveTop,
                    "diagonal");
  }
  for (std::size_t i = 0; i < curve.series.size(); ++i) {
    out += svg_series(curve.series[i], i, x, y);
  }
  return out + legend.svg + "</svg>\n";
}

}  // namespace trcost::report
