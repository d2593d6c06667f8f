// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "catalog/hardware/efficiency.h"
#include "catalog/hardware/hardware.h"
#include "catalog/hardware/machines.h"
#include "catch.h"
#include "contains.h"
#include "json/strict_json.h"
#include "quantity/suggest.h"
#include "trcost/catalog.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

bool has_recipe(const Accelerator& chip, Precision precision) {
  return chip.recipe[static_cast<std::size_t>(precision)];
}

const std::vector<std::string> kPromised = {
    "a100-sxm-80gb", "h100-sxm", "b200",    "gb200-nvl72",   "gb300-nvl72", "a100-sxm-40gb",
    "h100-pcie",     "h200",     "h800",    "h20",           "b300",        "rtx-4090",
    "rtx-3090",      "rtx-5090", "l40s",    "v100-sxm-32gb", "mi300x",      "mi325x",
    "mi355x",        "tpu-v5e",  "tpu-v5p", "tpu-v6e",       "trainium2",   "gaudi3"};

// Every value of a data file with a number has a source and the day it was looked up.
void check_provenance(const JsonValue& value) {
  if (value.is_array()) {
    for (const JsonValue& item : value.array()) check_provenance(item);
  }
  if (!value.is_object()) return;
  ObjectReader object = value.object();
  if (object.has("value")) {
    INFO(value.location());
    CHECK(object.has("source"));
    CHECK(object.required_text("retrieved").size() == 10);
    return;
  }
  for (const std::string& key : object.keys()) {
    if (object.has(key)) check_provenance(object.required_value(key));
  }
}

std::string message_of(const std::string& json) {
  try {
    parse_accelerator(parse_strict_json(json, "mine.json"), {});
  } catch (const Error& error) {
    return error.location + "|" + error.message + "|" + error.hint;
  }
  return "no error";
}

const std::string kMinimal = R"({"schema_version": "1.0", "name": "mine", "system": "dgx-h100",
  "dense_peak": {"bf16_flop_per_second": 1e15}, "memory_bytes": 80e9,
  "memory_bytes_per_second": 3e12)";

}  // namespace

TEST_CASE("every promised accelerator is there") {
  const Catalog catalog;
  for (const std::string& name : kPromised) {
    INFO(name);
    const Accelerator& chip = catalog.accelerator(name);
    CHECK(chip.name == name);
    CHECK(chip.memory_bytes > 1e10);
    CHECK(*std::ranges::max(chip.peak_flops) > 1e13);
  }
}

TEST_CASE("the names that people use lead to the chip, never to another") {
  const Catalog catalog;
  const auto is = [&](std::string_view typed, std::string_view name) {
    INFO(typed);
    CHECK(catalog.entry_of(CatalogKind::accelerators, typed) == name);
    CHECK(catalog.accelerator(typed).name == name);
  };
  for (const char* typed : {"gb300", "GB300", "Gb300", "nvidia-gb300", "GB300 NVL72"})
    is(typed, "gb300-nvl72");
  for (const char* typed : {"gb200", "GB200", "GB200_NVL72"}) is(typed, "gb200-nvl72");
  for (const char* typed : {"h100", "H100", "h100-80gb", "H100-80GB", "H100-SXM5", "nvidia-h100",
                            "H100 SXM 80GB", "NVIDIA H100"})
    is(typed, "h100-sxm");
  for (const char* typed : {"a100", "A100", "a100-80gb", "A100-80GB", "A100-SXM4-80GB"})
    is(typed, "a100-sxm-80gb");
  is("Trillium", "tpu-v6e");
  is("google-tpu-v5e", "tpu-v5e");
  CHECK(catalog.entry_of(CatalogKind::accelerators, "h1000").empty());
  CHECK(catalog.entry_of(CatalogKind::accelerators, "").empty());
  CHECK(catalog.entry_of(CatalogKind::accelerators, "nvidia").empty());
}

