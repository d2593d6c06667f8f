// SPDX-License-Identifier: Apache-2.0
// Prices, and what a sweep is asked.
#include <cmath>
#include <sstream>

#include "fuzz/borders.h"
#include "json/strict_json.h"
#include "prices/rows/price_import.h"
#include "report/about/sweep.h"
#include "study/calibrate/calibrate.h"
#include "study/calibrate/training_log.h"
#include "study/sweep/plan.h"
#include "study/transfer/transfer.h"
#include "trcost/catalog.h"
#include "trcost/serving.h"
#include "trcost/solve.h"

namespace trcost::fuzz {
namespace {

const Catalog& built_in() {
  static const Catalog catalog;
  return catalog;
}

Scenario small_run() {
  return scenario_from_json(R"({"model": {"params": 1e9}, "data": {"tokens": 1e9},
    "hardware": {"accelerator": "h100-sxm", "gpus": 8}})",
                            "base.json");
}

}  // namespace

void prices(std::string_view bytes) {
  attempt([&] {
    PriceImportOptions options;
    options.provider = "X";
    options.date = "2026-10-01";
    options.source = "fuzz";
    options.catalog = &built_in();
    const PriceImport import = import_prices(bytes, "fuzz.csv", options);
    (void)parse_strict_json(price_file_json(import, options), "imported.json");
  });
}

// Lines are --vary, --where, --select, --sort and --pareto by their first letter.
void sweep(std::string_view bytes) {
  SweepRequest request;
  request.base = small_run();
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.size() < 2 || line.find('@') != line.npos) continue;  // @ reads a file
    const std::string word(line.substr(1));
    if (line[0] == 'v') request.vary.push_back(word);
    if (line[0] == 'w') request.where.push_back(word);
    if (line[0] == 's') request.select = word;
    if (line[0] == 'o') request.sort = word;
    if (line[0] == 'p') request.pareto = word;
  }
  attempt([&] { require(SweepPlan(request, built_in()).size() >= 1); });
}

// One word each of --to, --for, --target, --shard and --claim.
void words(std::string_view bytes) {
  static const ServingReport served = [] {
    ServingQuestion question;
    question.scenario.set_text(Field::model_name, "llama-3-8b");
    question.scenario.set_text(Field::hardware_accelerator, "h100-sxm");
    question.curve = false;
    return serving_report(question, built_in());
  }();
  attempt([&] {
    for (const TransferTarget& target : parse_transfer_targets(bytes)) {
      require(!target.accelerator.empty() && target.gpus.value_or(1) >= 1);
    }
  });
  attempt([&] { require(is_numeric(solve_field(bytes).kind)); });
  attempt([&] { require(solve_target(bytes, 1).column != nullptr); });
  attempt([&] {
    const SweepShard shard = parse_shard(bytes);
    require(shard.part >= 1 && shard.part <= shard.parts);
  });
  // No case is an answer too: against the one chip that is served there is nothing to compare.
  attempt([&] { require(!judge_claim(bytes, {}, built_in(), served).verdict.empty()); });
  attempt(
      [&] { require(!judge_claim("2x over h200", bytes, built_in(), served).verdict.empty()); });
}

void resume(std::string_view bytes) {
  SweepRequest request;
  request.base = small_run();
  request.vary = {"hardware.gpus=8,16,32", "data.seq_length=2048,4096"};
  request.select = "gpus,cost.total";
  const SweepPlan plan(request, built_in());
  for (const Format format : {Format::csv, Format::jsonl}) {
    attempt([&] {
      const SweepResume found =
          resume_sweep(plan, built_in(), sweep_file(plan, format), file_with(bytes));
      require(found.bytes <= bytes.size() && found.next <= plan.size());
    });
  }
}

void training_log(std::string_view bytes) {
  attempt([&] {
    std::istringstream in{std::string(bytes)};
    const LogSteps log = read_training_log(in, "fuzz");
    require(std::isfinite(log.value) && log.value > 0 && log.scatter >= 0);
  });
}

void measured_rows(std::string_view bytes) {
  attempt([&] {
    Measurements read;
    read_measured_rows(built_in(), bytes, "fuzz", small_run(), read);
    const CalibrationResult result = calibrate(built_in(), std::move(read));
    require(std::isfinite(result.sigma) && result.sigma > 0);
    parse_strict_json(result.stack_json, "fuzz");
  });
}

}  // namespace trcost::fuzz
