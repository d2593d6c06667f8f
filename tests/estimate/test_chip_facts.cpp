// SPDX-License-Identifier: Apache-2.0
// Price and power of a chip come from its file, not from the spelling of its name or maker, and an
// unmeasured chip is no slower for that.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "trcost/catalog.h"
#include "trcost/estimate.h"
#include "trcost/scenario.h"

using namespace trcost;

namespace {

std::string with(std::string text, const std::string& key, const std::string& value) {
  const std::size_t at = text.find("\"" + key + "\": \"");
  if (at == std::string::npos) return text;
  const std::size_t begin = at + key.size() + 5, end = text.find('"', begin);
  return text.replace(begin, end - begin, value);
}

// A user's own file: the catalog's, under another name and of another maker.
std::string renamed_file(const Catalog& catalog, const std::string& chip, const std::string& name,
                         const std::string& vendor) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("trcost-renamed-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / (name + ".json")).string();
  std::string text(catalog.file("accelerators/" + chip + ".json"));
  std::ofstream(path) << with(with(std::move(text), "name", name), "vendor", vendor);
  return path;
}

Scenario owned_run() {
  Scenario scenario;
  scenario.set_number(Field::model_params, 7e9);
  scenario.set_number(Field::data_tokens, 1e11);
  scenario.set_number(Field::hardware_gpus, 64);
  scenario.set_number(Field::efficiency_mfu, 0.4);
  scenario.set_text(Field::cost_pricing, "own");
  scenario.set_number(Field::cost_purchase_price, 20000);
  return scenario;
}

// Names and makers that price or power rules might know, in combinations that fit and that do not.
constexpr std::pair<const char*, const char*> kNamesAndMakers[] = {
    {"mine", "Somebody"},     {"mine", "Google"},           {"a100-mine", "Google LLC"},
    {"my-a100", "Somebody"},  {"v100-mine", "Somebody"},    {"tpu-mine", "Google"},
    {"tpu-mine", "Somebody"}, {"trainium-mine", "Somebody"}};

}  // namespace

TEST_CASE("renaming an accelerator or its maker changes no number", "[estimate][spelling]") {
  const Catalog shipped;
  for (const std::string& chip : shipped.names(CatalogKind::accelerators)) {
    double kwh = 0, usd = 0, hours = 0;
    bool first = true;
    for (const auto& [name, vendor] : kNamesAndMakers) {
      const Catalog catalog;  // reads each file afresh
      const std::string path = renamed_file(catalog, chip, name, vendor);
      Estimate out;
      Estimator(catalog).run_one(owned_run(), path, out);
      INFO(chip << " as " << name << " of " << vendor);
      if (first) {
        kwh = out.energy.kwh.value_or(-1);
        usd = out.cost.total.value_or(-1);
        hours = out.gpu_hours;
      }
      first = false;
      CHECK(out.energy.kwh.value_or(-1) == kwh);
      CHECK(out.cost.total.value_or(-1) == usd);
      CHECK(out.gpu_hours == hours);
    }
  }
}

namespace {

bool no_less(const Catalog& catalog, const Accelerator& a, const Accelerator& b) {
  const auto bf16 = static_cast<std::size_t>(Precision::bf16);
  const System& of_a = catalog.system(a.system);
  const System& of_b = catalog.system(b.system);
  return a.peak_flops[bf16] >= b.peak_flops[bf16] && a.memory_bandwidth >= b.memory_bandwidth &&
         a.memory_bytes >= b.memory_bytes &&
         of_a.tiers.front().bandwidth >= of_b.tiers.front().bandwidth;
}

}  // namespace

TEST_CASE("a chip with no less of anything is not slower than its measured sibling",
          "[estimate][sibling]") {
  const Catalog catalog;
  std::vector<std::string> compared;
  for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
    const Accelerator& chip = catalog.accelerator(name);
    if (chip.sibling.empty() || !no_less(catalog, chip, catalog.accelerator(chip.sibling)))
      continue;
    compared.push_back(name);
    for (const char* model : {"llava-1.5-7b", "llama-3.1-8b"}) {
      for (const double gpus : {1.0, 8.0}) {
        Scenario scenario;
        scenario.set_text(Field::model_name, model);
        scenario.set_text(Field::train_recipe, "lora");
        scenario.set_number(Field::data_samples, 50e3);
        scenario.set_number(Field::hardware_gpus, gpus);
        scenario.set_number(Field::cost_price_per_gpu_hour, 1);
        Estimate own, sibling;
        Estimator estimator(catalog);
        estimator.run_one(scenario, name, own);
        estimator.run_one(scenario, chip.sibling, sibling);
        INFO(name << " and " << chip.sibling << ", " << model << " on " << gpus);
        CHECK(own.wall_clock_seconds <= sibling.wall_clock_seconds * (1 + 1e-9));
      }
    }
  }
  CHECK(std::find(compared.begin(), compared.end(), "rtx-5090") != compared.end());
  CHECK(compared.size() >= 3);
}
