// SPDX-License-Identifier: Apache-2.0
// `memory` agrees with `estimate` for every kind of training.
#include <string>

#include "catalog/layout/layout.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/cluster/memory_fit.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "workload/method.h"

using namespace trcost;

namespace {

Scenario generation_job(std::string_view method, const char* model, double gpus) {
  Scenario s;
  s.set_text(Field::train_method, method);
  s.set_text(Field::model_name, model);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, gpus);
  s.set_number(Field::data_samples, 10000);
  return s;
}

Scenario rollouts(std::string_view method, const char* model, double gpus) {
  Scenario s = generation_job(method, model, gpus);
  s.clear(Field::data_samples);
  return s;
}

MemoryFit only(const Scenario& s) {
  const MemoryReport report = memory_report(s, test_catalog());
  REQUIRE(report.fits.size() == 1);
  return report.fits.front();
}

}  // namespace

TEST_CASE("memory and estimate weigh the same device, for every method", "[memory][methods]") {
  constexpr Method kAll[] = {
#define TRCOST_METHOD(id, ...) Method::id,
#include "catalog/software/methods.def"
#undef TRCOST_METHOD
  };
  for (const Method method : kAll) {
    const MethodRow& row = method_row(method);
    const Scenario s = row.generates ? rollouts(row.name, "llama-3.1-8b", 16)
                                     : generation_job(row.name, "llama-3.1-8b", 16);
    INFO(row.name);
    const MemoryUse whole = estimate(s, test_catalog()).front().memory;
    const MemoryFit fit = only(s);
    REQUIRE(fit.given);
    const MemoryUse& given = fit.given->use;
    for (const auto& part : kMemoryParts) {
      INFO(part.name);
      CHECK(given.*part.bytes == whole.*part.bytes);
    }
    CHECK(given.generated().weights == whole.generated().weights);
    CHECK(given.generated().cache == whole.generated().cache);
    CHECK(given.total == whole.total);
    CHECK(given.host == whole.host);
    // While engines write on the same accelerators, what learns waits in the host.
    CHECK((given.host > 0) == row.generates);
  }
}

TEST_CASE("a given MFU leaves software and memory as they are", "[memory]") {
  for (const char* recipe : {"full", "lora", "qlora"}) {
    Scenario s = generation_job("sft", "llama-3.1-8b", 8);
    s.set_text(Field::train_recipe, recipe);
    const MemoryReport before = memory_report(s, test_catalog());
    s.set_number(Field::efficiency_mfu, 0.4);
    const MemoryReport after = memory_report(s, test_catalog());
    INFO(recipe);
    CHECK(after.stack == before.stack);
    CHECK(after.fits.front().main().use.total == before.fits.front().main().use.total);
  }
}

TEST_CASE("a refusal names settings that fit when they are tried", "[memory]") {
  Scenario s = generation_job("sft", "llama-3.1-8b", 1);
  s.set_text(Field::hardware_accelerator, "rtx-4090");
  std::string hint;
  try {
    estimate(s, test_catalog());
  } catch (const Error& error) {
    hint = error.hint;
  }
  const std::size_t named = hint.find("it fits with --train ");
  REQUIRE(named != std::string::npos);
  s.set_text(Field::train_recipe, "qlora");
  CHECK(hint.find("--train qlora", named) != std::string::npos);
  CHECK(estimate(s, test_catalog()).front().memory.fits);
}

TEST_CASE("the fewest that hold a method hold its other models", "[memory][methods]") {
  // A reference, a reward model and a critic of 8B parameters: 2 + 2 + 16 bytes each beside the
  // policy's 16, so more than of the policy alone.
  const MemoryFit sft = only(generation_job("sft", "llama-3.1-8b", 8));
  const MemoryFit ppo = only(rollouts("ppo", "llama-3.1-8b", 8));
  REQUIRE(sft.smallest);
  REQUIRE(ppo.smallest);
  CHECK(ppo.smallest->gpus > sft.smallest->gpus);
  CHECK(ppo.one.use.resident > 2 * 8e9);
}

TEST_CASE("adapters of a policy fit where no engine does", "[memory][methods]") {
  // 32B weights of 16 bits beside rank-16 adapters fit one 80 GB card; an engine gets 0.6 of it.
  Scenario s = rollouts("grpo", "qwen2.5-32b", 1);
  s.set_text(Field::train_recipe, "lora");
  const MemoryFit fit = only(s);
  CHECK(fit.one.use.total < fit.capacity_bytes);
  CHECK_FALSE(fit.one.engine_fits);
  CHECK_FALSE(fit.one.use.fits);
  REQUIRE(fit.smallest);
  CHECK(fit.smallest->gpus > 1);
  CHECK(fit.smallest->engine_fits);
}
