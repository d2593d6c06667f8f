// SPDX-License-Identifier: Apache-2.0
// Properties of every answer.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/cluster/execution.h"
#include "estimate/columns/estimate_columns.h"
#include "estimate/random_scenario.h"
#include "planner/plan.h"
#include "repeats.h"
#include "report/row_text.h"
#include "text/unicode.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "trcost/report.h"

using namespace trcost;

namespace {

// Every network, within nodes and between them, has twice its bandwidth.
const Catalog& faster_links() {
  static const Catalog instance = [] {
    namespace fs = std::filesystem;
    const fs::path folder =
        fs::temp_directory_path() / ("trcost-faster-links-" + std::to_string(::getpid()));
    fs::create_directories(folder / "systems");
    for (const auto& file : fs::directory_iterator(TRCOST_SOURCE_DIR "/data/systems")) {
      std::ifstream in(file.path());
      nlohmann::json system = nlohmann::json::parse(in);
      for (nlohmann::json& tier : system["tiers"]) {
        nlohmann::json& value = tier["bytes_per_second_per_direction"]["value"];
        value = 2 * value.get<double>();
      }
      std::ofstream(folder / "systems" / file.path().filename()) << system.dump();
    }
    return Catalog(folder.string());
  }();
  return instance;
}

bool near(double a, double b, double tolerance = 1e-9) {
  return std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1e-300});
}

/// Counts rather than asserts: a hundred thousand answers with forty checks each.
class Promises {
 public:
  void hold(bool promise, const char* what, std::uint64_t seed, const Scenario& scenario) {
    ++checked_;
    if (promise) return;
    INFO("seed " << seed << ": " << scenario_to_json(scenario));
    FAIL_CHECK(what);
  }
  [[nodiscard]] double checked() const { return checked_; }

 private:
  double checked_ = 0;
};

struct Asked {
  Scenario scenario;
  std::uint64_t seed = 0;
  Promises* promises = nullptr;
  void hold(bool promise, const char* what) const { promises->hold(promise, what, seed, scenario); }
};

std::optional<Estimate> try_estimate(const Scenario& scenario, bool range = false,
                                     const Catalog& data = test_catalog()) {
  EstimateOptions options;
  options.range = range;
  try {
    return estimate(scenario, data, options).at(0);
  } catch (const Error& error) {
    if (error.message.empty() || first_unprintable(error.message)) FAIL_CHECK(error.what());
    return std::nullopt;
  }
}

void check_numbers(const Asked& asked, const Estimate& e) {
  for (const EstimateColumn& column : columns()) {
    if (column.kind != ColumnKind::number) continue;
    const std::optional<double> value = column.number(e);
    asked.hold(!value || (std::isfinite(*value) && *value >= 0), column.path.data());
  }
}

void check_bill(const Asked& asked, const Estimate& e) {
  double sum = 0;
  bool known = true;
  for (const LineItem& item : e.cost.items) {
    if (item.included) {
      known = known && item.amount.has_value();
      sum += item.amount.value_or(0);
    }
    if (item.amount && item.unit_price) {
      asked.hold(near(item.quantity * *item.unit_price, *item.amount), "quantity x price = amount");
    }
  }
  asked.hold(known == e.cost.total.has_value(), "a total is known where all its items are");
  if (!e.cost.total) return;
  asked.hold(near(sum, *e.cost.total), "items sum to the total");
  if (e.cost.per_million_tokens && e.tokens.total > 0) {
    asked.hold(near(*e.cost.per_million_tokens * e.tokens.total / 1e6, *e.cost.total),
               "dollars per million tokens x tokens = total");
  }
}

void check_run(const Asked& asked, const Estimate& e) {
  const PerformanceSummary& p = e.performance;
  asked.hold(p.mfu > 0 && p.mfu <= 1, "MFU is a share");
  asked.hold(p.hfu >= p.mfu * (1 - 1e-9), "HFU is not below MFU");
  asked.hold(p.goodput > 0 && p.goodput <= 1, "goodput is a share");
  if (e.one_layout && e.phases.size() <= 1) {
    asked.hold(e.layout.gpus() <= e.gpus, "the layout has no more GPUs than the cluster");
    const MemoryUse& m = e.memory;
    asked.hold(m.fits == (m.total <= m.capacity), "it fits where the total is within the capacity");
    asked.hold(near(m.weights + m.gradients + m.optimizer + m.activations + m.logits + m.overhead +
                        m.resident + m.generated().weights + m.generated().cache,
                    m.total),
               "memory's parts sum to its total");
    asked.hold(near(e.gpu_hours * 3600, e.gpus * e.wall_clock_seconds), "GPU-hours = GPUs x time");
  }
  double left = 1;
  for (const WaterfallTerm& term : e.waterfall) left *= term.share;
  asked.hold(e.waterfall.empty() || (left > 0 && left <= 1), "the waterfall ends within the peak");
}

void check_quantiles(const Asked& asked, const Estimate& e) {
  const auto ordered = [&](const Quantiles& q) {
    return q.p10 <= q.p50 && q.p50 <= q.p90 && q.p10 >= 0;
  };
  asked.hold(ordered(e.range.gpu_hours), "quantiles of GPU-hours rise");
  asked.hold(ordered(e.range.wall_clock_seconds), "quantiles of the time rise");
  asked.hold(!e.range.total_usd || ordered(*e.range.total_usd), "quantiles of dollars rise");
}

