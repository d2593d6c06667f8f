// SPDX-License-Identifier: Apache-2.0
// A vendor's claim compared with the prediction over all speeds per user, with conditions of the
// claimed chip and of the reference apart.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "catalog/assumed.h"
#include "catalog/models/weight_formats.h"
#include "quantity/layers.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "study/serve/claim_text.h"
#include "study/serve/serving_rows.h"
#include "trcost/error.h"
#include "trcost/serving.h"

namespace trcost::study {

namespace {

constexpr double kSoldShares[] = {1.0, 0.58,
                                  0.3};  // 0.58: DeepSeek's day (open-infra-index, day 6)
// Near its fastest speed a replica serves a user or two, and any factor over it can be had.
constexpr double kFewestUsers = 4;
constexpr double kRackYears = 4, kRackGpus = 72;

// Speed per user with what each GPU gives at it.
struct Metric {
  double speed = 0, value = 0;
};

Verdict judge_rate(const Quantiles& predicted, double needed) {
  if (predicted.p50 >= needed) return Verdict::plausible;
  return predicted.p90 >= needed ? Verdict::undecided : Verdict::not_plausible;
}

std::string chips(const ServingRow& row) {
  return row.layout.gpus > 1 ? fmt::format("{} x {}", row.layout.gpus, row.title) : row.title;
}

// Speeds of a row, or its operating point if the load sets one.
std::vector<ServingSpeed> speeds_of(const ServingRow& row) {
  if (!row.speeds.empty()) return row.speeds;
  return {{row.point.user_rate(), row.point.output_per_gpu, row.point.total_per_gpu,
           row.point.sequences}};
}

// A row against the tokens/s per GPU that a claim needs: output tokens, or `all` tokens.
ClaimCase rate_case(const ServingRow& row, double needed, bool all) {
  const auto rate = [&](const ServingSpeed& s) { return all ? s.total_per_gpu : s.output_per_gpu; };
  const std::vector<ServingSpeed> speeds = speeds_of(row);
  ClaimCase c;
  c.accelerator = row.accelerator;
  c.all_tokens = all;
  c.needed = needed;
  c.predicted = rate(speeds.front());
  c.range = row.rate_range(c.predicted);
  c.speed = speeds.front().speed;
  for (const ServingSpeed& s : speeds) {
    if (rate(s) < needed) continue;
    if (!c.holds_from) c.holds_from = s.speed;
    c.holds_to = s.speed;
  }
  c.verdict = judge_rate(c.range, needed);
  c.published = row.published;
  c.published_source = row.published_source;
  c.measured = row.published.has_value();
  return c;
}

void judge_dollars(const ClaimText& claim, const ServingReport& report, ClaimJudgement& out) {
  out.unit = "tokens/s per GPU";
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) continue;
    for (const TokenCost& cost : row.costs) {
      if (!cost.price_per_gpu_hour) continue;
      for (const double sold : kSoldShares) {
        for (const bool all : {false, true}) {
          ClaimCase c = rate_case(
              row, needed_tokens_per_second(*cost.price_of_busy_hour, claim.value, sold), all);
          c.pricing = cost.pricing;
          c.price = cost.price_of_busy_hour;
          c.sold = sold;
          c.imputed = cost.imputed;
          out.cases.push_back(std::move(c));
        }
      }
    }
  }
}

// What a factor of this kind compares, per GPU. Empty if price or power is unknown.
std::vector<Metric> metrics(ClaimKind kind, const ServingRow& row) {
  std::vector<Metric> out;
  std::optional<double> by = 1.0;
  if (kind == ClaimKind::cheaper) by = row.cost.price_per_gpu_hour;
  if (kind == ClaimKind::per_megawatt) {
    const std::optional<double> rate = row.output_per_second_per_megawatt;
    by = rate && *rate > 0 ? std::optional(row.point.output_per_gpu / *rate) : std::nullopt;
  }
  if (!by || *by <= 0) return out;
  for (const ServingSpeed& s : speeds_of(row)) {
    if (!out.empty() && s.requests < kFewestUsers) break;
    out.push_back({s.speed, s.output_per_gpu / *by});
  }
  return out;
}

