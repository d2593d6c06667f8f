// SPDX-License-Identifier: Apache-2.0
// A data folder of the user's: every file of it is read or refused, never passed over.
#include <filesystem>
#include <fstream>
#include <string>

#include "catch.h"
#include "contains.h"
#include "error_message.h"
#include "text/files.h"
#include "trcost/catalog.h"

using namespace trcost;

namespace {

namespace fs = std::filesystem;

// A folder that is gone with the test.
class OwnFolder {
 public:
  OwnFolder() { fs::remove_all(path_), fs::create_directories(path_); }
  ~OwnFolder() { fs::remove_all(path_); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }
  [[nodiscard]] fs::path operator/(const std::string& file) const { return path_ / file; }
  [[nodiscard]] std::string message(const std::string& part = "") const {
    return ::message_of([&] { Catalog((path_ / part).string()); });
  }

 private:
  fs::path path_ = fs::temp_directory_path() / "trcost_overlay";
};

constexpr const char* kPrices = R"({"schema_version": "1.0", "source": "a quote", "prices": []})";

std::string chip(const std::string& name, const std::string& more) {
  return R"({"schema_version": "1.0", "name": ")" + name + R"(", "system": "dgx-h100",
             "dense_peak": {"bf16_flop_per_second": 5e14}, "memory_bytes": 80e9,
             "memory_bytes_per_second": 3e12)" +
         (more.empty() ? "" : ", " + more) + "}";
}

std::string model(const std::string& name, const std::string& more = "") {
  return R"({"schema_version": "1.0", "name": ")" + name + R"(", "source": "mine", )" + more +
         R"("language": {"layers": 2, "hidden": 256, "heads": 4, "ffn": 1024, "vocab": 1000}})";
}

// The refusal of an own accelerator `mine` with these keys.
std::string chip_message(const std::string& more) {
  const OwnFolder folder;
  folder.write("accelerators/mine.json", chip("mine", more));
  return ::message_of([&] { (void)Catalog((folder / "").string()).accelerator("mine"); });
}

}  // namespace

TEST_CASE("rejects a data folder in which nothing is read", "[catalog][overlay]") {
  const OwnFolder folder;
  CHECK(contains(folder.message(), "nothing in this folder is trcost data"));
  folder.write("notes.txt", "mine");
  CHECK(contains(folder.message(), "nothing in this folder is trcost data"));
  folder.write("prices/quote.json", kPrices);
  CHECK(folder.message().empty());
  CHECK(contains(folder.message("prices"), "did you mean --data-dir"));
}

TEST_CASE("rejects files of a data folder that would be passed over", "[catalog][overlay]") {
  const OwnFolder folder;
  folder.write("prices/quote.json", kPrices);
  REQUIRE(folder.message().empty());
  for (const char* name : {"price/more.json", "Prices/more.json", "prices/more.JSON",
                           "prices/2026/more.json", "prices/vms.csv", "h100-sxm.json"}) {
    folder.write(name, kPrices);
    CHECK_FALSE(folder.message().empty());
    INFO(name);
    fs::remove_all(folder / "");
    folder.write("prices/quote.json", kPrices);
    CHECK(folder.message().empty());
  }
  fs::create_symlink("/nowhere", folder / "prices/link.json");
  CHECK(contains(folder.message(), "leads to no file"));
  fs::remove(folder / "prices/link.json");
  fs::create_directory(folder / "prices/folder.json");
  CHECK_FALSE(folder.message().empty());
}

TEST_CASE("files of the data folder are inputs, whether a question reads them or not",
          "[catalog][overlay]") {
  const OwnFolder folder;
  folder.write("prices/quote.json", kPrices);
  folder.write("models/tiny.json", model("tiny"));
  const Catalog catalog((folder / "").string());
  CHECK(was_read((folder / "models/tiny.json").string()));
  forget_inputs();
}

