// SPDX-License-Identifier: Apache-2.0
#include "report/chart/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantity/portable_math.h"
#include "report/chart/axis_scale.h"
#include "report/table/markup.h"
#include "trcost/numbers.h"

namespace trcost::report {
namespace {

std::string percent(double share) {
  return fmt::format("{:.2f}%", 100 * share);
}

// Returns a text. `anchor` is start, middle or end, as in SVG.
std::string svg_text(std::string_view x, double y, std::string_view anchor, std::string_view text,
                     std::string_view look = {}) {
  return fmt::format("<text x=\"{}\" y=\"{:.0f}\" text-anchor=\"{}\"{}>{}</text>", x, y, anchor,
                     look.empty() ? "" : fmt::format(" class=\"{}\"", look), html_escape(text));
}

// Hides all but about five ticks of an axis across on a narrow screen.
std::string_view tick_look(std::size_t tick, std::size_t count) {
  constexpr std::size_t kNarrow = 5;
  return tick % ((count + kNarrow - 1) / kNarrow) == 0 ? "" : "more";
}

// Returns a row of a bar chart: label, marks, and words on the right.
std::string bar_row(std::string_view label, std::string_view marks, std::string_view words,
                    std::string_view look = {}) {
  return fmt::format("<div{}><span>{}</span><svg>{}</svg><span>{}</span></div>\n", look,
                     html_escape(label), marks, html_escape(words));
}

std::string svg_bar(double from, double to, std::string_view look) {
  from = std::clamp(from, 0.0, 1.0);
  to = std::clamp(to, from, 1.0);
  return fmt::format("<rect class=\"{}\" x=\"{}\" width=\"{}\" y=\"3\" height=\"14\"/>", look,
                     percent(from), percent(to - from));
}

// Returns the row below bars with ticks. `words` explains the texts on the right.
std::string bar_axis(const std::vector<std::pair<double, std::string>>& ticks,
                     std::string_view words) {
  std::string marks;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const std::string x = percent(ticks[i].first);
    marks += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"5\"/>", x);
    const std::string_view anchor = ticks[i].first < 1 ? "middle" : "end";
    marks += svg_text(x, 17, anchor, ticks[i].second, tick_look(i, ticks.size()));
  }
  return bar_row({}, marks, words, " class=\"axis\"");
}

