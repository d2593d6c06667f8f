// SPDX-License-Identifier: Apache-2.0
// The formulas of --explain compute: the numbers of every step evaluate to its result.
#include <cmath>
#include <string>
#include <vector>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/expression.h"
#include "text/files.h"
#include "trcost/estimate.h"
#include "workload/method.h"

using namespace trcost;

namespace {

Scenario scenario_with(const std::vector<std::pair<Field, std::string>>& fields) {
  Scenario out;
  for (const auto& [field, text] : fields) out.set(field_info(field), text, "test");
  return out;
}

Estimate explained(const Scenario& s) {
  EstimateOptions options;
  options.derivations = true;
  return estimate(s, test_catalog(), options).front();
}

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> out;
  std::size_t from = 0;
  for (std::size_t at = text.find(by); at != std::string::npos; at = text.find(by, from)) {
    out.push_back(text.substr(from, at - from));
    from = at + by.size();
  }
  out.push_back(text.substr(from));
  return out;
}

bool has_number(const std::string& text) {
  return text.find_first_of("0123456789") != std::string::npos;
}

void check_value(const std::string& numbers, const std::string& result) {
  INFO(numbers << " => " << result);
  const expression::Interval computed = expression::Parser(numbers).whole();
  const expression::Interval said = expression::Parser(result).first();
  CHECK(computed.low <= said.high + 1e-12);
  CHECK(computed.high >= said.low - 1e-12);
  // Numbers that leave the result open would say nothing; of what cancels nothing is left to say.
  if (said.high > 0) {
    CHECK(computed.high - computed.low <= 0.05 * std::abs(computed.middle()) + 1e-9);
  }
}

// Quantiles of draws, beside the shares of their variance.
void check_range(const Derivation& step) {
  double shares = 0;
  for (const std::string& each : split(step.numbers, ", ")) {
    const std::size_t end = each.rfind('%');
    if (end == std::string::npos) continue;
    shares += std::stod(each.substr(each.rfind(' ', end - 1) + 1));
  }
  if (step.numbers != "no input is uncertain") CHECK(std::abs(shares - 100) < 1);
}

void check_derivations(const Estimate& e) {
  REQUIRE(e.derivations.size() > 15);
  for (const Derivation& step : e.derivations) {
    INFO(step.name << ": " << step.formula);
    CHECK(!step.result.empty());
    CHECK(!step.numbers.empty());
    if (step.name == "range") {
      check_range(step);
      continue;
    }
    if (!has_number(step.result)) continue;  // n/a, none
    const std::vector<std::string> numbers = split(split(step.numbers, ";").front(), " to ");
    const std::vector<std::string> results =
        numbers.size() > 1 ? split(step.result, " to ") : std::vector{step.result};
    REQUIRE(numbers.size() == results.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) check_value(numbers[i], results[i]);
  }
}

// The result of the last step of that name.
double result_of(const Estimate& e, const std::string& name) {
  for (auto step = e.derivations.rbegin(); step != e.derivations.rend(); ++step) {
    if (step->name == name) return expression::Parser(step->result).first().middle();
  }
  FAIL("no step " << name);
  return 0;
}

// The chain ends at what is answered.
void check_ends(const Estimate& e) {
  CHECK(result_of(e, "GPU-hours") == Approx(e.gpu_hours).epsilon(1e-3));
  CHECK(result_of(e, "model FLOPs") == Approx(e.flops.model).epsilon(1e-3));
  CHECK(result_of(e, "MFU x useful time") ==
        Approx(e.performance.mfu * e.performance.goodput * e.performance.production_overhead)
            .epsilon(1e-3));
  // Written in six digits: at most half of the last of 100000 off.
  CHECK(result_of(e, "total") == Approx(*e.cost.total).epsilon(5e-6));
}

}  // namespace

TEST_CASE("what --explain writes of each method computes", "[derivations][methods]") {
  constexpr int kMethods = 8;
  for (int i = 0; i < kMethods; ++i) {
    const MethodRow& row = method_row(static_cast<Method>(i));
    Scenario s = scenario_with({{Field::train_method, std::string(row.name)},
                                {Field::model_name, "llama-3.1-8b"},
                                {Field::hardware_accelerator, "h100-sxm"},
                                {Field::hardware_gpus, "64"}});
    for (const char* recompute : {"none", "full"}) {
      s.set_text(Field::layout_recompute, recompute);
      INFO(row.name << ", recompute " << recompute);
      const Estimate e = explained(s);
      check_derivations(e);
      check_ends(e);
    }
  }
}

