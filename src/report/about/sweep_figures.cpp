// SPDX-License-Identifier: Apache-2.0
#include "report/about/sweep_figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace trcost::report {
namespace {

using Row = std::vector<Cell>;

constexpr std::size_t kMostBars = 30;
constexpr std::uint64_t kMostHeatCells = 24;  // along an axis

// Finds what the figures of a sweep show.
class SweepFigures {
 public:
  explicit SweepFigures(const SweepView& view)
      : view_(view), axes_(view.plan.named_axes()), figure_(figure_column()), along_(long_axis()) {
    if (!figure_) return;
    const ColumnInfo& shown = info(*figure_);
    higher_ = shown.better == Better::higher;
    cheapest_ = shown.role == ColumnRole::total;
    for (const Row& row : view.table.rows()) {
      if (row[*figure_].kind() != Cell::Kind::number) continue;
      ++answers_;
      const Row*& best = best_[static_cast<std::size_t>(evidence(row))];
      if (best == nullptr || is_better(row, *best)) best = &row;
    }
  }

  [[nodiscard]] std::string sentence() const {
    const Row* best = best_row();
    if (best == nullptr || answers_ < 2) return {};
    std::string out = fmt::format("{} of {} settings: {}.", cheapest_ ? "Cheapest" : "Best",
                                  grouped(static_cast<double>(answers_), 0), words(*best));
    if (is_priced() && !price(*best).term.empty()) out += " " + price(*best).term;
    const auto add_better = [&](PriceEvidence of, std::string_view what) {
      const Row* other = best_[static_cast<std::size_t>(of)];
      if (other == nullptr || other == best || !is_better(*other, *best)) return;
      out += fmt::format(" {} at {}: {}.", cheapest_ ? "Cheaper" : "Better", what, words(*other));
    };
    add_better(PriceEvidence::one_quote, "a single quote");
    add_better(PriceEvidence::old, "an old quote");
    add_better(PriceEvidence::estimated, "an estimated price");
    return out;
  }

  void add_to(Page& page) const {
    if (!figure_ || answers_ < 2) return;
    if (add_frontier(page) || add_heat(page) || add_lines(page)) return;
    add_bars(page);
  }

  [[nodiscard]] std::optional<Curve> chart() const {
    const std::size_t x = column_of(ColumnRole::wall_clock).value_or(along_);
    if (!figure_ || *figure_ == x || (x == along_ && along_ == axes_)) return {};
    Curve curve{.title = fmt::format("{} by {}", title(*figure_), title(x)),
                .x = axis(x),
                .y = axis(*figure_),
                .series = {},
                .numbers = Table({})};
    for (const Row& row : view_.table.rows()) {
      if (row[x].kind() != Cell::Kind::number || row[*figure_].kind() != Cell::Kind::number)
        continue;
      Curve::Series* series = platform_series(curve, row);
      if (series == nullptr) return {};
      series->points.push_back({row[x].value(), row[*figure_].value()});
    }
    for (Curve::Series& each : curve.series) {
      std::ranges::stable_sort(each.points, {}, &Curve::Point::x);
    }
    return curve.series.empty() ? std::nullopt : std::optional(std::move(curve));
  }

 private:
  [[nodiscard]] const ColumnInfo& info(std::size_t column) const { return *view_.columns[column]; }
  [[nodiscard]] const std::string& title(std::size_t column) const {
    return view_.table.columns()[column].title;
  }

