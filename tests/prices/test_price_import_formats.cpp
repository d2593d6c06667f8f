// SPDX-License-Identifier: Apache-2.0
// Rows of real catalogs of SkyPilot (catalogs/v8) and gpuhunt.
#include <string>

#include "catch.h"
#include "contains.h"
#include "prices/rows/price_import.h"
#include "text/csv.h"
#include "trcost/catalog.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

constexpr const char* kSky =
    "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,"
    "SpotPrice\n";
constexpr const char* kHunt = "instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot\n";

PriceImport imported(const std::string& table, std::string provider = "Somebody") {
  static const Catalog catalog;
  PriceImportOptions options;
  options.provider = std::move(provider);
  options.date = "2026-10-20";
  options.source = "a catalog";
  options.book_date = "2026-10-26";
  options.catalog = &catalog;
  return import_prices(table, "vms.csv", options);
}

std::string only_refusal(const std::string& table) {
  const PriceImport import = imported(table);
  INFO(table);
  CHECK(import.rows.empty());
  REQUIRE(import.refused.size() == 1);
  return import.refused.front().why;
}

std::string only_accelerator(const std::string& table) {
  const PriceImport import = imported(table);
  INFO(table << (import.refused.empty() ? "" : import.refused.front().why));
  REQUIRE(import.rows.size() == 1);
  return import.rows.front().accelerator;
}

std::string sky(const std::string& name, const std::string& info, const std::string& prices) {
  return kSky + ("m," + name + ",1.0,\"" + info + "\",r,," + prices + "\n");
}

std::string hunt(const std::string& name, const std::string& memory, const std::string& spot) {
  return kHunt + ("m,r,3.0,1," + name + "," + memory + "," + spot + "\n");
}

}  // namespace

TEST_CASE("Google's accelerators get the price of their machine", "[import]") {
  const PriceImport import = imported(std::string(kSky) +
                                          "a3-highgpu-8g,,,,us-east4,us-east4-a,9.46006,2.15966\n"
                                          "a3-megagpu-8g,,,,us-east4,us-east4-a,13.6,3\n"
                                          "a2-highgpu-8g,,,,us-east4,us-east4-a,5.91582,2.958\n"
                                          ",H100,8.0,,us-east4,us-east4-a,78.37185,20\n"
                                          ",H100-MEGA,8.0,,us-east4,us-east4-a,78.4,\n"
                                          ",A100,8.0,,us-east4,us-east4-a,23.47,8\n"
                                          ",H100,8.0,,us-east5,us-east5-a,78.37185,20\n"
                                          ",L4,1.0,,us-east4,us-east4-a,0.56,0.2\n",
                                      "gcp");
  const auto price = [&](std::string_view product, Commitment commitment) {
    for (const PriceRow& row : import.rows) {
      if (row.product == product && row.commitment == commitment) return row.median;
    }
    return 0.0;
  };
  // (78.37185 + 9.46006) / 8, as the book has it for us-east4.
  CHECK_THAT(price("a3-highgpu-8g", Commitment::on_demand), WithinAbs(10.97899, 1e-5));
  CHECK_THAT(price("a3-highgpu-8g", Commitment::spot), WithinRel(22.15966 / 8, 1e-9));
  CHECK_THAT(price("a3-megagpu-8g", Commitment::on_demand), WithinRel(11.5, 1e-9));
  CHECK_THAT(price("a2-highgpu-8g", Commitment::on_demand), WithinRel(29.38582 / 8, 1e-9));
  CHECK(import.rows.size() == 5);
  for (const PriceRow& row : import.rows) {
    CHECK(row.provider == "GCP");
    if (row.product == "a2-highgpu-8g") CHECK(row.accelerator == "a100-sxm-40gb");
  }
  REQUIRE(import.refused.size() == 2);  // without a machine in the zone; with many machines
  for (const RefusedRow& row : import.refused) CHECK(contains(row.why, "machine"));
}

