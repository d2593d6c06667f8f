// SPDX-License-Identifier: Apache-2.0
#include "report/workbook/calculation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "quantity/currency.h"
#include "report/workbook/workbook_file.h"

namespace trcost::report {
namespace {

std::optional<double> value_of(const Calculation&, std::monostate) {
  return {};
}

std::optional<double> value_of(const Calculation&, const Calculation::Given& given) {
  return given.value;
}

std::optional<double> value_of(const Calculation& sheet, const Calculation::Product& product) {
  double out = product.scale;
  for (const Calculation::Product::Factor& factor : product.factors) {
    const std::optional<double> value = sheet.value(factor.at);
    if (!value || (factor.divides && *value == 0)) return {};
    out = factor.divides ? out / *value : out * *value;
  }
  return out;
}

std::optional<double> value_of(const Calculation& sheet, const Calculation::Sum& sum) {
  double out = 0;
  const auto add = [&](const std::vector<Calculation::Place>& places, double sign) {
    return std::ranges::all_of(places, [&](const Calculation::Place& place) {
      const std::optional<double> value = sheet.value(place);
      out += sign * value.value_or(0);
      return value.has_value();
    });
  };
  if (!add(sum.parts, 1) || !add(sum.less, -1)) return {};
  return out;
}

std::optional<double> value_of(const Calculation& sheet, const Calculation::Formula& formula) {
  std::vector<double> cells;
  for (const Calculation::Place& place : formula.cells) {
    const std::optional<double> value = sheet.value(place);
    if (!value) return {};
    cells.push_back(*value);
  }
  return formula.value(cells);
}

}  // namespace

std::size_t Calculation::add(std::string label, std::string unit, NumberKind kind) {
  lines.push_back({.label = std::move(label), .unit = std::move(unit), .kind = kind});
  lines.back().cells.resize(columns.size());
  return lines.size() - 1;
}

void Calculation::add_heading(std::string label) {
  lines[add(std::move(label))].heading = true;
}

void Calculation::set(Place at, Rule rule) {
  lines[at.line].cells[at.column] = std::move(rule);
}

bool Calculation::any(std::size_t line) const {
  return std::ranges::any_of(lines[line].cells, [](const Rule& rule) {
    return !std::holds_alternative<std::monostate>(rule);
  });
}

std::optional<double> Calculation::value(Place at) const {
  return std::visit([this](const auto& rule) { return value_of(*this, rule); }, rule(at));
}

void check_figure(const Calculation& calculation, Calculation::Place at,
                  const std::optional<double>& known) {
  const std::optional<double> value = calculation.value(at);
  constexpr double kSame = 1e-9;
  const bool same = value.has_value() == known.has_value() &&
                    (!value || std::fabs(*value - *known) <= kSame * std::fabs(*known));
  if (same) return;
  throw std::logic_error("the sheet that computes has another " + calculation.lines[at.line].label +
                         " than the answer, of " + calculation.columns[at.column]);
}

namespace {

constexpr std::size_t kFirstCase = 2;  // after label and unit

class CalculationSheet {
 public:
  CalculationSheet(WorkbookFile& book, const Calculation& calculation)
      : book_(book), calculation_(calculation) {}

  void draw() {
    const std::size_t header = calculation_.notes.size() + 2;
    place_lines(header + 1);
    constexpr double kLabelWidth = 40, kUnitWidth = 16, kCaseWidth = 20;
    book_.sheet(calculation_.name, header + 1, kFirstCase);
    book_.width(0, kLabelWidth);
    book_.width(1, kUnitWidth);
    book_.text(0, calculation_.name, {.bold = true});
    book_.next_row();
    for (const std::string& note : calculation_.notes) {
      book_.text(0, note);
      book_.next_row();
    }
    book_.next_row();
    for (std::size_t c = 0; c < calculation_.columns.size(); ++c) {
      book_.width(kFirstCase + c, kCaseWidth);
      book_.text(kFirstCase + c, calculation_.columns[c], {.bold = true, .right = true});
    }
    for (std::size_t l = 0; l < calculation_.lines.size(); ++l) add_line(l);
    add_charts(header);
  }

 private:
  [[nodiscard]] bool shown(std::size_t line) const {
    return calculation_.lines[line].heading || calculation_.any(line);
  }
  // Formulas refer to later lines, so all rows are assigned before the first is written.
  void place_lines(std::size_t row) {
    for (std::size_t l = 0; l < calculation_.lines.size(); ++l) {
      if (calculation_.lines[l].heading) ++row;  // an empty row above
      rows_.push_back(row);
      if (shown(l)) ++row;
    }
  }
  [[nodiscard]] std::string name(const Calculation::Place& at) const {
    return WorkbookFile::cell_name(rows_[at.line], kFirstCase + at.column);
  }

  void add_line(std::size_t l) {
    const Calculation::Line& line = calculation_.lines[l];
    if (!shown(l)) return;
    while (book_.row() < rows_[l]) book_.next_row();
    book_.text(0, line.label, {.bold = line.strong || line.heading});
    book_.text(1, in_shown_currency(line.unit));
    for (std::size_t c = 0; c < line.cells.size(); ++c) {
      std::visit([&](const auto& rule) { add(l, c, rule); }, line.cells[c]);
    }
  }

