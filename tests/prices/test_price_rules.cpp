// SPDX-License-Identifier: Apache-2.0
// One case per rule, on made-up rows whose price is computed by hand.
#include <cmath>
#include <string>

#include "catch.h"
#include "prices/market/price_rules.h"
#include "prices/price_fixture.h"

using namespace trcost;

namespace {

constexpr ProviderClass kCloud = ProviderClass::hyperscaler;

// Specialists, or another class, on demand on 2026-11-09.
Market market_of_class(PriceClass price_class = PriceClass::specialist,
                       Commitment commitment = Commitment::on_demand) {
  return {price_class, commitment, {}, "2026-11-09", "2026-11-01"};
}

std::vector<PriceRow> rows_of_sellers(const std::string& sellers, const std::string& chip,
                                      double usd, std::string_view date = "2026-10-01",
                                      ProviderClass provider_class = ProviderClass::specialist) {
  std::vector<PriceRow> out;
  for (const char seller : sellers) {
    out.push_back(price_row(std::string(1, seller), chip, usd, date, provider_class));
  }
  return out;
}

std::vector<PriceRow> joined(std::vector<PriceRow> a, const std::vector<PriceRow>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

ChipLevel level_of_rows(std::string_view chip, const std::vector<PriceRow>& rows,
                        const Market& market = market_of_class()) {
  return {chip, select_offers(row_pointers(rows), market)};
}

PriceQuote quote_of_usd(double usd, bool imputed = false) {
  PriceQuote quote;
  quote.usd = usd;
  quote.imputed = imputed;
  quote.price_class = PriceClass::hyperscaler;
  return quote;
}

}  // namespace

TEST_CASE("preferred row: of the region, of a known date, with an address, newer, cheaper",
          "[prices]") {
  const auto usd_of_best = [](const PriceRow& a, const PriceRow& b, std::string_view region = "") {
    PriceRows forward, backward;
    for (const PriceRow* row : {&a, &b}) keep_preferred(forward, *row, {region});
    for (const PriceRow* row : {&b, &a}) keep_preferred(backward, *row, {region});
    CHECK(forward.size() == 1);
    CHECK(forward == backward);
    return forward.front()->median;
  };
  PriceRow here = price_row("A", "x", 5, "2025-07"), around = price_row("A", "x", 4, "2026-04");
  here.region = "us-east4";
  around.region = "us";
  CHECK(usd_of_best(here, around, "us-east4") == 5);
  CHECK(usd_of_best(here, around) == 4);
  // A year that holds the known day is no later than it. The next year is.
  CHECK(usd_of_best(price_row("A", "x", 2, "2026"), price_row("A", "x", 3, "2026-10-20")) == 3);
  CHECK(usd_of_best(price_row("A", "x", 2, "2027"), price_row("A", "x", 3, "2026-10-20")) == 2);
  PriceRow secondary = price_row("A", "x", 2, "2026-10");
  secondary.secondary = true;
  CHECK(usd_of_best(secondary, price_row("A", "x", 3, "2026-01")) == 3);
  CHECK(usd_of_best(secondary, price_row("A", "x", 3, "2025-01")) == 2);  // over a year older
  CHECK(usd_of_best(price_row("A", "x", 3, "2026-10"), price_row("a", "x", 2, "2026-09")) == 3);
  CHECK(usd_of_best(price_row("A", "x", 3, "2026-10"), price_row("A", "x", 2, "2026-10")) == 2);
}

TEST_CASE("newest-quarter rule: four sellers in three months decide", "[prices]") {
  const std::vector<PriceRow> old = rows_of_sellers("ABCD", "x", 2, "2026-05-01");
  const auto select = [](const std::vector<PriceRow>& rows) {
    return select_offers(row_pointers(rows), market_of_class());
  };
  const std::vector<PriceRow> three = joined(old, rows_of_sellers("ABC", "x", 4));
  const Offers filled = select(three);  // D's row fills in from the six months before
  CHECK(filled.rows.size() == 4);
  CHECK(filled.months == 6);
  CHECK(quote_offers(filled, market_of_class(), "x").usd == 4);  // of 2, 4, 4 and 4
  const std::vector<PriceRow> four = joined(three, rows_of_sellers("E", "x", 5, "2026-11-01"));
  const Offers newest = select(four);
  CHECK(newest.rows.size() == 4);
  CHECK(newest.months == 3);
  CHECK(quote_offers(newest, market_of_class(), "x").usd == 4);  // of 4, 4, 4 and 5
  CHECK(select({}).recency == Recency::none);
  const Market spot = market_of_class(PriceClass::specialist, Commitment::spot);
  CHECK(select_offers(row_pointers(joined(old, rows_of_sellers("E", "x", 5))), spot).rows.size() ==
        1);
}

TEST_CASE("newest-quarter rule: secondary rows fill in unless they are outliers", "[prices]") {
  std::vector<PriceRow> rows =
      joined(rows_of_sellers("ABCD", "x", 4), rows_of_sellers("EFGH", "x", 3));
  for (std::size_t i = 4; i < rows.size(); ++i) rows[i].secondary = true;
  const auto usd = [&] {
    return quote_offers(select_offers(row_pointers(rows), market_of_class()), market_of_class(),
                        "x")
        .usd;
  };
  CHECK(usd() == 4);  // four first-hand sellers are enough
  rows.erase(rows.begin(), rows.begin() + 2);
  CHECK(usd() == 3);  // of 3, 3, 3, 3, 4 and 4
  for (PriceRow& row : rows) row.median = row.secondary ? 6.1 : 4;
  CHECK(usd() == 4);  // 6.1 is more than 1.5 times 4
  rows.erase(rows.begin());
  CHECK(usd() == 6.1);  // one seller with an address does not outweigh four without
}

TEST_CASE("newest-quarter rule: without a row of the last year older ones decide", "[prices]") {
  std::vector<PriceRow> rows = joined(rows_of_sellers("A", "x", 2, "2025-08-01"),
                                      rows_of_sellers("B", "x", 4, "2024-12-15"));
  rows.push_back(price_row("C", "x", 9, "2024-01-01"));
  const auto select = [&] { return select_offers(row_pointers(rows), market_of_class()); };
  CHECK(select().recency == Recency::old);
  const PriceQuote old = quote_offers(select(), market_of_class(), "x");
  CHECK(old.usd == 3);  // C is older than two years
  CHECK(old.stale);
  rows.erase(rows.begin(), rows.begin() + 2);
  CHECK(select().recency == Recency::past);
  rows.front() = price_row("C", "x", 9, "2026");  // a guessed date
  CHECK(select().recency == Recency::old);
}

TEST_CASE("market price: three sellers, or two that agree", "[prices]") {
  const auto is_market = [](const std::vector<PriceRow>& rows, const Market& market) {
    return is_market_price(select_offers(row_pointers(rows), market), market);
  };
  const Market here = market_of_class();
  CHECK(is_market(rows_of_sellers("ABC", "x", 4), here));
  CHECK_FALSE(is_market(rows_of_sellers("A", "x", 4), here));
  CHECK(is_market(joined(rows_of_sellers("A", "x", 4), rows_of_sellers("B", "x", 6)), here));
  CHECK_FALSE(
      is_market(joined(rows_of_sellers("A", "x", 4), rows_of_sellers("B", "x", 6.1)), here));
  CHECK_FALSE(is_market(rows_of_sellers("ABC", "x", 4, "2025-08-01"), here));
  CHECK(is_market(rows_of_sellers("A", "x", 4), market_of_class(PriceClass::index)));
  CHECK(is_market(rows_of_sellers("A", "x", 4),
                  market_of_class(PriceClass::hyperscaler, Commitment::block)));
}

TEST_CASE("quote of offers: a lone seller has a wider range, an old one a warning", "[prices]") {
  const auto quote = [](const std::vector<PriceRow>& rows) {
    return quote_offers(select_offers(row_pointers(rows), market_of_class()), market_of_class(),
                        "x");
  };
  CHECK(quote(rows_of_sellers("A", "x", 4)).sigma == kLoneSigma);
  CHECK(quote(rows_of_sellers("ABC", "x", 4)).sigma == kListSigma);
  CHECK(quote(rows_of_sellers("A", "x", 4)).warning.empty());
  CHECK(has_text(quote(rows_of_sellers("A", "x", 4, "2026-08-01")).warning, "2026-08-01"));
  CHECK(quote(rows_of_sellers("A", "x", 4, "2026-08-01")).stale);
  CHECK_FALSE(quote(rows_of_sellers("A", "x", 4, "2026-08-20")).stale);
}

TEST_CASE("seller-level rule: a dear seller's price is divided by its ratio to the class",
          "[prices]") {
  std::vector<PriceRow> x = rows_of_sellers("ABC", "x", 4), y = rows_of_sellers("ABC", "y", 4);
  x.push_back(price_row("Dear", "x", 6, "2026-10-01"));
  y.push_back(price_row("Dear", "y", 6, "2026-10-01"));
  ClassLevels levels = {level_of_rows("x", x), level_of_rows("y", y)};
  const std::vector<PriceRow> z = {price_row("Dear", "z", 9, "2026-10-01")};
  const auto adjusted = [&](const std::vector<PriceRow>& rows) {
    const Market here = market_of_class();
    return adjust_to_class_level(quote_offers(select_offers(row_pointers(rows), here), here, "z"),
                                 levels, "z");
  };
  const PriceQuote quote = adjusted(z);
  CHECK(quote.usd == 6);  // 9 / 1.5
  CHECK(quote.imputed);
  CHECK(has_text(quote.rule, "charges 1.50x its peers on 2 other chips (x 1.50, y 1.50)"));
  const std::vector<PriceRow> two = joined(z, rows_of_sellers("N", "z", 2));
  CHECK(adjusted(two).usd == 4);  // of 9 / 1.5 and 2, whose level is unknown
  CHECK(adjusted(rows_of_sellers("A", "z", 9)).usd == 9);  // in line
  levels.pop_back();
  CHECK(adjusted(z).usd == 9);  // one other chip is no evidence
  CHECK_FALSE(adjusted(z).imputed);
}

TEST_CASE("sibling rule: the class's price of a sibling times a seller's own ratio", "[prices]") {
  const std::vector<PriceRow> x = rows_of_sellers("ABC", "x", 4),
                              w = rows_of_sellers("ABC", "w", 1);
  const ClassLevels levels = {level_of_rows("w", w), level_of_rows("x", x)};
  std::vector<PriceRow> book = {price_row("Big", "x", 10, "2026-10-01", kCloud),
                                price_row("Big", "y", 15, "2026-09-01", kCloud),
                                price_row("Big", "w", 3, "2026-01-01", kCloud)};
  const Market here = market_of_class();
  const auto sibling = [&] { return find_sibling(row_pointers(book), levels, here, "y"); };
  CHECK(sibling()->level->chip == "x");  // w's row is more than half a year older than y's
  CHECK(sibling()->factor == 1.5);
  PriceQuote quote =
      scale_by_sibling(quote_offers(levels[1].offers, here, "x"), *sibling(), here, "y", "a hint");
  CHECK(quote.usd == 6);  // 4 x 15 / 10, not 15
  CHECK(quote.imputed);
  CHECK(has_text(quote.rule, "$4.00 of x x 1.5, the ratio of the two at Big"));
  CHECK(has_text(quote.warning, "a hint"));
  CHECK(quote.rows.size() == 5);
  book.back().date = parse_price_date("2026-10-01", "test");
  CHECK(sibling()->level->chip == "x");  // 1.5 is nearer than 5
  for (const char* chip : {"w", "y"}) {
    book.push_back(price_row("Large", chip, 2, "2026-10-01", kCloud));
  }
  CHECK(sibling()->level->chip == "w");  // two sellers price it together with y
  CHECK(sibling()->factor == 3);         // of 15 / 3 and 2 / 2
  for (PriceRow& row : book) row.commitment = Commitment::spot;
  CHECK_FALSE(sibling());  // spot prices of two chips do not compare
}

TEST_CASE("sibling rule: secondary rows show a ratio where no others do", "[prices]") {
  const std::vector<PriceRow> x = rows_of_sellers("ABC", "x", 4);
  const ClassLevels levels = {level_of_rows("x", x)};
  std::vector<PriceRow> book = {price_row("Big", "x", 10, "2026-10-01", kCloud),
                                price_row("Big", "y", 15, "2026-10-01", kCloud),
                                price_row("Large", "x", 10, "2026-10-01", kCloud),
                                price_row("Large", "y", 30, "2026-10-01", kCloud)};
  book[3].secondary = true;
  const auto factor = [&] {
    return find_sibling(row_pointers(book), levels, market_of_class(), "y")->factor;
  };
  CHECK(factor() == 1.5);
  book.erase(book.begin(), book.begin() + 2);
  CHECK(factor() == 3);
}

TEST_CASE("class-ratio rule: another class's price times the median ratio of the classes",
          "[prices]") {
  const Market there = market_of_class(PriceClass::hyperscaler);
  const std::vector<PriceRow> w = rows_of_sellers("ABC", "w", 1),
                              x = rows_of_sellers("ABC", "x", 4);
  const std::vector<PriceRow> cloud_x = rows_of_sellers("DEF", "x", 10, "2026-10-01", kCloud);
  const std::vector<PriceRow> cloud_y = rows_of_sellers("DEF", "y", 15, "2026-10-01", kCloud);
  const ClassLevels here = {level_of_rows("w", w), level_of_rows("x", x)};
  const ClassLevels clouds = {level_of_rows("x", cloud_x, there),
                              level_of_rows("y", cloud_y, there)};
  const std::vector<double> ratios = class_ratios(here, clouds);
  CHECK(ratios == std::vector<double>{0.4});  // x alone is priced in both
  const PriceQuote quote = scale_by_class(quote_offers(clouds[1].offers, there, "y"), ratios,
                                          market_of_class(), "y", "");
  CHECK(quote.usd == 6);  // 15 x 0.4
  CHECK(quote.imputed);
  CHECK(quote.price_class == PriceClass::specialist);
  CHECK(quote.sigma > kImputedSigma);
  CHECK(has_text(quote.rule, "$15.00 of class hyperscaler x 0.4"));
}

TEST_CASE("term rule: median over sellers of the share of their own on-demand price", "[prices]") {
  const Market term = market_of_class(PriceClass::specialist, Commitment::reserved_1y);
  const auto term_row = [](std::string seller, double usd, std::string_view date) {
    return price_row(std::move(seller), "x", usd, date, ProviderClass::specialist,
                     Commitment::reserved_1y);
  };
  std::vector<PriceRow> book = {price_row("A", "x", 2, "2026-05"), term_row("A", 1.6, "2026-05"),
                                price_row("B", "x", 4, "2026-05"), term_row("B", 2.4, "2026-06")};
  std::vector<DiscountRow> discounts;
  const auto share = [&] { return term_share(row_pointers(book), discounts, term); };
  CHECK(share()->share == 0.8);  // B's rows of two days do not compare
  CHECK(share()->list == "A 80%");
  discounts.push_back({"D", ProviderClass::specialist, Commitment::reserved_1y, 0.6,
                       parse_price_date("2026-09", "test"), "a page"});
  CHECK(share()->share == 0.7);  // of 0.8 and 0.6
  // The nearest dearer product of a seller compares.
  book.push_back(price_row("A", "x", 3.2, "2026-05"));
  book.push_back(price_row("A", "x", 1, "2026-05"));
  CHECK(share()->share == 0.7);
  const PriceQuote quote = discount_price(quote_of_usd(3), *share(), term, "y");
  CHECK_THAT(quote.usd.value(), WithinRel(2.1, 1e-12));
  CHECK(quote.imputed);
  CHECK(quote.factor == 0.7);
  CHECK_FALSE(term_share(row_pointers(book), {},
                         market_of_class(PriceClass::hyperscaler, Commitment::reserved_1y)));
}

TEST_CASE("term-order rule: three years cost no more than one", "[prices]") {
  std::optional<PriceQuote> one = quote_of_usd(3), three = quote_of_usd(4);
  order_terms(one, three);
  CHECK(three->usd == 3);
  CHECK(has_text(three->rule, "$3.00 stands: no more than for one year"));
  one = quote_of_usd(3, true), three = quote_of_usd(4);
  order_terms(one, three);
  CHECK(one->usd == 4);  // a quoted price moves an imputed one
  CHECK(three->usd == 4);
  one.reset();
  order_terms(one, three);
  CHECK(three->usd == 4);
}

TEST_CASE("cap rule: terms and spot cost no more than on-demand", "[prices]") {
  PriceQuote term = quote_of_usd(3);
  cap_price(term, quote_of_usd(4), "on-demand");
  CHECK(term.usd == 3);
  cap_price(term, quote_of_usd(2, true), "on-demand");
  CHECK(term.usd == 2);
  CHECK(term.imputed);
  PriceQuote spot = quote_of_usd(5);
  cap_spot(spot, quote_of_usd(4), "x");
  CHECK(spot.usd == 4);
  CHECK(has_text(spot.warning, "spot of x, $5.00, is dearer than on-demand"));
}

TEST_CASE("old-offer rule: two-year-old offers stand within the widest range of the sibling",
          "[prices]") {
  const auto usd = [](double own, Recency recency) {
    return choose_old_or_sibling(quote_of_usd(own), recency, quote_of_usd(5, true)).usd;
  };
  const double farthest = 5 * std::exp(1.2815 * kWidestSigma);  // P90 of the widest range
  CHECK(usd(3.4, Recency::old) == 3.4);
  CHECK(usd(farthest, Recency::old) == farthest);
  CHECK(usd(farthest * 1.01, Recency::old) == 5);
  CHECK(usd(3.4, Recency::past) == 5);
}

TEST_CASE("publisher rule: the index with most chips of the last year, then the newest",
          "[prices]") {
  const auto index_row = [](std::string publisher, std::string chip, std::string_view date) {
    return price_row(std::move(publisher), std::move(chip), 1, date, ProviderClass::index);
  };
  std::vector<PriceRow> book = {
      index_row("P", "x", "2026-07-01"), index_row("P", "y", "2026-07-01"),
      index_row("Q", "x", "2026-10-01"), index_row("Q", "z", "2025-01-01")};
  const auto publisher = [&] {
    return main_publisher(row_pointers(book), market_of_class(PriceClass::index));
  };
  CHECK(publisher() == "P");
  book.back().date = parse_price_date("2026-01-01", "test");
  CHECK(publisher() == "Q");
  CHECK(main_publisher({}, market_of_class(PriceClass::index)).empty());
}

TEST_CASE("provider rule: the preferred row of that provider, verified or not", "[prices]") {
  std::vector<PriceRow> book = {price_row("Big", "x", 11, "2026-04-01", kCloud),
                                price_row("Big", "x", 12, "2025-04-01", kCloud),
                                price_row("Other", "x", 5, "2026-10-01")};
  book[0].verified = false;
  const auto quote = [&](std::string_view chip) {
    return quote_provider(row_pointers(book), market_of_class(), chip, "big");
  };
  CHECK(quote("x").usd == 11);
  CHECK(quote("x").sigma == kListSigma);
  CHECK(has_text(quote("x").warning, "more than 90 days before 2026-11-09"));
  CHECK_FALSE(quote("y").usd);
}
