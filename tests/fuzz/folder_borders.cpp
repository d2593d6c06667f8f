// SPDX-License-Identifier: Apache-2.0
// A data folder of which one file is the user's: the first line of the bytes names it, the rest is
// what it holds.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "catalog/hardware/efficiency.h"
#include "catalog/runs/runs.h"
#include "catalog/software/engine.h"
#include "fuzz/borders.h"
#include "prices/rows/price_book.h"
#include "prices/rows/regions.h"
#include "trcost/catalog.h"
#include "trcost/estimate.h"

namespace trcost::fuzz {
namespace {

const Accelerator& hopper(const Catalog& catalog) {
  return catalog.accelerator("h100-sxm");
}

void read_prices(const Catalog& catalog) {
  for (const PriceRow& row : price_book(catalog).rows) require(row.median > 0);
}

void read_regions(const Catalog& catalog) {
  (void)known_regions(catalog);
}

void read_runs(const Catalog& catalog) {
  (void)catalog.runs();
}

void read_efficiency(const Catalog& catalog) {
  (void)catalog.efficiency(hopper(catalog));
}

void read_chip(const Catalog& catalog) {
  (void)catalog.serving_chip(hopper(catalog), catalog.system("dgx-h100"));
}

void read_spread(const Catalog& catalog) {
  (void)catalog.serving_spread();
}

void read_rounds(const Catalog& catalog) {
  (void)catalog.round_framework("modern", hopper(catalog));
}

void read_engine(const Catalog& catalog) {
  (void)catalog.engine("vllm");
}

void read_budgets(const Catalog& catalog) {
  Scenario scenario;
  scenario.set_number(Field::model_params, 1e9);
  Estimate optimal;
  optimal.accelerator = "h100-sxm";
  optimal.model.params_total = 1e9;
  optimal.model.params_trainable = 1e9;
  optimal.tokens.total = 2e10;
  optimal.tokens.compute_optimal = true;
  (void)token_alternatives(scenario, catalog, optimal);
}

void read_unseen_errors(const Catalog& catalog) {
  (void)catalog::load_unseen_errors(catalog);
}

struct DataFile {
  std::string_view path;
  void (*read)(const Catalog& catalog);
};

constexpr std::array<DataFile, 20> kFiles = {{
    {"prices/fuzz.json", read_prices},
    {"prices/book.json", read_prices},
    {"prices/egress.json", read_prices},
    {"prices/storage.json", read_prices},
    {"prices/purchase.json", read_prices},
    {"prices/regions.json", read_regions},
    {"runs/runs.csv", read_runs},
    {"runs/vision.csv", read_runs},
    {"runs/memory.csv", read_runs},
    {"runs/throughput.csv", read_runs},
    {"runs/token_budgets.json", read_budgets},
    {"runs/unseen_errors.json", read_unseen_errors},
    {"efficiency/h100-sxm.json", read_efficiency},
    {"efficiency/residuals.csv", read_efficiency},
    {"efficiency/vision_residuals.csv", read_efficiency},
    {"efficiency/left_out.csv", read_runs},
    {"serving/architectures.json", read_chip},
    {"serving/spread.json", read_spread},
    {"serving/rounds.json", read_rounds},
    {"engines/vllm.json", read_engine},
}};

struct Folder {
  std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("trcost-fuzz-data-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(root); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }
};

}  // namespace

void data_file(std::string_view bytes) {
  static const Folder folder;
  const std::size_t line = bytes.find('\n');
  if (line == bytes.npos) return;
  const auto file = std::ranges::find(kFiles, bytes.substr(0, line), &DataFile::path);
  if (file == kFiles.end()) return;
  const std::filesystem::path path = folder.root / file->path;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes.substr(line + 1);
  attempt([&] { file->read(Catalog(folder.root.string())); });
  std::filesystem::remove(path);
}

}  // namespace trcost::fuzz