TEST_CASE("no spelling means two accelerators") {
  const Catalog catalog;
  std::map<std::string, std::string> owner;
  for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
    const Accelerator& chip = catalog.accelerator(name);
    std::vector<std::string> spelled = chip.aliases;
    spelled.push_back(name);
    spelled.push_back(chip.title);
    for (const std::string& each : spelled) {
      const auto [entry, fresh] = owner.emplace(folded(each), name);
      INFO(each << " of " << name << " and of " << entry->second);
      CHECK((fresh || entry->second == name));
    }
  }
}

// One letter more or less of any name or alias never leads to a chip of another number.
TEST_CASE("a mistyped name suggests its own chip before another generation's") {
  const Catalog catalog;
  for (const std::string typed : {"gb300x", "gb30", "GB3000", "gb300-nvl36"}) {
    INFO(typed);
    try {
      (void)catalog.accelerator(typed);
      FAIL("taken");
    } catch (const Error& error) {
      CHECK(contains(error.hint, "gb300-nvl72"));
      CHECK_FALSE(contains(error.hint, "\"b300\""));
    }
  }
}

TEST_CASE("siblings are chips of the catalog with constants of their own, or with such a sibling") {
  const Catalog catalog;
  for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
    const Accelerator& chip = catalog.accelerator(name);
    INFO(name);
    CHECK_NOTHROW(catalog.efficiency(chip));
    if (chip.sibling.empty()) continue;
    CHECK(chip.vendor == catalog.accelerator(chip.sibling).vendor);
    if (catalog.has_file("efficiency/" + name + ".json")) continue;
    CHECK_FALSE(catalog.efficiency(chip).measured);
  }
}

TEST_CASE("every accelerator and every system loads, and they name each other") {
  const Catalog catalog;
  std::set<std::string> systems_in_use;
  for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
    INFO(name);
    const Accelerator& chip = catalog.accelerator(name);
    const System& system = catalog.system(chip.system);
    CHECK(std::count(system.accelerators.begin(), system.accelerators.end(), name) == 1);
    check_provenance(parse_strict_json(catalog.file("accelerators/" + name + ".json"), name));
  }
  for (const std::string& name : catalog.names(CatalogKind::systems)) {
    INFO(name);
    const System& system = catalog.system(name);
    for (const std::string& chip : system.accelerators) CHECK_NOTHROW(catalog.accelerator(chip));
    REQUIRE(!system.tiers.empty());
    for (std::size_t i = 1; i < system.tiers.size(); ++i) {
      CHECK(system.tiers[i].bandwidth < system.tiers[i - 1].bandwidth);
    }
    check_provenance(parse_strict_json(catalog.file("systems/" + name + ".json"), name));
  }
}

TEST_CASE("dense peaks are dense and in proportion") {
  const Catalog catalog;
  for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
    INFO(name);
    const Accelerator& chip = catalog.accelerator(name);
    const std::optional<double> bf16 = peak_flops(chip, Precision::bf16);
    const std::optional<double> fp8 = peak_flops(chip, Precision::fp8);
    // The L40S and H100 PCIe sheets round each row by itself.
    // Rubin is announced with more than four times the 16-bit rate in 8 bit.
    if (chip.vendor == "NVIDIA" && chip.architecture != "rubin" && bf16 && fp8) {
      CHECK_THAT(*fp8, WithinRel(2 * *bf16, 0.02));
    }
    if (peak_flops(chip, Precision::mxfp8) && fp8) CHECK(peak_flops(chip, Precision::mxfp8) == fp8);
    for (int i = 0; i < kPrecisionCount; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (chip.measured_flops[at]) CHECK(*chip.measured_flops[at] <= chip.peak_flops[at]);
      if (chip.recipe[at]) CHECK(chip.peak_flops[at]);
    }
    CHECK(chip.memory_bandwidth > 2e11);
    CHECK(chip.memory_bandwidth < 3e13);  // HBM4: 22 and 23.3 TB/s
  }
  // Figures that are often quoted with sparsity instead.
  CHECK(peak_flops(catalog.accelerator("a100-sxm-80gb"), Precision::bf16) == 312e12);
  CHECK(peak_flops(catalog.accelerator("h100-sxm"), Precision::bf16) == 989.4e12);
  CHECK(peak_flops(catalog.accelerator("b200"), Precision::bf16) == 2250e12);
  CHECK(peak_flops(catalog.accelerator("gb200-nvl72"), Precision::bf16) == 2500e12);
  CHECK(peak_flops(catalog.accelerator("gb300-nvl72"), Precision::nvfp4) == 15000e12);
}

