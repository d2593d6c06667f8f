// SPDX-License-Identifier: Apache-2.0
#include "study/calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "catalog/software/stacks.h"
#include "estimate/cluster/execution.h"
#include "quantity/portable_math.h"
#include "quantity/statistics.h"
#include "trcost/error.h"
#include "workload/blocks/block.h"

namespace trcost::study {

namespace {

// Larger factors between measured and predicted speed mean a wrong unit. A step that waits may be
// much slower, and is then a finding.
constexpr double kMostFaster = 20, kMostSlower = 100;
// Steps of one configuration that differ by more contradict each other.
constexpr double kContradiction = 0.3;
// Scatter beyond what factors explain that is worth a warning.
constexpr double kMuchScatter = 0.25;
constexpr double kWorthNoting = 0.05;  // of ln(seconds)

double relative_error(double log_seconds_error) {
  return portable_exp(log_seconds_error) - 1;
}

constexpr std::string_view kCheckUnit =
    "tokens_per_second_per_gpu is of one accelerator, step_seconds of an optimizer step. Check "
    "the unit, the batch, the sequence length, the precision and the number of accelerators";

// Seconds of a step at the peak of its accelerators, which is an MFU of 1.
double seconds_at_peak(const MeasuredStep& step) {
  const StepModel model(step.workload, step.platform);
  return model.step(step.layout).model_flops / (step.layout.gpus() * step_peak_flops(model));
}

void refuse_wrong_unit(const MeasuredStep& step, double error) {
  if (error >= portable_log(kMostFaster) || error <= -portable_log(kMostSlower)) {
    throw Error(
        ErrorKind::usage,
        fmt::format("a step took {:.3g} s where {:.3g} are predicted: no software explains that",
                    step.seconds, step.seconds * portable_exp(error)),
        std::string(kCheckUnit), step.name);
  }
  const double at_peak = seconds_at_peak(step);
  if (step.seconds < at_peak) {
    throw Error(ErrorKind::usage,
                fmt::format("{:.3g} s a step, and at the peak of {:g} accelerators its FLOPs alone "
                            "take {:.3g}",
                            step.seconds, step.layout.gpus(), at_peak),
                std::string(kCheckUnit), step.name);
  }
}

// Warns of steps much faster than predicted, since software is rarely the reason.
void note_high_mfu(const std::vector<MeasuredStep>& steps, const StackFit& fit,
                   std::vector<std::string>& out) {
  constexpr double kMuchFaster = 0.3;  // of ln(seconds)
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (fit.before[i] < kMuchFaster) continue;
    const double mfu = seconds_at_peak(steps[i]) / steps[i].seconds;
    out.push_back(fmt::format(
        "{} means an MFU of {:.0f}%, where {:.0f}% is predicted. Check the model, the sequence "
        "length, the batch, the precision and the number of GPUs before you trust it",
        steps[i].name, 100 * mfu, 100 * mfu * portable_exp(-fit.before[i])));
  }
}

// Warns of steps far from their prediction.
void note_scatter(const std::vector<MeasuredStep>& steps, const StackFit& fit,
                  std::vector<std::string>& out) {
  if (fit.step <= kMuchScatter) return;
  if (steps.size() == 1) {
    out.push_back(fmt::format(
        "{} lies {:.0f}% from what is predicted, and alone moves the file by {:.0f}% only: so "
        "far off, a fact is more often wrong or missing than the software. A second step of "
        "another size settles it",
        steps[0].name, 100 * std::abs(relative_error(fit.before[0])),
        100 * std::abs(relative_error(fit.before[0] - fit.after[0]))));
    return;
  }
  if (std::ranges::all_of(fit.after, [](double error) { return error > kMuchScatter; })) {
    out.push_back(fmt::format(
        "all steps are faster than kernels can be made by any factor here, {} by {:.0f}%: the "
        "precision, the batch or the number of accelerators may be another",
        steps[0].name, 100 * std::abs(relative_error(fit.after[0]))));
    return;
  }
  out.push_back(
      fmt::format("the steps scatter by {:.0f}% about what any factors predict: a fact that "
                  "differs between them is not stated, or one is wrong",
                  100 * fit.step));
}

void note_contradictions(const std::vector<MeasuredStep>& steps, std::vector<std::string>& out) {
  const auto facts = [](const MeasuredStep& s) {
    return std::tuple(s.platform.accelerator, s.platform.system, s.platform.precision,
                      s.workload.seq_length, s.workload.language_training, s.workload.attention);
  };
  const auto same_question = [&](const MeasuredStep& a, const MeasuredStep& b) {
    return a.model == b.model && facts(a) == facts(b) && a.layout == b.layout;
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t j = i + 1; j < steps.size(); ++j) {
      const double apart = std::abs(portable_log(steps[i].seconds / steps[j].seconds));
      if (apart < kContradiction || !same_question(steps[i], steps[j])) continue;
      out.push_back(
          fmt::format("{} and {} are the same step as far as their facts say, yet {:.2g} times "
                      "apart: something that differs is not stated, and the range stays wide",
                      steps[i].name, steps[j].name, portable_exp(apart)));
      return;
    }
  }
}

