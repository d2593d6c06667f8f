// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "catch.h"
#include "estimate/columns/estimate_columns.h"
#include "report/lines.h"
#include "report/page/answer.h"
#include "report/page/estimate_tables.h"
#include "report/page/money_facts.h"
#include "report/page/wording.h"
#include "report/row_text.h"
#include "report/sample_estimate.h"
#include "report/table/text_width.h"
#include "trcost/error.h"
#include "trcost/report.h"

using namespace trcost;

namespace {

// Fields of one CSV record without quoted commas.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

Report report_of(const std::vector<Estimate>& estimates) {
  Report report;
  report.estimates = estimates;
  report.price_data_date = "2026-09-30";
  return report;
}

nlohmann::json at_path(const nlohmann::json& object, std::string_view path) {
  nlohmann::json at = object;
  std::istringstream parts{std::string(path)};
  for (std::string part; std::getline(parts, part, '.');) {
    if (at.is_null()) return at;  // the column does not apply
    at = at.at(part);
  }
  return at;
}

std::string render_as(Format format, const Report& report) {
  return render(report, format, {});
}

}  // namespace

TEST_CASE("the screen states how far off new sources were", "[report]") {
  Report report;
  Estimate e;
  e.performance.quality.emplace();
  e.performance.quality->rows = 40;
  e.performance.quality->median_error = 0.12;
  CHECK(report::accuracy_words(report, e) == "half of runs within 12%");
  report.unseen.emplace();
  report.unseen->median = 0.2;
  report.unseen->tenth_factor = 2.84;
  report.unseen->sources = 26;
  CHECK(report::accuracy_words(report, e) ==
        "half of runs within 12%, one new source in ten off by 2.8x");
  report.unseen->sources = 6;
  CHECK(report::accuracy_words(report, e) ==
        "half of runs within 12%, half of 6 new sources within 20%");
}

TEST_CASE("columns have unique paths and values of their kind", "[report]") {
  std::set<std::string_view> seen;
  for (const EstimateColumn& column : columns()) {
    INFO(column.path);
    CHECK(seen.insert(column.path).second);
    const Estimate nothing;
    const Value value = column.value(nothing);
    const bool text = value.kind == Value::Kind::text;
    CHECK((!value.known() || text == (column.kind == ColumnKind::text)));
    CHECK_FALSE(column.help.empty());
    CHECK(find_column(column.path) == &column);
  }
}

TEST_CASE("columns are found by name", "[report]") {
  CHECK(require_column("gpus").path == std::string_view("gpus"));
  CHECK_THROWS_AS(require_column(""), Error);
  using enum ColumnRole;
  for (const auto role : {platform, system, gpus, precision, params, model_flops, mfu, gpu_hours,
                          wall_clock, energy, carbon, total, price, price_date}) {
    CHECK(std::ranges::count(columns(), role, &EstimateColumn::role) == 1);
  }
  CHECK(std::ranges::count(columns(), price_origin, &EstimateColumn::role) == 7);
  const auto hint = [](std::string_view path) {
    try {
      require_column(path);
    } catch (const Error& error) {
      CHECK(error.kind == ErrorKind::usage);
      return error.hint;
    }
    return std::string("found");
  };
  CHECK(hint("mfu").find("performance.mfu") != std::string::npos);
  CHECK(hint("cost.totl").find("cost.total") != std::string::npos);
  CHECK_FALSE(hint("zzzzzzzzzzz").empty());
}

