// SPDX-License-Identifier: Apache-2.0
// Fields that say what software a run has: kernels, documents, formats, targets of adapters.
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
