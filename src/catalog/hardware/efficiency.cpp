// SPDX-License-Identifier: Apache-2.0
#include "catalog/hardware/efficiency.h"
#include "catalog/software/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "catalog/constants.h"
#include "catalog/data_file.h"
#include "catalog/loaders.h"
#include "catalog/provenance.h"
#include "json/strict_json.h"
#include "text/csv.h"
#include "trcost/error.h"

namespace trcost::catalog {

namespace {

constexpr Constant<Efficiency> kEfficiencyConstants[] = {
    {"ramp_seconds", &Efficiency::ramp_seconds, 0, 1e-3},
    {"batched_matmul", &Efficiency::batched_matmul, 0.01, 1},
    {"flash_forward", &Efficiency::flash_forward, 0.01, 1},
    {"flash_backward", &Efficiency::flash_backward, 0.01, 1},
    {"flash2_forward", &Efficiency::flash2_forward, 0.01, 1},
    {"flash2_backward", &Efficiency::flash2_backward, 0.01, 1},
    {"flash_head_half", &Efficiency::flash_head_half, 0, 1e4},
    {"flash_length_half", &Efficiency::flash_length_half, 0, 1e5},
    {"memory", &Efficiency::memory, 0.01, 1},
    {"link", &Efficiency::link, 0.01, 1},
    {"link_half_bytes", &Efficiency::link_half_bytes, 0, 1e10},
    {"network", &Efficiency::network, 0.01, 1},
    {"kernel_gap_seconds", &Efficiency::kernel_gap_seconds, 0, 1e-3},
    {"usual_gap", &Efficiency::usual_gap, 0, 1},
};

Efficiency parse_efficiency(const JsonValue& document, Efficiency result) {
  ObjectReader reader = document.object();
  reader.accept("schema_version");
  result.accelerator = reader.required_text("accelerator");
  result.source = reader.required_text("source");
  result.measured = true;
  ObjectReader matmul = reader.required_object("matmul");
  for (int i = 0; i < kPrecisionCount; ++i) {
    const auto p = static_cast<std::size_t>(i);
    result.matmul[p] =
        matmul.number_or(precision_name(static_cast<Precision>(i)), result.matmul[p], 0.01, 1);
  }
  matmul.finish();
  read_given_constants(reader, kEfficiencyConstants, result);
  reader.finish();
  return result;
}

Efficiency assumed_efficiency(const Catalog& catalog) {
  return read_assumed<Efficiency>(catalog, "assumed/chip.json", kEfficiencyConstants);
}

std::string efficiency_path(std::string_view accelerator) {
  return fmt::format("efficiency/{}.json", accelerator);
}

Efficiency read_efficiency(const Accelerator& chip, const Catalog& catalog, int depth);

// Constants of a chip before its own measurements: its sibling's, else by rule.
Efficiency unmeasured(const Accelerator& chip, const Catalog& catalog, int depth) {
  constexpr int kLongestChain = 4;
  if (chip.sibling.empty()) return efficiency_by_rule(chip, assumed_efficiency(catalog));
  if (depth == kLongestChain) {
    throw Error(ErrorKind::data, fmt::format("the siblings of {} name each other", chip.name),
                "\"sibling\" is a chip with measurements of its own", chip.file);
  }
  const Accelerator& kin = catalog.accelerator(chip.sibling);
  return efficiency_alike(chip, kin, read_efficiency(kin, catalog, depth + 1));
}

Efficiency read_efficiency(const Accelerator& chip, const Catalog& catalog, int depth) {
  const std::string path = efficiency_path(chip.name);
  Efficiency start = unmeasured(chip, catalog, depth);
  if (!catalog.has_file(path)) return start;
  return parse_efficiency(read_data_file(catalog, path), std::move(start));
}

// `MoE pre-training on hopper with megatron`
std::string family_words(const ResidualFamily& family) {
  std::string words;
  switch (family.model) {
    case ModelFamily::vision:
      return "vision-language runs, one vote per source";
    case ModelFamily::contrastive:
      return "contrastive runs, one vote per source";
    case ModelFamily::moe:
      words = "MoE ";
      break;
    case ModelFamily::dense:
      words = "dense ";
      break;
    case ModelFamily::any:
      break;
  }
  switch (family.task) {
    case TaskFamily::finetune:
      words += "fine-tuning";
      break;
    case TaskFamily::pretrain:
      words += "pre-training";
      break;
    case TaskFamily::any:
      words += "training";
      break;
  }
  if (family.architecture) words += " on " + *family.architecture;
  if (family.stack) words += " with " + *family.stack;
  return words;
}

// A name, or nothing where the row joins them all.
std::optional<std::string> name_or_any(const CsvTable& table, std::size_t row,
                                       std::string_view column) {
  const std::string& cell = table.text(row, column);
  if (cell == "any") return std::nullopt;
  return cell;
}

void read_residuals(const Catalog& catalog, std::string_view path,
                    std::vector<ResidualFamily>& families) {
  if (!catalog.has_file(path)) return;
  const CsvTable table(catalog.file(path), path);
  families.reserve(families.size() + table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    families.push_back({name_or_any(table, i, "architecture"),
                        name_or_any(table, i, "stack"),
                        required_one_of(table, i, "model", kModelFamilies),
                        required_one_of(table, i, "task", kTaskFamilies),
                        required_one_of(table, i, "layout", kLayoutFamilies),
                        static_cast<int>(table.required_number(i, "rows")),
                        table.required_number(i, "groups"),
                        table.required_number(i, "sources"),
                        table.required_number(i, "sigma"),
                        table.required_number(i, "median_error"),
                        {}});
    families.back().words = family_words(families.back());
  }
}

}  // namespace

std::span<const Constant<Efficiency>> efficiency_constants() {
  return kEfficiencyConstants;
}

std::vector<ResidualFamily> load_residuals(const Catalog& catalog) {
  std::vector<ResidualFamily> families;
  read_residuals(catalog, "efficiency/residuals.csv", families);
  read_residuals(catalog, "efficiency/vision_residuals.csv", families);
  return families;
}

std::shared_ptr<const Efficiency> load_efficiency(const Accelerator& accelerator,
                                                  const Catalog& catalog,
                                                  const std::vector<ResidualFamily>& residuals) {
  Efficiency result = read_efficiency(accelerator, catalog, 0);
  const auto concerns = [&](const ResidualFamily& family) {
    return !family.architecture || *family.architecture == accelerator.architecture;
  };
  result.residuals.reserve(static_cast<std::size_t>(std::ranges::count_if(residuals, concerns)));
  std::ranges::copy_if(residuals, std::back_inserter(result.residuals), concerns);
  return std::make_shared<const Efficiency>(std::move(result));
}

std::string_view tuning_name(Tuning tuning) {
  return word_of(kTunings, tuning);
}

}  // namespace trcost::catalog
