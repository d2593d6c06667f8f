// SPDX-License-Identifier: Apache-2.0
// The files of the data folder, as a user may write them.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "catalog/hardware/hardware.h"
#include "catalog/models/hugging_face/hugging_face.h"
#include "catalog/models/model.h"
#include "catalog/software/engine.h"
#include "catalog/software/stacks.h"
#include "fuzz/borders.h"
#include "text/unicode.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "workload/blocks/block.h"

namespace trcost::fuzz {
namespace {

// An Error of the strict reader has words, and none that a terminal might act on.
template <class Load>
void load(std::string_view text, const Load& use) {
  try {
    use(parse_strict_json(text, "fuzz.json"));
  } catch (const Error& error) {
    require(!error.message.empty());
    require(!first_bad_byte(error.message));
    for (const char c : error.message + error.hint) {
      require(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
    }
  }
}

void check_accelerator(const Accelerator& chip) {
  for (const std::optional<double>& rate : chip.peak_flops) {
    if (rate && !(std::isfinite(*rate) && *rate > 0)) std::abort();
  }
  if (!(chip.memory_bytes > 0) || !(chip.memory_bandwidth > 0)) std::abort();
}

void check_system(const System& system) {
  if (system.tiers.empty() || !(system.gpus_per_node >= 1)) std::abort();
  for (const NetworkTier& tier : system.tiers) {
    if (!(tier.bandwidth > 0) || !std::isfinite(tier.bandwidth)) std::abort();
  }
  if (system.usable_per_domain > system.gpus_per_domain) std::abort();
}

}  // namespace

void catalog(std::string_view bytes) {
  static const Catalog catalog;
  static const Accelerator assumed = assumed_accelerator(catalog);
  load(bytes, [](const JsonValue& json) { check_accelerator(parse_accelerator(json, assumed)); });
  load(bytes, [](const JsonValue& json) { check_system(parse_system(json)); });
  load(bytes, [](const JsonValue& json) { (void)parse_encoder(json); });
  load(bytes, [](const JsonValue& json) {
    (void)read_model(json, catalog,
                     [](std::string_view name) -> const Encoder& { return catalog.encoder(name); });
  });
  load(bytes, [](const JsonValue& json) { (void)load_stack(json, catalog); });
  load(bytes, [](const JsonValue& json) { (void)load_engine(json); });
}

// The file of a model folder, as --model takes it. What is read has parameters that can be counted.
void hugging_face(std::string_view bytes) {
  const Catalog catalog;
  attempt([&] {
    const catalog::Model& model = catalog.model(file_with(bytes, ".json"));
    const workload::ParameterCounts counts = workload::count_parameters(model);
    require(std::isfinite(counts.total) && counts.total >= counts.active);
  });
}

}  // namespace trcost::fuzz
