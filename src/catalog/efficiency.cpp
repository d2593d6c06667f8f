// SPDX-License-Identifier: Apache-2.0
#include "trcost/efficiency.h"

#include <fmt/format.h>

#include "catalog/loaders.h"
#include "catalog/strict_json.h"

namespace trcost {
namespace {

Efficiency parse_efficiency(std::string_view json, const std::string& origin,
                            Efficiency result) {
  ObjectReader reader = parse_strict_json(json, origin).object();
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

}  // namespace

std::shared_ptr<const Efficiency> load_efficiency(const Accelerator& accelerator,
                                                  const Catalog& catalog) {
  Efficiency rule = efficiency_by_rule(accelerator);
  const std::string path = fmt::format("efficiency/{}.json", accelerator.name);
  if (!catalog.has_file(path)) return std::make_shared<const Efficiency>(std::move(rule));
  return std::make_shared<const Efficiency>(
      parse_efficiency(catalog.file(path), path, std::move(rule)));
}

}  // namespace trcost
