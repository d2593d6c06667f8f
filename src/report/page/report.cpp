// SPDX-License-Identifier: Apache-2.0
#include "trcost/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "estimate/columns/estimate_columns.h"
#include "performance/memory/memory.h"
#include "report/page/money_facts.h"

namespace trcost::report {

namespace {

bool has_warning(const Estimate& estimate, const std::string& warning) {
  return std::ranges::find(estimate.warnings, warning) != estimate.warnings.end();
}

// Adds a line per missing price, with all platforms whose total lacks it.
void add_missing_prices(const Report& report, std::vector<std::string>& lines) {
  std::vector<std::pair<std::string, std::string>> groups;  // missing price, platforms
  for (const Estimate& e : report.estimates) {
    if (e.cost.total) continue;
    const std::string missing = missing_price_words(report, e);
    const auto known =
        std::ranges::find(groups, missing, &std::pair<std::string, std::string>::first);
    if (known == groups.end()) {
      groups.emplace_back(missing, e.accelerator);
    } else {
      known->second += ", " + e.accelerator;
    }
  }
  for (const auto& [missing, names] : groups) {
    lines.push_back(fmt::format("{}: no total, because {}", names, missing));
  }
}

// Returns the paths and items of the bill that make an estimate incomplete.
std::string unknown_numbers(const Estimate& estimate) {
  std::vector<std::string> names;
  for (const ColumnRole role : {ColumnRole::total, ColumnRole::energy, ColumnRole::carbon}) {
    const EstimateColumn& column = column_for(role);
    if (!column.number(estimate)) names.emplace_back(column.path);
  }
  for (const LineItem& item : estimate.cost.items) {
    if (!item.amount) names.push_back(fmt::format("the price of \"{}\"", item_name(item)));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

}  // namespace trcost::report

namespace trcost {

std::size_t cheapest_index(std::span<const Estimate> estimates) {
  const auto rank = [](const Estimate& e) {
    return std::tuple(!e.memory.fits, !e.cost.total.has_value(), price_evidence(e.cost),
                      e.cost.total.value_or(e.gpu_hours));
  };
  const auto best =
      std::min_element(estimates.begin(), estimates.end(),
                       [&](const Estimate& a, const Estimate& b) { return rank(a) < rank(b); });
  return static_cast<std::size_t>(best - estimates.begin());
}

std::string failure_line(const Estimator::Failure& failure) {
  return fmt::format("{} has no answer: {}{}{}", failure.accelerator, failure.message,
                     failure.hint.empty() ? "" : ". Hint: ", failure.hint);
}

std::vector<std::string> estimate_warnings(const Report& report) {
  std::vector<std::string> lines;
  for (const Estimate& estimate : report.estimates) {
    for (const std::string& warning : estimate.warnings) {
      const bool everywhere = std::ranges::all_of(
          report.estimates, [&](const Estimate& other) { return has_warning(other, warning); });
      const bool named = warning.find(estimate.accelerator) != std::string::npos;
      std::string line = everywhere || named ? warning : estimate.accelerator + ": " + warning;
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
  }
  add_missing_prices(report, lines);
  return lines;
}

std::vector<std::string> warning_lines(const Report& report) {
  std::vector<std::string> lines = estimate_warnings(report);
  for (const Estimator::Failure& failure : report.failures) lines.push_back(failure_line(failure));
  return lines;
}

std::vector<std::string> strict_reasons(const Estimate& estimate) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view why, std::string_view way_out) {
    out.push_back(fmt::format("--strict: {} {}: {}", estimate.accelerator, why, way_out));
  };
  const PriceDoubts& doubts = estimate.cost.doubts;
  if (doubts.imputed) {
    add("has an imputed price",
        "--price USD avoids it, or --provider NAME of one that sells it, or another --price-class");
  }
  if (doubts.other_class) {
    add("has its maker's price beside those of another class",
        "--price-class hyperscaler compares all in one, or --price USD");
  }
  if (doubts.other_region) {
    add("has no price in the region",
        "--price USD avoids it, or another --region (`trcost list regions` has the sellers)");
  }
  if (doubts.stale) {
    add("has an old price",
        estimate.cost.own ? "--node-price or --purchase-price of a newer quote avoids it"
                          : "--price USD avoids it, or `trcost prices import` of a newer list");
  }
  if (!estimate.beyond_stack.empty()) {
    add("is computed with what its stack is not known to do, " + estimate.beyond_stack,
        "leave it out, or name the --stack that does it");
  }
  const bool left_out = std::ranges::any_of(estimate.warnings, [](const std::string& text) {
    return text.find("leaves out") != std::string::npos && text.starts_with("the configuration");
  });
  if (left_out) add("takes the shape of a configuration class", "complete the config.json");
  if (!estimate.memory.fits) {
    add(may_fit(estimate.memory) ? "may not fit in memory" : "does not fit in memory",
        "take more accelerators");
  }
  const std::string unknown = unknown_numbers(estimate);
  if (!unknown.empty())
    add("is incomplete, not known", unknown);
  else if (!estimate.complete)
    add("is incomplete", "a number of it is not known");
  return out;
}

}  // namespace trcost
