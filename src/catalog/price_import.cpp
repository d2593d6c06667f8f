// SPDX-License-Identifier: Apache-2.0
#include "trcost/price_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "catalog/csv.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost {
namespace {

constexpr double kDearestHour = 100;  // USD per accelerator; no market price lies beyond
constexpr double kCheapestHour = 0.01;

// A line of either table in the same words.
struct Offer {
  std::size_t line = 0;
  std::string instance, accelerator_name, region, zone, provider, date;
  std::string count, memory_gb, on_demand, spot;
  bool spot_listed = false;  // the table has a price of this kind for the instance
  bool on_demand_listed = false;
};

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// GiB of one accelerator from SkyPilot's GpuInfo: {'Gpus': [{... 'SizeInMiB': 81920}}], ...}.
std::string memory_of_gpu_info(std::string_view info) {
  const std::size_t key = info.find("SizeInMiB");
  if (key == std::string_view::npos) return {};
  const std::size_t begin = info.find_first_of("0123456789", key);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = info.find_first_not_of("0123456789.", begin);
  const auto mib = to_number(info.substr(begin, end - begin));
  return mib ? fmt::format("{}", *mib / 1024) : std::string();
}

std::string optional_text(const CsvTable& table, std::size_t row, std::string_view column) {
  return table.has(column) ? table.text(row, column) : std::string();
}

Offer skypilot_offer(const CsvTable& table, std::size_t row) {
  Offer offer;
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
  offer.memory_gb = memory_of_gpu_info(info);
  if (info.find("PCIe") != std::string::npos) offer.accelerator_name += " PCIe";
  return offer;
}

Offer gpuhunt_offer(const CsvTable& table, std::size_t row) {
  Offer offer;
  offer.instance = table.text(row, "instance_name");
  offer.accelerator_name = table.text(row, "gpu_name");
  offer.count = table.text(row, "gpu_count");
  offer.region = optional_text(table, row, "location");
  offer.memory_gb = optional_text(table, row, "gpu_memory");
  const std::string spot = optional_text(table, row, "spot");
  offer.spot_listed = spot == "True" || spot == "true";
  offer.on_demand_listed = !offer.spot_listed;
  (offer.spot_listed ? offer.spot : offer.on_demand) = table.text(row, "price");
  return offer;
}

// What makes two prices the same offer.
using Key = std::tuple<std::string, std::string, std::string, std::string, Commitment, std::string>;

class Importer {
 public:
  Importer(const CsvTable& table, const PriceImportOptions& options, PriceImport& out)
      : table_(table), options_(options), out_(out) {
    skypilot_ = table.has("AcceleratorName") && table.has("InstanceType") && table.has("Price");
    gpuhunt_ = table.has("gpu_name") && table.has("instance_name") && table.has("price");
  }

  [[nodiscard]] bool knows_format() const { return skypilot_ || gpuhunt_; }

  void run() {
    out_.format = skypilot_ ? "SkyPilot catalog" : "gpuhunt catalog";
    for (std::size_t row = 0; row < table_.rows(); ++row) take(row);
    for (auto& [key, row] : rows_) {
      row.median = median(prices_.at(key));
      out_.rows.push_back(std::move(row));
    }
  }

 private:
  void take(std::size_t row) {
    Offer offer = skypilot_ ? skypilot_offer(table_, row) : gpuhunt_offer(table_, row);
    offer.line = table_.line(row);
    offer.provider = table_.has("provider") ? table_.text(row, "provider") : options_.provider;
    offer.date = table_.has("date") ? table_.text(row, "date") : options_.date;
    if (offer.date.empty()) offer.date = options_.date;
    const auto count = to_number(offer.count);
    if (offer.accelerator_name.empty() || (count && *count == 0)) {
      ++out_.without_accelerator;
      return;
    }
    const std::string accelerator = accelerator_by_cloud_name(
        offer.accelerator_name, to_number(offer.memory_gb).value_or(0), offer.instance);
    if (accelerator.empty()) {
      return refuse(offer, fmt::format("unknown accelerator \"{}\"", offer.accelerator_name));
    }
    if (!count || *count < 0 || *count != std::floor(*count)) {
      return refuse(offer, fmt::format("\"{}\" is not a number of accelerators", offer.count));
    }
    if (const std::string why = date_problem(offer.date); !why.empty()) return refuse(offer, why);
    if (offer.provider.empty()) return refuse(offer, "no provider");
    if (offer.on_demand_listed)
      add(offer, accelerator, *count, offer.on_demand, Commitment::on_demand);
    if (offer.spot_listed) add(offer, accelerator, *count, offer.spot, Commitment::spot);
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
    const auto price = to_number(text);
    if (!price) return fmt::format("\"{}\" is not a price", text);
    if (*price == 0) return "a price of 0";
    if (*price < 0) return fmt::format("a negative price {}", text);
    const std::string digits = text.substr(0, text.find('.'));
    const bool nines = digits.size() >= 3 && digits.find_first_not_of('9') == std::string::npos;
    if (nines || *price / count > kDearestHour || *price / count < kCheapestHour) {
      return fmt::format("{} is a placeholder, not a market price", text);
    }
    return {};
  }

