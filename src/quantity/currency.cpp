// SPDX-License-Identifier: Apache-2.0
#include "quantity/currency.h"

#include <utility>

#include "trcost/numbers.h"

namespace trcost::quantity {

namespace {

// Signs in front of an amount that belong to one currency.
constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
    {"USD", "$"},      {"EUR", "\u20ac"}, {"GBP", "\u00a3"},
    {"JPY", "\u00a5"}, {"INR", "\u20b9"}, {"KRW", "\u20a9"}};

Currency asked;
bool asked_is_shown = false;

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

Currency currency_of(std::string_view code, double per_usd) {
  for (const auto& [known, sign] : kSigns) {
    if (known == code) return {std::string(code), std::string(sign), per_usd};
  }
  return {std::string(code), std::string(code) + " ", per_usd};
}

const Currency& asked_currency() {
  return asked;
}

void ask_currency(Currency currency) {
  asked = std::move(currency);
  asked_is_shown = false;
}

const Currency& shown_currency() {
  static const Currency dollars;
  return asked_is_shown ? asked : dollars;
}

void show_asked_currency(bool shown) {
  asked_is_shown = shown;
}

std::string dollars_words(double usd) {
  std::string text = "$" + format_number(usd, NumberKind::count, 4);
  if (!shown_currency().is_dollar()) text += " (" + format_number(usd, NumberKind::money, 4) + ")";
  return text;
}

std::string in_shown_currency(std::string heading) {
  const Currency& currency = shown_currency();
  if (currency.is_dollar()) return heading;
  replace_all(heading, "USD", currency.code);
  const std::string_view sign = currency.sign;
  replace_all(heading, "$", sign.ends_with(' ') ? sign.substr(0, sign.size() - 1) : sign);
  return heading;
}

}  // namespace trcost::quantity
