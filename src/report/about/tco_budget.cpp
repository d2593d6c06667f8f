// SPDX-License-Identifier: Apache-2.0
#include "report/about/tco_budget.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cost/ownership.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "scenario/choices.h"

namespace trcost::report {
namespace {

using Cells = std::span<const double>;
using Formula = Calculation::Formula;
using Place = Calculation::Place;

struct CellFormula {
  std::string_view text;
  double (*value)(Cells cells);
  Formula operator()(std::vector<Place> cells) const { return {text, value, std::move(cells)}; }
};

static_assert(kHoursPerYear == 8766 && kHoursPerMonth == 730.5);  // words in the formulas

// Paid hours of a GPU: (years, utilization), or (years, term).
constexpr CellFormula kUsedHours = {"{0}*8766*{1}",
                                    [](Cells c) { return c[0] * kHoursPerYear * c[1]; }};
constexpr CellFormula kReservedHours = {"ROUNDUP({0}/{1},0)*{1}*8766", [](Cells c) {
                                          return std::ceil(c[0] / c[1]) * c[1] * kHoursPerYear;
                                        }};

// Mean of the price over the paid hours, as cost::mean_price_factor: (years, growth), and the term.
constexpr CellFormula kGrowth = {
    "IF({1}=0,1,(((1+{1})^INT({0})-1)/{1}+(1+{1})^INT({0})*({0}-INT({0})))/{0})", [](Cells c) {
      const double years = c[0], rate = c[1], whole = std::floor(years);
      if (rate == 0) return 1.0;
      const double last = quantity::portable_pow(1 + rate, whole);
      return ((last - 1) / rate + last * (years - whole)) / years;
    }};
constexpr CellFormula kReservedGrowth = {
    "IF({1}=0,1,((1+{1})^({2}*ROUNDUP({0}/{2},0))-1)/((1+{1})^{2}-1)/ROUNDUP({0}/{2},0))",
    [](Cells c) {
      const double years = c[0], rate = c[1], term = c[2], terms = std::ceil(years / term);
      if (rate == 0) return 1.0;
      return (quantity::portable_pow(1 + rate, term * terms) - 1) /
             (quantity::portable_pow(1 + rate, term) - 1) / terms;
    }};

// (GPUs, GPUs of a machine)
constexpr CellFormula kMachines = {"ROUNDUP({0}/{1},0)",
                                   [](Cells c) { return std::ceil(c[0] / c[1]); }};

// (servers, share of the network in both)
constexpr CellFormula kNetwork = {"{0}*{1}/(1-{1})",
                                  [](Cells c) { return c[0] * c[1] / (1 - c[1]); }};

// (servers, network, depreciation, years)
constexpr CellFormula kResale = {"-({0}+{1})*(1-{2})^{3}", [](Cells c) {
                                   return -(c[0] + c[1]) * quantity::portable_pow(1 - c[2], c[3]);
                                 }};

// (servers, network, resale, capital rate, depreciation, years): the rate on the falling value.
constexpr CellFormula kCapital = {
    "{3}*IF({4}=0,({0}+{1})*{5},({0}+{1}+{2})/-LN(1-{4}))", [](Cells c) {
      const double fall = cost::fall_of_share(c[4]);
      return c[3] * (fall == 0 ? (c[0] + c[1]) * c[5] : (c[0] + c[1] + c[2]) / fall);
    }};

// (machines, GPUs of a machine, watts, USD per kW-month, years)
constexpr CellFormula kSpace = {"{0}*{1}*{2}/1000*{3}*{4}*12", [](Cells c) {
                                  return c[0] * c[1] * c[2] / 1000 * c[3] * c[4] * kHoursPerYear /
                                         kHoursPerMonth;
                                }};

// (GPUs, watts, draw, PUE, USD per kWh, years, utilization)
constexpr CellFormula kEnergy = {
    "{0}*{1}/1000*{2}*{3}*{4}*{5}*8766*{6}",
    [](Cells c) { return c[0] * c[1] / 1000 * c[2] * c[3] * c[4] * c[5] * kHoursPerYear * c[6]; }};

// (total, GPUs, years, utilization)
constexpr CellFormula kPerUsedHour = {
    "{0}/({1}*{2}*8766*{3})", [](Cells c) { return c[0] / (c[1] * c[2] * kHoursPerYear * c[3]); }};

// (servers, network, space, energy, support, years)
constexpr CellFormula kOwnedCash = {
    "{0}+{1}+({2}+{3}+{4})/({5}*12)", [](Cells c) {
      return c[0] + c[1] + (c[2] + c[3] + c[4]) * kHoursPerMonth / (c[5] * kHoursPerYear);
    }};

// (total, rent on demand, utilization), and the energy of an owned machine.
constexpr CellFormula kBreakEven = {"{0}*{2}/{1}", [](Cells c) { return c[0] * c[2] / c[1]; }};
constexpr CellFormula kOwnedBreakEven = {
    "({0}-{3})*{2}/({1}-{3})", [](Cells c) { return (c[0] - c[3]) * c[2] / (c[1] - c[3]); }};

class TcoBudget {
 public:
  explicit TcoBudget(const TcoReport& report) : report_(report) {
    for (const TcoRow& row : report.rows) {
      if (row.total) rows_.push_back(&row);
    }
  }

