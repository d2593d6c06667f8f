// SPDX-License-Identifier: Apache-2.0
// The fit of a stack's factors to measured steps.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "catalog/data/data_file.h"
#include "catalog/data/sourced_values.h"
#include "catalog/software/stacks.h"
#include "json/strict_json.h"
#include "quantity/portable_math.h"
#include "study/calibrate/calibrate.h"

namespace trcost::study {

namespace {

using Vector = std::array<double, kStackFactors>;
using FactorMatrix = std::array<Vector, kStackFactors>;

constexpr double kFixedStart = 0.01;  // seconds of a step, where a stack has less
constexpr double kTail = 4;           // degrees of freedom of the factors' distribution

constexpr std::array<StackFactor, kStackFactors> kFactors = {{
    {"kernels",
     {&Stack::kernel_time},
     "every kernel",
     "a step of the largest micro-batch on the fewest accelerators, where kernels are nearly all",
     "check clocks, power and temperature (nvidia-smi -q -d CLOCK,POWER), that the matrices run in "
     "the format given by --precision, and that kernels are compiled (--kernels)"},
    {"exchange",
     {&Stack::exchange_time},
     "every exchange between accelerators",
     "a step of the same model on more nodes, or with more tensor or expert parallelism",
     "check that traffic takes the fast links (NCCL_DEBUG=INFO, nvidia-smi topo -m), then use less "
     "sharding or fewer nodes, or overlap it (--overlap)"},
    {"elementwise",
     {&Stack::elementwise},
     "norms, activations and losses, in addition",
     "a step of a narrower model, where element-wise work weighs more",
     "use fused norms, activations and loss (torch.compile, Liger, --kernels fused), and a fused "
     "optimizer"},
    {"attention",
     {&Stack::flash},
     "attention, in addition",
     "a step of longer sequences",
     "use FlashAttention (--attention flash) and skip padding (--packing)",
     0,
     true},
    {"dispatch",
     {&Stack::block_seconds, &Stack::collective_dispatch_seconds},
     "issuing kernels from the host",
     "a step of a smaller micro-batch",
     "use a larger micro-batch, CUDA graphs or torch.compile, and a free CPU core per GPU. A data "
     "loader that keeps the GPU waiting shows here too"},
    {"experts",
     {&Stack::expert_traffic, &Stack::expert_traffic_block, &Stack::grouped_half,
      &Stack::expert_block_seconds, &Stack::expert_loop_seconds},
     "routing and grouped matmuls of experts",
     "a step with another number of experts per accelerator",
     "use grouped matmuls for experts (Megatron-Core, MegaBlocks, grouped_mm) in place of a loop, "
     "and balance their load"},
    {"adapters",
     {&Stack::lora_traffic},
     "low-rank adapters",
     "a step of full fine-tuning beside that of adapters",
     "target fewer matrices (--lora-targets), fuse adapters, and avoid a quantized base where "
     "memory allows (--base-precision bf16)"},
    {"fixed",
     {&Stack::step_seconds},
     "fixed time of a step",
     "a step of the same layout with another global batch",
     "look for work between steps: data loading, logging, evaluation, saving, offloaded optimizer "
     "steps (--offload)",
     kFixedStart},
}};

// The inverse of a small positive definite matrix, by Gauss-Jordan elimination.
FactorMatrix inverse(FactorMatrix a) {
  FactorMatrix out{};
  for (std::size_t i = 0; i < kStackFactors; ++i) out[i][i] = 1;
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    const double pivot = a[i][i];
    for (std::size_t j = 0; j < kStackFactors; ++j) {
      a[i][j] /= pivot;
      out[i][j] /= pivot;
    }
    for (std::size_t k = 0; k < kStackFactors; ++k) {
      if (k == i) continue;
      const double times = a[k][i];
      for (std::size_t j = 0; j < kStackFactors; ++j) {
        a[k][j] -= times * a[i][j];
        out[k][j] -= times * out[i][j];
      }
    }
  }
  return out;
}

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Vector product(const FactorMatrix& m, const Vector& v) {
  Vector out{};
  for (std::size_t i = 0; i < kStackFactors; ++i) out[i] = dot(v, m[i]);
  return out;
}

// Errors and slopes of the steps near a point of the factors.
struct Linearised {
  std::vector<double> error;  // ln(predicted / measured seconds)
  std::vector<Vector> slope;
  std::vector<double> weight;
  Vector slopes_at{};
};

// Moves a linearisation to another point. Slopes, which take most of the time, change slowly, so
// those of a point nearby are kept.
void linearise(const std::vector<MeasuredStep>& steps, const Vector& at, Linearised& out) {
  constexpr double kNear = 0.01;  // of ln(factor)
  out.weight.assign(steps.size(), 1);
  out.error.clear();
  for (const MeasuredStep& step : steps) {
    out.error.push_back(log_seconds(step, at) - portable_log(step.seconds));
  }
  bool near = !out.slope.empty();
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    near = near && std::abs(at[i] - out.slopes_at[i]) < kNear;
  }
  if (near) return;
  out.slopes_at = at;
  out.slope.clear();
  for (const MeasuredStep& step : steps) out.slope.push_back(step_slopes(step, at));
}

// Variance of steps about the prediction, pooled from published sources and these steps, which lose
// one degree of freedom to their mean.
double step_variance(const Pooling& pooling, const Linearised& at) {
  const double worth = pooling.step_worth;
  double sum = worth * square(pooling.step);
  for (std::size_t k = 0; k < at.error.size(); ++k) sum += at.weight[k] * square(at.error[k]);
  return sum / (worth + static_cast<double>(at.error.size()) - 1);
}

