// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/price_doubts.h"

#include <fmt/core.h>

#include <algorithm>

#include "estimate/question/cost/rates.h"
#include "estimate/question/platform/resolve_platform.h"
#include "estimate/question/work/notes.h"
#include "trcost/error.h"

namespace trcost::study {
namespace {

// Adds the doubts about one price.
void add_price_doubts(const Scenario& scenario, std::string_view accelerator,
                      const Catalog& catalog, SweepPriceDoubts& out) {
  Notes notes(true), quiet(false);
  try {
    const Platform platform = resolve_platform(scenario, catalog, accelerator, quiet);
    const auto rates = resolve_rates(scenario, catalog, platform, notes);
    const auto price = price_of(scenario, *platform.accelerator, rates);
    out.doubtful = out.doubtful || (rates->own ? rates->ownership_inputs.age.before_purchase > 1
                                               : price->imputed || price->other_class ||
                                                     price->other_region || price->stale);
  } catch (const Error&) {
    return;  // its rows say why they have no answer
  }
  for (std::string& warning : notes.warnings) {
    const bool named = warning.find(accelerator) != std::string::npos;
    std::string line = named ? std::move(warning) : fmt::format("{}: {}", accelerator, warning);
    if (std::ranges::find(out.warnings, line) == out.warnings.end()) {
      out.warnings.push_back(std::move(line));
    }
  }
}

}  // namespace

std::vector<std::string> first_warnings(const std::vector<std::string>& warnings) {
  constexpr std::size_t kMost = 4;
  if (warnings.size() <= kMost) return warnings;
  std::vector<std::string> out(warnings.begin(), warnings.begin() + kMost - 1);
  out.push_back(
      fmt::format("{} more warnings about prices in --format json", warnings.size() - out.size()));
  return out;
}

SweepPriceDoubts find_price_doubts(const SweepPlan& plan, const Catalog& catalog) {
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
  scenario.clear(Field::train_precision);  // a platform that lacks it still has a price
  SweepPriceDoubts out;
  while (true) {
    add_price_doubts(scenario, plan.accelerator(at), catalog, out);
    std::size_t i = axes.size();
    while (i-- > 0) {
      if (!decides(axes[i])) continue;
      const bool wraps = ++at[i] == axes[i].size();
      if (wraps) at[i] = 0;
      if (axes[i].field().field != Field::hardware_accelerator) axes[i].set(scenario, at[i]);
      if (!wraps) break;
    }
    if (i == static_cast<std::size_t>(-1)) return out;
  }
}

}  // namespace trcost::study
