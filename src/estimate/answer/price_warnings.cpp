// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer/price_warnings.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "estimate/question/cost/rates.h"
#include "estimate/question/platform/resolve_platform.h"
#include "estimate/question/work/notes.h"
#include "trcost/error.h"

namespace trcost::estimation {

void PriceWarnings::add(PriceWarnings&& other) {
  doubtful = doubtful || other.doubtful;
  for (std::string& line : other.lines) {
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
}

PriceWarnings price_warnings(const Scenario& scenario, std::string_view accelerator,
                             const Catalog& catalog) {
  PriceWarnings out;
  Scenario priced = scenario;
  priced.clear(Field::train_precision);  // a platform that lacks it still has a price
  Notes notes(true), quiet(false);
  try {
    const Platform platform = resolve_platform(priced, catalog, accelerator, quiet);
    const auto rates = resolve_rates(priced, catalog, platform, notes);
    const auto price = price_of(priced, *platform.accelerator, rates);
    if (!rates->own && !price->usd) out.missing = price->rule;
    out.doubtful =
        rates->own ? rates->ownership_inputs.age.before_purchase > 1
                   : price->imputed || price->other_class || price->other_region || price->stale;
  } catch (const Error&) {
    return out;
  }
  for (std::string& warning : notes.warnings) {
    const bool named = warning.find(accelerator) != std::string::npos;
    out.lines.push_back(named ? std::move(warning) : fmt::format("{}: {}", accelerator, warning));
  }
  return out;
}

}  // namespace trcost::estimation
