// SPDX-License-Identifier: Apache-2.0
#include "study/solve/rent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/question/cost/pricing.h"
#include "quantity/quantity.h"
#include "text/column.h"
#include "trcost/error.h"
#include "workload/method.h"

namespace trcost::study {

namespace {

[[noreturn]] void refuse_rent(std::string message, std::string hint) {
  throw Error(ErrorKind::usage, std::move(message), std::move(hint));
}

bool has_model(const Scenario& scenario) {
  return scenario.has(Field::model_params) || scenario.has(Field::model_name);
}

// True for a method that generates its own data in rounds.
bool has_rounds(const Scenario& scenario) {
  return scenario.has(Field::train_method) &&
         method_row(method_named(scenario.text(Field::train_method))).generates;
}

bool has_data(const Scenario& scenario) {
  if (has_rounds(scenario)) return scenario.has(Field::rollout_steps);
  return scenario.has(Field::data_tokens) || scenario.has(Field::data_samples) ||
         scenario.has(Field::data_tokens_per_param) || !scenario.stages.empty();
}

// The field to solve for so that the training takes the cluster's time, or null for the scaling
// law.
const FieldInfo* unknown_work(const Scenario& scenario) {
  if (has_model(scenario)) {
    return &field_info(has_rounds(scenario) ? Field::rollout_steps : Field::data_tokens);
  }
  return has_data(scenario) ? &field_info(Field::model_params) : nullptr;
}

// Largest whole number of accelerators whose rent stays within the budget.
double affordable(double budget, double usd_each) {
  double gpus = std::floor(budget / usd_each);
  while (gpus > 0 && gpus * usd_each > budget) --gpus;
  while ((gpus + 1) * usd_each <= budget) ++gpus;
  return gpus;
}

void require_range(const FieldInfo& unknown, double value, double budget) {
  const double lowest = unknown.field == Field::hardware_gpus ? 1 : unknown.lowest;
  if (value >= lowest && value <= unknown.highest && value > 0) return;
  throw Error(
      ErrorKind::no_answer, fmt::format("{} would be {}", unknown.path, format_exact(value)),
      fmt::format("it goes from {} to {}: check --budget {} and the other two",
                  format_exact(lowest), format_exact(unknown.highest), format_exact(budget)));
}

class Rental {
 public:
  Rental(const RentQuestion& question, std::string_view accelerator, const Catalog& catalog)
      : question_(question), accelerator_(accelerator), catalog_(catalog) {}

  RentAnswer run() {
    // The price in the price book may depend on the cluster size, so it is looked up again.
    constexpr int kMostTries = 6;
    double price = question_.base.number(Field::cost_price_per_gpu_hour).value_or(kFirstPrice);
    RentAnswer answer;
    for (int i = 0; i < kMostTries; ++i) {
      answer = at(price);
      if (!answer.cluster.price) {
        throw Error(ErrorKind::no_answer, fmt::format("no price of {} is known", accelerator_),
                    "set --price");
      }
      if (*answer.cluster.price == price || sought(Field::cost_price_per_gpu_hour)) break;
      price = *answer.cluster.price;
    }
    describe(answer);
    return answer;
  }

 private:
  static constexpr double kFirstPrice = 2;  // USD per GPU-hour to begin the search with

  [[nodiscard]] bool sought(Field field) const { return question_.unknown->field == field; }

  // The unknown at `price` USD per GPU-hour.
  double value_at(double price) const {
    const double gpus = question_.base.number(Field::hardware_gpus).value_or(1);
    const double hours = question_.seconds.value_or(kSecondsPerHour) / kSecondsPerHour;
    if (sought(Field::hardware_gpus)) return affordable(question_.budget, hours * price);
    if (sought(Field::cost_price_per_gpu_hour)) return question_.budget / (gpus * hours);
    return question_.budget / (gpus * price) * kSecondsPerHour;
  }

  RentAnswer at(double price) const {
    const FieldInfo& unknown = *question_.unknown;
    const double value = value_at(price);
    require_range(unknown, value, question_.budget);
    SolveRequest request;
    request.base = question_.base;
    // A known cluster needs no deadline.
    request.base.clear(Field::hardware_deadline);
    if (!sought(Field::hardware_deadline)) request.base.set_number(unknown, value, unknown.flag);
    const double seconds = question_.seconds.value_or(value);
    request.target = solve_target(ColumnRole::wall_clock, seconds);
    request.unknown = unknown_work(request.base);
    RentAnswer answer;
    answer.solution = Solver(catalog_).solve(request, accelerator_);
    answer.cluster = cluster_run(*answer.solution.estimate, seconds);
    answer.solution.values = {{&unknown, value}};
    return answer;
  }