  [[nodiscard]] CellLook look(std::size_t l) const {
    const Calculation::Line& line = calculation_.lines[l];
    const bool unit_price = line.kind == NumberKind::money && line.unit != "USD";
    const bool fine = unit_price || line.kind == NumberKind::number;
    return {line.kind, line.strong, false, fine};
  }
  void add(std::size_t, std::size_t, std::monostate) {}
  void add(std::size_t l, std::size_t c, const Calculation::Given& given) {
    CellLook how = look(l);
    how.input = given.input;
    if (!given.value) return book_.blank(kFirstCase + c, how);
    book_.number(kFirstCase + c, *given.value, how);
  }
  void add(std::size_t l, std::size_t c, const Calculation::Product& product) {
    std::string text;
    std::vector<Calculation::Place> used;
    if (product.scale != 1 || product.factors.empty()) text = format_exact(product.scale);
    for (const Calculation::Product::Factor& factor : product.factors) {
      if (text.empty() && factor.divides) text = "1";
      if (!text.empty()) text += factor.divides ? "/" : "*";
      text += name(factor.at);
      used.push_back(factor.at);
    }
    write(l, c, text, used);
  }
  void add(std::size_t l, std::size_t c, const Calculation::Sum& sum) {
    std::string text;
    std::vector<Calculation::Place> used = sum.parts;
    for (const Calculation::Place& part : sum.parts) text += (text.empty() ? "" : "+") + name(part);
    for (const Calculation::Place& part : sum.less) text += "-" + name(part);
    used.insert(used.end(), sum.less.begin(), sum.less.end());
    write(l, c, text.empty() ? "0" : text, used);
  }
  void add(std::size_t l, std::size_t c, const Calculation::Formula& formula) {
    std::string text(formula.text);
    for (std::size_t i = 0; i < formula.cells.size(); ++i) {
      const std::string mark = fmt::format("{{{}}}", i);
      for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
        text.replace(at, mark.size(), name(formula.cells[i]));
      }
    }
    write(l, c, text, formula.cells);
  }
  // Writes a formula, which is n/a until all cells that it depends on are filled in.
  void write(std::size_t l, std::size_t c, const std::string& text,
             const std::vector<Calculation::Place>& used) {
    const std::optional<double> value = calculation_.value({l, c});
    if (value) return book_.formula(kFirstCase + c, "=" + text, value, look(l));
    std::string cells;
    for (const Calculation::Place& at : used) cells += (cells.empty() ? "" : ",") + name(at);
    book_.formula(kFirstCase + c,
                  fmt::format("=IF(COUNT({})={},{},\"n/a\")", cells, used.size(), text), value,
                  look(l));
  }

  void add_charts(std::size_t header) {
    constexpr std::size_t kRowsOfChart = 20;
    const std::size_t right = kFirstCase + calculation_.columns.size() + 1;
    std::size_t row = 1;
    for (const Calculation::Chart& chart : calculation_.charts) {
      if (chart.lines.empty()) continue;
      book_.chart(row, right, spec_of(chart, header));
      row += kRowsOfChart;
    }
  }
  [[nodiscard]] WorkbookFile::ChartSpec spec_of(const Calculation::Chart& chart,
                                                std::size_t header) const {
    const std::size_t last = kFirstCase + calculation_.columns.size() - 1;
    const auto range = [&](std::size_t row, std::size_t column, std::size_t last_row,
                           std::size_t last_column) {
      return WorkbookFile::range_name(calculation_.name, row, column, last_row, last_column);
    };
    WorkbookFile::ChartSpec out;
    out.title = in_shown_currency(chart.title);
    if (chart.kind == Calculation::Chart::Kind::lines) {
      const std::size_t from = rows_[chart.lines.front()];
      const std::size_t to = rows_[chart.lines.back()];
      out.series.push_back({calculation_.columns.front(), range(from, 0, to, 0),
                            range(from, kFirstCase, to, kFirstCase)});
      out.legend = false;
      return out;
    }
    out.kind = WorkbookFile::ChartKind::stacked_bars;
    constexpr std::uint32_t kCheaper = 0x2DA44E, kDearer = 0xE16F24;  // halves of a range
    const bool spread = chart.kind == Calculation::Chart::Kind::spread;
    for (const std::size_t line : chart.lines) {
      const std::uint32_t half = out.series.size() == 1 ? kCheaper : kDearer;
      out.series.push_back({calculation_.lines[line].label, range(header, kFirstCase, header, last),
                            range(rows_[line], kFirstCase, rows_[line], last),
                            spread && out.series.empty(), spread ? half : 0});
    }
    return out;
  }

  WorkbookFile& book_;
  const Calculation& calculation_;
  std::vector<std::size_t> rows_;
};

}  // namespace

void draw_calculation(WorkbookFile& book, const Calculation& calculation) {
  CalculationSheet(book, calculation).draw();
}

}  // namespace trcost::report
