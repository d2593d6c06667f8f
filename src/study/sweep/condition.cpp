// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/condition.h"

#include <fmt/format.h>

#include <utility>

#include "estimate/columns/estimate_columns.h"
#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "text/column.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

constexpr std::string_view kFlag = "--where";
constexpr std::size_t kQuotedCondition = 80;

void refuse_order_of_words(const Clause& clause) {
  if (!is_ordering(clause.comparison)) return;
  refuse_clause(clause, fmt::format("{} is a word, which is neither more nor less", clause.name),
                "compare it with = or !=");
}

double parse_value(const Clause& clause, NumberKind kind) {
  try {
    return parse_number(clause.value, kind);
  } catch (const Error& error) {
    refuse_clause(clause, error.message, error.hint);
  }
}

double parse_truth(const Clause& clause) {
  for (const std::string_view word : {"true", "yes", "on", "1"}) {
    if (clause.value == word) return 1;
  }
  for (const std::string_view word : {"false", "no", "off", "0"}) {
    if (clause.value == word) return 0;
  }
  refuse_clause(clause, fmt::format("\"{}\" is neither true nor false", clause.value),
                fmt::format("write {}=true", clause.name));
}

template <class T>
bool compare(Comparison comparison, const T& left, const T& right) {
  switch (comparison) {
    case Comparison::less:
      return left < right;
    case Comparison::at_most:
      return left <= right;
    case Comparison::equal:
      return left == right;
    case Comparison::unequal:
      return left != right;
    case Comparison::at_least:
      return left >= right;
    case Comparison::more:
      return left > right;
  }
  return false;
}

}  // namespace

bool is_ordering(Comparison comparison) {
  return comparison != Comparison::equal && comparison != Comparison::unequal;
}

void refuse_clause(const Clause& clause, std::string message, std::string hint) {
  throw Error(ErrorKind::usage, std::move(message), std::move(hint),
              fmt::format("{} {}", kFlag, clause.written));
}

Clause parse_clause(std::string_view text) {
  constexpr std::pair<std::string_view, Comparison> kOperators[] = {
      {"<=", Comparison::at_most}, {">=", Comparison::at_least}, {"!=", Comparison::unequal},
      {"==", Comparison::equal},   {"<", Comparison::less},      {">", Comparison::more},
      {"=", Comparison::equal},
  };
  Clause clause;
  clause.written = std::string(text.substr(0, kQuotedCondition));
  const std::size_t at = text.find_first_of("<>=!");
  if (at != std::string_view::npos) {
    for (const auto& [sign, comparison] : kOperators) {
      if (!text.substr(at).starts_with(sign)) continue;
      clause.name = std::string(trim(text.substr(0, at)));
      clause.comparison = comparison;
      clause.value = std::string(trim(text.substr(at + sign.size())));
      break;
    }
  }
  const bool compared = at != std::string_view::npos && clause.name == kErrorColumn;
  if (clause.name.empty() || (clause.value.empty() && !compared)) {
    refuse_clause(
        clause, "this is not a condition",
        "write NAME, one of = != < <= > >=, and a value, like \"hardware.gpus<=512\" in quotes");
  }
  return clause;
}

const EstimateColumn* resolved_column(const FieldInfo& field) {
  return find_column(answer_path(field));
}

ClauseValue clause_value(const Clause& clause, const FieldInfo& field) {
  if (is_numeric(field.kind)) return {parse_value(clause, number_kind(field.kind)), {}};
  refuse_order_of_words(clause);
  try {
    Scenario scratch;
    scratch.set(field, clause.value, kFlag);
    return {0, std::string(scratch.text(field.field))};
  } catch (const Error& error) {
    refuse_clause(clause, error.message, error.hint);
  }
}

ResultCondition result_condition(const Clause& clause, const EstimateColumn* column) {
  ResultCondition condition;
  condition.column = column;
  condition.comparison = clause.comparison;
  if (column != nullptr && column->kind == ColumnKind::number) {
    condition.number = parse_value(
        clause, column->display == NumberKind::integer ? NumberKind::count : column->display);
    return condition;
  }
  refuse_order_of_words(clause);
  if (column != nullptr && column->kind == ColumnKind::boolean) {
    condition.number = parse_truth(clause);
  } else {
    condition.text = clause.value;
  }
  return condition;
}

bool holds(Comparison comparison, double left, double right) {
  return compare(comparison, left, right);
}

bool holds(Comparison comparison, std::string_view left, std::string_view right) {
  return compare(comparison, left, right);
}

bool holds(const ResultCondition& condition, const SweepRow& row) {
  const std::string_view wanted(condition.text);
  if (condition.column == nullptr) return holds(condition.comparison, row.error, wanted);
  if (row.estimate == nullptr) return false;
  if (condition.column->kind == ColumnKind::text) {
    const std::string_view text = condition.column->text(*row.estimate);
    return !text.empty() && holds(condition.comparison, text, wanted);
  }
  const std::optional<double> number = condition.column->number(*row.estimate);
  return number && holds(condition.comparison, *number, condition.number);
}

}  // namespace trcost::study
