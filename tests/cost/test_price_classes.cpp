// SPDX-License-Identifier: Apache-2.0
// Prices of one class for all platforms, of today, and in order: properties of the built-in book.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "catalog/assumed.h"
#include "catch.h"
#include "cost/error_message.h"
#include "prices/market/prices.h"
#include "prices/rows/price_book.h"
#include "trcost/catalog.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

bool contains_price_classes(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

PriceQuote ask(const PriceBook& book, std::string_view chip, PriceClass price_class,
               Commitment commitment) {
  PriceQuery query{chip, commitment};
  query.price_class = price_class;
  return select_price(book, query);
}

PriceRow row_price_classes(std::string provider, std::string chip, double price,
                           std::string_view date, ProviderClass type = ProviderClass::specialist) {
  PriceRow out;
  out.provider = std::move(provider);
  out.provider_class = type;
  out.accelerator = std::move(chip);
  out.region = "all";
  out.low = out.median = out.high = price;
  out.date = parse_price_date(date, "test");
  return out;
}

// Lowest and highest ratio that any one seller or index asks for two chips at one time.
struct Asked {
  double low = 1e9, high = 0;
  int sellers = 0;
};
Asked asked_ratios(const PriceBook& book, const std::string& a, const std::string& b) {
  Asked out;
  std::set<std::string> sellers;
  for (const PriceRow& x : book.rows) {
    for (const PriceRow& y : book.rows) {
      if (x.accelerator != a || y.accelerator != b || x.provider != y.provider ||
          x.commitment != y.commitment || !x.verified || !y.verified || x.guessed || y.guessed ||
          x.commitment == Commitment::spot || x.commitment == Commitment::block ||
          std::abs(days_between(x.date.first, y.date.first)) > 184) {
        continue;
      }
      out.low = std::min(out.low, x.median / y.median);
      out.high = std::max(out.high, x.median / y.median);
      sellers.insert(x.provider);
    }
  }
  out.sellers = static_cast<int>(sellers.size());
  return out;
}

}  // namespace

TEST_CASE("every platform of an answer is priced in one class", "[cost][prices][property]") {
  const Catalog catalog;
  const PriceBook& book = price_book(catalog);
  for (const auto& [seller, price_class] : kPriceClasses) {
    for (const auto& [word, commitment] : kCommitments) {
      INFO(price_class_name(price_class) << " " << commitment_name(commitment));
      if (!class_sells(book, price_class, commitment)) {
        CHECK(contains_price_classes(
            message_of([&] { require_class_sells(book, price_class, commitment); }),
            price_class_name(price_class)));
        continue;
      }
      for (const std::string& chip : catalog.assumed().accelerators) {
        const PriceQuote quote = ask(book, chip, price_class, commitment);
        INFO(chip << ": " << quote.rule);
        REQUIRE(quote.usd.has_value());
        CHECK(quote.price_class == price_class);
        CHECK_FALSE(quote.date.empty());
        if (quote.imputed) {
          CHECK(quote.sigma >= 0.25);  // wider than any seller's list price
          CHECK(contains_price_classes(quote.rule, "imputed"));
          CHECK(contains_price_classes(quote.warning, format_price(*quote.usd)));
          continue;
        }
        for (const PriceRow* each : quote.rows) {
          CHECK(price_class_of(each->provider_class) == price_class);
        }
      }
    }
  }
}

TEST_CASE("the ranking is what some seller asks, never a difference of sellers",
          "[cost][prices][property]") {
  const Catalog catalog;
  const PriceBook& book = price_book(catalog);
  constexpr double kBetween = 1.25;  // medians over different sets of sellers
  for (const Commitment commitment :
       {Commitment::on_demand, Commitment::reserved_1y, Commitment::reserved_3y}) {
    for (const std::string& a : catalog.assumed().accelerators) {
      for (const std::string& b : catalog.assumed().accelerators) {
        if (a >= b) continue;
        const Asked asked = asked_ratios(book, a, b);
        if (asked.sellers < 2) continue;
        const double ratio = *ask(book, a, PriceClass::specialist, commitment).usd /
                             *ask(book, b, PriceClass::specialist, commitment).usd;
        INFO(a << " / " << b << " " << ratio << " of " << asked.low << " to " << asked.high);
        CHECK(ratio >= asked.low / kBetween);
        CHECK(ratio <= asked.high * kBetween);
      }
    }
  }
}

