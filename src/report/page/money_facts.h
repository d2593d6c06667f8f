// SPDX-License-Identifier: Apache-2.0
// Lines of the answer and of its prices.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "trcost/report.h"

namespace trcost::report {

/// Returns the months of the quotes behind the rents: `Quotes of 2026-05..10. `
std::string quote_dates_words(std::span<const Estimate> estimates);
/// Returns the date of the prices and where their sellers are listed, for the end of a screen.
std::string price_legend(std::span<const Estimate> estimates, std::string_view price_data_date,
                         std::string_view as_of = {});

/// Returns price, source and date of each platform, then the date of the price book.
std::vector<Fact> price_facts(std::span<const Estimate> estimates,
                              std::string_view price_data_date);
/// Returns what a bill without a total lacks, and the flag that sets it.
std::string missing_price_words(const Report& report, const Estimate& estimate);
/// Returns the dollars of a reserved price's term, of `whose`: `The contract runs for 3 years and
/// costs $2.1M in all, used or not.`
std::string term_sentence(double hours, double usd, std::string_view whose);
/// Returns the whole commitment behind a reserved price.
std::string obligation_sentence(const Estimate& estimate);
/// Returns obligation_sentence(), or the purchase behind the price of owned machines, after a
/// space. Empty if the run is rented without a term.
std::string commitment_sentence(const Estimate& estimate);
/// Returns the use at which an owned hour costs what a rented one does, and the source of that
/// rent. Empty if the run is not owned or this is not known.
std::string break_even_words(const CostResult& cost);
/// Returns the unit of the bill and its unknown parts: `US dollars. Not known: compute and CO2`.
std::string bill_subtitle(const Estimate& estimate);

}  // namespace trcost::report
