// SPDX-License-Identifier: Apache-2.0
// Conditions, columns and order of a sweep, whose names are those of axes or results.
#include <fmt/format.h>

#include <algorithm>

#include "estimate/columns/estimate_columns.h"
#include "quantity/suggest.h"
#include "study/sweep/condition.h"
#include "study/sweep/plan.h"
#include "text/column.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

std::vector<std::string> split(std::string_view list, std::string_view flag) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    out.emplace_back(trim(list.substr(0, comma)));
    if (out.back().empty()) {
      throw Error(ErrorKind::usage, "there is an empty name in the list",
                  "write names separated by commas, like cost.total,performance.mfu",
                  std::string(flag));
    }
    if (comma == list.size()) return out;
    list.remove_prefix(comma + 1);
  }
}

std::optional<std::size_t> axis_of(const std::vector<SweepAxis>& axes, std::string_view path) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].field().path == path) return i;
  }
  return std::nullopt;
}

// The column of this name. A field that does not vary is refused with the name of its column.
const EstimateColumn& column_of(std::string_view name, std::string_view flag) {
  if (const EstimateColumn* column = find_column(name)) return *column;
  try {
    if (const FieldInfo* field = find_field(name)) {
      const EstimateColumn* column = resolved_column(*field);
      throw Error(ErrorKind::usage, fmt::format("{} does not vary", name),
                  column != nullptr
                      ? fmt::format("its resolved value is the column {}", column->path)
                      : fmt::format("add --vary {}=...", name));
    }
    return require_column(name);
  } catch (const Error& error) {
    throw Error(error.kind, error.message, error.hint, std::string(flag));
  }
}

struct Directed {
  std::string name;
  std::optional<bool> descending;
};

// `-cost.total`, `cost.total:desc`, `cost.total:asc`.
Directed parse_directed(std::string name, std::string_view flag) {
  Directed out{std::move(name), std::nullopt};
  if (out.name.starts_with('-')) {
    out.descending = true;
    out.name.erase(0, 1);
  }
  const std::size_t colon = out.name.find(':');
  if (colon == std::string::npos) return out;
  const std::string word = out.name.substr(colon + 1);
  const bool up = word == "asc" || word == "min";
  if (!up && word != "desc" && word != "max") {
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a direction", word),
                "write :asc or :desc", std::string(flag));
  }
  out.descending = !up;
  out.name.resize(colon);
  return out;
}

SweepKey sort_key(const std::vector<SweepAxis>& axes, const Directed& directed,
                  std::string_view flag) {
  SweepKey key;
  key.axis = axis_of(axes, directed.name);
  if (!key.axis) key.column = &column_of(directed.name, flag);
  key.descending = directed.descending.value_or(false);
  return key;
}

SweepKey pareto_key(const std::vector<SweepAxis>& axes, const Directed& directed) {
  constexpr std::string_view kFlag = "--pareto";
  SweepKey key = sort_key(axes, directed, kFlag);
  const bool number = key.axis ? axes[*key.axis].numeric() : key.column->kind == ColumnKind::number;
  if (!number) {
    throw Error(ErrorKind::usage, fmt::format("{} is not a number", directed.name),
                "a frontier is drawn between numbers", std::string(kFlag));
  }
  if (directed.descending) return key;
  const Better better = key.column != nullptr ? key.column->better : Better::neither;
  if (better == Better::neither) {
    throw Error(ErrorKind::usage, fmt::format("{} is neither better high nor low", directed.name),
                fmt::format("say which: {0}:min or {0}:max", directed.name), std::string(kFlag));
  }
  key.descending = better == Better::higher;
  return key;
}

bool is_of_range(const EstimateColumn* column) {
  return column != nullptr && column->of_range;
}

// Drops the values of an axis that do not meet the clause, before anything is computed.
void filter_axis(SweepAxis& axis, const Clause& clause) {
  const ClauseValue value = clause_value(clause, axis.field());
  const auto keep = [&](std::uint64_t at) {
    return axis.numeric() ? holds(clause.comparison, axis.number(at), value.number)
                          : holds(clause.comparison, std::string_view(axis.word(at)),
                                  std::string_view(value.text));
  };
  if (!axis.filter(keep, is_ordering(clause.comparison))) {
    refuse_clause(
        clause, "an axis of more than a million values takes only < <= > >=", "use a larger step");
  }
}

