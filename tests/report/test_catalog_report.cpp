// SPDX-License-Identifier: Apache-2.0
#include "contains.h"
#include "report/about/catalog.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.h"
#include "report/about/documents.h"
#include "trcost/error.h"

using namespace trcost;

TEST_CASE("an unknown kind of the catalog is a usage error with a hint") {
  for (const CatalogKindInfo& info : catalog_kinds()) CHECK(catalog_kind(info.name) == info.kind);
  try {
    (void)catalog_kind("acelerators");
    FAIL("an unknown kind passed");
  } catch (const Error& error) {
    CHECK(error.kind == ErrorKind::usage);
    CHECK(contains(error.hint, "\"accelerators\""));
  }
}

TEST_CASE("a listing has every entry, with base units in JSON Lines") {
  const Catalog catalog;
  for (const CatalogKind kind : {CatalogKind::accelerators, CatalogKind::systems}) {
    const Table table = catalog_table(catalog, kind);
    CHECK(table.rows().size() == catalog.names(kind).size());
  }
  const Table one = catalog_table(catalog, CatalogKind::accelerators, "h100-sxm");
  const nlohmann::json row =
      nlohmann::json::parse(render(table_document(one, "rows"), Format::jsonl));
  CHECK(row["bf16_flop_per_second"] == 989.4e12);
  CHECK(row["nvfp4_flop_per_second"].is_null());
  CHECK(row["power_watts"] == 700);
}

TEST_CASE("a listing of one accelerator has its rows, and kinds without accelerators reject it") {
  const Catalog catalog;
  CHECK(catalog_table(catalog, CatalogKind::systems, "h100-sxm").rows().size() >= 1);
  const Table prices = catalog_table(catalog, CatalogKind::prices, "h100-sxm");
  CHECK(prices.rows().size() > 10);
  for (const auto& row : prices.rows()) CHECK(row[0].text() == "h100-sxm");
  CHECK_THROWS_AS(catalog_table(catalog, CatalogKind::stacks, "h100-sxm"), Error);
  CHECK_THROWS_AS(catalog_table(catalog, CatalogKind::prices, "h100-smx"), Error);
  const std::string spread = price_spread_text(catalog, "h100-sxm");
  CHECK(contains(spread, "on-demand: "));
  CHECK(contains(spread, "specialist on-demand: $"));
}

TEST_CASE("an entry lists its values with units and sources") {
  const Catalog catalog;
  const std::string text = text_table(
      catalog_entry_table(catalog, CatalogKind::accelerators, "h100-sxm"), {false, 100, false});
  CHECK(contains(text, "989.4 TFLOP/s"));
  CHECK(contains(text, "3350 GB/s"));
  CHECK(contains(text, "source nvidia-h100"));
  CHECK(text.find("name") < text.find("dense_peak"));
  const std::string rack = text_table(
      catalog_entry_table(catalog, CatalogKind::systems, "gb200-nvl72"), {false, 100, false});
  CHECK(contains(rack, "tiers[0].bytes_per_second_per_direction"));
  CHECK(contains(rack, "900 GB/s"));
  CHECK(contains(rack, "3.4 microseconds"));
}

TEST_CASE("a valid file of the user is listed, an invalid one is an error") {
  namespace fs = std::filesystem;
  const fs::path file = fs::temp_directory_path() / "trcost_catalog_report.json";
  std::ofstream(file) << R"({"schema_version": "1.0", "name": "mine", "system": "dgx-h100",
    "dense_peak": {"bf16_flop_per_second": 1.5e15}, "memory_bytes": 96e9,
    "memory_bytes_per_second": 4e12})";
  const Catalog catalog;
  const std::string text =
      text_table(catalog_entry_table(catalog, CatalogKind::accelerators, file.string()));
  CHECK(contains(text, "1500 TFLOP/s"));
  std::ofstream(file) << R"({"schema_version": "1.0", "nam": "mine"})";
  const Catalog fresh;
  CHECK_THROWS_AS(catalog_entry_table(fresh, CatalogKind::accelerators, file.string()), Error);
  fs::remove(file);
}

TEST_CASE("a published run is found by its id") {
  const Catalog catalog;
  const nlohmann::json row = nlohmann::json::parse(catalog.show(CatalogKind::runs, "T0001"));
  CHECK(row["accelerator"] == "gb300-nvl72");
  CHECK(row["gpus"] == 256);
  CHECK(row["recompute"].is_null());
}
