// SPDX-License-Identifier: Apache-2.0
#include "study/transfer/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "catalog/hardware/hardware.h"
#include "cost/distribution.h"
#include "cost/make_bill.h"
#include "estimate/answer/price_warnings.h"
#include "estimate/range/range.h"
#include "study/validate/validate.h"
#include "trcost/bill.h"
#include "trcost/error.h"
#include "workload/flops.h"
#include "workload/method.h"
#include "workload/workload.h"

namespace trcost::study {

namespace {

// Exponents of an input after a measurement. A throughput removes the uncertainty of the speed, a
// time that of all factors of the time. Other effects, such as bytes to store, stay uncertain.
Exponents remaining_exponents(const UncertainInput& input, bool time_measured) {
  const auto without = [&](double of_time) {
    return input.exponents.with(Driver::hours, input.exponents[Driver::hours] - of_time)
        .with(Driver::days, input.exponents[Driver::days] - of_time);
  };
  const double all = input.exponents[Driver::hours];
  switch (input.cause) {
    case Cause::mfu:
    case Cause::step:
      return without(all);
    case Cause::model_size:
      // The work of a step is proportional to the parameters. Tokens follow from them.
      return without(time_measured ? all : std::min(all, 1.0));
    case Cause::amount:
    case Cause::useful_time:
    case Cause::scope:
      return time_measured ? without(all) : input.exponents;
    case Cause::cluster:
    case Cause::price:
    case Cause::experiments:
    case Cause::platforms:
    case Cause::measurement:
      return input.exponents;
  }
  return input.exponents;
}

// Sets the ranges of a row: those of its estimate without the measured part, with the error of the
// ratio.
void set_ranges(TransferRow& row, const TransferRequest& request) {
  RangeInputs in;
  in.gpu_hours = row.estimate.gpu_hours;
  in.wall_clock_seconds = row.estimate.wall_clock_seconds;
  if (row.estimate.cost.total) in.usd = included_dollars(row.estimate.cost);
  in.draws = request.base.number(Field::range_draws);
  in.seed = request.base.number_or_default(Field::range_seed);
  for (UncertainInput input : row.estimate.range.inputs) {
    input.exponents = remaining_exponents(input, request.seconds.has_value());
    in.inputs.push_back(input);
  }
  const auto add = [&in](Cause cause, double sigma, double power, std::string_view source) {
    if (sigma <= 0) return;
    in.inputs.push_back({cause,
                         {},
                         {Distribution::Kind::lognormal, 1, sigma, 0},
                         Exponents::time(power),
                         std::numeric_limits<double>::infinity(),
                         source});
  };
  add(Cause::platforms, row.residual.sigma, -1, "published pairs of runs");
  add(Cause::measurement, request.measured_sigma, 1, "the range given");
  const RangeResult range = compute_range(std::move(in));
  row.seconds = range.wall_clock_seconds;
  row.gpu_hours = range.gpu_hours;
  row.usd = range.total_usd;
}

// A measurement elsewhere does not make a target less certain than published runs of its kind.
void narrow_to_family(TransferRow& row) {
  double variance = 0;  // of ln MFU in a range without a measurement
  for (const UncertainInput& input : row.unanchored.inputs) {
    if (input.cause != Cause::mfu) continue;
    const double sigma = log_moments(input.factor).sigma;
    variance += sigma * sigma;
  }
  const double own = std::sqrt(variance);
  if (own <= 0 || own >= row.residual.sigma) return;
  row.residual.why = fmt::format(
      "spread of the published runs of this kind, which is less than the {:.3f} of {} pairs of "
      "runs",
      row.residual.sigma, row.residual.pairs);
  row.residual.sigma = own;
}

Scenario on_platform(const Scenario& base, std::string_view accelerator, double gpus) {
  Scenario out = base;
  out.set_text(Field::hardware_accelerator, accelerator);
  out.set_number(Field::hardware_gpus, gpus);
  return out;
}

bool is_source(const TransferRequest& request, const TransferTarget& target) {
  return target.accelerator == request.from &&
         target.gpus.value_or(request.from_gpus) == request.from_gpus;
}

void check_request(const TransferRequest& request) {
  const auto refuse = [](std::string message, std::string hint) {
    throw Error(ErrorKind::usage, std::move(message), std::move(hint));
  };
  if (request.seconds.has_value() == request.tokens_per_second.has_value()) {
    refuse(request.seconds ? "two measurements" : "no measurement",
           "set --measured TIME or --measured-tokens-per-second N, one of them");
  }
  if (request.targets.empty()) refuse("no target", "set --to h200, or --to h200:8,gb200-nvl72:4");
  for (auto target = request.targets.begin(); target != request.targets.end(); ++target) {
    const auto same = [&](const TransferTarget& other) {
      return other.accelerator == target->accelerator &&
             other.gpus.value_or(request.from_gpus) == target->gpus.value_or(request.from_gpus);
    };
    if (std::any_of(request.targets.begin(), target, same)) {
      refuse(
          fmt::format("{} {} stand twice among the targets",
                      format_exact(target->gpus.value_or(request.from_gpus)), target->accelerator),
          "name each one once");
    }
  }
  if (std::ranges::all_of(request.targets, [&](const TransferTarget& target) {
        return is_source(request, target);
      })) {
    refuse("the only target is the measured platform itself", "name another one with --to");
  }
  if (request.base.has(Field::efficiency_mfu)) {
    refuse("--mfu and a measurement exclude each other",
           "leave --mfu out: the measurement says how efficient the run is");
  }
  if (!request.base.stages.empty()) {
    refuse("a training of several stages cannot be anchored by one measurement",
           "carry over each stage by itself");
  }
}

class Transfer {
 public:
  Transfer(const TransferRequest& request, const Catalog& catalog)
      : request_(request), catalog_(catalog), estimator_(catalog) {}

