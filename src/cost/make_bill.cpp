// SPDX-License-Identifier: Apache-2.0
#include "cost/make_bill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "quantity/quantity.h"
#include "quantity/suggest.h"
#include "trcost/numbers.h"

namespace trcost::cost {

namespace {

constexpr double kConservation = 1e-9;  // relative

// Dollars of one unit by driver.
using UnitTerms = std::span<const Term>;

// Drivers of accelerator-hours at a price with that driver.
constexpr Exponents hour_drivers(Driver price) {
  return Exponents().with(Driver::hours, 1).with(price, 1);
}
// Writes rows over those of the last bill, to reuse their memory.
class BillRows {
 public:
  explicit BillRows(std::vector<LineItem>& items) : items_(items) {}
  ~BillRows() { items_.resize(count_); }
  BillRows(const BillRows&) = delete;
  BillRows& operator=(const BillRows&) = delete;

  LineItem& add(Part part, double quantity, Unit unit, const std::optional<double>& unit_price,
                bool included, std::string_view source, std::string_view date) {
    if (count_ == items_.size()) items_.emplace_back();
    LineItem& row = items_[count_++];
    row.part = part;
    row.round.clear();
    row.quantity = quantity;
    row.unit = unit;
    row.unit_price = unit_price;
    row.amount = unit_price ? std::optional(quantity * *unit_price) : std::nullopt;
    row.included = included;
    row.source.assign(source);
    row.date.assign(date);
    row.terms.clear();
    return row;
  }

