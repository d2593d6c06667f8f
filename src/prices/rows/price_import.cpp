// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/price_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "catalog/hardware/machines.h"
#include "json/json_writer.h"
#include "prices/rows/cloud_catalog.h"
#include "quantity/statistics.h"
#include "quantity/suggest.h"
#include "text/csv.h"
#include "text/unicode.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::prices {

namespace {

// Rows with equal keys are the same offer.
using Key = std::tuple<std::string, std::string, std::string, std::string, Commitment, std::string>;

// Prices that catalogs write where there is none: Google's 700 (SkyPilot's gcp/vms.csv).
constexpr std::array<double, 1> kPlaceholders = {700};

class PriceImporter {
 public:
  PriceImporter(const CsvTable& table, const PriceImportOptions& options, PriceImport& out)
      : table_(table),
        options_(options),
        book_(price_book(*options.catalog)),
        names_(*options.catalog),
        out_(out) {}

  void run() {
    out_.format =
        detect_table(table_) == CloudTable::skypilot ? "SkyPilot catalog" : "gpuhunt catalog";
    const std::vector<CloudOffer> offers = read_offers(table_, book_);
    for (std::size_t row = 0; row < offers.size(); ++row) take(offers[row], row);
    for (auto& [key, row] : rows_) {
      row.median = median(prices_.at(key));
      out_.rows.push_back(std::move(row));
    }
  }

 private:
  void take(CloudOffer offer, std::size_t row) {
    offer.provider = provider_name(
        book_, table_.has("provider") ? table_.text(row, "provider") : options_.provider);
    if (table_.has("date")) offer.date = table_.text(row, "date");
    if (offer.date.empty()) {
      offer.date = options_.date;
      out_.dated_by_option = true;
    }
    const auto count = cell_number(offer.count);
    if (offer.accelerator_name.empty() || (count && *count == 0)) {
      ++out_.without_accelerator;
      return;
    }
    if (!offer.problem.empty()) return refuse(offer, offer.problem);
    CloudAccelerator found = find_accelerator(offer, count.value_or(1));
    // A chip of one form may have its name from the catalog's aliases.
    if (found.unknown) {
      found.name = options_.catalog->entry_of(CatalogKind::accelerators, offer.accelerator_name);
    }
    const std::string& accelerator = found.name;
    if (accelerator.empty()) return refuse(offer, found.problem);
    if (!count || *count < 0 || *count != std::floor(*count)) {
      return refuse(offer, fmt::format("\"{}\" is not a number of accelerators", offer.count));
    }
    if (const std::string why = machine_problem(offer, accelerator, *count); !why.empty()) {
      return refuse(offer, why);
    }
    if (const std::string why = memory_problem(offer, accelerator, *count); !why.empty()) {
      return refuse(offer, why);
    }
    if (const std::string why = date_problem(offer.date); !why.empty()) {
      if (offer.date.empty()) ++out_.undated;
      return refuse(offer, why);
    }
    if (offer.provider.empty()) return refuse(offer, "no provider");
    for (const std::string& text : {offer.instance, offer.region, offer.provider}) {
      if (first_unprintable(text)) return refuse(offer, "a name with control characters");
    }
    if (offer.on_demand_listed)
      add(offer, accelerator, *count, offer.on_demand, Commitment::on_demand);
    // vast.ai's catalog writes 0 where a machine has no spot price.
    if (!offer.spot_listed || cell_number(offer.spot) == 0) return;
    if (const std::string why = spot_problem(offer, *count); !why.empty())
      return refuse(offer, why);
    add(offer, accelerator, *count, offer.spot, Commitment::spot);
  }

  // The machine's names say the chip's form where the chip's name does not.
  [[nodiscard]] CloudAccelerator find_accelerator(const CloudOffer& offer, double count) const {
    std::string machine = fmt::format("{} {}", offer.instance, offer.upstream);
    for (const std::string& name : {offer.instance, offer.upstream}) {
      if (is_pcie_machine(name)) machine += " pcie";
    }
    const auto memory = cell_number(offer.memory_gb);
    const CloudAccelerator found = names_.find(offer.accelerator_name, memory, machine);
    if (!found.name.empty() || found.unknown || !memory) return found;
    // Some list the memory of all accelerators of a machine.
    const CloudAccelerator shared = names_.find(offer.accelerator_name, *memory / count, machine);
    return shared.name.empty() ? found : shared;
  }

  [[nodiscard]] bool is_pcie_machine(std::string_view name) const {
    return std::ranges::any_of(book_.providers, [&](const Provider& provider) {
      return std::ranges::any_of(provider.pcie_machines, [&](const std::string& prefix) {
        return folded(name).starts_with(folded(prefix));
      });
    });
  }