// 1 / variance of each factor at a value of its t-distribution (a mixture of normal ones).
Vector prior_weights(const Pooling& pooling, const Vector& at) {
  Vector out{};
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    const double variance = square(pooling.spread[i]);
    out[i] = (kTail + 1) / (kTail * variance + square(at[i]));
  }
  return out;
}

FactorMatrix precision(const Linearised& at, const Vector& prior, double variance) {
  FactorMatrix out{};
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    out[i][i] = prior[i];
    for (std::size_t j = 0; j < kStackFactors; ++j) {
      for (std::size_t k = 0; k < at.slope.size(); ++k) {
        out[i][j] += at.weight[k] * at.slope[k][i] * at.slope[k][j] / variance;
      }
    }
  }
  return out;
}

// One Gauss-Newton step, no further than a factor of e.
Vector next(const Linearised& at, const Vector& from, const Vector& prior, double variance) {
  Vector downhill{};
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    downhill[i] = -prior[i] * from[i];
    for (std::size_t k = 0; k < at.error.size(); ++k) {
      downhill[i] -= at.weight[k] * at.slope[k][i] * at.error[k] / variance;
    }
  }
  const Vector move = product(inverse(precision(at, prior, variance)), downhill);
  Vector out = from;
  for (std::size_t i = 0; i < kStackFactors; ++i) out[i] += std::clamp(move[i], -1.0, 1.0);
  return out;
}

// Standard deviation of ln(predicted) of one more step like these.
double predicted_spread(const Linearised& at, const FactorMatrix& covariance, double variance) {
  double sum = 0;
  for (const Vector& slope : at.slope) sum += dot(slope, product(covariance, slope));
  return std::sqrt(sum / static_cast<double>(at.slope.size()) + variance);
}

}  // namespace

const std::array<StackFactor, kStackFactors>& stack_factors() {
  return kFactors;
}

Pooling read_pooling(const Catalog& catalog) {
  ObjectReader reader = read_data_file(catalog, "efficiency/pooling.json").object();
  reader.accept("schema_version");
  reader.required_text("source");
  Pooling out;
  ObjectReader spread = reader.required_object("between_sources");
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    out.spread[i] = spread.required_number(kFactors[i].name, 1e-3, 5);
  }
  spread.finish();
  out.step = reader.required_number("between_steps", 1e-3, 2);
  out.step_worth = reader.required_number("between_steps_worth", 0.1, 1000);
  out.chip = reader.required_number("between_chips", 0, 2);
  reader.finish();
  return out;
}

const Constant<Stack>& stack_constant(double Stack::*member) {
  return *std::ranges::find(stack_constants(), member, &Constant<Stack>::member);
}

Stack moved_stack(const Stack& base, const Vector& log) {
  Stack out = base;
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    const StackFactor& factor = kFactors[i];
    const double times = portable_exp(factor.rate ? -log[i] : log[i]);
    for (double Stack::*const member : factor.members) {
      if (member == nullptr) break;
      double& value = out.*member;
      // A factor of 1 leaves even a value below `least` as it is.
      const double start = std::max(value, factor.least);
      const Constant<Stack>& range = stack_constant(member);
      value = std::clamp(value + start * (times - 1), range.lowest, range.highest);
    }
  }
  return out;
}

Vector step_slopes(const MeasuredStep& step, const Vector& at) {
  constexpr double kStep = 1e-3;
  const double here = log_seconds(step, at);
  Vector out{};
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    Vector there = at;
    there[i] += kStep;
    out[i] = (log_seconds(step, there) - here) / kStep;
  }
  return out;
}

double log_seconds(const MeasuredStep& step, const Vector& log) {
  const Stack stack = moved_stack(*step.platform.stack, log);
  Platform platform = step.platform;
  platform.stack = &stack;
  const double seconds = StepModel(step.workload, platform).step(step.layout).seconds;
  return portable_log(seconds * step.wait) + step.offset;
}

StackFit fit_stack(const std::vector<MeasuredStep>& steps, const Pooling& pooling) {
  constexpr int kRounds = 40;
  constexpr int kAlike = 10;       // first rounds, in which all steps have equal weights
  constexpr double kStill = 1e-6;  // of ln(factor), summed
  StackFit fit;
  Linearised at;
  linearise(steps, fit.log, at);
  fit.before = at.error;
  FactorMatrix prior{};
  for (std::size_t i = 0; i < kStackFactors; ++i) prior[i][i] = square(pooling.spread[i]);
  double variance = square(pooling.step);
  fit.sigma_before = predicted_spread(at, prior, variance);
  for (int round = 0; round < kRounds; ++round) {
    const Vector from = fit.log;
    fit.log = next(at, from, prior_weights(pooling, from), variance);
    linearise(steps, fit.log, at);
    // Steps far from the others count less, as in a t-distribution (a mixture of normal ones).
    for (std::size_t k = 0; k < steps.size() && steps.size() > 2 && round >= kAlike; ++k) {
      at.weight[k] = (kTail + 1) / (kTail + square(at.error[k]) / variance);
    }
    variance = step_variance(pooling, at);
    double moved = 0;
    for (std::size_t i = 0; i < kStackFactors; ++i) moved += std::abs(fit.log[i] - from[i]);
    if (moved < kStill && round > kAlike) break;
  }
  const FactorMatrix covariance = inverse(precision(at, prior_weights(pooling, fit.log), variance));
  fit.after = at.error;
  fit.step = std::sqrt(variance);
  fit.sigma_after = predicted_spread(at, covariance, variance);
  for (std::size_t i = 0; i < kStackFactors; ++i) {
    fit.sigma[i] = std::sqrt(covariance[i][i]);
    for (const Vector& slope : at.slope)
      fit.share[i] += slope[i] / static_cast<double>(steps.size());
  }
  return fit;
}

}  // namespace trcost::study