 private:
  std::vector<LineItem>& items_;
  std::size_t count_ = 0;
};

// Gives the row one term with these drivers.
void add_term(LineItem& row, const Exponents& moves) {
  if (row.amount) row.terms.push_back({*row.amount, moves});
}

// Gives the row `times` the terms of its unit, with one more driver.
void add_terms(LineItem& row, UnitTerms unit, double times, std::optional<Driver> more = {}) {
  if (!row.amount) return;
  for (const Term& each : unit) {
    row.terms.push_back(
        {row.quantity * times * each.usd, more ? each.moves.with(*more, 1) : each.moves});
  }
}

// Costs of an hour of an owned accelerator, used or not. Empty if unknown.
std::vector<Term> standing_hour(const OwnershipCost& own) {
  std::vector<Term> out;
  if (!own.standing()) return out;
  for (const StandingCost& each : standing_costs()) {
    out.push_back({*own.of(each.part), hour_drivers(each.driver)});
  }
  return out;
}

// Idle hours for each hour in use.
double idle_share(const OwnershipCost& own) {
  const double standing = own.standing().value_or(0);
  return standing > 0 ? own.idle.value_or(0) / standing : 0;
}

// All costs of an hour of the run on an owned accelerator.
std::vector<Term> whole_hour(const OwnershipCost& own) {
  std::vector<Term> out = standing_hour(own);
  if (!own.total) return out;
  for (Term& each : out) each.usd *= 1 + idle_share(own);
  out.push_back({*own.energy, hour_drivers(Driver::electricity)});
  return out;
}

void add_owned(const BillInputs& in, BillRows& rows) {
  const OwnershipCost& own = *in.ownership;
  for (const StandingCost& each : standing_costs()) {
    if (own.of(each.part) == 0.0) continue;  // not paid: no row
    const bool bought = each.driver == Driver::capital;
    add_term(rows.add(each.part, in.gpu_hours, Unit::gpu_hour, own.of(each.part), true,
                      each.source.empty() ? in.ownership_source : each.source,
                      bought ? in.ownership_date : std::string_view()),
             hour_drivers(each.driver));
  }
  LineItem& idle = rows.add(Part::idle, in.gpu_hours, Unit::gpu_hour, own.idle, true,
                            standing_names(own) + " while nobody uses them", {});
  add_terms(idle, standing_hour(own), idle_share(own));
}

void add_energy(const BillInputs& in, BillRows& rows) {
  if (!in.kwh) {
    if (in.own)
      rows.add(Part::energy, in.gpu_hours, Unit::gpu_hour, {}, true, "power is not known", {});
    return;
  }
  add_term(rows.add(Part::energy, *in.kwh, Unit::kwh, in.usd_per_kwh, in.own, in.electricity_source,
                    in.electricity_date),
           hour_drivers(Driver::electricity));
}

void add_storage(const BillInputs& in, BillRows& rows) {
  if (in.storage == nullptr || in.storage_price == nullptr) return;
  const StorageUse& use = *in.storage;
  const PriceQuote& price = *in.storage_price;
  const auto add = [&](Part part, double gb_months, Driver kept) {
    if (gb_months <= 0) return;
    add_term(rows.add(part, gb_months, Unit::gb_month, price.usd, in.terms.storage_included,
                      price.source, price.date),
             Exponents().with(Driver::days, 1).with(kept, 1));
  };
  add(Part::dataset, use.dataset_gb_months, Driver::dataset);
  add(Part::checkpoints, use.full_gb_months, Driver::checkpoints);
  add(Part::weights, use.weights_gb_months, Driver::checkpoints);
  if (use.egress_gb > 0 && in.egress_price != nullptr) {
    add_term(rows.add(Part::egress, use.egress_gb, Unit::gb, in.egress_price->usd, true,
                      in.egress_price->source, in.egress_price->date),
             Exponents().with(Driver::egress, 1));
  }
}

// Compute other than the final run, at the same price per hour, energy included.
void add_extra_compute(const BillInputs& in, const std::optional<double>& per_hour, UnitTerms hour,
                       std::string_view source, std::string_view date, BillRows& rows) {
  const auto add = [&](Part part, double times, Driver driver) {
    if (times <= 0) return;
    add_terms(rows.add(part, in.gpu_hours * times, Unit::gpu_hour, per_hour, true, source, date),
              hour, 1, driver);
  };
  add(Part::experiments, in.terms.experiments, Driver::experiments);
  add(Part::evaluation, in.terms.evaluation, Driver::evaluation);
}

// Sets class, doubts, date and seller of the rent. With own there is no rent in the bill.
void set_price_provenance(const BillInputs& in, CostResult& out) {
  const bool rented = !in.own && in.price != nullptr && in.price->usd.has_value();
  out.price_class = rented ? in.price->price_class : std::nullopt;
  out.doubts = rented ? PriceDoubts{in.price->imputed, in.price->other_class,
                                    in.price->other_region, in.price->stale}
                      : PriceDoubts{.stale = in.own && in.old_quote};
  out.obligation.reset();
  if (rented && in.terms.term_hours > 0) {
    // A run that outlasts the term pays another one.
    const double run_hours = in.gpus > 0 ? in.gpu_hours / in.gpus : 0;
    const double hours =
        std::max(1.0, std::ceil(run_hours / in.terms.term_hours)) * in.terms.term_hours;
    out.obligation = {in.gpus, hours, in.gpus * hours * *in.price->usd};
  }
  out.purchase = in.purchase;
  out.price_date.assign(rented ? std::string_view(in.price->date) : in.ownership_date);
  out.provider.assign(rented ? std::string_view(in.price->provider) : std::string_view());
}

void compare_with_rent(const BillInputs& in, CostResult& out) {
  out.break_even_utilization.reset();
  out.rent_per_gpu_hour.reset();
  out.rent_source.clear();
  if (!in.own || in.ownership == nullptr || in.price == nullptr || !in.price->usd) return;
  out.rent_per_gpu_hour = in.price->usd;
  out.rent_source = in.price->given ? in.price->source : in.price->rule;
  out.break_even_utilization = break_even_utilization(*in.ownership, *in.price->usd);
}

}  // namespace

void make_bill(const BillInputs& in, CostResult& out) {
  set_price_provenance(in, out);
  out.own = in.own;
  out.machines = in.machines;
  {
    BillRows rows(out.items);
    if (in.own && in.ownership != nullptr) {
      out.price_per_gpu_hour = in.ownership->total;
      add_owned(in, rows);
      add_energy(in, rows);
      add_extra_compute(in, in.ownership->total, whole_hour(*in.ownership),
                        "all of the above per GPU-hour", in.ownership_date, rows);
    } else {
      static const PriceQuote unknown;
      const PriceQuote& price = in.price != nullptr ? *in.price : unknown;
      out.price_per_gpu_hour = price.usd;
      const Term hour{price.usd.value_or(0), hour_drivers(Driver::rent)};
      add_term(rows.add(Part::compute, in.gpu_hours, Unit::gpu_hour, price.usd, true, price.source,
                        price.date),
               hour.moves);
      add_extra_compute(in, price.usd, {&hour, 1}, price.source, price.date, rows);
      add_energy(in, rows);
    }
    add_storage(in, rows);
  }
  compare_with_rent(in, out);
  sum_bill(out, in.tokens);
}

void sum_bill(CostResult& out, double tokens) {
  out.total = 0;
  for (const LineItem& row : out.items) {
    if (!row.included) continue;
    if (!row.amount) {
      out.total.reset();
      break;
    }
    *out.total += *row.amount;
  }
  out.per_million_tokens.reset();
  if (out.total && tokens > 0) out.per_million_tokens = *out.total / tokens * 1e6;
  check_bill(out);
}

void check_bill(const CostResult& cost) {
  double sum = 0;
  bool known = true;
  for (auto row = cost.items.rbegin(); row != cost.items.rend(); ++row) {
    if (!row->included) continue;
    known = known && row->amount.has_value();
    sum += row->amount.value_or(0);
    if (row->amount && row->unit_price &&
        std::fabs(*row->amount - row->quantity * *row->unit_price) >
            kConservation * std::fabs(*row->amount)) {
      throw std::logic_error("a line item is not its quantity times its price: " + item_name(*row));
    }
  }
  if (known != cost.total.has_value()) {
    throw std::logic_error(
        "the total of the bill is known although an item is not, or the reverse");
  }
  if (known && std::fabs(sum - *cost.total) > kConservation * std::fabs(sum)) {
    throw std::logic_error("the line items do not sum to the total");
  }
}

Dollars included_dollars(const CostResult& cost) {
  Dollars out;
  for (const LineItem& row : cost.items) {
    if (!row.included) continue;
    for (const Term& term : row.terms) out.add(term);
  }
  const double total = cost.total.value_or(0);
  if (std::fabs(out.total() - total) > kConservation * std::fabs(total)) {
    throw std::logic_error("an item of the bill is in no term of the total");
  }
  return out;
}

namespace {

// Four significant digits below a dollar, else four decimals.
std::string exact_usd(double usd) {
  return std::fabs(usd) < 1 ? fmt::format("{:.4g}", usd) : fmt::format("{:.4f}", usd);
}

}  // namespace

std::vector<Derivation> derive_bill(const CostResult& cost, double tokens) {
  std::vector<Derivation> steps;
  std::string sum, amounts;
  for (const LineItem& row : cost.items) {
    Derivation step;
    step.name = item_name(row);
    step.formula = "quantity x unit price";
    step.numbers = fmt::format("{} {} x {}", format_exact(row.quantity), unit_name(row.unit),
                               row.unit_price ? format_exact(*row.unit_price) + " USD" : "n/a");
    step.result = row.amount ? fmt::format("{} USD{}", exact_usd(*row.amount),
                                           row.included ? "" : ", not part of the total")
                             : "n/a";
    step.source = row.source;
    if (!row.date.empty()) step.source += fmt::format(" ({})", row.date);
    steps.push_back(std::move(step));
    if (!row.included) continue;
    append_item(sum, item_name(row), " + ");
    append_item(amounts, row.amount ? exact_usd(*row.amount) : "n/a", " + ");
  }
  steps.push_back({"total", sum, amounts,
                   cost.total ? exact_usd(*cost.total) + " USD" : "n/a: a price is missing",
                   std::string(kStaffNote)});
  if (cost.per_million_tokens) {
    steps.push_back({"cost per million tokens", "total / tokens x 1e6",
                     fmt::format("{} / {} x 1e6", exact_usd(*cost.total), digits(tokens)),
                     digits(*cost.per_million_tokens) + " USD", ""});
  }
  return steps;
}

}  // namespace trcost::cost