  // RunPod's catalog repeats the on-demand price as spot. If the on-demand price is refused, the
  // spot price cannot be checked.
  static std::string spot_problem(const CloudOffer& offer, double count) {
    if (!offer.on_demand_listed) return {};
    if (!price_problem(offer.on_demand, count).empty()) {
      return fmt::format("spot: {}, beside an on-demand price that is refused", offer.spot);
    }
    if (const auto spot = cell_number(offer.spot);
        spot && *spot >= cell_number(offer.on_demand).value_or(0)) {
      return fmt::format("spot: {} is not below the on-demand price {}", offer.spot,
                         offer.on_demand);
    }
    return {};
  }

  // A known machine has a known number of accelerators.
  [[nodiscard]] std::string machine_problem(const CloudOffer& offer, const std::string& accelerator,
                                            double count) const {
    const auto machine = find_machine(*options_.catalog, offer.instance);
    if (!machine || machine->name != accelerator || machine->count == count) return {};
    return fmt::format("{} has {:.0f} accelerators, and the table says {:.0f}", offer.instance,
                       machine->count, count);
  }

  // A part of an accelerator is listed as one with less memory. Some list the memory of all.
  [[nodiscard]] std::string memory_problem(const CloudOffer& offer, const std::string& accelerator,
                                           double count) const {
    const auto memory = cell_number(offer.memory_gb);
    if (!memory || *memory <= 0) return {};
    if (!options_.catalog->has_file(fmt::format("accelerators/{}.json", accelerator))) return {};
    constexpr double kGiB = 1073741824, kTolerance = 0.15;  // 80 GB of 79.2 GiB, 288 of 256
    const double whole = options_.catalog->accelerator(accelerator).memory_bytes / kGiB;
    for (const double each : {*memory, *memory / count}) {
      if (std::abs(each / whole - 1) < kTolerance) return {};
    }
    return fmt::format(
        "{:.4g} GB of memory, where {} has {:.0f}: a part of an accelerator, or another", *memory,
        accelerator, whole);
  }

  [[nodiscard]] std::string date_problem(const std::string& text) const {
    if (text.empty()) return "no date";
    try {
      const PriceDate date = parse_price_date(text, {});
      if (!options_.book_date.empty() && date.first > options_.book_date) {
        return fmt::format("dated {}, after the book's date {}", text, options_.book_date);
      }
    } catch (const Error& error) {
      return error.message;
    }
    return {};
  }

  static std::string price_problem(const std::string& text, double count) {
    if (text.empty()) return "no price";
    const auto price = cell_number(text);
    if (!price) return fmt::format("\"{}\" is not a price", text);
    if (*price == 0) return "a price of 0";
    if (*price < 0) return fmt::format("a negative price {}", text);
    const std::string digits = text.substr(0, text.find('.'));
    const bool nines = digits.size() >= 3 && digits.find_first_not_of('9') == std::string::npos;
    const bool known = std::ranges::find(kPlaceholders, *price) != kPlaceholders.end();
    if (nines || known || *price / count > kDearestHour || *price / count < kCheapestHour) {
      return fmt::format("{} is a placeholder, not a market price", text);
    }
    return {};
  }

  // A price far from what others ask is the price of a node, of a part, or a placeholder.
  [[nodiscard]] std::string market_problem(double hour, const std::string& accelerator,
                                           Commitment commitment) const {
    constexpr double kLowest = 0.25, kHighest = 5;  // hyperscalers ask up to three times as much
    constexpr std::size_t kEnoughPrices = 4;
    std::vector<double> known;
    for (const PriceRow& row : book_.rows) {
      if (row.verified && row.accelerator == accelerator && row.commitment == commitment) {
        known.push_back(row.median);
      }
    }
    if (known.size() < kEnoughPrices) return {};
    const double middle = median(std::move(known));
    if (hour >= kLowest * middle && hour <= kHighest * middle) return {};
    return fmt::format(
        "${:.3g} per accelerator is {:.2g} times the median ${:.3g} of the price book for {}, so "
        "the number of accelerators may be wrong",
        hour, hour / middle, middle, accelerator);
  }

  void add(const CloudOffer& offer, const std::string& accelerator, double count,
           const std::string& price, Commitment commitment) {
    std::string why = price_problem(price, count);
    if (why.empty()) why = market_problem(*cell_number(price) / count, accelerator, commitment);
    if (!why.empty()) return refuse(offer, commitment == Commitment::spot ? "spot: " + why : why);
    const double hour = *cell_number(price) / count;
    const Key key{accelerator,  offer.provider, offer.instance,
                  offer.region, commitment,     offer.date};
    const auto [zone, new_zone] = zones_.try_emplace({key, offer.zone}, hour);
    if (!new_zone) {
      return refuse(offer, zone->second == hour
                               ? "a repetition of an earlier row"
                               : "the same offer as in an earlier row, at another price");
    }
    auto [at, fresh] = rows_.try_emplace(key);
    std::vector<double>& prices = prices_[key];
    if (std::find(prices.begin(), prices.end(), hour) == prices.end()) prices.push_back(hour);
    PriceRow& row = at->second;
    if (fresh) {
      row.provider = offer.provider;
      row.product = offer.instance;
      const Provider* known = known_provider(book_, offer.provider);
      row.provider_class = options_.provider_class.value_or(
          known != nullptr ? known->provider_class : ProviderClass::specialist);
      row.accelerator = accelerator;
      row.region = offer.region.empty() ? "all" : offer.region;
      row.commitment = commitment;
      row.date = parse_price_date(offer.date, {});
      row.source = options_.source;
      row.low = row.high = hour;
    }
    row.low = std::min(row.low, hour);
    row.high = std::max(row.high, hour);
  }

