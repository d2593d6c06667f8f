// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/price_doubts.h"

#include <fmt/core.h>

#include <utility>

namespace trcost::study {

std::vector<std::string> first_warnings(const std::vector<std::string>& warnings) {
  constexpr std::size_t kMost = 4;
  if (warnings.size() <= kMost) return warnings;
  std::vector<std::string> out(warnings.begin(), warnings.begin() + kMost - 1);
  out.push_back(
      fmt::format("{} more warnings about prices in --format json", warnings.size() - out.size()));
  return out;
}

PriceWarnings find_price_doubts(const SweepPlan& plan, const Catalog& catalog) {
  const std::vector<SweepAxis>& axes = plan.axes();
  // Axes of numbers stay at their first value: no number decides between prices of the book.
  const auto decides = [](const SweepAxis& axis) {
    return axis.field().field == Field::hardware_accelerator ||
           (axis.field().path.starts_with("cost.") && !axis.numeric());
  };
  Scenario scenario = plan.base();
  std::vector<std::uint64_t> at(axes.size());
  for (const SweepAxis& axis : axes) {
    if (axis.field().field != Field::hardware_accelerator) axis.set(scenario, 0);
  }
  PriceWarnings out;
  while (true) {
    PriceWarnings found = price_warnings(scenario, plan.accelerator(at), catalog);
    if (!found.missing.empty()) found.lines.push_back(std::move(found.missing));
    out.add(std::move(found));
    bool wraps = true;
    for (std::size_t i = axes.size(); wraps && i-- > 0;) {
      if (!decides(axes[i])) continue;
      wraps = ++at[i] == axes[i].size();
      if (wraps) at[i] = 0;
      if (axes[i].field().field != Field::hardware_accelerator) axes[i].set(scenario, at[i]);
    }
    if (wraps) return out;
  }
}

}  // namespace trcost::study
