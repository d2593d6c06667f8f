// SPDX-License-Identifier: Apache-2.0
// The question of `trcost serve` and its answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/bill.h"
#include "trcost/estimate.h"
#include "trcost/scenario.h"
#include "trcost/serving_point.h"
#include "trcost/uncertainty.h"

namespace trcost {

namespace catalog {
enum class WeightFormat : std::uint8_t;
}  // namespace catalog

/// The default entry of data/engines.
inline constexpr std::string_view kUnknownEngine = "typical";

struct ServingQuestion {
  Scenario scenario;      ///< model.*, hardware.accelerator, .gpus (of a replica), .system, cost.*
  std::string precision;  ///< a weight format or `best`. Empty: as released, else fp8 if the chip
                          ///< computes it
  std::string cache_precision;  ///< `fp8` or `bf16`. Empty: the default of the engine
  std::string engine = std::string(kUnknownEngine);  ///< NAME, or NAME@YYYY-MM for a release
  /// `showcase`, `usual` or `first-run`. Empty: between the first two, with a range over both.
  std::string tuning;
  std::optional<int> tp, ep, dp;
  ServingLoad load;
  std::optional<double> tokens_per_second_per_user;
  /// Speeds per user at which each platform's best layout is searched as well.
  std::vector<double> speeds;
  std::optional<double> token_price;  ///< USD per million output tokens sold, for claims of revenue
  std::optional<double> sold = {};    ///< share of the capacity that is sold. Empty: all of it
  bool curve = true;                  ///< with throughput over concurrency
  bool explain = false;               ///< with every formula and its numbers
};

/// Dollars per million tokens: the whole cost divided by the output tokens, the input tokens, or
/// both.
struct TokenCost {
  std::string pricing;  ///< `on-demand`, `reserved-3y`, `own`, `given`
  std::optional<double> price_per_gpu_hour;
  std::optional<double> output, input, total;
  std::string source, date;
  bool imputed = false;
  double sold = 1;  ///< share of the capacity
  /// Price of an hour in which an owned machine is in use, without idle hours: what a share that is
  /// sold divides. Of rented machines, price_per_gpu_hour.
  std::optional<double> price_of_busy_hour;
};

struct ServingCurvePoint {
  double concurrency = 0;
  ServingPoint point;
  std::optional<double> per_million_output;
};

/// The most that a platform gives while each user gets a speed.
struct ServingSpeed {
  double speed = 0;  ///< tokens/s per user
  double output_per_gpu = 0, total_per_gpu = 0;
  double requests = 0;  ///< at a time in the replica
};

/// Price at which a model's output tokens are sold, per million.
struct TokenPrice {
  std::optional<double> lowest, median;
  std::string source;
};

/// One platform's answer.
struct ServingRow {
  std::string accelerator, title, system, engine;
  catalog::WeightFormat format{};
  bool eight_bit_cache = false;
  ServingLayout layout;
  double concurrency = 0;
  bool queued = false;  ///< as many requests in flight as fit in memory
  ServingPoint point;
  TokenCost cost;                                        ///< with the pricing of the question
  std::vector<TokenCost> costs;                          ///< with every pricing of the price book
  std::optional<double> output_per_second_per_megawatt;  ///< rated power of the system x PUE
  double sigma = 0;                                      ///< of ln of the rate, upwards
  double low_sigma = 0;  ///< downwards, wider if the tuning is not known
  double price_sigma = 0;
  bool measured = true;             ///< the fit includes the chip's architecture and the engine
  std::optional<double> published;  ///< best measured output rate per GPU of model, chip and format
  std::string published_source;
  std::vector<ServingCurvePoint> curve;
  std::vector<ServingSpeed> speeds;     ///< of ServingQuestion::speeds, those that are reached
  std::vector<Derivation> derivations;  ///< with ServingQuestion::explain
  std::string problem;                  ///< why there is no answer, or empty
  std::string hint;
  /// `fp8` or `bf16`.
  [[nodiscard]] std::string_view cache_format() const;
  /// P10, P50, P90 of the rate, and of dollars per million output tokens.
  [[nodiscard]] Quantiles rate_range() const { return rate_range(point.output_per_gpu); }
  [[nodiscard]] Quantiles rate_range(double rate) const;
  [[nodiscard]] std::optional<Quantiles> cost_range() const;
};

/// Whether a claim is plausible: the prediction reaches it, its range does, or neither.
enum class Verdict : std::uint8_t { plausible, undecided, not_plausible };
std::string_view verdict_words(Verdict verdict);

/// One set of conditions under which a claim is judged.
struct ClaimCase {
  std::string accelerator;
  std::string reference;        ///< chip that a factor is over, or empty
  std::string pricing;          ///< empty if the claim has no price
  std::optional<double> price;  ///< USD per GPU-hour, or for revenue USD per million tokens sold
  std::optional<double> sold;   ///< share of the capacity
  bool all_tokens = false;      ///< counts input and output tokens, else output tokens
  double needed = 0;
  double predicted = 0;                        ///< the most over all speeds per user
  Quantiles range;                             ///< of predicted
  std::optional<double> speed;                 ///< tokens/s per user at which it is predicted
  std::optional<double> batch;                 ///< a factor at the lowest speed
  std::optional<double> holds_from, holds_to;  ///< speeds per user between which it is reached
  std::optional<double> published, reference_published;  ///< best published output rate per GPU
  std::string published_source, reference_published_source;
  bool measured = false;  ///< a rate of the model and the chip is published
  bool imputed = false;   ///< the price is estimated
  Verdict verdict = Verdict::not_plausible;
};

struct ClaimJudgement {
  std::string claim;   ///< as it was made
  double claimed = 0;  ///< its number
  std::string unit;    ///< of needed and predicted, e.g. `tokens/s per GPU`
  std::vector<ClaimCase> cases;
  std::vector<std::string> notes;
  std::string verdict;  ///< in a sentence
  [[nodiscard]] std::size_t plausible() const;
};

struct ServingReport {
  std::string model;
  double params_total = 0, params_active = 0;
  ServingQuestion question;
  /// Least tokens per second for each user of a default load (data/assumed/scenario.json). Empty if
  /// the question sets a load or allows any speed.
  std::optional<double> least_per_user;
  std::string scenario;        ///< JSON
  std::string request = "{}";  ///< JSON: the flags of serve
  std::string price_data_date;
  std::vector<ServingRow> rows;
  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings;
  TokenPrice token_price;
  std::optional<ClaimJudgement> claim;
};

/// price / 3600 / (tokens/s x sold) x 1e6, or empty if the price is unknown.
std::optional<double> dollars_per_million(std::optional<double> usd_per_gpu_hour,
                                          double tokens_per_second_per_gpu, double sold);
/// The tokens/s per GPU at which a price per million tokens pays for the GPU-hour.
double needed_tokens_per_second(double usd_per_gpu_hour, double usd_per_million, double sold);

/// Answers the question for each platform. One platform of several without an answer is a row with
/// its problem. Throws Error (usage) for a contradictory question, Error (no_answer) if no platform
/// answers.
ServingReport serving_report(const ServingQuestion& question, const Catalog& catalog);

/// Sets what a question needs for a claim to be judged by its answer.
void prepare_claim(ServingQuestion& question, const Catalog& catalog);

/// Judges `text` ("0.02 USD/Mtok", "15x over h200", "4x per GPU over h200", "50x per MW over h200",
/// "2x over vllm@2025-01", "$5M into $75M") by the report of a prepared question. A factor is
/// judged over all speeds per user. `reference`: conditions of its reference alone, such as `h200
/// gpus=8 price=1.41`. Throws Error (usage) for a claim without a unit, naming the forms.
ClaimJudgement judge_claim(std::string_view text, std::string_view reference,
                           const Catalog& catalog, const ServingReport& report);

}  // namespace trcost
