// SPDX-License-Identifier: Apache-2.0
#include "trcost/serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalog/assumed.h"
#include "catalog/software/engine.h"
#include "cost/energy.h"
#include "estimate/question/cost/pricing.h"
#include "estimate/question/cost/rates.h"
#include "estimate/question/platform/resolve_platform.h"
#include "estimate/question/work/resolve_model.h"
#include "planner/serving_layout.h"
#include "prices/rows/price_book.h"
#include "quantity/layers.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "study/serve/serving_explain.h"
#include "study/serve/serving_request.h"
#include "study/serve/serving_rows.h"
#include "text/csv.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

constexpr std::optional<Commitment> kPricings[] = {Commitment::on_demand, Commitment::reserved_1y,
                                                   Commitment::reserved_3y, std::nullopt};

struct Service {
  const Catalog& catalog;
  const ServingQuestion& question;
  std::optional<double> least_per_user;
  ServedModel model;
  const Engine& engine;
  ServingSpread spread;
  std::vector<ServingMeasurement> measured;
  const Model& source;
};

// An owned machine's idle hours are in its price, unless the share that is sold accounts for them.
TokenCost token_cost(const Scenario& asked, const Rates& rates, const PriceQuote& rent,
                     const ServingPoint& p, std::optional<double> share) {
  TokenCost c;
  const double sold = share.value_or(1);
  c.pricing = !rates.own && rent.given ? "given" : pricing_word(commitment_of(asked));
  c.price_per_gpu_hour = rates.own ? rates.ownership.total : rent.usd;
  c.price_of_busy_hour = c.price_per_gpu_hour;
  if (rates.own && rates.ownership.total) {
    c.price_of_busy_hour = *rates.ownership.total - rates.ownership.idle.value_or(0);
    if (share) c.price_per_gpu_hour = c.price_of_busy_hour;
  }
  c.source = rates.own ? rates.purchase.source : rent.source;
  c.date = rates.own ? std::string() : rent.date;
  c.imputed = !rates.own && rent.imputed;
  c.sold = sold;
  c.output = dollars_per_million(c.price_per_gpu_hour, p.output_per_gpu, sold);
  c.input = dollars_per_million(c.price_per_gpu_hour, p.total_per_gpu - p.output_per_gpu, sold);
  c.total = dollars_per_million(c.price_per_gpu_hour, p.total_per_gpu, sold);
  return c;
}

// Adds the other kinds of pricing for which the price book has a price.
void add_costs(const Service& all, const Platform& platform, ServingRow& row) {
  const Scenario& asked = all.question.scenario;
  row.costs = {row.cost};
  if (price_set(asked, *platform.accelerator)) return;
  for (const std::optional<Commitment> pricing : kPricings) {
    if (pricing == commitment_of(asked)) continue;
    Scenario other = asked;
    other.set_text(Field::cost_pricing, pricing_word(pricing));
    try {
      Notes quiet(false);
      const auto rates = resolve_rates(other, all.catalog, platform, quiet);
      const auto rent = price_of(other, *platform.accelerator, rates);
      TokenCost cost = token_cost(other, *rates, *rent, row.point, all.question.sold);
      if (cost.price_per_gpu_hour) row.costs.push_back(std::move(cost));
    } catch (const Error&) {
    }
  }
}

void add_money(const Service& all, const Platform& platform, ServingRow& row, Notes& notes) {
  const Scenario& asked = all.question.scenario;
  const auto rates = resolve_rates(asked, all.catalog, platform, notes);
  const auto rent = price_of(asked, *platform.accelerator, rates);
  row.cost = token_cost(asked, *rates, *rent, row.point, all.question.sold);
  const OwnershipInputs& owned = rates->ownership_inputs;
  row.price_sigma = rates->own ? purchase_sigma(owned.age, owned.purchase_given) : rent->sigma;
  if (rates->power.watts) {
    row.output_per_second_per_megawatt = tokens_per_megawatt_second(
        row.point.output_per_gpu, site_megawatts(1, *rates->power.watts, rates->pue));
  }
  add_costs(all, platform, row);
}

void add_curve(const Service& all, const ServingModel& model, ServingRow& row) {
  if (!all.question.curve) return;
  ServingLoad load = all.question.load;
  const auto add = [&](double concurrency) {
    load.concurrency = concurrency;
    const ServingPoint p = model.at(load);
    row.curve.push_back(
        {concurrency, p,
         dollars_per_million(row.cost.price_per_gpu_hour, p.output_per_gpu, row.cost.sold)});
  };
  const double most = std::floor(row.point.most_sequences);
  for (double c = 1; c < most; c *= 2) add(c);
  add(most);
}

