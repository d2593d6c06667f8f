// SPDX-License-Identifier: Apache-2.0
// The order in which the rules apply, on made-up books.
#include <algorithm>
#include <string>

#include "catch.h"
#include "error_message.h"
#include "prices/market/price_table.h"
#include "prices/price_fixture.h"
#include "prices/rows/regions.h"
#include "trcost/catalog.h"

using namespace trcost;

namespace {

PriceRow h100_row(std::string provider, double usd, std::string_view date,
                  ProviderClass provider_class = ProviderClass::specialist) {
  return price_row(std::move(provider), "h100-sxm", usd, date, provider_class);
}

PriceBook small_book() {
  PriceBook book;
  book.date = "2026-10-26";
  book.rows = {h100_row("A", 2, "2026-05"),
               h100_row("B", 3, "2025-H2"),
               h100_row("C", 4, "2026-01-31"),
               h100_row("Old", 9, "2025-03-02"),
               h100_row("Big", 11, "2026-09-19", ProviderClass::hyperscaler),
               h100_row("Market", 1, "2026-09-19", ProviderClass::marketplace)};
  return book;
}

}  // namespace

TEST_CASE("the default is the median of specialists of the last 12 months", "[prices]") {
  const PriceBook book = small_book();
  const PriceQuote quote = select_price(book, {"h100-sxm", Commitment::on_demand});
  CHECK(quote.usd == 3.0);
  CHECK(quote.rows.size() == 2);  // a price of some day of half a year may be too old
  for (const char* part : {"2 specialists in the 12 months", "A $2.00 (2026-05)", "C $4.00"}) {
    CHECK(has_text(quote.source, part));
  }
  for (const char* part : {"Old", "B $3.00"}) CHECK_FALSE(has_text(quote.source, part));
  CHECK(quote.date == "2026-01-31 to 2026-05");  // not only the newest
  CHECK(quote.provider == "A, C");
  CHECK(quote.price_class == PriceClass::specialist);
  CHECK_FALSE(quote.imputed);
  CHECK(has_text(quote.warning, "more than 90 days"));  // 2026-05-01 on 2026-10-26
}

TEST_CASE("a provider counts once, with its newest and cheapest row", "[prices]") {
  PriceBook book = small_book();
  book.rows.push_back(h100_row("A", 2.5, "2026-06"));
  book.rows.push_back(h100_row("A", 2.4, "2026-06"));
  const PriceQuote quote = select_price(book, {"h100-sxm", Commitment::on_demand});
  CHECK(quote.rows.size() == 2);
  CHECK(quote.rows.front()->median == 2.4);
}

TEST_CASE("a class without quotes has no price of another class", "[prices]") {
  PriceBook book = small_book();
  const auto drop = [&](std::string_view provider) {
    std::erase_if(book.rows, [&](const PriceRow& r) { return r.provider == provider; });
  };
  drop("A");
  drop("C");
  PriceQuote quote = select_price(book, {"h100-sxm", Commitment::on_demand});
  CHECK(quote.usd == 6.0);  // B's and Old's: never Market's 1, which is of another class
  CHECK(has_text(quote.rule, "older than a year or of a guessed date"));
  CHECK_FALSE(quote.warning.empty());
  drop("B");
  drop("Old");
  // No other chip tells what the classes differ by: no price rather than that of another class.
  quote = select_price(book, {"h100-sxm", Commitment::on_demand});
  CHECK_FALSE(quote.usd.has_value());
  CHECK(has_text(quote.source, "--price"));
  PriceQuery query{"h100-sxm"};
  query.price_class = PriceClass::hyperscaler;
  CHECK(select_price(book, query).usd == 11);
  query.price_class = PriceClass::marketplace;
  CHECK(select_price(book, query).usd == 1);
  CHECK_FALSE(select_price(small_book(), {"h100-sxm", Commitment::spot}).usd.has_value());
}