TEST_CASE("memory in GiB under the name of MiB", "[import]") {
  const auto info = [](const char* size) {
    return "{'Gpus': [{'Name': 'X', 'MemoryInfo': {'SizeInMiB': " + std::string(size) + "}}]}";
  };
  CHECK(only_accelerator(sky("V100-32GB", info("32"), "2.34,")) == "v100-sxm-32gb");
  CHECK(only_accelerator(sky("A100-80GB", info("80"), "1.39,")) == "a100-sxm-80gb");
  CHECK(only_accelerator(sky("A100", info("81920"), "1.39,")) == "a100-sxm-80gb");
  CHECK(only_accelerator(sky("A100", info("40"), "1.39,")) == "a100-sxm-40gb");
  CHECK(contains(only_refusal(sky("A100-80GB", info("40960"), "1.39,")), "40 GB"));
  CHECK(contains(only_refusal(sky("A100", "", "1.39,")), "the memory of \"A100\" is not said"));
  CHECK(only_accelerator(sky("A100-80GB", "{'Gpus': [{'Name': 'A100 PCIe'}]}", "1.39,")) ==
        "a100-pcie-80gb");
  CHECK(only_accelerator(sky("B300", info("268288"), "6.99,")) == "b300");
  CHECK(only_accelerator(sky("H200", info("141"), "4,")) == "h200");
}

TEST_CASE("accelerators that are almost of a known name are not it", "[import]") {
  for (const char* name :
       {"RTX3090-Ti", "RTX4090D", "H20-3e", "H100-1g.10gb", "A100X", "A100-MIG", "H1000"}) {
    CHECK(contains(only_refusal(hunt(name, "", "False")), "unknown accelerator"));
  }
  CHECK(only_accelerator(hunt("H100NVL", "94", "False")) == "h100-nvl");
  CHECK(only_accelerator(hunt("NVIDIA H100 80GB HBM3", "80", "False")) == "h100-sxm");
  CHECK(only_accelerator(hunt("L40S", "48", "False")) == "l40s");
  // Chips of one form are known by the aliases of the catalog.
  CHECK(only_accelerator(hunt("L40", "48", "False")) == "l40");
  CHECK(only_accelerator(hunt("H200_NVL", "141", "False")) == "h200-nvl");
  CHECK(only_accelerator(hunt("RTXPRO6000", "96", "False")) == "rtx-pro-6000");
  CHECK(only_accelerator(hunt("RTX6000Ada", "48", "False")) == "rtx-6000-ada");
}

TEST_CASE("a part of an accelerator is none", "[import]") {
  CHECK(contains(only_refusal(hunt("A100", "4", "False")), "4 GB"));
  CHECK(contains(only_refusal(hunt("H100", "10", "False")), "part of an accelerator"));
  CHECK(contains(only_refusal(hunt("L40S", "12", "False")), "part of an accelerator"));
  // Vultr's bare metal lists the memory of all eight.
  CHECK(imported(std::string(kHunt) + "m,r,20,8,H100,640,False\n").rows.size() == 1);
}

TEST_CASE("a spot price is below on-demand, or it is none", "[import]") {
  for (const char* prices : {"1.39,1.39", "1.39,1.60"}) {
    const PriceImport import = imported(sky("H100", "", prices));
    REQUIRE(import.rows.size() == 1);
    CHECK(import.rows.front().commitment == Commitment::on_demand);
    REQUIRE(import.refused.size() == 1);
    CHECK(contains(import.refused.front().why, "not below"));
  }
  CHECK(imported(sky("H100", "", "1.39,0.9")).rows.size() == 2);
  CHECK(contains(only_refusal(hunt("H100", "80", "maybe")), "spot is \"maybe\""));
  CHECK(contains(only_refusal(hunt("H100", "80", "")), "spot is \"\""));
  CHECK(imported(hunt("H100", "80", "true")).rows.front().commitment == Commitment::spot);
}

TEST_CASE("placeholders, repetitions and odd rows are refused one by one", "[import]") {
  CHECK(contains(only_refusal(std::string(kHunt) + "m,r,700.0,8,H100,80,False\n"), "placeholder"));
  const PriceImport twice = imported(std::string(kHunt) +
                                     "m,r,24,8,H100,80,False\n"
                                     "m,r,24,8,H100,80,False\n"
                                     "m,r,32,8,H100,80,False\n"
                                     "m,r\n"
                                     "n,r,24,8,H100,80,False\n");
  CHECK(twice.rows.size() == 2);
  REQUIRE(twice.refused.size() == 3);
  CHECK(twice.refused[0].why == "a repetition of an earlier row");
  CHECK(contains(twice.refused[1].why, "another price"));
  CHECK(twice.refused[2].line == 5);
  CHECK(contains(twice.refused[2].why, "cells"));
}