TEST_CASE("a chip has recipes only for formats that models are trained in on it") {
  const Catalog catalog;
  const Accelerator& v100 = catalog.accelerator("v100-sxm-32gb");
  CHECK_FALSE(peak_flops(v100, Precision::bf16));
  CHECK(has_recipe(v100, Precision::fp16));
  CHECK_FALSE(has_recipe(catalog.accelerator("a100-sxm-80gb"), Precision::fp8));
  CHECK(has_recipe(catalog.accelerator("h100-sxm"), Precision::fp8));
  CHECK_FALSE(has_recipe(catalog.accelerator("h100-sxm"), Precision::mxfp8));
  for (const char* name : {"b200", "b300", "gb200-nvl72", "gb300-nvl72"}) {
    CHECK(has_recipe(catalog.accelerator(name), Precision::mxfp8));
    CHECK(has_recipe(catalog.accelerator(name), Precision::nvfp4));
  }
  CHECK_FALSE(has_recipe(catalog.accelerator("rtx-5090"), Precision::nvfp4));
  CHECK_FALSE(has_recipe(catalog.accelerator("rtx-4090"), Precision::fp8));
}

TEST_CASE("systems give the domain that plans may use") {
  const Catalog catalog;
  const System& rack = catalog.system("gb200-nvl72");
  CHECK(rack.gpus_per_node == 4);
  CHECK(rack.gpus_per_domain == 72);
  CHECK(rack.usable_per_domain == 64);
  CHECK_THAT(*rack.power_per_gpu_watts, WithinRel(120e3 / 72, 1e-4));
  CHECK(rack.price_gpus == 72);
  const System& node = catalog.system("dgx-h100");
  CHECK(node.gpus_per_domain == 8);
  CHECK(node.usable_per_domain == 8);
  CHECK_THAT(*node.power_per_gpu_watts, WithinRel(10200.0 / 8, 1e-12));
  CHECK(node.tiers.back().bandwidth == 50e9);  // 400 Gb/s
}

TEST_CASE("a user's own accelerator needs little and is checked strictly") {
  const Accelerator chip = parse_accelerator(parse_strict_json(kMinimal + "}", "mine.json"), {});
  CHECK(has_recipe(chip, Precision::bf16));
  CHECK_FALSE(has_recipe(chip, Precision::fp8));
  // What the file does not say is unknown, not 0.
  CHECK_FALSE(chip.power_watts);
  CHECK_FALSE(chip.price_usd);
  for (const std::optional<double>& rate : chip.measured_flops) CHECK_FALSE(rate);

  CHECK(contains(message_of(kMinimal + R"(, "powr_watts": 700})"), "mine.json#/powr_watts"));
  CHECK(contains(message_of(kMinimal + R"(, "powr_watts": 700})"), "\"power_watts\""));
  CHECK(contains(message_of(kMinimal + R"(, "memory_bytes": 1e10})"), "stands twice"));
  CHECK(contains(message_of(kMinimal), "ends in the middle"));
  CHECK(contains(message_of(kMinimal + R"(, "power_watts": 1e400})"), "range of a double"));
  CHECK(contains(message_of(kMinimal + R"(, "power_watts": -5})"), "allowed is 1 to 100000"));
  CHECK(contains(message_of(kMinimal + R"(, "power_watts": "700 W"})"), "mine.json#/power_watts"));
  CHECK(contains(message_of(kMinimal + R"(, "measured_matmul": {"bf16": 8e14}})"),
                 "bf16_flop_per_second"));
  CHECK(contains(message_of(kMinimal + R"(, "training_recipes": {"fp8": "a paper"}})"),
                 "no dense peak for fp8"));
  CHECK(contains(message_of(kMinimal + R"(, "sources": {"sheet": "Data sheet"},
      "power_watts": {"value": 700, "source": "shet"}})"),
                 "\"sheet\""));
  CHECK(contains(message_of(R"({"schema_version": "2.0"})"), "reads 1.x"));
}