TEST_CASE("three years cost no more than one, one no more than none", "[cost][prices][property]") {
  const Catalog catalog;
  const PriceBook& book = price_book(catalog);
  for (const std::string& chip : catalog.names(CatalogKind::accelerators)) {
    for (const auto& [seller, price_class] : kPriceClasses) {
      const PriceQuote none = ask(book, chip, price_class, Commitment::on_demand);
      const PriceQuote one = ask(book, chip, price_class, Commitment::reserved_1y);
      const PriceQuote three = ask(book, chip, price_class, Commitment::reserved_3y);
      INFO(chip << " " << price_class_name(price_class) << ": " << one.rule << " | " << three.rule);
      if (none.usd && one.usd) CHECK(*one.usd <= *none.usd);
      if (one.usd && three.usd) CHECK(*three.usd <= *one.usd);
      if (none.usd && three.usd) CHECK(*three.usd <= *none.usd);
    }
  }
}

TEST_CASE("a term is not far below what an index of the chip says", "[cost][prices][property]") {
  const Catalog catalog;
  const PriceBook& book = price_book(catalog);
  int compared = 0;
  for (const PriceRow& each : book.rows) {
    if (price_class_of(each.provider_class) != PriceClass::index || each.guessed ||
        !each.verified || each.date.first < "2026-01") {
      continue;
    }
    if (each.commitment != Commitment::reserved_3y && each.commitment != Commitment::reserved_1y) {
      continue;
    }
    const PriceQuote quote = ask(book, each.accelerator, PriceClass::specialist, each.commitment);
    if (!quote.usd) continue;
    INFO(each.accelerator << " " << *quote.usd << " against " << each.median << ": " << quote.rule);
    CHECK(*quote.usd >= 0.85 * each.median);
    ++compared;
  }
  CHECK(compared >= 6);
  // SemiAnalysis, July 2026, as it stands.
  const std::pair<const char*, double> kSet[] = {{"h100-sxm", 2.0},    {"h200", 2.9},
                                                 {"b200", 3.7},        {"b300", 4.25},
                                                 {"gb200-nvl72", 4.0}, {"gb300-nvl72", 5.0}};
  for (const auto& [chip, usd] : kSet) {
    CHECK(ask(book, chip, PriceClass::index, Commitment::reserved_3y).usd == usd);
  }
}

TEST_CASE("time that brings no new row moves no price", "[cost][prices][property]") {
  const Catalog catalog;
  const PriceBook& book = price_book(catalog);
  for (const std::string& chip : catalog.names(CatalogKind::accelerators)) {
    for (const auto& [seller, price_class] : kPriceClasses) {
      for (const auto& [word, commitment] : kCommitments) {
        PriceQuery query{chip, commitment};
        query.price_class = price_class;
        const PriceQuote now = select_price(book, query);
        for (const char* day : {"2026-11-23", "2027-02-28", "2027-11-30", "2035-01-01"}) {
          query.as_of = day;
          const PriceQuote later = select_price(book, query);
          INFO(chip << " " << price_class_name(price_class) << " " << commitment_name(commitment)
                    << " " << day << ": " << now.rule << " | " << later.rule);
          CHECK(later.usd == now.usd);
          CHECK(later.imputed == now.imputed);
          if (later.usd && days_between("2026-11-09", day) > 366) CHECK(later.stale);
        }
      }
    }
  }
  // Likewise between any two rows of the book: nothing but a row moves a price.
  std::set<std::string> days;
  for (const PriceRow& each : book.rows) {
    if (each.date.first > "2026-03") days.insert(each.date.first);
  }
  for (auto day = days.begin(); std::next(day) != days.end(); ++day) {
    const int gap = days_between(*day, *std::next(day));
    if (gap < 2 || day->substr(8) > "27") continue;
    const std::string after =
        day->substr(0, 8) + std::to_string(std::stoi(day->substr(8)) + 101).substr(1);
    for (const std::string& chip : catalog.assumed().accelerators) {
      PriceQuery query{chip};
      query.as_of = *day;
      const auto before = select_price(book, query).usd;
      query.as_of = after;
      INFO(chip << " " << *day << " " << after);
      CHECK(select_price(book, query).usd == before);
    }
  }
}

