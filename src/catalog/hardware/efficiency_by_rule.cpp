// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "catalog/hardware/efficiency.h"

namespace trcost::catalog {

namespace {

// No matmul rate that was not measured in training is taken to be closer to the peak.
constexpr double kBestMatmul = 0.95;

// 0 of a format that the chip lacks.
double matmul_by_rule(const Accelerator& accelerator, std::size_t precision) {
  const std::optional<double> peak = accelerator.peak_flops[precision];
  if (!peak) return 0;
  const std::optional<double> best = accelerator.measured_flops[precision];
  return std::min(kBestMatmul, best ? 0.7 * *best / *peak : 0.55);
}

}  // namespace

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
      fmt::format("the constants of {}, matmuls by the ratio of measured matmul rates; {}",
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
