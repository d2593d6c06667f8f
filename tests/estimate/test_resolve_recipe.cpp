// SPDX-License-Identifier: Apache-2.0
// The software that a question means where it names none.
#include <string>
#include <string_view>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/question/recipe_defaults.h"
#include "estimate/question/work/notes.h"

using namespace trcost;

namespace {

struct Software {
  std::string stack, tuning;
};

// The default stack of a full training of the model, empty without a default.
Software default_software(const Scenario& asked, std::string_view accelerator = "h100-sxm") {
  Notes notes(true);
  Scenario adapted;
  if (!usual_recipe(asked, test_catalog(), accelerator, notes, adapted)) return {};
  return {std::string(adapted.has(Field::efficiency_stack) ? adapted.text(Field::efficiency_stack)
                                                           : std::string_view()),
          std::string(adapted.text(Field::efficiency_tuning))};
}

Scenario training(std::string_view model) {
  Scenario out;
  out.set_text(Field::model_name, model);
  return out;
}

}  // namespace

TEST_CASE("large mixtures of experts are trained with software that is tuned for them",
          "[estimate][recipe]") {
  CHECK(default_software(training("deepseek-v3")).stack == "megatron");
  CHECK(default_software(training("deepseek-v3")).tuning == "showcase");
  CHECK(default_software(training("llama-4-scout")).stack == "megatron");  // 109B
  CHECK(default_software(training("olmoe-1b-7b")).stack.empty());
  CHECK(default_software(training("phi-3.5-moe")).stack.empty());     // 42B
  CHECK(default_software(training("llama-3.1-405b")).stack.empty());  // no mixture
  CHECK(default_software(training("deepseek-v3"), "tpu-v5p").stack.empty());
  CHECK(default_software(training("deepseek-v3"), "mi300x").stack == "megatron");
}

TEST_CASE("what a user says of software, or a job that is no full training, assumes none",
          "[estimate][recipe]") {
  Scenario s = training("deepseek-v3");
  s.set_text(Field::efficiency_tuning, "usual");
  CHECK(default_software(s).stack == "megatron");
  CHECK(default_software(s).tuning == "usual");
  s.set_text(Field::efficiency_stack, "fsdp");
  CHECK(default_software(s).stack.empty());

  Scenario adapted = training("deepseek-v3");
  adapted.set_text(Field::train_recipe, "lora");
  CHECK(default_software(adapted).stack == "hf-trainer");
  adapted.set_number(Field::layout_pp, 2);
  CHECK(default_software(adapted).stack.empty());
  Scenario samples = training("deepseek-v3");
  samples.set_number(Field::data_samples, 1e6);
  CHECK(default_software(samples).stack.empty());
  Scenario speed = training("deepseek-v3");
  speed.set_number(Field::efficiency_mfu, 0.4);
  CHECK(default_software(speed).stack == "megatron");  // a speed says nothing of memory
}

TEST_CASE("how many tokens there are makes no other software", "[estimate][recipe]") {
  for (const double tokens : {1e9, 99e9, 101e9, 15e12}) {
    Scenario s = training("deepseek-v3");
    s.set_number(Field::data_tokens, tokens);
    CHECK(default_software(s).stack == "megatron");
  }
}