// Compares the two at equal speeds per user, or at their only operating points.
std::optional<ClaimCase> compare(const ClaimText& claim, const ServingRow& row,
                                 const ServingRow& reference) {
  const std::vector<Metric> above = metrics(claim.kind, row);
  const std::vector<Metric> below = metrics(claim.kind, reference);
  const std::size_t common = std::min(above.size(), below.size());
  if (common == 0) return std::nullopt;
  ClaimCase c;
  c.accelerator = row.accelerator;
  c.reference = reference.accelerator;
  c.needed = claim.value;
  c.predicted = 0;
  for (std::size_t i = 0; i < common; ++i) {
    const double ratio = above[i].value / below[i].value;
    if (i == 0) c.batch = ratio;
    if (ratio > c.predicted) {
      c.predicted = ratio;
      c.speed = above[i].speed;
    }
    if (ratio < claim.value) continue;
    if (!c.holds_from) c.holds_from = above[i].speed;
    c.holds_to = above[i].speed;
  }
  double sigma = in_quadrature(row.sigma, reference.sigma);
  if (claim.kind == ClaimKind::cheaper) {
    sigma = in_quadrature(sigma, in_quadrature(row.price_sigma, reference.price_sigma));
  }
  const double wide = portable_exp(kNormalP90 * sigma);
  c.range = {c.predicted / wide, c.predicted, c.predicted * wide};
  if (claim.kind == ClaimKind::cheaper) {
    c.pricing = row.cost.pricing;
    c.price = row.cost.price_per_gpu_hour;
    c.imputed = row.cost.imputed || reference.cost.imputed;
  }
  c.verdict = judge_rate(c.range, c.needed);
  c.published = row.published;
  c.published_source = row.published_source;
  c.measured = row.published.has_value();
  c.reference_published = reference.published;
  c.reference_published_source = reference.published_source;
  return c;
}

std::string_view unit_of(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::per_megawatt:
      return "times the output tokens/s per megawatt";
    case ClaimKind::per_gpu:
      return "times the output tokens/s per GPU";
    case ClaimKind::software:
      return "times the output tokens/s of the same chip";
    default:
      return "times cheaper per output token";
  }
}

// Speeds per user over which a claim is judged. Empty if the question sets a concurrency.
std::vector<double> claim_speeds(const ServingQuestion& question, const Catalog& catalog) {
  if (question.load.concurrency) return {};
  if (question.tokens_per_second_per_user) return {*question.tokens_per_second_per_user};
  constexpr double kStep = 1.12, kFastest = 1000;
  std::vector<double> out;
  for (double speed = catalog.assumed().served_speed.tokens_per_second; speed < kFastest;
       speed *= kStep) {
    out.push_back(speed);
  }
  return out;
}

// The reference with its own conditions, or with those of the question.
ServingRow reference_row(const ClaimText& claim, std::string_view conditions,
                         std::string_view accelerator, const Catalog& catalog,
                         const ServingReport& report) {
  ServingQuestion question = report.question;
  question.curve = question.explain = false;
  question.speeds = claim_speeds(question, catalog);
  if (claim.kind == ClaimKind::software) {
    question.scenario.set_text(Field::hardware_accelerator, accelerator);
  } else {
    const std::string& over =
        claim.reference.empty() ? catalog.assumed().claim_reference.name : claim.reference;
    question.scenario.set_text(Field::hardware_accelerator, catalog.accelerator(over).name);
    question.scenario.clear(Field::hardware_gpus);
    question.tp = question.ep = question.dp = std::nullopt;
  }
  if (!claim.engine.empty()) question.engine = claim.engine;
  if (!conditions.empty()) set_conditions(conditions, catalog, question);
  return serving_report(question, catalog).rows.front();
}

void judge_factor(const ClaimText& claim, std::string_view conditions, const Catalog& catalog,
                  const ServingReport& report, ClaimJudgement& out) {
  out.unit = unit_of(claim.kind);
  if (claim.kind == ClaimKind::software && claim.engine.empty() && conditions.empty()) {
    throw Error(ErrorKind::usage, "a claim about software compares two releases or engines",
                "set --engine, and --claim-reference engine=vllm@2025-01", "--claim-reference");
  }
  if (claim.reference.empty() && claim.kind != ClaimKind::software && conditions.empty()) {
    const EntryChoice& usual = catalog.assumed().claim_reference;
    out.notes.push_back(fmt::format("over {}: {} ({})", usual.name, usual.why, usual.source));
  }
  std::optional<ServingRow> reference;
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) continue;
    if (!reference || claim.kind == ClaimKind::software) {
      reference = reference_row(claim, conditions, row.accelerator, catalog, report);
      out.notes.push_back(fmt::format(
          "the reference: {}, {} weights, {}{}", chips(*reference),
          weight_format_name(reference->format), reference->engine,
          reference->cost.price_per_gpu_hour
              ? fmt::format(", ${:.2f} per GPU-hour", *reference->cost.price_per_gpu_hour)
              : std::string()));
    }
    const bool itself = row.accelerator == reference->accelerator;
    if (itself && conditions.empty() && claim.kind != ClaimKind::software) continue;
    if (auto c = compare(claim, row, *reference)) out.cases.push_back(*std::move(c));
  }
  if (reference && conditions.empty() && claim.kind != ClaimKind::software) {
    out.notes.push_back(
        fmt::format("both sides run with the same options. --claim-reference sets those of {0} "
                    "alone, such as \"{0} gpus=8 price=1.41\"",
                    reference->accelerator));
  }
}

