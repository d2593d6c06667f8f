// SPDX-License-Identifier: Apache-2.0
// Fields that say what software a run has: kernels, documents, formats, targets of adapters.
#include <cmath>
#include <utility>
#include <vector>

#include "catalog/software/tools.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

using namespace trcost;
using Catch::Matchers::WithinRel;

namespace {

Estimate run_with(std::initializer_list<std::pair<Field, const char*>> fields) {
  Scenario s;
  s.set_text(Field::model_name, "llama-3.1-8b");
  s.set_number(Field::data_tokens, 1e9);
  s.set_text(Field::hardware_accelerator, "a100-sxm-80gb");
  s.set_number(Field::hardware_gpus, 8);
  for (const auto& [field, value] : fields) s.set(field_info(field), value, "test");
  return estimate(s, test_catalog()).at(0);
}

}  // namespace

TEST_CASE("plain kernels are slower than usual ones, fused ones faster", "[estimate][software]") {
  const auto seconds = [](const char* kernels) {
    return run_with({{Field::efficiency_stack, "hf-trainer"},
                     {Field::data_seq_length, "8192"},
                     {Field::efficiency_kernels, kernels}})
        .wall_clock_seconds;
  };
  const double usual =
      run_with({{Field::efficiency_stack, "hf-trainer"}, {Field::data_seq_length, "8192"}})
          .wall_clock_seconds;
  CHECK(seconds("plain") > 1.2 * usual);
  CHECK(seconds("fused") < usual);
}

// Attention stops at the border of a document, so its FLOPs are those of sequences as long.
TEST_CASE("attention sees documents, not the sequence", "[estimate][software]") {
  const auto flops = [](const char* length, const char* document) {
    return run_with({{Field::data_seq_length, length}, {Field::data_document_tokens, document}})
        .flops.model;
  };
  CHECK_THAT(flops("65536", "4096"), WithinRel(flops("4096", "4096"), 1e-12));
  CHECK(flops("65536", "65536") > 1.5 * flops("65536", "4096"));
}

TEST_CASE("a base in 4 bits makes lora what qlora is", "[estimate][software]") {
  const auto total = [](const char* recipe, const char* base) {
    return run_with({{Field::hardware_gpus, "1"},
                     {Field::train_recipe, recipe},
                     {Field::train_base_precision, base}})
        .memory.weights;
  };
  const double four = total("lora", "nf4"), eight = total("lora", "int8");
  CHECK(four == total("qlora", "nf4"));
  CHECK(four < eight);
  CHECK(eight < total("lora", "bf16"));
  CHECK_THROWS_AS(total("qlora", "bf16"), Error);
}

TEST_CASE("shorter formats never slow a step down", "[estimate][software]") {
  const double usual = run_with({}).wall_clock_seconds;
  CHECK(run_with({{Field::train_gradient_precision, "bf16"}}).wall_clock_seconds <= usual);
  CHECK(run_with({{Field::train_gather_precision, "fp8"}}).wall_clock_seconds <= usual);
}

TEST_CASE("Muon costs more than AdamW per step", "[estimate][software]") {
  const auto seconds = [](const char* optimizer) {
    return run_with({{Field::train_optimizer, optimizer}, {Field::train_global_batch, "8"}})
        .wall_clock_seconds;
  };
  CHECK(seconds("muon") > 1.02 * seconds("adamw"));
}

// A tool's name is the stack it trains with and what it sets unless told otherwise.
TEST_CASE("every tool stands for a stack of the catalog and fields with valid values",
          "[estimate][software][tools]") {
  for (const catalog::Tool& tool : catalog::training_tools(test_catalog())) {
    INFO(tool.title);
    CHECK_FALSE(tool.names.empty());
    CHECK(test_catalog().entry_of(CatalogKind::stacks, tool.stack) == tool.stack);
    for (const std::string& name : tool.names) {
      INFO(name);
      CHECK(&test_catalog().stack(name) == &test_catalog().stack(tool.stack));
    }
    Scenario s;
    for (const auto& [path, value] : tool.defaults) {
      REQUIRE(find_field(path) != nullptr);
      CHECK_NOTHROW(s.set(*find_field(path), value, tool.title));
    }
  }
}