TEST_CASE("JSON has the structure of the contract and exact figures", "[report]") {
  const std::vector<Estimate> estimates = sample::five();
  Report report = report_of(estimates);
  const Estimator::Failure failure{"trainium2", "no recipe", ""};
  report.failures = {&failure, 1};
  const auto document = nlohmann::ordered_json::parse(render_json(report));
  std::vector<std::string> keys;
  for (const auto& [key, value] : document.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"schema_version", "trcost_version", "price_data_date",
                                         "scenario", "settings", "estimates", "alternatives",
                                         "clusters", "failures"});
  CHECK(document["schema_version"] == "1.2");
  CHECK(document["failures"][0]["accelerator"] == "trainium2");
  REQUIRE(document["estimates"].size() == estimates.size());
  std::vector<std::string> parts;
  for (const auto& [key, value] : document["estimates"][0].items()) parts.push_back(key);
  parts.resize(16);
  CHECK(parts == std::vector<std::string>{"accelerator", "system", "gpus", "precision", "complete",
                                          "model", "tokens", "flops", "layout", "memory",
                                          "performance", "waterfall", "gpu_hours",
                                          "wall_clock_seconds", "energy", "cost"});
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const nlohmann::json object = document["estimates"][i];
    for (const EstimateColumn& column : columns()) {
      INFO(column.path);
      // Versions are in the head of the document and in each row.
      const bool of_head = column.role == ColumnRole::price_date || column.path == "trcost_version";
      if (of_head) continue;
      const nlohmann::json value = at_path(object, column.path);
      if (column.kind == ColumnKind::text) {
        const std::string_view text = column.text(estimates[i]);
        CHECK((text.empty() ? value.is_null() : value == std::string(text)));  // unknown is null
      } else if (column.kind == ColumnKind::boolean) {
        CHECK(value == (*column.number(estimates[i]) != 0));
      } else if (const auto number = column.number(estimates[i])) {
        CHECK(value.get<double>() == *number);
      } else {
        CHECK(value.is_null());
      }
    }
    double sum = 0;
    for (const auto& item : object["cost"]["items"]) sum += item["amount"].get<double>();
    CHECK_THAT(sum, WithinRel(object["cost"]["total"].get<double>(), 1e-12));
  }
  const auto& first = document["estimates"][0];
  const Estimate& e = estimates[0];
  REQUIRE(first["assumptions"].size() == e.assumptions.size());
  const auto& last = first["assumptions"].back();
  CHECK(last["path"] == e.assumptions.back().path);
  CHECK(last["why"] == e.assumptions.back().why);
  CHECK(first["cost"]["items"].size() + first["cost"]["not_included"].size() ==
        e.cost.items.size());
  REQUIRE(first["waterfall"].size() == e.waterfall.size());
  CHECK(first["waterfall"][0]["term"] == e.waterfall[0].term);
  CHECK(first["range"]["contributions"][0]["input"] == e.range.contributions[0].input);
  CHECK(first["pipeline"]["verdict"] == e.pipeline->verdict);
  CHECK(first["derivations"].size() == e.derivations.size());
}

TEST_CASE("an unknown value is null, empty or n/a, not 0", "[report]") {
  std::vector<Estimate> estimates = sample::without_price();
  estimates.resize(1);
  const Report report = report_of(estimates);
  const auto object = nlohmann::json::parse(render_json(report))["estimates"][0];
  CHECK(object["complete"] == false);
  for (const auto* path : {"cost.total", "cost.per_million_tokens", "cost.price_per_gpu_hour",
                           "range.total_usd.p50"}) {
    INFO(path);
    CHECK(at_path(object, path).is_null());
  }
  const auto csv = lines_of(render_as(Format::csv, report));
  REQUIRE(csv.size() == 2);
  const auto names = cells_of(csv[0]);
  const auto cells = cells_of(csv[1]);
  REQUIRE(names.size() == cells.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "cost.total") CHECK(cells[i].empty());
    if (names[i] == "gpu_hours") CHECK(std::stod(cells[i]) == estimates[0].gpu_hours);
    if (names[i] == "complete") CHECK(cells[i] == "false");
  }
  const auto row = nlohmann::json::parse(render_as(Format::jsonl, report));
  CHECK(row["cost.total"].is_null());
  CHECK(row["gpu_hours"] == estimates[0].gpu_hours);
  const std::string text = render(report, Format::table, {});
  CHECK(text.find("The price is not known") != std::string::npos);
  CHECK(text.find("$0.00") == std::string::npos);
  CHECK(render_as(Format::md, report).find("n/a") != std::string::npos);

  const auto no_watts = sample::answers(sample::question_on("tpu-v6e"));
  const auto drawn = nlohmann::json::parse(render_json(report_of(no_watts)))["estimates"][0];
  CHECK(at_path(drawn, "energy.kwh").is_null());
  CHECK(at_path(drawn, "energy.co2_kg").is_null());
  // Energy has no item either, since its amount is unknown.
  for (const auto& item : drawn["cost"]["not_included"]) CHECK(item["part"] != "energy");
}

