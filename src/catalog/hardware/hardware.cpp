// SPDX-License-Identifier: Apache-2.0
#include "catalog/hardware/hardware.h"

#include <fmt/core.h>

#include <cmath>

#include "quantity/suggest.h"
#include "trcost/error.h"
#include "trcost/layout.h"

namespace trcost::catalog {
namespace {

// Ranges are wide enough for a decade of hardware and narrow enough to catch a wrong unit.
constexpr double kLowestRate = 1e9, kHighestRate = 1e19;            // FLOP/s
constexpr double kLowestMemory = 1e8, kHighestMemory = 1e14;        // bytes
constexpr double kLowestBandwidth = 1e9, kHighestBandwidth = 1e15;  // bytes/s

// The name of the precision with index `i`.
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

// A measured rate above the dense peak is a wrong unit, a rate with sparsity, or another format's.
void check_measured_rates(const ObjectReader& file, const Accelerator& accelerator) {
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    const std::optional<double>& measured = accelerator.measured_flops[i];
    const std::optional<double>& peak = accelerator.peak_flops[i];
    if (!measured || (peak && *measured <= *peak)) continue;
    const std::string key = fmt::format("{}_flop_per_second", tier_name(i));
    throw Error(
        ErrorKind::data,
        peak ? fmt::format("{:g} FLOP/s measured is above the dense peak of {:g}", *measured, *peak)
             : fmt::format("a measured rate, but no dense peak for {}", tier_name(i)),
        peak ? "dense rates only: halve a rate with 2:4 sparsity"
             : fmt::format("add {} to dense_peak", key),
        fmt::format("{}#/measured_matmul/{}", file.value().origin(), key));
  }
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

// Facts of data/assumed/server.json for a chip whose file leaves them out.
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

constexpr double kLowestLinkBandwidth = 1e6, kHighestLinkBandwidth = 1e14;  // bytes/s
constexpr double kLowestLatency = 1e-9, kHighestLatency = 1;                // seconds

NetworkTier read_tier(const JsonValue& value, const Sources& sources, bool last) {
  ObjectReader reader = value.object();
  NetworkTier tier;
  tier.name = reader.required_text("name");
  // The outermost tier spans whatever cluster is asked for.
  const std::optional<JsonValue> size = reader.optional_value("accelerators");
  if (!size && !last) value.fail("every tier but the last needs \"accelerators\"");
  tier.size = size ? size->whole(1, kMostGpus) : kMostGpus;
  tier.bandwidth = sources
                       .required(reader, "bytes_per_second_per_direction", kLowestLinkBandwidth,
                                 kHighestLinkBandwidth)
                       .value;
  tier.latency_seconds =
      sources.required(reader, "latency_seconds", kLowestLatency, kHighestLatency).value;
  tier.in_network_reduction = reader.boolean_or("in_network_reduction", false);
  reader.accept("notes");
  reader.finish();
  return tier;
}

void read_tiers(ObjectReader& file, const Sources& sources, System& system) {
  const JsonValue tiers = file.required_value("tiers");
  const std::vector<JsonValue> values = tiers.array();
  if (values.empty()) tiers.fail("a system needs at least one tier");
  for (std::size_t i = 0; i < values.size(); ++i) {
    system.tiers.push_back(read_tier(values[i], sources, i + 1 == values.size()));
    if (i > 0 && system.tiers[i].size <= system.tiers[i - 1].size) {
      values[i].fail(fmt::format("a tier of {:.0f} accelerators stands outside one of {:.0f}",
                                 system.tiers[i].size, system.tiers[i - 1].size),
                     "order the tiers from the innermost to the outermost");
    }
  }
}

// Nodes make up the innermost tier, or are made up of it.
void check_node(const ObjectReader& file, const System& system) {
  const double node = system.gpus_per_node, tier = system.gpus_per_domain;
  if (tier == kMostGpus || std::fmod(tier, node) == 0 || std::fmod(node, tier) == 0) return;
  throw Error(
      ErrorKind::data,
      fmt::format("nodes of {:.0f} accelerators do not divide a tier of {:.0f}", node, tier),
      "one has to be a multiple of the other", file.value().origin() + "#/gpus_per_node");
}

}  // namespace

std::span<const Constant<Accelerator>> server_facts() {
  return kServerFacts;
}

Accelerator assumed_accelerator(const DataFolder& data) {
  return read_assumed<Accelerator>(data, "assumed/server.json", kServerFacts);
}

Accelerator parse_accelerator(const JsonValue& document, Accelerator accelerator) {
  const std::string& origin = document.origin();
  ObjectReader file = document.object();
  const Sources sources(file);
  accelerator.file = origin;
  accelerator.name = read_entry_head(file, origin);
  accelerator.title = file.text_or("title", accelerator.name);
  accelerator.vendor = file.text_or("vendor", "");
  accelerator.architecture = file.text_or("architecture", "");
  read_date(file, "release_date");
  accelerator.aliases = file.texts_or_empty("aliases");
  accelerator.cloud_names = read_cloud_names(file, accelerator.name);
  accelerator.sibling = file.text_or("sibling", "");
  accelerator.system = file.required_text("system");
  file.required_object("dense_peak");
  read_rates(file, "dense_peak", sources, accelerator.peak_flops);
  read_rates(file, "measured_matmul", sources, accelerator.measured_flops);
  check_measured_rates(file, accelerator);
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

System parse_system(const JsonValue& document) {
  const std::string& origin = document.origin();
  ObjectReader file = document.object();
  const Sources sources(file);
  System system;
  system.file = origin;
  system.name = read_entry_head(file, origin);
  system.title = file.text_or("title", system.name);
  system.accelerators = file.texts_or_empty("accelerators");
  system.gpus_per_node = file.required_whole("gpus_per_node", 1, 1e5);
  read_tiers(file, sources, system);
  system.gpus_per_domain = system.tiers.front().size;
  check_node(file, system);
  if (system.tiers.size() == 1 && system.gpus_per_domain == kMostGpus) {
    system.gpus_per_domain = system.gpus_per_node;
  }
  system.usable_per_domain =
      file.whole_or("usable_per_domain", system.gpus_per_domain, 1, system.gpus_per_domain);
  if (const auto host = sources.optional(file, "host_bytes_per_second_per_direction",
                                         kLowestLinkBandwidth, kHighestLinkBandwidth)) {
    system.host_bandwidth = host->value;
  }
  if (const auto power = sources.optional(file, "power_per_gpu_watts", 1, 1e5)) {
    system.power_per_gpu_watts = power->value;
    system.power_source = power->source;
  }
  CatalogPrice price = read_price(file, sources);
  system.price_usd = price.usd;
  if (price.usd) {
    system.price_gpus = price.accelerators.value_or(system.gpus_per_node);
  }
  system.price_source = std::move(price.source);
  system.price_date = std::move(price.date);
  file.accept("notes");
  file.finish();
  return system;
}

}  // namespace trcost::catalog

namespace trcost {

std::string_view precision_name(Precision precision) {
  return word_of(kPrecisions, std::optional(precision));
}

std::optional<Precision> parse_precision(std::string_view name) {
  return find_value(kPrecisions, name).value_or(std::nullopt);
}

}  // namespace trcost