TEST_CASE("what somebody of the class asks comes before what would follow from others",
          "[cost][prices][property]") {
  const Catalog catalog;
  const PriceBook& book = price_book(catalog);
  int asked = 0, derived = 0;
  for (const std::string& chip : catalog.names(CatalogKind::accelerators)) {
    for (const auto& [seller, price_class] : kPriceClasses) {
      for (const auto& [word, commitment] : kCommitments) {
        double low = 1e9, high = 0, all_low = 1e9, all_high = 0;
        std::set<std::string> sellers;
        for (const PriceRow& each : book.rows) {
          if (each.accelerator != chip || each.commitment != commitment || !each.verified ||
              price_class_of(each.provider_class) != price_class) {
            continue;
          }
          all_low = std::min(all_low, each.low);
          all_high = std::max(all_high, each.high);
          if (each.guessed || each.secondary || days_between(each.date.first, "2026-11-09") > 366) {
            continue;
          }
          low = std::min(low, each.median);
          high = std::max(high, each.median);
          sellers.insert(each.provider);
        }
        const PriceQuote quote = ask(book, chip, price_class, commitment);
        INFO(chip << " " << price_class_name(price_class) << " " << commitment_name(commitment)
                  << " " << low << ".." << high << ": " << quote.rule);
        const bool capped = contains_price_classes(quote.rule, "no more than") ||
                            contains_price_classes(quote.warning, "dearer than on-demand");
        if (quote.usd && !quote.imputed && !capped) {
          // Made of real offers of that kind alone.
          CHECK(*quote.usd >= all_low * (1 - 1e-9));
          CHECK(*quote.usd <= all_high * (1 + 1e-9));
        }
        if (sellers.empty()) continue;
        ++asked;
        REQUIRE(quote.usd.has_value());
        if (!quote.imputed) continue;
        // One or two sellers of another level than the class's, or a term that is dearer than none.
        ++derived;
        CHECK(sellers.size() <= 2);
        CHECK((contains_price_classes(quote.rule, "brought to the level of the class") ||
               *ask(book, chip, price_class, Commitment::on_demand).usd < low));
      }
    }
  }
  CHECK(asked > 60);
  CHECK(derived <= 5);
}

TEST_CASE("a lone seller counts at the level of its class", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  for (const char* chip : {"x", "y"}) {
    for (const char* name : {"A", "B", "C"})
      book.rows.push_back(row_price_classes(name, chip, 4, "2026-10-01"));
    book.rows.push_back(row_price_classes("Dear", chip, 6, "2026-10-01"));
    book.rows.push_back(row_price_classes("Usual", chip, 4.5, "2026-10-01"));
  }
  // 1.5 times the class's price of two other chips: 9 / 1.5.
  book.rows.push_back(row_price_classes("Dear", "z", 9, "2026-10-01"));
  PriceQuote quote = select_price(book, {"z"});
  CHECK(quote.usd == 6);
  CHECK(quote.imputed);
  CHECK(contains_price_classes(
      quote.rule, "Dear asks $9.00, and 1.50 times the class's price over 2 other chips"));
  CHECK(contains_price_classes(quote.warning, "--provider Dear"));
  // One that is in line stands as it is, with the range of a lone seller.
  book.rows.back().provider = "Usual";
  quote = select_price(book, {"z"});
  CHECK(quote.usd == 9);
  CHECK_FALSE(quote.imputed);
  CHECK(quote.sigma > select_price(book, {"x"}).sigma);
  // So does one of whom nothing else is known.
  book.rows.back().provider = "Stranger";
  CHECK(select_price(book, {"z"}).usd == 9);
  // Two that disagree are each brought to the level.
  book.rows.push_back(row_price_classes("Dear", "z", 15, "2026-10-01"));
  quote = select_price(book, {"z"});
  CHECK(quote.usd == 9.5);  // of 9 and 15 / 1.5
  CHECK(quote.imputed);
}

