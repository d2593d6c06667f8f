// SPDX-License-Identifier: Apache-2.0
#include "performance/training/offload.h"

#include <algorithm>

#include "performance/exchange/data_exchange.h"
#include "performance/training/ledger.h"

namespace trcost {
namespace {

// Parameters that one host updates in a second: 1e10 in 2.57 s, two Xeon 8168 (arXiv:2101.06840,
// table 4). 3.1e9 of two A100s' host came to under 2.4 s, compute included
// (github.com/deepspeedai/DeepSpeed pull request 7474).
constexpr double kHostUpdates = 1e10 / 2.57;

// A copy on its way into the step.
struct Copy {
  const Evaluation& at;

  double operator()(std::string_view name, std::string_view per, std::string_view behind,
                    double bytes, double window) const {
    const double seconds = bytes / *at.platform.host_bandwidth;
    const double hidden = std::min(seconds, window);
    if (at.ledger != nullptr && seconds > 0) {
      at.ledger->exchanged(
          {name, per, behind, 1, bytes, 1, {}, seconds, window, hidden, 0, seconds - hidden});
    }
    return seconds - hidden;
  }
};

}  // namespace

HostExchange host_exchange(const Evaluation& at, double moved, double forward,
                           double backward) noexcept {
  HostExchange out;
  const Copy shown{at};
  if (at.costs.offload.activations) {
    out.per_micro_batch +=
        shown("activations, to the host", kPerMicroBatch, "the forward pass", moved, forward) +
        shown("activations, from the host", kPerMicroBatch, "the backward pass", moved, backward);
  }
  if (at.costs.offload.optimizer) {
    const double parameters = updated_parameters(at);
    const double neighbours = std::min(at.platform.system->gpus_per_node, at.layout.gpus());
    const double update = parameters * neighbours / kHostUpdates;
    out.per_micro_batch += shown("gradients, to the host", kPerMicroBatch, "the backward pass",
                                 2 * parameters, backward);
    out.per_step = update + shown("weights, from the host", kPerStep, "the host's update",
                                  2 * parameters, update);
    if (at.ledger != nullptr) {
      at.ledger->exchanged(
          {"update on the host", kPerStep, "", 1, 0, neighbours, {}, update, 0, 0, 0, update});
    }
  }
  return out;
}

}  // namespace trcost