  TransferResult run() {
    check_request(request_);
    anchor();
    std::optional<Error> last;
    for (const TransferTarget& target : request_.targets) {
      if (is_source(request_, target)) continue;  // it comes first already
      try {
        result_.targets.push_back(carry(target));
      } catch (const Error& error) {
        if (request_.targets.size() == 1 || error.kind != ErrorKind::no_answer) throw;
        result_.failures.push_back({target.accelerator, error.message, error.hint});
        last = error;
      }
    }
    if (result_.targets.empty() && last) throw Error(*last);
    warn_of_measurement();
    PriceWarnings prices;
    for (const TransferRow& row : result_.targets) {
      prices.add(price_warnings(request_.base, row.estimate.accelerator, catalog_));
    }
    std::ranges::move(prices.lines, std::back_inserter(result_.warnings));
    return std::move(result_);
  }

 private:
  // The row as predicted, without the measurement.
  TransferRow predict(std::string_view accelerator, double gpus) {
    TransferRow row;
    estimator_.run_one(on_platform(request_.base, accelerator, gpus), accelerator, row.estimate);
    row.unanchored = row.estimate.range;
    row.predicted_seconds = row.estimate.wall_clock_seconds;
    row.predicted_mfu = row.estimate.performance.mfu;
    return row;
  }

  // Scales the step time of the plan by the factor. The source takes the measured time.
  void apply_factor(TransferRow& row, std::string_view name, double gpus,
                    std::optional<double> wall_clock_seconds) {
    const double mfu = row.predicted_mfu / result_.factor;
    if (mfu > 1) {
      throw Error(
          ErrorKind::no_answer,
          fmt::format("the measurement would need an MFU of {:.0f}% on {}", 100 * mfu, name),
          measured_words() +
              "check time, tokens and number of accelerators: did the run do the work that "
              "the flags describe?");
    }
    estimator_.run_paced(on_platform(request_.base, name, gpus), name,
                         {result_.factor, wall_clock_seconds}, row.estimate);
  }

  // Quotes the time as it was read, because 20 is 20 seconds and 20h may be meant.
  [[nodiscard]] std::string measured_words() const {
    if (!request_.seconds) return {};
    return fmt::format("--measured was read as {}, so ",
                       format_number(*request_.seconds, NumberKind::duration));
  }

  void anchor() {
    TransferRow& row = result_.source;
    row = predict(request_.from, request_.from_gpus);
    const double predicted_rate =
        row.estimate.performance.tokens_per_second_per_gpu * request_.from_gpus;
    result_.factor = request_.seconds ? *request_.seconds / row.predicted_seconds
                                      : predicted_rate / *request_.tokens_per_second;
    apply_factor(row, request_.from, request_.from_gpus, request_.seconds);
    row.residual.why = "measured";
    set_ranges(row, request_);
  }

  void warn_of_measurement() {
    // A lower MFU, or a run that much slower, is more often a wrong unit or amount than a slow run.
    constexpr double kHardlyAny = 0.01, kFarSlower = 3;
    const PerformanceSummary& source = result_.source.estimate.performance;
    if (source.mfu < kHardlyAny || result_.factor > kFarSlower) {
      result_.warnings.push_back(
          fmt::format("the measurement is an MFU of {:.2g}%, {:.3g} times slower than predicted: "
                      "check its unit, the tokens or samples, --seq-length, --train and the "
                      "number of accelerators",
                      100 * source.mfu, result_.factor));
    }
    std::string beyond;
    const auto look = [&](const TransferRow& row) {
      const std::string words = beyond_published(row.estimate);
      if (!words.empty()) beyond += (beyond.empty() ? "" : "; ") + words;
    };
    look(result_.source);
    for (const TransferRow& row : result_.targets) look(row);
    if (beyond.empty()) return;
    result_.warnings.push_back(fmt::format(
        "the measurement is an MFU of {}: {}check time, tokens, number of accelerators and what "
        "learns",
        beyond, measured_words()));
  }

