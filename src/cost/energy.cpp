// SPDX-License-Identifier: Apache-2.0
#include "cost/energy.h"

#include <fmt/format.h>

namespace trcost::cost {

SystemPower system_power(const Accelerator& accelerator, const System& system) {
  if (system.power_per_gpu_watts) {
    return {system.power_per_gpu_watts, false, "power of " + system.title, system.power_source};
  }
  if (!accelerator.power_watts) {
    return {std::nullopt,
            false,
            fmt::format("neither the power of {} nor that of {} is published", system.title,
                        accelerator.title),
            {}};
  }
  const double multiple = accelerator.server_power_multiple;
  return {*accelerator.power_watts * multiple, true,
          fmt::format("assumed: the board's {:.4g} W x {:.3g} for its share of the system, whose "
                      "power is not published",
                      *accelerator.power_watts, multiple),
          fmt::format("{}; multiple: Epoch AI, cost_analysis_standalone.py chip_to_server_power",
                      accelerator.power_source)};
}

double kwh_per_gpu_hour(double system_watts_per_gpu, double mean_draw, double pue) {
  return system_watts_per_gpu / 1000 * mean_draw * pue;
}

double site_megawatts(double gpus, double system_watts_per_gpu, double pue) {
  return gpus * (system_watts_per_gpu * pue / 1e6);
}

std::optional<double> tokens_per_mwh(double tokens, std::optional<double> kwh) {
  constexpr double kKwhPerMwh = 1000;
  if (!kwh || *kwh <= 0 || tokens <= 0) return std::nullopt;
  return tokens / (*kwh / kKwhPerMwh);
}

std::optional<double> tokens_per_megawatt_second(double tokens,
                                                 std::optional<double> megawatt_seconds) {
  if (!megawatt_seconds || *megawatt_seconds <= 0) return std::nullopt;
  return tokens / *megawatt_seconds;
}

EnergyResult compute_energy(const EnergyInputs& inputs) {
  EnergyResult out;
  if (!inputs.system_watts_per_gpu) return out;
  const double watts = *inputs.system_watts_per_gpu;
  out.kwh = inputs.gpu_hours * (1 + inputs.beyond) *
            kwh_per_gpu_hour(watts, inputs.mean_draw, inputs.pue);
  if (inputs.kg_co2_per_kwh) out.co2_kg = *out.kwh * *inputs.kg_co2_per_kwh;
  out.tokens_per_mwh = tokens_per_mwh(inputs.tokens, out.kwh);
  if (inputs.gpus > 0) out.site_megawatts = site_megawatts(inputs.gpus, watts, inputs.pue);
  out.tokens_per_second_per_megawatt = tokens_per_megawatt_second(
      inputs.tokens_per_second_per_gpu, site_megawatts(1, watts, inputs.pue));
  return out;
}

std::vector<Derivation> derive_energy(const EnergyInputs& inputs, const EnergyResult& result) {
  constexpr const char* kEpoch = "Epoch AI, training-cost-trends, cost_analysis_standalone.py";
  Derivation energy{"energy", "GPU-hours x kW per GPU x mean draw x PUE",
                    "the power of the system is not known", "n/a", kEpoch};
  if (!inputs.system_watts_per_gpu || !result.kwh) return {energy};
  const double kilowatts = *inputs.system_watts_per_gpu / 1000;
  std::string hours = fmt::format("{:.6g}", inputs.gpu_hours);
  if (inputs.beyond > 0) {
    energy.formula = "GPU-hours x (1 + experiments and evaluation) x kW per GPU x mean draw x PUE";
    hours += fmt::format(" x (1 + {:.4g})", inputs.beyond);
  }
  energy.numbers =
      fmt::format("{} x {:.4g} x {:.2f} x {:.3g}", hours, kilowatts, inputs.mean_draw, inputs.pue);
  energy.result = fmt::format("{:.6g} kWh", *result.kwh);
  if (result.co2_kg) {
    energy.result +=
        fmt::format(", {:.6g} kg CO2 at {:.4g} kg/kWh", *result.co2_kg, *inputs.kg_co2_per_kwh);
  }
  std::vector<Derivation> steps = {energy};
  if (result.tokens_per_mwh) {
    steps.push_back({"tokens per MWh", "tokens / MWh of the whole training",
                     fmt::format("{:.6g} / {:.6g}", inputs.tokens, *result.kwh / 1000),
                     fmt::format("{:.6g}", *result.tokens_per_mwh),
                     "mean draw, failures and overhead are in it"});
  }
  if (result.site_megawatts) {
    steps.push_back(
        {"power of the site", "GPUs x kW per GPU x PUE / 1000",
         fmt::format("{:.6g} x {:.4g} x {:.3g} / 1000", inputs.gpus, kilowatts, inputs.pue),
         fmt::format("{:.6g} MW", *result.site_megawatts),
         "rated power, which a site has to provide"});
  }
  if (result.tokens_per_second_per_megawatt) {
    steps.push_back({"tokens/s per MW", "tokens/s per GPU / (kW per GPU x PUE) x 1000",
                     fmt::format("{:.6g} / ({:.4g} x {:.3g}) x 1000",
                                 inputs.tokens_per_second_per_gpu, kilowatts, inputs.pue),
                     fmt::format("{:.6g}", *result.tokens_per_second_per_megawatt),
                     "steps alone, on the rated power that a site has to provide"});
  }
  return steps;
}

}  // namespace trcost::cost
