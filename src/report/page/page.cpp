// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <fmt/core.h>

#include <utility>

#include "quantity/currency.h"
#include "trcost/version.h"

namespace trcost::report {

Page& Page::add(Piece piece) {
  if (auto* facts = std::get_if<Facts>(&piece)) {
    for (Fact& fact : facts->facts) fact.label = in_shown_currency(std::move(fact.label));
  }
  pieces.push_back(std::move(piece));
  return *this;
}

Ranges platform_ranges(std::string title) {
  return {.title = std::move(title),
          .rows = {},
          .numbers = Table(
              {{"platform"}, number_column("P10"), number_column("P50"), number_column("P90")}),
          .in_text = false};
}

std::string currency_words() {
  const Currency& currency = shown_currency();
  if (currency.is_dollar()) return {};
  return fmt::format("1 USD is {} {}, and flags take USD. ", format_exact(currency.per_usd),
                     currency.code);
}

std::string price_data_words(std::string_view newest, std::string_view as_of) {
  if (newest.empty()) return {};
  return (as_of.empty() ? fmt::format("Newest price: {}. ", newest)
                        : fmt::format("Prices as known on {}. ", as_of)) +
         currency_words();
}

std::string made_by(std::string_view price_data_date) {
  std::string text = fmt::format("trcost {}", trcost_version());
  if (!price_data_date.empty()) text += fmt::format(", price book of {}", price_data_date);
  const Currency& currency = shown_currency();
  if (!currency.is_dollar()) {
    text += fmt::format(", {} {} per USD", format_exact(currency.per_usd), currency.code);
  }
  return text;
}

}  // namespace trcost::report
