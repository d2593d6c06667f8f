// SPDX-License-Identifier: Apache-2.0
#include "prices/rows/price_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "quantity/suggest.h"

namespace trcost::prices {

namespace {

constexpr std::size_t kUsualRows = 512;  // of a book
constexpr double kDearest = 1e9;         // USD. Anything beyond is a typing error

double positive_price(const JsonValue& value, double dearest) {
  constexpr double kAny = std::numeric_limits<double>::max();
  const double price = value.number(-kAny, kAny);
  if (price <= 0) {
    value.fail("a price has to be above 0",
               "leave the row out where the price is not known: 0 would be counted as free");
  }
  if (price > dearest) {
    value.fail(
        fmt::format("{:g} is above ${:g}, the most that a price is taken for", price, dearest),
        "is it the price of a whole machine?");
  }
  return price;
}

// A number, or { "low", "median", "high" }, into a row that has these members.
template <typename Row>
void read_spread(const JsonValue& value, Row& row, double dearest = kDearest) {
  if (!value.is_object()) {
    row.low = row.median = row.high = positive_price(value, dearest);
    return;
  }
  ObjectReader reader = value.object();
  row.low = positive_price(reader.required_value("low"), dearest);
  row.median = positive_price(reader.required_value("median"), dearest);
  row.high = positive_price(reader.required_value("high"), dearest);
  reader.finish();
  if (row.low > row.median || row.median > row.high) {
    value.fail("the ends of the range are swapped: low <= median <= high has to hold");
  }
}

// Defaults of all rows of a file.
struct FileHead {
  std::string source;
  std::string date;
  std::string note;
  bool secondary = false;
};

class BookReader {
 public:
  // Built-in files are searched for duplicates only beside files of a user, as tests of imports do.
  BookReader(PriceBook& book, bool finds_duplicates)
      : book_(book), finds_duplicates_(finds_duplicates), latest_(book.date), newest_(book.date) {
    book_.rows.reserve(kUsualRows);
  }

  // `accelerators` are those that the file may name.
  void read_own_file(const JsonValue& root, const std::vector<std::string>& accelerators) {
    accelerators_ = &accelerators;
    ObjectReader reader = root.object();
    const PriceDate day = price_date_at(root, reader.text_or("retrieved", ""));
    // Five years ahead is a typing error.
    const int last_year = std::stoi(book_.date.substr(0, 4)) + 5;
    if (day.first > fmt::format("{:04}{}", last_year, book_.date.substr(4))) {
      root.fail(fmt::format("retrieved on {}, long after the book's date {}", day.text, book_.date),
                "correct it, or set the newer date in prices/book.json");
    }
    latest_ = std::max(book_.date, day.first);
    read_file(root);
    latest_ = book_.date;
    accelerators_ = nullptr;
  }

  // The newest date of the book and of the rows.
  [[nodiscard]] const std::string& newest() const { return newest_; }

  void read_file(const JsonValue& root) {
    const std::string& file = root.origin();
    ObjectReader reader = root.object();
    reader.accept("schema_version");
    reader.accept("retrieved");
    has_date_note_ = !reader.text_or("date_note", "").empty();
    head_ = {reader.text_or("source", ""), reader.text_or("date", ""), reader.text_or("note", ""),
             reader.boolean_or("secondary", false)};
    if (const auto row = reader.optional_value("prices")) read_prices(*row, file);
    for (const JsonValue& row : reader.array_or_empty("discounts")) read_discount(row);
    for (const JsonValue& row : reader.array_or_empty("hardware")) read_hardware(row);
    for (const JsonValue& row : reader.array_or_empty("storage")) {
      book_.storage.push_back(read_bytes(row, "usd_per_gb_month"));
    }
    for (const JsonValue& row : reader.array_or_empty("egress")) {
      book_.egress.push_back(read_bytes(row, "usd_per_gb"));
    }
    for (const JsonValue& row : reader.array_or_empty("pue")) read_pue(row);
    reader.finish();
  }

 private:
  // Whether the row or its file explains its date, or why there is none.
  bool explains_date(ObjectReader& row) const {
    return !row.text_or("date_note", "").empty() || has_date_note_;
  }

  PriceDate read_date(ObjectReader& row) { return read_date(row, explains_date(row)); }

  PriceDate read_date(ObjectReader& row, bool explained) {
    PriceDate date = price_date_at(row.value(), row.text_or("date", head_.date));
    if (date.first.empty() && accelerators_ != nullptr && !explained) {
      row.value().fail(
          "a price needs a date",
          "add \"date\" to the row or to the file, or \"date_note\" that says why there "
          "is none");
    }
    if (!date.first.empty() && date.first > latest_) {
      row.value().fail(
          fmt::format("the date {} is after the book's date {}", date.text, latest_),
          "correct it, or say in the file's \"retrieved\" on which later day it was read");
    }
    newest_ = std::max(newest_, date.first);
    return date;
  }

  // Whether the date was inferred, or is coarser than a month, so that it says little about age.
  static bool is_guessed(const PriceDate& date, bool explained) {
    constexpr std::size_t kMonth = 7;  // YYYY-MM
    return explained || date.text.size() < kMonth || date.text.find('H') != std::string::npos;
  }

  std::string read_source(ObjectReader& row) const {
    std::string source = row.text_or("source", head_.source);
    if (source.empty()) {
      row.value().fail("a price needs a source", "add \"source\" to the row or to the file");
    }
    return source;
  }

