// SPDX-License-Identifier: Apache-2.0
#include "trcost/solve.h"

#include <algorithm>
#include <cmath>

#include "quantity/layers.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

constexpr double kClusterFactors[] = {0.125, 0.25, 0.5, 2, 4, 8};

ClusterPoint cluster_point(const Estimate& e, bool chosen) {
  return {e.accelerator, e.gpus, e.wall_clock_seconds, e.cost.total, chosen, false};
}

double whole_nodes(double gpus, double node) {
  return gpus < node ? std::max(1.0, std::round(gpus)) : std::round(gpus / node) * node;
}

void mark_frontier(std::vector<ClusterPoint>& points) {
  for (ClusterPoint& point : points) {
    point.frontier = point.total_usd && std::ranges::none_of(points, [&](const ClusterPoint& p) {
                       if (!p.total_usd) return false;
                       const bool no_worse = p.wall_clock_seconds <= point.wall_clock_seconds &&
                                             *p.total_usd <= *point.total_usd;
                       return no_worse && (p.wall_clock_seconds < point.wall_clock_seconds ||
                                           *p.total_usd < *point.total_usd);
                     });
  }
}

}  // namespace

}  // namespace trcost::study

namespace trcost {

std::vector<ClusterPoint> cluster_curve(const Scenario& scenario, const Catalog& catalog,
                                        std::span<const Estimate> estimates) {
  std::vector<ClusterPoint> out;
  if (!scenario.stages.empty()) return out;
  Estimator estimator(catalog, {.assumptions = false, .derivations = false, .range = false});
  for (const Estimate& e : estimates) {
    const double node = e.system.empty() ? 1 : catalog.system(e.system).gpus_per_node;
    std::vector<double> sizes;
    for (const double factor : kClusterFactors) {
      const double size = whole_nodes(factor * e.gpus, node);
      const bool known = size == e.gpus || std::ranges::find(sizes, size) != sizes.end();
      if (!known) sizes.push_back(size);
    }
    std::vector<ClusterPoint> points{cluster_point(e, true)};
    Scenario other = scenario;
    other.clear_excluded_by(Field::hardware_gpus);
    for (const double size : sizes) {
      Estimate found;
      try {
        other.set_number(Field::hardware_gpus, size);
        estimator.run_one(other, e.accelerator, found);
      } catch (const Error&) {
        continue;  // it does not fit there
      }
      if (found.memory.fits && std::isfinite(found.wall_clock_seconds)) {
        points.push_back(cluster_point(found, false));
      }
    }
    std::ranges::stable_sort(points, {}, &ClusterPoint::gpus);
    out.insert(out.end(), points.begin(), points.end());
  }
  mark_frontier(out);
  return out;
}

}  // namespace trcost