TEST_CASE("Hugging Face names are read without owner and ending", "[catalog][names]") {
  const Catalog catalog;
  const auto name_of = [&](const char* typed) { return catalog.model(typed).name; };
  CHECK(name_of("Qwen/Qwen2.5-VL-7B-Instruct") == "qwen2.5-vl-7b");
  CHECK(name_of("meta-llama/Meta-Llama-3.1-8B-Instruct") == "llama-3.1-8b");
  CHECK(name_of("mistralai/Mixtral-8x7B-Instruct-v0.1") == "mixtral-8x7b");
  CHECK(name_of("google/gemma-3-27b-it") == "gemma-3-27b");
  CHECK(name_of("Qwen/Qwen3-235B-A22B-Instruct-2507-FP8") == "qwen3-235b-a22b");
  CHECK(name_of("llava-hf/llava-1.5-7b-hf") == "llava-1.5-7b");
  CHECK(name_of("unsloth/Llama-3.2-1B-Instruct-bnb-4bit") == "llama-3.2-1b");
  CHECK(name_of("models--Qwen--Qwen2.5-7B") == "qwen2.5-7b");
}

TEST_CASE("cloud machines and counts name accelerators", "[catalog][names]") {
  const Catalog catalog;
  struct Case {
    const char* typed;
    const char* name;
    double count;
  };
  const auto [typed, name, count] =
      GENERATE(values<Case>({{"p5.48xlarge", "h100-sxm", 8},
                             {"a3-highgpu-4g", "h100-sxm", 4},
                             {"Standard_ND96isr_H100_v5", "h100-sxm", 8},
                             {"Standard_ND96is_H100_v5", "h100-sxm", 8},
                             {"BM.GPU.B4.8", "a100-sxm-40gb", 8},
                             {"BM.GPU.MI300X.8", "mi300x", 8},
                             {"gpu_8x_b200_sxm6", "b200", 8}}));
  const auto machine = find_machine(catalog, typed);
  REQUIRE(machine);
  CHECK(machine->name == name);
  CHECK(machine->count == count);
  CHECK_FALSE(find_machine(catalog, "p5.47xlarge"));
  CHECK_FALSE(find_machine(catalog, "a3-highgpu-0g"));
}

TEST_CASE("a count stands before or behind an accelerator", "[catalog][names]") {
  for (const char* typed : {"8xh100", "8 x h100", "h100:8", "h100x8", "8Xh100"}) {
    INFO(typed);
    const auto found = split_count(typed);
    REQUIRE(found);
    CHECK(found->name == "h100");
    CHECK(found->count == 8);
  }
  for (const char* typed : {"h100", "8", "0xh100", "x8", ":8", "8x", "12345678xh100"}) {
    INFO(typed);
    CHECK_FALSE(split_count(typed));
  }
}