  // Returns the total if it is there, else the first number that is better high or low.
  [[nodiscard]] std::optional<std::size_t> figure_column() const {
    std::optional<std::size_t> out;
    for (std::size_t i = axes_; i < view_.columns.size(); ++i) {
      if (info(i).role == ColumnRole::total) return i;
      if (!out && info(i).kind == ColumnKind::number && info(i).better != Better::neither) out = i;
    }
    return out;
  }
  [[nodiscard]] std::optional<std::size_t> column_of(ColumnRole role) const {
    const auto at = std::ranges::find(view_.columns, role, &ColumnInfo::role);
    if (at == view_.columns.end()) return {};
    return static_cast<std::size_t>(at - view_.columns.begin());
  }
  // Returns the column with the platform, which may be an axis.
  [[nodiscard]] std::optional<std::size_t> platform_column() const {
    for (std::size_t i = 0; i < axes_; ++i) {
      if (view_.plan.axes()[i].field().field == Field::hardware_accelerator) return i;
    }
    return column_of(ColumnRole::platform);
  }
  // Returns the line of a row's platform, or null if there are too many.
  [[nodiscard]] Curve::Series* platform_series(Curve& curve, const Row& row) const {
    const std::optional<std::size_t> platform = platform_column();
    const std::string of = platform ? row[*platform].text() : "rows";
    auto series = std::ranges::find(curve.series, of, &Curve::Series::name);
    if (series == curve.series.end()) {
      if (curve.series.size() == kMostCurveSeries) return nullptr;
      series = curve.series.insert(series, Curve::Series{of, {}, false});
    }
    return &*series;
  }
  // Returns the first numeric axis with several values, or the number of axes.
  [[nodiscard]] std::size_t long_axis() const {
    std::size_t x = 0;
    const std::vector<SweepAxis>& axes = view_.plan.axes();
    while (x < axes_ && !(axes[x].numeric() && axes[x].size() > 1)) ++x;
    return x;
  }

  // Whether the figure follows from the price of an hour.
  [[nodiscard]] bool is_priced() const { return info(*figure_).priced; }
  [[nodiscard]] const SweepPrice& price(const Row& row) const {
    return view_.prices[static_cast<std::size_t>(&row - view_.table.rows().data())];
  }
  [[nodiscard]] PriceEvidence evidence(const Row& row) const {
    return is_priced() ? price(row).evidence : PriceEvidence::quotes;
  }
  [[nodiscard]] bool is_better(double value, double other) const {
    return higher_ ? value > other : value < other;
  }
  [[nodiscard]] bool is_better(const Row& row, const Row& other) const {
    return is_better(row[*figure_].value(), other[*figure_].value());
  }
  // Returns the best row of those with the best evidence of their price, or null.
  [[nodiscard]] const Row* best_row() const {
    const auto at = std::ranges::find_if(best_, [](const Row* row) { return row != nullptr; });
    return at == best_.end() ? nullptr : *at;
  }

  // Whether an axis is of sellers that owned machines are only compared with.
  [[nodiscard]] bool names_no_seller(std::size_t axis) const {
    return view_.plan.axes()[axis].field().field == Field::cost_provider &&
           view_.plan.base().text(Field::cost_pricing) == "own";
  }

  // Returns the values of the axes, and the platform, except the axis along x.
  [[nodiscard]] std::string name(const Row& row, std::size_t x) const {
    std::string out;
    for (std::size_t i = 0; i < row.size() && i < view_.columns.size(); ++i) {
      if (i == x || (i >= axes_ && info(i).rank != Rank::key)) continue;
      if (i < axes_ && names_no_seller(i)) continue;
      const bool bare = i >= axes_ || !view_.plan.axes()[i].numeric();
      const std::string& unit = title(i);  // `8 GPUs`, but `price $2.00`
      out += (out.empty() ? "" : ", ") + (bare                  ? row[i].text()
                                          : unit.ends_with('s') ? row[i].text() + " " + unit
                                                                : unit + " " + row[i].text());
    }
    return out;
  }
  [[nodiscard]] std::string words(const Row& row) const {
    const std::string figure = cheapest_ ? "" : title(*figure_) + " ";
    const std::string doubt = is_priced() ? price(row).doubt : std::string();
    return fmt::format("{}{} with {}{}", figure, row[*figure_].text(),
                       name(row, view_.columns.size()),
                       doubt.empty() ? "" : ", at a price " + doubt);
  }

  [[nodiscard]] Curve::Axis axis(std::size_t column) const {
    constexpr double kWide = 20;  // ratio from which an axis is logarithmic
    double least = 0, most = 0;
    for (const Row& row : view_.table.rows()) {
      if (row[column].kind() != Cell::Kind::number) continue;
      const double at = row[column].value();
      least = least == 0 ? at : std::min(least, at);
      most = std::max(most, at);
    }
    return {title(column), info(column).display, least > 0 && most / least > kWide};
  }

