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

/// Where a workload is to run next; without `gpus` on as many accelerators as were measured.
struct TransferTarget {
  std::string accelerator;
  std::optional<double> gpus;
};
/// `h200`, or `gb200-nvl72:4` with a number of its own; several separated by commas. Throws Error
/// (usage).
std::vector<TransferTarget> parse_transfer_targets(std::string_view text);

/// The measurement: the time of the whole run, or the tokens per second of the whole cluster in
/// steady state; exactly one of the two.
struct TransferRequest {
  Scenario base;  ///< without hardware
  std::string from;
  double from_gpus = 1;
  std::optional<double> seconds;
  std::optional<double> tokens_per_second;
  double measured_sigma = 0;  ///< of ln of the measurement, where it is a range
  std::vector<TransferTarget> targets;
};

/// How well the ratio of two predictions holds, from published rows.
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
  Estimate estimate;  ///< anchored; of the source its own, as measured
  Quantiles seconds;
  Quantiles gpu_hours;
  std::optional<Quantiles> usd;
  RangeResult unanchored;  ///< what the estimate would say without the measurement
  double predicted_seconds = 0;
  double predicted_mfu = 0;
  TransferResidual residual;
};

struct TransferResult {
  double factor = 1;  ///< measured time over predicted time on the source
  TransferRow source;
  std::vector<TransferRow> targets;
  std::vector<Estimator::Failure> failures;  ///< targets without an answer
  std::vector<std::string> warnings;         ///< a measurement that is hardly one
};

/// The measured row of data/runs with the highest MFU, which its published tokens per second are.
struct PublishedMfu {
  double mfu = 0;
  const ThroughputRow* row = nullptr;
  std::string architecture;  ///< of the chips that were looked at; empty: of all
  int rows = 0;              ///< that were looked at
};
/// Of chips of the same architecture with about the same peak or a higher one, or of all where
/// there is no row: slower ones are easier to keep busy, such as an H20 with an H100's memory.
PublishedMfu highest_published_mfu(const Catalog& catalog, const Accelerator& like);

/// factor = measured / predicted time on the source. The plan of each platform is the predicted
/// one, its steps take factor times as long: time, GPU-hours and bill follow. The part of the
/// spread that both platforms share (workload, stack, what was measured) cancels; the residual of
/// the ratio and the spread of the price remain. Throws Error (usage) for a malformed measurement,
/// Error (no_answer) when no target has an answer or the measurement would need more than the peak;
/// warns of one that no published run reached.
TransferResult transfer(const TransferRequest& request, const Catalog& catalog);

/// What `trcost transfer` shows.
struct TransferReport {
  TransferRequest request;
  TransferResult result;
  std::string scenario;         ///< as JSON, without hardware
  std::string price_data_date;  ///< YYYY-MM-DD, may be empty
};

const Columns<TransferReport>& transfer_columns();
inline constexpr Subject<TransferReport> kTransfer = {"transfer", transfer_columns, "targets"};

}  // namespace trcost
