// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>

#include "catalog/runs/runs.h"
#include "quantity/portable_math.h"
#include "study/transfer/transfer.h"
#include "study/validate/validate.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

// The mean of ln(predicted / measured) over the rows of one side that can be replayed: several
// batch sizes, versions or repeats.
std::optional<double> mean_error(const Catalog& catalog,
                                 const std::vector<const ThroughputRow*>& rows) {
  double sum = 0;
  int count = 0;
  for (const ThroughputRow* row : rows) {
    try {
      const Workload workload = row_workload(catalog, *row);
      const StepModel model(workload, row_platform(catalog, *row));
      const Plan chosen = plan(model, row_request(*row, workload));
      const double predicted = chosen.layout.global_batch * row->seq_length /
                               (chosen.time.seconds * chosen.layout.gpus());
      sum += portable_log(predicted / row->tokens_per_second_per_gpu);
      ++count;
    } catch (const Error&) {
    }
  }
  return count == 0 ? std::nullopt : std::optional<double>(sum / count);
}

}  // namespace

TransferResidual transfer_residual(const Catalog& catalog, bool same_chip) {
  // Rows by the facts that a pair has in common, then by the platform in which it differs.
  using Key = std::tuple<std::string, std::string, RowTask, std::string, double, int, std::string>;
  std::map<Key, std::map<std::string, std::vector<const ThroughputRow*>>> sets;
  for (const ThroughputRow& row : catalog.runs().throughput) {
    const Key key = {row.source,
                     row.model,
                     row.task,
                     row.stack,
                     row.seq_length,
                     static_cast<int>(row.precision),
                     same_chip ? row.accelerator : std::string()};
    const std::string platform = same_chip ? fmt::format("{:012.0f}", row.gpus) : row.accelerator;
    sets[key][platform].push_back(&row);
  }
  std::map<std::string, std::pair<double, int>> by_source;  // sum of squares, pairs
  for (const auto& [key, sides] : sets) {
    if (sides.size() < 2) continue;
    std::vector<double> errors;
    for (const auto& [side, rows] : sides) {
      if (const auto error = mean_error(catalog, rows)) errors.push_back(*error);
    }
    auto& [squares, pairs] = by_source[std::get<0>(key)];
    for (std::size_t i = 0; i + 1 < errors.size(); ++i) {
      const double difference = errors[i + 1] - errors[i];
      squares += difference * difference;
      ++pairs;
    }
  }
  TransferResidual out;
  double sum = 0;
  int sources = 0;
  for (const auto& [source, entry] : by_source) {
    if (entry.second == 0) continue;
    sum += entry.first / entry.second;
    out.pairs += entry.second;
    ++sources;
  }
  // Default without a published pair: two independent errors of a tuned stack (model.md 10).
  constexpr double kNoPairs = 0.15;
  out.sigma = sources == 0 ? kNoPairs : std::sqrt(sum / sources);
  out.why = fmt::format(
      "predicted over measured ratio of {} pairs of published runs on {}, {} "
      "sources of equal weight",
      out.pairs, same_chip ? "two sizes of one cluster" : "two accelerators", sources);
  return out;
}

}  // namespace trcost::study
