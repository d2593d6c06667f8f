// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/estimate_columns.h"
#include "estimate/columns/plan_columns.h"
#include "study/tco/tco.h"

namespace trcost::study {
namespace {

using namespace column;

const Columns<cost::LifetimePart>& part_columns() {
  using P = cost::LifetimePart;
  static const Columns<P> table = {
      string("item", member<&P::name>, "part of the total", Rank::key),
      usd("amount", member<&P::usd>, "of all accelerators over the years; the resale is negative")};
  return table;
}

const Columns<TcoRow>& tco_row_columns() {
  using R = TcoRow;
  static const Columns<R> table = {
      string("accelerator", member<&R::accelerator>, "catalog name", Rank::key),
      accelerators("gpus", member<&R::gpus>, "in all"),
      plain("years", member<&R::years>, "that are covered"),
      string("pricing", member<&R::pricing>, "on-demand, reserved-1y, reserved-3y or own",
             Rank::key),
      usd("total", member<&R::total>, "over the years").lower(),
      usd_per_hour("per_gpu_hour", member<&R::per_gpu_hour>, "of the hours in use").lower(),
      usd("cash", member<&R::cash>, "in the first month").lower(),
      usd("resale", member<&R::resale>, "value at the end"),
      number("energy_kwh", "kWh", NumberKind::count, member<&R::energy_kwh>,
             "with the building's; covered by the price of a rent"),
      share("break_even_utilization", member<&R::break_even_utilization>,
            "at which it costs as much as on demand; above 1 it never does"),
      usd("per_million_tokens", member<&R::per_million_tokens>, "input and output, with --serve")
          .lower(),
      number("energy_per_million_tokens", "kWh", NumberKind::number,
             member<&R::energy_per_million_tokens>, "with --serve"),
      usd("dollars_per_gb", member<&R::dollars_per_gb>, "total per gigabyte of device memory"),
      usd_per_hour("price_per_gpu_hour", member<&R::price_per_gpu_hour>, "of the rent today"),
      boolean("price_imputed", member<&R::doubts, &PriceDoubts::imputed>, "the rent is estimated"),
      boolean("price_other_class", member<&R::doubts, &PriceDoubts::other_class>,
              "it is its maker's, of another class than the others"),
      boolean("price_other_region", member<&R::doubts, &PriceDoubts::other_region>,
              "the region has none, so it is of any region"),
      boolean("price_stale", member<&R::doubts, &PriceDoubts::stale>,
              "a rent is over 90 days old (hyperscalers: a year), a purchase over a year, or of a "
              "guessed date"),
      string("provider", member<&R::provider>, "sellers of the rent, comma-separated"),
      string("source", member<&R::source>, "of the rent or the purchase price"),
      string("date", member<&R::date>, "of the source"),
      number("machines", "", NumberKind::integer, member<&R::purchase, &TcoPurchase::machines>,
             "owned: that are bought, whole"),
      number("gpus_per_machine", "accelerators", NumberKind::integer,
             member<&R::purchase, &TcoPurchase::gpus_per_machine>, "owned: sold together"),
      usd("usd_per_machine", member<&R::purchase, &TcoPurchase::usd_per_machine>,
          "owned: price without the network"),
      number("megawatts", "MW", NumberKind::number, member<&R::megawatts>,
             "rated power with the building's"),
      number("tokens_per_second", "tokens/s", NumberKind::number, member<&R::tokens_per_second>,
             "input and output per accelerator, with --serve"),
      number("break_even_tokens_per_day", "tokens", NumberKind::count,
             member<&R::break_even_tokens_per_day>,
             "from which it costs less than --api-price, 0 for any number; null if never"),
      optional_part<quantile_columns<QuantilesOf::usd>, &R::range>("range.total"),
      list<part_columns>("items", member<&R::items>, "sum to the total"),
      string("problem", member<&R::problem>, "why there is no total")};
  return table;
}

}  // namespace

const Columns<TcoReport>& tco_columns() {
  using R = TcoReport;
  static const Columns<R> table = {
      versions<R>(),
      price_date(member<&R::price_data_date>),
      raw_json("scenario", member<&R::scenario>, "hardware and prices"),
      plain("years", member<&R::request, &TcoRequest::years>, "that are covered"),
      share("utilization", member<&R::utilization>, "of the hours"),
      plain("price_growth", member<&R::request, &TcoRequest::price_growth>, "of rents per year"),
      string("serve", member<&R::request, &TcoRequest::serve>, "model that is served"),
      usd("api_usd_per_million", member<&R::request, &TcoRequest::api_usd_per_million>,
          "price of tokens that are bought instead"),
      list<tco_row_columns>("rows", member<&R::rows>, "one per accelerator and pricing"),
      list<failure_columns>("failures", member<&R::failures>, "accelerators without an answer"),
      list<assumption_columns>("assumptions", member<&R::assumptions>, "defaults"),
      list<text_columns>("warnings", member<&R::warnings>, "about the answer")};
  return table;
}

}  // namespace trcost::study
