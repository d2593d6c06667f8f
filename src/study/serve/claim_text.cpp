// SPDX-License-Identifier: Apache-2.0
#include "study/serve/claim_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

#include "quantity/quantity.h"
#include "quantity/suggest.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::study {

namespace {

double claimed_dollars(const std::string& number, const std::string& suffix) {
  constexpr std::pair<char, double> kUnits[] = {{'k', 1e3}, {'m', 1e6}, {'b', 1e9}};
  double value = parse_number(number, NumberKind::number);
  for (const auto& [letter, unit] : kUnits) {
    if (!suffix.empty() && lower_case(suffix[0]) == letter) value *= unit;
  }
  return value;
}

std::optional<ClaimText> read_price(const std::string& text) {
  static const std::regex form(
      R"(^\s*\$?\s*([0-9]*\.?[0-9]+)\s*(?:usd|dollars?)?\s*(?:/|per)\s*(?:mtok(?:en)?s?|m(?:illion)? tokens)\s*$)",
      std::regex::icase);
  std::smatch found;
  if (!std::regex_match(text, found, form)) return std::nullopt;
  return ClaimText{ClaimKind::dollars, parse_number(found[1].str(), NumberKind::number), 0, {}, {}};
}

// "35x over h200", "35x per GPU over h200", "50x per MW", "15x lower cost than h100", "30x faster
// than h100", which is of GPUs and not of prices.
std::optional<ClaimText> read_factor(const std::string& text) {
  static const std::regex form(
      R"(^\s*([0-9]*\.?[0-9]+)\s*(?:x|times)\s*(faster)?\s*(?:inference|serving|generation)?\s*(per mw|per megawatt|per gpu|per accelerator|per chip|throughput|per dollar)?\s*(?:(lower cost|lower|less|cheaper|faster|higher|more)?\s*(?:inference|serving)?\s*(?:over|below|than|vs\.?|against)\s+(\S+))?\s*$)",
      std::regex::icase);
  std::smatch found;
  if (!std::regex_match(text, found, form) || (!found[3].matched && !found[5].matched))
    return std::nullopt;
  const std::string unit = lower_case(found[3].str());
  const bool faster = found[2].matched || lower_case(found[4].str()) == "faster";
  ClaimKind kind = ClaimKind::cheaper;
  if (unit.ends_with("mw") || unit.ends_with("megawatt")) {
    kind = ClaimKind::per_megawatt;
  } else if (unit.ends_with("gpu") || unit.ends_with("accelerator") || unit.ends_with("chip") ||
             unit == "throughput" || (unit.empty() && faster)) {
    kind = ClaimKind::per_gpu;
  }
  return ClaimText{kind, parse_number(found[1].str(), NumberKind::number), 0, found[5].str(), {}};
}

// "5x software gain", "5x on the same chip between two releases", "2x over vllm@2025-01".
std::optional<ClaimText> read_software(const std::string& text) {
  static const std::regex form(R"(^\s*([0-9]*\.?[0-9]+)\s*(?:x|times)\s+(.+)$)", std::regex::icase);
  static const std::regex over(R"((?:over|than|vs\.?|against)\s+(\S+)\s*$)", std::regex::icase);
  std::smatch found, engine;
  if (!std::regex_match(text, found, form)) return std::nullopt;
  ClaimText out{ClaimKind::software, parse_number(found[1].str(), NumberKind::number), 0, {}, {}};
  const std::string rest = lower_case(found[2].str());
  if (std::regex_search(rest, engine, over)) {
    constexpr std::string_view kEngines[] = {"vllm", "sglang", "trtllm", "typical"};
    const std::string release = engine[1].str();
    if (std::ranges::count(kEngines, release.substr(0, release.find('@'))) > 0) {
      out.engine = release;
      return out;
    }
  }
  for (const char* word : {"software", "same chip", "same gpu", "release"}) {
    if (rest.find(word) != std::string::npos) return out;
  }
  return std::nullopt;
}

std::optional<ClaimText> read_revenue(const std::string& text) {
  static const std::regex form(
      R"(^\s*\$\s*([0-9]*\.?[0-9]+)\s*([kmb])?\s*(?:into|to|earns|->)\s*\$\s*([0-9]*\.?[0-9]+)\s*([kmb])?\s*$)",
      std::regex::icase);
  std::smatch found;
  if (!std::regex_match(text, found, form)) return std::nullopt;
  return ClaimText{ClaimKind::revenue,
                   claimed_dollars(found[1], found[2]),
                   claimed_dollars(found[3], found[4]),
                   {},
                   {}};
}

double bounded_number(const std::string& text, NumberKind kind, double lowest, double highest) {
  const double value = parse_number(text, kind);
  if (value >= lowest && value <= highest) return value;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is out of range", text.substr(0, 40)),
              fmt::format("from {} to {}", format_exact(lowest), format_exact(highest)),
              "--claim-reference");
}