  // Returns the rows by name, those with the best figures first.
  using Named = std::pair<std::string, std::vector<const Row*>>;
  [[nodiscard]] std::vector<Named> group_rows(std::size_t x) const {
    std::vector<Named> out;
    std::map<std::string, std::size_t> places;
    for (const Row& row : view_.table.rows()) {
      if (row[*figure_].kind() != Cell::Kind::number) continue;
      const auto [at, added] = places.try_emplace(name(row, x), out.size());
      if (added) out.push_back({at->first, {}});
      out[at->second].second.push_back(&row);
    }
    const auto best = [&](const Named& of) {
      return *std::ranges::min_element(
          of.second, [&](const Row* a, const Row* b) { return is_better(*a, *b); });
    };
    std::ranges::stable_sort(
        out, [&](const Named& a, const Named& b) { return is_better(*best(a), *best(b)); });
    return out;
  }
  void say_what_is_left_out(Page& page, std::size_t shown, std::size_t all,
                            std::string_view noun) const {
    if (all <= shown) return;
    page.add(Paragraph{fmt::format("The figure has the {} best of {} {}.", shown,
                                   grouped(static_cast<double>(all), 0), noun),
                       Ink::dim});
  }

  // Adds the two columns of --pareto over each other.
  bool add_frontier(Page& page) const {
    std::vector<std::size_t> keys;
    for (const SweepKey& key : view_.plan.pareto()) {
      const auto at = key.axis
                          ? view_.columns.begin() + static_cast<std::ptrdiff_t>(*key.axis)
                          : std::ranges::find(view_.columns, key.column->path, &ColumnInfo::path);
      if (at != view_.columns.end())
        keys.push_back(static_cast<std::size_t>(at - view_.columns.begin()));
    }
    if (keys.size() != 2) return false;
    const std::size_t x = keys[0], y = keys[1];
    Curve curve{.title = fmt::format("{} against {} of the frontier", title(y), title(x)),
                .x = axis(x),
                .y = axis(y),
                .series = {},
                .numbers = Table({{"setting"}, number_column(title(x)), number_column(title(y))}),
                .numbers_only_behind = true};
    Curve::Series frontier{"nothing is better in both", {}, true, true};
    for (const Row& row : view_.table.rows()) {
      if (row[x].kind() != Cell::Kind::number || row[y].kind() != Cell::Kind::number) continue;
      Curve::Series* series = platform_series(curve, row);
      if (series == nullptr) return false;
      const std::string setting = name(row, view_.columns.size());
      series->points.push_back({row[x].value(), row[y].value(),
                                setting + ": " + row[x].text() + ", " + row[y].text(),
                                &row == best_row()});
      frontier.points.push_back({row[x].value(), row[y].value()});
      curve.numbers.add_row({setting, row[x], row[y]});
    }
    if (frontier.points.empty()) return false;
    std::ranges::stable_sort(frontier.points, {}, &Curve::Point::x);
    curve.series.push_back(std::move(frontier));
    page.add(std::move(curve));
    return true;
  }

