// SPDX-License-Identifier: Apache-2.0
// Rows and books of made-up prices.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prices/market/price_table.h"
#include "prices/rows/price_book.h"

// A row as the reader makes it: a date coarser than a month counts as guessed.
inline trcost::PriceRow price_row(
    std::string provider, std::string chip, double usd, std::string_view date,
    trcost::ProviderClass provider_class = trcost::ProviderClass::specialist,
    trcost::Commitment commitment = trcost::Commitment::on_demand) {
  trcost::PriceRow out;
  out.provider = std::move(provider);
  out.provider_class = provider_class;
  out.accelerator = std::move(chip);
  out.region = "all";
  out.commitment = commitment;
  out.low = out.median = out.high = usd;
  out.date = trcost::parse_price_date(date, "test");
  out.guessed = date.size() < 7 || date.find('H') != std::string_view::npos;
  return out;
}

inline trcost::PriceBook price_book_of(std::vector<trcost::PriceRow> rows,
                                       std::string date = "2026-11-09") {
  trcost::PriceBook book;
  book.date = std::move(date);
  book.rows = std::move(rows);
  return book;
}

inline trcost::PriceRows row_pointers(const std::vector<trcost::PriceRow>& rows) {
  trcost::PriceRows out;
  for (const trcost::PriceRow& row : rows) out.push_back(&row);
  return out;
}

// The price of a chip in a class, from any region.
inline trcost::PriceQuote class_price(
    const trcost::PriceBook& book, std::string_view chip,
    trcost::PriceClass price_class = trcost::PriceClass::specialist,
    trcost::Commitment commitment = trcost::Commitment::on_demand) {
  trcost::PriceQuery query{chip, commitment};
  query.price_class = price_class;
  return trcost::select_price(book, query);
}

inline bool has_text(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}
