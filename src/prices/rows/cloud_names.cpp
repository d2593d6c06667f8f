// SPDX-License-Identifier: Apache-2.0
// How clouds and the catalogs of their prices spell accelerators.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "prices/rows/price_import.h"
#include "quantity/suggest.h"
#include "trcost/catalog.h"

namespace trcost::prices {

namespace {

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

using CloudFamily = std::vector<const CloudName*>;

// The longest word of those that may follow a name, at the start of `rest`.
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

// What a cloud's name says beside the chip's.
struct Said {
  std::vector<std::string> words;
  std::optional<double> memory_gb;
};

// Everything that follows a name has to be known: an H20-3e is no H20, an RTX 4090 D no RTX 4090.
std::optional<Said> take_apart(std::string_view rest, const CloudFamily& family) {
  Said said;
  while (!rest.empty()) {
    if (const auto memory = take_memory(rest)) {
      said.memory_gb = memory;
      continue;
    }
    std::string word = take_word(rest, family);
    if (word.empty()) return std::nullopt;
    said.words.push_back(std::move(word));
  }
  return said;
}

// A machine's name may say the form of its chips: `gpu_1x_h100_pcie`; NVLink is none.
std::string forms_in(std::string_view instance) {
  std::string machine = folded(instance);
  constexpr std::string_view kLink = "nvlink";
  for (auto at = machine.find(kLink); at != std::string::npos; at = machine.find(kLink)) {
    machine.erase(at, kLink.size());
  }
  return machine;
}

// Of chips of one name those of the form that is said, by the name before the machine; else those
// without one.
CloudFamily of_form(const CloudFamily& family, const Said& said, std::string_view machine) {
  std::string form;
  for (const CloudName* each : family) {
    if (each->form.empty()) continue;
    const bool by_name = std::ranges::find(said.words, each->form) != said.words.end();
    if (by_name) {
      form = each->form;
      break;
    }
    if (form.empty() && machine.find(each->form) != std::string_view::npos) form = each->form;
  }
  CloudFamily out;
  std::ranges::copy_if(family, std::back_inserter(out),
                       [&](const CloudName* each) { return each->form == form; });
  return out;
}

constexpr double kNear = 0.15;  // 80 GB of 79.2 GiB

// Of chips sold with several memories, the one nearest to what is said.
CloudAccelerator of_memory(const CloudFamily& family, std::string_view spelled,
                           std::optional<double> memory_gb) {
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
                                  std::string_view instance) const {
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
  std::optional<Said> said;
  if (!family.empty()) said = take_apart(rest.substr(family.front()->name.size()), family);
  if (!said) return {{}, fmt::format("unknown accelerator \"{}\"", name), true};
  if (said->memory_gb && memory_gb && std::abs(*memory_gb / *said->memory_gb - 1) > kNear) {
    return {{}, fmt::format("\"{}\" does not go with {:.4g} GB of memory", name, *memory_gb)};
  }
  return of_memory(of_form(family, *said, forms_in(instance)), name,
                   said->memory_gb ? said->memory_gb : memory_gb);
}

}  // namespace trcost::prices
