// SPDX-License-Identifier: Apache-2.0
// Default number and length of samples, and their notes.
#include <algorithm>
#include <string>

#include "catalog/assumed.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/answer.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

Scenario eight_gpu_run(const char* model) {
  Scenario s;
  s.set_text(Field::model_name, model);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 8);
  return s;
}

const Assumption& required_assumption(const Estimate& e, Field field) {
  const auto found = std::ranges::find(e.assumptions, field_info(field).path, &Assumption::path);
  INFO(field_info(field).path);
  REQUIRE(found != e.assumptions.end());
  return *found;
}

}  // namespace

// The cards of two datasets say bytes and rows; 3.94 characters are a token (arXiv:2407.21783).
TEST_CASE("lengths of samples follow from the bytes of published datasets", "[samples]") {
  constexpr double kCharacters = 3.94;
  const double example = 2'914'250'827.0 / 939'343;
  CHECK(*test_catalog().assumed().instructions.text_tokens ==
        Approx(example / kCharacters).epsilon(0.02));
  // A row of preferences holds its prompt in four columns, the chosen answer in two and the other
  // in one; the rows that leave one chosen answer out are 325,040,536 bytes.
  const double pairs = 61'135, row = 405'688'662 / pairs;
  const double answer = (405'688'662 - 325'040'536) / pairs;
  const double prompt = (row - 3 * answer) / 4;
  CHECK(*test_catalog().assumed().preferences.text_tokens ==
        Approx((prompt + answer) / kCharacters).epsilon(0.02));
}

TEST_CASE("samples without a given length take that of their kind, with a note", "[samples]") {
  Scenario dpo = eight_gpu_run("llama-3.1-8b");
  dpo.set_text(Field::train_method, "dpo");
  const Estimate pairs = answer(dpo);
  CHECK(pairs.tokens.total == 61135.0 * 2 * 500);
  CHECK(required_assumption(pairs, Field::data_text_tokens_per_sample).value == "500");
  CHECK(
      required_assumption(pairs, Field::data_text_tokens_per_sample).source.find("ultrafeedback") !=
      std::string::npos);

  Scenario sft = eight_gpu_run("llama-3.1-8b");
  sft.set_number(Field::data_samples, 1000);
  CHECK(answer(sft).tokens.total == 790e3);
  CHECK(required_assumption(answer(sft), Field::data_text_tokens_per_sample).source.find("tulu") !=
        std::string::npos);

  // Samples are packed into given sequences, or cut.
  for (const double sequence : {2048.0, 16384.0}) {
    sft.set_number(Field::data_seq_length, sequence);
    CHECK(answer(sft).tokens.total == 790e3);
    CHECK(required_assumption(answer(sft), Field::data_packing).value == "packed");
  }
  sft.set_number(Field::data_seq_length, 512);
  CHECK(answer(sft).tokens.total == 512e3);
  sft.set_number(Field::data_text_tokens_per_sample, 300);
  CHECK(answer(sft).tokens.total == 300e3);
}

TEST_CASE("adapters and projectors learn from samples, never from 20 tokens a parameter",
          "[samples]") {
  for (const char* recipe : {"lora", "qlora", "adapter"}) {
    Scenario s = eight_gpu_run("llama-3.1-8b");
    s.set_text(Field::train_recipe, recipe);
    INFO(recipe);
    CHECK(answer(s).tokens.total == 100e3 * 790);
    CHECK(required_assumption(answer(s), Field::data_samples).value == "100000");
    CHECK(answer(s).phases.front().method == "sft");
    s.set_number(Field::data_tokens, 1e9);
    CHECK(answer(s).tokens.total == 1e9);
  }
  Scenario vision = eight_gpu_run("llava-1.5-7b");
  vision.set_text(Field::train_recipe, "lora");
  CHECK(required_assumption(answer(vision), Field::data_samples).value == "665000");
  vision.set_text(Field::train_recipe, "projector");
  CHECK(required_assumption(answer(vision), Field::data_samples).value == "558000");
  // Training of all parameters takes a budget of tokens.
  CHECK(answer(eight_gpu_run("llama-3.1-8b")).tokens.total > 1e11);
}

TEST_CASE("padding-free samples cost no padding, and batches still count samples", "[samples]") {
  Scenario s = eight_gpu_run("llama-3.1-8b");
  s.set_text(Field::train_recipe, "lora");
  s.set_number(Field::data_samples, 50e3);
  s.set_number(Field::train_global_batch, 128);
  s.set_number(Field::train_micro_batch, 1);
  const auto with = [&s](const char* packing) {
    Scenario changed = s;
    changed.set_text(Field::data_packing, packing);
    return answer(changed);
  };
  const Estimate free = with("padding-free");
  const Estimate padded = with("padded");
  CHECK(free.tokens.total == padded.tokens.total);
  CHECK(free.steps == 391);  // 50,000 / 128, rounded up
  // A micro-batch of one sample has nothing to pad.
  CHECK(free.performance.step_seconds == padded.performance.step_seconds);
  // Padding leaves 0.6 of the computed tokens useful (data/model.md, 5.5).
  s.set_number(Field::train_micro_batch, 2);
  CHECK_THAT(
      with("padding-free").performance.step_seconds / with("padded").performance.step_seconds,
      WithinRel(0.6, 1e-6));
}

TEST_CASE("padding-free rounds have the responses that padded ones have", "[samples]") {
  Scenario s = eight_gpu_run("llama-3.1-8b");
  s.set_text(Field::train_method, "grpo");
  s.set_text(Field::data_packing, "padded");
  const Estimate padded = answer(s);
  s.set_text(Field::data_packing, "padding-free");
  const Estimate free = answer(s);
  REQUIRE(free.rollout);
  REQUIRE(padded.rollout);
  CHECK(free.rollout->rounds == padded.rollout->rounds);
  CHECK(free.rollout->responses == padded.rollout->responses);
  CHECK(free.gpu_hours < padded.gpu_hours);
}

TEST_CASE("a default that is stated changes nothing", "[samples]") {
  for (const char* model : {"llama-3.1-8b", "llava-1.5-7b"}) {
    for (const double sequence : {0.0, 600.0, 4096.0}) {
      INFO(model << " " << sequence);
      Scenario s = eight_gpu_run(model);
      s.set_text(Field::train_recipe, "lora");
      if (sequence > 0) s.set_number(Field::data_seq_length, sequence);
      const Estimate unsaid = answer(s);
      for (const Field field : {Field::data_samples, Field::data_packing}) {
        const std::string value = required_assumption(unsaid, field).value;
        if (field == Field::data_samples) {
          s.set_number(field, std::stod(value));
        } else {
          s.set_text(field, value);
        }
        CHECK(answer(s).gpu_hours == Approx(unsaid.gpu_hours).epsilon(1e-12));
      }
    }
  }
}