std::string open_bars(std::string_view title) {
  return fmt::format("<div class=\"bars\" role=\"img\" aria-label=\"{}\">\n", html_escape(title));
}

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
  // Returns a share of the colour in percent. Text stays readable on the darkest.
  [[nodiscard]] double shade(double value) const {
    constexpr double kPalest = 6;
    constexpr double kDarkest = 62;
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

std::string draw_bars(const Bars& bars) {
  std::string out = open_bars(bars.title);
  for (const Bars::Bar& bar : bars.bars) {
    std::string marks = svg_bar(0, bar.share, "bar");
    if (bar.before > bar.share) marks += svg_bar(bar.share, bar.before, "gone");
    out += bar_row(bar.label, marks, bar.value);
  }
  if (!bars.axis.empty()) {
    out += bar_axis({{0, "0"}, {0.25, "25%"}, {0.5, "50%"}, {0.75, "75%"}, {1, "100%"}}, bars.axis);
  }
  return out + "</div>\n";
}

std::string draw_ranges(const Ranges& ranges) {
  AxisScale scale({.title = {}, .kind = NumberKind::money});
  scale.include(0);
  for (const Ranges::Row& row : ranges.rows) scale.include(row.at[2]);
  scale.finish();
  std::string out = open_bars(ranges.title);
  for (const Ranges::Row& row : ranges.rows) {
    constexpr double kMark = 0.004;  // half the width of the median's mark
    const double middle = scale.share(row.at[1]);
    out += bar_row(row.label,
                   svg_bar(scale.share(row.at[0]), scale.share(row.at[2]), "range") +
                       svg_bar(middle - kMark, middle + kMark, "middle"),
                   fmt::format("{}", fmt::join(row.words, ", ")));
  }
  std::vector<std::pair<double, std::string>> ticks;
  for (const double tick : scale.ticks()) ticks.emplace_back(scale.share(tick), scale.words(tick));
  return out + bar_axis(ticks, "low, median, high") + "</div>\n";
}

std::string draw_heat(const Heat& heat) {
  const HeatShades shades(heat);
  std::string out = fmt::format(
      "<div class=\"wide\"><table class=\"heat\"><caption>{}</caption>\n<thead><tr><td></td>"
      "<th scope=\"colgroup\" colspan=\"{}\">{}</th></tr>\n<tr><th scope=\"col\">{}</th>",
      html_escape(heat.title), heat.columns.size(), html_escape(heat.x), html_escape(heat.y));
  for (const std::string& column : heat.columns) {
    out += "<th scope=\"col\">" + html_escape(column) + "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const Heat::Row& row : heat.rows) {
    out += "<tr><th scope=\"row\">" + html_escape(row.label) + "</th>";
    for (const Heat::Cell& cell : row.cells) {
      out += fmt::format("<td{}{}>{}</td>", cell.chosen ? " class=\"chosen\"" : "",
                         cell.value
                             ? fmt::format(" style=\"--shade:{:.0f}%\"", shades.shade(*cell.value))
                             : std::string(),
                         html_escape(cell.words));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
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

const std::string_view kChartMarks =
    "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>"
    "<circle id=\"m0\" r=\"3.5\"/><path id=\"m1\" d=\"M-3-3h6v6h-6z\"/>"
    "<path id=\"m2\" d=\"M0-4l4 7h-8z\"/><path id=\"m3\" d=\"M0-4.5l4.5 4.5-4.5 4.5-4.5-4.5z\"/>"
    "<path id=\"m4\" d=\"M0 4l4-7h-8z\"/><path id=\"m5\" d=\"M-4-1h3v-3h2v3h3v2h-3v3h-2v-3h-3z\"/>"
    "</defs></svg>\n";

namespace {

constexpr double kPlotHeight = 300;                     // pixels
constexpr std::size_t kColours = kMostCurveSeries / 2;  // classes s0 to s5 of the style sheet
constexpr std::size_t kLineColumns = 500;               // of the width, that a line distinguishes

// Returns the CSS classes of a series. `again` distinguishes the second use of a colour.
std::string series_class(std::size_t series) {
  return fmt::format("s{}{}", series % kColours, series / kColours % 2 == 0 ? "" : " again");
}

// Returns the mark of a series, with a tooltip.
std::string svg_mark(std::size_t series, std::string_view x, double y, std::string_view tip) {
  std::string out = fmt::format("<use href=\"#m{}\" class=\"{}\" x=\"{}\" y=\"{:.1f}\"",
                                series % kColours, series_class(series), x, y);
  return tip.empty() ? out + "/>" : out + fmt::format("><title>{}</title></use>", html_escape(tip));
}

// Lines in a frame of 1000 by kPlotHeight that is stretched to the width of the figure.
std::string stretched(std::string_view lines) {
  return fmt::format(
      "<svg viewBox=\"0 0 1000 {0:.0f}\" preserveAspectRatio=\"none\" width=\"100%\" "
      "height=\"{0:.0f}\">{1}</svg>\n",
      kPlotHeight, lines);
}

// Returns every point of a short line. Of a long one, the first, lowest, highest and last point of
// each column of pixels, which draw the same line.
std::vector<std::size_t> outline_of(const std::vector<double>& across,
                                    const std::vector<double>& down) {
  std::vector<std::size_t> out;
  const auto column = [&](std::size_t i) { return std::floor(across[i] * kLineColumns); };
  for (std::size_t first = 0, end = 0; first < across.size(); first = end) {
    while (end < across.size() && column(end) == column(first)) ++end;
    std::vector<std::size_t> kept;
    if (across.size() <= 2 * kLineColumns) {
      for (std::size_t i = first; i < end; ++i) kept.push_back(i);
    } else {
      const auto from = down.begin() + static_cast<std::ptrdiff_t>(first);
      const auto to = down.begin() + static_cast<std::ptrdiff_t>(end);
      const auto [low, high] = std::minmax_element(from, to);
      kept = {first, static_cast<std::size_t>(low - down.begin()),
              static_cast<std::size_t>(high - down.begin()), end - 1};
      std::ranges::sort(kept);
      kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    }
    out.insert(out.end(), kept.begin(), kept.end());
  }
  return out;
}

// A curve with its scales.
class Plot {
 public:
  explicit Plot(const Curve& curve) : curve_(curve), x_(curve.x), y_(curve.y) {
    for (const Curve::Series& each : curve.series) {
      for (const Curve::Point& p : each.points) {
        x_.include(p.x);
        y_.include(p.y);
        if (!curve.diagonal) continue;
        x_.include(p.y);
        y_.include(p.x);
      }
    }
    if (curve.mark) x_.include(curve.mark->x);
    x_.finish();
    y_.finish();
  }

  [[nodiscard]] std::string draw() const {
    std::string out =
        fmt::format("<svg class=\"plot\" role=\"img\" aria-label=\"{}\" height=\"{:.0f}\">\n",
                    html_escape(curve_.title), kPlotHeight);
    out += axes();
    std::string lines;
    if (curve_.diagonal) {
      lines = fmt::format("<polyline class=\"dashed\" points=\"0,{:.0f} 1000,0\"/>", kPlotHeight);
    }
    for (std::size_t i = 0; i < curve_.series.size(); ++i) lines += line(i);
    if (!lines.empty()) out += stretched(lines);
    for (std::size_t i = 0; i < curve_.series.size(); ++i) out += marks(i);
    return out + "</svg>\n" + legend();
  }

 private:
  [[nodiscard]] double down(double y) const { return (1 - y_.share(y)) * kPlotHeight; }

  [[nodiscard]] std::string axes() const {
    constexpr double kTickRoom = 18, kTitleRoom = 38;
    std::string out;
    const std::vector<double> ticks = x_.ticks();
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const std::string x = percent(x_.share(ticks[i]));
      out += fmt::format("<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"{1:.0f}\"/>", x,
                         kPlotHeight);
      out += svg_text(x, kPlotHeight + kTickRoom, "middle", x_.words(ticks[i]),
                      tick_look(i, ticks.size())) +
             "\n";
    }
    for (const double tick : y_.ticks()) {
      out += fmt::format(
          "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>", down(tick));
      out += svg_text("-8", down(tick) + 4, "end", y_.words(tick)) + "\n";
    }
    out += svg_text("50%", kPlotHeight + kTitleRoom, "middle", x_.title());
    out += svg_text("-60", -12, "start", y_.title()) + "\n";
    if (!curve_.mark) return out;
    const std::string x = percent(x_.share(curve_.mark->x));
    return out +
           fmt::format("<line class=\"asked\" x1=\"{0}\" x2=\"{0}\" y1=\"0\" y2=\"{1:.0f}\"/>", x,
                       kPlotHeight) +
           svg_text(x, -4, "middle", curve_.mark->label) + "\n";
  }

  [[nodiscard]] std::string line(std::size_t series) const {
    const Curve::Series& of = curve_.series[series];
    if (!of.line || of.points.size() < 2) return {};
    std::vector<double> across, below;
    for (const Curve::Point& p : of.points) {
      across.push_back(x_.share(p.x));
      below.push_back(down(p.y));
    }
    std::string path;
    for (const std::size_t i : outline_of(across, below)) {
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", 1000 * across[i], below[i]);
    }
    return fmt::format("<polyline class=\"{}\" points=\"{}\"/>",
                       of.dashed ? "dashed" : series_class(series), path);
  }

  [[nodiscard]] std::string marks(std::size_t series) const {
    const Curve::Series& of = curve_.series[series];
    std::string out;
    if (of.dashed) return out;
    const std::size_t step = of.line ? mark_step(of.points.size()) : 1;
    for (std::size_t i = 0; i < of.points.size(); ++i) {
      const Curve::Point& p = of.points[i];
      if (i % step != 0 && !p.chosen) continue;
      const std::string x = percent(x_.share(p.x));
      if (p.chosen) {
        out +=
            fmt::format("<circle class=\"ring\" cx=\"{}\" cy=\"{:.1f}\" r=\"8\"/>", x, down(p.y));
      }
      const std::string_view join = of.name.empty() || p.label.empty() ? "" : ": ";
      out += svg_mark(series, x, down(p.y), fmt::format("{}{}{}", of.name, join, p.label)) + "\n";
    }
    return out;
  }

  // Names the series below the figure, if there are several.
  [[nodiscard]] std::string legend() const {
    if (curve_.series.size() < 2) return {};
    std::string out = "<ul class=\"marks\">\n";
    for (std::size_t i = 0; i < curve_.series.size(); ++i) {
      const Curve::Series& of = curve_.series[i];
      const std::string line = fmt::format("<polyline class=\"{}\" points=\"0,6 22,6\"/>",
                                           of.dashed ? "dashed" : series_class(i));
      out += fmt::format(
          "<li><svg width=\"22\" height=\"12\" aria-hidden=\"true\">{}{}</svg>{}</li>\n",
          of.line ? line : std::string(), of.dashed ? std::string() : svg_mark(i, "11", 6, {}),
          html_escape(of.name));
    }
    return out + "</ul>\n";
  }

  const Curve& curve_;
  AxisScale x_;
  AxisScale y_;
};

}  // namespace

std::string draw_curve(const Curve& curve) {
  return Plot(curve).draw();
}

}  // namespace trcost::report
