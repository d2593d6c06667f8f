// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "estimate/range_draws.h"
#include "quantity/portable_math.h"
#include "trcost/uncertainty.h"

namespace trcost {
namespace {

// One part with its inputs as dimensions of the draw.
struct Drawn {
  const RangePart* part = nullptr;
  std::vector<std::size_t> dimensions;  ///< of each of its inputs
};

// Inputs of the same name are one dimension.
std::vector<Drawn> with_dimensions(std::span<const RangePart> parts,
                                   std::vector<std::string_view>& names) {
  std::vector<Drawn> out;
  for (const RangePart& part : parts) {
    Drawn& drawn = out.emplace_back();
    drawn.part = &part;
    for (const Contribution& input : part.inputs) {
      const auto known = std::find(names.begin(), names.end(), input.input);
      drawn.dimensions.push_back(static_cast<std::size_t>(known - names.begin()));
      if (known == names.end()) names.emplace_back(input.input);
    }
  }
  return out;
}

DriverLogs logs_at(const Drawn& drawn, const std::vector<double>& normals) {
  DriverLogs logs;
  for (std::size_t i = 0; i < drawn.dimensions.size(); ++i) {
    const Contribution& input = drawn.part->inputs[i];
    logs.add(input.exponents, input.mean + input.sigma * normals[drawn.dimensions[i]]);
  }
  return logs;
}

}  // namespace

RangeResult sum_range(std::span<const RangePart> parts) {
  std::vector<std::string_view> names;
  const std::vector<Drawn> drawn = with_dimensions(parts, names);
  const bool priced =
      std::ranges::all_of(parts, [](const RangePart& p) { return p.usd.has_value(); });
  std::vector<double> hours(kLatticePoints), seconds(kLatticePoints), dollars(kLatticePoints);
  std::vector<double> normals(names.size());
  for (std::uint64_t k = 0; k < kLatticePoints; ++k) {
    std::uint64_t place = k;
    for (double& normal : normals) {
      normal = normal_strata()[place];
      place = next_place(place);
    }
    for (const Drawn& each : drawn) {
      const DriverLogs logs = logs_at(each, normals);
      hours[k] += each.part->gpu_hours * portable_exp(logs[Driver::hours]);
      seconds[k] += each.part->wall_clock_seconds * portable_exp(logs[Driver::days]);
      if (priced) dollars[k] += total_of(*each.part->usd, logs);
    }
  }
  RangeResult out;
  out.gpu_hours = quantiles_of(hours);
  out.wall_clock_seconds = quantiles_of(seconds);
  if (priced) out.total_usd = quantiles_of(dollars);
  out.method = "quasi-random draws over all parts, inputs of one name drawn once";
  return out;
}

}  // namespace trcost
