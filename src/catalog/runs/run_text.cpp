// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <nlohmann/json.hpp>

#include "catalog/loaders.h"
#include "text/csv.h"

namespace trcost::catalog {

namespace {

using nlohmann::ordered_json;

// A cell as a person would type it: a number where all of it is one.
ordered_json cell_value(const std::string& text) {
  if (text.empty()) return nullptr;
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc() && end == text.data() + text.size()) return value;
  return text;
}

}  // namespace

std::string run_text(const Catalog& catalog, std::string_view id) {
  for (const auto& [path, key] :
       {std::pair{"runs/throughput.csv", "id"}, std::pair{"runs/runs.csv", "run_id"}}) {
    const CsvTable table(catalog.file(path), path);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.text(row, key) != id) continue;
      ordered_json object;
      for (const std::string& column : table.columns()) {
        object[column] = cell_value(table.text(row, column));
      }
      return object.dump(2) + "\n";
    }
  }
  return {};
}

}  // namespace trcost::catalog
