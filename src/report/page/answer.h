// SPDX-License-Identifier: Apache-2.0
// The answer of an estimate for people: its sentence, its table, and what decides it.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "report/page/page.h"
#include "report/table/table.h"
#include "trcost/report.h"

namespace trcost::report {

/// Returns the answer: dollars, platform, GPUs and time, then the range and what contradicts it.
std::string answer_sentence(const Report& report);

/// Returns a row per platform: quoted prices by cost, then others, then platforms without an
/// answer.
Table answer_table(const Report& report);

/// Returns what decides among several platforms: why the cheapest is it, and which would be cheaper
/// at an estimated price or at a single quote.
std::vector<std::string> comparison_sentences(const Report& report);

/// Returns the defaults that matter most, at most five, each with the flag that changes it.
Table main_defaults(const Report& report);

/// Returns the GPU-hours that the makers of the model published, or nothing if there are none or
/// the answer names them.
std::string published_words(const Report& report);

/// Returns the model's error on published runs of the kind, or nothing if it is unknown.
std::string accuracy_words(const Report& report, const Estimate& estimate);

}  // namespace trcost::report