  // `75 % on a100-sxm-80gb: ...` if no published run on such a chip reached as much, else empty.
  [[nodiscard]] std::string beyond_published(const Estimate& estimate) const {
    constexpr double kOften = 0.5;  // common among published runs
    const double mfu = estimate.performance.mfu;
    if (mfu <= kOften) return {};
    const PublishedMfu most =
        highest_published_mfu(catalog_, catalog_.accelerator(estimate.accelerator));
    if (mfu <= most.mfu || most.row == nullptr) return {};
    return fmt::format(
        "{:.0f}% on {}: of the {} published rows{} none reaches more than {:.0f}% ({} on {})",
        100 * mfu, estimate.accelerator, most.rows,
        most.architecture.empty() ? "" : " on " + most.architecture + " chips that are no slower",
        100 * most.mfu, most.row->model, most.row->accelerator);
  }

  TransferRow carry(const TransferTarget& target) {
    const double gpus = target.gpus.value_or(request_.from_gpus);
    TransferRow row = predict(target.accelerator, gpus);
    const bool same_chip = row.estimate.accelerator == result_.source.estimate.accelerator;
    std::optional<TransferResidual>& known = residuals_[same_chip ? 1 : 0];
    if (!known) known = transfer_residual(catalog_, same_chip);
    row.residual = *known;
    narrow_to_family(row);
    apply_factor(row, target.accelerator, gpus, {});
    set_ranges(row, request_);
    return row;
  }

  const TransferRequest& request_;
  const Catalog& catalog_;
  Estimator estimator_;
  TransferResult result_;
  std::array<std::optional<TransferResidual>, 2> residuals_;
};

}  // namespace

std::vector<TransferTarget> parse_transfer_targets(std::string_view text) {
  Scenario names;
  names.set(field_info(Field::hardware_accelerator), text, "--to");
  std::vector<TransferTarget> out;
  for (const std::string& word : names.names(Field::hardware_accelerator)) {
    const std::size_t colon = word.rfind(':');
    TransferTarget target{word.substr(0, colon), {}};
    if (target.accelerator.empty()) {
      throw Error(ErrorKind::usage, fmt::format("\"{}\" names no accelerator", word.substr(0, 60)),
                  "write ACCELERATOR or ACCELERATOR:GPUS, like b200:64", "--to");
    }
    if (colon != std::string::npos) {
      Scenario count;
      count.set(field_info(Field::hardware_gpus), word.substr(colon + 1), "--to " + word);
      target.gpus = count.number(Field::hardware_gpus);
    }
    out.push_back(std::move(target));
  }
  return out;
}

namespace {

// The highest MFU of the rows on chips that are about as fast as `like`, or on all if it is null.
PublishedMfu highest_mfu(const Catalog& catalog, const Accelerator* like) {
  constexpr double kAbout = 0.9;
  PublishedMfu out;
  for (const ThroughputRow& row : catalog.runs().throughput) {
    const Accelerator& chip = catalog.accelerator(row.accelerator);
    const auto peak = peak_flops(chip, row.precision);
    if (!peak) continue;
    if (like != nullptr) {
      const auto least = peak_flops(*like, row.precision);
      if (chip.architecture != like->architecture || !least || *peak < kAbout * *least) continue;
    }
    ++out.rows;
    const double flops = training_flops(row_workload(catalog, row)).total();  // of a token
    const double mfu = flops * row.tokens_per_second_per_gpu / *peak;
    if (mfu <= out.mfu) continue;
    out.mfu = mfu;
    out.row = &row;
  }
  return out;
}

}  // namespace

PublishedMfu highest_published_mfu(const Catalog& catalog, const Accelerator& like) {
  PublishedMfu out = highest_mfu(catalog, &like);
  out.architecture = like.architecture;
  return out.rows > 0 ? out : highest_mfu(catalog, nullptr);
}

TransferResult transfer(const TransferRequest& request, const Catalog& catalog) {
  if (method_row(method_named(request.base.text(Field::train_method))).generates) {
    throw Error(
        ErrorKind::usage, "a measured time is of one kind of work, and a round has several",
        "leave --method out to carry its training, or ask `trcost estimate` on each platform",
        "--method");
  }
  return Transfer(request, catalog).run();
}

}  // namespace trcost::study