  Calculation make() {
    out_.name = "Budget";
    out_.notes = {"Marked cells are inputs. If you change one, this sheet recomputes.",
                  "The other sheets do not change."};
    for (const TcoRow* row : rows_) {
      out_.columns.push_back(fmt::format("{}, {}", row->title, pricing_title(row->pricing)));
    }
    add_question();
    add_rents();
    add_machines();
    add_parts();
    add_results();
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      out_.sources.push_back({out_.columns[c], rows_[c]->source});
    }
    out_.charts = {{Calculation::Chart::Kind::stacked, "Total, USD", {total_}}};
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool owned(std::size_t c) const { return rows_[c]->owned(); }
  [[nodiscard]] double term(std::size_t c) const { return term_years(rows_[c]->pricing); }
  [[nodiscard]] const cost::OwnershipInputs& inputs(std::size_t c) const {
    return rows_[c]->purchase->inputs;
  }

  // Adds a line whose rule is for all columns that `applies` takes.
  template <class Applies, class Rule>
  std::size_t line(std::string label, std::string unit, NumberKind kind, Applies applies,
                   Rule rule) {
    const std::size_t at = out_.add(std::move(label), std::move(unit), kind);
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      if (applies(c)) out_.set({at, c}, rule(c));
    }
    return at;
  }
  // Adds an input that all columns share: the first one that has it is marked, the others follow.
  template <class Applies, class Number>
  std::size_t shared(std::string label, std::string unit, NumberKind kind, Applies applies,
                     Number number) {
    const std::size_t at = out_.lines.size();
    std::optional<std::size_t> first;
    return line(std::move(label), std::move(unit), kind, applies,
                [&, at](std::size_t c) -> Calculation::Rule {
                  if (first) return Calculation::Product{1, {{{at, *first}}}};
                  first = c;
                  return Calculation::Given{number(c), true};
                });
  }

  void add_question() {
    const auto all = [](std::size_t) { return true; };
    gpus_ = shared("GPUs", "", NumberKind::integer, all, [&](auto) { return report_.gpus; });
    years_ =
        shared("years", "", NumberKind::number, all, [&](auto) { return report_.request.years; });
    used_ = shared("utilization", "", NumberKind::fraction, all,
                   [&](auto) { return report_.utilization; });
  }