  void refuse(const CloudOffer& offer, std::string why) {
    std::string what = offer.instance.empty() ? offer.accelerator_name : offer.instance;
    if (!offer.region.empty()) what += " in " + offer.region;
    out_.refused.push_back({offer.line, std::move(what), std::move(why)});
  }

  const CsvTable& table_;
  const PriceImportOptions& options_;
  const PriceBook& book_;
  CloudNames names_;
  PriceImport& out_;
  std::map<Key, PriceRow> rows_;
  std::map<Key, std::vector<double>> prices_;            // distinct ones
  std::map<std::pair<Key, std::string>, double> zones_;  // price of each zone
};

}  // namespace

PriceImport import_prices(std::string_view csv, std::string_view origin,
                          const PriceImportOptions& options) {
  std::vector<std::size_t> odd;
  const CsvTable table(csv, origin, &odd);
  PriceImport out;
  if (detect_table(table) == CloudTable::other) {
    throw Error(
        ErrorKind::data, "this is neither a SkyPilot nor a gpuhunt catalog",
        "SkyPilot has the columns InstanceType, AcceleratorName, AcceleratorCount, Price, and "
        "gpuhunt instance_name, gpu_name, gpu_count, price, spot",
        std::string(origin));
  }
  if (options.provider.empty() && !table.has("provider")) {
    throw Error(ErrorKind::usage, "the table does not say whose prices these are",
                "set --provider NAME", std::string(origin));
  }
  PriceImporter(table, options, out).run();
  for (const std::size_t line : odd) {
    out.refused.push_back({line, "the row", "another number of cells than the header"});
  }
  std::ranges::stable_sort(out.refused, {}, &RefusedRow::line);
  return out;
}

std::vector<std::string> price_changes(const PriceImport& import, const PriceBook& book) {
  constexpr double kNoticed = 0.1;
  std::vector<std::string> out;
  for (const PriceRow& row : import.rows) {
    const PriceRow* newest = nullptr;
    for (const PriceRow& known : book.rows) {
      if (known.accelerator == row.accelerator && known.commitment == row.commitment &&
          same_folded(known.provider, row.provider) &&
          (newest == nullptr || known.date.first > newest->date.first)) {
        newest = &known;
      }
    }
    if (newest == nullptr || std::abs(row.median / newest->median - 1) < kNoticed) continue;
    const bool replaces = row.date.first >= newest->date.first;
    out.push_back(fmt::format("{} {} {}: {} of {} {} {} of {}", row.provider, row.accelerator,
                              commitment_name(row.commitment), exact_unit_money(row.median),
                              row.date.text,
                              replaces ? "replaces" : "is older than, and yields to,",
                              exact_unit_money(newest->median), newest->date.text));
  }
  return out;
}

std::string price_file_json(const PriceImport& import, const PriceImportOptions& options) {
  std::string out = "{\n  \"schema_version\": \"1.0\",\n";
  out += fmt::format("  \"source\": {},\n", json_string(options.source));
  std::string newest;
  for (const PriceRow& row : import.rows) newest = std::max(newest, row.date.first);
  out += fmt::format("  \"retrieved\": {},\n  \"prices\": [\n", json_string(newest));
  for (std::size_t i = 0; i < import.rows.size(); ++i) {
    const PriceRow& row = import.rows[i];
    const std::string price =
        row.low == row.high
            ? format_exact(row.median)
            : fmt::format("{{\"low\": {}, \"median\": {}, \"high\": {}}}", format_exact(row.low),
                          format_exact(row.median), format_exact(row.high));
    out += fmt::format(
        "    {{\"provider\": {}, \"provider_class\": {}, \"product\": {}, \"accelerator\": {}, "
        "\"region\": {}, \"commitment\": {}, \"usd_per_gpu_hour\": {}, \"date\": {}}}{}\n",
        json_string(row.provider), json_string(provider_class_name(row.provider_class)),
        json_string(row.product), json_string(row.accelerator), json_string(row.region),
        json_string(commitment_name(row.commitment)), price, json_string(row.date.text),
        i + 1 < import.rows.size() ? "," : "");
  }
  out += "  ]\n}\n";
  check_price_file(*options.catalog, out);
  return out;
}

}  // namespace trcost::prices