TEST_CASE("what --explain writes of rounds computes wherever responses come from",
          "[derivations][methods]") {
  const std::vector<std::pair<Field, std::string>> grpo = {
      {Field::train_method, "grpo"},         {Field::model_name, "qwen3-30b-a3b"},
      {Field::hardware_accelerator, "h200"}, {Field::hardware_gpus, "64"},
      {Field::rollout_epochs, "2"},          {Field::rollout_verifier, "20"}};
  for (const char* placement : {"colocated", "split", "async"}) {
    auto fields = grpo;
    fields.emplace_back(Field::rollout_placement, placement);
    INFO(placement);
    const Estimate e = explained(scenario_with(fields));
    check_derivations(e);
    check_ends(e);
  }
  const Estimate ppo = explained(scenario_with({{Field::train_method, "ppo"},
                                                {Field::model_name, "llama-3.2-1b"},
                                                {Field::rollout_critic_model, "llama-3.1-8b"},
                                                {Field::hardware_accelerator, "h100-sxm"},
                                                {Field::hardware_gpus, "32"},
                                                {Field::cost_pricing, "own"}}));
  check_derivations(ppo);
  check_ends(ppo);
  const Estimate dpo = explained(scenario_with({{Field::train_method, "dpo"},
                                                {Field::model_name, "llama-3.1-8b"},
                                                {Field::hardware_accelerator, "h100-sxm"},
                                                {Field::hardware_gpus, "32"},
                                                {Field::efficiency_mfu, "0.3"}}));
  check_derivations(dpo);
  check_ends(dpo);
}

TEST_CASE("what --explain writes of plain runs computes", "[derivations]") {
  using Fields = std::vector<std::pair<Field, std::string>>;
  const Fields questions[] = {
      {{Field::model_params, "70e9"},
       {Field::hardware_accelerator, "h100-sxm"},
       {Field::hardware_gpus, "64"},
       {Field::cost_pricing, "spot"}},
      {{Field::model_name, "deepseek-v3"},
       {Field::hardware_accelerator, "h800"},
       {Field::hardware_gpus, "2048"},
       {Field::data_tokens, "14.8T"},
       {Field::cost_pricing, "own"},
       {Field::cost_support_rate, "0.05"}},
      {{Field::model_params, "10e9"},
       {Field::model_modality, "vl"},
       {Field::hardware_accelerator, "b200"},
       {Field::cost_pricing, "reserved-3y"}},
      {{Field::model_name, "llama-3.1-8b"},
       {Field::train_recipe, "lora"},
       {Field::data_samples, "50000"},
       {Field::hardware_accelerator, "a100-sxm-40gb"},
       {Field::hardware_gpus, "2"},
       {Field::train_offload, "all"}},
      {{Field::model_name, "llama-3.1-405b"},
       {Field::data_tokens, "15.6T"},
       {Field::hardware_accelerator, "h100-sxm"},
       {Field::hardware_gpus, "32768"},
       {Field::cost_experiments, "1.5"},
       {Field::cost_storage, "on"},
       {Field::cost_egress, "5e12"}},
      {{Field::model_params, "7e9"},
       {Field::data_tokens, "1e12"},
       {Field::hardware_accelerator, "h200"},
       {Field::efficiency_mfu, "0.4"},
       {Field::efficiency_goodput, "0.93"},
       {Field::cost_price_per_gpu_hour, "2..3"}},
      {{Field::model_params, "7e9"},
       {Field::data_tokens, "1e10"},
       {Field::hardware_accelerator, "gb300-nvl72"},
       {Field::cost_pricing, "spot"},
       {Field::efficiency_checkpoint_stall, "0"}},
      {{Field::model_params, "7e9"},
       {Field::data_tokens, "1e10"},
       {Field::hardware_accelerator, "rtx-3090"},
       {Field::hardware_gpus, "64"},
       {Field::cost_checkpoint_interval, "1d"}},
  };
  for (const Fields& question : questions) {
    const Scenario s = scenario_with(question);
    INFO(scenario_to_json(s));
    const Estimate e = explained(s);
    check_derivations(e);
    if (e.cost.total) check_ends(e);
  }
}

TEST_CASE("what --explain writes of stages computes, stage by stage", "[derivations][stages]") {
  const std::string path = TRCOST_SOURCE_DIR "/examples/scenarios/llava-two-stages.json";
  const Estimate e = explained(scenario_from_json(read_text_file(path), path));
  check_derivations(e);
  for (const StageResult& stage : e.stages) {
    CHECK(result_of(e, stage.name + ": GPU-hours") == Approx(stage.gpu_hours).epsilon(1e-3));
  }
}

TEST_CASE("the reader of expressions knows wrong from right", "[derivations]") {
  const auto at = [](const char* text) { return expression::Parser(text).whole(); };
  CHECK(at("2 + 3 x 4 GPU-hour / 2 USD").middle() == Approx(8));
  CHECK(at("$18,738 x 10^(-0.14 x (1.65 + 0))").middle() == Approx(11008).epsilon(1e-3));
  CHECK(at("median(3, 9, 4) x max(1, 2)").middle() == Approx(8));
  CHECK(at("kernel 0.5486 x attention 0.9443").middle() == Approx(0.51804).epsilon(1e-4));
  const expression::Interval rounded = at("48.58B x 9.241B");
  CHECK(rounded.high < 8.977e20 / 1.9);
  CHECK_THROWS(at("4 x"));
  CHECK_THROWS(at("1 / (2 - 2)"));
}