// Adds the most that the platform gives at each speed of the question.
void add_speeds(const Service& all, const ServingChip& chip, double cache_bytes,
                ServingSearch search, ServingRow& row) {
  search.load.concurrency = std::nullopt;
  search.least_per_user = std::nullopt;
  for (const double speed : all.question.speeds) {
    search.tokens_per_second_per_user = speed;
    const auto choice =
        choose_serving(all.model, chip, all.engine, row.format, cache_bytes, search);
    if (!choice || !choice->reached) return;
    row.speeds.push_back({speed, choice->point.output_per_gpu, choice->point.total_per_gpu,
                          choice->point.sequences});
  }
}

TokenPrice token_price(const Service& all) {
  if (const auto given = all.question.token_price) {
    return {std::nullopt, given, "--token-price"};
  }
  constexpr const char* kFile = "serving/token_prices.csv";
  const CsvTable table(all.catalog.file(kFile), kFile);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.text(i, "model") != all.source.name) continue;
    return {table.required_number(i, "lowest_usd_per_million_output"),
            table.required_number(i, "median_usd_per_million_output"),
            fmt::format("median and lowest of {} sellers on {} ({})", table.text(i, "sellers"),
                        table.text(i, "date"), table.text(i, "source"))};
  }
  return {};
}

// Adds the fastest measurement of the same model, chip and format with requests about as long.
void add_published(const Service& all, ServingRow& row) {
  const ServingLoad& load = all.question.load;
  const auto near = [](double a, double b) { return a <= 1.25 * b && b <= 1.25 * a; };
  for (const ServingMeasurement& m : all.measured) {
    if (m.accelerator != row.accelerator || m.model != all.source.name || m.format != row.format)
      continue;
    if (!near(m.input_tokens, load.input_tokens) || !near(m.output_tokens, load.output_tokens))
      continue;
    if (row.published && *row.published >= m.output_per_gpu) continue;
    row.published = m.output_per_gpu;
    row.published_source = m.source;
  }
}

ServingSearch serving_search(const Service& all, const System& system) {
  const ServingQuestion& q = all.question;
  ServingSearch search;
  search.load = q.load;
  search.tokens_per_second_per_user = q.tokens_per_second_per_user;
  search.least_per_user = all.least_per_user;
  if (const auto gpus = q.scenario.number(Field::hardware_gpus))
    search.gpus = static_cast<int>(*gpus);
  search.tp = q.tp;
  search.ep = q.ep;
  search.dp = q.dp;
  search.most_gpus = std::max(32, static_cast<int>(system.usable_per_domain));
  return search;
}

ServingRow answer(const Service& all, std::string_view name, Notes& notes) {
  const ServingQuestion& q = all.question;
  Notes quiet(false);
  const Platform platform = resolve_platform(q.scenario, all.catalog, name, quiet);
  const ServingChip chip = all.catalog.serving_chip(*platform.accelerator, *platform.system);
  ServingRow row;
  row.accelerator = platform.accelerator->name;
  row.title = platform.accelerator->title;
  row.system = platform.system->name;
  row.engine = all.engine.name;
  row.format = choose_format(q, all.source, chip);
  row.eight_bit_cache = choose_cache(q, all.engine, row.format);
  const ServingSearch search = serving_search(all, *platform.system);
  check_degrees(search, all.model);
  const double cache_bytes = row.eight_bit_cache ? 1 : 2;
  const auto choice = choose_serving(all.model, chip, all.engine, row.format, cache_bytes, search);
  if (!choice) {
    refuse_to_fit(all.model, row, search,
                  smallest_replica(all.model, chip, all.engine, row.format, cache_bytes, search));
  }
  if (!choice->reached && !all.least_per_user) refuse_load(q, *choice, row, all.engine);
  note_format(q, row, chip, notes);
  row.layout = choice->layout;
  row.queued = !choice->concurrency;
  row.concurrency = choice->concurrency.value_or(choice->point.sequences);
  row.point = choice->point;
  // No published row measures recurrent state, sparse attention or separate prompt processing.
  const bool held =
      chip.measured && all.model.state_bytes == 0 && !all.model.sparse() && !q.load.apart;
  row.measured = held && all.engine.sigma == 0;
  const double model_sigma = !held                   ? all.spread.by_rule
                             : all.model.experts > 0 ? all.spread.mixture
                                                     : all.spread.dense;
  const EngineSpread software = tuning_spread(all.engine, all.question.tuning);
  const double known = in_quadrature(model_sigma, all.engine.sigma);
  row.sigma = in_quadrature(known, software.high);
  row.low_sigma = in_quadrature(known, software.low);
  add_money(all, platform, row, notes);
  add_published(all, row);
  const ServingModel model(all.model, chip, all.engine, row.format, cache_bytes, row.layout);
  add_curve(all, model, row);
  add_speeds(all, chip, cache_bytes, search, row);
  if (q.explain) {
    // The formulas give tuned sweeps. The last step brings them to the release and the tuning.
    Engine tuned = all.engine;
    tuned.speed = 1;
    ServingLoad load = q.load;
    load.concurrency = choice->concurrency;
    ServingRow plain = row;
    plain.point =
        ServingModel(all.model, chip, tuned, row.format, cache_bytes, row.layout).at(load);
    row.derivations = serving_derivations(
        {all.model, chip, all.engine, model, q.load, q.sold.value_or(1), cache_bytes}, plain);
  }
  return row;
}

