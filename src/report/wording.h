// SPDX-License-Identifier: Apache-2.0
// The words that text, Markdown and HTML share, so that they say the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/report.h"

namespace trcost {

/// `1,234,567.8`.
std::string grouped(double value, int decimals);
/// `$345,210.12`, whole dollars from a million on.
std::string exact_money(double usd);
/// As people write amounts of `kind`; `n/a` where unknown.
std::string words(std::optional<double> value, NumberKind kind);
std::string energy_words(std::optional<double> kwh);
std::string mass_words(std::optional<double> kg);
/// `8.4e22` style for FLOPs.
std::string flop_words(double flop);
/// GPU-hours: grouped below ten million, else `30.8M`.
std::string gpu_hour_words(double gpu_hours);

/// One line of the kind `Tokens   207B, in sequences of 4096`.
struct Fact {
  std::string label;
  std::string text;
};

/// The question as understood.
std::vector<Fact> question_facts(const Report& report);
/// How one platform runs it: cluster, layout, speed, energy, storage, method.
std::vector<Fact> run_facts(const Estimate& estimate);
/// The data pipeline; empty without images.
std::vector<Fact> pipeline_facts(const Estimate& estimate);
/// Per platform: price, source and date; then the date of the price book.
std::vector<Fact> price_facts(const Report& report);
/// The answer in one or two sentences; empty without estimates.
std::string answer_sentence(const Report& report);
/// `MFU 71%, price 22%`; empty when unknown.
std::string contribution_words(const RangeResult& range);
/// All warnings, each once, with the platform named when not all have it; and the failures.
std::vector<std::string> warning_lines(const Report& report);
/// The row of the bill that pays for the accelerators, or null.
const LineItem* compute_item(const Estimate& estimate);
/// `data.tokens = 207B tokens: why`.
std::string assumption_words(const Assumption& assumption);

}  // namespace trcost