std::string json_of(const Scenario& scenario, const Estimate& e) {
  Report report;
  report.scenario = &scenario;
  report.estimates = {&e, 1};
  return render_json(report);
}

/// The JSON document's scenario asks the same question, and CSV has the same figures.
void check_documents(const Asked& asked, const Estimate& e) {
  const std::string text = json_of(asked.scenario, e);
  const nlohmann::json document = nlohmann::json::parse(text);
  const Scenario again = scenario_from_json(document.at("scenario").dump(), "again.json");
  const std::optional<Estimate> same = try_estimate(again, true);
  asked.hold(same.has_value() && json_of(again, *same) == text, "an answer replays to its bytes");

  const auto& all = all_columns();
  const nlohmann::json row = nlohmann::json::parse(RowText(all, Format::jsonl).of(e));
  for (const EstimateColumn* column : all) {
    std::string cell;
    append_csv(cell, column->value(e), column->path);
    const nlohmann::json& value = row.at(std::string(column->path));
    const bool equal = value.is_number()    ? std::stod(cell) == value.get<double>()
                       : value.is_null()    ? cell.empty()
                       : value.is_boolean() ? cell == (value.get<bool>() ? "true" : "false")
                                            : true;
    asked.hold(equal, "CSV says what JSON says");
  }
}

/// Without what the question gives, a change of one field moves the answer the right way.
void check_order(const Asked& asked, const Estimate& e) {
  const Scenario& s = asked.scenario;
  const auto with = [&](Field field, double factor) -> std::optional<Estimate> {
    const std::optional<double> value = s.number(field);
    const FieldInfo& info = field_info(field);
    if (!value || s.distribution(field) != nullptr || *value * factor > info.highest) return {};
    Scenario other = s;
    other.set_number(field, *value * factor);
    return try_estimate(other);
  };
  if (const auto more = with(Field::data_tokens, 2)) {
    asked.hold(more->flops.model >= e.flops.model * (1 - 1e-9), "more tokens are more FLOPs");
    // Steps that take twice the tokens for the same loss are another training.
    const bool same = same_training(s, e) && same_training(s, *more);
    if (same && !s.has(Field::hardware_deadline) && s.has(Field::hardware_gpus)) {
      asked.hold(more->gpu_hours >= e.gpu_hours * 0.98, "more tokens take no fewer GPU-hours");
    }
  }
  if (const auto dearer = with(Field::cost_price_per_gpu_hour, 2); dearer && e.cost.total) {
    asked.hold(dearer->cost.total >= e.cost.total, "a dearer hour is no cheaper run");
  }
  // The simpler of two layouts 2 % apart is taken; a deadline may be met with fewer accelerators,
  // and other steps may be worth more to the loss than their time.
  if (const auto faster = try_estimate(s, false, faster_links());
      faster && faster->gpus == e.gpus && faster->layout.global_batch == e.layout.global_batch) {
    asked.hold(faster->performance.step_seconds <= e.performance.step_seconds * 1.02,
               "steps over a faster link take no longer");
    // Accelerators that work together also write checkpoints together.
    asked.hold(faster->layout.gpus() < e.layout.gpus() ||
                   faster->wall_clock_seconds <= e.wall_clock_seconds * 1.02,
               "a faster link takes no longer");
  }
}

struct Tally {
  int asked = 0, answered = 0;
  double layouts = 0;
  Promises promises;
};

Tally check_random_scenarios(std::uint64_t first, int number) {
  Tally out;
  for (int i = 0; i < number; ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    Asked asked{{}, seed, &out.promises};
    ++out.asked;
    try {
      asked.scenario = random::scenario(test_catalog(), seed, i % 3 == 0 ? 200 : 25);
    } catch (const Error&) {
      continue;  // a value that the table refuses
    }
    const bool whole = i % 8 == 0;
    const double before = layouts_considered();
    const std::optional<Estimate> e = try_estimate(asked.scenario, whole);
    const double layouts = layouts_considered() - before;
    out.layouts = std::max(out.layouts, layouts);
    asked.hold(layouts <= kMostLayoutsOfEstimate, "an estimate tries no more layouts than stated");
    if (!e) continue;
    ++out.answered;
    check_numbers(asked, *e);
    check_bill(asked, *e);
    check_run(asked, *e);
    if (whole) {
      check_quantiles(asked, *e);
      check_documents(asked, *e);
    } else if (i % 8 == 4) {
      check_order(asked, *e);
    }
  }
  return out;
}

void told(const Tally& tally) {
  WARN(tally.asked << " questions, " << tally.answered << " answers, " << tally.promises.checked()
                   << " checks; at most " << tally.layouts << " layouts for one answer");
  CHECK(tally.answered > tally.asked / 3);
}

}  // namespace

TEST_CASE("what holds of every answer", "[property][random]") {
  told(check_random_scenarios(1, repeats(5000)));
}

TEST_CASE("what holds of every answer, a hundred thousand times", "[.][nightly]") {
  told(check_random_scenarios(1'000'000, 100'000));
}
