// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/estimate_columns.h"
#include "estimate/columns/plan_columns.h"
#include "study/transfer/transfer.h"

namespace trcost::study {
namespace {

using namespace column;

// The columns of this role of the estimate.
constexpr Column<TransferRow> column_of_estimate(ColumnRole role) {
  return pick<columns, &TransferRow::estimate>(role);
}

const Columns<TransferRow>& transfer_row_columns() {
  using R = TransferRow;
  using D = TransferResidual;
  static const Columns<TransferRow> table = {
      column_of_estimate(ColumnRole::platform),
      column_of_estimate(ColumnRole::system),
      column_of_estimate(ColumnRole::gpus),
      column_of_estimate(ColumnRole::precision),
      column_of_estimate(ColumnRole::wall_clock),
      column_of_estimate(ColumnRole::gpu_hours),
      column_of_estimate(ColumnRole::mfu),
      column_of_estimate(ColumnRole::price),
      column_of_estimate(ColumnRole::total),
      column_of_estimate(ColumnRole::price_origin),
      seconds("predicted_wall_clock_seconds", member<&R::predicted_seconds>,
              "without the measurement"),
      share("predicted_mfu", member<&R::predicted_mfu>, "without the measurement"),
      part<quantile_columns<QuantilesOf::seconds>, &R::seconds>("range.wall_clock_seconds"),
      part<quantile_columns<QuantilesOf::gpu_hours>, &R::gpu_hours>("range.gpu_hours"),
      optional_part<quantile_columns<QuantilesOf::usd>, &R::usd>("range.total_usd"),
      part<quantile_columns<QuantilesOf::gpu_hours>, &R::unanchored, &RangeResult::gpu_hours>(
          "unanchored_range.gpu_hours"),
      optional_part<quantile_columns<QuantilesOf::usd>, &R::unanchored, &RangeResult::total_usd>(
          "unanchored_range.total_usd"),
      plain("residual.sigma", member<&R::residual, &D::sigma>,
            "of the ratio of two predictions, in logarithms"),
      integer("residual.pairs", member<&R::residual, &D::pairs>,
              "of published measurements behind it"),
      string("residual.why", member<&R::residual, &D::why>, "which pairs these are")};
  return table;
}

std::optional<double> measured_sigma(const TransferRequest& request) {
  return request.measured_sigma > 0 ? std::optional(request.measured_sigma) : std::nullopt;
}

}  // namespace

const Columns<TransferReport>& transfer_columns() {
  using R = TransferReport;
  static const Columns<TransferReport> table = {
      versions<R>(),
      price_date(member<&R::price_data_date>),
      raw_json("scenario", member<&R::scenario>, "what was asked, without hardware"),
      seconds("measured.seconds", member<&R::request, &TransferRequest::seconds>,
              "of the whole run"),
      number("measured.tokens_per_second", "tokens/s", NumberKind::count,
             member<&R::request, &TransferRequest::tokens_per_second>,
             "of the whole cluster in steady state"),
      plain("measured.sigma", member<&R::request, measured_sigma>,
            "of the measurement itself, in logarithms"),
      plain("measured.factor", member<&R::result, &TransferResult::factor>,
            "measured time over predicted time"),
      part<transfer_row_columns, &R::result, &TransferResult::source>("measured"),
      list<transfer_row_columns>("targets", member<&R::result, &TransferResult::targets>,
                                 "one per platform that the run is carried to"),
      list<failure_columns>("failures", member<&R::result, &TransferResult::failures>,
                            "targets without an answer"),
      list<text_columns>("warnings", member<&R::result, &TransferResult::warnings>,
                         "about the answer")};
  return table;
}

}  // namespace trcost::study
