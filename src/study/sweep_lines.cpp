// SPDX-License-Identifier: Apache-2.0
#include "study/sweep_lines.h"

#include <algorithm>

#include "estimate/estimate_columns.h"
#include "text/cells.h"
#include "text/json_string.h"
#include "trcost/numbers.h"

namespace trcost {
namespace {

// The end of the cell that begins at `at`, quotes included.
std::size_t cell_end(std::string_view line, std::size_t at, bool json) {
  if (at >= line.size() || line[at] != '"') return std::min(line.find(',', at), line.size());
  for (++at; at < line.size(); ++at) {
    if (json && line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      const bool doubled = !json && at + 1 < line.size() && line[at + 1] == '"';
      if (!doubled) break;
      ++at;
    }
  }
  return std::min(at + 1, line.size());
}

}  // namespace

std::vector<std::string> sweep_columns(const SweepPlan& plan) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < plan.named_axes(); ++i) {
    out.emplace_back(plan.axes()[i].field().path);
  }
  for (const EstimateColumn* column : plan.columns()) out.emplace_back(column->path);
  out.emplace_back(kErrorColumn);
  return out;
}

SweepLineReader::SweepLineReader(const SweepPlan& plan, SweepLines lines)
    : plan_(plan), json_(lines == SweepLines::json), at_(plan.axes().size()) {
  const std::vector<std::string> names = sweep_columns(plan);
  for (const std::string& name : names) keys_.push_back('"' + name + "\":");
  // The platforms' own axis is not among the named ones; its value is the column `accelerator`.
  const auto platform =
      static_cast<std::size_t>(std::ranges::find(names, "accelerator") - names.begin());
  for (std::size_t i = 0; i < plan.axes().size(); ++i) {
    write(plan.axes()[i], 0);
    places_.push_back({i < plan.named_axes() ? i : platform, 0, written_});
  }
}

std::optional<std::uint64_t> SweepLineReader::row(std::string_view line) {
  if (!split(line)) return std::nullopt;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!move_to(i, cells_[places_[i].cell])) return std::nullopt;
    at_[i] = places_[i].at;
  }
  answered_ = cells_.back() == (json_ ? "null" : "");
  const std::uint64_t index = plan_.index_of(at_);
  if (index < plan_.begin() || index >= plan_.end()) return std::nullopt;
  return index;
}

// The values as they are written; false where the line has others than the columns'.
bool SweepLineReader::split(std::string_view line) {
  cells_.clear();
  if (json_) {
    if (!line.starts_with('{') || !line.ends_with('}')) return false;
    line = line.substr(1, line.size() - 2);
  }
  std::size_t at = 0;
  while (cells_.size() < keys_.size()) {
    if (json_) {
      const std::string& key = keys_[cells_.size()];
      if (!line.substr(at).starts_with(key)) return false;
      at += key.size();
    }
    const std::size_t end = cell_end(line, at, json_);
    cells_.push_back(line.substr(at, end - at));
    if (end >= line.size()) return cells_.size() == keys_.size();
    if (line[end] != ',') return false;
    at = end + 1;
  }
  return false;
}

// As the renderer writes the value.
void SweepLineReader::write(const SweepAxis& axis, std::uint64_t at) {
  written_.clear();
  if (axis.numeric()) {
    append_exact(written_, axis.number(at));
  } else if (json_) {
    append_json_string(written_, axis.word(at));
  } else {
    append_csv_text(written_, axis.word(at));
  }
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

}  // namespace trcost
