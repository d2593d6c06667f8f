// SPDX-License-Identifier: Apache-2.0
#include "trcost/efficiency.h"

#include <fmt/format.h>

#include "catalog/csv.h"
#include "catalog/data_file.h"
#include "catalog/loaders.h"
#include "catalog/strict_json.h"

namespace trcost {
namespace {

Efficiency parse_efficiency(const JsonValue& document, Efficiency result) {
  ObjectReader reader = document.object();
  reader.accept("schema_version");
  result.accelerator = reader.required_text("accelerator");
  result.source = reader.required_text("source");
  result.measured = true;
  ObjectReader matmul = reader.required_object("matmul");
  for (int i = 0; i < kPrecisionCount; ++i) {
    const auto p = static_cast<std::size_t>(i);
    result.matmul[p] = matmul.number_or(precision_name(static_cast<Precision>(i)),
                                        result.matmul[p], 0.01, 1);
  }
  matmul.finish();
  for (const EfficiencyConstant& constant : efficiency_constants()) {
    result.*constant.member = reader.number_or(constant.name, result.*constant.member,
                                               constant.lowest, constant.highest);
  }
  reader.finish();
  return result;
}

std::string family_words(const ResidualFamily& family) {
  const auto named = [](const std::string& value, const char* prefix) {
    return value == "any" ? std::string() : prefix + value;
  };
  const std::string task = family.task == "finetune"   ? "fine-tuning"
                           : family.task == "pretrain" ? "pre-training"
                                                       : "training";
  return fmt::format("{}{}{}{}", family.model == "any" ? "" : family.model == "moe" ? "MoE " : "dense ",
                     task, named(family.architecture, " on "), named(family.stack, " with "));
}

// Families of the chip's architecture and of any.
std::vector<ResidualFamily> read_residuals(const Catalog& catalog, std::string_view architecture) {
  constexpr std::string_view path = "efficiency/residuals.csv";
  std::vector<ResidualFamily> families;
  if (!catalog.has_file(path)) return families;
  const CsvTable table(catalog.file(path), path);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string& name = table.text(i, "architecture");
    if (name != architecture && name != "any") continue;
    ResidualFamily family{name,
                          table.text(i, "stack"),
                          table.text(i, "model"),
                          table.text(i, "task"),
                          table.text(i, "layout"),
                          static_cast<int>(table.required_number(i, "rows")),
                          table.required_number(i, "groups"),
                          table.required_number(i, "sigma"),
                          table.required_number(i, "median_error"),
                          {}};
    family.words = family_words(family);
    families.push_back(std::move(family));
  }
  return families;
}

}  // namespace

std::shared_ptr<const Efficiency> load_efficiency(const Accelerator& accelerator,
                                                  const Catalog& catalog) {
  Efficiency result = efficiency_by_rule(accelerator);
  const std::string path = fmt::format("efficiency/{}.json", accelerator.name);
  if (catalog.has_file(path)) {
    result = parse_efficiency(read_data_file(catalog, path), std::move(result));
  }
  result.residuals = read_residuals(catalog, accelerator.architecture);
  return std::make_shared<const Efficiency>(std::move(result));
}

}  // namespace trcost