TEST_CASE("without prices no platform is the cheapest, and warnings name the missing price",
          "[report]") {
  const std::vector<Estimate> estimates = sample::without_price();
  Report report = report_of(estimates);
  const std::string answer = answer_sentence(report);
  CHECK(answer.find("Gaudi 3: 128 GPUs for ") != std::string::npos);  // the fewest GPU-hours
  CHECK(render(report, Format::table, {}).find("cheapest") == std::string::npos);
  report.detail = Detail::full;
  const std::string table = render(report, Format::table, {});
  CHECK(table.find("cheapest") == std::string::npos);
  CHECK(table.find("US dollars. Not known: compute") != std::string::npos);
}

TEST_CASE("a warning names the flag that completes the total", "[report]") {
  const auto last_warning = [](Scenario scenario) {
    const std::vector<Estimate> estimates = sample::answers(scenario);
    Report report = report_of(estimates);
    report.scenario = &scenario;
    return warning_lines(report).back();
  };
  Scenario rented = sample::question_on("h20,gaudi3");
  rented.set_text(Field::cost_provider, "AWS");
  rented.set_text(Field::cost_pricing, "reserved-1y");
  CHECK(last_warning(rented) ==
        "h20, gaudi3: no total, because no reserved-1y price of AWS is known: set "
        "--price, another --provider or --pricing, or --pricing own");
  Scenario owned = sample::question_on("a800");
  owned.set_text(Field::cost_pricing, "own");
  CHECK(last_warning(owned).ends_with("set --purchase-price"));
  owned = sample::question_on("tpu-v6e");
  owned.set_text(Field::cost_pricing, "own");
  owned.set_number(Field::cost_purchase_price, 20000);
  CHECK(last_warning(owned).ends_with("its power is not known: set --watts-per-gpu"));
}

TEST_CASE("owning is compared with a named rent in every document", "[report]") {
  std::vector<Estimate> estimates = {sample::one()};
  CostResult& cost = estimates[0].cost;
  CHECK(break_even_words(cost).empty());
  cost.rent_per_gpu_hour = 2.82;
  cost.rent_source = "median of five";
  cost.break_even_utilization = 0.664;
  CHECK(break_even_words(cost) ==
        "At its value now, an owned cluster costs less than renting at $2.82 per GPU-hour if it is "
        "in use more than 66.4% of the time (rent: median of five).");
  for (const Format format : {Format::md, Format::html}) {
    const std::string text = render(report_of(estimates), format, {});
    CHECK(text.find("renting at") != std::string::npos);
  }
  cost.break_even_utilization = 1.05;
  CHECK(break_even_words(cost).find(
            "is cheaper however busy an owned cluster is: owning would break even at 105%") !=
        std::string::npos);
  cost.break_even_utilization.reset();
  CHECK(break_even_words(cost).find("the energy of an owned cluster alone") != std::string::npos);
}

TEST_CASE("a figure that is not finite is an error", "[report]") {
  std::vector<Estimate> estimates = {sample::one()};
  estimates[0].performance.mfu = std::numeric_limits<double>::quiet_NaN();
  const Report report = report_of(estimates);
  CHECK_THROWS_AS(render_json(report), Error);
  CHECK_THROWS_AS(render_as(Format::jsonl, report), Error);
  CHECK_THROWS_AS(render_as(Format::csv, report), Error);
}

TEST_CASE("CSV and JSON Lines agree with the columns", "[report]") {
  const std::vector<Estimate> estimates = sample::five();
  const Report report = report_of(estimates);
  const auto csv = lines_of(render_as(Format::csv, report));
  const auto jsonl = lines_of(render_as(Format::jsonl, report));
  REQUIRE(csv.size() == estimates.size() + 1);
  REQUIRE(jsonl.size() == estimates.size());
  CHECK(cells_of(csv[0]).size() == columns().size() + 3);  // verdict, runner-up, schema
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    CHECK(cells_of(csv[i + 1]).size() == columns().size() + 3);  // verdict, runner-up, schema
    const auto row = nlohmann::json::parse(jsonl[i]);
    CHECK(row.size() == columns().size() + 3);  // verdict, runner-up, schema
    CHECK(row["performance.mfu"] == estimates[i].performance.mfu);
  }
  const std::vector chosen = {&require_column("accelerator"), &require_column("cost.total"),
                              &require_column("memory.fits")};
  const RowText selected(chosen, Format::csv);
  CHECK(selected.header() == "accelerator,cost.total,memory.fits,error\n");
  CHECK(selected.of(estimates[1]) ==
        "h100-sxm," + format_exact(*estimates[1].cost.total) + ",true,\n");
}

