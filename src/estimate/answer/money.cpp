// SPDX-License-Identifier: Apache-2.0
#include "estimate/answer/money.h"

#include <fmt/format.h>

#include <algorithm>

#include "cost/lifetime.h"
#include "cost/make_bill.h"
#include "trcost/bill.h"
#include "trcost/error.h"

namespace trcost::estimation {
namespace {

Purchase purchase_state(const PurchasePrice& price) {
  if (price.usd_per_gpu) return Purchase::priced;
  return price.for_sale ? Purchase::unpriced : Purchase::not_for_sale;
}

// Whether every number of an estimate is known.
bool complete(const Estimate& out) {
  return out.cost.total && out.energy.kwh && out.energy.co2_kg &&
         std::ranges::all_of(out.cost.items,
                             [](const LineItem& item) { return item.amount.has_value(); });
}

}  // namespace

EnergyInputs energy_inputs(const Question& question, const Estimate& estimate) {
  const Rates& rates = *question.rates;
  EnergyInputs out;
  out.gpus = estimate.gpus;
  out.gpu_hours = estimate.gpu_hours;
  out.beyond = question.bill.beyond();
  out.tokens = estimate.tokens.total;
  out.tokens_per_second_per_gpu = estimate.performance.tokens_per_second_per_gpu;
  out.system_watts_per_gpu = rates.power.watts;
  out.mean_draw = rates.draw;
  out.pue = rates.pue;
  out.kg_co2_per_kwh = rates.kg_co2_per_kwh;
  return out;
}

StorageInputs storage_inputs(const Question& question, const Estimate& estimate) {
  const BillTerms& terms = question.bill;
  const ResolvedWork& work = question.work();
  StorageInputs inputs;
  inputs.dataset_bytes = estimate.pipeline
                             ? estimate.pipeline->dataset_bytes
                             : estimate.tokens.text / terms.epochs * terms.text_bytes_per_token;
  inputs.full_checkpoint_bytes = checkpoint_bytes(work.params.total, work.trainable.total);
  inputs.weights_checkpoint_bytes = weights_bytes(work.params.total);
  inputs.full_kept = terms.full_kept;
  inputs.weights_kept = terms.weights_kept;
  inputs.wall_seconds = estimate.wall_clock_seconds;
  inputs.egress_bytes = terms.egress_bytes;
  return inputs;
}

// Whole machines that hold `gpus`.
std::optional<OwnedMachines> owned_machines(const Rates& rates, double gpus) {
  const auto cash = cash_per_gpu(rates.ownership_inputs);
  if (!cash) return {};
  const double bought = gpus_in_whole_machines(rates.purchase, gpus);
  OwnedMachines out{bought, bought * *cash, {}};
  const cost::YearsOfUse use{kOwnedYears, rates.ownership_inputs.utilization};
  if (const auto owned = cost::own_for_years(rates.ownership_inputs, use)) {
    out.mean_per_gpu_hour = owned->total() / use.used_hours();
  }
  return out;
}

void add_money(const Question& question, Estimate& out) {
  const BillTerms& terms = question.bill;
  const Rates& rates = *question.rates;
  out.energy = compute_energy(energy_inputs(question, out));
  const StorageUse storage = compute_storage(storage_inputs(question, out));
  BillInputs bill;
  bill.gpu_hours = out.gpu_hours;
  bill.tokens = out.tokens.total;
  bill.own = rates.own;
  bill.price = question.price.get();
  bill.ownership = rates.own ? &rates.ownership : nullptr;
  bill.ownership_source = rates.purchase.source;
  if (rates.own) bill.ownership_date = rates.purchase.date.text;
  bill.old_quote = rates.ownership_inputs.age.before_purchase > 1;
  if (rates.own) bill.machines = owned_machines(rates, out.gpus);
  bill.gpus = out.gpus;
  bill.purchase = purchase_state(rates.purchase);
  bill.kwh = out.energy.kwh;
  if (rates.own && bill.kwh) *bill.kwh /= 1 + terms.beyond();
  bill.usd_per_kwh = rates.usd_per_kwh;
  bill.electricity_source = rates.electricity_source;
  bill.electricity_date = rates.electricity_date;
  bill.storage = &storage;
  bill.storage_price = &rates.storage_price;
  bill.egress_price = &rates.egress_price;
  bill.terms = terms;
  make_bill(bill, out.cost);
  out.complete = complete(out);
}

void warn_about_spot(const Question& question, const UsefulTime& useful, Notes& notes) {
  const std::optional<double> spot = question.price->usd, rent = question.rates->on_demand.usd;
  if (!useful.failures.spot || useful.goodput_given || !rent || !spot) return;
  FailureInputs steady = useful.failures;
  steady.spot = false;
  double share = 0;
  try {
    share = plan_goodput(steady).goodput;
  } catch (const Error&) {
    return;  // on-demand does not get on either
  }
  const double ratio = useful.goodput_share / share;  // of GPU-hours: on-demand to spot
  if (*spot <= ratio * *rent) return;
  notes.warn(
      fmt::format("spot costs more than on-demand, since preemptions leave a goodput of {}: take "
                  "fewer accelerators, or --pricing on-demand",
                  format_number(useful.goodput_share, NumberKind::fraction)));
}

}  // namespace trcost::estimation