TEST_CASE("rejects two entries of one name", "[catalog][overlay]") {
  const OwnFolder folder;
  folder.write("accelerators/mine.json", chip("mine", R"("aliases": ["my-chip"])"));
  CHECK(folder.message().empty());
  folder.write("accelerators/mine.json", chip("mine", R"("aliases": ["H100"])"));
  CHECK(contains(folder.message(), "also an alias of h100-sxm"));
  folder.write("accelerators/mine.json", chip("mine", R"("aliases": ["b200"])"));
  CHECK(contains(folder.message(), "also the name of b200"));
  folder.write("accelerators/mine.json", chip("other", ""));
  CHECK(contains(folder.message(), "differs from the file's"));
  fs::remove_all(folder / "accelerators");
  folder.write("models/a.json", model("a"));
  folder.write("models/b.json", model("b"));
  CHECK(folder.message().empty());
  folder.write("models/b.json", model("a"));
  CHECK(contains(folder.message(), "models/b.json"));
  folder.write("models/b.json", model("b", R"("aliases": ["A"], )"));
  CHECK(contains(folder.message(), "also the name of a"));
}

TEST_CASE("an entry that replaces a built-in one keeps its aliases", "[catalog][overlay]") {
  const OwnFolder folder;
  const Catalog built_in;
  folder.write("accelerators/h100-sxm.json", built_in.show(CatalogKind::accelerators, "h100-sxm"));
  CHECK(folder.message().empty());
}

TEST_CASE("rejects rates, dates and names that cannot be", "[catalog][overlay]") {
  CHECK(chip_message(R"("release_date": "2024-02-29", "architecture": "hopper")").empty());
  CHECK(contains(chip_message(R"("measured_matmul": {"bf16_flop_per_second": 6e14})"),
                 "above the dense peak"));
  CHECK(contains(chip_message(R"("measured_matmul": {"fp8_flop_per_second": 1e14})"),
                 "no dense peak for fp8"));
  for (const char* date : {"2026-13-45", "2026-02-29", "2026-00", "soon", "26-01-01"}) {
    CHECK(contains(chip_message(R"("release_date": ")" + std::string(date) + "\""), "not a date"));
  }
  CHECK(
      contains(chip_message(R"("price_usd": {"value": 3e4, "date": "2026-13-01"})"), "not a date"));
  CHECK(contains(chip_message(R"("architecture": "hoper")"), "\"hopper\""));
}

TEST_CASE("a wrong entry of a data folder is refused by every command", "[catalog][overlay]") {
  const OwnFolder folder;
  folder.write("accelerators/mine.json", chip("mine", ""));
  folder.write("models/own.json", model("own"));
  CHECK(folder.message().empty());
  folder.write("accelerators/mine.json", chip("mine", R"("release_date": "2026-13-45")"));
  CHECK(contains(folder.message(), "not a date"));
  folder.write("accelerators/mine.json", chip("mine", ""));
  folder.write("models/own.json", model("own", R"("retrieved": "soon", )"));
  CHECK(contains(folder.message(), "not a date"));
}

TEST_CASE("rejects nodes that do not make up the innermost tier", "[catalog][overlay]") {
  const auto message = [](const std::string& node) {
    const OwnFolder folder;
    folder.write("systems/mine.json",
                 R"({"schema_version": "1.0", "name": "mine", "gpus_per_node": )" + node + R"(,
                     "tiers": [{"name": "link", "accelerators": 8,
                                "bytes_per_second_per_direction": 1e11, "latency_seconds": 1e-6},
                               {"name": "net", "bytes_per_second_per_direction": 5e10,
                                "latency_seconds": 1e-5}]})");
    return ::message_of([&] { (void)Catalog((folder / "").string()).system("mine"); });
  };
  for (const char* node : {"1", "4", "8", "16"}) CHECK(message(node).empty());
  CHECK(contains(message("3"), "gpus_per_node"));
  CHECK(contains(message("12"), "gpus_per_node"));
}