TEST_CASE("a term without quotes is the class's discount on its on-demand price", "[prices]") {
  PriceBook book = small_book();
  const auto term = [&](std::string provider, ProviderClass type, double price, std::string date) {
    PriceRow out = h100_row(std::move(provider), price, std::move(date), type);
    out.commitment = Commitment::reserved_1y;
    return out;
  };
  // A hyperscaler's half is no discount of specialists.
  book.rows.push_back(term("Big", ProviderClass::hyperscaler, 5.5, "2026-09-19"));
  CHECK(select_price(book, {"h100-sxm", Commitment::reserved_1y}).usd.has_value() == false);
  PriceQuery big{"h100-sxm", Commitment::reserved_1y};
  big.price_class = PriceClass::hyperscaler;
  CHECK(select_price(book, big).usd == 5.5);
  // One quote of the class for the term decides.
  book.rows.push_back(term("A", ProviderClass::specialist, 1.6, "2026-05"));
  const PriceQuote asked = select_price(book, {"h100-sxm", Commitment::reserved_1y});
  CHECK(asked.usd == 1.6);
  CHECK_FALSE(asked.imputed);
  CHECK(asked.sigma > 0.25);  // of one seller alone
  // Without a quote the discount of its sellers decides: A asks 80 % of its own 2.
  for (const auto& [name, price] : {std::pair("E", 2.5), std::pair("F", 3.5)}) {
    book.rows.push_back(h100_row(name, price, "2026-05"));
    book.rows.back().accelerator = "h200";
  }
  PriceQuote quote = select_price(book, {"h200", Commitment::reserved_1y});
  CHECK_THAT(quote.usd.value(), WithinRel(3.0 * 0.8, 1e-9));
  CHECK(quote.factor == 0.8);
  CHECK(quote.imputed);
  for (const char* part : {"reserved-1y", "80%", "A 80%"}) CHECK(has_text(quote.rule, part));
  CHECK(has_text(derive_price(quote, "h200").numbers, " x 0.8;"));
  // A published discount counts as a seller's own prices do.
  book.discounts.push_back({"D", ProviderClass::specialist, Commitment::reserved_1y, 0.6,
                            parse_price_date("2026-09", "test"), "a page"});
  CHECK_THAT(select_price(book, {"h200", Commitment::reserved_1y}).usd.value(),
             WithinRel(3.0 * 0.7, 1e-9));
  // Rows of two days do not compare, since prices move.
  book.rows.push_back(term("C", ProviderClass::specialist, 0.4, "2026-03"));
  CHECK_THAT(select_price(book, {"h200", Commitment::reserved_1y}).usd.value(),
             WithinRel(3.0 * 0.7, 1e-9));
  CHECK(select_price(book, {"h100-sxm", Commitment::reserved_1y}).usd == 1.0);  // of 0.4 and 1.6
  // A provider's own price stays what it is.
  CHECK(select_price(book, {"h100-sxm", Commitment::reserved_1y, "Big"}).usd == 5.5);
}

TEST_CASE("provider and region narrow the choice", "[prices]") {
  PriceBook book = small_book();
  CHECK(select_price(book, {"h100-sxm", Commitment::on_demand, "big"}).usd == 11);
  CHECK_FALSE(select_price(book, {"b200", Commitment::on_demand, "Big"}).usd.has_value());
  CHECK(has_text(message_of([&] {
                   select_price(book, {"h100-sxm", Commitment::on_demand, "Marke"});
                 }),
                 "Market"));
  book.rows[0].region = "us-east-1";
  book.rows[1].region = "us/eu";
  const auto of = [&](const char* region) {
    return select_price(book, {"h100-sxm", Commitment::on_demand, {}, region}).rows.size();
  };
  CHECK(of("us") == 2);
  CHECK(of("us-east-1") == 2);
  CHECK(of("eu") == 1);  // C alone has a date; B is of 2025-H2
  book.rows.resize(1);   // in us-east-1 only
  const PriceQuote elsewhere = select_price(book, {"h100-sxm", Commitment::on_demand, {}, "asia"});
  CHECK(elsewhere.usd == 2);
  CHECK(has_text(elsewhere.rule, "no price in asia"));
}

TEST_CASE("unverified rows never enter a default", "[prices]") {
  PriceBook book = small_book();
  book.rows[0].verified = false;
  CHECK(select_price(book, {"h100-sxm", Commitment::on_demand}).rows.size() == 1);
}

TEST_CASE("a provider counts once, however it is spelled", "[prices]") {
  PriceBook book;
  book.date = "2026-10-26";
  book.providers = price_book(Catalog()).providers;
  book.rows = {h100_row("Lambda", 3, "2025-12"), h100_row("B", 2, "2026-02"),
               h100_row("lambda", 5, "2026-02")};
  CHECK(class_price(book, "h100-sxm").usd == 3.5);  // of 2 and 5
  for (const char* name : {"LAMBDA", "lambdalabs", "Lambda Labs"}) {
    CHECK(select_price(book, {"h100-sxm", Commitment::on_demand, name}).usd == 5);
  }
  CHECK(provider_name(book, "datacrunch") == "Verda");
  CHECK(provider_name(book, "vastai") == "vast.ai");
  CHECK(provider_name(book, "Somebody") == "Somebody");
}