TEST_CASE("text keeps to its width and has no colour unless set", "[report]") {
  std::vector<Estimate> estimates = sample::five();
  estimates[1].assumptions.push_back({"cost.price_per_gpu_hour", "2.25", "USD/GPU-hour",
                                      std::string(300, 'x') + " and a very long reason", "book"});
  estimates[2].model.name = "\u6a21\u578b \x1b[31mred\x1b[0m";
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{5}}) {
    const std::vector<Estimate> some(estimates.begin(),
                                     estimates.begin() + static_cast<std::ptrdiff_t>(count));
    for (const int width : {60, 80, 100}) {
      for (const Detail detail : {Detail::brief, Detail::screen, Detail::full}) {
        for (const bool unicode : {true, false}) {
          Report report = report_of(some);
          report.detail = detail;
          const std::string text = render(report, Format::table, {false, width, unicode});
          CHECK(text.find('\x1b') == std::string::npos);
          for (const std::string& line : lines_of(text)) {
            INFO(line);
            CHECK(display_width(line) <= width);
            CHECK_FALSE(line.ends_with(' '));
          }
        }
      }
    }
  }
  CHECK(render(report_of(estimates), Format::table, {true, 100, true}).find('\x1b') !=
        std::string::npos);
}

TEST_CASE("plain style is plain ASCII", "[report]") {
  for (const char c : render(report_of(sample::five()), Format::table, {false, 100, false})) {
    CHECK(static_cast<unsigned char>(c) < 0x80);
  }
}

TEST_CASE("text names the cheapest platform at quoted prices and the source of every price",
          "[report]") {
  const std::vector<Estimate> estimates = sample::five();
  Report report = report_of(estimates);
  report.detail = Detail::full;
  const std::string text = render(report, Format::table, {false, 100, true});
  const auto cheaper = [](const Estimate& a, const Estimate& b) {
    return std::pair(price_evidence(a.cost), *a.cost.total) <
           std::pair(price_evidence(b.cost), *b.cost.total);
  };
  const auto cheapest =
      static_cast<std::size_t>(std::ranges::min_element(estimates, cheaper) - estimates.begin());
  REQUIRE(cheapest_index(estimates) == cheapest);
  CHECK(text.find(estimates[cheapest].accelerator + " in detail") != std::string::npos);
  for (const Estimate& e : estimates) {
    CHECK(text.find(e.accelerator) != std::string::npos);
    CHECK(text.find(e.cost.items[0].source.substr(0, 30)) != std::string::npos);
  }
  for (const auto* words : {"data.seq_length = 4,096", "compared", "matrix kernels",
                            "What moves the total most: ", "2026-09-30"}) {
    INFO(words);
    CHECK(text.find(words) != std::string::npos);
  }
  // Estimates that do not fit or have no price are not the cheapest.
  std::vector<Estimate> others = estimates;
  others[cheapest].memory.fits = false;
  const auto next = cheapest_index(others);
  CHECK(next != cheapest);
  others[next].cost.total.reset();
  const auto third = cheapest_index(others);
  CHECK(third != cheapest);
  CHECK(third != next);
}

TEST_CASE("the shown rows of the bill add up to the shown total", "[report]") {
  const auto dollars = [](std::string shown) {
    std::erase_if(shown, [](char c) { return c == '$' || c == ',' || c == '.'; });
    return std::stoll(shown);
  };
  for (const double scale : {0.37, 12.3456, 999.999, 54321.987, 4.4e6}) {
    CostResult cost;
    double total = 0;
    for (int i = 1; i <= 7; ++i) {
      const double amount = scale * i / 3.0;
      cost.items.push_back({Part::compute, "", 1, Unit::gb, amount, amount, true, "", ""});
      total += amount;
    }
    cost.total = total;
    const std::vector<std::string> shown = shown_amounts(cost);
    long long sum = 0;
    for (const std::string& amount : shown) sum += dollars(amount);
    Estimate e;
    e.cost = cost;
    const Table table = items_table(e);
    CHECK(sum == dollars(table.rows()[7][3].text()));
  }
}

