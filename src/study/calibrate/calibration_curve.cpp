// SPDX-License-Identifier: Apache-2.0
// Tests whether a few rows of a source help to predict its others, with constants from fits that
// left the source out.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "catalog/hardware/efficiency.h"
#include "cost/distribution.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "quantity/statistics.h"
#include "study/calibrate/calibrate.h"
#include "study/validate/validate.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

constexpr int kDraws = 24;
constexpr std::size_t kLeastRest = 2;  // rows that a median is taken of

double error_size(double log_error) {
  return std::abs(portable_exp(-log_error) - 1);
}

// A permutation of the steps that depends on the draw's number alone.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[mix_counter(seed, i) % i]);
  return order;
}

struct Rest {
  double error = 0;   // median
  double inside = 0;  // share within P10 to P90
};

// Errors of the steps after the first `rows` of `order`, calibrated to those.
Rest held_out_errors(const std::vector<MeasuredStep>& steps, const std::vector<std::size_t>& order,
                     std::size_t rows, const Pooling& pooling) {
  std::vector<MeasuredStep> seen;
  for (std::size_t i = 0; i < rows; ++i) seen.push_back(steps[order[i]]);
  const StackFit fit = fit_stack(seen, pooling);
  std::vector<double> sizes;
  double inside = 0;
  for (std::size_t i = rows; i < order.size(); ++i) {
    const MeasuredStep& step = steps[order[i]];
    const double error = log_seconds(step, fit.log) - portable_log(step.seconds);
    sizes.push_back(error_size(error));
    inside += std::abs(error) <= kNormalP90 * fit.sigma_after ? 1 : 0;
  }
  inside /= static_cast<double>(sizes.size());
  return {median(std::move(sizes)), inside};
}

SourceCurve source_curve(const std::string& source, const std::vector<MeasuredStep>& steps,
                         const Pooling& pooling) {
  SourceCurve curve;
  curve.source = source;
  curve.rows = static_cast<int>(steps.size());
  std::vector<double> sizes;
  for (const MeasuredStep& step : steps) {
    sizes.push_back(error_size(log_seconds(step, {}) - portable_log(step.seconds)));
  }
  curve.error = median(std::move(sizes));
  for (std::size_t k = 0; k < SourceCurve::kRows.size(); ++k) {
    const auto rows = static_cast<std::size_t>(SourceCurve::kRows[k]);
    if (steps.size() < rows + kLeastRest) continue;
    Rest sum;
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto order = shuffled(steps.size(), static_cast<std::uint64_t>(draw));
      const Rest rest = held_out_errors(steps, order, rows, pooling);
      sum.error += rest.error;
      sum.inside += rest.inside;
    }
    curve.after[k] = sum.error / kDraws;
    if (rows == 3) curve.inside = sum.inside / kDraws;
  }
  return curve;
}

}  // namespace

MeasuredStep published_step(const Catalog& catalog, const ThroughputRow& row) {
  MeasuredStep step;
  step.name = row.id;
  step.model = row.model;
  step.workload = row_workload(catalog, row);
  step.platform = row_platform(catalog, row, true);
  step.request = row_request(row, step.workload);
  step.layout = plan(StepModel(step.workload, step.platform), step.request).layout;
  const double tokens = step.layout.global_batch * row.seq_length / step.layout.gpus();
  step.seconds = tokens / row.tokens_per_second_per_gpu;
  if (row.left_out) step.offset = portable_log(tokens / *row.left_out) - log_seconds(step, {});
  return step;
}

CalibrationCurve calibration_curve(const Catalog& catalog, std::string_view source) {
  const Pooling pooling = read_pooling(catalog);
  std::map<std::string, std::vector<MeasuredStep>> by_source;
  std::map<std::string, std::set<std::string>> groups;
  CalibrationCurve out;
  for (const ThroughputRow& row : catalog.runs().throughput) {
    if (!row.left_out || row.source.find(source) == std::string::npos) continue;
    try {
      by_source[row.source].push_back(published_step(catalog, row));
      groups[row.source].insert(row.group);
      ++out.measured;
    } catch (const Error&) {
      continue;  // `validate --rows` shows why there is no prediction
    }
  }
  for (const auto& [name, steps] : by_source) {
    SourceCurve curve = source_curve(name, steps, pooling);
    curve.groups = static_cast<double>(groups[name].size());
    if (curve.after[1]) {
      auto& mean = curve.error > CalibrationCurve::kWrong ? out.wrong : out.right;
      ++mean.sources;
      mean.error += curve.error;
      mean.inside += curve.inside.value_or(0);
      for (std::size_t k = 0; k < curve.after.size(); ++k) {
        mean.after[k] += curve.after[k].value_or(0);
      }
    }
    out.rows.push_back(std::move(curve));
  }
  for (CalibrationCurve::Mean* const mean : {&out.wrong, &out.right}) {
    const double count = std::max(1, mean->sources);
    mean->error /= count;
    mean->inside /= count;
    for (double& each : mean->after) each /= count;
  }
  std::ranges::stable_sort(out.rows, std::greater<>(), &SourceCurve::rows);
  return out;
}

}  // namespace trcost::study