// Removes steps that take so long that a constant fitted to them would hide what is wrong, unless
// that leaves none. Returns whether it does.
bool report_findings(std::vector<MeasuredStep>& steps, std::vector<std::string>& warnings) {
  constexpr double kFinding = 8;
  const auto far = [](const MeasuredStep& step) {
    return portable_log(step.seconds) - log_seconds(step, {}) >= portable_log(kFinding);
  };
  for (const MeasuredStep& step : steps) {
    if (!far(step)) continue;
    const double predicted = portable_exp(log_seconds(step, {}));
    warnings.push_back(fmt::format(
        "{}: a step took {:.4g} s, {:.1f} times the {:.4g} s predicted. That is a finding, not a "
        "property of the software, and no constant is fitted to it. A fact of the run is wrong or "
        "missing, or the run waits: for data, offloading, evaluation or a slow link. --explain "
        "shows the parts",
        step.name, step.seconds, step.seconds / predicted, predicted));
  }
  if (std::ranges::all_of(steps, far)) return true;
  std::erase_if(steps, far);
  return false;
}

CalibrationRow calibration_row(const MeasuredStep& step, double before, double after) {
  CalibrationRow row;
  row.name = step.name;
  row.model = step.model;
  row.accelerator = step.platform.accelerator->name;
  row.gpus = step.request.gpus;
  row.layout = step.layout;
  row.layers = layer_count(step.workload.language);
  row.planned = !step.request.complete() || !step.request.micro_batch || !step.request.recompute;
  row.measured_seconds = step.seconds;
  row.predicted_before = step.seconds * portable_exp(before);
  row.predicted_after = step.seconds * portable_exp(after);
  row.error_before = relative_error(before);
  row.error_after = relative_error(after);
  return row;
}

double median_size(const std::vector<double>& errors) {
  std::vector<double> sizes;
  for (const double each : errors) sizes.push_back(std::abs(relative_error(each)));
  return median(std::move(sizes));
}

std::string calibrated_file(const Catalog& catalog, const Stack& base,
                            const CalibrationResult& result) {
  const std::string_view name(result.base);
  const std::size_t at = name.ends_with(".json") ? std::string_view::npos : name.find('@');
  nlohmann::ordered_json file =
      nlohmann::ordered_json::parse(catalog.show(CatalogKind::stacks, name.substr(0, at)));
  const Stack moved = moved_stack(base, result.fit.log);
  file["fitted"].erase("date");  // of the fit that this one starts from
  file["fitted"]["source"] = "trcost calibrate, where measured steps moved it";
  // Fitted constants take the place of those written by hand.
  const auto set_fitted = [&](std::string_view constant, double value) {
    file.erase(std::string(constant));
    file["fitted"][std::string(constant)] = value;
  };
  for (const StackFactor& factor : stack_factors()) {
    for (double Stack::*const member : factor.members) {
      if (member == nullptr || base.*member == moved.*member) continue;
      set_fitted(stack_constant(member).name, moved.*member);
    }
  }
  // The constants of the file are of a release, so its changes are applied to them.
  if (moved.release_years != 0) {
    const double gain = portable_exp(moved.release_gain * moved.release_years);
    set_fitted("matmul", moved.matmul * gain);
    set_fitted("flash", moved.flash * gain);
    set_fitted("elementwise", moved.elementwise / gain);
    file.erase("releases");
    file["fitted"].erase("release_gain");
  }
  const std::string& from = base.measured.rows > 0 ? base.measured.base : base.name;
  const std::size_t steps = result.rows.size();
  file["name"] = from + "-calibrated";
  file["title"] = fmt::format("{}, calibrated", base.title);
  file["source"] =
      fmt::format("trcost calibrate: {} measured step{} on {}, starting from {}", steps,
                  steps == 1 ? "" : "s", fmt::join(result.accelerators, ", "), from);
  file["measured"] = {{"rows", steps},
                      {"base", from},
                      {"accelerators", result.accelerators},
                      {"sigma", result.sigma},
                      {"sigma_elsewhere", result.sigma_elsewhere}};
  return file.dump(2) + "\n";
}

// Change in ln(seconds) of the step under another request, or 0 if that does not fit.
double planned_change(const MeasuredStep& step, const PlanRequest& request) {
  const StepModel model(step.workload, step.platform);
  try {
    const std::optional<Plan> other = fitting_plan(model, request);
    if (!other || other->layout.global_batch != step.layout.global_batch) return 0;
    return std::abs(portable_log(other->time.seconds / model.step(step.layout).seconds));
  } catch (const Error&) {
    return 0;
  }
}

// A fact that steps may leave to the planner, and another value for it.
struct Alternative {
  std::string_view fact;
  bool (*open)(const PlanRequest&);
  void (*choose)(PlanRequest&, const Layout&);
};

