// SPDX-License-Identifier: Apache-2.0
// The currency of amounts for people. All amounts are computed, and written for machines, in US
// dollars.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::quantity {

struct Currency {
  std::string code = "USD";  ///< ISO 4217
  std::string sign = "$";    ///< in front of amounts
  double per_usd = 1;

  [[nodiscard]] bool is_dollar() const { return code == "USD"; }
};

/// A currency of that code, with its usual sign, else the code.
Currency currency_of(std::string_view code, double per_usd);

/// The currency that the user asked for, in which text, pages and workbooks are shown.
const Currency& asked_currency();
void ask_currency(Currency currency);

/// The currency of amounts that are formatted from now on: dollars until show_asked_currency(true).
const Currency& shown_currency();
void show_asked_currency(bool shown);

/// Dollars as flags and limits have them, with the shown currency beside: `$130k (€120k)`.
std::string dollars_words(double usd);

/// A heading with the sign or code of the shown currency instead of `$` or `USD`.
std::string in_shown_currency(std::string heading);

}  // namespace trcost::quantity