TEST_CASE("a coarse date is not newer than an exact one within it", "[prices]") {
  PriceBook book;
  book.date = "2026-10-26";
  book.rows = {h100_row("RunPod", 2.69, "2026"), h100_row("RunPod", 3.29, "2026-10-20")};
  CHECK(class_price(book, "h100-sxm").usd == 3.29);
  std::reverse(book.rows.begin(), book.rows.end());
  CHECK(class_price(book, "h100-sxm").usd == 3.29);
}

TEST_CASE("spot prices are those of the newest rows", "[prices]") {
  PriceBook book;
  book.date = "2026-10-26";
  book.rows = {h100_row("A", 2, "2026-10"), h100_row("B", 6, "2026-10"),
               h100_row("A", 1.5, "2026-10"), h100_row("B", 0.5, "2026-05")};
  book.rows[2].commitment = book.rows[3].commitment = Commitment::spot;
  CHECK(select_price(book, {"h100-sxm", Commitment::spot}).usd == 1.5);
  // Never dearer than on-demand without a word.
  book.rows[2].low = book.rows[2].median = book.rows[2].high = 5;
  const PriceQuote dear = select_price(book, {"h100-sxm", Commitment::spot});
  CHECK(dear.usd == 4.0);
  CHECK(has_text(dear.warning, "dearer than on-demand"));
}

TEST_CASE("prices are printed in full", "[prices]") {
  CHECK(format_price(5.245) == "$5.245");
  CHECK(format_price(1.125) == "$1.125");
  CHECK(format_price(2.5) == "$2.50");
  CHECK(format_price(18) == "$18.00");
  CHECK(format_price(0.0242) == "$0.0242");
  const Catalog catalog;
  const PriceQuote quote = select_price(price_book(catalog), {"b200", Commitment::reserved_3y});
  const PriceQuote market = select_price(price_book(catalog), {"b200", Commitment::on_demand});
  CHECK_THAT(quote.usd.value(), WithinAbs(quote.factor.value() * market.usd.value(), 5.1e-7));
}

TEST_CASE("old offers of the class come before a sibling's price", "[prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  for (const char* name : {"A", "B", "C"}) {
    book.rows.push_back(price_row(name, "x", 10, "2026-10-01", ProviderClass::hyperscaler));
  }
  for (const char* chip : {"x", "y"}) {  // y is half of x
    book.rows.push_back(price_row("S", chip, chip[0] == 'x' ? 4 : 2, "2026-10-01"));
  }
  book.rows.push_back(price_row("A", "y", 3.4, "2025-07-01", ProviderClass::hyperscaler));
  const auto price = [&] {
    return class_price(book, "y", PriceClass::hyperscaler, Commitment::on_demand);
  };
  CHECK(price().usd == 3.4);
  CHECK(price().stale);
  CHECK_FALSE(price().imputed);
  book.rows.back().median = 1;  // no market moves so far in two years
  CHECK(price().usd == 5);
  CHECK(has_text(price().rule, "Too old"));
  book.rows.back().median = 3.4;
  book.rows.back().date = parse_price_date("2024-07-01", "test");
  CHECK(price().usd == 5);
}

TEST_CASE("a price older than two years yields to a sibling and is none itself", "[prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  // Nothing follows from a spot price of years ago.
  book.rows.push_back(price_row("Big", "x", 0.2, "2024-01-01"));
  book.rows.back().commitment = Commitment::spot;
  for (const char* chip : {"x", "y", "z"}) {
    book.rows.push_back(price_row("Big", chip, chip[0] == 'y' ? 2 : 1, "2026-10-01"));
  }
  PriceQuery query{"y", Commitment::spot};
  CHECK_FALSE(select_price(book, query).usd.has_value());
  // The sibling with the newest row is chosen.
  book.rows.push_back(price_row("Big", "x", 0.3, "2026-02-01"));
  book.rows.back().commitment = Commitment::spot;
  book.rows.push_back(price_row("Big", "z", 0.6, "2026-11-01"));
  book.rows.back().commitment = Commitment::spot;
  CHECK(select_price(book, query).usd == 1.2);
  // An own price of years ago says less than that; alone it stands, and says its age.
  book.rows.push_back(price_row("Big", "y", 9, "2024-01-01"));
  book.rows.back().commitment = Commitment::spot;
  const PriceQuote quote = select_price(book, query);
  CHECK(quote.usd == 1.2);
  CHECK(has_text(quote.rule, "Too old"));
  book.rows.erase(book.rows.begin() + 1, book.rows.begin() + 4);
  CHECK(select_price(book, query).usd == 9);
  CHECK(select_price(book, query).stale);
}

