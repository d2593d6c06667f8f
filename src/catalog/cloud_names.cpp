// SPDX-License-Identifier: Apache-2.0
// How clouds and the catalogs of their prices spell accelerators and themselves.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "trcost/price_import.h"
#include "trcost/suggest.h"

namespace trcost {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct Name {
  std::string_view spelled;  // the folded cloud name starts so
  std::string_view accelerator;
  std::string_view variants;  // folded words that may follow and mean the same chip
};

// Longer names before those that they begin with. What follows a name has to be known: an H20-3e is
// no H20, an RTX 4090 D no RTX 4090. GCP's H100-MEGA is an H100 with more network.
constexpr std::string_view kForms = "sxm sxm5 hgx";
constexpr std::array<Name, 24> kNames = {{
    {"gb300", "gb300-nvl72", "nvl72"},
    {"gb200", "gb200-nvl72", "nvl72"},
    {"gh200", "gh200", ""},
    {"b300", "b300", kForms},
    {"b200", "b200", kForms},
    {"h200", "h200", kForms},
    {"h100", "h100", "sxm sxm5 hgx hbm3 pcie nvl mega"},
    {"h800", "h800", kForms},
    {"h20", "h20", kForms},
    {"a100", "a100", "sxm sxm4 hgx pcie"},
    {"v100", "v100", "sxm sxm2 sxm3"},
    {"mi300x", "mi300x", ""},
    {"mi325x", "mi325x", ""},
    {"mi355x", "mi355x", ""},
    {"rtx5090", "rtx-5090", ""},
    {"rtx4090", "rtx-4090", ""},
    {"rtx3090", "rtx-3090", ""},
    {"rtx6000ada", "rtx-6000-ada", "generation"},
    {"rtxa6000", "rtx-a6000", ""},
    {"a6000", "rtx-a6000", ""},
    {"l40s", "l40s", "pcie"},
    {"l4", "l4", "pcie"},
    {"gaudi3", "gaudi3", ""},
    {"trainium2", "trainium2", ""},
}};

// A cloud's name taken apart.
struct Parts {
  const Name* name = nullptr;
  double memory_gb = 0;  // as the name says
  bool pcie = false, nvl = false;
};

// `80gb` or `80g` at the start of `rest`, which moves behind it.
std::optional<double> take_memory(std::string_view& rest) {
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits < 2 || digits > 3 || digits == rest.size() || rest[digits] != 'g') return std::nullopt;
  double memory = 0;
  for (const char c : rest.substr(0, digits)) memory = memory * 10 + (c - '0');
  rest.remove_prefix(digits + 1);
  if (rest.starts_with('b')) rest.remove_prefix(1);
  return memory;
}

// A word of `variants` at the start of `rest`, the longest; empty for none.
std::string_view take_variant(std::string_view& rest, std::string_view variants) {
  std::string_view found;
  while (!variants.empty()) {
    const std::string_view word = variants.substr(0, variants.find(' '));
    variants.remove_prefix(std::min(word.size() + 1, variants.size()));
    if (rest.starts_with(word) && word.size() > found.size()) found = word;
  }
  rest.remove_prefix(found.size());
  return found;
}

std::optional<Parts> take_apart(std::string_view rest) {
  for (const std::string_view vendor : {"nvidia", "amd", "intel", "geforce", "tesla"}) {
    if (rest.starts_with(vendor)) rest.remove_prefix(vendor.size());
  }
  Parts parts;
  for (const Name& name : kNames) {
    if (rest.starts_with(name.spelled)) {
      parts.name = &name;
      break;
    }
  }
  if (parts.name == nullptr) return std::nullopt;
  rest.remove_prefix(parts.name->spelled.size());
  while (!rest.empty()) {
    if (const auto memory = take_memory(rest)) {
      parts.memory_gb = *memory;
      continue;
    }
    const std::string_view word = take_variant(rest, parts.name->variants);
    if (word.empty()) return std::nullopt;
    parts.pcie = parts.pcie || word == "pcie";
    parts.nvl = parts.nvl || word == "nvl";
  }
  return parts;
}

// Of chips sold with two memories, the size nearest to the one that is said; 0 where none is near.
double one_of(double memory_gb, double small, double large) {
  for (const double size : {small, large}) {
    if (std::abs(memory_gb / size - 1) < 0.15) return size;
  }
  return 0;
}

