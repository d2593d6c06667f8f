// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "catalog/loaders.h"
#include "catalog/provenance.h"
#include "json/strict_json.h"
#include "trcost/layout.h"

namespace trcost::catalog {

namespace {

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

}  // namespace

System parse_system(const JsonValue& document) {
  const std::string& origin = document.origin();
  ObjectReader file = document.object();
  const Sources sources(file);
  System system;
  system.file = origin;
  system.name = read_head(file, origin);
  system.title = file.text_or("title", system.name);
  system.accelerators = file.texts_or_empty("accelerators");
  system.gpus_per_node = file.required_whole("gpus_per_node", 1, 1e5);
  read_tiers(file, sources, system);
  system.gpus_per_domain = system.tiers.front().size;
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
