// SPDX-License-Identifier: Apache-2.0
#include "catalog/hardware/efficiency.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "catalog/data/data_file.h"
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

// No matmul rate that was not measured in training is taken to be closer to the peak.
constexpr double kBestMatmul = 0.95;

// 0 of a format that the chip lacks.
double matmul_by_rule(const Accelerator& accelerator, std::size_t precision) {
  const std::optional<double> peak = accelerator.peak_flops[precision];
  if (!peak) return 0;
  const std::optional<double> best = accelerator.measured_flops[precision];
  return std::min(kBestMatmul, best ? 0.7 * *best / *peak : 0.55);
}

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

// Constants of a chip: its own file's, else its sibling's, else by rule.
Efficiency read_efficiency(const Accelerator& chip, const DataFolder& data,
                           const AcceleratorLookup& find_accelerator, int depth) {
  constexpr int kLongestChain = 4;
  Efficiency start;
  if (chip.sibling.empty()) {
    start = efficiency_by_rule(
        chip, read_assumed<Efficiency>(data, "assumed/chip.json", kEfficiencyConstants));
  } else if (depth == kLongestChain) {
    throw Error(ErrorKind::data, fmt::format("the siblings of {} name each other", chip.name),
                "\"sibling\" is a chip with measurements of its own", chip.file);
  } else {
    const Accelerator& sibling = find_accelerator(chip.sibling);
    start = efficiency_alike(chip, sibling,
                             read_efficiency(sibling, data, find_accelerator, depth + 1));
  }
  const std::string path = fmt::format("efficiency/{}.json", chip.name);
  if (!data.has_file(path)) return start;
  return parse_efficiency(read_data_file(data, path), std::move(start));
}

// `MoE pre-training on hopper with megatron`
std::string family_words(const ResidualFamily& family) {
  constexpr std::string_view kModels[] = {"", "dense ", "MoE ", "vision-language", "contrastive"};
  constexpr std::string_view kTrainings[] = {"training", "pre-training", "fine-tuning"};
  std::string words(kModels[static_cast<std::size_t>(family.model)]);
  if (family.model == ModelFamily::vision || family.model == ModelFamily::contrastive) {
    words += " runs";
    if (family.stack) words += " with " + *family.stack;
    return words + ", one vote per source";
  }
  words += kTrainings[static_cast<std::size_t>(family.task)];
  if (family.architecture) words += " on " + *family.architecture;
  if (family.stack) words += " with " + *family.stack;
  return words;
}

void read_residuals(const DataFolder& data, std::string_view path,
                    std::vector<ResidualFamily>& families) {
  if (!data.has_file(path)) return;
  const CsvTable table(data.file(path), path);
  families.reserve(families.size() + table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    // A row of `any` joins them all.
    const auto name = [&](std::string_view column) {
      const std::string& cell = table.text(i, column);
      return cell == "any" ? std::nullopt : std::optional(cell);
    };
    families.push_back({name("architecture"),
                        name("stack"),
                        required_one_of(table, i, "model", kModelFamilies),
                        required_one_of(table, i, "task", kTaskFamilies),
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

std::vector<ResidualFamily> load_residuals(const DataFolder& data) {
  std::vector<ResidualFamily> families;
  read_residuals(data, "efficiency/residuals.csv", families);
  read_residuals(data, "efficiency/vision_residuals.csv", families);
  return families;
}

std::shared_ptr<const Efficiency> load_efficiency(const Accelerator& accelerator,
                                                  const DataFolder& data,
                                                  const std::vector<ResidualFamily>& residuals,
                                                  const AcceleratorLookup& find_accelerator) {
  Efficiency result = read_efficiency(accelerator, data, find_accelerator, 0);
  const auto concerns = [&](const ResidualFamily& family) {
    return !family.architecture || *family.architecture == accelerator.architecture;
  };
  result.residuals.reserve(static_cast<std::size_t>(std::ranges::count_if(residuals, concerns)));
  std::ranges::copy_if(residuals, std::back_inserter(result.residuals), concerns);
  return std::make_shared<const Efficiency>(std::move(result));
}

Efficiency efficiency_alike(const Accelerator& accelerator, const Accelerator& kin,
                            Efficiency of_kin) {
  for (std::size_t p = 0; p < of_kin.matmul.size(); ++p) {
    if (!kin.peak_flops[p]) {  // a format that only the newer chip has
      of_kin.matmul[p] = matmul_by_rule(accelerator, p);
      continue;
    }
    const std::optional<double> own = accelerator.measured_flops[p], other = kin.measured_flops[p];
    if (own && other && accelerator.peak_flops[p]) {
      of_kin.matmul[p] *= *own / *accelerator.peak_flops[p] / (*other / *kin.peak_flops[p]);
    }
    of_kin.matmul[p] = std::min(of_kin.matmul[p], kBestMatmul);
  }
  of_kin.accelerator = accelerator.name;
  of_kin.measured = false;
  of_kin.source =
      fmt::format("the constants of {}, matmuls by the ratio of measured matmul rates. {}",
                  kin.title, of_kin.source);
  return of_kin;
}

Efficiency efficiency_by_rule(const Accelerator& accelerator, Efficiency assumed) {
  assumed.accelerator = accelerator.name;
  assumed.source = "by rule from the specification (model.md 5.2)";
  for (std::size_t p = 0; p < assumed.matmul.size(); ++p) {
    assumed.matmul[p] = matmul_by_rule(accelerator, p);
  }
  return assumed;
}

}  // namespace trcost::catalog