TEST_CASE("a secondary price that is out of line is no evidence", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  book.rows.push_back(row_price_classes("A", "x", 16, "2026-07-07", ProviderClass::hyperscaler));
  book.rows.push_back(row_price_classes("B", "x", 27, "2026-09-19", ProviderClass::hyperscaler));
  book.rows.back().secondary = true;
  CHECK(ask(book, "x", PriceClass::hyperscaler, Commitment::on_demand).usd == 16);
  book.rows.back().secondary = false;
  CHECK(ask(book, "x", PriceClass::hyperscaler, Commitment::on_demand).usd == 21.5);
}

TEST_CASE("old offers of the class stand before other chips' prices", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  for (const char* name : {"A", "B", "C"}) {
    book.rows.push_back(row_price_classes(name, "x", 10, "2026-10-01", ProviderClass::hyperscaler));
  }
  for (const char* chip : {"x", "y"}) {  // y is half of x
    book.rows.push_back(row_price_classes("S", chip, chip[0] == 'x' ? 4 : 2, "2026-10-01"));
  }
  book.rows.push_back(row_price_classes("A", "y", 3.4, "2025-07-01", ProviderClass::hyperscaler));
  const auto price = [&] { return ask(book, "y", PriceClass::hyperscaler, Commitment::on_demand); };
  CHECK(price().usd == 3.4);
  CHECK(price().stale);
  CHECK_FALSE(price().imputed);
  book.rows.back().median = 1;  // no market moves so far in two years
  CHECK(price().usd == 5);
  CHECK(contains_price_classes(price().rule, "too old"));
  book.rows.back().median = 3.4;
  book.rows.back().date = parse_price_date("2024-07-01", "test");
  CHECK(price().usd == 5);
}

TEST_CASE("the imputation finds prices that are known within its spread", "[cost][prices]") {
  // Leave one chip's specialists out; what is imputed has to be near what they ask.
  const Catalog catalog;
  std::vector<double> errors;
  for (const char* chip : {"a100-sxm-80gb", "h100-sxm", "h200", "b200", "b300"}) {
    PriceBook book = price_book(catalog);
    const double known = *select_price(book, {chip}).usd;
    std::erase_if(book.rows, [&](const PriceRow& each) {
      return each.accelerator == chip && each.provider_class == ProviderClass::specialist;
    });
    const PriceQuote quote = select_price(book, {chip});
    INFO(chip << " " << quote.rule);
    REQUIRE(quote.imputed);
    errors.push_back(std::log(*quote.usd / known));
    CHECK(std::fabs(errors.back()) < 2 * 0.25);
  }
  double squares = 0;
  for (const double error : errors) squares += error * error;
  CHECK(std::sqrt(squares / static_cast<double>(errors.size())) < 0.25);
}

TEST_CASE("the newest quarter decides where it has enough sellers", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  for (const char* name : {"A", "B", "C", "D"}) {
    book.rows.push_back(row_price_classes(name, "h100-sxm", 2, "2026-05-01"));
  }
  CHECK(select_price(book, {"h100-sxm"}).usd == 2);
  CHECK(contains_price_classes(select_price(book, {"h100-sxm"}).warning, "2026-05-01"));
  for (const char* name : {"A", "B", "C"}) {
    book.rows.push_back(row_price_classes(name, "h100-sxm", 4, "2026-10-01"));
  }
  // Three are not enough: D's old price fills in, and each seller has its newest.
  const PriceQuote mixed = select_price(book, {"h100-sxm"});
  CHECK(mixed.usd == 4);
  CHECK(mixed.rows.size() == 4);
  book.rows.push_back(row_price_classes("E", "h100-sxm", 5, "2026-11-01"));
  const PriceQuote fresh = select_price(book, {"h100-sxm"});
  CHECK(fresh.usd == 4);
  CHECK(fresh.rows.size() == 4);
  CHECK(fresh.date == "2026-10-01 to 2026-11-01");
  CHECK(fresh.warning.empty());
  // As of another day: later rows are left out, and old ones say so.
  PriceQuery then{"h100-sxm"};
  then.as_of = "2026-06-01";
  CHECK(select_price(book, then).usd == 2);
  then.as_of = "2027-03-01";
  CHECK(contains_price_classes(select_price(book, then).warning,
                               "more than 90 days before 2027-03-01"));
}

