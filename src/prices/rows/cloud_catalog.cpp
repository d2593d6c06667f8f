// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/cloud_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "quantity/suggest.h"
#include "trcost/numbers.h"

namespace trcost::prices {

namespace {

std::string optional_text(const CsvTable& table, std::size_t row, std::string_view column) {
  return table.has(column) ? table.text(row, column) : std::string();
}

// The text behind a key in SkyPilot's GpuInfo, with quotes of Python or JSON:
// {'Gpus': [{'Name': 'A100 PCIe', 'MemoryInfo': {'SizeInMiB': 81920}}]}
std::string_view after_key(std::string_view info, std::string_view key) {
  const std::size_t at = info.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = info.substr(at + key.size());
  const std::size_t begin = rest.find_first_not_of("'\": ");
  return begin == std::string_view::npos ? std::string_view() : rest.substr(begin);
}

// GiB of one accelerator. RunPod and Shadeform write GiB under the name of MiB. No accelerator has
// less than 1,024 MiB or more than 1,023 GiB.
std::string memory_gib(std::string_view info) {
  const std::string_view text = after_key(info, "SizeInMiB");
  const auto size = cell_number(text.substr(0, text.find_first_not_of("0123456789.")));
  if (!size) return {};
  return format_exact(*size < 1024 ? *size : *size / 1024);
}

CloudOffer skypilot_offer(const CsvTable& table, std::size_t row) {
  CloudOffer offer;
  offer.instance = table.text(row, "InstanceType");
  offer.accelerator_name = table.text(row, "AcceleratorName");
  offer.count = table.text(row, "AcceleratorCount");
  offer.region = optional_text(table, row, "Region");
  offer.zone = optional_text(table, row, "AvailabilityZone");
  offer.upstream = optional_text(table, row, "UpstreamCloudId");
  offer.on_demand = table.text(row, "Price");
  offer.spot = optional_text(table, row, "SpotPrice");
  offer.on_demand_listed = !offer.on_demand.empty() || offer.spot.empty();
  offer.spot_listed = !offer.spot.empty();
  const std::string info = optional_text(table, row, "GpuInfo");
  offer.memory_gb = memory_gib(info);
  const std::string_view named = after_key(info, "Name");
  const std::string_view name = named.substr(0, named.find_first_of("'\""));
  for (const std::string_view form : {"PCIe", "NVL"}) {
    if (name.find(form) != std::string_view::npos &&
        offer.accelerator_name.find(form) == std::string::npos) {
      offer.accelerator_name += fmt::format(" {}", form);
    }
  }
  return offer;
}

CloudOffer gpuhunt_offer(const CsvTable& table, std::size_t row) {
  CloudOffer offer;
  offer.instance = table.text(row, "instance_name");
  offer.accelerator_name = table.text(row, "gpu_name");
  offer.count = table.text(row, "gpu_count");
  offer.region = optional_text(table, row, "location");
  offer.memory_gb = optional_text(table, row, "gpu_memory");
  const std::string& spot = table.text(row, "spot");
  const std::string word = folded(spot);
  if (word != "true" && word != "false") offer.problem = fmt::format("spot is \"{}\"", spot);
  offer.spot_listed = word == "true";
  offer.on_demand_listed = !offer.spot_listed;
  (offer.spot_listed ? offer.spot : offer.on_demand) = table.text(row, "price");
  return offer;
}

std::string sum_text(const std::string& a, const std::string& b) {
  const auto x = cell_number(a);
  const auto y = cell_number(b);
  return x && y && *x > 0 && *y > 0 ? format_exact(std::round((*x + *y) * 1e6) / 1e6)
                                    : std::string();
}

using Machines = std::map<std::pair<std::string, std::string>, std::size_t>;  // by name and zone

// Adds the price of the first attached machine for that number of accelerators, or for any number.
void add_machine(CloudOffer& offer, const std::vector<CloudOffer>& all, const Machines& machines,
                 const PriceBook& book) {
  const auto count = cell_number(offer.count);
  const AttachedMachine* host = nullptr;
  for (const Provider& provider : book.providers) {
    for (const AttachedMachine& each : provider.attached) {
      if (host == nullptr && count && each.accelerator == offer.accelerator_name &&
          each.count.value_or(*count) == *count) {
        host = &each;
      }
    }
  }
  std::string machine;
  if (host != nullptr) machine = fmt::format(fmt::runtime(host->machine), format_exact(*count));
  const auto found = machines.find({machine, offer.zone});
  if (host == nullptr || found == machines.end()) {
    offer.problem = "the price of accelerators without the machine around them";
    return;
  }
  const CloudOffer& around = all[found->second];
  offer.on_demand = sum_text(offer.on_demand, around.on_demand);
  offer.spot = sum_text(offer.spot, around.spot);
  offer.spot_listed = !offer.spot.empty();
  offer.on_demand_listed = !offer.on_demand.empty() || !offer.spot_listed;
  offer.instance = machine;
  if (offer.memory_gb.empty()) offer.memory_gb = format_exact(host->memory_gb);
}

}  // namespace

std::optional<double> cell_number(std::string_view text) {
  const auto value = number_in<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

CloudTable detect_table(const CsvTable& table) {
  const auto has_all = [&](std::initializer_list<std::string_view> columns) {
    return std::ranges::all_of(columns, [&](std::string_view each) { return table.has(each); });
  };
  if (has_all({"InstanceType", "AcceleratorName", "AcceleratorCount", "Price"})) {
    return CloudTable::skypilot;
  }
  if (has_all({"instance_name", "gpu_name", "gpu_count", "price", "spot"})) {
    return CloudTable::gpuhunt;
  }
  return CloudTable::other;
}

std::vector<CloudOffer> read_offers(const CsvTable& table, const PriceBook& book) {
  const bool skypilot = detect_table(table) == CloudTable::skypilot;
  std::vector<CloudOffer> offers;
  Machines machines;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    CloudOffer offer = skypilot ? skypilot_offer(table, row) : gpuhunt_offer(table, row);
    offer.line = table.line(row);
    if (offer.accelerator_name.empty()) machines[{offer.instance, offer.zone}] = offers.size();
    offers.push_back(std::move(offer));
  }
  if (!skypilot) return offers;
  for (CloudOffer& offer : offers) {
    if (!offer.accelerator_name.empty() && offer.instance.empty()) {
      add_machine(offer, offers, machines, book);
    }
  }
  return offers;
}

namespace {

// Memory such as `80gb` or `80g` at the start of `rest`, which then begins behind it.
std::optional<double> take_memory(std::string_view& rest) {
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits < 2 || digits > 3 || digits == rest.size() || rest[digits] != 'g') return std::nullopt;
  double memory = 0;
  for (const char c : rest.substr(0, digits)) memory = memory * 10 + (c - '0');
  rest.remove_prefix(digits + 1);
  if (rest.starts_with('b')) rest.remove_prefix(1);
  return memory;
}

using CloudFamily = std::vector<const CloudName*>;

// The longest known word at the start of `rest`, which then begins behind it.
std::string take_word(std::string_view& rest, const CloudFamily& family) {
  std::string_view found;
  const auto consider = [&](std::string_view word) {
    if (rest.starts_with(word) && word.size() > found.size()) found = word;
  };
  for (const CloudName* each : family) {
    std::ranges::for_each(each->words, consider);
    consider(each->form);
  }
  rest.remove_prefix(found.size());
  return std::string(found);
}

// The words of a cloud's name behind the chip's.
struct NameSuffix {
  std::vector<std::string> words;
  std::optional<double> memory_gb;
};

// Empty for an unknown word: an H20-3e is no H20, an RTX 4090 D no RTX 4090.
std::optional<NameSuffix> parse_suffix(std::string_view rest, const CloudFamily& family) {
  NameSuffix suffix;
  while (!rest.empty()) {
    if (const auto memory = take_memory(rest)) {
      suffix.memory_gb = memory;
      continue;
    }
    std::string word = take_word(rest, family);
    if (word.empty()) return std::nullopt;
    suffix.words.push_back(std::move(word));
  }
  return suffix;
}

// Form of a board that its machine's names tell, as in `gpu_1x_h100_pcie`. Empty for SXM.
std::string form_of_machine(const CloudFamily& family, std::string_view names) {
  std::string machine = folded(names);
  constexpr std::string_view kLink = "nvlink";  // which is no form NVL
  for (auto at = machine.find(kLink); at != std::string::npos; at = machine.find(kLink)) {
    machine.erase(at, kLink.size());
  }
  const bool has_sxm = std::ranges::any_of(family, [](const CloudName* each) {
    return std::ranges::find(each->words, "sxm") != each->words.end();
  });
  // Cudo writes `a100-pci` for PCIe.
  constexpr std::pair<std::string_view, std::string_view> kForms[] = {{"pci", "pcie"},
                                                                      {"nvl", "nvl"}};
  for (const auto& [word, form] : kForms) {
    if (has_sxm && machine.find(word) != std::string::npos) return std::string(form);
  }
  return {};
}

// Chips of the form in the name, else in the machine's name, else those without a form.
CloudFamily select_form(const CloudFamily& family, const NameSuffix& suffix,
                        std::string_view machine) {
  std::string form = form_of_machine(family, machine);
  for (const CloudName* each : family) {
    if (each->form.empty() || std::ranges::find(suffix.words, each->form) == suffix.words.end()) {
      continue;
    }
    form = each->form;
    break;
  }
  CloudFamily out;
  std::ranges::copy_if(family, std::back_inserter(out),
                       [&](const CloudName* each) { return each->form == form; });
  return out;
}

constexpr double kNear = 0.15;  // 80 GB of 79.2 GiB

// The chip of a family with that memory.
CloudAccelerator select_memory(const CloudFamily& family, std::string_view spelled,
                               std::optional<double> memory_gb) {
  if (family.empty()) {
    return {{}, fmt::format("the catalog has no \"{}\" of the machine's board form", spelled)};
  }
  if (family.size() == 1 && !family.front()->memory_gb) {
    return {family.front()->accelerator, {}};
  }
  std::vector<double> sizes;
  for (const CloudName* each : family) {
    if (!each->memory_gb) continue;
    if (memory_gb && std::abs(*memory_gb / *each->memory_gb - 1) < kNear) {
      return {each->accelerator, {}};
    }
    sizes.push_back(*each->memory_gb);
  }
  std::ranges::sort(sizes);
  if (!memory_gb) {
    return {
        {},
        fmt::format("the memory of \"{}\" is not said: {} GB", spelled, fmt::join(sizes, " or "))};
  }
  return {{},
          fmt::format("\"{}\" with {:.4g} GB is neither the one of {} GB", spelled, *memory_gb,
                      fmt::join(sizes, " nor of "))};
}

}  // namespace

