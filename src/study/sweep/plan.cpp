// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "estimate/question/work/field_names.h"
#include "prices/market/price_quote.h"
#include "quantity/layers.h"
#include "scenario/fields.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

constexpr std::uint64_t kMostRows = 1'000'000'000'000;  // of a grid without --shard

bool is_varied(const std::vector<SweepAxis>& axes, Field field) {
  return std::ranges::any_of(axes,
                             [&](const SweepAxis& axis) { return axis.field().field == field; });
}

std::string size_words(const std::vector<SweepAxis>& axes) {
  std::string out;
  for (const SweepAxis& axis : axes) {
    out += fmt::format("{}{} of {}", out.empty() ? "" : " x ", axis.size(), axis.field().path);
  }
  return out;
}

}  // namespace

SweepPlan::SweepPlan(SweepRequest request, const Catalog& catalog)
    : base_(std::move(request.base)), derive_(std::move(request.derive)), top_(request.top) {
  add_axes(request);
  add_platforms(catalog);
  check_names(catalog);
  add_conditions(request.where);
  add_columns(request.select);
  add_order(request);
  set_size(request.shard);
}

void SweepPlan::add_axes(const SweepRequest& request) {
  if (request.vary.empty()) {
    throw Error(ErrorKind::usage, "nothing varies",
                "add --vary PATH=VALUES, like --vary hardware.gpus=8..512:x2; `trcost help fields` "
                "lists the paths",
                "--vary");
  }
  for (const std::string& text : request.vary) {
    SweepAxis axis = SweepAxis::parse(text);
    const Field field = axis.field().field;
    for (const SweepAxis& other : axes_) {
      if (other.field().field != field) continue;
      throw Error(ErrorKind::usage, fmt::format("{} is varied twice", axis.field().path),
                  "use one --vary per field, with all its values", "--vary");
    }
    base_.clear(field);
    axes_.push_back(std::move(axis));
  }
  named_axes_ = axes_.size();
  clear_excluded(request.fixed);
  const bool model = base_.has(Field::model_params) || base_.has(Field::model_name) ||
                     is_varied(axes_, Field::model_params) || is_varied(axes_, Field::model_name);
  if (!model) {
    throw Error(ErrorKind::usage, "the model is missing",
                "set --params or --model, or vary one of them: --vary model.params=1e9,10e9");
  }
}

void SweepPlan::clear_excluded(const std::vector<Field>& fixed) {
  const auto refuse = [](std::string_view a, std::string_view b, std::string hint) {
    throw Error(ErrorKind::usage, fmt::format("{} and {} exclude each other", a, b),
                std::move(hint), "--vary");
  };
  const auto clear = [&](Field axis, Field other) {
    if (!is_varied(axes_, axis)) return;
    const FieldInfo& field = field_info(other);
    if (is_varied(axes_, other)) refuse(field_info(axis).path, field.path, "vary one of them");
    if (std::ranges::find(fixed, other) != fixed.end()) {
      refuse(field_info(axis).path, field.flag, fmt::format("leave {} out", field.flag));
    }
    base_.clear(other);
  };
  for (const auto& [a, b] : exclusive_fields()) {
    clear(a, b);
    clear(b, a);
  }
}

void SweepPlan::add_platforms(const Catalog& catalog) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].field().field == Field::hardware_accelerator) platform_axis_ = i;
  }
  if (platform_axis_) return;
  std::vector<std::string> names = platforms_of(base_, catalog);
  if (names.size() == 1) {
    platform_ = names.front();
    return;
  }
  platform_axis_ = axes_.size();
  axes_.emplace_back(field_info(Field::hardware_accelerator), std::move(names));
}

void SweepPlan::check_names(const Catalog& catalog) const {
  for (const SweepAxis& axis : axes_) {
    const Names names = field_meaning(axis.field().field).names;
    if (axis.numeric() || names == Names::none) continue;
    for (std::uint64_t at = 0; at < axis.size(); ++at) require_name(catalog, names, axis.word(at));
  }
  if (!platform_.empty()) require_name(catalog, Names::accelerators, platform_);
  for (const FieldInfo& info : fields()) {
    if (info.kind != FieldKind::text || !base_.has(info.field)) continue;
    require_name(catalog, field_meaning(info.field).names, base_.text(info.field));
  }
}

void SweepPlan::set_size(const std::optional<SweepShard>& shard) {
  size_ = 1;
  for (const SweepAxis& axis : axes_) {
    if (axis.size() == 0) {
      throw Error(ErrorKind::usage,
                  fmt::format("no value of {} meets every --where", axis.field().path),
                  "loosen a condition, or vary over other values", "--where");
    }
    if (__builtin_mul_overflow(size_, axis.size(), &size_)) {
      throw Error(ErrorKind::usage,
                  fmt::format("the grid has more than 1.8e19 rows: {}", size_words(axes_)),
                  "vary fewer values");
    }
  }
  if (!shard && size_ > kMostRows) {
    throw Error(ErrorKind::usage,
                fmt::format("the grid has {:.3g} rows, more than 1e12: {}",
                            static_cast<double>(size_), size_words(axes_)),
                "vary fewer values, or run it in parts with --shard 1/1000 to --shard 1000/1000");
  }
  const SweepShard part = shard.value_or(SweepShard{});
  // Parts differ by at most one row, the longer ones first.
  const std::uint64_t quotient = size_ / part.parts;
  const std::uint64_t rest = size_ % part.parts;
  const auto start = [&](std::uint64_t i) { return i * quotient + std::min(i, rest); };
  begin_ = start(part.part - 1);
  end_ = start(part.part);
  sharded_ = part.parts > 1;
  first_shard_ = part.part == 1;
}

bool SweepPlan::derives(std::size_t axis) const {
  if (!derive_) return false;
  const std::string_view path = axes_[axis].field().path;
  return path == field_info(Field::hardware_gpus).path ||
         std::ranges::any_of(std::array{"model.", "train.", "data.", "rollout.", "layout."},
                             [&](std::string_view group) { return path.starts_with(group); });
}

Scenario SweepPlan::derive(std::span<const std::uint64_t> at) const {
  Scenario axes;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].field().field != Field::hardware_accelerator) axes_[i].set(axes, at[i]);
  }
  return derive_(axes);
}

void SweepPlan::locate(std::uint64_t index, std::span<std::uint64_t> at) const {
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const std::uint64_t size = axes_[i].size();
    at[i] = index % size;
    index /= size;
  }
}

std::uint64_t SweepPlan::index_of(std::span<const std::uint64_t> at) const {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) index = index * axes_[i].size() + at[i];
  return index;
}

std::string_view SweepPlan::accelerator(std::span<const std::uint64_t> at) const {
  if (!platform_axis_) return platform_;
  return axes_[*platform_axis_].word(at[*platform_axis_]);
}

}  // namespace trcost::study

namespace trcost {

SweepShard parse_shard(std::string_view text) {
  SweepShard shard;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto whole = [&](std::string_view part, std::uint64_t& value) {
    const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), value);
    return !part.empty() && status == std::errc() && end == part.data() + part.size();
  };
  const bool read = slash < text.size() && whole(text.substr(0, slash), shard.part) &&
                    whole(text.substr(slash + 1), shard.parts);
  if (!read || shard.part < 1 || shard.part > shard.parts) {
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\" is not a part of the grid", text.substr(0, 60)),
                "write I/N with I from 1 to N, like 1/8", "--shard");
  }
  return shard;
}

}  // namespace trcost
