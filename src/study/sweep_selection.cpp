// SPDX-License-Identifier: Apache-2.0
#include "study/sweep_selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "trcost/error.h"

namespace trcost {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of rows that wait to be sorted

void read_key(const SweepPlan& plan, const SweepKey& key, const SweepRow& row, KeyValue& out) {
  out.known = false;
  out.text.clear();
  if (key.axis) {
    const SweepAxis& axis = plan.axes()[*key.axis];
    const std::uint64_t at = row.at[*key.axis];
    out.known = true;
    out.number = axis.numeric() ? axis.number(at) : 0;
    if (!axis.numeric()) out.text = axis.word(at);
    return;
  }
  if (row.estimate == nullptr) return;
  if (key.column->kind == ColumnKind::text) {
    out.text = key.column->text(*row.estimate);
    out.number = 0;
    out.known = !out.text.empty();
    return;
  }
  const std::optional<double> number = key.column->number(*row.estimate);
  out.known = number.has_value();
  out.number = number.value_or(0);
}

// Negative, 0 or positive; what is unknown comes last in both directions.
int compare(const KeyValue& a, const KeyValue& b, bool descending) {
  if (a.known != b.known) return a.known ? -1 : 1;
  const int sign = descending ? -1 : 1;
  if (a.number != b.number) return a.number < b.number ? -sign : sign;
  const int text = a.text.compare(b.text);
  return text < 0 ? -sign : (text > 0 ? sign : 0);
}

// Nowhere worse, and better somewhere.
bool beats(const KeptRow& a, const KeptRow& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.objectives.size(); ++i) {
    if (a.objectives[i] > b.objectives[i]) return false;
    better = better || a.objectives[i] < b.objectives[i];
  }
  return better;
}

}  // namespace

SweepSelection::SweepSelection(const SweepPlan& plan) : plan_(&plan) {
  candidate_.keys.resize(plan.sort().size());
  candidate_.objectives.resize(plan.pareto().size());
}

bool SweepSelection::before(const KeptRow& a, const KeptRow& b) const {
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    const int order = compare(a.keys[i], b.keys[i], plan_->sort()[i].descending);
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

bool SweepSelection::beaten(const KeptRow& row) const {
  return std::ranges::any_of(rows_, [&](const KeptRow& kept) { return beats(kept, row); });
}

void SweepSelection::offer(const SweepRow& row, const SweepRenderer& render) {
  candidate_.index = row.index;
  if (!read_objectives(row)) return;
  read_keys(row);
  if (full() && !before(candidate_, rows_.front())) return;
  if (!plan_->pareto().empty() && beaten(candidate_)) return;
  candidate_.bytes.clear();
  render(row, candidate_.bytes);
  insert(KeptRow(candidate_));
}

void SweepSelection::count_bytes(const KeptRow& row) {
  constexpr std::uint64_t kPerKey = sizeof(KeyValue);
  bytes_ += sizeof(KeptRow) + row.bytes.size() + row.keys.size() * kPerKey;
  if (bytes_ <= kMostBytes || full()) return;
  throw Error(ErrorKind::data,
              fmt::format("the rows to be ordered need more than 1 GiB ({} rows so far)",
                          rows_.size()),
              "add --top N, fewer columns with --select, or run it in parts with --shard");
}

void SweepSelection::insert(KeptRow&& row) {
  if (!plan_->pareto().empty()) {
    insert_in_frontier(std::move(row));
    return;
  }
  const auto order = [this](const KeptRow& a, const KeptRow& b) { return before(a, b); };
  if (!plan_->top()) {
    count_bytes(row);
    rows_.push_back(std::move(row));
    return;
  }
  if (full()) {
    std::ranges::pop_heap(rows_, order);
    rows_.back() = std::move(row);
  } else {
    count_bytes(row);
    rows_.push_back(std::move(row));
  }
  std::ranges::push_heap(rows_, order);
}

void SweepSelection::insert_in_frontier(KeptRow&& row) {
  std::erase_if(rows_, [&](const KeptRow& kept) { return beats(row, kept); });
  rows_.push_back(std::move(row));
}

void SweepSelection::merge(SweepSelection&& other) {
  for (KeptRow& row : other.rows_) {
    const bool pareto = !plan_->pareto().empty();
    if (pareto ? beaten(row) : full() && !before(row, rows_.front())) continue;
    insert(std::move(row));
  }
  other.rows_.clear();
}

std::vector<KeptRow> SweepSelection::take() {
  std::ranges::sort(rows_, [this](const KeptRow& a, const KeptRow& b) { return before(a, b); });
  if (plan_->top() && rows_.size() > *plan_->top()) rows_.resize(*plan_->top());
  return std::move(rows_);
}

}  // namespace trcost