  void describe(RentAnswer& answer) const {
    Solution& solution = answer.solution;
    const ClusterRun& run = answer.cluster;
    solution.achieved = run.usd;
    solution.beyond.reset();
    solution.beyond_achieved.reset();
    if (!sought(Field::hardware_gpus)) return;
    const double each = *run.usd / run.gpus;
    solution.beyond = run.gpus + 1;
    solution.beyond_achieved = (run.gpus + 1) * each;
    const System& system = catalog_.system(solution.estimate->system);
    const double node = std::max(1.0, system.gpus_per_node);
    const double whole = std::floor(run.gpus / node) * node;
    solution.choices = {{"most GPUs that the budget covers", run.gpus, run.seconds, run.usd}};
    if (whole > 0) {
      solution.choices.push_back(
          {fmt::format("whole nodes of {}", format_exact(node)), whole, run.seconds, whole * each});
    }
  }

  const RentQuestion& question_;
  std::string accelerator_;
  const Catalog& catalog_;
};

}  // namespace

const FieldInfo* rent_unknown(const Scenario& base, std::string_view word, bool duration) {
  const bool settled = has_model(base) && has_data(base);
  const bool deadline = base.has(Field::hardware_deadline) && !settled;
  const bool time = duration || deadline;
  const FieldInfo& gpus = field_info(Field::hardware_gpus);
  const FieldInfo& price = field_info(Field::cost_price_per_gpu_hour);
  if (word.empty()) {
    if (!duration) return nullptr;
    return base.has(Field::hardware_gpus) ? &price : &gpus;
  }
  if (word == kTimeSought) return &field_info(Field::hardware_deadline);
  const FieldInfo& field = solve_field(word);
  if (field.field == Field::hardware_deadline && base.has(Field::hardware_gpus)) return &field;
  if (time && (field.field == gpus.field || field.field == price.field)) return &field;
  return nullptr;
}

void check_rent(const RentQuestion& question) {
  const FieldInfo& unknown = *question.unknown;
  const Scenario& base = question.base;
  const std::optional<double> gpus = base.number(Field::hardware_gpus);
  const std::optional<double> price = base.number(Field::cost_price_per_gpu_hour);
  if (gpus && price && question.seconds) {
    const double rent = *gpus * *price * *question.seconds / kSecondsPerHour;
    refuse_rent(fmt::format("nothing is unknown: {} GPUs x {} h x {} are {}, and --budget says {}",
                            format_exact(*gpus), format_exact(*question.seconds / kSecondsPerHour),
                            format_number(*price, NumberKind::money),
                            format_number(rent, NumberKind::money, 4),
                            format_number(question.budget, NumberKind::money, 4)),
                "leave out the one that is sought: --gpus, --duration, --price or --budget");
  }
  const bool time_sought = unknown.field == Field::hardware_deadline;
  if (base.has(unknown.field) && !time_sought) {
    refuse_rent(fmt::format("{} is sought, and {} gives it", unknown.path, unknown.flag),
                fmt::format("leave {} out", unknown.flag));
  }
  if (time_sought && question.seconds) {
    refuse_rent("the time is sought, and --duration or --deadline gives it", "leave it out");
  }
  if (unknown.field != Field::hardware_gpus && !gpus) {
    refuse_rent(fmt::format("{} for a budget needs the cluster", unknown.path),
                "add --gpus N, as in --for price --gpus 300K --duration 6mo --budget 3B");
  }
  if (!time_sought && !question.seconds) {
    refuse_rent(fmt::format("{} for a budget needs the time", unknown.path), "add --duration TIME");
  }
  if (unknown.field == Field::cost_price_per_gpu_hour && owns(base)) {
    refuse_rent("an owned machine's hour costs what it costs: no price is sought",
                "leave --pricing own out, or solve --for gpus or duration");
  }
  if (has_model(base) && has_data(base)) {
    refuse_rent(
        "a budget, a time and a cluster, and also the model and its data, which take their own",
        "leave the tokens out, or leave --duration out: the time then follows from the work");
  }
}

RentAnswer solve_rent(const RentQuestion& question, std::string_view accelerator,
                      const Catalog& catalog) {
  check_rent(question);
  return Rental(question, accelerator, catalog).run();
}

const EstimateColumn& rent_column() {
  static const EstimateColumn column = column::number(
                                           "cluster.cost_usd", "USD", NumberKind::money,
                                           [](const Estimate&) { return std::optional<double>(); },
                                           "GPU-hours of the cluster x price", Rank::rest, "rent")
                                           .lower()
                                           .as(ColumnRole::rent);
  return column;
}

}  // namespace trcost::study