TEST_CASE("a secondary price yields to one with an address", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  for (const char* name : {"A", "B", "C", "D"}) {
    book.rows.push_back(row_price_classes(name, "h100-sxm", 4, "2026-10-01"));
    book.rows.push_back(row_price_classes(std::string(name) + "2", "h100-sxm", 3, "2026-11-01"));
    book.rows.back().secondary = true;
  }
  CHECK(select_price(book, {"h100-sxm"}).usd == 4);
  book.rows.resize(4);  // A, A2, B, B2: too few without them
  CHECK(select_price(book, {"h100-sxm"}).usd == 3.5);
}

TEST_CASE("a chip that nobody of the class sells is priced by its sibling", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  for (const char* name : {"A", "B", "C", "D"})
    book.rows.push_back(row_price_classes(name, "x", 4, "2026-10-01"));
  book.rows.push_back(row_price_classes("Big", "x", 10, "2026-10-01", ProviderClass::hyperscaler));
  book.rows.push_back(row_price_classes("Big", "y", 15, "2026-10-01", ProviderClass::hyperscaler));
  const PriceQuote quote = select_price(book, {"y"});
  CHECK(quote.usd == 6);  // 4 x 15 / 10, not 15
  CHECK(quote.imputed);
  CHECK(contains_price_classes(quote.rule, "x x 1.5, the ratio of the two at Big"));
  CHECK(contains_price_classes(quote.warning, "--provider Big"));
  CHECK(quote.sigma > select_price(book, {"x"}).sigma);
  // Nobody sells both: by what the classes differ over other chips, 4 / 10.
  book.rows.back().provider = "Large";
  for (const char* name : {"Big2", "Big3"}) {
    book.rows.push_back(row_price_classes(name, "x", 10, "2026-10-01", ProviderClass::hyperscaler));
  }
  CHECK(select_price(book, {"y"}).usd == 6);
}

TEST_CASE("a chip that its maker alone rents costs what its maker asks",
          "[cost][prices][property]") {
  const Catalog catalog;
  const PriceBook& book = price_book(catalog);
  int priced = 0;
  for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
    if (!catalog.accelerator(name).sold_by_maker) continue;
    for (const PriceClass price_class : {PriceClass::specialist, PriceClass::marketplace}) {
      for (const auto& [word, commitment] : kCommitments) {
        PriceQuery query{name, commitment};
        query.price_class = price_class;
        query.sold_by_maker = true;
        const PriceQuote quote = select_price(book, query);
        INFO(name << " " << commitment_name(commitment) << ": " << quote.rule);
        CHECK_FALSE(quote.imputed);
        if (!quote.usd) continue;
        ++priced;
        CHECK(quote.other_class);
        CHECK(contains_price_classes(quote.warning, "only its maker's cloud rents it"));
        CHECK(std::ranges::any_of(book.rows, [&](const PriceRow& each) {
          return each.accelerator == name && each.provider_class == ProviderClass::hyperscaler &&
                 *quote.usd <= each.high;
        }));
        for (const PriceRow* each : quote.rows) CHECK(each->accelerator == name);
        // Asked for in its own class it is the same price, and no other class's.
        query.price_class = PriceClass::hyperscaler;
        const PriceQuote own = select_price(book, query);
        CHECK(own.usd == quote.usd);
        CHECK_FALSE(own.other_class);
      }
    }
  }
  CHECK(priced > 10);
}

