// SPDX-License-Identifier: Apache-2.0
// Electricity and carbon of accelerator-hours.
#pragma once

#include <optional>
#include <string_view>

#include "trcost/derivation.h"

namespace trcost {

struct EnergyResult {
  std::optional<double> kwh;
  std::optional<double> co2_kg;
  std::optional<double> tokens_per_mwh;
  std::optional<double> tokens_per_second_per_megawatt;
};

/// Mean draw in training as a share of the system's power: 0.75, TPUs 0.43 (Epoch AI,
/// training-cost-trends, server_TDP_fraction).
double mean_draw(std::string_view vendor);

/// What energy is made from. Unknown power or grid intensity gives unknown energy or carbon.
struct EnergyInputs {
  double gpu_hours = 0;
  double tokens = 0;                             ///< of the whole training
  double tokens_per_second_per_gpu = 0;          ///< steady state
  std::optional<double> system_watts_per_gpu;    ///< nameplate, with its share of the node or rack
  double mean_draw = 0.75;
  double pue = 1.25;
  std::optional<double> kg_co2_per_kwh;
};

/// kWh of one accelerator-hour: kW x mean draw x PUE. An H100 at PUE 1.25 is 1.195 kWh.
double kwh_per_gpu_hour(double system_watts_per_gpu, double mean_draw, double pue);

/// kWh = GPU-hours x kW per GPU x mean draw x PUE; CO2 = kWh x intensity; tokens per MWh over the
/// whole training; throughput per megawatt of provisioned power (kW per GPU x PUE), steady state.
EnergyResult compute_energy(const EnergyInputs& inputs);

Derivation derive_energy(const EnergyInputs& inputs, const EnergyResult& result);

}  // namespace trcost