  void add(const Offer& offer, const std::string& accelerator, double count,
           const std::string& price, Commitment commitment) {
    if (const std::string why = price_problem(price, count); !why.empty()) {
      return refuse(offer, commitment == Commitment::spot ? "spot: " + why : why);
    }
    const double hour = *to_number(price) / count;
    const Key key{accelerator,  offer.provider, offer.instance,
                  offer.region, commitment,     offer.date};
    auto [at, fresh] = rows_.try_emplace(key);
    if (!zones_.emplace(key, offer.zone).second) {
      return refuse(offer, "a repetition of an earlier row");
    }
    std::vector<double>& prices = prices_[key];
    if (std::find(prices.begin(), prices.end(), hour) == prices.end()) prices.push_back(hour);
    PriceRow& row = at->second;
    if (fresh) {
      row.provider = offer.provider;
      row.product = offer.instance;
      row.provider_class = options_.provider_class.value_or(usual_provider_class(offer.provider));
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

  void refuse(const Offer& offer, std::string why) {
    std::string what = offer.instance.empty() ? offer.accelerator_name : offer.instance;
    if (!offer.region.empty()) what += " in " + offer.region;
    out_.refused.push_back({offer.line, std::move(what), std::move(why)});
  }

  static double median(std::vector<double> prices) {
    std::sort(prices.begin(), prices.end());
    const std::size_t n = prices.size();
    return n % 2 == 1 ? prices[n / 2] : (prices[n / 2 - 1] + prices[n / 2]) / 2;
  }

  const CsvTable& table_;
  const PriceImportOptions& options_;
  PriceImport& out_;
  bool skypilot_ = false;
  bool gpuhunt_ = false;
  std::map<Key, PriceRow> rows_;
  std::map<Key, std::vector<double>> prices_;  // that differ
  std::set<std::pair<Key, std::string>> zones_;
};

// Text as a JSON string.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

PriceImport import_prices(std::string_view csv, std::string_view origin,
                          const PriceImportOptions& options) {
  const CsvTable table(csv, origin);
  PriceImport out;
  Importer importer(table, options, out);
  if (!importer.knows_format()) {
    throw Error(ErrorKind::data, "this is neither a SkyPilot nor a gpuhunt catalog",
                "SkyPilot has the columns InstanceType, AcceleratorName, AcceleratorCount, Price; "
                "gpuhunt instance_name, gpu_name, gpu_count, price",
                std::string(origin));
  }
  if (options.provider.empty() && !table.has("provider")) {
    throw Error(ErrorKind::usage, "the table does not say whose prices these are",
                "give --provider NAME", std::string(origin));
  }
  importer.run();
  return out;
}

std::string price_file_json(const PriceImport& import, const PriceImportOptions& options) {
  std::string out = "{\n  \"schema_version\": \"1.0\",\n";
  out += fmt::format("  \"source\": {},\n  \"prices\": [\n", quoted(options.source));
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
        quoted(row.provider), quoted(provider_class_name(row.provider_class)), quoted(row.product),
        quoted(row.accelerator), quoted(row.region), quoted(commitment_name(row.commitment)), price,
        quoted(row.date.text), i + 1 < import.rows.size() ? "," : "");
  }
  return out + "  ]\n}\n";
}

}  // namespace trcost