// A field that is the same in every row keeps all rows or none.
void check_constant(const Scenario& base, const FieldInfo& field, const Clause& clause) {
  const ClauseValue value = clause_value(clause, field);
  const bool kept =
      is_numeric(field.kind)
          ? holds(clause.comparison, base.number_or_default(field.field), value.number)
          : holds(clause.comparison, base.text(field.field), std::string_view(value.text));
  if (!kept) refuse_clause(clause, "no row meets this condition", "it is the same in every row");
}

}  // namespace

void SweepPlan::add_conditions(const std::vector<std::string>& where) {
  for (const std::string& text : where) {
    const Clause clause = parse_clause(text);
    if (clause.name == kErrorColumn) {
      conditions_.push_back(result_condition(clause, nullptr));
      continue;
    }
    if (const auto axis = axis_of(axes_, clause.name)) {
      filter_axis(axes_[*axis], clause);
      continue;
    }
    const FieldInfo* field = find_field(clause.name);
    const bool has_value =
        field != nullptr && (base_.has(field->field) || !field->fallback.empty());
    const bool platform = field != nullptr && field->field == Field::hardware_accelerator;
    if (has_value && !platform) {
      check_constant(base_, *field, clause);
      continue;
    }
    const EstimateColumn* column =
        field != nullptr ? resolved_column(*field) : find_column(clause.name);
    if (field != nullptr && column == nullptr) {
      refuse_clause(clause, fmt::format("{} has no value in this sweep", field->path),
                    fmt::format("add --vary {}=..., or {}", field->path, field->flag));
    }
    if (column == nullptr) column = &column_of(clause.name, "--where");
    conditions_.push_back(result_condition(clause, column));
  }
}

void SweepPlan::add_columns(std::string_view select) {
  const auto named = [&](std::string_view path) {
    const auto axis = axis_of(axes_, path);
    return axis && *axis < named_axes_;
  };
  selected_ = !select.empty();
  if (!selected_) {
    for (const EstimateColumn* column : all_columns()) {
      if (!named(column->path)) columns_.push_back(column);
    }
    return;
  }
  for (const std::string& name : split(select, "--select")) {
    if (named(name)) continue;           // comes first already
    if (name == kErrorColumn) continue;  // always comes last
    const EstimateColumn* column = &column_of(name, "--select");
    if (std::ranges::find(columns_, column) != columns_.end()) {
      throw Error(ErrorKind::usage, fmt::format("column \"{}\" is named twice", name),
                  "name each column once", "--select");
    }
    columns_.push_back(column);
  }
  // Rows of several platforms name theirs.
  const EstimateColumn* platform = &column_for(ColumnRole::platform);
  const bool compared = axes_.size() > named_axes_;
  if (compared && std::ranges::find(columns_, platform) == columns_.end()) {
    columns_.insert(columns_.begin(), platform);
  }
}

void SweepPlan::add_order(const SweepRequest& request) {
  if (!request.sort.empty()) {
    for (std::string& name : split(request.sort, "--sort")) {
      sort_.push_back(sort_key(axes_, parse_directed(std::move(name), "--sort"), "--sort"));
    }
  }
  if (!request.pareto.empty()) {
    for (std::string& name : split(request.pareto, "--pareto")) {
      pareto_.push_back(pareto_key(axes_, parse_directed(std::move(name), "--pareto")));
    }
  }
  if (top_ && sort_.empty() && pareto_.empty()) {
    throw Error(ErrorKind::usage, "the first rows of what order?",
                "add --sort COLUMN, like --sort cost.total", "--top");
  }
  if (top_ && *top_ == 0) {
    throw Error(ErrorKind::usage, "0 rows are nothing", "use 1 or more", "--top");
  }
  const auto key_needs = [](const SweepKey& key) { return is_of_range(key.column); };
  needs_range_ = std::ranges::any_of(columns_, is_of_range) ||
                 std::ranges::any_of(sort_, key_needs) || std::ranges::any_of(pareto_, key_needs) ||
                 std::ranges::any_of(conditions_, [](const ResultCondition& condition) {
                   return is_of_range(condition.column);
                 });
}

}  // namespace trcost::study