  void read_prices(const JsonValue& rows, const std::string& file) {
    for (const JsonValue& value : rows.array()) {
      ObjectReader row = value.object();
      PriceRow& price = book_.rows.emplace_back();
      price.provider = provider_name(book_, row.required_text("provider"));
      price.product = row.text_or("product", "");
      price.provider_class = row.required_choice("provider_class", kProviderClasses);
      price.accelerator = read_accelerator(row);
      price.region = row.text_or("region", "all");
      price.commitment = row.required_choice("commitment", kCommitments);
      if (row.holds_null("usd_per_gpu_hour")) {
        value.fail("the price is null", "leave the row out where the price is not known");
      }
      const JsonValue hour = row.required_value("usd_per_gpu_hour");
      read_spread(hour, price, kDearestHour);
      if (price.low < kCheapestHour) {
        hour.fail(fmt::format("a price per accelerator and hour below ${}", kCheapestHour),
                  "write US dollars per accelerator and hour");
      }
      const bool explained = explains_date(row);
      price.date = read_date(row, explained);
      price.guessed = is_guessed(price.date, explained);
      price.verified = row.boolean_or("verified", true);
      price.secondary = row.boolean_or("secondary", head_.secondary);
      price.source = read_source(row);
      price.note = row.text_or("note", head_.note);
      price.file = file;
      row.finish();
      if (finds_duplicates_) check_new(book_.rows.size() - 1, value);
    }
  }

  std::string read_accelerator(ObjectReader& row) const {
    const JsonValue value = row.required_value("accelerator");
    std::string name = row.required_text("accelerator");
    if (accelerators_ != nullptr &&
        std::ranges::find(*accelerators_, name) == accelerators_->end()) {
      const std::string guess = did_you_mean(name, *accelerators_);
      value.fail(fmt::format("unknown accelerator \"{}\"", name.substr(0, 60)),
                 fmt::format("{}{}`trcost list accelerators` shows all names", guess,
                             guess.empty() ? "" : " "));
    }
    return name;
  }

  // Checks that no other row has the identity of a row, which is read from `value`.
  void check_new(std::size_t row, const JsonValue& value) {
    places_.push_back(value);
    const auto [first, fresh] = known_.insert(row);
    if (!fresh) {
      value.fail(fmt::format("duplicate row: {} already has this provider, product, accelerator, "
                             "region, commitment and date",
                             places_[*first].location()),
                 "keep one of them");
    }
  }

  void read_discount(const JsonValue& value) {
    ObjectReader row = value.object();
    DiscountRow discount;
    discount.provider = provider_name(book_, row.required_text("provider"));
    discount.provider_class = row.required_choice("provider_class", kProviderClasses);
    discount.commitment = row.required_choice("commitment", kCommitments);
    discount.share = row.required_number("share_of_on_demand", 0.01, 1);
    discount.date = read_date(row);
    discount.source = read_source(row);
    row.accept("note");
    row.finish();
    book_.discounts.push_back(std::move(discount));
  }

  void read_hardware(const JsonValue& value) {
    ObjectReader row = value.object();
    HardwarePrice price;
    price.item = row.required_text("item");
    price.accelerator = row.required_text("accelerator");
    price.gpus = row.required_whole("gpus", 1, 1e6);
    price.all_in = row.boolean_or("all_in", false);
    price.hyperscaler = row.boolean_or("hyperscaler", false);
    read_spread(row.required_value("usd"), price);
    price.date = read_date(row);
    price.source = read_source(row);
    row.accept("note");
    row.finish();
    book_.hardware.push_back(std::move(price));
  }

  BytePrice read_bytes(const JsonValue& value, std::string_view unit) {
    ObjectReader row = value.object();
    BytePrice price;
    price.provider = row.required_text("provider");
    price.item = row.required_text("item");
    price.region = row.text_or("region", "all");
    price.object_storage = row.boolean_or("object_storage", false);
    read_spread(row.required_value(unit), price);
    price.date = read_date(row);
    price.verified = row.boolean_or("verified", true);
    price.source = read_source(row);
    row.accept("note");
    row.finish();
    return price;
  }

  void read_pue(const JsonValue& value) {
    ObjectReader row = value.object();
    PueRow pue;
    pue.name = row.required_text("name");
    pue.of_others = row.boolean_or("of_others", false);
    pue.value = row.required_number("value", 1, 10);
    pue.date = read_date(row);
    pue.source = read_source(row);
    row.finish();
    book_.pue.push_back(std::move(pue));
  }

  // Order by the members that make two rows the same price.
  struct ByIdentity {
    const PriceBook* book;
    bool operator()(std::size_t a, std::size_t b) const {
      const auto identity = [&](const PriceRow& row) {
        return std::tie(row.accelerator, row.provider, row.commitment, row.region, row.product,
                        row.date.text);
      };
      return identity(book->rows[a]) < identity(book->rows[b]);
    }
  };

  PriceBook& book_;
  bool finds_duplicates_;
  FileHead head_;
  std::string latest_;  // no row may be later
  std::string newest_;
  bool has_date_note_ = false;
  const std::vector<std::string>* accelerators_ = nullptr;  // null: any name
  std::vector<JsonValue> places_;                           // of the book's rows, in their files
  std::set<std::size_t, ByIdentity> known_{ByIdentity{&book_}};
};

}  // namespace

void read_price_files(const PriceFiles& files, PriceBook& book) {
  BookReader reader(book, !files.own.empty());
  for (const JsonValue& root : files.built_in) reader.read_file(root);
  for (const JsonValue& root : files.own) reader.read_own_file(root, files.accelerators);
  book.date = reader.newest();
}

PriceBook parse_price_file(std::string_view text, const std::string& origin,
                           std::string_view book_date) {
  PriceBook book;
  book.date = book_date;
  BookReader(book, true).read_file(parse_strict_json(text, origin));
  return book;
}

}  // namespace trcost::prices
