// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "catalog/constants.h"
#include "catalog/loaders.h"
#include "catalog/provenance.h"
#include "catalog/software/choices.h"
#include "json/strict_json.h"
#include "quantity/layers.h"
#include "quantity/suggest.h"

namespace trcost::catalog {

namespace {

// Ranges are wide enough for a decade of hardware and narrow enough to catch a wrong unit.
constexpr double kLowestRate = 1e9, kHighestRate = 1e19;            // FLOP/s
constexpr double kLowestMemory = 1e8, kHighestMemory = 1e14;        // bytes
constexpr double kLowestBandwidth = 1e9, kHighestBandwidth = 1e15;  // bytes/s

// Of a place in an array by precision.
std::string_view tier_name(std::size_t i) {
  return precision_name(static_cast<Precision>(i));
}

// `{ "bf16_flop_per_second": ... }`, absent formats stay as they are.
void read_rates(ObjectReader& file, std::string_view key, const Sources& sources, auto& rates) {
  std::optional<ObjectReader> object = file.optional_object(key);
  if (!object) return;
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    const auto rate = sources.optional(*object, fmt::format("{}_flop_per_second", tier_name(i)),
                                       kLowestRate, kHighestRate);
    if (rate) rates[i] = rate->value;
  }
  object->finish();
}

// `{ "bf16": "source", ... }`: formats that models have been trained in on this chip.
void read_recipes(ObjectReader& file, const Sources& sources, Accelerator& accelerator) {
  std::optional<ObjectReader> recipes = file.optional_object("training_recipes");
  if (!recipes) {
    // A user's own chip: the formats that every framework trains in.
    for (const Precision precision : {Precision::bf16, Precision::fp16, Precision::fp32}) {
      const auto i = static_cast<std::size_t>(precision);
      accelerator.recipe[i] = accelerator.peak_flops[i].has_value();
    }
    return;
  }
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    const std::optional<JsonValue> recipe = recipes->optional_value(tier_name(i));
    if (!recipe) continue;
    sources.text(*recipe);
    if (!accelerator.peak_flops[i]) {
      recipe->fail(fmt::format("there is no dense peak for {}", tier_name(i)),
                   fmt::format("add {}_flop_per_second to dense_peak", tier_name(i)));
    }
    accelerator.recipe[i] = true;
  }
  recipes->finish();
}

// What data/assumed/server.json has for a chip whose file says nothing.
constexpr Constant<Accelerator> kServerFacts[] = {
    {"mean_draw_fraction", &Accelerator::mean_draw, 0.01, 1},
    {"server_power_multiple", &Accelerator::server_power_multiple, 1, 10},
    {"server_price_multiple", &Accelerator::server_price_multiple, 1, 10},
};

void read_cost_facts(ObjectReader& file, const Sources& sources, Accelerator& accelerator) {
  if (const auto power = sources.optional(file, "power_watts", 1, 1e5)) {
    accelerator.power_watts = power->value;
    accelerator.power_source = power->source;
  }
  for (const Constant<Accelerator>& fact : kServerFacts) {
    const auto given = sources.optional(file, fact.name, fact.lowest, fact.highest);
    if (given) accelerator.*fact.member = given->value;
  }
  accelerator.sold_by_maker = file.boolean_or("sold_by_maker", false);
  CatalogPrice price = read_price(file, sources);
  accelerator.price_usd = price.usd;
  accelerator.price_source = std::move(price.source);
  accelerator.price_date = std::move(price.date);
}

std::vector<CloudName> read_cloud_names(ObjectReader& file, const std::string& accelerator) {
  std::vector<CloudName> out;
  for (const JsonValue& each : file.array_or_empty("cloud_names")) {
    ObjectReader row = each.object();
    CloudName name;
    name.name = row.required_text("name");
    name.words = row.texts_or_empty("words");
    name.form = row.text_or("form", "");
    name.memory_gb = row.optional_number("memory_gb", 1, 1e5);
    name.accelerator = row.text_or("accelerator", accelerator);
    row.finish();
    if (folded(name.name) != name.name || name.name.empty()) {
      each.fail("a cloud's name is written folded", "small letters and digits: rtx5090");
    }
    out.push_back(std::move(name));
  }
  return out;
}

}  // namespace

}  // namespace trcost::catalog

namespace trcost {

std::string_view precision_name(Precision precision) {
  return word_of(kPrecisions, std::optional(precision));
}

std::optional<Precision> parse_precision(std::string_view name) {
  return find_value(kPrecisions, name).value_or(std::nullopt);
}

}  // namespace trcost

namespace trcost::catalog {

std::span<const Constant<Accelerator>> server_facts() {
  return kServerFacts;
}

Accelerator assumed_accelerator(const Catalog& catalog) {
  return read_assumed<Accelerator>(catalog, "assumed/server.json", kServerFacts);
}

Accelerator parse_accelerator(const JsonValue& document, Accelerator accelerator) {
  const std::string& origin = document.origin();
  ObjectReader file = document.object();
  const Sources sources(file);
  accelerator.file = origin;
  accelerator.name = read_head(file, origin);
  accelerator.title = file.text_or("title", accelerator.name);
  accelerator.vendor = file.text_or("vendor", "");
  accelerator.architecture = file.text_or("architecture", "");
  file.accept("release_date");
  accelerator.aliases = file.texts_or_empty("aliases");
  accelerator.cloud_names = read_cloud_names(file, accelerator.name);
  accelerator.sibling = file.text_or("sibling", "");
  accelerator.system = file.required_text("system");
  file.required_object("dense_peak");
  read_rates(file, "dense_peak", sources, accelerator.peak_flops);
  read_rates(file, "measured_matmul", sources, accelerator.measured_flops);
  read_recipes(file, sources, accelerator);
  accelerator.memory_bytes =
      sources.required(file, "memory_bytes", kLowestMemory, kHighestMemory).value;
  accelerator.memory_bandwidth =
      sources.required(file, "memory_bytes_per_second", kLowestBandwidth, kHighestBandwidth).value;
  sources.optional(file, "memory_streaming_fraction", 0.1, 1);  // for the reader of the file
  read_cost_facts(file, sources, accelerator);
  file.accept("notes");
  file.finish();
  return accelerator;
}

}  // namespace trcost::catalog
