// SPDX-License-Identifier: Apache-2.0
// A vendor's claim compared with the prediction: the rate it needs, and the conditions under which
// it is reached.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>

#include "catalog/assumed.h"
#include "quantity/layers.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "quantity/suggest.h"
#include "trcost/error.h"
#include "trcost/serving.h"

namespace trcost::study {

namespace {

enum class ClaimKind : std::uint8_t { dollars, cheaper, per_megawatt, revenue };

struct Claim {
  ClaimKind kind = ClaimKind::dollars;
  double value = 0;       ///< dollars per million tokens, factor, or dollars spent
  double earned = 0;      ///< dollars of revenue
  std::string reference;  ///< chip that the factor is over, or empty
};

constexpr double kRatioSigma = 0.15;  // ratios are better known than levels (data/phases.md, A.10)
constexpr double kSoldShares[] = {1.0, 0.58,
                                  0.3};  // 0.58: DeepSeek's day (open-infra-index, day 6)
// USD per million tokens sold: DeepSeek-R1's output at its release, and gpt-oss-120b
// (data/phases.md, claims).
constexpr double kSellingPrices[] = {2.19, 0.15};
constexpr double kRackYears = 4, kRackGpus = 72;

double claimed_dollars(const std::string& number, const std::string& suffix) {
  constexpr std::pair<char, double> kUnits[] = {{'k', 1e3}, {'m', 1e6}, {'b', 1e9}};
  double value = parse_number(number, NumberKind::number);
  for (const auto& [letter, unit] : kUnits) {
    if (!suffix.empty() && lower_case(suffix[0]) == letter) value *= unit;
  }
  return value;
}

std::optional<Claim> read_price(const std::string& text) {
  static const std::regex form(
      R"(^\s*\$?\s*([0-9]*\.?[0-9]+)\s*(?:usd|dollars?)?\s*(?:/|per)\s*(?:mtok(?:en)?s?|m(?:illion)? tokens)\s*$)",
      std::regex::icase);
  std::smatch found;
  if (!std::regex_match(text, found, form)) return std::nullopt;
  return Claim{ClaimKind::dollars, parse_number(found[1].str(), NumberKind::number), 0, {}};
}

std::optional<Claim> read_factor(const std::string& text) {
  static const std::regex form(
      R"(^\s*([0-9]*\.?[0-9]+)\s*(?:x|times)\s*(per mw|per megawatt)?\s*(?:(?:lower cost|lower|less|cheaper)?\s*(?:over|below|than|vs\.?|against)\s+(\S+))?\s*$)",
      std::regex::icase);
  std::smatch found;
  if (!std::regex_match(text, found, form) || (!found[2].matched && !found[3].matched))
    return std::nullopt;
  return Claim{found[2].matched ? ClaimKind::per_megawatt : ClaimKind::cheaper,
               parse_number(found[1].str(), NumberKind::number), 0,
               found[3].matched ? found[3].str() : std::string()};
}

std::optional<Claim> read_revenue(const std::string& text) {
  static const std::regex form(
      R"(^\s*\$\s*([0-9]*\.?[0-9]+)\s*([kmb])?\s*(?:into|to|earns|->)\s*\$\s*([0-9]*\.?[0-9]+)\s*([kmb])?\s*$)",
      std::regex::icase);
  std::smatch found;
  if (!std::regex_match(text, found, form)) return std::nullopt;
  return Claim{ClaimKind::revenue,
               claimed_dollars(found[1], found[2]),
               claimed_dollars(found[3], found[4]),
               {}};
}

Claim read_claim(std::string_view words) {
  const std::string text(words.substr(0, 200));
  std::optional<Claim> claim = read_price(text);
  if (!claim) claim = read_revenue(text);
  if (!claim) claim = read_factor(text);
  if (!claim) {
    throw Error(
        ErrorKind::usage, fmt::format("cannot tell what \"{}\" claims", text.substr(0, 60)),
        "write it with its unit: \"0.02 USD/Mtok\", \"15x over h200\", \"50x per MW over h200\" or "
        "\"$5M into $75M\"",
        "--claim");
  }
  if (claim->value <= 0) {
    throw Error(ErrorKind::usage, "what is claimed has to be above 0", "write it as it was made",
                "--claim");
  }
  return *claim;
}

Verdict judge_rate(double predicted, double needed, double sigma) {
  const double wide = portable_exp(kNormalP90 * sigma);
  if (predicted >= needed * wide) return Verdict::holds;
  if (predicted >= needed) return Verdict::holds_within_range;
  return predicted * wide >= needed ? Verdict::possible : Verdict::fails;
}

void judge_dollars(const Claim& claim, const ServingReport& report, ClaimJudgement& out) {
  out.unit = "tokens/s per GPU";
  for (const ServingRow& row : report.rows) {
    for (const TokenCost& cost : row.costs) {
      if (!cost.price_per_gpu_hour) continue;
      for (const double sold : kSoldShares) {
        const double needed = needed_tokens_per_second(*cost.price_of_busy_hour, claim.value, sold);
        for (const bool all : {false, true}) {
          const double predicted = all ? row.point.total_per_gpu : row.point.output_per_gpu;
          out.cases.push_back({.accelerator = row.accelerator,
                               .pricing = cost.pricing,
                               .price = cost.price_of_busy_hour,
                               .sold = sold,
                               .all_tokens = all,
                               .needed = needed,
                               .predicted = predicted,
                               .verdict = judge_rate(predicted, needed, row.sigma),
                               .imputed = cost.imputed});
        }
      }
    }
    if (row.published) {
      out.notes.push_back(
          fmt::format("{}: the best published rate is {} output tokens/s per GPU ({})",
                      row.accelerator, grouped(*row.published, 0), row.published_source));
    }
  }
}

ServingRow reference_row(const Claim& claim, const Catalog& catalog, const ServingReport& report) {
  const std::string& over =
      claim.reference.empty() ? catalog.assumed().claim_reference.name : claim.reference;
  const std::string name = catalog.accelerator(over).name;
  const auto found = std::ranges::find(report.rows, name, &ServingRow::accelerator);
  if (found != report.rows.end() && found->problem.empty()) return *found;
  ServingQuestion question = report.question;
  question.scenario.set_text(Field::hardware_accelerator, name);
  question.scenario.clear(Field::hardware_gpus);
  question.tp = question.ep = question.dp = std::nullopt;
  question.curve = false;
  return serving_report(question, catalog).rows.front();
}

void judge_factor(const Claim& claim, const Catalog& catalog, const ServingReport& report,
                  ClaimJudgement& out) {
  const ServingRow reference = reference_row(claim, catalog, report);
  if (claim.reference.empty()) {
    const EntryChoice& usual = catalog.assumed().claim_reference;
    out.notes.push_back(fmt::format("over {}: {} ({})", usual.name, usual.why, usual.source));
  }
  const bool power = claim.kind == ClaimKind::per_megawatt;
  out.unit =
      power ? "times the output tokens/s per megawatt" : "times fewer dollars per output token";
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty() || row.accelerator == reference.accelerator) continue;
    const auto above = power ? row.output_per_second_per_megawatt : reference.cost.output;
    const auto below = power ? reference.output_per_second_per_megawatt : row.cost.output;
    if (!above || !below) continue;
    const double ratio = *above / *below;
    out.cases.push_back({.accelerator = row.accelerator,
                         .reference = reference.accelerator,
                         .pricing = power ? std::string() : row.cost.pricing,
                         .price = power ? std::nullopt : row.cost.price_per_gpu_hour,
                         .needed = claim.value,
                         .predicted = ratio,
                         .verdict = judge_rate(ratio, claim.value, kRatioSigma),
                         .imputed = !power && row.cost.imputed});
  }
  out.notes.push_back(
      fmt::format("a factor belongs to one operating point: near the fastest speed that {} reaches "
                  "per user it grows "
                  "without bound; --tokens-per-second-per-user sets the point",
                  reference.accelerator));
}

