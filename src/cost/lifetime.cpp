// SPDX-License-Identifier: Apache-2.0
#include "cost/lifetime.h"

#include <algorithm>
#include <cmath>

#include "cost/energy.h"
#include "cost/uncertain_inputs.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"

namespace trcost::cost {

double YearsOfUse::hours() const {
  return years * kHoursPerYear;
}

double YearsOfUse::used_hours() const {
  return hours() * utilization;
}

double paid_hours(const YearsOfUse& use, double term_years) {
  if (term_years <= 0) return use.used_hours();
  return std::ceil(use.years / term_years) * term_years * kHoursPerYear;
}

double mean_price_factor(const YearsOfUse& use, double term_years, double growth) {
  const double step = term_years > 0 ? term_years : 1;
  const double end = term_years > 0 ? std::ceil(use.years / term_years) * term_years : use.years;
  double sum = 0;
  for (double start = 0; start < end; start += step) {
    sum += portable_pow(1 + growth, start) * std::min(step, end - start);
  }
  return sum / end;
}

double rent_sigma(double price_sigma, const YearsOfUse& use, double term_years) {
  const double drift_years = std::max(0.0, use.years - term_years);
  return in_quadrature(price_sigma, kRentDriftSigma * std::sqrt(drift_years / 3));
}

double LifetimeOwnership::usd(std::string_view part) const {
  const auto at = std::ranges::find(parts, part, &LifetimePart::name);
  return at == parts.end() ? 0 : at->usd;
}

double LifetimeOwnership::total() const {
  double sum = 0;
  for (const LifetimePart& part : parts) sum += part.usd;
  return sum;
}

std::optional<LifetimeOwnership> own_for_years(const OwnershipInputs& inputs,
                                               const YearsOfUse& use) {
  if (!inputs.server_usd_per_gpu || !inputs.system_watts_per_gpu || !inputs.usd_per_kwh) {
    return std::nullopt;
  }
  const double servers = *inputs.server_usd_per_gpu;
  const double network = network_cost(servers);
  const double fall = inputs.fall_per_year;
  const double resale = depreciated_price(servers + network, use.years, fall);
  const double value_years =
      fall > 0 ? (servers + network - resale) / fall : (servers + network) * use.years;
  const double capital = inputs.capital_rate * value_years;
  const double space = *inputs.system_watts_per_gpu / 1000 * inputs.colocation_usd_per_kw_month *
                       use.hours() / kHoursPerMonth;
  const double energy =
      kwh_per_gpu_hour(*inputs.system_watts_per_gpu, inputs.mean_draw, inputs.pue) *
      *inputs.usd_per_kwh * use.used_hours();
  const double support = servers * inputs.support_rate * use.years;
  LifetimeOwnership out;
  out.parts = {{"servers", servers}, {"network", network}, {"resale", -resale},
               {"capital", capital}, {"space", space},     {"energy", energy},
               {"support", support}};
  const double quote_sigma = purchase_sigma({inputs.age.before_purchase, 0}, inputs.purchase_given);
  const double by_quote = (servers + network - resale + capital + support) * quote_sigma;
  const double by_resale = resale * kRentDriftSigma * std::sqrt(use.years);
  const double by_machine = in_quadrature(by_quote, by_resale);
  const double by_energy = energy * inputs.energy_sigma;
  out.sigma =
      in_quadrature(in_quadrature(by_machine, by_energy), space * kPowerSigma) / out.total();
  return out;
}

std::optional<double> break_even_use(double fixed, double energy, double rent) {
  if (rent <= energy) return std::nullopt;
  return fixed / (rent - energy);
}

}  // namespace trcost::cost
