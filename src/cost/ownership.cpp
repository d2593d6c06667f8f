// SPDX-License-Identifier: Apache-2.0
#include "trcost/ownership.h"

#include <fmt/format.h>

#include <numbers>

#include "quantity/portable_math.h"
#include "trcost/energy.h"
#include "trcost/numbers.h"
#include "trcost/quantity.h"

namespace trcost {
namespace {

std::string usd(double value) {
  return format_number(value, NumberKind::money, 6);
}

double server_multiplier(const Accelerator& accelerator) {
  return accelerator.name.starts_with("a100") ? kServerMultiplierA100 : kServerMultiplier;
}

// The newest price of a whole machine without its network.
const HardwarePrice* machine_price(const PriceBook& book, std::string_view accelerator) {
  const HardwarePrice* newest = nullptr;
  for (const HardwarePrice& row : book.hardware) {
    if (row.accelerator != accelerator || row.all_in || row.gpus < 2) continue;
    if (newest == nullptr || row.date.last > newest->date.last) newest = &row;
  }
  return newest;
}

const HardwarePrice* chip_price(const PriceBook& book, std::string_view accelerator) {
  for (const HardwarePrice& row : book.hardware) {
    if (row.accelerator == accelerator && row.gpus < 2) return &row;
  }
  return nullptr;
}

}  // namespace

PurchasePrice server_price(const Accelerator& accelerator, const System& system,
                           const PriceBook& book, std::optional<double> given_chip_usd) {
  const double multiplier = server_multiplier(accelerator);
  const auto from_chip = [&](double chip, std::string_view origin, std::string date) {
    return PurchasePrice{
        chip * multiplier,
        fmt::format("{} x {} for the server (Epoch AI); {}", usd(chip), multiplier, origin),
        std::move(date)};
  };
  if (given_chip_usd) return from_chip(*given_chip_usd, "chip's price given by the user", {});
  if (accelerator.price_usd > 0) return from_chip(accelerator.price_usd, accelerator.file, {});
  if (const HardwarePrice* row = machine_price(book, accelerator.name)) {
    return {row->median / row->gpus,
            fmt::format("{} {} / {}; {}", row->item, usd(row->median), row->gpus, row->source),
            row->date.text};
  }
  if (system.price_usd > 0 && system.price_gpus > 0) {
    return {system.price_usd / system.price_gpus,
            fmt::format("{} {} / {}; {}", system.title, usd(system.price_usd), system.price_gpus,
                        system.file),
            {}};
  }
  if (const HardwarePrice* row = chip_price(book, accelerator.name)) {
    return from_chip(row->median, row->source, row->date.text);
  }
  return {std::nullopt,
          fmt::format("no purchase price of {} is known: give --purchase-price", accelerator.name),
          {}};
}

double depreciation_per_hour(double usd, double oom_per_year) {
  return usd * oom_per_year * std::numbers::ln10 / kHoursPerYear;
}

double depreciated_price(double usd, double years, double oom_per_year) {
  return usd * portable_pow(10, -oom_per_year * years);
}

double network_cost(double server_cost, double network_share) {
  return server_cost * network_share / (1 - network_share);
}

OwnershipCost compute_ownership(const OwnershipInputs& inputs) {
  OwnershipCost out;
  if (inputs.server_usd_per_gpu) {
    out.server =
        depreciation_per_hour(depreciated_price(*inputs.server_usd_per_gpu, inputs.age_years));
    out.network = network_cost(*out.server);
  }
  if (inputs.system_watts_per_gpu) {
    const double watts = *inputs.system_watts_per_gpu;
    out.colocation = watts / 1000 * inputs.colocation_usd_per_kw_month / kHoursPerMonth;
    if (inputs.usd_per_kwh) {
      out.energy = kwh_per_gpu_hour(watts, inputs.mean_draw, inputs.pue) * *inputs.usd_per_kwh;
    }
  }
  if (out.server && out.colocation) {
    out.idle = (*out.server + *out.network + *out.colocation) * (1 / inputs.utilization - 1);
  }
  if (out.idle && out.energy) {
    out.total = *out.server + *out.network + *out.colocation + *out.idle + *out.energy;
  }
  return out;
}

std::optional<double> break_even_utilization(const OwnershipCost& cost,
                                             double rent_usd_per_gpu_hour) {
  if (!cost.server || !cost.colocation || !cost.energy) return std::nullopt;
  const double margin = rent_usd_per_gpu_hour - *cost.energy;
  if (margin <= 0) return std::nullopt;
  return (*cost.server + *cost.network + *cost.colocation) / margin;
}

std::vector<Derivation> derive_ownership(const OwnershipInputs& inputs, const OwnershipCost& cost,
                                         const PurchasePrice& price) {
  constexpr const char* kEpoch = "Epoch AI, training-cost-trends, cost_analysis_standalone.py";
  const auto hourly = [](const std::optional<double>& value) {
    return value ? fmt::format("${:.4f} per GPU-hour", *value) : std::string("n/a");
  };
  std::vector<Derivation> steps;
  if (inputs.server_usd_per_gpu) {
    steps.push_back({"server per hour", "price x 10^(-0.14 years) x 0.14 ln 10 / 8766",
                     fmt::format("{} x 10^(-0.14 x {:.3g}) x 0.14 x 2.302585 / 8766",
                                 usd(*inputs.server_usd_per_gpu), inputs.age_years),
                     hourly(cost.server), fmt::format("{}; {}", price.source, kEpoch)});
    steps.push_back({"network per hour", "server x 0.19 / (1 - 0.19)",
                     fmt::format("{:.4f} x 0.234568", cost.server.value_or(0)),
                     hourly(cost.network), kEpoch});
  } else {
    steps.push_back({"server per hour", "price x 0.14 ln 10 / 8766", price.source, "n/a", kEpoch});
  }
  if (inputs.system_watts_per_gpu) {
    const double kw = *inputs.system_watts_per_gpu / 1000;
    steps.push_back({"energy per hour", "kW x mean draw x PUE x USD/kWh",
                     fmt::format("{:.4g} x {:.2f} x {:.3g} x {:.4g}", kw, inputs.mean_draw,
                                 inputs.pue, inputs.usd_per_kwh.value_or(0)),
                     hourly(cost.energy), kEpoch});
    steps.push_back({"colocation per hour", "kW x USD per kW-month / 730.5",
                     fmt::format("{:.4g} x {:.4g} / 730.5", kw, inputs.colocation_usd_per_kw_month),
                     hourly(cost.colocation), "model.md 9.2 (assumption)"});
  }
  steps.push_back({"idle hours", "(server + network + colocation) x (1 / utilization - 1)",
                   fmt::format("utilization {:.3g}", inputs.utilization), hourly(cost.idle),
                   "assumption"});
  return steps;
}

}  // namespace trcost
