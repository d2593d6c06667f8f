// SPDX-License-Identifier: Apache-2.0
// Electricity and carbon of accelerator-hours.
#pragma once

#include <optional>
#include <string>
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
  std::string why;       ///< the rule behind the number, or the reason why there is none
  std::string source;
};

/// Returns the system's published power, else the board's times its server_power_multiple, else
/// unknown.
SystemPower system_power(const Accelerator& accelerator, const System& system);

/// Inputs of compute_energy(). Unknown power gives unknown energy, and likewise grid intensity and
/// carbon.
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

/// Tokens over megawatt-hours, and tokens of steps over megawatt-seconds of the rated power. All of
/// them add over rounds and runs. Empty if the electricity is unknown or 0.
std::optional<double> tokens_per_mwh(double tokens, std::optional<double> kwh);
std::optional<double> tokens_per_megawatt_second(double tokens,
                                                 std::optional<double> megawatt_seconds);

/// kWh = GPU-hours x (1 + beyond) x kW per GPU x mean draw x PUE, and CO2 = kWh x intensity.
///
/// Tokens per MWh count the electricity of the whole training: mean draw, interruptions,
/// experiments. Throughput per megawatt is that of a site's steps: rated power x PUE, steady state.
EnergyResult compute_energy(const EnergyInputs& inputs);

std::vector<Derivation> derive_energy(const EnergyInputs& inputs, const EnergyResult& result);

}  // namespace trcost::cost