  // Adds a map for each platform if the sweep has two axes and both are numeric.
  bool add_heat(Page& page) const {
    if (axes_ != 2) return false;
    for (std::size_t i = 0; i < axes_; ++i) {
      const SweepAxis& axis = view_.plan.axes()[i];
      if (!axis.numeric() || axis.size() < 2 || axis.size() > kMostHeatCells) return false;
    }
    const std::optional<std::size_t> platform = column_of(ColumnRole::platform);
    std::vector<std::string> platforms;
    for (const Row& row : view_.table.rows()) {
      const std::string name = platform ? row[*platform].text() : "";
      if (std::ranges::find(platforms, name) == platforms.end()) platforms.push_back(name);
    }
    for (const std::string& name : platforms) {
      Heat heat = empty_heat();
      if (platforms.size() > 1) heat.title += " on " + name;
      for (const Row& row : view_.table.rows()) {
        if (!platform || row[*platform].text() == name) fill_heat(row, heat);
      }
      page.add(std::move(heat));
    }
    return true;
  }
  [[nodiscard]] Heat empty_heat() const {
    const SweepAxis& down = view_.plan.axes()[0];
    const SweepAxis& across = view_.plan.axes()[1];
    Heat heat{.title = fmt::format("{} by {} and {}", title(*figure_), title(0), title(1)),
              .x = title(1),
              .y = title(0),
              .columns = {},
              .rows = {}};
    for (std::uint64_t i = 0; i < across.size(); ++i) {
      heat.columns.push_back(format_number(across.number(i), info(1).display));
    }
    for (std::uint64_t i = 0; i < down.size(); ++i) {
      heat.rows.push_back({format_number(down.number(i), info(0).display),
                           std::vector<Heat::Cell>(across.size(), Heat::Cell{{}, "n/a"})});
    }
    return heat;
  }
  void fill_heat(const Row& row, Heat& heat) const {
    if (row[*figure_].kind() != Cell::Kind::number) return;
    const auto index_of = [](const SweepAxis& axis, double value) {
      std::uint64_t at = 0;
      while (at < axis.size() && axis.number(at) != value) ++at;
      return at;
    };
    const std::uint64_t r = index_of(view_.plan.axes()[0], row[0].value());
    const std::uint64_t c = index_of(view_.plan.axes()[1], row[1].value());
    if (r == heat.rows.size() || c == heat.columns.size()) return;
    heat.rows[r].cells[c] = {row[*figure_].value(), row[*figure_].text(), &row == best_row()};
  }

  // Adds the best lines over the first numeric axis.
  bool add_lines(Page& page) const {
    if (along_ == axes_) return false;
    const std::vector<Named> lines = group_rows(along_);
    Curve curve{
        .title = fmt::format("{} by {}", title(*figure_), title(along_)),
        .x = axis(along_),
        .y = axis(*figure_),
        .series = {},
        .numbers = Table({{"line"}, number_column(title(along_)), number_column(title(*figure_))}),
        .numbers_only_behind = true};
    curve.y.logarithmic = false;
    for (const Named& of : lines) {
      if (curve.series.size() == kMostCurveSeries) break;
      Curve::Series& series = curve.series.emplace_back(Curve::Series{of.first, {}});
      const std::size_t step = mark_step(of.second.size());
      for (const Row* row : of.second) {
        const Cell& x = (*row)[along_];
        const Cell& y = (*row)[*figure_];
        series.points.push_back(
            {x.value(), y.value(), x.text() + ": " + y.text(), row == best_row()});
        // The page has all rows below the figure.
        if ((series.points.size() - 1) % step == 0) curve.numbers.add_row({of.first, x, y});
      }
      std::ranges::stable_sort(series.points, {}, &Curve::Point::x);
    }
    page.add(std::move(curve));
    say_what_is_left_out(page, kMostCurveSeries, lines.size(), "lines");
    return true;
  }

  void add_bars(Page& page) const {
    std::vector<Named> rows = group_rows(view_.columns.size());
    double most = 0;
    for (const Named& of : rows) {
      for (const Row* row : of.second) most = std::max(most, (*row)[*figure_].value());
    }
    if (!(most > 0)) return;
    Bars bars{.title = title(*figure_) + " of the settings",
              .bars = {},
              .numbers = Table({{"setting"}, number_column(title(*figure_))}),
              .in_text = false};
    for (const Named& of : rows) {
      if (bars.bars.size() == kMostBars) break;
      const Cell& value = (*of.second.front())[*figure_];
      bars.bars.push_back({of.first, value.value() / most, value.text()});
      bars.numbers.add_row({of.first, value});
    }
    page.add(std::move(bars));
    say_what_is_left_out(page, kMostBars, rows.size(), "settings");
  }

  const SweepView& view_;
  std::size_t axes_;
  std::optional<std::size_t> figure_;
  std::size_t along_;
  bool higher_ = false;
  bool cheapest_ = false;
  std::size_t answers_ = 0;
  std::array<const Row*, 4> best_{};  // by PriceEvidence
};

}  // namespace

std::string sweep_sentence(const SweepView& view) {
  return SweepFigures(view).sentence();
}

void add_sweep_figure(Page& page, const SweepView& view) {
  SweepFigures(view).add_to(page);
}

std::optional<Curve> sweep_chart(const SweepView& view) {
  return SweepFigures(view).chart();
}

}  // namespace trcost::report
