// SPDX-License-Identifier: Apache-2.0
// The price book: dated, sourced prices as the data files hold them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "scenario/choices.h"
#include "trcost/catalog.h"

namespace trcost::prices {

/// A date as precise as its source: a day, a month, a half-year, a year, or not known.
struct PriceDate {
  std::string text;   ///< `2026-09-19`, `2026-05`, `2025-H2`, `2026`, or empty
  std::string first;  ///< first day that it may mean, YYYY-MM-DD; empty when not known
  std::string last;   ///< last such day
};
/// Whether the text is a day, YYYY-MM-DD.
bool is_day(std::string_view text);
/// Days from one YYYY-MM-DD to another; negative where `to` is the earlier one.
int days_between(std::string_view from, std::string_view to);
/// Throws Error (data) for anything else; `location` names the place in the message.
PriceDate parse_price_date(std::string_view text, std::string_view location);

/// One price of one accelerator for one hour.
struct PriceRow {
  std::string provider;  ///< `Lambda`
  std::string product;   ///< `p5`, may be empty
  ProviderClass provider_class = ProviderClass::specialist;
  std::string accelerator;  ///< catalog name
  std::string region;       ///< `all`, or as the provider spells it
  Commitment commitment = Commitment::on_demand;
  double low = 0;  ///< USD per accelerator and hour; low <= median <= high
  double median = 0;
  double high = 0;
  PriceDate date;
  bool guessed = false;    ///< the date is inferred, or coarser than a month
  bool verified = true;    ///< read at the source; others never enter a default
  bool secondary = false;  ///< no address that a stranger can open: yields to others
  std::string source;
  std::string note;
  std::string file;  ///< `prices/lambda.json`
};

/// What a seller says that a commitment takes off its own prices.
struct DiscountRow {
  std::string provider;
  ProviderClass provider_class = ProviderClass::specialist;
  Commitment commitment = Commitment::reserved_1y;
  double share = 1;  ///< of the on-demand price
  PriceDate date;
  std::string source;
};

/// What a machine costs to buy.
struct HardwarePrice {
  std::string item;
  std::string accelerator;               ///< catalog name
  double gpus = 1;                       ///< accelerators in it
  bool all_in = false;                   ///< with network and storage
  bool hyperscaler = false;              ///< what a hyperscaler pays; no one else gets it
  double low = 0, median = 0, high = 0;  ///< USD
  PriceDate date;
  std::string source;
};

/// USD per GB and month (storage), or per GB (egress).
struct BytePrice {
  std::string provider;
  std::string item;
  std::string region;
  bool object_storage = false;  ///< what datasets and checkpoints are kept in
  double low = 0, median = 0, high = 0;
  PriceDate date;
  bool verified = true;
  std::string source;
};

/// Power usage effectiveness: facility power / IT power.
struct PueRow {
  std::string name;        ///< an operator, or `survey`, `convention`
  bool of_others = false;  ///< of whoever has no row
  double value = 1;
  PriceDate date;
  std::string source;
};

/// A machine that a provider attaches its accelerators to and prices apart from them.
struct AttachedMachine {
  std::string accelerator;  ///< as the provider names it
  /// Of accelerators; empty: any, which `machine` says in place of {}
  std::optional<double> count;
  std::string machine;
  double memory_gb = 0;  ///< of one accelerator
};

/// Who rents accelerators: data/prices/providers.json.
struct Provider {
  std::string name;               ///< in the book
  std::vector<std::string> also;  ///< other spellings, folded
  ProviderClass provider_class = ProviderClass::specialist;
  std::vector<AttachedMachine> attached;
};

/// All prices. `date` is the newest one in the data: what `price_data_date` prints.
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
/// Day of the price book, YYYY-MM-DD. Does not read the prices of the built-in data.
std::string price_date(const Catalog& catalog);

/// Whether a row of the book is for the region of that name.
bool is_price_region(const PriceBook& book, std::string_view name);

}  // namespace trcost::prices
