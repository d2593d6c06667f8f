// SPDX-License-Identifier: Apache-2.0
// The price book: dated, sourced prices as the data files have them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prices/rows/price_date.h"
#include "prices/rows/regions.h"
#include "quantity/layers.h"
#include "scenario/choices.h"
#include "trcost/catalog.h"

namespace trcost::prices {

/// Bounds of an accelerator-hour, USD. The book's prices run from 0.07 (V100 spot, Verda 2025-11)
/// to 27 (GB200 on demand, Azure 2026-09). Beyond lie placeholders and prices of whole machines.
inline constexpr double kCheapestHour = 0.01;
inline constexpr double kDearestHour = 100;

/// One price of one accelerator for one hour.
struct PriceRow {
  std::string provider;  ///< `Lambda`
  std::string product;   ///< `p5`, may be empty
  ProviderClass provider_class = ProviderClass::specialist;
  std::string accelerator;  ///< catalog name
  std::string region;       ///< `all`, or as the provider spells it
  Commitment commitment = Commitment::on_demand;
  double low = 0;  ///< USD per accelerator and hour. low <= median <= high
  double median = 0;
  double high = 0;
  PriceDate date;
  bool guessed = false;    ///< the date is inferred, or coarser than a month
  bool verified = true;    ///< read at the source. Others never enter a default
  bool secondary = false;  ///< without a public address: yields to others
  std::string source;
  std::string note;
  std::string file;  ///< `prices/lambda.json`
};

/// A discount that a seller publishes for a commitment.
struct DiscountRow {
  std::string provider;
  ProviderClass provider_class = ProviderClass::specialist;
  Commitment commitment = Commitment::reserved_1y;
  double share = 1;  ///< price under the commitment / on-demand price
  PriceDate date;
  std::string source;
};

/// Purchase price of a machine or a chip.
struct HardwarePrice {
  std::string item;
  std::string accelerator;               ///< catalog name
  double gpus = 1;                       ///< accelerators in it
  bool all_in = false;                   ///< with network and storage
  bool hyperscaler = false;              ///< a hyperscaler's price, which others do not get
  double low = 0, median = 0, high = 0;  ///< USD
  PriceDate date;
  std::string source;
};

/// USD per GB and month (storage), or per GB (egress).
struct BytePrice {
  std::string provider;
  std::string item;
  std::string region;
  bool object_storage = false;  ///< the kind that stores datasets and checkpoints
  double low = 0, median = 0, high = 0;
  PriceDate date;
  bool verified = true;
  std::string source;
};

/// Power usage effectiveness: facility power / IT power.
struct PueRow {
  std::string name;        ///< an operator, or `survey`, `convention`
  bool of_others = false;  ///< for operators without a row
  double value = 1;
  PriceDate date;
  std::string source;
};

/// The host machine of a provider that prices it separately from its accelerators.
struct AttachedMachine {
  std::string accelerator;      ///< as the provider names it
  std::optional<double> count;  ///< of accelerators. Empty: any
  std::string machine;          ///< its name, with {} for the count
  double memory_gb = 0;         ///< of one accelerator
};

/// A seller of accelerator-hours (data/prices/providers.json).
struct Provider {
  std::string name;               ///< in the book
  std::vector<std::string> also;  ///< other spellings, folded
  ProviderClass provider_class = ProviderClass::specialist;
  std::vector<AttachedMachine> attached;
  /// Where it rents accelerators, for its prices that name no region. Empty: the United States.
  std::vector<std::string> regions;
  std::vector<std::string> pcie_machines;  ///< first letters of machines whose names hide PCIe
};

/// All prices. `date` is the newest one in the data, printed as `price_data_date`.
struct PriceBook {
  std::string date;  ///< YYYY-MM-DD
  std::vector<Provider> providers;
  std::vector<PriceRow> rows;
  std::vector<DiscountRow> discounts;
  std::vector<HardwarePrice> hardware;
  std::vector<BytePrice> storage;
  std::vector<BytePrice> egress;
  std::vector<PueRow> pue;
};

/// The price book of a catalog, read on first use.
const PriceBook& price_book(const Catalog& catalog);

/// Throws Error (data) for the text of a price file that would be refused beside the built-in ones:
/// too large, or with rows that the book has.
void check_price_file(const Catalog& catalog, std::string_view json);

/// Day of the price book, YYYY-MM-DD. Does not read the prices of the built-in data.
std::string price_date(const Catalog& catalog);

/// Relation of a row to a region: of the row's own, else of its seller's regions.
RegionFit seller_fit(const PriceBook& book, const PriceRow& row, std::string_view region,
                     const Regions* regions);

/// Whether a row of the book is for the region of that name.
bool is_price_region(const PriceBook& book, std::string_view name);

/// The provider of that spelling, also as catalogs of clouds have it (`lambdalabs`, `datacrunch`).
/// Null for an unknown one.
const Provider* known_provider(const PriceBook& book, std::string_view name);

/// The provider's name in the book, or `name` itself for an unknown one.
std::string provider_name(const PriceBook& book, std::string_view name);

/// The name of a provider that has rows in the book, from any spelling (`lambdalabs`, `LAMBDA`).
/// Throws Error (usage) with the nearest name.
std::string find_provider(const PriceBook& book, std::string_view provider);

/// Whether a provider, in any spelling, quotes the on-demand price of an accelerator.
bool quotes(const PriceBook& book, std::string_view provider, std::string_view accelerator);

}  // namespace trcost::prices