  void add_rents() {
    const auto rented = [&](std::size_t c) { return !owned(c); };
    const auto reserved = [&](std::size_t c) { return term(c) > 0; };
    out_.add_heading("Renting");
    price_ = line("price", "USD per GPU-hour", NumberKind::money, rented, [&](std::size_t c) {
      return Calculation::Given{rows_[c]->price_per_gpu_hour, true};
    });
    const std::size_t rise = shared("growth of prices per year", "", NumberKind::fraction, rented,
                                    [&](auto) { return report_.request.price_growth; });
    const std::size_t years_of_term =
        line("term", "years", NumberKind::number, reserved, [&](std::size_t c) {
          return Calculation::Given{term(c), false};
        });
    const std::size_t hours =
        line("paid hours of a GPU", "h", NumberKind::count, rented, [&](std::size_t c) {
          return reserved(c) ? kReservedHours({{years_, c}, {years_of_term, c}})
                             : kUsedHours({{years_, c}, {used_, c}});
        });
    const std::size_t factor =
        line("mean price / price today", "", NumberKind::number, rented, [&](std::size_t c) {
          return reserved(c) ? kReservedGrowth({{years_, c}, {rise, c}, {years_of_term, c}})
                             : kGrowth({{years_, c}, {rise, c}});
        });
    rent_ = line("rent", "USD", NumberKind::money, rented, [&](std::size_t c) {
      return Calculation::Product{1, {{{gpus_, c}}, {{price_, c}}, {{hours, c}}, {{factor, c}}}};
    });
  }

  void add_machines() {
    const auto bought = [&](std::size_t c) { return owned(c); };
    const auto given = [&](std::string label, std::string unit, NumberKind kind, auto number) {
      return line(std::move(label), std::move(unit), kind, bought, [=](std::size_t c) {
        return Calculation::Given{number(c), true};
      });
    };
    const auto rate = [&](std::string label, std::string unit, NumberKind kind, auto number) {
      return shared(std::move(label), std::move(unit), kind, bought, number);
    };
    out_.add_heading("Owning");
    in_machine_ = given("GPUs of a machine", "", NumberKind::integer,
                        [this](std::size_t c) { return rows_[c]->purchase->gpus_per_machine; });
    machine_price_ =
        given("price of a machine, without network", "USD per machine", NumberKind::money,
              [this](std::size_t c) { return rows_[c]->purchase->usd_per_machine; });
    watts_ = given("rated power", "W per GPU", NumberKind::number,
                   [this](std::size_t c) { return *inputs(c).system_watts_per_gpu; });
    draw_ = given("mean draw", "", NumberKind::fraction,
                  [this](std::size_t c) { return inputs(c).mean_draw; });
    network_share_ = rate("network's share of the cluster", "", NumberKind::fraction,
                          [](std::size_t) { return cost::kNetworkShare; });
    fall_ = rate("depreciation per year", "", NumberKind::fraction, [this](std::size_t c) {
      return 1 - quantity::portable_exp(-inputs(c).fall_per_year);
    });
    capital_rate_ = rate("cost of capital per year", "", NumberKind::fraction,
                         [this](std::size_t c) { return inputs(c).capital_rate; });
    support_rate_ = rate("support per year, of the servers", "", NumberKind::fraction,
                         [this](std::size_t c) { return inputs(c).support_rate; });
    colocation_ = rate("space", "USD per kW-month", NumberKind::money,
                       [this](std::size_t c) { return inputs(c).colocation_usd_per_kw_month; });
    pue_ = rate("PUE", "", NumberKind::number, [this](std::size_t c) { return inputs(c).pue; });
    electricity_ = rate("electricity", "USD per kWh", NumberKind::money,
                        [this](std::size_t c) { return *inputs(c).usd_per_kwh; });
    machines_ = line("machines, whole", "", NumberKind::integer, bought, [&](std::size_t c) {
      return kMachines({{gpus_, c}, {in_machine_, c}});
    });
  }

  void add_parts() {
    const auto part = [&](std::string label, auto formula) {
      return line(
          std::move(label), "USD", NumberKind::money, [&](std::size_t c) { return owned(c); },
          formula);
    };
    servers_ = part("servers", [&](std::size_t c) {
      return Calculation::Product{1, {{{machines_, c}}, {{machine_price_, c}}}};
    });
    network_ = part("network", [&](std::size_t c) {
      return kNetwork({{servers_, c}, {network_share_, c}});
    });
    resale_ = part("resale", [&](std::size_t c) {
      return kResale({{servers_, c}, {network_, c}, {fall_, c}, {years_, c}});
    });
    capital_ = part("capital", [&](std::size_t c) {
      return kCapital({{servers_, c},
                       {network_, c},
                       {resale_, c},
                       {capital_rate_, c},
                       {fall_, c},
                       {years_, c}});
    });
    space_ = part("space and cooling", [&](std::size_t c) {
      return kSpace({{machines_, c}, {in_machine_, c}, {watts_, c}, {colocation_, c}, {years_, c}});
    });
    energy_ = part("energy", [&](std::size_t c) {
      return kEnergy({{gpus_, c},
                      {watts_, c},
                      {draw_, c},
                      {pue_, c},
                      {electricity_, c},
                      {years_, c},
                      {used_, c}});
    });
    support_ = part("support", [&](std::size_t c) {
      return Calculation::Product{1, {{{servers_, c}}, {{support_rate_, c}}, {{years_, c}}}};
    });
  }

