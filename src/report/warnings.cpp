// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "trcost/report.h"

namespace trcost {
namespace {

bool has_warning(const Estimate& estimate, const std::string& warning) {
  return std::ranges::find(estimate.warnings, warning) != estimate.warnings.end();
}

// The platforms whose bill lacks a price, in one line.
std::string missing_prices(std::span<const Estimate> estimates) {
  std::string names;
  for (const Estimate& estimate : estimates) {
    if (!estimate.cost.total) names += (names.empty() ? "" : ", ") + estimate.accelerator;
  }
  if (names.empty()) return {};
  return names +
         ": no price is known, so the total is not complete; give --price, or --pricing own";
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
  if (std::string line = missing_prices(report.estimates); !line.empty()) add(std::move(line));
  for (const Estimator::Failure& failure : report.failures) add(failure_line(failure));
  return lines;
}

}  // namespace trcost
