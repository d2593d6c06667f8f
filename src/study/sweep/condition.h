// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "trcost/sweep.h"

namespace trcost::study {

/// `NAME>=VALUE` taken apart, not yet interpreted.
struct Clause {
  std::string name;
  Comparison comparison = Comparison::equal;
  std::string value;
  std::string written;  ///< as typed
};

/// Throws Error (usage) where there is no name, comparison or value; `error` is compared with
/// nothing, too.
Clause parse_clause(std::string_view text);

/// The column that has the resolved value of a field, or null: `gpus` of `hardware.gpus`.
const EstimateColumn* resolved_column(const FieldInfo& field);

/// What the value of a clause is for a field of this kind. Throws Error (usage).
struct ClauseValue {
  double number = 0;
  std::string text;
};
ClauseValue clause_value(const Clause& clause, const FieldInfo& field);
/// The condition of a clause on a column. Throws Error (usage).
ResultCondition result_condition(const Clause& clause, const EstimateColumn& column);

/// The condition of a clause on a row's error. Throws Error (usage).
ResultCondition error_condition(const Clause& clause);

bool holds(Comparison comparison, double left, double right);
bool holds(Comparison comparison, std::string_view left, std::string_view right);
/// Whether the result meets the condition; false where it is unknown.
bool holds(const ResultCondition& condition, const Estimate& estimate);
/// Whether the row does; without an estimate, only a condition on the error can hold.
bool holds(const ResultCondition& condition, const SweepRow& row);

}  // namespace trcost::study
