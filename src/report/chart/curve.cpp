// SPDX-License-Identifier: Apache-2.0
// Points and lines over two axes as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "quantity/portable_math.h"
#include "report/chart/chart.h"
#include "report/table/markup.h"
#include "report/table/text_width.h"
#include "trcost/numbers.h"

namespace trcost::report {

namespace {

constexpr double kWidth = 860;  // pixels
constexpr double kHeight = 380;
constexpr double kLeft = 90;
constexpr double kRight = 30;
constexpr double kTop = 20;
constexpr double kBottom = 50;
constexpr std::size_t kLooks =
    kMostCurveSeries / 2;  // classes s0..s5 of the style sheet, plain and again
constexpr double kLegendLine = 18;

std::string look_of(std::size_t series) {
  return fmt::format("s{}{}", series % kLooks, series / kLooks % 2 == 0 ? "" : " again");
}

// The power of ten at or below a value above 0.
double decade_of(double value) {
  double power = 1;
  while (power > value) power /= 10;
  while (power * 10 <= value) power *= 10;
  return power;
}

// The span of the values of one axis, and where a value lies on it.
class Scale {
 public:
  Scale(const Curve::Axis& axis, double from, double to) : axis_(axis), from_(from), to_(to) {}

  void include(double value) {
    if (!std::isfinite(value) || (axis_.logarithmic && value <= 0)) return;
    low_ = any_ ? std::min(low_, value) : value;
    high_ = any_ ? std::max(high_, value) : value;
    any_ = true;
  }
  // Room around what is there; a linear axis begins at 0 where that is near.
  void finish() {
    if (!any_) low_ = 1, high_ = 2;
    if (axis_.logarithmic) {
      if (high_ <= low_) high_ = low_ * 2, low_ /= 2;
      return;
    }
    constexpr double kNear = 0.5;
    constexpr double kLeast = 0.2;  // of the values: a narrower span would magnify nothing
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
    return out.size() < kFewest ? steps() : out;  // a short piece of a logarithmic axis
  }
  [[nodiscard]] std::string words(double tick) const {
    if (tick == 0) return "0";
    if (axis_.kind == NumberKind::money && tick == std::floor(tick) && tick < kWholeDollars) {
      return "$" + grouped(tick, 0);
    }
    return format_number(tick, axis_.kind, 3);
  }
  [[nodiscard]] const Curve::Axis& axis() const { return axis_; }

 private:
  static constexpr double kWholeDollars = 1e4;  // above, in thousands

  // Times are read in round seconds, minutes, hours or days.
  [[nodiscard]] double unit() const {
    constexpr double kUnits[] = {86400, 3600, 60};
    if (axis_.kind != NumberKind::duration) return 1;
    const auto* unit = std::ranges::find_if(kUnits, [&](double u) { return high_ >= 2 * u; });
    return unit == std::end(kUnits) ? 1 : *unit;
  }
  [[nodiscard]] std::vector<double> steps() const {
    constexpr double kWanted = 5;
    double step = decade_of((high_ - low_) / kWanted / unit()) * unit();
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
    constexpr double kFew = 2.5;  // decades in which single digits are marked
    const double decades = portable_log(high_ / low_) / std::numbers::ln10;
    std::vector<double> out;
    for (double power = decade_of(low_ / unit()) * unit(); power <= high_; power *= 10) {
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

std::string line_at(double x1, double y1, double x2, double y2, std::string_view look) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", look, x1,
      y1, x2, y2);
}

std::string axes(const Scale& x, const Scale& y) {
  constexpr double kTickRoom = 18;
  std::string out;
  for (const double tick : x.ticks()) {
    out += line_at(x.at(tick), kTop, x.at(tick), kHeight - kBottom, "grid");
    out += svg_text(x.at(tick), kHeight - kBottom + kTickRoom, "middle", x.words(tick));
  }
  for (const double tick : y.ticks()) {
    out += line_at(kLeft, y.at(tick), kWidth - kRight, y.at(tick), "grid");
    out += svg_text(kLeft - 8, y.at(tick) + 4, "end", y.words(tick));
  }
  out += svg_text((kLeft + kWidth - kRight) / 2, kHeight - 10, "middle", x.axis().title);
  return out + svg_text(kLeft - 8, 12, "start", y.axis().title);
}

std::string series(const Curve::Series& of, std::size_t look, const Scale& x, const Scale& y) {
  std::string out;
  if (of.line && of.points.size() > 1) {
    std::string path;
    for (const Curve::Point& p : of.points) {
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x.at(p.x), y.at(p.y));
    }
    out += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n",
                       of.dashed ? "dashed" : look_of(look), path);
  }
  if (of.dashed) return out;
  for (const Curve::Point& p : of.points) {
    const std::string said =
        fmt::format("{}{}{}", of.name, of.name.empty() || p.label.empty() ? "" : ": ", p.label);
    out += fmt::format(
        "<circle class=\"{}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}</title></circle>\n",
        look_of(look), p.chosen ? " chosen" : "", x.at(p.x), y.at(p.y), p.chosen ? 7 : 3,
        html_escape(said));
  }
  return out;
}

// The names of the series, where there are several, in as many lines as they take.
struct Legend {
  std::string svg;
  double height = 0;
};

Legend legend(const Curve& curve) {
  Legend out;
  if (curve.series.size() < 2) return out;
  double x = kLeft;
  double y = kHeight + 12;
  for (std::size_t i = 0; i < curve.series.size(); ++i) {
    constexpr double kLetter = 7.2;
    constexpr double kSpace = 36;
    const std::string& name = curve.series[i].name;
    const double width = kSpace + kLetter * display_width(name);
    if (x > kLeft && x + width > kWidth) {
      x = kLeft;
      y += kLegendLine;
    }
    out.svg +=
        curve.series[i].dashed
            ? fmt::format("<polyline class=\"dashed\" points=\"{:.1f},{:.1f} {:.1f},{:.1f}\"/>\n",
                          x - 8, y - 4, x + 6, y - 4)
            : fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>\n",
                          look_of(i), x, y - 4);
    out.svg += svg_text(x + 10, y, "start", name);
    x += width;
  }
  out.height = y + 12 - kHeight;
  return out;
}

}  // namespace

std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     html_escape(text));
}

std::string svg_curve(const Curve& curve) {
  Scale x(curve.x, kLeft, kWidth - kRight);
  Scale y(curve.y, kHeight - kBottom, kTop);
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
  const Legend names = legend(curve);
  const double height = kHeight + names.height;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" "
      "viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\">\n",
      html_escape(curve.title), kWidth, height, kWidth, height);
  out += axes(x, y);
  if (curve.diagonal) {
    out += line_at(kLeft, kHeight - kBottom, kWidth - kRight, kTop, "diagonal");
  }
  for (std::size_t i = 0; i < curve.series.size(); ++i) {
    out += series(curve.series[i], i, x, y);
  }
  return out + names.svg + "</svg>\n";
}

}  // namespace trcost::report