void assume(ServingReport& report, const ServingQuestion& q, const Engine& engine,
            const Model& model, const SpeedChoice& least) {
  const auto add = [&](std::string path, std::string value, std::string unit, std::string why,
                       std::string source) {
    report.assumptions.push_back(
        {std::move(path), std::move(value), std::move(unit), std::move(why), std::move(source)});
  };
  if (q.precision.empty() && !model.released_format.empty()) {
    add("serve.precision", model.released_format, "", "the weights as they were released",
        model.source);
  } else if (q.precision.empty()) {
    add("serve.precision", "fp8", "", "8-bit weights where the chip computes in them, else bf16",
        "trcost default");
  }
  if (q.cache_precision.empty()) {
    const bool eight_bit =
        std::ranges::find_if(report.rows, &std::string::empty, &ServingRow::problem)
            ->eight_bit_cache;
    add("serve.kv_precision", std::string(word_of(kCacheFormats, eight_bit)), "",
        !eight_bit         ? std::string("usual with such weights")
        : engine.sigma > 0 ? std::string("as TensorRT-LLM does with 8-bit weights")
                           : fmt::format("as {} does with such weights", engine.title),
        "rows of data/serving/measurements.csv");
  }
  if (q.tuning.empty()) {
    add("serve.tuning", "between showcase and usual", "",
        "not known: published sweeps are tuned, and users measure 1.3 times less. --tuning "
        "narrows the range",
        "rows of the SGLang cookbook and of user reports against data/serving/measurements.csv");
  }
  if (engine.name == kUnknownEngine) {
    add("serve.engine", engine.name, "",
        "not known which: mean of TensorRT-LLM, vLLM and SGLang, wider range", engine.source);
  }
  if (!q.load.concurrency && !q.tokens_per_second_per_user) {
    add("serve.concurrency", "as many as memory holds", "",
        "up to 4,096 per copy of attention: the most tokens per second, and the slowest for each "
        "user. --tokens-per-second-per-user asks for a speed",
        "trcost default");
  }
  if (report.least_per_user) {
    add("serve.tokens_per_second_per_user",
        format_number(*report.least_per_user, NumberKind::number), "tokens/s",
        "at least, " + least.why, least.source);
  }
  if (!q.sold) {
    add("serve.load", "1", "", "all capacity is sold. DeepSeek reported 0.58 over a day",
        "data/phases.md, B.7");
  }
}

// Warns of predictions well above every published rate of the same model, chip, format and lengths.
void warn_about_published(ServingReport& report) {
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty() || !row.published) continue;
    const double times = row.point.output_per_gpu / *row.published;
    if (times < kWellAbovePublished) continue;
    report.warnings.push_back(
        fmt::format("{}: {} output tokens/s per GPU are {:.2g} times the best published rate, {} "
                    "({}). No measurement supports so many requests at once: set --concurrency",
                    row.title, grouped(row.point.output_per_gpu, 0), times,
                    grouped(*row.published, 0), row.published_source));
  }
}