int whole_number(const std::string& text) {
  return static_cast<int>(bounded_number(text, NumberKind::integer, 1, 1024));
}

template <Field kField>
void set_field(const std::string& text, ServingQuestion& q) {
  q.scenario.set(field_info(kField), text, "--claim-reference");
}

// A condition: its key, and what it sets.
struct Condition {
  std::string_view key;
  void (*set)(const std::string& text, ServingQuestion& question);
};
constexpr Condition kConditions[] = {
    {"gpus", set_field<Field::hardware_gpus>},
    {"price", set_field<Field::cost_price_per_gpu_hour>},
    {"pricing", set_field<Field::cost_pricing>},
    {"precision", [](const std::string& text, ServingQuestion& q) { q.precision = text; }},
    {"kv-precision", [](const std::string& text, ServingQuestion& q) { q.cache_precision = text; }},
    {"engine", [](const std::string& text, ServingQuestion& q) { q.engine = text; }},
    {"tuning", [](const std::string& text, ServingQuestion& q) { q.tuning = text; }},
    {"tp", [](const std::string& text, ServingQuestion& q) { q.tp = whole_number(text); }},
    {"ep", [](const std::string& text, ServingQuestion& q) { q.ep = whole_number(text); }},
    {"dp", [](const std::string& text, ServingQuestion& q) { q.dp = whole_number(text); }},
    {"draft-tokens",
     [](const std::string& text, ServingQuestion& q) {
       q.load.drafted = bounded_number(text, NumberKind::integer, 0, 16);
     }},
    {"acceptance", [](const std::string& text, ServingQuestion& q) {
       q.load.acceptance = bounded_number(text, NumberKind::fraction, 0, 1);
     }}};

void set_condition(const std::string& word, std::size_t equals, ServingQuestion& question) {
  std::string key = lower_case(word.substr(0, equals));
  std::ranges::replace(key, '_', '-');
  const auto* const found = std::ranges::find(kConditions, key, &Condition::key);
  if (found == std::end(kConditions)) {
    std::string keys;
    for (const Condition& each : kConditions) quantity::append_item(keys, each.key);
    throw Error(ErrorKind::usage, fmt::format("unknown condition \"{}\"", key.substr(0, 40)),
                "one of " + keys, "--claim-reference");
  }
  found->set(word.substr(equals + 1), question);
}

}  // namespace

ClaimText read_claim(std::string_view words) {
  const std::string text(words.substr(0, 200));
  std::optional<ClaimText> claim = read_price(text);
  if (!claim) claim = read_revenue(text);
  if (!claim) claim = read_software(text);
  if (!claim) claim = read_factor(text);
  if (!claim) {
    throw Error(
        ErrorKind::usage, fmt::format("cannot tell what \"{}\" claims", text.substr(0, 60)),
        "write it with its unit: \"0.02 USD/Mtok\", \"15x over h200\", \"4x per GPU over h200\", "
        "\"50x per MW over h200\", \"2x over vllm@2025-01\" or \"$5M into $75M\"",
        "--claim");
  }
  if (claim->value <= 0) {
    throw Error(ErrorKind::usage, "what is claimed has to be above 0", "write it as it was made",
                "--claim");
  }
  return *claim;
}

void set_conditions(std::string_view text, const Catalog& catalog, ServingQuestion& question) {
  std::istringstream words{std::string(text)};
  question.load.drafted = question.load.acceptance = 0;
  question.scenario.clear(Field::cost_price_per_gpu_hour);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      set_condition(word, equals, question);
      continue;
    }
    question.scenario.set_text(Field::hardware_accelerator, catalog.accelerator(word).name);
  }
}

}  // namespace trcost::study