TEST_CASE("indices of one answer are of one publisher where it has the chip",
          "[cost][prices][property]") {
  const Catalog catalog;
  const PriceBook& book = price_book(catalog);
  for (const auto& [word, commitment] : kCommitments) {
    std::map<std::string, std::set<std::string>> chips;  // of each publisher that is used
    for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
      const PriceQuote quote = ask(book, name, PriceClass::index, commitment);
      if (quote.usd && !quote.imputed) chips[quote.provider].insert(name);
    }
    if (chips.empty()) continue;
    const auto main =
        std::ranges::max_element(chips, {}, [](const auto& each) { return each.second.size(); });
    INFO(commitment_name(commitment) << " " << main->first);
    for (const auto& [publisher, names] : chips) {
      if (publisher == main->first) continue;
      for (const PriceRow& each : book.rows) {
        CHECK_FALSE((each.provider == main->first && each.commitment == commitment &&
                     each.verified && names.contains(each.accelerator)));
      }
    }
  }
}

TEST_CASE("an old price is no sibling and yields to a sibling of today", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  // What idles was cheap years ago: nothing follows from it.
  book.rows.push_back(row_price_classes("Big", "x", 0.2, "2024-01-01"));
  book.rows.back().commitment = Commitment::spot;
  for (const char* chip : {"x", "y", "z"}) {
    book.rows.push_back(row_price_classes("Big", chip, chip[0] == 'y' ? 2 : 1, "2026-10-01"));
  }
  PriceQuery query{"y", Commitment::spot};
  CHECK_FALSE(select_price(book, query).usd.has_value());
  // Of several siblings the one with the newest row.
  book.rows.push_back(row_price_classes("Big", "x", 0.3, "2026-02-01"));
  book.rows.back().commitment = Commitment::spot;
  book.rows.push_back(row_price_classes("Big", "z", 0.6, "2026-11-01"));
  book.rows.back().commitment = Commitment::spot;
  CHECK(select_price(book, query).usd == 1.2);
  // An own price of years ago says less than that; alone it stands, and says its age.
  book.rows.push_back(row_price_classes("Big", "y", 9, "2024-01-01"));
  book.rows.back().commitment = Commitment::spot;
  const PriceQuote quote = select_price(book, query);
  CHECK(quote.usd == 1.2);
  CHECK(contains_price_classes(quote.rule, "too old"));
  book.rows.erase(book.rows.begin() + 1, book.rows.begin() + 4);
  CHECK(select_price(book, query).usd == 9);
  CHECK(select_price(book, query).stale);
}

TEST_CASE("a row without a date is of no earlier day than the book", "[cost][prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  book.rows.push_back(row_price_classes("A", "x", 2, "2026-10-01"));
  book.rows.back().date = {};
  book.rows.back().guessed = true;
  CHECK(select_price(book, {"x"}).usd == 2);
  CHECK(select_price(book, {"x"}).stale);
  for (const char* provider : {"", "A"}) {
    PriceQuery then{"x"};
    then.provider = provider;
    then.as_of = "2024-06-01";
    CHECK_FALSE(select_price(book, then).usd.has_value());
  }
}

TEST_CASE("a class word is no provider", "[cost][prices]") {
  const Catalog catalog;
  const std::string message =
      message_of([&] { find_provider(price_book(catalog), "hyperscaler"); });
  CHECK(contains_price_classes(message, "--price-class hyperscaler"));
}

TEST_CASE("the shipped price files hold nothing that a copy of them would not", "[cost][prices]") {
  const Catalog catalog;
  for (const PriceRow& each : price_book(catalog).rows) {
    INFO(each.file << " " << each.accelerator);
    const bool address = contains_price_classes(each.source, "://") ||
                         contains_price_classes(each.source, "github.com") ||
                         contains_price_classes(each.source, "arXiv:");
    CHECK((address || each.secondary));
  }
}
