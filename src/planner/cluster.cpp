// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "planner/space.h"

namespace trcost::planner {
namespace {

/// Whether a layout fits on `gpus`, in the way that takes the least memory.
bool any_fits(const StepModel& model, PlanRequest request, double gpus) {
  request.gpus = gpus;
  const SearchSpace space(model, request);
  const double wanted = request.global_batch.value_or(request.batch_hint);
  for (const Structure& s : space.structures()) {
    BatchChoice batch;
    batch.micro_batch = request.micro_batch.value_or(1);
    // Enough micro-batches to fill the pipeline, unless the batch is smaller than that.
    const double m = std::max(1.0, std::floor(wanted / (batch.micro_batch * s.dp)));
    batch.global_batch = m * batch.micro_batch * s.dp;
    if (request.global_batch && batch.global_batch > wanted) continue;
    for (const Sharding sharding : space.shardings()) {
      const Layout l =
          space.layout(s, batch, request.vp.value_or(1), sharding, space.recomputes().back());
      if (model.memory(l).fits) return true;
    }
  }
  return false;
}

/// Sizes that clusters come in: powers of two within a node, then whole nodes; always multiples of
/// the degrees that are given.
class Sizes {
 public:
  Sizes(const StepModel& model, const PlanRequest& request) {
    node_ = std::max(1.0, model.platform().system->gpus_per_node);
    product_ = request.product();
  }
  [[nodiscard]] double node() const { return node_; }
  [[nodiscard]] bool allowed(double gpus) const { return std::fmod(gpus, product_) == 0; }

 private:
  double node_ = 1;
  double product_ = 1;
};

}  // namespace

std::optional<double> smallest_cluster(const StepModel& model, const PlanRequest& request,
                                       double most) {
  const Sizes sizes(model, request);
  const auto fits = [&](double gpus) {
    return gpus <= most && sizes.allowed(gpus) && any_fits(model, request, gpus);
  };
  for (double n = 1; n < sizes.node(); n *= 2) {
    if (fits(n)) return n;
  }
  // Doubling finds a size that holds it; the sizes between the last that did not and it follow.
  double tried = 0;
  for (double nodes = 1; nodes * sizes.node() <= most; nodes *= 2) {
    if (!fits(nodes * sizes.node())) {
      tried = nodes;
      continue;
    }
    const double step = std::max(1.0, std::floor((nodes - tried) / 256));
    for (double k = tried + step; k < nodes; k += step) {
      if (fits(k * sizes.node())) return k * sizes.node();
    }
    return nodes * sizes.node();
  }
  return std::nullopt;
}

}  // namespace trcost::planner
