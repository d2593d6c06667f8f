// SPDX-License-Identifier: Apache-2.0
// Estimates made by hand, with round numbers that can be followed through a renderer.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "trcost/estimate.h"

namespace trcost::sample {

inline std::vector<LineItem> items(double gpu_hours, double price) {
  return {{Part::compute, "", gpu_hours, Unit::gpu_hour, price, gpu_hours * price, true,
           "median of 7 on-demand prices", "2026-09"},
          {Part::checkpoints, "", 1234.5, Unit::gb_month, 0.023, 1234.5 * 0.023, true,
           "object storage, list price", "2026-08"},
          {Part::energy, "", 42000, Unit::kwh, std::nullopt, std::nullopt, false, "", ""}};
}

inline void set_bill(Estimate& e, double gpu_hours, double price) {
  e.gpu_hours = gpu_hours;
  e.cost.price_per_gpu_hour = price;
  e.cost.items = items(gpu_hours, price);
  e.cost.total = *e.cost.items[0].amount + *e.cost.items[1].amount;
  e.cost.per_million_tokens = *e.cost.total / (e.tokens.total / 1e6);
  e.range.gpu_hours = {gpu_hours * 0.8, gpu_hours, gpu_hours * 1.25};
  e.range.wall_clock_seconds = {2e6, 2.5e6, 3.1e6};
  e.range.total_usd = Quantiles{*e.cost.total * 0.75, *e.cost.total, *e.cost.total * 1.33};
  const double total = *e.cost.total;
  e.range.contributions = {{"MFU", 0.6, 0.2, "published rows", 0, {}, total / 1.25, total * 1.25},
                           {"price", 0.395, 0.16, "quotes", 0, {}, total / 1.2, total * 1.2},
                           {"goodput", 0.005, 0.02, "published rows", 0, {}, total, total}};
  e.range.method = "closed form (product of lognormals)";
}

inline void set_work(Estimate& e) {
  e.model = {"10.0B vl", true, 1e10, 1e10, 3.04e8, 2.1e7, 1e10, 32, 4096, 32, 8, 14336, 128256};
  e.tokens = {2e11, 1.5e11, 5e10, 5e10};
  e.flops = {1.3e22, 1.35e22, 6.5e10, 1.29e22, 9e19, 1e19, 1.2e22};
  e.layout.tp = 2;
  e.layout.dp = 64;
  e.layout.micro_batch = 2;
  e.layout.global_batch = 1024;
  e.memory = {1e10, 2e10, 1.5e10, 1.2e10, 2e9, 3e9, 6.2e10, 8e10, true};
  e.steps = 47684;
  e.seq_length = 4096;
}

inline void set_performance(Estimate& e) {
  e.performance.step_seconds = 2.5;
  e.performance.tokens_per_second_per_gpu = 13107.2;
  e.performance.tflops_per_gpu = 430;
  e.performance.mfu = 0.432;
  e.performance.hfu = 0.45;
  e.performance.mfu_bf16 = 0.432;
  e.performance.interconnect_efficiency = 0.96;
  e.performance.goodput = 0.97;
  e.performance.production_overhead = 0.9;
  e.performance.method = "analytic; median error 7% on 41 published Megatron rows on Hopper";
  e.performance.quality = MethodQuality{"analytic", 0.11, 0.07, 41, "Megatron on Hopper"};
  e.waterfall = {{"kernel efficiency", 0.6}, {"attention", 0.9}, {"tensor parallel", 0.8},
                 {"pipeline bubble", 1.0},   {"goodput", 0.97},  {"production overhead", 0.9}};
}

/// A complete estimate of `accelerator` with that many GPU-hours at that price.
inline Estimate estimate(const std::string& accelerator, double gpu_hours, double price) {
  Estimate e;
  e.accelerator = accelerator;
  e.accelerator_title = accelerator;
  e.system = "dgx-" + accelerator;
  e.gpus = 128;
  set_work(e);
  set_performance(e);
  set_bill(e, gpu_hours, price);
  e.wall_clock_seconds = gpu_hours / e.gpus * 3600;
  e.energy = {42000, 15000, 4.7e9, 1.3e7, 0.5};
  e.rollout = RolloutSummary{500, 4096, 8e9, 0.6, 0.5, 0.2, 4, 64, 17.5, 1.1};
  e.pipeline = PipelineResult{1200, 3e8, 1.5, 5e12, true, "the GPUs set the pace"};
  e.assumptions = {{"data.tokens", "200B", "tokens", "compute-optimal for the parameters",
                    "Epoch's refit of Hoffmann et al."},
                   {"data.seq_length", "4096", "tokens", "the usual length", ""}};
  e.warnings = {"the image share is assumed"};
  e.runner_up = "tp 1, dp 128: 2% slower";
  return e;
}

/// The same with nothing that an optional figure needs.
inline Estimate incomplete(const std::string& accelerator) {
  Estimate e = estimate(accelerator, 1e5, 2);
  e.complete = false;
  e.energy = {};
  e.cost.price_per_gpu_hour.reset();
  e.cost.total.reset();
  e.cost.per_million_tokens.reset();
  e.cost.items[0].unit_price.reset();
  e.cost.items[0].amount.reset();
  e.range = {};
  e.pipeline.reset();
  e.rollout.reset();
  return e;
}

inline std::vector<Estimate> five() {
  return {estimate("a100-sxm-80gb", 180000, 1.4), estimate("h100-sxm", 80000, 2.25),
          estimate("b200", 42000, 3.9), estimate("gb200-nvl72", 39000.25, 4.1),
          estimate("gb300-nvl72", 37000, 4.9)};
}

}  // namespace trcost::sample
