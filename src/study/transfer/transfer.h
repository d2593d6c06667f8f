// SPDX-License-Identifier: Apache-2.0
// A measured run carried over to other platforms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/runs/runs.h"
#include "quantity/layers.h"
#include "text/column.h"
#include "trcost/estimate.h"
#include "trcost/scenario.h"

namespace trcost::study {

/// A platform to carry the workload to. Without `gpus` it has as many accelerators as were
/// measured.
struct TransferTarget {
  std::string accelerator;
  std::optional<double> gpus;
};
/// Parses targets separated by commas: `h200`, or `gb200-nvl72:4` with its own number. Throws Error
/// (usage).
std::vector<TransferTarget> parse_transfer_targets(std::string_view text);

/// A measurement: either the time of the whole run, or the tokens per second of the whole cluster
/// in steady state.
struct TransferRequest {
  Scenario base;  ///< without hardware
  std::string from;
  double from_gpus = 1;
  std::optional<double> seconds;
  std::optional<double> tokens_per_second;
  double measured_sigma = 0;  ///< of ln of the measurement, where it is a range
  std::vector<TransferTarget> targets;
};

/// Error of the ratio of two predictions, from published rows.
struct TransferResidual {
  double sigma = 0;  ///< root mean square of ln(error on one) - ln(error on the other)
  int pairs = 0;     ///< of published measurements behind it
  std::string why;
};
/// Pairs of published rows of the same source, model, task, stack, sequence length and precision:
/// on two chips, or with `same_chip` on two cluster sizes of one chip. Every source has the same
/// weight. The rows are those that calibrated the model.
TransferResidual transfer_residual(const Catalog& catalog, bool same_chip);

/// One platform.
struct TransferRow {
  Estimate estimate;  ///< at the measured speed
  Quantiles seconds;
  Quantiles gpu_hours;
  std::optional<Quantiles> usd;
  RangeResult unanchored;  ///< range without the measurement
  double predicted_seconds = 0;
  double predicted_mfu = 0;
  TransferResidual residual;
};

struct TransferResult {
  double factor = 1;  ///< measured time over predicted time on the source
  TransferRow source;
  std::vector<TransferRow> targets;
  std::vector<Estimator::Failure> failures;  ///< targets without an answer
  std::vector<std::string> warnings;         ///< of the measurement and of prices
};

/// The measured row of data/runs with the highest MFU, which its published tokens per second are.
struct PublishedMfu {
  double mfu = 0;
  const ThroughputRow* row = nullptr;
  std::string architecture;  ///< of the chips of these rows, or empty for all chips
  int rows = 0;
};
/// The highest published MFU on chips of the same architecture with at least about the same peak,
/// or on all chips if there is no such row. Slower chips are easier to keep busy, such as an H20
/// with an H100's memory.
PublishedMfu highest_published_mfu(const Catalog& catalog, const Accelerator& like);

/// Multiplies the predicted time of each platform by measured / predicted time on the source. Time,
/// GPU-hours and bill follow. The part of the spread that both platforms share (workload, stack,
/// measurement) cancels. The residual of the ratio and the spread of the price remain. Throws Error
/// (usage) for a malformed measurement, Error (no_answer) when no target has an answer or the
/// measurement would need more than the peak. Adds a warning for one that no published run reached.
TransferResult transfer(const TransferRequest& request, const Catalog& catalog);

/// Content of `trcost transfer`.
struct TransferReport {
  TransferRequest request;
  TransferResult result;
  std::string scenario;         ///< as JSON, without hardware
  std::string price_data_date;  ///< YYYY-MM-DD, may be empty
};

const Columns<TransferReport>& transfer_columns();
inline constexpr Subject<TransferReport> kTransfer = {"transfer", transfer_columns, "targets"};

}  // namespace trcost::study