CloudNames::CloudNames(const Catalog& catalog) {
  for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
    const std::vector<CloudName>& own = catalog.accelerator(name).cloud_names;
    names_.insert(names_.end(), own.begin(), own.end());
  }
  std::ranges::stable_sort(
      names_, [](const CloudName& a, const CloudName& b) { return a.name.size() > b.name.size(); });
}

CloudAccelerator CloudNames::find(std::string_view name, std::optional<double> memory_gb,
                                  std::string_view machine) const {
  const std::string spelled = folded(name);
  std::string_view rest = spelled;
  for (const std::string_view vendor : {"nvidia", "amd", "intel", "geforce", "tesla"}) {
    if (rest.starts_with(vendor)) rest.remove_prefix(vendor.size());
  }
  CloudFamily family;
  for (const CloudName& each : names_) {
    if (rest.starts_with(each.name) && (family.empty() || family.front()->name == each.name)) {
      family.push_back(&each);
    }
  }
  std::optional<NameSuffix> suffix;
  if (!family.empty()) suffix = parse_suffix(rest.substr(family.front()->name.size()), family);
  if (!suffix) return {{}, fmt::format("unknown accelerator \"{}\"", name), true};
  if (suffix->memory_gb && memory_gb && std::abs(*memory_gb / *suffix->memory_gb - 1) > kNear) {
    return {{}, fmt::format("\"{}\" does not go with {:.4g} GB of memory", name, *memory_gb)};
  }
  return select_memory(select_form(family, *suffix, machine), name,
                       suffix->memory_gb ? suffix->memory_gb : memory_gb);
}

}  // namespace trcost::prices
