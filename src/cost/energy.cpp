// SPDX-License-Identifier: Apache-2.0
#include "trcost/energy.h"

#include <fmt/format.h>

namespace trcost {

double mean_draw(std::string_view vendor) {
  constexpr double kGpu = 0.75;
  constexpr double kTpu = 0.43;
  return vendor == "Google" ? kTpu : kGpu;
}

double kwh_per_gpu_hour(double system_watts_per_gpu, double mean_draw, double pue) {
  return system_watts_per_gpu / 1000 * mean_draw * pue;
}

EnergyResult compute_energy(const EnergyInputs& inputs) {
  EnergyResult out;
  if (!inputs.system_watts_per_gpu) return out;
  const double watts = *inputs.system_watts_per_gpu;
  out.kwh = inputs.gpu_hours * kwh_per_gpu_hour(watts, inputs.mean_draw, inputs.pue);
  if (inputs.kg_co2_per_kwh) out.co2_kg = *out.kwh * *inputs.kg_co2_per_kwh;
  if (*out.kwh > 0 && inputs.tokens > 0) out.tokens_per_mwh = inputs.tokens / (*out.kwh / 1000);
  const double megawatts = watts * inputs.pue / 1e6;
  if (megawatts > 0)
    out.tokens_per_second_per_megawatt = inputs.tokens_per_second_per_gpu / megawatts;
  return out;
}

Derivation derive_energy(const EnergyInputs& inputs, const EnergyResult& result) {
  Derivation step;
  step.name = "energy";
  step.formula = "GPU-hours x kW per GPU x mean draw x PUE";
  if (!inputs.system_watts_per_gpu || !result.kwh) {
    step.numbers = "the power of the system is not known";
    step.result = "n/a";
  } else {
    step.numbers = fmt::format("{:.6g} x {:.4g} x {:.2f} x {:.3g}", inputs.gpu_hours,
                               *inputs.system_watts_per_gpu / 1000, inputs.mean_draw, inputs.pue);
    step.result = fmt::format("{:.6g} kWh", *result.kwh);
    if (result.co2_kg) {
      step.result +=
          fmt::format(", {:.6g} kg CO2 at {:.4g} kg/kWh", *result.co2_kg, *inputs.kg_co2_per_kwh);
    }
  }
  step.source = "Epoch AI, training-cost-trends, cost_analysis_standalone.py";
  return step;
}

}  // namespace trcost
