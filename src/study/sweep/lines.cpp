// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/lines.h"

#include <algorithm>

#include "estimate/columns/estimate_columns.h"

namespace trcost::study {

SweepLineReader::SweepLineReader(const SweepPlan& plan, const RowWriter& writer)
    : plan_(plan),
      writer_(writer),
      table_(sweep_row_columns(plan, plan.columns())),
      at_(plan.axes().size()) {
  writer_.cell(unknown_, {}, {});
  // The platforms' own axis is not among the named ones; its value is a column of the estimate.
  const std::size_t platform = table_.rows().find(ColumnRole::platform);
  for (std::size_t i = 0; i < plan.axes().size(); ++i) {
    write(plan.axes()[i], 0);
    places_.push_back({i < plan.named_axes() ? i : platform, 0, written_});
  }
}

std::optional<std::uint64_t> SweepLineReader::row(std::string_view line) {
  if (!writer_.split(line, table_.plan(), cells_)) return std::nullopt;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!move_to(i, cells_[places_[i].cell])) return std::nullopt;
    at_[i] = places_[i].at;
  }
  answered_ = cells_.back() == unknown_;
  const std::uint64_t index = plan_.index_of(at_);
  if (index < plan_.begin() || index >= plan_.end()) return std::nullopt;
  return index;
}

// As the writer has the value.
void SweepLineReader::write(const SweepAxis& axis, std::uint64_t at) {
  written_.clear();
  writer_.cell(written_, axis_value(axis, at), axis.field().path);
}

bool SweepLineReader::move_to(std::size_t axis, std::string_view cell) {
  Place& place = places_[axis];
  if (place.written == cell) return true;
  const std::optional<std::uint64_t> found = search(axis, cell);
  if (!found) return false;
  place.at = *found;
  place.written = cell;
  return true;
}

// From the last place on, since lines come in grid order.
std::optional<std::uint64_t> SweepLineReader::search(std::size_t axis, std::string_view cell) {
  constexpr std::uint64_t kNear = 4096;
  const SweepAxis& values = plan_.axes()[axis];
  std::uint64_t at = places_[axis].at;
  for (std::uint64_t step = std::min(kNear, values.size()); step > 0; --step) {
    if (++at == values.size()) at = 0;
    write(values, at);
    if (written_ == cell) return at;
  }
  if (values.numeric()) {
    const std::optional<std::uint64_t> found = values.find(cell);
    if (!found) return std::nullopt;
    write(values, *found);
    return written_ == cell ? found : std::nullopt;
  }
  for (at = 0; at < values.size(); ++at) {
    write(values, at);
    if (written_ == cell) return at;
  }
  return std::nullopt;
}

}  // namespace trcost::study
