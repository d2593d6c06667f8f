// SPDX-License-Identifier: Apache-2.0
// Releases of a software: how they are written, and what they change.
#include "catalog/software/stacks.h"
#include "catch.h"
#include "performance/training/step_model.h"
#include "trcost/catalog.h"
#include "trcost/error.h"

using namespace trcost;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

TEST_CASE("a release is a month, a container's number or a round", "[stack]") {
  const StackReleases any{2025.2, 2023.4, 2025.8, {{"v4.0", 2024.4}}};
  CHECK_THAT(release_year(any, "2024-07").value(), WithinAbs(2024 + 6.5 / 12, 1e-9));
  CHECK(release_year(any, "24.07") == release_year(any, "2024-07"));
  CHECK(release_year(any, "25.04.01") == release_year(any, "2025-04"));
  CHECK_THAT(release_year(any, "v4.0").value(), WithinAbs(2024.4, 1e-9));
  CHECK(release_year(any, "2027-01") == 2025.8);  // nothing beyond what was measured
  for (const char* text : {"2022-12", "2020", "24.13", "24.0", "2024-1", "v9.9", "", "24.07x"}) {
    INFO(text);
    CHECK_FALSE(release_year(any, text));
  }
  CHECK_FALSE(release_year(StackReleases{}, "2024-07"));
  CHECK(stated_year(any, "2027-01") > 2027);
  for (const char* text : {"2024-01", "2025-10", "2024-12"}) {
    CHECK(month_words(*release_month(text)) == text);
  }
}

namespace {

double seconds(const Catalog& catalog, const char* stack) {
  const Accelerator& chip = catalog.accelerator("h100-sxm");
  Workload workload;
  workload.language = catalog.model("llama-3.1-8b").language;
  workload.seq_length = workload.attention_length = 8192;
  Layout layout;
  layout.dp = 8;
  layout.global_batch = 128;
  layout.sharding = Sharding::optimizer;
  return StepModel(workload, {&chip, &catalog.system(chip.system), &catalog.efficiency(chip),
                              &catalog.stack(stack), Precision::bf16})
      .step(layout)
      .seconds;
}

}  // namespace

TEST_CASE("later releases are faster, the reference release is the stack itself", "[stack]") {
  const Catalog catalog;
  CHECK_THAT(seconds(catalog, "megatron@2025-03"), WithinRel(seconds(catalog, "megatron"), 1e-12));
  CHECK(seconds(catalog, "megatron@24.07") > seconds(catalog, "megatron"));
  CHECK(seconds(catalog, "megatron@2025-10") < seconds(catalog, "megatron"));
  CHECK(seconds(catalog, "mlperf@v3.0") > seconds(catalog, "mlperf@v5.0"));
  // Both bounds of what was measured: a gain of a few per cent to a fifth a year.
  const double yearly = seconds(catalog, "megatron@2024-03") / seconds(catalog, "megatron");
  CHECK(yearly > 1.03);
  CHECK(yearly < 1.20);
}

TEST_CASE("releases that were not measured are refused", "[stack]") {
  const Catalog catalog;
  for (const char* name : {"megatron@2019-01", "megatron@", "megatron@new", "fsdp@2024-01"}) {
    INFO(name);
    CHECK_THROWS_AS(catalog.stack(name), Error);
  }
}
