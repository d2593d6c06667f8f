// SPDX-License-Identifier: Apache-2.0
#include "trcost/bill.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "trcost/numbers.h"

namespace trcost {
namespace {

constexpr double kConservation = 1e-9;  // relative

// Writes rows over those of the last bill, so that their memory is reused.
class Rows {
 public:
  explicit Rows(std::vector<LineItem>& items) : items_(items) {}
  ~Rows() { items_.resize(count_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  void add(Part part, std::string_view item, double quantity, std::string_view unit,
           const std::optional<double>& unit_price, bool included, std::string_view source,
           std::string_view date) {
    if (count_ == items_.size()) items_.emplace_back();
    LineItem& row = items_[count_++];
    row.part = part;
    row.item.assign(item);
    row.quantity = quantity;
    row.unit.assign(unit);
    row.unit_price = unit_price;
    row.amount = unit_price ? std::optional(quantity * *unit_price) : std::nullopt;
    row.included = included;
    row.source.assign(source);
    row.date.assign(date);
  }

 private:
  std::vector<LineItem>& items_;
  std::size_t count_ = 0;
};

void add_owned(const BillInputs& in, Rows& rows) {
  const OwnershipCost& own = *in.ownership;
  constexpr std::string_view kUnit = "GPU-hour";
  rows.add(Part::servers, "servers, depreciation", in.gpu_hours, kUnit, own.server, true,
           in.ownership_source, in.ownership_date);
  rows.add(Part::network, "network, depreciation", in.gpu_hours, kUnit, own.network, true,
           "19 % of the cluster's cost (Epoch AI)", in.ownership_date);
  rows.add(Part::capital, "cost of capital", in.gpu_hours, kUnit, own.capital, true,
           "yearly rate on the book value of servers and network (Jorgenson 1963)",
           in.ownership_date);
  rows.add(Part::colocation, "colocation", in.gpu_hours, kUnit, own.colocation, true,
           "USD per kW-month (assumption)", {});
  rows.add(Part::idle, "idle hours of the cluster", in.gpu_hours, kUnit, own.idle, true,
           "servers, network, capital and colocation while nobody uses them", {});
}

void add_energy(const BillInputs& in, Rows& rows) {
  if (!in.kwh) {
    if (in.own)
      rows.add(Part::energy, "energy", in.gpu_hours, "GPU-hour", {}, true, "power is not known",
               {});
    return;
  }
  rows.add(Part::energy, in.own ? "energy" : "energy, in the rent", *in.kwh, "kWh", in.usd_per_kwh,
           in.own, in.electricity_source, in.electricity_date);
}

void add_storage(const BillInputs& in, Rows& rows) {
  if (in.storage == nullptr || in.storage_price == nullptr) return;
  const StorageUse& use = *in.storage;
  const PriceQuote& price = *in.storage_price;
  const auto add = [&](Part part, std::string_view item, double gb_months) {
    if (gb_months <= 0) return;
    rows.add(part, item, gb_months, "GB-month", price.usd, in.storage_included, price.source,
             price.date);
  };
  add(Part::dataset, "dataset", use.dataset_gb_months);
  add(Part::checkpoints, "full checkpoints", use.full_gb_months);
  add(Part::weights, "weights-only checkpoints", use.weights_gb_months);
  if (use.egress_gb > 0 && in.egress_price != nullptr) {
    rows.add(Part::egress, "egress", use.egress_gb, "GB", in.egress_price->usd, true,
             in.egress_price->source, in.egress_price->date);
  }
}

// Compute beside the final run, at the same price per hour, energy included.
void add_beyond(const BillInputs& in, const std::optional<double>& per_hour,
                std::string_view source, std::string_view date, Rows& rows) {
  if (in.experiments > 0) {
    rows.add(Part::experiments, "experiments", in.gpu_hours * in.experiments, "GPU-hour", per_hour,
             true, source, date);
  }
  if (in.evaluation > 0) {
    rows.add(Part::evaluation, "evaluation", in.gpu_hours * in.evaluation, "GPU-hour", per_hour,
             true, source, date);
  }
}

// Where the price of an hour comes from; with own there is no rent in the bill.
void say_whose_price(const BillInputs& in, CostResult& out) {
  const bool rented = !in.own && in.price != nullptr && in.price->usd.has_value();
  out.price_class = rented ? in.price->price_class : std::nullopt;
  out.doubts = rented ? PriceDoubts{in.price->imputed, in.price->other_class, in.price->stale}
                      : PriceDoubts();
  out.obligation.reset();
  if (rented && in.term_hours > 0) {
    out.obligation = {in.term_hours, in.gpus * in.term_hours * *in.price->usd};
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
  say_whose_price(in, out);
  out.own = in.own;
  out.capital_usd = in.own ? in.capital_usd : std::nullopt;
  {
    Rows rows(out.items);
    if (in.own && in.ownership != nullptr) {
      out.price_per_gpu_hour = in.ownership->total;
      add_owned(in, rows);
      add_energy(in, rows);
      add_beyond(in, in.ownership->total, "all of the above per GPU-hour", in.ownership_date, rows);
    } else {
      static const PriceQuote unknown;
      const PriceQuote& price = in.price != nullptr ? *in.price : unknown;
      out.price_per_gpu_hour = price.usd;
      rows.add(Part::compute, "compute", in.gpu_hours, "GPU-hour", price.usd, true, price.source,
               price.date);
      add_beyond(in, price.usd, price.source, price.date, rows);
      add_energy(in, rows);
    }
    add_storage(in, rows);
  }
  compare_with_rent(in, out);
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
  if (out.total && in.tokens > 0) out.per_million_tokens = *out.total / in.tokens * 1e6;
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
      throw std::logic_error("a line item is not its quantity times its price: " + row->item);
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

std::vector<Derivation> derive_bill(const CostResult& cost, double tokens) {
  std::vector<Derivation> steps;
  std::string sum;
  for (const LineItem& row : cost.items) {
    Derivation step;
    step.name = row.item;
    step.formula = "quantity x unit price";
    step.numbers = fmt::format("{} {} x {}", format_exact(row.quantity), row.unit,
                               row.unit_price ? format_exact(*row.unit_price) + " USD" : "n/a");
    step.result = row.amount ? fmt::format("{:.4f} USD{}", *row.amount,
                                           row.included ? "" : ", not part of the total")
                             : "n/a";
    step.source = row.source;
    if (!row.date.empty()) step.source += fmt::format(" ({})", row.date);
    steps.push_back(std::move(step));
    if (row.included) sum += (sum.empty() ? "" : " + ") + row.item;
  }
  steps.push_back({"total", sum, "",
                   cost.total ? fmt::format("{:.4f} USD", *cost.total) : "n/a: a price is missing",
                   std::string(kStaffNote)});
  if (cost.per_million_tokens) {
    steps.push_back({"cost per million tokens", "total / tokens x 1e6",
                     fmt::format("{:.4f} / {:.6g} x 1e6", *cost.total, tokens),
                     fmt::format("{:.6g} USD", *cost.per_million_tokens), ""});
  }
  return steps;
}

}  // namespace trcost
