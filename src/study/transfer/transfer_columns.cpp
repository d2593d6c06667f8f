// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/estimate_columns.h"
#include "estimate/columns/plan_columns.h"
#include "study/transfer/transfer.h"

namespace trcost::study {

namespace {

using namespace column;
using column::json;
using column::text;
using CarriedRow = const TransferRow&;
using TransferAnswer = const TransferReport&;

const Columns<TransferRow>& transfer_row_columns() {
  static const Columns<TransferRow> table = [] {
    Columns<TransferRow> t;
    // What an estimate says of a platform, as far as the measurement leaves it.
    using enum ColumnRole;
    t.pick<[](CarriedRow r) { return &r.estimate; }, columns>({platform, ColumnRole::system, gpus,
                                                               precision, wall_clock, gpu_hours,
                                                               mfu, price, total, price_origin});
    t.add({number(
               "predicted_wall_clock_seconds", "s", NumberKind::duration,
               [](CarriedRow r) { return r.predicted_seconds; }, "without the measurement"),
           number(
               "predicted_mfu", "", NumberKind::fraction,
               [](CarriedRow r) { return r.predicted_mfu; }, "without the measurement")});
    t.lift<[](CarriedRow r) { return &r.seconds; }, quantile_columns<QuantilesOf::seconds>>(
        "range.wall_clock_seconds");
    t.lift<[](CarriedRow r) { return &r.gpu_hours; }, quantile_columns<QuantilesOf::gpu_hours>>(
        "range.gpu_hours");
    t.lift < [](CarriedRow r) -> auto& {
      return r.usd;
    }
    , quantile_columns < QuantilesOf::usd >> ("range.total_usd", true);
    t.lift<[](CarriedRow r) { return &r.unanchored.gpu_hours; },
           quantile_columns<QuantilesOf::gpu_hours>>("unanchored_range.gpu_hours");
    t.lift < [](CarriedRow r) -> auto& {
      return r.unanchored.total_usd;
    }
    , quantile_columns < QuantilesOf::usd >> ("unanchored_range.total_usd", true);
    t.add(
        {number(
             "residual.sigma", "", NumberKind::number,
             [](CarriedRow r) { return r.residual.sigma; },
             "of the ratio of two predictions, in logarithms"),
         number(
             "residual.pairs", "", NumberKind::integer,
             [](CarriedRow r) { return r.residual.pairs; }, "of published measurements behind it"),
         text(
             "residual.why", [](CarriedRow r) -> auto& { return r.residual.why; },
             "which pairs these are")});
    return t;
  }();
  return table;
}

}  // namespace

const Columns<TransferReport>& transfer_columns() {
  static const Columns<TransferReport> table = [] {
    Columns<TransferReport> t;
    t.add(versions<TransferReport>());
    t.add({price_date([](TransferAnswer r) -> auto& { return r.price_data_date; }),
           json(
               "scenario", [](TransferAnswer r) -> auto& { return r.scenario; },
               "what was asked, without hardware"),
           number(
               "measured.seconds", "s", NumberKind::duration,
               [](TransferAnswer r) { return r.request.seconds; }, "of the whole run"),
           number(
               "measured.tokens_per_second", "tokens/s", NumberKind::count,
               [](TransferAnswer r) { return r.request.tokens_per_second; },
               "of the whole cluster in steady state"),
           number(
               "measured.sigma", "", NumberKind::number,
               [](TransferAnswer r) {
                 const double sigma = r.request.measured_sigma;
                 return sigma > 0 ? std::optional(sigma) : std::nullopt;
               },
               "of the measurement itself, in logarithms"),
           number(
               "measured.factor", "", NumberKind::number,
               [](TransferAnswer r) { return r.result.factor; },
               "measured time over predicted time")});
    t.lift<[](TransferAnswer r) { return &r.result.source; }, transfer_row_columns>("measured");
    t.add({list<transfer_row_columns>(
               "targets", [](TransferAnswer r) -> auto& { return r.result.targets; },
               "one per platform that the run is carried to"),
           list<failure_columns>(
               "failures", [](TransferAnswer r) -> auto& { return r.result.failures; },
               "targets without an answer")});
    return t;
  }();
  return table;
}

}  // namespace trcost::study