// Prices at which the model's own tokens are sold.
void judge_revenue(const ClaimText& claim, const ServingReport& report, ClaimJudgement& out) {
  out.unit = "output tokens/s per GPU";
  const TokenPrice& price = report.token_price;
  if (!price.median) {
    throw Error(ErrorKind::usage,
                fmt::format("no price at which tokens of {} are sold is known", report.model),
                "set --token-price USD, per million output tokens", "--token-price");
  }
  const double gpu_seconds = kRackGpus * kRackYears * kHoursPerYear * kSecondsPerHour;
  std::vector<double> prices = {*price.median};
  if (price.lowest && *price.lowest < *price.median) prices.push_back(*price.lowest);
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) continue;
    for (const double usd : prices) {
      for (const double sold : kSoldShares) {
        ClaimCase c = rate_case(row, claim.earned / (usd / 1e6) / gpu_seconds / sold, false);
        c.pricing = "sold per million tokens";
        c.price = usd;
        c.sold = sold;
        out.cases.push_back(std::move(c));
      }
    }
  }
  out.notes.push_back(
      fmt::format("{:.0f} accelerators for {:.0f} years (a default: the claim names no time) at a "
                  "price that stays. The {} pay for neither power nor building",
                  kRackGpus, kRackYears, format_number(claim.value, NumberKind::money)));
  out.notes.push_back(fmt::format("tokens of {}: {}", report.model, price.source));
}

std::string factor_text(double factor) {
  return factor < 10 ? fmt::format("{:.2g}x", factor) : fmt::format("{:.0f}x", factor);
}

std::string factor_sentence(const std::string& claim, const ClaimCase& c) {
  const std::string most =
      fmt::format("up to {} near {:.3g} tokens/s per user (80% likely between {} and {})",
                  factor_text(c.predicted), c.speed.value_or(0), factor_text(c.range.p10),
                  factor_text(c.range.p90));
  constexpr std::string_view kVerdicts[] = {"plausible: ", "undecided: predicted is ",
                                            "not plausible: predicted is "};
  std::string text =
      fmt::format("\"{}\" is {}{}.", claim, kVerdicts[static_cast<std::size_t>(c.verdict)], most);
  if (c.verdict == Verdict::plausible && c.holds_to.value_or(0) > c.holds_from.value_or(0)) {
    text += fmt::format(" It holds from {:.3g} to {:.3g} tokens/s.", *c.holds_from, *c.holds_to);
  }
  if (c.batch && *c.batch < c.predicted) {
    text += fmt::format(" For batch use it is {}.", factor_text(*c.batch));
  }
  return text;
}

std::string_view verdict_adjective(Verdict verdict) {
  return verdict == Verdict::not_plausible ? "not plausible" : verdict_words(verdict);
}

// Conditions with a verdict: how many, and the tokens that all of them count.
std::string conditions_with(const ClaimJudgement& claim, Verdict verdict) {
  std::size_t count = 0, inputs_too = 0;
  for (const ClaimCase& c : claim.cases) {
    if (c.verdict != verdict) continue;
    ++count;
    if (c.all_tokens) ++inputs_too;
  }
  if (count == 0) return {};
  return fmt::format(" It is {} under {} of {} conditions{}.", verdict_adjective(verdict), count,
                     claim.cases.size(),
                     inputs_too == count ? ", all of which count input and output tokens"
                     : inputs_too == 0   ? ", all of which count output tokens alone"
                                         : "");
}

// The claim in dollars against the predicted cost of an output token where all capacity is sold.
std::string dollars_sentence(const ClaimJudgement& claim) {
  const auto usd = [&](const ClaimCase& c) { return claim.claimed * c.needed / c.predicted; };
  const ClaimCase* cheapest = &claim.cases.front();
  for (const ClaimCase& c : claim.cases) {
    const bool same = c.pricing == cheapest->pricing && c.sold == cheapest->sold && !c.all_tokens;
    if (same && usd(c) < usd(*cheapest)) cheapest = &c;
  }
  return fmt::format(
      "\"{}\" is {} on {} ({}, all capacity sold), where trcost predicts about {} per million "
      "output tokens.{}{}",
      claim.claim, verdict_adjective(cheapest->verdict), cheapest->accelerator, cheapest->pricing,
      format_number(usd(*cheapest), NumberKind::money, 2),
      conditions_with(claim, Verdict::plausible), conditions_with(claim, Verdict::undecided));
}