TEST_CASE("PCIe by the machine's name, by its name at the upstream cloud, and by its series",
          "[import]") {
  // Names of cudo's, Prime Intellect's and Hyperstack's machines in skypilot-catalog v8.
  const PriceImport import = imported(
      "InstanceType,UpstreamCloudId,AcceleratorName,AcceleratorCount,Price,Region,GpuInfo\n"
      "ice-lake-a100-pci_1x2v4gb,,A100-80GB,1,1.37,us,\n"
      "oblivus__1xA100,A100_PCIE_80GB,A100-80GB,1,1.48,ca,\n"
      "hyperstack__8xH100,n3-H100x8,H100,8,15.2,ca,\n"
      "hyperstack__8xH100_SXM,n3-H100-SXM5x8,H100,8,19.2,us,\n");
  REQUIRE(import.rows.size() == 4);
  CHECK(import.rows[0].accelerator == "a100-pcie-80gb");
  CHECK(import.rows[1].accelerator == "a100-pcie-80gb");
  CHECK(import.rows[2].accelerator == "h100-pcie");
  CHECK(import.rows[3].accelerator == "h100-sxm");
}

TEST_CASE("a board of another form than the catalog has is refused", "[import]") {
  const PriceImport import = imported(
      "InstanceType,AcceleratorName,AcceleratorCount,Price,Region,GpuInfo\n"
      "intel-ice-lake-a800-pci_1x2v4gb,A800,1,0.82,us,\n"
      "8x-a800-nvlink,A800,8,12,us,\n"
      "1x-h200-nvl,H200,1,2.5,us,\n"
      "1x-l4-pcie,L4,1,0.5,us,\n"
      "8x-rtx,RTXPRO6000S,8,12,us,\n"
      "1x-rtx,RTX PRO 6000 WS,1,1.2,us,\n");
  REQUIRE(import.rows.size() == 3);
  CHECK(import.rows[0].accelerator == "a800");
  CHECK(import.rows[1].accelerator == "l4");
  CHECK(import.rows[2].accelerator == "rtx-pro-6000");
  REQUIRE(import.refused.size() == 3);
  CHECK(contains(import.refused[0].why, "board form"));
  CHECK(contains(import.refused[1].why, "board form"));
  CHECK(contains(import.refused[2].why, "unknown accelerator"));
}

TEST_CASE("the memory of all accelerators is divided by their number", "[import]") {
  const PriceImport import = imported(
      "InstanceType,AcceleratorName,AcceleratorCount,Price,Region,GpuInfo\n"
      "8x-A100,A100,8,12.00,us,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 655360}}]}\"\n");
  REQUIRE(import.rows.size() == 1);
  CHECK(import.rows[0].accelerator == "a100-sxm-80gb");
  CHECK(import.rows[0].median == 1.5);
}

TEST_CASE("a price per node, a name with an escape and a spot price of 0 are no prices",
          "[import]") {
  const PriceImport import = imported(
      "InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,Region,GpuInfo\n"
      "a,H100-SXM,1,24.00,,us,\n"
      "b,H100-SXM,8,4.00,,us,\n"
      "c\x1b[31m,H100-SXM,1,3.00,,us,\n"
      "d,H100-SXM,1,3.00,0.00,us,\n");
  REQUIRE(import.rows.size() == 1);
  CHECK(import.rows[0].product == "d");
  CHECK(import.refused.size() == 3);
}

TEST_CASE("an import says which of the book's prices it replaces", "[import]") {
  PriceImport import;
  PriceBook book;
  PriceRow row;
  row.provider = "Nebius";
  row.accelerator = "h100-sxm";
  row.median = 4.5;
  row.date = parse_price_date("2026-10-01", {});
  book.rows = {row};
  row.median = 2.95;
  row.date = parse_price_date("2026-11-22", {});
  import.rows = {row};
  CHECK(price_changes(import, book).size() == 1);
  import.rows.front().median = 4.6;  // within a tenth
  CHECK(price_changes(import, book).empty());
}

TEST_CASE("two columns of one name are refused", "[import][csv]") {
  CHECK_THROWS_AS(CsvTable("Price,Price\n1,2\n", "t.csv"), Error);
}

TEST_CASE("carriage returns end the rows of a table", "[csv]") {
  const CsvTable table("a,b\r1,2\r3,4\r", "t.csv");
  REQUIRE(table.rows() == 2);
  CHECK(table.text(1, "b") == "4");
}
