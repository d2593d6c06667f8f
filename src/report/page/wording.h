// SPDX-License-Identifier: Apache-2.0
// The words that text, Markdown and HTML share, so that they say the same.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "report/table/table.h"
#include "trcost/report.h"

namespace trcost::report {

/// An amount in three digits: `$9.83k`, `$12.34`, `$0.145`.
std::string short_money(double usd);
/// The same in so many.
std::string short_money(double usd, int digits);
/// An amount with its kind: `~` before what rests on a price that nobody asks.
std::string with_kind(std::string money, bool imputed);
/// The same of a run's money.
std::string with_kind(std::string money, const CostResult& cost);
/// Whether a row of the bill rests on a price that nobody asks.
bool shows_kind(const CostResult& cost, const LineItem& item);
/// An amount of a range, in three digits and no cents: `$159`, `$1.59k`, `$0.145`.
std::string rough_money(double usd);
/// As people write amounts of `kind`; `n/a` where unknown.
std::string words(std::optional<double> value, NumberKind kind);
std::string energy_words(std::optional<double> kwh);
std::string mass_words(std::optional<double> kg);
/// `8.4e22` style for FLOPs.
std::string flop_words(double flop);
/// GPU-hours: grouped below ten million, else `30.8M`.
std::string gpu_hour_words(double gpu_hours);
/// Tokens per second: whole and grouped, three digits below ten.
std::string speed_words(double tokens_per_second);

/// The question as understood.
std::vector<Fact> question_facts(const Report& report);
/// How one platform runs it: cluster, layout, speed, energy, storage, method.
std::vector<Fact> run_facts(const Estimate& estimate);
/// The data pipeline; empty without images.
std::vector<Fact> pipeline_facts(const Estimate& estimate);
/// Per platform: price, source and date; then the date of the price book.
std::vector<Fact> price_facts(const Report& report);
/// `The cheapest answer`, or what it is where there is one platform or no price.
std::string_view answer_heading(const Report& report);
/// The total with its kind; `n/a` where it is not known.
std::string total_words(const Estimate& estimate);
/// The model's name, or its size where it has none.
std::string subject_of(const ModelSummary& model);
/// Which is the cheapest at a price that somebody asks, where the cheapest of all is not; else
/// empty.
std::string quoted_note(const Report& report);
/// The answer in one or two sentences; empty without estimates.
std::string answer_sentence(const Report& report);
/// Where an owner's hour costs what a rented one does, and which rent that is; empty when not owned
/// or not known.
std::string break_even_words(const CostResult& cost);
/// What in the bill is not known: `US dollars; not known: compute; CO2`.
std::string bill_subtitle(const Estimate& estimate);
/// `MFU 71%, price 22%`; empty when unknown.
std::string contribution_words(const RangeResult& range);
/// A number in the fewest digits that give it back, and at most so many: `$50k`, `121.75 d`.
std::string brief_words(double value, NumberKind kind, int most_digits = 9);
/// The cells of one column of numbers, in as many digits as it takes to tell apart what differs.
std::vector<Cell> distinct_cells(std::span<const std::optional<double>> values, NumberKind kind);
/// The row of the bill that pays for the accelerators, or null.
const LineItem* compute_item(const Estimate& estimate);
/// Source and date of a row of the bill; the date is not repeated where the source says it.
std::string source_words(const LineItem& item);
/// An assumed value for people: `1.286T` for 1285684065414, `2.82` for 2.8200000000000003.
std::string assumed_value_words(const Assumption& assumption);
/// A phase for people: `generate, 2 x tensor 4`, `train policy`.
std::string phase_words(const PhaseResult& phase);
/// What rollouts are like, in a sentence.
std::string rollout_words(const RolloutSummary& rollout);
/// A term of the waterfall for people: `tensor-parallel exchange`.
std::string term_words(std::string_view term);
/// `data.tokens = 207B tokens: why`.
std::string assumption_words(const Assumption& assumption);

}  // namespace trcost::report
