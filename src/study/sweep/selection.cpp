// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/column.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

void read_key(const SweepPlan& plan, const SweepKey& key, const SweepRow& row, KeyValue& out) {
  out = {};
  if (key.axis) {
    const SweepAxis& axis = plan.axes()[*key.axis];
    const std::uint64_t at = row.at[*key.axis];
    out.known = true;
    if (axis.numeric()) {
      out.number = axis.number(at);
    } else {
      out.text = axis.word(at);
    }
    return;
  }
  if (row.estimate == nullptr) return;
  if (key.column->kind == ColumnKind::text) {
    out.text = key.column->text(*row.estimate);
    out.known = !out.text.empty();
    return;
  }
  const std::optional<double> number = key.column->number(*row.estimate);
  out.known = number.has_value();
  out.number = number.value_or(0);
}

// Negative, 0 or positive. Unknown keys come last in both directions.
int compare_keys(const KeyValue& a, const KeyValue& b, bool descending) {
  if (a.known != b.known) return a.known ? -1 : 1;
  const int sign = descending ? -1 : 1;
  if (a.number != b.number) return a.number < b.number ? -sign : sign;
  const int text = a.text.compare(b.text);
  return text < 0 ? -sign : (text > 0 ? sign : 0);
}

}  // namespace

SweepSelection::SweepSelection(const SweepPlan& plan, std::uint64_t rows)
    : plan_(&plan), all_rows_(rows), bytes_(std::make_shared<std::atomic<std::int64_t>>(0)) {
  candidate_.keys.resize(plan.sort().size());
  candidate_.objectives.resize(plan.pareto().size());
  const bool all_stay = plan.conditions().empty() && plan.pareto().empty() && !plan.top();
  const auto least = static_cast<double>(candidate_.size()) * static_cast<double>(rows);
  if (all_stay && least > static_cast<double>(kMostBytes)) count_bytes(kMostBytes + 1);
}

void SweepSelection::count_bytes(std::int64_t change) {
  if ((*bytes_ += change) <= kMostBytes) return;
  throw Error(ErrorKind::data,
              fmt::format("the {} rows to be ordered need more than 1 GiB", all_rows_),
              "add --top N, or fewer columns with --select");
}

bool SweepSelection::before(const KeptRow& a, const KeptRow& b) const {
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    const int order = compare_keys(a.keys[i], b.keys[i], plan_->sort()[i].descending);
    if (order != 0) return order < 0;
  }
  return a.index < b.index;
}

bool SweepSelection::full() const {
  return plan_->top() && plan_->pareto().empty() && rows_.size() >= *plan_->top();
}

void SweepSelection::read_keys(const SweepRow& row) {
  for (std::size_t i = 0; i < plan_->sort().size(); ++i) {
    read_key(*plan_, plan_->sort()[i], row, candidate_.keys[i]);
  }
}

bool SweepSelection::read_objectives(const SweepRow& row) {
  KeyValue value;
  for (std::size_t i = 0; i < plan_->pareto().size(); ++i) {
    const SweepKey& key = plan_->pareto()[i];
    read_key(*plan_, key, row, value);
    if (!value.known || row.estimate == nullptr) return false;
    candidate_.objectives[i] = key.descending ? -value.number : value.number;
  }
  return true;
}

void SweepSelection::offer(const SweepRow& row, const SweepRenderer& render) {
  candidate_.index = row.index;
  if (!read_objectives(row)) return;
  read_keys(row);
  if (full() && !before(candidate_, rows_.front())) return;
  if (!plan_->pareto().empty() && frontier_.beats(candidate_.objectives)) return;
  candidate_.bytes.clear();
  render(row, candidate_.bytes);
  insert(KeptRow(candidate_));
}

void SweepSelection::insert(KeptRow&& row) {
  if (!plan_->pareto().empty()) {
    count_bytes(frontier_.insert(std::move(row)));
    return;
  }
  const auto order = [this](const KeptRow& a, const KeptRow& b) { return before(a, b); };
  if (full()) {
    std::ranges::pop_heap(rows_, order);
    rows_.back() = std::move(row);
  } else {
    count_bytes(static_cast<std::int64_t>(row.size()));
    rows_.push_back(std::move(row));
  }
  if (plan_->top()) std::ranges::push_heap(rows_, order);
}

void SweepSelection::merge(SweepSelection&& other) {
  const auto order = [this](const KeptRow& a, const KeptRow& b) { return before(a, b); };
  for (KeptRow& row : other.frontier_.take()) {
    if (!frontier_.beats(row.objectives)) frontier_.insert(std::move(row));
  }
  for (; !other.rows_.empty(); other.rows_.pop_front()) {
    KeptRow& row = other.rows_.front();
    if (full()) {
      if (!before(row, rows_.front())) continue;
      std::ranges::pop_heap(rows_, order);
      rows_.pop_back();
    }
    rows_.push_back(std::move(row));
    if (plan_->top()) std::ranges::push_heap(rows_, order);
  }
}

std::deque<KeptRow> SweepSelection::take() {
  for (KeptRow& row : frontier_.take()) rows_.push_back(std::move(row));
  std::ranges::sort(rows_, [this](const KeptRow& a, const KeptRow& b) { return before(a, b); });
  if (plan_->top() && rows_.size() > *plan_->top()) rows_.resize(*plan_->top());
  return std::move(rows_);
}

}  // namespace trcost::study
