// SPDX-License-Identifier: Apache-2.0
// The document of a sweep.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catalog_fixture.h"
#include "catch.h"
#include "contains.h"
#include "report/about/sweep.h"
#include "study/sweep/plan.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

SweepRequest grid(const std::string& pricing) {
  SweepRequest out;
  out.base.set_number(Field::model_params, 1e9);
  out.base.set_number(Field::data_tokens, 1e10);
  out.base.set_text(Field::hardware_accelerator, "h100-sxm");
  out.base.set_text(Field::cost_pricing, pricing);
  out.vary = {"hardware.gpus=8,16"};
  return out;
}

std::string document(const SweepRequest& request, Format format, bool interrupted = false) {
  const SweepPlan plan(request, test_catalog());
  std::string out;
  SweepDocument whole(
      plan, format, {.width = 160}, [&](std::string_view text) { out += text; }, "2026-11-09");
  SweepRun run;
  run.threads = 1;
  run.end = plan.end();
  whole.open();
  run_plan(plan, test_catalog(), run, sweep_renderer(plan, format),
           [&](std::string_view rows) { whole.add(rows); });
  whole.close(interrupted);
  return out;
}

}  // namespace

TEST_CASE("JSON has the scenario, the rows, and whether rows are missing", "[sweep]") {
  for (const bool interrupted : {false, true}) {
    const auto out = nlohmann::json::parse(document(grid("on-demand"), Format::json, interrupted));
    CHECK(out["interrupted"] == interrupted);
    CHECK(out["price_data_date"] == "2026-11-09");
    CHECK(out["scenario"]["model"]["params"] == 1e9);
    REQUIRE(out["rows"].size() == 2);
    CHECK(out["rows"][1]["hardware.gpus"] == 16);
    CHECK(out["rows"][1]["error"].is_null());
  }
}

TEST_CASE("costs at an imputed price are marked in formats for people", "[sweep]") {
  const auto imputed = [](const SweepRequest& request) {
    const auto out = nlohmann::json::parse(document(request, Format::json));
    return out["rows"][0]["cost.price_imputed"].get<bool>();
  };
  const SweepRequest quoted = grid("on-demand"), estimated = grid("reserved-3y");
  REQUIRE_FALSE(imputed(quoted));
  REQUIRE(imputed(estimated));
  for (const Format format : {Format::table, Format::md, Format::html}) {
    CHECK(contains(document(estimated, format), "~$"));
    CHECK_FALSE(contains(document(quoted, format), "~$"));
  }
  CHECK_FALSE(contains(document(estimated, Format::csv), "~"));
}

TEST_CASE("a row with an error has its message and its platform", "[sweep]") {
  SweepRequest some = grid("on-demand");
  some.base.set_text(Field::hardware_accelerator, "v100-sxm-32gb");
  some.vary = {"train.precision=fp16,fp8"};  // the chip has no FP8
  for (const Format format : {Format::table, Format::md, Format::html}) {
    CHECK(contains(document(some, format), "has no fp8"));
    CHECK_FALSE(contains(document(grid("on-demand"), format), "error"));
  }
  const auto rows = nlohmann::json::parse(document(some, Format::json))["rows"];
  CHECK(rows[1]["accelerator"] == "v100-sxm-32gb");
  CHECK(rows[1]["gpus"].is_null());
}
