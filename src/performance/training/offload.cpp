// SPDX-License-Identifier: Apache-2.0
#include "performance/training/offload.h"

#include <algorithm>

#include "performance/exchange/data_exchange.h"

namespace trcost::performance {

namespace {

// Parameters that one host updates in a second: 1e10 in 2.57 s, two Xeon 8168 (arXiv:2101.06840,
// table 4). 3.1e9 of two A100s' host came to under 2.4 s, compute included
// (github.com/deepspeedai/DeepSpeed pull request 7474).
constexpr double kHostUpdates = 1e10 / 2.57;

}  // namespace

HostExchange host_exchange(const Evaluation& at, double moved, double forward,
                           double backward) noexcept {
  HostExchange out;
  const auto copy = [&](double bytes, double window) {
    return HostCopy{bytes, bytes / *at.platform.host_bandwidth, window};
  };
  if (at.costs.offload.activations) {
    out.activations_out = copy(moved, forward);
    out.activations_in = copy(moved, backward);
  }
  if (at.costs.offload.optimizer) {
    const double parameters = updated_parameters(at);
    out.neighbours = std::min(at.platform.system->gpus_per_node, at.layout.gpus());
    out.update = parameters * out.neighbours / kHostUpdates;
    out.gradients = copy(2 * parameters, backward);
    out.weights = copy(2 * parameters, out.update);
  }
  return out;
}

}  // namespace trcost::performance
