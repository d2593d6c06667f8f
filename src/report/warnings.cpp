// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trcost/report.h"

namespace trcost {
namespace {

bool has_warning(const Estimate& estimate, const std::string& warning) {
  return std::ranges::find(estimate.warnings, warning) != estimate.warnings.end();
}

// What is missing in a bill without a total, and the flag that gives it.
std::string missing_part(const Report& report, const Estimate& e) {
  const Scenario* asked = report.scenario;
  if (!e.cost.own) {
    std::string kind;
    if (asked != nullptr) kind = std::string(asked->text(Field::cost_pricing)) + " ";
    std::string whose;
    if (asked != nullptr && asked->has(Field::cost_provider)) {
      whose = fmt::format(" of {}", asked->text(Field::cost_provider));
    }
    return fmt::format("no {}price{} is known: give --price{}, or --pricing own", kind, whose,
                       whose.empty() ? "" : ", another --provider or --pricing");
  }
  const auto unknown = [&](Part part) {
    return std::ranges::any_of(e.cost.items, [&](const LineItem& row) {
      return row.included && !row.amount && row.part == part;
    });
  };
  std::string missing;
  const auto add = [&](std::string_view what) {
    missing += fmt::format("{}{}", missing.empty() ? "" : "; ", what);
  };
  if (unknown(Part::servers)) add("its purchase price is not known: give --purchase-price");
  if (unknown(Part::colocation)) add("its power is not known: give --watts-per-gpu");
  if (missing.empty()) add("a price of the bill is not known");
  return missing;
}

// The platforms whose total is not known, together where the same is missing.
void add_missing_prices(const Report& report, const auto& add) {
  std::vector<std::pair<std::string, std::string>> groups;  // what is missing, where
  for (const Estimate& e : report.estimates) {
    if (e.cost.total) continue;
    const std::string missing = missing_part(report, e);
    const auto known =
        std::ranges::find(groups, missing, &std::pair<std::string, std::string>::first);
    if (known == groups.end()) {
      groups.emplace_back(missing, e.accelerator);
    } else {
      known->second += ", " + e.accelerator;
    }
  }
  for (const auto& [missing, names] : groups) {
    add(fmt::format("{}: the total is not complete, {}", names, missing));
  }
}

}  // namespace

std::string failure_line(const Estimator::Failure& failure) {
  return fmt::format("{} has no answer: {}{}{}", failure.accelerator, failure.message,
                     failure.hint.empty() ? "" : "; ", failure.hint);
}

std::vector<std::string> warning_lines(const Report& report) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  };
  for (const Estimate& estimate : report.estimates) {
    for (const std::string& warning : estimate.warnings) {
      const bool everywhere = std::ranges::all_of(
          report.estimates, [&](const Estimate& other) { return has_warning(other, warning); });
      const bool named = warning.find(estimate.accelerator) != std::string::npos;
      add(everywhere || named ? warning : estimate.accelerator + ": " + warning);
    }
  }
  add_missing_prices(report, add);
  for (const Estimator::Failure& failure : report.failures) add(failure_line(failure));
  return lines;
}

}  // namespace trcost
