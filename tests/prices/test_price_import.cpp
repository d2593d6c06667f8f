// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "catch.h"
#include "error_message.h"
#include "prices/rows/price_import.h"
#include "prices/rows/price_reader.h"
#include "trcost/catalog.h"

using namespace trcost;

namespace {

// Rows in the form of github.com/skypilot-org/skypilot-catalog, catalogs/v8/*/vms.csv.
constexpr const char* kSkyPilot =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice,"
    "AvailabilityZone\n"
    "cpu-d3,,0,4,16,0.0992,eu-north1,,,\n"
    "h100x1,H100,1,16,200,2.95,eu-north1,\"{'Gpus': [{'Name': 'H100', 'MemoryInfo': "
    "{'SizeInMiB': 81920}}]}\",1.25,\n"
    "h100x8,H100,8,128,1600,23.60,eu-north1,\"{'Gpus': []}\",10.00,a\n"
    "h100x8,H100,8,128,1600,23.60,eu-north1,\"{'Gpus': []}\",12.00,b\n"
    "h100x8,H100,8,128,1600,23.60,eu-north1,\"{'Gpus': []}\",12.00,b\n"
    "a100,A100-80GB,1.0,8,117,1.64,CA,\"{'Gpus': [{'Name': 'A100 PCIe'}]}\",,\n"
    "x1,H200,1,1,1,0,here,,,\n"
    "x2,H200,1,1,1,-3,here,,,\n"
    "x3,H200,1,1,1,999999,here,,,\n"
    "x4,H200,1,1,1,,here,,,\n"
    "x5,H200,1,1,1,cheap,here,,,\n"
    "x6,Quantum9000,1,1,1,3.00,here,,,\n";

PriceImportOptions nebius() {
  PriceImportOptions options;
  options.provider = "Nebius";
  options.date = "2026-10-20";
  options.source = "github.com/skypilot-org/skypilot-catalog";
  options.book_date = "2026-10-26";
  static const Catalog catalog;
  options.catalog = &catalog;
  return options;
}

std::string why(const PriceImport& import, const std::string& what) {
  for (const RefusedRow& row : import.refused) {
    if (row.what.starts_with(what)) return row.why;
  }
  return {};
}

}  // namespace

TEST_CASE("a SkyPilot catalog becomes prices per accelerator", "[import]") {
  const PriceImport import = import_prices(kSkyPilot, "vms.csv", nebius());
  CHECK(import.format == "SkyPilot catalog");
  CHECK(import.without_accelerator == 1);
  REQUIRE(import.rows.size() == 5);
  const auto find = [&](std::string_view product, Commitment commitment) {
    return *std::find_if(import.rows.begin(), import.rows.end(), [&](const PriceRow& row) {
      return row.product == product && row.commitment == commitment;
    });
  };
  CHECK(find("h100x8", Commitment::on_demand).median == 2.95);
  CHECK(find("h100x1", Commitment::spot).median == 1.25);
  CHECK(find("h100x8", Commitment::spot).low == 1.25);  // two zones
  CHECK(find("h100x8", Commitment::spot).high == 1.5);
  CHECK(find("a100", Commitment::on_demand).accelerator == "a100-pcie-80gb");
  CHECK(find("h100x1", Commitment::on_demand).provider_class == ProviderClass::specialist);
}

TEST_CASE("rows that would need a guess are refused with the reason", "[import]") {
  const PriceImport import = import_prices(kSkyPilot, "vms.csv", nebius());
  CHECK(why(import, "x1") == "a price of 0");
  CHECK(why(import, "x2") == "a negative price -3");
  CHECK(why(import, "x3") == "999999 is a placeholder, not a market price");
  CHECK(why(import, "x4") == "no price");
  CHECK(why(import, "x5") == "\"cheap\" is not a price");
  CHECK(why(import, "x6") == "unknown accelerator \"Quantum9000\"");
  CHECK(why(import, "h100x8") == "a repetition of an earlier row");
  CHECK(std::count_if(import.refused.begin(), import.refused.end(),
                      [](const RefusedRow& row) { return row.line == 8; }) == 1);

  PriceImportOptions undated = nebius();
  undated.date.clear();
  const PriceImport none = import_prices(kSkyPilot, "vms.csv", undated);
  CHECK(none.rows.empty());
  CHECK(why(none, "h100x1") == "no date");
  CHECK(none.undated > 0);
  undated.date = "2026-12-01";
  CHECK(import_prices(kSkyPilot, "vms.csv", undated).rows.empty());
}

TEST_CASE("a gpuhunt catalog", "[import]") {
  const char* table =
      "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size\n"
      "i1,us,15.2,30,240,8,H100,80.0,False,\n"
      "i1,us,8.0,30,240,8,H100,80.0,True,\n"
      "i2,us,1.2,30,240,1,A100,40.0,False,\n"
      "i3,us,0.1,2,4,0,,,False,\n";
  PriceImportOptions options = nebius();
  options.provider = "aws";
  const PriceImport import = import_prices(table, "aws.csv", options);
  CHECK(import.format == "gpuhunt catalog");
  REQUIRE(import.rows.size() == 3);
  CHECK(import.without_accelerator == 1);
  CHECK(import.rows[0].accelerator == "a100-sxm-40gb");
  CHECK(import.rows[1].median == 1.9);
  CHECK(import.rows[2].median == 1.0);
  CHECK(import.rows[2].commitment == Commitment::spot);
  CHECK(import.rows[0].provider_class == ProviderClass::hyperscaler);
}

TEST_CASE("an imported file is read back as a price file", "[import]") {
  const PriceImportOptions options = nebius();
  const PriceImport import = import_prices(kSkyPilot, "vms.csv", options);
  const PriceBook book =
      parse_price_file(price_file_json(import, options), "out.json", "2026-10-26");
  REQUIRE(book.rows.size() == import.rows.size());
  for (std::size_t i = 0; i < book.rows.size(); ++i) {
    CHECK(book.rows[i].median == import.rows[i].median);
    CHECK(book.rows[i].accelerator == import.rows[i].accelerator);
  }
}

TEST_CASE("other tables are refused", "[import]") {
  const auto refused = [](const char* table) {
    return message_of([&] { import_prices(table, "x.csv", nebius()); });
  };
  CHECK(refused("a,b\n1,2\n").find("neither") != std::string::npos);
  PriceImportOptions nobody = nebius();
  nobody.provider.clear();
  CHECK(message_of([&] { import_prices(kSkyPilot, "x.csv", nobody); }).find("--provider") !=
        std::string::npos);
}

// skypilot-catalog pull request 50: the machine has 8 accelerators (Azure's ND H100 v5 page).
TEST_CASE("a known machine with another number of accelerators is refused", "[import]") {
  const std::string table =
      "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region\n"
      "Standard_ND96isr_H100_v5,H100,12,96,1900,117.984,eastus\n"
      "Standard_ND96isr_H100_v5,H100,8,96,1900,98.32,westus\n";
  const PriceImport import = import_prices(table, "azure.csv", nebius());
  CHECK(import.rows.size() == 1);
  CHECK(why(import, "Standard_ND96isr_H100_v5").find("has 8 accelerators") != std::string::npos);
}
