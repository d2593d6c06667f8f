// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "trcost/price_import.h"
#include "trcost/suggest.h"

namespace trcost {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct Name {
  std::string_view prefix;  // of the folded cloud name
  std::string_view accelerator;
};

// Longest prefixes first where one is part of another.
constexpr std::array<Name, 21> kNames = {{
    {"gb300", "gb300-nvl72"},
    {"gb200", "gb200-nvl72"},
    {"gh200", "gh200"},
    {"b300", "b300"},
    {"b200", "b200"},
    {"h200", "h200"},
    {"h800", "h800"},
    {"h20", "h20"},
    {"mi300x", "mi300x"},
    {"mi325x", "mi325x"},
    {"mi355x", "mi355x"},
    {"rtx5090", "rtx-5090"},
    {"rtx4090", "rtx-4090"},
    {"rtx3090", "rtx-3090"},
    {"rtx6000ada", "rtx-6000-ada"},
    {"rtxa6000", "rtx-a6000"},
    {"a6000", "rtx-a6000"},
    {"l40s", "l40s"},
    {"gaudi3", "gaudi3"},
    {"trainium2", "trainium2"},
    {"l4", "l4"},
}};

std::string hopper(std::string_view text) {
  if (has(text, "pcie")) return "h100-pcie";
  if (has(text, "nvl") && !has(text, "nvlink")) return "h100-nvl";
  return "h100-sxm";
}

std::string ampere(std::string_view text, double memory_gb) {
  const bool large = has(text, "80g") || memory_gb > 60;
  const bool small = has(text, "40g") || (memory_gb > 0 && memory_gb <= 60);
  if (!large && !small) return {};
  const std::string size = large ? "80gb" : "40gb";
  return (has(text, "pcie") ? "a100-pcie-" : "a100-sxm-") + size;
}

}  // namespace

std::string accelerator_by_cloud_name(std::string_view name, double memory_gb,
                                      std::string_view instance) {
  const std::string folded_name = folded(name);
  const std::string all = folded_name + " " + folded(instance);
  if (folded_name.starts_with("h100")) return hopper(all);
  if (folded_name.starts_with("a100")) return ampere(all, memory_gb);
  if (folded_name.starts_with("v100") && memory_gb > 0) {
    return memory_gb > 20 ? "v100-sxm-32gb" : "v100-sxm-16gb";
  }
  for (const Name& known : kNames) {
    if (!folded_name.starts_with(known.prefix)) continue;
    if (known.prefix == "l4" && folded_name != "l4") continue;  // not the L40
    return std::string(known.accelerator);
  }
  return {};
}

ProviderClass usual_provider_class(std::string_view provider) {
  constexpr std::array<std::string_view, 8> kHyperscalers = {"aws",    "gcp", "azure",  "oci",
                                                             "oracle", "ibm", "google", "alibaba"};
  constexpr std::array<std::string_view, 10> kMarketplaces = {
      "vast",       "vastai", "spheron", "shadeform", "primeintellect",
      "tensordock", "ionet",  "lium",    "mithril",   "runpodcommunity"};
  const std::string name = folded(provider);
  for (const auto known : kHyperscalers) {
    if (name == known) return ProviderClass::hyperscaler;
  }
  for (const auto known : kMarketplaces) {
    if (name == known) return ProviderClass::marketplace;
  }
  return ProviderClass::specialist;
}

}  // namespace trcost
