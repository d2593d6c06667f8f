// SPDX-License-Identifier: Apache-2.0
// Electricity and carbon of accelerator-hours.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/bill.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"

namespace trcost::cost {

/// Rated power of the whole system per accelerator.
struct SystemPower {
  std::optional<double> watts;
  bool assumed = false;  ///< made from the board's power
  std::string why;       ///< how it is known, or why it is not
  std::string source;
};

/// The system's published power; where there is none, the board's x its server_power_multiple.
/// Unknown where the board's is not published either.
SystemPower system_power(const Accelerator& accelerator, const System& system);

/// What energy is made from. Unknown power or grid intensity gives unknown energy or carbon.
struct EnergyInputs {
  double gpus = 0;
  double gpu_hours = 0;                        ///< of the final run
  double beyond = 0;                           ///< experiments and evaluation / the final run
  double tokens = 0;                           ///< of the whole training
  double tokens_per_second_per_gpu = 0;        ///< steady state
  std::optional<double> system_watts_per_gpu;  ///< nameplate, with its share of the node or rack
  double mean_draw = 1;                        ///< share of it, on average
  double pue = default_number(Field::cost_pue);
  std::optional<double> kg_co2_per_kwh;
};

/// kWh of one accelerator-hour: kW x mean draw x PUE. An H100 at PUE 1.25 is 1.195 kWh.
double kwh_per_gpu_hour(double system_watts_per_gpu, double mean_draw, double pue);

/// Rated power of a site of so many accelerators, MW: W x PUE / 10^6 each.
double site_megawatts(double gpus, double system_watts_per_gpu, double pue);

/// Tokens over megawatt-hours, and tokens of steps over megawatt-seconds of the rated power:
/// amounts that add over rounds and runs. Empty where the electricity is not known, or none.
std::optional<double> tokens_per_mwh(double tokens, std::optional<double> kwh);
std::optional<double> tokens_per_megawatt_second(double tokens,
                                                 std::optional<double> megawatt_seconds);

/// kWh = GPU-hours x (1 + beyond) x kW per GPU x mean draw x PUE; CO2 = kWh x intensity.
/// The two rates answer two questions, and differ by mean draw, failures and overhead: tokens per
/// MWh is what the meter will say of the whole training (mean draw, interruptions, experiments);
/// throughput per megawatt is what a site of so much power can hold (rated power x PUE, steady
/// state).
EnergyResult compute_energy(const EnergyInputs& inputs);

std::vector<Derivation> derive_energy(const EnergyInputs& inputs, const EnergyResult& result);

}  // namespace trcost::cost
