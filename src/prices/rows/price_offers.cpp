// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/price_offers.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "quantity/suggest.h"
#include "trcost/numbers.h"

namespace trcost::prices {

namespace {

std::string optional_text(const CsvTable& table, std::size_t row, std::string_view column) {
  return table.has(column) ? table.text(row, column) : std::string();
}

// What follows a key in SkyPilot's GpuInfo, {'Gpus': [{'Name': 'A100 PCIe', 'MemoryInfo':
// {'SizeInMiB': 81920}}]}: Python's or JSON's quotes.
std::string_view after_key(std::string_view info, std::string_view key) {
  const std::size_t at = info.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = info.substr(at + key.size());
  const std::size_t begin = rest.find_first_not_of("'\": ");
  return begin == std::string_view::npos ? std::string_view() : rest.substr(begin);
}

// GiB of one accelerator. RunPod and Shadeform write GiB under the name of MiB; no accelerator has
// less than 1,024 MiB or more than 1,023 GiB.
std::string memory_of(std::string_view info) {
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
  offer.on_demand = table.text(row, "Price");
  offer.spot = optional_text(table, row, "SpotPrice");
  offer.on_demand_listed = !offer.on_demand.empty() || offer.spot.empty();
  offer.spot_listed = !offer.spot.empty();
  const std::string info = optional_text(table, row, "GpuInfo");
  offer.memory_gb = memory_of(info);
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

std::string sum_of(const std::string& a, const std::string& b) {
  const auto x = cell_number(a);
  const auto y = cell_number(b);
  return x && y && *x > 0 && *y > 0 ? format_exact(std::round((*x + *y) * 1e6) / 1e6)
                                    : std::string();
}

// The first row that says this accelerator, in so many or in any number.
const AttachedMachine* host_of(const PriceBook& book, std::string_view accelerator, double count) {
  for (const Provider& provider : book.providers) {
    for (const AttachedMachine& each : provider.attached) {
      if (each.accelerator == accelerator && each.count.value_or(count) == count) return &each;
    }
  }
  return nullptr;
}

using Machines = std::map<std::pair<std::string, std::string>, std::size_t>;  // by name and zone

void add_machine(CloudOffer& offer, const std::vector<CloudOffer>& all, const Machines& machines,
                 const PriceBook& book) {
  const auto count = cell_number(offer.count);
  const AttachedMachine* host = count ? host_of(book, offer.accelerator_name, *count) : nullptr;
  if (host != nullptr) {
    const std::string machine = fmt::format(fmt::runtime(host->machine), format_exact(*count));
    if (const auto found = machines.find({machine, offer.zone}); found != machines.end()) {
      const CloudOffer& around = all[found->second];
      offer.on_demand = sum_of(offer.on_demand, around.on_demand);
      offer.spot = sum_of(offer.spot, around.spot);
      offer.spot_listed = !offer.spot.empty();
      offer.on_demand_listed = !offer.on_demand.empty() || !offer.spot_listed;
      offer.instance = machine;
      if (offer.memory_gb.empty()) offer.memory_gb = format_exact(host->memory_gb);
      return;
    }
  }
  offer.problem = "the price of accelerators without the machine around them";
}

}  // namespace

std::optional<double> cell_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

CloudTable kind_of_table(const CsvTable& table) {
  const auto has_all = [&](std::initializer_list<std::string_view> columns) {
    for (const std::string_view column : columns) {
      if (!table.has(column)) return false;
    }
    return true;
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
  const bool skypilot = kind_of_table(table) == CloudTable::skypilot;
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

}  // namespace trcost::prices
