// SPDX-License-Identifier: Apache-2.0
// Values and rows of an answer in words that all formats for people share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "report/table/table.h"
#include "trcost/report.h"

namespace trcost::report {

/// Returns the title of a field or column for people: that of an answer's table, else the flag,
/// else `heading`.
std::string title_words(std::string_view path, std::string_view heading);

/// Returns a probability as `87%` or `over 99%`.
std::string chance_words(double chance);

/// Returns an amount in three digits: `$9.83k`, `$12.34`, `$0.145`.
std::string short_money(double usd);
/// Returns an amount in a given number of digits.
std::string short_money(double usd, int digits);
/// Returns an amount in three digits without cents: `$159`, `$1.59k`, `$0.145`.
std::string rough_money(double usd);
/// Returns an amount in two digits, or in three from 100 on: `$53k`, `$105k`, `$9.4k`, `$389`.
std::string brief_money(double usd);
/// Returns dollars that the user typed, with the shown currency beside.
std::string typed_money(double usd);
/// Returns a time for people: `36 minutes`, `12 hours`, `21 days`, `3.1 years`.
std::string time_words(double seconds);
/// Prefixes an amount with `~` if its price is imputed.
std::string mark_imputed(std::string money, bool imputed);
/// Prefixes an amount of a run with `~` if its rental price is imputed.
std::string mark_imputed(std::string money, const CostResult& cost);
/// Returns `2 more warnings: --details.`, for the end of a screen.
std::string hidden_warning_words(std::size_t hidden, bool some_shown);
/// Returns `one quote`, `old quote`, `estimated`.
std::string_view evidence_mark(PriceEvidence evidence);
/// Returns why a price is less certain than the median of several quotes.
std::string evidence_words(PriceEvidence evidence, std::string_view seller = {});
/// Tells whether an item of the bill is priced at an imputed rental price.
bool is_imputed_item(const CostResult& cost, const LineItem& item);
/// Returns a cell of an amount in three digits with `~` if imputed, or unknown.
Cell money_cell(std::optional<double> usd, bool imputed = false);
/// Returns a cell of an amount of a run, with `~` if its rental price is imputed, or unknown.
Cell money_cell(std::optional<double> usd, const CostResult& cost);
/// Returns the total of an estimate, with `~` if imputed, or `n/a`.
std::string total_words(const Estimate& estimate);

/// Returns a number of a kind, or `n/a`.
std::string number_words(std::optional<double> value, NumberKind kind);
/// Returns a number in the fewest digits that give it back, at most `most_digits`: `$50k`,
/// `121.75 d`.
std::string brief_words(double value, NumberKind kind, int most_digits = 9);
/// Returns the cells of one column in as many digits as distinguish values that differ.
std::vector<Cell> distinct_cells(std::span<const std::optional<double>> values, NumberKind kind);
std::string energy_words(std::optional<double> kwh);
std::string mass_words(std::optional<double> kg);
/// Returns FLOPs in the style of `8.4e22 FLOP`.
std::string flop_words(double flop);
/// Returns GPU-hours, grouped below ten million, else `30.8M`.
std::string gpu_hour_words(double gpu_hours);
/// Returns tokens per second, grouped, with three digits below ten.
std::string speed_words(double tokens_per_second);

/// Returns the model's name, or its size if it has none.
std::string model_title(const ModelSummary& model);
/// Returns the model in a sentence: its name, or `a 10B vision-language model`.
std::string model_phrase(const ModelSummary& model, Medium medium = Medium::image);
/// Returns `MFU 71%, price 22%`, or nothing if unknown.
std::string contribution_words(const RangeResult& range);
/// Returns the item of the bill that pays for the accelerators, or null.
const LineItem* compute_item(const Estimate& estimate);
/// Returns source and date of an item of the bill, without the date if the source contains it.
std::string source_words(const LineItem& item);
/// Returns `data.tokens = 207B tokens: why`.
std::string assumption_words(const Assumption& assumption);
/// Returns an assumed value for people: `1.286T` for 1285684065414, `2.82` for 2.8200000000000003.
std::string assumed_value_words(const Assumption& assumption);
/// Returns an MFU with the name of its peak, unless it is a 16-bit one: `23% fp8`.
std::string mfu_words(std::string mfu, const Estimate& estimate, bool with_precision = false);

/// Returns the name of a phase for people: `generate, 4 GPUs per copy`, `train policy`.
std::string phase_words(const PhaseResult& phase);
/// Describes rollouts in a sentence.
std::string rollout_words(const RolloutSummary& rollout);
/// Returns a term of the efficiency waterfall for people: `tensor-parallel exchange`.
std::string term_words(std::string_view term);

}  // namespace trcost::report