// Warns of platforms that are slow for a single user, and of those whose speeds per user differ,
// which makes them different services.
void warn_about_speeds(ServingReport& report) {
  const std::optional<double> least = report.least_per_user;
  double slowest = 0, fastest = 0;
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) continue;
    const double speed = row.point.user_rate();
    slowest = slowest == 0 ? speed : std::min(slowest, speed);
    fastest = std::max(fastest, speed);
    if (!least || speed >= *least) continue;
    report.warnings.push_back(
        fmt::format("{} gives even a single user only {:.3g} tokens/s, and people read {:.3g}. A "
                    "smaller --precision or more --gpus is faster",
                    row.accelerator, speed, *least));
  }
  if (fastest <= 1.5 * slowest) return;
  report.warnings.push_back(
      fmt::format("users get {:.3g} to {:.3g} tokens/s, depending on the platform. "
                  "--tokens-per-second-per-user compares at one speed",
                  slowest, fastest));
}

}  // namespace

}  // namespace trcost::study

namespace trcost {

std::optional<double> dollars_per_million(std::optional<double> usd, double rate, double sold) {
  if (!usd || rate <= 0) return std::nullopt;
  return *usd / 3600 / (rate * sold) * 1e6;
}

double needed_tokens_per_second(double usd_per_gpu_hour, double usd_per_million, double sold) {
  return usd_per_gpu_hour / 3600 / usd_per_million * 1e6 / sold;
}

std::string_view ServingRow::cache_format() const {
  return word_of(kCacheFormats, eight_bit_cache);
}

Quantiles ServingRow::rate_range(double rate) const {
  return {rate / portable_exp(kNormalP90 * low_sigma), rate,
          rate * portable_exp(kNormalP90 * sigma)};
}

std::optional<Quantiles> ServingRow::cost_range() const {
  if (!cost.output) return std::nullopt;
  const auto wide = [&](double rate_sigma) {
    return portable_exp(kNormalP90 * in_quadrature(rate_sigma, price_sigma));
  };
  return Quantiles{*cost.output / wide(sigma), *cost.output, *cost.output * wide(low_sigma)};
}

ServingReport serving_report(const ServingQuestion& question, const Catalog& catalog) {
  Notes notes(true);
  const SpeedChoice& least = catalog.assumed().served_speed;
  ServingReport report;
  if (!question.load.concurrency && !question.tokens_per_second_per_user) {
    report.least_per_user = least.tokens_per_second;
  }
  const Model model = resolve_model(question.scenario, catalog, notes);
  const Engine engine = engine_as_run(catalog.engine(question.engine), question.tuning);
  const Service all{catalog,
                    question,
                    report.least_per_user,
                    served_model(model),
                    engine,
                    catalog.serving_spread(),
                    serving_measurements(catalog),
                    model};
  check_question(question, all.model);
  report.token_price = token_price(all);
  const ParameterCounts counts = count_parameters(model);
  report.model = model.title.empty() ? model.name : model.title;
  report.params_total = counts.total;
  report.params_active = counts.active;
  report.question = question;
  report.scenario = scenario_to_json(question.scenario);
  report.price_data_date = price_date(catalog);
  const std::vector<std::string> names = platforms_of(question.scenario, catalog);
  for (const std::string& name : names) {
    try {
      report.rows.push_back(answer(all, name, notes));
    } catch (const Error& error) {
      if (error.kind != ErrorKind::no_answer || names.size() == 1) throw;
      ServingRow row;
      row.accelerator = catalog.accelerator(name).name;
      row.title = catalog.accelerator(name).title;
      row.engine = all.engine.name;
      row.problem = error.message;
      row.hint = error.hint;
      report.rows.push_back(std::move(row));
    }
  }
  if (std::ranges::all_of(report.rows, [](const ServingRow& r) { return !r.problem.empty(); })) {
    throw Error(ErrorKind::no_answer, report.rows.front().problem, report.rows.front().hint);
  }
  assume(report, question, all.engine, model, least);
  report.warnings = notes.warnings;
  if (question.precision.empty() && !model.unread_quantization.empty()) {
    report.warnings.push_back(fmt::format(
        "the file's quantization ({}) is not known, so its weights count as 8 bits where the chip "
        "computes in them: set --precision",
        model.unread_quantization));
  }
  warn_about_speeds(report);
  warn_about_published(report);
  if (model.vision) {
    report.warnings.emplace_back(
        "images cost what their tokens cost: count them into --input-tokens (`trcost tokens`). The "
        "encoder's own time is left out");
  }
  return report;
}

}  // namespace trcost
