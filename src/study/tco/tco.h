// SPDX-License-Identifier: Apache-2.0
// Accelerators for years: on demand, reserved and owned, side by side.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/lifetime.h"
#include "quantity/layers.h"
#include "text/column.h"
#include "trcost/estimate.h"
#include "trcost/scenario.h"
#include "trcost/uncertainty.h"

namespace trcost::study {

/// Words of TcoRow::pricing, in the order of an answer's rows.
inline constexpr std::string_view kTcoPricings[] = {"on-demand", "reserved-1y", "reserved-3y",
                                                    "own"};

struct TcoRequest {
  Scenario scenario;  ///< hardware.accelerator, .gpus, .system and cost.*
  double years = kOwnedYears;
  double price_growth = 0;                    ///< of rents per year
  std::string serve;                          ///< model to serve, or empty
  std::optional<double> api_usd_per_million;  ///< of tokens bought instead
};

/// One accelerator under one kind of pricing.
struct TcoRow {
  std::string accelerator, title, pricing;
  double gpus = 0;
  double years = 0;
  std::optional<double> price_per_gpu_hour;  ///< of the rent, today
  bool price_imputed = false;
  std::string source, date;                      ///< of the rent or of the purchase price
  std::vector<cost::LifetimePart> items;         ///< USD of all accelerators. They sum to `total`
  std::optional<double> total;                   ///< USD
  std::optional<Quantiles> range;                ///< of the total
  std::optional<double> per_gpu_hour;            ///< USD per accelerator-hour in use
  std::optional<double> cash;                    ///< USD in the first month
  std::optional<double> resale;                  ///< USD at the end
  std::optional<double> energy_kwh;              ///< with the building's
  std::optional<double> megawatts;               ///< rated power with the building's
  std::optional<double> break_even_utilization;  ///< where it costs as much as on demand
  std::optional<double> tokens_per_second;       ///< input and output, per accelerator
  std::optional<double> per_million_tokens;      ///< USD
  std::optional<double> energy_per_million_tokens;  ///< kWh
  std::optional<double> dollars_per_gb;             ///< of device memory
  /// Tokens per day from which the row costs less than the API: 0 where it does at any volume.
  /// Empty without a price of the API, and where no volume that the accelerators serve is enough.
  std::optional<double> break_even_tokens_per_day;
  std::string problem;  ///< why there is no total, or empty
};

struct TcoReport {
  TcoRequest request;
  std::string scenario;  ///< JSON
  double gpus = 0;
  double utilization = 0;
  std::string price_data_date;
  std::vector<TcoRow> rows;  ///< per accelerator, in the order of kTcoPricings
  std::vector<Estimator::Failure> failures;
  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings;
};

/// Answers for every accelerator of the scenario, by default the five of `estimate`. Throws Error
/// (usage) for a contradictory question, Error (no_answer) if no row has a total.
TcoReport compute_tco(const TcoRequest& request, const Catalog& catalog);

const Columns<TcoReport>& tco_columns();
inline constexpr Subject<TcoReport> kTco = {"tco", tco_columns, "rows"};

}  // namespace trcost::study