TEST_CASE("a lone seller counts at the level of its class", "[prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  for (const char* chip : {"x", "y"}) {
    for (const char* name : {"A", "B", "C"})
      book.rows.push_back(price_row(name, chip, 4, "2026-10-01"));
    book.rows.push_back(price_row("Dear", chip, 6, "2026-10-01"));
    book.rows.push_back(price_row("Usual", chip, 4.5, "2026-10-01"));
  }
  // 1.5 times the class's price of two other chips: 9 / 1.5.
  book.rows.push_back(price_row("Dear", "z", 9, "2026-10-01"));
  PriceQuote quote = select_price(book, {"z"});
  CHECK(quote.usd == 6);
  CHECK(quote.imputed);
  CHECK(has_text(quote.rule, "Dear quotes $9.00 and charges 1.50x its peers on 2 other chips"));
  CHECK(has_text(quote.warning, "--provider Dear"));
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
  book.rows.push_back(price_row("Dear", "z", 15, "2026-10-01"));
  quote = select_price(book, {"z"});
  CHECK(quote.usd == 9.5);  // of 9 and 15 / 1.5
  CHECK(quote.imputed);
}

TEST_CASE("a chip without quotes is priced by its sibling, else by the ratio of classes",
          "[prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  for (const char* name : {"A", "B", "C", "D"})
    book.rows.push_back(price_row(name, "x", 4, "2026-10-01"));
  book.rows.push_back(price_row("Big", "x", 10, "2026-10-01", ProviderClass::hyperscaler));
  book.rows.push_back(price_row("Big", "y", 15, "2026-10-01", ProviderClass::hyperscaler));
  const PriceQuote quote = select_price(book, {"y"});
  CHECK(quote.usd == 6);  // 4 x 15 / 10, not 15
  CHECK(quote.imputed);
  CHECK(has_text(quote.rule, "x x 1.5, the ratio of the two at Big"));
  CHECK(has_text(quote.warning, "--provider Big"));
  CHECK(quote.sigma > select_price(book, {"x"}).sigma);
  // No seller has both chips: the ratio of the classes over other chips is 4 / 10.
  book.rows.back().provider = "Large";
  for (const char* name : {"Big2", "Big3"}) {
    book.rows.push_back(price_row(name, "x", 10, "2026-10-01", ProviderClass::hyperscaler));
  }
  CHECK(select_price(book, {"y"}).usd == 6);
}

TEST_CASE("later rows than --as-of are left out", "[prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  for (const char* name : {"A", "B", "C", "D"}) {
    book.rows.push_back(price_row(name, "h100-sxm", 2, "2026-05-01"));
  }
  CHECK(select_price(book, {"h100-sxm"}).usd == 2);
  CHECK(has_text(select_price(book, {"h100-sxm"}).warning, "2026-05-01"));
  for (const char* name : {"A", "B", "C"}) {
    book.rows.push_back(price_row(name, "h100-sxm", 4, "2026-10-01"));
  }
  // Three are not enough: D's old price fills in, and each seller has its newest.
  const PriceQuote mixed = select_price(book, {"h100-sxm"});
  CHECK(mixed.usd == 4);
  CHECK(mixed.rows.size() == 4);
  book.rows.push_back(price_row("E", "h100-sxm", 5, "2026-11-01"));
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
  CHECK(has_text(select_price(book, then).warning, "more than 90 days before 2027-03-01"));
}

TEST_CASE("an undated row counts from the date of the book", "[prices]") {
  PriceBook book;
  book.date = "2026-11-09";
  book.rows.push_back(price_row("A", "x", 2, "2026-10-01"));
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

TEST_CASE("rejects the name of a class as a provider", "[prices]") {
  const Catalog catalog;
  const std::string message =
      message_of([&] { find_provider(price_book(catalog), "hyperscaler"); });
  CHECK(has_text(message, "--price-class hyperscaler"));
}
