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
#include "trcost/bill.h"
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

/// Whole machines that are bought.
struct TcoPurchase {
  double machines = 0;
  double gpus_per_machine = 1;
  double usd_per_machine = 0;  ///< without the network
  bool by_node = false;        ///< the user set the price of a machine
  cost::OwnershipInputs inputs;
};

/// One accelerator under one kind of pricing.
struct TcoRow {
  std::string accelerator, title, pricing;
  double gpus = 0;
  double years = 0;
  std::optional<double> price_per_gpu_hour;      ///< of the rent, today
  PriceDoubts doubts;                            ///< about the rent or the purchase price
  std::string provider;                          ///< sellers of the rent, comma-separated
  std::string source, date;                      ///< of the rent or of the purchase price
  std::optional<TcoPurchase> purchase;           ///< of owned machines
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
  std::string problem;                ///< why there is no total, or empty
  std::vector<std::string> warnings;  ///< about its price

  [[nodiscard]] bool owned() const { return pricing == "own"; }
  /// Evidence of the price, by which rows are ranked as `estimate` ranks platforms.
  [[nodiscard]] PriceEvidence evidence() const {
    PriceDoubts of_rent = doubts;
    of_rent.stale = doubts.stale && !owned();
    return price_evidence(of_rent, provider);
  }
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
  std::vector<std::string> warnings;  ///< of all rows, and about the answer
};

/// Answers for every accelerator of the scenario, by default the five of `estimate`. Throws Error
/// (usage) for a contradictory question, Error (no_answer) if no row has a total.
TcoReport compute_tco(const TcoRequest& request, const Catalog& catalog);

/// Reasons why `--strict` rejects the answer: rows without a total, and doubts about prices.
std::vector<std::string> tco_strict_reasons(const TcoReport& report);

const Columns<TcoReport>& tco_columns();
inline constexpr Subject<TcoReport> kTco = {"tco", tco_columns, "rows"};

}  // namespace trcost::study