TEST_CASE("names that do not exist lead to those that do") {
  const Catalog catalog;
  const auto hint_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.message + "|" + error.hint;
    }
    return std::string("no error");
  };
  CHECK(contains(hint_of([&] { (void)catalog.accelerator("h100-smx"); }), "\"h100-sxm\""));
  CHECK(contains(hint_of([&] { (void)catalog.accelerator("H100-SMX"); }), "\"h100-sxm\""));
  CHECK(contains(hint_of([&] { (void)catalog.system("dgx-h10"); }), "unknown system"));
  CHECK(contains(hint_of([&] { (void)catalog.accelerator("h10"); }), "h100-pcie, h100-sxm"));
  CHECK(contains(hint_of([&] { (void)catalog.accelerator("../systems/dgx-h100"); }), ".json"));
  CHECK(contains(hint_of([&] { (void)catalog.model("Qwen/Qwen2.5-VL-8B-Instruct"); }),
                 "not downloaded"));
  // No hint is better than a wrong one.
  CHECK_FALSE(contains(hint_of([&] { (void)catalog.model("facebook/opt-1.3b"); }), "did you mean"));
  CHECK(contains(hint_of([&] { (void)catalog.model("qwen3-vl-9b"); }), "\"qwen3-vl-8b\""));
  CHECK_FALSE(contains(hint_of([&] { (void)catalog.accelerator("x20"); }), "h20"));
  // A family that exists, and a part of a name.
  CHECK(contains(hint_of([&] { (void)catalog.model("llama-5-scout"); }), "there is llama-2-13b"));
  CHECK(contains(hint_of([&] { (void)catalog.model("qwen3-vl"); }), "qwen3-vl-8b"));
  // Another generation is another model; what cannot be described says so.
  CHECK(hint_of([&] { (void)catalog.model("olmo-4-7b"); }).find("did you mean") ==
        std::string::npos);
  CHECK(contains(hint_of([&] { (void)catalog.model("kimi-linear-48b"); }), "linear attention"));
  CHECK(contains(hint_of([&] { (void)catalog.model("qwen3-next-80b"); }), "qwen3-next-80b-a3b"));
  CHECK(contains(hint_of([&] { (void)catalog.model("deepseek-v4"); }), "sparse attention"));
  CHECK(contains(hint_of([&] { (void)catalog.system("400g"); }), "hgx-a100-400g"));
  CHECK(contains(hint_of([&] { (void)catalog.accelerator("/"); }), "directory"));
}

TEST_CASE("a data directory overrides file by file") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "trcost_data_directory";
  fs::remove_all(folder);
  fs::create_directories(folder / "accelerators");
  std::ofstream(folder / "accelerators/h100-sxm.json")
      << R"({"schema_version": "1.0", "name": "h100-sxm", "system": "dgx-h100",
             "dense_peak": {"bf16_flop_per_second": 5e14}, "memory_bytes": 80e9,
             "memory_bytes_per_second": 3e12})";
  std::ofstream(folder / "accelerators/mine.json") << kMinimal << "}";
  const Catalog catalog(folder.string());
  CHECK(peak_flops(catalog.accelerator("h100-sxm"), Precision::bf16) == 5e14);
  CHECK(peak_flops(catalog.accelerator("h200"), Precision::bf16) == 989.4e12);
  const std::vector<std::string> names = catalog.names(CatalogKind::accelerators);
  CHECK(std::count(names.begin(), names.end(), "mine") == 1);
  CHECK_THROWS_AS(Catalog((folder / "missing").string()), Error);
  std::ofstream(folder / "accelerators/mine.json") << "{}";
  CHECK_THROWS_AS(Catalog(folder.string()), Error);
  fs::remove_all(folder);
}

TEST_CASE("show gives a user's own file as it stands, once it is valid") {
  namespace fs = std::filesystem;
  const fs::path file = fs::temp_directory_path() / "trcost_show_mine.json";
  std::ofstream(file) << kMinimal << "}";
  const Catalog catalog;
  CHECK(catalog.show(CatalogKind::accelerators, file.string()) == kMinimal + "}");
  CHECK(contains(catalog.show(CatalogKind::accelerators, "h100-sxm"), "989.4e12"));
  fs::remove(file);
}

// Alps: 10,752 GH200 in 2,688 nodes (docs.cscs.ch/alps/hardware), 25 GB/s of Slingshot for each
// (arXiv:2408.11556): the same die as the H100, half its network.
TEST_CASE("the GH200 comes four to a node with a network card each") {
  const Catalog catalog;
  const Accelerator& chip = catalog.accelerator("gh200");
  const System& node = catalog.system(chip.system);
  CHECK(node.gpus_per_node == 10752.0 / 2688);
  CHECK(node.tiers.back().bandwidth == 200e9 / 8);
  CHECK(peak_flops(chip, Precision::bf16) ==
        peak_flops(catalog.accelerator("h100-sxm"), Precision::bf16));
  CHECK(chip.memory_bandwidth > catalog.accelerator("h100-sxm").memory_bandwidth);
}