std::string counts_sentence(ClaimKind kind, const ClaimJudgement& claim) {
  const std::size_t all = claim.cases.size(), plausible = claim.plausible();
  const auto undecided = std::ranges::count(claim.cases, Verdict::undecided, &ClaimCase::verdict);
  if (kind == ClaimKind::dollars) return dollars_sentence(claim);
  if (plausible == 0) {
    return undecided > 0
               ? fmt::format(
                     "\"{}\" is undecided under {} of {} conditions and not plausible "
                     "under the others.",
                     claim.claim, undecided, all)
               : fmt::format("\"{}\" is plausible under none of {} conditions.", claim.claim, all);
  }
  if (plausible == all) {
    return fmt::format("\"{}\" is plausible under each of {} conditions.", claim.claim, all);
  }
  return fmt::format(
      "\"{}\" is plausible under {} of {} conditions.{}", claim.claim, plausible, all,
      undecided > 0
          ? fmt::format(" {} more {} undecided.", undecided, undecided == 1 ? "is" : "are")
          : std::string());
}

bool is_factor(ClaimKind kind) {
  return kind != ClaimKind::dollars && kind != ClaimKind::revenue;
}

std::string verdict_sentence(const ClaimText& text, const ClaimJudgement& claim) {
  if (claim.cases.empty()) {
    return fmt::format(
        "\"{}\" cannot be judged: it needs a second chip to compare with, of known price and power",
        claim.claim);
  }
  if (is_factor(text.kind)) {
    return factor_sentence(claim.claim,
                           *std::ranges::max_element(claim.cases, {}, &ClaimCase::predicted));
  }
  return counts_sentence(text.kind, claim);
}

// Words for a predicted output rate well above the best published one. Cases of a factor have none.
std::string excess_words(const ClaimJudgement& claim, const std::string& chip, double published) {
  double predicted = 0;
  for (const ClaimCase& c : claim.cases) {
    const bool output_rate = c.sold && !c.all_tokens && c.accelerator == chip;
    if (output_rate) predicted = std::max(predicted, c.predicted);
  }
  if (predicted < kWellAbovePublished * published) return {};
  return fmt::format(". The prediction is {:.2g} times as much, so no measurement supports it",
                     predicted / published);
}

// The best published rates beside the verdict, and verdicts without any.
void note_published(ClaimJudgement& out) {
  std::vector<std::string> said;
  const auto note = [&](const std::string& chip, const std::optional<double>& rate,
                        const std::string& source) {
    if (chip.empty() || std::ranges::find(said, chip) != said.end()) return;
    said.push_back(chip);
    out.notes.push_back(
        rate ? fmt::format("{}: the best published rate is {} output tokens/s per GPU ({}){}", chip,
                           grouped(*rate, 0), source, excess_words(out, chip, *rate))
             : fmt::format("{}: no rate of this model, format and length of request is published, "
                           "so the prediction is an extrapolation",
                           chip));
  };
  for (const ClaimCase& c : out.cases) {
    note(c.accelerator, c.published, c.published_source);
    note(c.reference, c.reference_published, c.reference_published_source);
  }
}

}  // namespace

}  // namespace trcost::study

namespace trcost {

std::string_view verdict_words(Verdict verdict) {
  constexpr std::string_view kWords[] = {"plausible", "undecided", "not_plausible"};
  return kWords[static_cast<std::size_t>(verdict)];
}

std::size_t ClaimJudgement::plausible() const {
  return static_cast<std::size_t>(
      std::ranges::count(cases, Verdict::plausible, &ClaimCase::verdict));
}

void prepare_claim(ServingQuestion& question, const Catalog& catalog) {
  question.speeds = claim_speeds(question, catalog);
  if (question.tuning.empty()) question.tuning = "showcase";  // as vendors run it
}

ClaimJudgement judge_claim(std::string_view text, std::string_view reference,
                           const Catalog& catalog, const ServingReport& report) {
  const ClaimText claim = read_claim(text);
  if (!reference.empty() && !is_factor(claim.kind)) {
    throw Error(ErrorKind::usage, "conditions of a reference belong to a factor",
                "for example --claim \"35x over h200\"", "--claim-reference");
  }
  ClaimJudgement out;
  out.claim = text;
  out.claimed = claim.kind == ClaimKind::revenue ? claim.earned : claim.value;
  if (claim.kind == ClaimKind::dollars) {
    judge_dollars(claim, report, out);
  } else if (claim.kind == ClaimKind::revenue) {
    judge_revenue(claim, report, out);
  } else {
    judge_factor(claim, reference, catalog, report, out);
  }
  note_published(out);
  if (report.question.tuning == "showcase") {
    out.notes.push_back(
        "the engine is tuned as in published sweeps (--tuning showcase), as vendors run it. "
        "--tuning usual judges what users reach");
  }
  out.verdict = verdict_sentence(claim, out);
  return out;
}

}  // namespace trcost
