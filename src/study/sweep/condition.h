// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "study/sweep/plan.h"

namespace trcost::study {

/// `NAME>=VALUE` split into its parts, not yet interpreted.
struct Clause {
  std::string name;
  Comparison comparison = Comparison::equal;
  std::string value;
  std::string written;  ///< as typed
};

/// Splits a clause. Throws Error (usage) if the name, the comparison or the value is missing. Only
/// `error` may have an empty value.
Clause parse_clause(std::string_view text);
/// Throws Error (usage) that quotes the clause.
[[noreturn]] void refuse_clause(const Clause& clause, std::string message, std::string hint);
/// Whether values have to have an order to be compared: < <= > >=.
bool is_ordering(Comparison comparison);

/// The column with the resolved value of a field, such as `gpus` for `hardware.gpus`, or null.
const EstimateColumn* resolved_column(const FieldInfo& field);

/// Value of a clause as a field reads it.
struct ClauseValue {
  double number = 0;
  std::string text;
};
/// Throws Error (usage).
ClauseValue clause_value(const Clause& clause, const FieldInfo& field);
/// Condition of a clause on a column, or on a row's error if `column` is null. Throws Error
/// (usage).
ResultCondition result_condition(const Clause& clause, const EstimateColumn* column);

bool holds(Comparison comparison, double left, double right);
bool holds(Comparison comparison, std::string_view left, std::string_view right);
/// Whether a row meets the condition. Without an estimate, it meets only conditions on the error.
bool holds(const ResultCondition& condition, const SweepRow& row);

}  // namespace trcost::study