constexpr std::array<Alternative, 4> kAlternatives = {{
    {"recompute", [](const PlanRequest& r) { return !r.recompute; },
     [](PlanRequest& r, const Layout& l) {
       r.recompute = l.recompute == Recompute::full ? Recompute::none : Recompute::full;
     }},
    {"micro_batch", [](const PlanRequest& r) { return !r.micro_batch; },
     [](PlanRequest& r, const Layout& l) {
       r.micro_batch = l.micro_batch > 1 ? l.micro_batch / 2 : 2 * l.micro_batch;
     }},
    {"sharding", [](const PlanRequest& r) { return !r.sharding; },
     [](PlanRequest& r, const Layout& l) {
       r.sharding = l.sharding == Sharding::parameters ? Sharding::optimizer : Sharding::parameters;
     }},
    {"tp", [](const PlanRequest& r) { return !r.tp; },
     [](PlanRequest& r, const Layout& l) { r.tp = l.tp > 1 ? l.tp / 2 : 2; }},
}};

struct Effect {
  double size = 0;  // of ln(seconds)
  std::string words;
};

void add_open_facts(const std::vector<MeasuredStep>& steps, std::vector<Effect>& out) {
  for (const Alternative& each : kAlternatives) {
    double largest = 0;
    std::vector<std::string_view> open;
    for (const MeasuredStep& step : steps) {
      if (!each.open(step.request)) continue;
      open.push_back(step.name);
      PlanRequest request = step.request;
      request.global_batch = step.layout.global_batch;
      each.choose(request, step.layout);
      largest = std::max(largest, planned_change(step, request));
    }
    if (largest < kWorthNoting) continue;
    out.push_back(
        {largest, fmt::format("{} of {}, which leave{} it open. It changes a step by up to {:.0f}%",
                              each.fact, fmt::join(open, ", "), open.size() == 1 ? "s" : "",
                              100 * (portable_exp(largest) - 1))});
  }
}

// Ways to narrow the range, those with the largest effect first.
std::vector<std::string> ways_to_narrow(const std::vector<MeasuredStep>& steps,
                                        const StackFit& fit) {
  std::vector<Effect> effects;
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    const double size = std::abs(fit.share[i]) * fit.sigma[i];
    const StackFactor& factor = stack_factors()[i];
    effects.push_back(
        {size, fmt::format("{} (uncertain by {:.0f}% of a step now)", factor.narrow, 100 * size)});
  }
  add_open_facts(steps, effects);
  std::ranges::stable_sort(effects, std::greater<>(), &Effect::size);
  std::vector<std::string> out;
  for (const Effect& effect : effects) {
    if (effect.size >= kWorthNoting / 2) out.push_back(effect.words);
  }
  out.push_back(fmt::format("further steps: similar ones scatter by {:.0f}% around the prediction",
                            100 * fit.step));
  return out;
}

}  // namespace

CalibrationResult calibrate(const Catalog& catalog, Measurements measured, bool explain) {
  if (measured.steps.empty() && !measured.rounds.empty()) {
    CalibrationResult out;
    out.explained = std::move(measured.rounds);
    out.warnings = std::move(measured.warnings);
    out.warnings.push_back(
        "a stack is fitted to training steps alone, so no file is written for rounds");
    return out;
  }
  if (measured.steps.empty()) {
    throw Error(ErrorKind::usage, "no measured step to calibrate to",
                "set --measured rows.csv, or --log FILE of a training");
  }
  const Pooling pooling = read_pooling(catalog);
  CalibrationResult out;
  out.base = measured.base;
  out.warnings = std::move(measured.warnings);
  const std::vector<MeasuredStep>& steps = measured.steps;
  for (const MeasuredStep& step : steps) {
    refuse_wrong_unit(step, log_seconds(step, {}) - portable_log(step.seconds));
  }
  if (explain) out.explained = explain_steps(measured.steps, pooling);
  const bool none = report_findings(measured.steps, out.warnings);
  out.fit = fit_stack(steps, pooling);
  if (none) {
    out.fit.log = {};
    out.fit.after = out.fit.before;
    out.fit.sigma_after = out.fit.sigma_before;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    out.rows.push_back(calibration_row(steps[i], out.fit.before[i], out.fit.after[i]));
  }
  const Stack& base = catalog.stack(measured.base);
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    const StackFactor& factor = stack_factors()[i];
    out.factors.push_back({factor.name, factor.what, portable_exp(out.fit.log[i]), out.fit.sigma[i],
                           out.fit.share[i]});
  }
  for (const MeasuredStep& step : steps) {
    const std::string& name = step.platform.accelerator->name;
    if (std::ranges::find(out.accelerators, name) == out.accelerators.end()) {
      out.accelerators.push_back(name);
    }
  }
  out.sigma = out.fit.sigma_after;
  out.sigma_elsewhere = in_quadrature(out.sigma, std::sqrt(2.0) * pooling.chip);
  out.error_before = median_size(out.fit.before);
  out.error_after = median_size(out.fit.after);
  note_contradictions(steps, out.warnings);
  out.narrow = ways_to_narrow(steps, out.fit);
  if (none) return out;
  note_high_mfu(steps, out.fit, out.warnings);
  note_scatter(steps, out.fit, out.warnings);
  out.stack_json = calibrated_file(catalog, base, out);
  return out;
}

}  // namespace trcost::study