TEST_CASE("words for numbers", "[report]") {
  CHECK(grouped(1234567.891, 1) == "1,234,567.9");
  CHECK(grouped(999, 0) == "999");
  CHECK(grouped(-1000, 0) == "-1,000");
  CHECK(unit_money(2) == "$2.00");
  CHECK(unit_money(2.8200000000000003) == "$2.82");
  CHECK(unit_money(1.475) == "$1.48");  // people read cents
  CHECK(exact_unit_money(1.475) == "$1.475");
  CHECK(unit_money(0.135) == "$0.135");
  CHECK(unit_money(2.7982) == "$2.80");
  CHECK(unit_money(0.0826) == "$0.0826");
  CHECK(unit_money(1234.6) == "$1,235");
  CHECK(short_money(9826.54) == "$9.83k");
  CHECK(short_money(999999) == "$1.00M");
  CHECK(short_money(2.09e6) == "$2.09M");
  CHECK(short_money(12.345) == "$12.35");
  CHECK(short_money(0.09478) == "$0.0948");
  CHECK(short_money(0) == "$0");
  CHECK(short_money(3e13) == "$30.0T");
  CHECK(grouped(1.5e300, 2) == "1.50e+300");
  CHECK(assumption_words({"a.b", "mlp", "", "mlp (LLaVA-1.5)", ""}) == "a.b = mlp: LLaVA-1.5");
  CHECK(assumption_words({"a.b", "8", "GPUs", "rule (x) of (y)", ""}) ==
        "a.b = 8 GPUs: rule (x) of (y)");
  CHECK(energy_words(std::nullopt) == "n/a");
  CHECK(energy_words(42000) == "42.0 MWh");
  CHECK(flop_words(1.3e22) == "1.30e22 FLOP");
  CHECK(term_words("tensor_parallel") == "tensor-parallel exchange");
  CHECK(term_words("something_new") == "something new");
  CHECK(assumed_value_words({"data.tokens", "1285684065414", "", "", ""}) == "1.286T");
  CHECK(assumed_value_words({"model.vocab", "128256", "", "", ""}) == "128,256");
  CHECK(assumed_value_words({"train.recipe", "full", "", "", ""}) == "full");
}

TEST_CASE("the explanation of later platforms has only what differs", "[report]") {
  std::vector<Estimate> estimates = {sample::five()[1], sample::five()[2]};
  const Derivation shared = {"tokens", "given", "2e12", "2e12", ""};
  estimates[0].derivations = {shared, {"price", "given", "", "$2", ""}};
  estimates[1].derivations = {shared, {"price", "given", "", "$4", ""}};
  const std::string text = render_explain(report_of(estimates), {});
  CHECK(text.find("1. tokens") == text.rfind("1. tokens"));
  CHECK(text.find("$2") != std::string::npos);
  CHECK(text.find("$4") != std::string::npos);
}

TEST_CASE("shares of the waterfall multiply to the share that is left", "[report]") {
  const Estimate e = sample::one();
  double left = 1;
  std::size_t shown = 0;
  for (const WaterfallTerm& term : e.waterfall) {
    left *= term.share;
    shown += term.share < 1 ? 1 : 0;
  }
  CHECK(waterfall_steps(e).size() <= shown);  // terms without a loss are not shown
  CHECK_THAT(waterfall_steps(e).back().left, WithinRel(left, 1e-12));
}

TEST_CASE("the explanation shows formulas, assumptions and prices with sources", "[report]") {
  std::vector<Estimate> estimates = {sample::one()};
  estimates[0].derivations = {
      {"GPU-hours", "F / (peak x MFU)", "1.3e22 / 4.3e14", "8.4e6 h", "definition"}};
  const std::string text = render_explain(report_of(estimates), {false, 80, true});
  for (const auto* words : {"F / (peak x MFU)", "1.3e22 / 4.3e14", "8.4e6 h", "definition",
                            "Llama 3 tokenizer, arXiv:2407.21783", "per GPU-hour"}) {
    INFO(words);
    CHECK(text.find(words) != std::string::npos);
  }
  for (const std::string& line : lines_of(text)) CHECK(display_width(line) <= 80);
}