  void add_results() {
    const auto all = [](std::size_t) { return true; };
    out_.add_heading("Answer");
    total_ = line("Total", "USD", NumberKind::money, all, [&](std::size_t c) {
      if (!owned(c)) return Calculation::Sum{{{rent_, c}}};
      Calculation::Sum sum;
      for (const std::size_t part :
           {servers_, network_, resale_, capital_, space_, energy_, support_}) {
        sum.parts.push_back({part, c});
      }
      return sum;
    });
    out_.lines[total_].strong = true;
    const std::size_t hour =
        line("a used hour, average of the years", "USD per GPU-hour", NumberKind::money, all,
             [&](std::size_t c) {
               return kPerUsedHour({{total_, c}, {gpus_, c}, {years_, c}, {used_, c}});
             });
    const std::size_t cash =
        line("first month", "USD", NumberKind::money, all, [&](std::size_t c) -> Calculation::Rule {
          if (owned(c)) {
            return kOwnedCash({{servers_, c},
                               {network_, c},
                               {space_, c},
                               {energy_, c},
                               {support_, c},
                               {years_, c}});
          }
          Calculation::Product out{kHoursPerMonth, {{{gpus_, c}}, {{price_, c}}}};
          if (term(c) == 0) out.factors.push_back({{used_, c}});
          return out;
        });
    const std::size_t even = line(
        "break-even utilization", "", NumberKind::fraction,
        [&](std::size_t c) { return rows_[c]->break_even_utilization.has_value(); },
        [&](std::size_t c) {
          const Place rent{rent_, on_demand(c)};
          if (!owned(c)) {
            return kBreakEven({{total_, c}, rent, {used_, c}});
          }
          return kOwnedBreakEven({{total_, c}, rent, {used_, c}, {energy_, c}});
        });
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      check_figure(out_, {total_, c}, rows_[c]->total);
      check_figure(out_, {hour, c}, rows_[c]->per_gpu_hour);
      check_figure(out_, {cash, c}, rows_[c]->cash);
      check_figure(out_, {even, c}, rows_[c]->break_even_utilization);
    }
  }

  // The column of the same accelerator on demand.
  [[nodiscard]] std::size_t on_demand(std::size_t c) const {
    const auto at = std::ranges::find_if(rows_, [&](const TcoRow* row) {
      return row->accelerator == rows_[c]->accelerator && row->pricing == "on-demand";
    });
    return static_cast<std::size_t>(at - rows_.begin());
  }

  const TcoReport& report_;
  std::vector<const TcoRow*> rows_;
  Calculation out_;
  std::size_t gpus_ = 0, years_ = 0, used_ = 0;
  std::size_t price_ = 0, rent_ = 0;
  std::size_t in_machine_ = 0, machine_price_ = 0, watts_ = 0, draw_ = 0;
  std::size_t network_share_ = 0, fall_ = 0, capital_rate_ = 0, support_rate_ = 0;
  std::size_t colocation_ = 0, pue_ = 0, electricity_ = 0, machines_ = 0;
  std::size_t servers_ = 0, network_ = 0, resale_ = 0, capital_ = 0, space_ = 0, energy_ = 0;
  std::size_t support_ = 0, total_ = 0;
};

}  // namespace

std::string pricing_title(std::string_view pricing) {
  if (pricing == "own") return "bought";
  if (pricing == "reserved-1y") return "1-year terms";
  return pricing == "reserved-3y" ? "3-year terms" : "on demand";
}

Calculation tco_budget(const TcoReport& report) {
  return TcoBudget(report).make();
}

}  // namespace trcost::report