TEST_CASE("a tool answers as its stack with its defaults, and a flag wins",
          "[estimate][software][tools]") {
  const auto cost = [](std::initializer_list<std::pair<Field, const char*>> fields) {
    return *run_with(fields).cost.total;
  };
  CHECK(cost({{Field::efficiency_stack, "TRL"}, {Field::train_recipe, "lora"}}) ==
        cost({{Field::efficiency_stack, "hf-trainer"},
              {Field::train_recipe, "lora"},
              {Field::train_lora_rank, "16"},
              {Field::train_lora_targets, "qv"},
              {Field::layout_recompute, "full"}}));
  CHECK(cost({{Field::efficiency_stack, "llama-factory"}, {Field::layout_recompute, "none"}}) ==
        cost({{Field::efficiency_stack, "hf-trainer"}, {Field::layout_recompute, "none"}}));
  CHECK_THROWS_AS(cost({{Field::efficiency_stack, "axolotll"}}), Error);
}

// 5e9 tokens of a ramp at 4,096 tokens a sequence: steps x step time, of which the part that does
// not depend on the batch is paid ln(B / b) B / (B - b) as often.
TEST_CASE("a batch that grows pays the fixed part of a step more often", "[estimate][software]") {
  const auto hours = [](const char* batch, const char* ramp) {
    std::vector<std::pair<Field, const char*>> fields{
        {Field::layout_tp, "1"},         {Field::layout_pp, "1"},
        {Field::layout_dp, "8"},         {Field::layout_sharding, "parameters"},
        {Field::train_micro_batch, "1"}, {Field::train_global_batch, batch},
        {Field::data_seq_length, "4096"}};
    Scenario s;
    s.set_text(Field::model_name, "llama-3.1-8b");
    s.set_number(Field::data_tokens, 1e10);
    s.set_text(Field::hardware_accelerator, "a100-sxm-80gb");
    s.set_number(Field::hardware_gpus, 8);
    s.set_number(Field::efficiency_goodput, 1);
    s.set_number(Field::efficiency_production_overhead, 1);
    for (const auto& [field, value] : fields) s.set(field_info(field), value, "test");
    if (ramp != nullptr) s.set(field_info(Field::train_batch_ramp), ramp, "test");
    return estimate(s, test_catalog()).at(0);
  };
  const Estimate whole = hours("256", nullptr), small = hours("8", nullptr);
  const double step = whole.performance.step_seconds, first = small.performance.step_seconds;
  const double fixed = step - 256 * (step - first) / (256 - 8);
  const double more = std::log(256. / 8) * 256 / (256 - 8) - 1;
  const double factor = 1 + 0.5 * more * fixed / step;
  CHECK_THAT(hours("256", "5e9").gpu_hours, WithinRel(whole.gpu_hours * factor, 1e-9));
  CHECK(factor > 1);
}

// Lengths of mean 790 and spread 0.68 of ln: 0.68 of the mean stays of what 512 tokens cut.
TEST_CASE("a limit cuts the long samples alone", "[estimate][software]") {
  const auto tokens = [](const char* limit) {
    Scenario s;
    s.set_text(Field::model_name, "llama-3.1-8b");
    s.set_text(Field::train_recipe, "lora");
    s.set_number(Field::data_samples, 1e4);
    s.set_number(Field::data_text_tokens_per_sample, 1000);
    s.set_text(Field::hardware_accelerator, "a100-sxm-80gb");
    s.set_number(Field::hardware_gpus, 1);
    if (limit != nullptr) s.set(field_info(Field::data_sample_limit), limit, "test");
    return estimate(s, test_catalog()).at(0).tokens.total;
  };
  CHECK(tokens(nullptr) == 1e7);
  CHECK(tokens("1000000") == 1e7);
  // E[min(X, 1000)] / 1000 = Phi(s / 2 - s) + 1 - Phi(s / 2) = 2 Phi(-0.34), s = 0.68.
  CHECK_THAT(tokens("1000"), WithinRel(2 * 0.366928 * 1e7, 2e-3));
  CHECK(tokens("200") < 2e6);
  CHECK(tokens("200") > 1.9e6);
}

TEST_CASE("a project has more hours than its final run, and a wider range",
          "[estimate][software]") {
  const Estimate run = run_with({}), project = run_with({{Field::efficiency_scope, "project"}});
  CHECK_THAT(project.gpu_hours, WithinRel(run.gpu_hours / 0.72, 1e-9));
  CHECK(project.range.gpu_hours.p90 / project.range.gpu_hours.p10 >
        run.range.gpu_hours.p90 / run.range.gpu_hours.p10);
}