CloudAccelerator with_memory(std::string_view spelled, double memory_gb, std::string_view stem,
                             double small, double large) {
  if (memory_gb <= 0) {
    return {{}, fmt::format("the memory of \"{}\" is not said: {} or {} GB", spelled, small, large)};
  }
  const double size = one_of(memory_gb, small, large);
  if (size == 0) {
    return {{}, fmt::format("\"{}\" with {:.4g} GB is neither the one of {} nor of {} GB", spelled,
                            memory_gb, small, large)};
  }
  return {fmt::format("{}-{}gb", stem, size), {}};
}

}  // namespace

CloudAccelerator accelerator_by_cloud_name(std::string_view name, double memory_gb,
                                           std::string_view instance) {
  const std::optional<Parts> parts = take_apart(folded(name));
  if (!parts) return {{}, fmt::format("unknown accelerator \"{}\"", name), true};
  const double said = parts->memory_gb;
  if (said > 0 && memory_gb > 0 && std::abs(memory_gb / said - 1) > 0.15) {
    return {{}, fmt::format("\"{}\" does not go with {:.4g} GB of memory", name, memory_gb)};
  }
  const double memory = said > 0 ? said : memory_gb;
  const std::string machine = folded(instance);
  const bool pcie = parts->pcie || has(machine, "pcie");
  if (parts->name->spelled == "a100") {
    return with_memory(name, memory, pcie ? "a100-pcie" : "a100-sxm", 40, 80);
  }
  if (parts->name->spelled == "v100") return with_memory(name, memory, "v100-sxm", 16, 32);
  if (parts->name->spelled != "h100") return {std::string(parts->name->accelerator), {}};
  if (parts->nvl || (has(machine, "nvl") && !has(machine, "nvlink"))) return {"h100-nvl", {}};
  return {pcie ? "h100-pcie" : "h100-sxm", {}};
}

namespace {

struct Provider {
  std::string_view folded_name;
  std::string_view name;  // in the price book
};
// gpuhunt's and SkyPilot's names of clouds (src/gpuhunt/providers, catalogs/v8), and former ones.
constexpr std::array<Provider, 28> kProviders = {{
    {"amazon", "AWS"},          {"aws", "AWS"},
    {"azure", "Azure"},         {"microsoftazure", "Azure"},
    {"coreweave", "CoreWeave"}, {"crusoe", "Crusoe"},
    {"crusoecloud", "Crusoe"},  {"datacrunch", "Verda"},
    {"gcp", "GCP"},             {"google", "GCP"},
    {"googlecloud", "GCP"},     {"hyperstack", "Hyperstack"},
    {"ionet", "io.net"},        {"lambda", "Lambda"},
    {"lambdacloud", "Lambda"},  {"lambdalabs", "Lambda"},
    {"nebius", "Nebius"},       {"nebiusai", "Nebius"},
    {"oci", "Oracle"},          {"oracle", "Oracle"},
    {"oraclecloud", "Oracle"},  {"paperspace", "Paperspace"},
    {"runpod", "RunPod"},       {"tensorwave", "TensorWave"},
    {"vast", "vast.ai"},        {"vastai", "vast.ai"},
    {"verda", "Verda"},         {"vultr", "Vultr"},
}};

}  // namespace

std::string provider_by_cloud_name(std::string_view name) {
  const auto found = std::find_if(kProviders.begin(), kProviders.end(), [&](const Provider& known) {
    return same_folded(known.folded_name, name);
  });
  return std::string(found != kProviders.end() ? found->name : name);
}

ProviderClass usual_provider_class(std::string_view provider) {
  constexpr std::array<std::string_view, 6> kHyperscalers = {"aws",    "gcp", "azure",
                                                             "oracle", "ibm", "alibaba"};
  constexpr std::array<std::string_view, 10> kMarketplaces = {
      "akash",  "vastai", "spheron", "shadeform", "primeintellect", "tensordock",
      "ionet",  "lium",    "mithril",   "runpodcommunity"};
  const std::string name = provider_by_cloud_name(provider);
  const auto is = [&](std::string_view known) { return same_folded(known, name); };
  if (std::any_of(kHyperscalers.begin(), kHyperscalers.end(), is)) return ProviderClass::hyperscaler;
  if (std::any_of(kMarketplaces.begin(), kMarketplaces.end(), is)) return ProviderClass::marketplace;
  return ProviderClass::specialist;
}

}  // namespace trcost
