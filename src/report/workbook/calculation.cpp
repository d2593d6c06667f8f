// SPDX-License-Identifier: Apache-2.0
#include "report/workbook/calculation.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trcost::report {

namespace {

using Known = std::optional<double>;

Known value_of(const Calculation&, std::monostate) {
  return {};
}

Known value_of(const Calculation&, const Calculation::Given& given) {
  return given.value;
}

Known value_of(const Calculation& of, const Calculation::Product& product) {
  double out = product.scale;
  for (const Calculation::Product::Factor& factor : product.factors) {
    const Known value = of.value(factor.at);
    if (!value || (factor.divides && *value == 0)) return {};
    out = factor.divides ? out / *value : out * *value;
  }
  return out;
}

Known value_of(const Calculation& of, const Calculation::Sum& sum) {
  double out = 0;
  const auto add = [&](const std::vector<Calculation::Place>& places, double sign) {
    return std::ranges::all_of(places, [&](const Calculation::Place& place) {
      const Known value = of.value(place);
      out += sign * value.value_or(0);
      return value.has_value();
    });
  };
  if (!add(sum.parts, 1) || !add(sum.less, -1)) return {};
  return out;
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

Known Calculation::value(Place at) const {
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

}  // namespace trcost::report