TEST_CASE("HTML has no external resources and closes its elements", "[report]") {
  std::vector<Estimate> estimates = sample::five();
  estimates[0].warnings = {"<script>alert('x')</script> & more"};
  const std::string html = render_as(Format::html, report_of(estimates));
  CHECK(html.starts_with("<!DOCTYPE html>"));
  CHECK(html.find("<script>alert") == std::string::npos);
  CHECK(html.find("src=") == std::string::npos);
  for (std::size_t at = html.find("href="); at != std::string::npos;
       at = html.find("href=", at + 1))
    CHECK(html[at + 6] == '#');  // a mark of a chart
  CHECK(html.find("url(") == std::string::npos);
  const auto count = [&](std::string_view what) {
    std::size_t times = 0;
    for (std::size_t at = html.find(what); at != std::string::npos; at = html.find(what, at + 1)) {
      ++times;
    }
    return times;
  };
  for (const std::string tag : {"table", "tr", "td", "svg", "h2", "ul", "li", "body", "html"}) {
    INFO(tag);
    CHECK(count("</" + tag + ">") > 0);
    CHECK(count("<" + tag + ">") + count("<" + tag + " ") == count("</" + tag + ">"));
  }
}

TEST_CASE("rows of a Markdown table have equally many cells", "[report]") {
  std::size_t bars = 0;
  for (const std::string& line : lines_of(render_as(Format::md, report_of(sample::five())))) {
    if (!line.starts_with('|')) {
      bars = 0;
      continue;
    }
    const auto cells = static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
    if (bars > 0) CHECK(cells == bars);
    bars = cells;
  }
}

TEST_CASE("a workbook is a zip archive with reproducible bytes", "[report]") {
  const std::vector<Estimate> estimates = sample::five();
  std::string first;
  try {
    first = render_as(Format::xlsx, report_of(estimates));
  } catch (const Error& error) {
    CHECK(error.message.find("workbook") != std::string::npos);
    return;  // built, or run, without libxlsxwriter
  }
  CHECK(first.starts_with("PK"));
  CHECK(first == render_as(Format::xlsx, report_of(estimates)));
}

TEST_CASE("an empty report says so in every format", "[report]") {
  const std::vector<Estimate> none;
  Report report = report_of(none);
  const Estimator::Failure failure{"v100-sxm-32gb", "bf16 is not supported", "use fp16"};
  report.failures = {&failure, 1};
  CHECK(nlohmann::json::parse(render_json(report))["estimates"].empty());
  CHECK(render(report, Format::table, {}).find("bf16 is not supported") != std::string::npos);
  CHECK(render_as(Format::md, report).find("bf16 is not supported") != std::string::npos);
  CHECK(render_as(Format::html, report).find("bf16 is not supported") != std::string::npos);
  const auto lines = lines_of(render_as(Format::csv, report));
  REQUIRE(lines.size() == 2);  // the columns, and the platform with its error
  CHECK(lines[1].starts_with("v100-sxm-32gb,"));
  CHECK(lines[1].find("bf16 is not supported") != std::string::npos);
}

TEST_CASE("a round number has no further digits") {
  CHECK(brief_words(50000, NumberKind::money) == "$50k");
  CHECK(brief_words(121.75 * 86400, NumberKind::duration) == "121.75 d");
  CHECK(brief_words(30 * 86400, NumberKind::duration) == "30 d");
  CHECK(brief_words(1e21, NumberKind::count) == "1e+21");
  CHECK(brief_words(49999.9999999999, NumberKind::money) == "$50k");
  CHECK(brief_words(2588884.4709092914, NumberKind::duration, 6) == "29.9639 d");
}

TEST_CASE("a column has as many digits as distinguish its values") {
  const auto shown = [](std::vector<std::optional<double>> values, NumberKind kind) {
    std::vector<std::string> out;
    for (const Cell& cell : distinct_cells(values, kind)) out.push_back(cell.text());
    return out;
  };
  using Texts = std::vector<std::string>;
  CHECK(shown({1.2e9, 3.4e9}, NumberKind::count) == Texts{"1.20B", "3.40B"});
  CHECK(shown({1.23441e9, 1.23442e9}, NumberKind::count) == Texts{"1.23441B", "1.23442B"});
  // Noise and unknown values need no further digits.
  CHECK(shown({50000.0, 49999.9999999999}, NumberKind::money) == Texts{"$50.0k", "$50.0k"});
  CHECK(shown({std::nullopt, 2e6}, NumberKind::money) == Texts{"n/a", "$2.00M"});
}