void judge_revenue(const Claim& claim, const ServingReport& report, ClaimJudgement& out) {
  out.unit = "output tokens/s per GPU";
  const double gpu_seconds = kRackGpus * kRackYears * kHoursPerYear * kSecondsPerHour;
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) continue;
    for (const double price : kSellingPrices) {
      for (const double sold : {1.0, 0.6}) {
        const double needed = claim.earned / (price / 1e6) / gpu_seconds / sold;
        out.cases.push_back({.accelerator = row.accelerator,
                             .pricing = "sold per million tokens",
                             .price = price,
                             .sold = sold,
                             .needed = needed,
                             .predicted = row.point.output_per_gpu,
                             .verdict = judge_rate(row.point.output_per_gpu, needed, row.sigma)});
      }
    }
  }
  out.notes.push_back(
      fmt::format("{:.0f} accelerators for {:.0f} years at a price that stays; the {} pay for "
                  "neither power nor "
                  "building, and token prices have fallen every year",
                  kRackGpus, kRackYears, format_number(claim.value, NumberKind::money)));
}

}  // namespace

}  // namespace trcost::study

namespace trcost {

std::string_view verdict_words(Verdict verdict) {
  constexpr std::string_view kWords[] = {"holds", "holds, within the range",
                                         "possible, within the range", "does not hold"};
  return kWords[static_cast<std::size_t>(verdict)];
}

std::size_t ClaimJudgement::holding() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases, [](const ClaimCase& c) {
    return c.verdict == Verdict::holds || c.verdict == Verdict::holds_within_range;
  }));
}

}  // namespace trcost

namespace trcost::study {

namespace {

std::string verdict_sentence(const ClaimJudgement& claim) {
  const std::size_t all = claim.cases.size();
  const std::size_t holding = claim.holding();
  if (all == 0)
    return fmt::format(
        "\"{}\" cannot be judged: it needs a second chip to compare with, of known price and power",
        claim.claim);
  if (all == 1) {
    return fmt::format("\"{}\" {}", claim.claim, verdict_words(claim.cases.front().verdict));
  }
  if (holding == 0)
    return fmt::format("\"{}\" holds under none of {} conditions", claim.claim, all);
  if (holding == all)
    return fmt::format("\"{}\" holds under each of {} conditions", claim.claim, all);
  return fmt::format("\"{}\" holds under {} of {} conditions", claim.claim, holding, all);
}

}  // namespace

}  // namespace trcost::study

namespace trcost {

ClaimJudgement judge_claim(std::string_view text, const Catalog& catalog,
                           const ServingReport& report) {
  const Claim claim = read_claim(text);
  ClaimJudgement out;
  out.claim = text;
  switch (claim.kind) {
    case ClaimKind::dollars:
      judge_dollars(claim, report, out);
      break;
    case ClaimKind::revenue:
      judge_revenue(claim, report, out);
      break;
    default:
      judge_factor(claim, catalog, report, out);
      break;
  }
  out.verdict = verdict_sentence(out);
  return out;
}

}  // namespace trcost
