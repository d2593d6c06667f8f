// SPDX-License-Identifier: Apache-2.0
#include "report/page/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <utility>

#include "estimate/columns/estimate_columns.h"
#include "quantity/currency.h"
#include "scenario/fields.h"
#include "workload/method.h"

namespace trcost::report {
namespace {

constexpr double kKilo = 1e3;
constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;

}  // namespace

std::string title_words(std::string_view path, std::string_view heading) {
  const FieldInfo* field = find_field(path);
  const EstimateColumn* figure = find_column(field != nullptr ? answer_path(*field) : path);
  std::string out;
  if (figure != nullptr && figure->beside.line.at > 0) {
    out = figure->beside.line.label.empty() ? figure->heading() : figure->beside.line.label;
  } else {
    out = field != nullptr ? field->flag : heading;
    if (field != nullptr) std::ranges::replace(out, '-', ' ');
  }
  out.erase(0, out.find_first_not_of(' '));
  std::ranges::replace(out, '_', ' ');
  return in_shown_currency(out);
}

std::string short_money(double usd) {
  return short_money(usd, 3);
}

std::string short_money(double usd, int digits) {
  constexpr double kThousand = 1000;
  constexpr double kMillion = 1e6;
  const Currency& currency = shown_currency();
  const double amount = usd * currency.per_usd;
  if (std::abs(amount) >= kThousand && std::abs(amount) < kMillion) {
    const std::string text = format_number(amount / kThousand, NumberKind::number, digits);
    return currency.sign + (text.starts_with("1000") ? "1.00M" : text + "k");
  }
  if (amount != 0 && std::abs(amount) < 1) {
    return currency.sign + format_number(amount, NumberKind::number, digits);
  }
  return format_number(usd, NumberKind::money, digits);
}

namespace {

std::string with_digits(double value, NumberKind kind, int digits) {
  return kind == NumberKind::money ? short_money(value, digits)
                                   : format_number(value, kind, digits);
}

}  // namespace

std::string rough_money(double usd) {
  constexpr double kThousand = 1000;
  const Currency& currency = shown_currency();
  const double amount = usd * currency.per_usd;
  if (std::abs(amount) < 1 || std::abs(amount) >= kThousand) return short_money(usd);
  return currency.sign + format_number(amount, NumberKind::number);
}

std::string brief_money(double usd) {
  constexpr double kOne = 0.995, kCents = 10, kLargest = 9.995e14;
  const Currency& currency = shown_currency();
  const double amount = usd * currency.per_usd;
  if (std::abs(amount) < kOne) return short_money(usd, 2);
  if (std::abs(amount) < kCents || std::abs(amount) >= kLargest) return short_money(usd);
  double scale = 1;
  std::string_view suffix;
  for (const auto& [from, word] : {std::pair{1e3, "k"}, {1e6, "M"}, {1e9, "B"}, {1e12, "T"}}) {
    if (std::abs(amount) < 0.9995 * from) break;
    scale = from;
    suffix = word;
  }
  const double value = amount / scale;
  constexpr double kTwoDigits = 9.95;
  return fmt::format("{}{:.{}f}{}", currency.sign, value, std::abs(value) < kTwoDigits ? 1 : 0,
                     suffix);
}

std::string typed_money(double usd) {
  if (shown_currency().is_dollar()) return brief_money(usd);
  return fmt::format("${} ({})", format_number(usd, NumberKind::count), brief_money(usd));
}

std::string time_words(double seconds) {
  struct Unit {
    double seconds, from;
    std::string_view name;
  };
  constexpr double kDay = 86400;
  constexpr Unit kUnits[] = {{365.25 * kDay, 2 * 365.25, "year"},
                             {kDay, 2, "day"},
                             {3600, 1.0 / 24, "hour"},
                             {60, 1.0 / 1440, "minute"},
                             {1, 0, "second"}};
  for (const Unit& unit : kUnits) {
    if (seconds < unit.from * kDay) continue;
    const double count = seconds / unit.seconds;
    constexpr double kTwoDigits = 9.95;
    constexpr double kLargest = 1e9;
    if (count >= kLargest) return format_number(seconds, NumberKind::duration);
    const std::string number =
        count < kTwoDigits ? format_exact(std::round(count * 10) / 10) : grouped(count, 0);
    return fmt::format("{} {}{}", number, unit.name, number == "1" ? "" : "s");
  }
  return {};
}

std::string chance_words(double chance) {
  constexpr double kSure = 0.99;
  if (chance < 1 - kSure) return "under 1%";
  return chance > kSure ? "over 99%" : fmt::format("{:.0f}%", 100 * chance);
}

std::string mark_imputed(std::string money, bool imputed) {
  return imputed ? "~" + std::move(money) : std::move(money);
}

std::string mark_imputed(std::string money, const CostResult& cost) {
  return mark_imputed(std::move(money), cost.doubts.imputed && !cost.own);
}

bool is_imputed_item(const CostResult& cost, const LineItem& item) {
  return item.part == Part::compute && cost.doubts.imputed && !cost.own;
}

std::string hidden_warning_words(std::size_t hidden, bool some_shown) {
  return fmt::format("{}{} warning{}: --details.", hidden, some_shown ? " more" : "",
                     hidden == 1 ? "" : "s");
}

std::string_view evidence_mark(PriceEvidence evidence) {
  constexpr std::string_view kMarks[] = {"quotes", "one quote", "old quote", "estimated"};
  return kMarks[static_cast<std::size_t>(evidence)];
}

std::string evidence_words(PriceEvidence evidence, std::string_view seller) {
  if (evidence == PriceEvidence::estimated) return "estimated price";
  if (evidence == PriceEvidence::old || seller.empty()) return std::string(evidence_mark(evidence));
  return fmt::format("only quoted by {}", seller);
}

Cell money_cell(std::optional<double> usd, bool imputed) {
  return usd ? Cell::number(*usd, mark_imputed(short_money(*usd), imputed)) : Cell::unknown();
}

Cell money_cell(std::optional<double> usd, const CostResult& cost) {
  return usd ? Cell::number(*usd, mark_imputed(short_money(*usd), cost)) : Cell::unknown();
}

std::string total_words(const Estimate& e) {
  if (!e.cost.total) return "n/a";
  return mark_imputed(short_money(*e.cost.total), e.cost);
}

std::string number_words(std::optional<double> value, NumberKind kind) {
  return value ? format_number(*value, kind) : "n/a";
}

std::string energy_words(std::optional<double> kwh) {
  if (!kwh) return "n/a";
  if (*kwh < kKilo) return format_number(*kwh, NumberKind::number) + " kWh";
  if (*kwh < kMega) return format_number(*kwh / kKilo, NumberKind::number) + " MWh";
  if (*kwh < kGiga) return format_number(*kwh / kMega, NumberKind::number) + " GWh";
  return format_number(*kwh / kGiga, NumberKind::number) + " TWh";
}

std::string mass_words(std::optional<double> kg) {
  if (!kg) return "n/a";
  if (*kg < kKilo) return format_number(*kg, NumberKind::number) + " kg";
  if (*kg < kGiga) return format_number(*kg / kKilo, NumberKind::number) + " t";
  return format_number(*kg / kGiga, NumberKind::number) + " Mt";
}

std::string flop_words(double flop) {
  std::string text = fmt::format("{:.2e}", flop);  // 1.30e+22
  std::erase(text, '+');
  return text + " FLOP";
}

std::string gpu_hour_words(double gpu_hours) {
  constexpr double kAbbreviated = 1e4;
  constexpr double kWhole = 100;
  if (gpu_hours >= kAbbreviated) return format_number(gpu_hours, NumberKind::count);
  if (gpu_hours >= kWhole) return grouped(gpu_hours, 0);
  return format_number(gpu_hours, NumberKind::number);
}

std::string speed_words(double tokens_per_second) {
  constexpr double kAbbreviated = 1e4;
  constexpr double kWhole = 10;
  if (tokens_per_second >= kAbbreviated) {
    return format_number(tokens_per_second, NumberKind::count);
  }
  if (tokens_per_second >= kWhole) return grouped(tokens_per_second, 0);
  return format_number(tokens_per_second, NumberKind::number);
}

std::string mfu_words(std::string mfu, const Estimate& e, bool with_precision) {
  const bool usual = e.precision == Precision::bf16 || e.precision == Precision::fp16;
  if (!e.one_precision || (usual && !with_precision)) return mfu;
  return fmt::format("{} {}", mfu, precision_name(e.precision));
}

std::string model_title(const ModelSummary& model) {
  if (!model.from_size) return model.name;
  return fmt::format("{} parameters{}", format_number(model.params_total, NumberKind::count),
                     model.params_vision > 0 ? ", with vision" : "");
}

std::string model_phrase(const ModelSummary& model, Medium medium) {
  if (!model.from_size) return model_title(model);
  const std::string size = format_number(model.params_total, NumberKind::count, 2);
  const bool two_digits = size.find_first_not_of("0123456789") == 2;  // eleven, but one hundred ten
  const bool vowel =
      size.starts_with("8") || (two_digits && (size.starts_with("11") || size.starts_with("18")));
  const std::string_view kind = model.params_vision <= 0  ? ""
                                : medium == Medium::audio ? " audio-language"
                                                          : " vision-language";
  return fmt::format("{} {}{} model", vowel ? "an" : "a", size, kind);
}

std::string contribution_words(const RangeResult& range) {
  constexpr double kWorthSaying = 0.01;
  std::string out;
  for (const Contribution& contribution : range.contributions) {
    if (contribution.share < kWorthSaying) continue;
    out += fmt::format("{}{} {:.0f}%", out.empty() ? "" : ", ", contribution.input,
                       contribution.share * 100);
  }
  return out;
}

const LineItem* compute_item(const Estimate& estimate) {
  for (const LineItem& item : estimate.cost.items) {
    if (item.included && (item.part == Part::compute || item.part == Part::servers)) return &item;
  }
  return nullptr;
}

std::string source_words(const LineItem& item) {
  if (item.date.empty() || item.source.find("(" + item.date + ")") != std::string::npos) {
    return item.source;
  }
  if (item.source.empty()) return "of " + item.date;
  return item.source + " (" + item.date + ")";
}

std::string assumed_value_words(const Assumption& assumption) {
  constexpr double kLong = 1e7;  // shorter numbers are read at a glance
  const std::string& text = assumption.value;
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || status != std::errc() || end != text.data() + text.size()) return text;
  if (assumption.unit == "bytes/s") return format_number(value, NumberKind::bytes) + "/s";
  if (std::abs(value) >= kLong) return format_number(value, NumberKind::count, 4);
  if (value == std::floor(value)) return grouped(value, 0);
  return fmt::format("{:.7g}", value);
}

std::string phase_words(const PhaseResult& phase) {
  struct Words {
    std::string_view phase, words;
  };
  static constexpr Words kWords[] = {{"forward_policy", "old log-probabilities"},
                                     {"forward_reference", "reference log-probabilities"},
                                     {"forward_teacher", "teacher log-probabilities"},
                                     {"forward_reward", "scores of the reward model"},
                                     {"forward_critic", "values of the critic"}};
  const auto* const found = std::ranges::find(kWords, phase.name, &Words::phase);
  std::string text(found == std::end(kWords) ? std::string_view(phase.name) : found->words);
  std::ranges::replace(text, '_', ' ');
  if (phase.work == Work::wait) text = "waiting, new weights";
  if (!phase.stage.empty()) text = phase.stage + ": " + text;
  if (phase.engine) {
    text += phase.engine->gpus == 1 ? std::string(" on each GPU")
                                    : fmt::format(", {} GPUs per copy", phase.engine->gpus);
  }
  return text;
}

std::string rollout_words(const RolloutSummary& rollout) {
  const auto share = [](double value) { return format_number(value, NumberKind::fraction, 2); };
  std::string text = fmt::format(
      "A round has {} responses and spends {} of its time on generation. The longest response is "
      "{} "
      "times the mean. {} of the generation capacity waits for the longest responses, and {} of "
      "the "
      "generation time runs with less than a quarter of the capacity.",
      grouped(rollout.responses, 0), share(rollout.generation_share),
      format_number(rollout.longest_over_mean, NumberKind::number, 2), share(rollout.idle_share),
      share(rollout.tail_share));
  if (rollout.usd_per_round && rollout.usd_per_million_generated) {
    text += fmt::format(" A round costs {}, a million generated tokens {}.",
                        short_money(*rollout.usd_per_round),
                        short_money(*rollout.usd_per_million_generated));
  }
  return text;
}

std::string term_words(std::string_view term) {
  struct Words {
    std::string_view term;
    std::string_view words;
  };
  static constexpr Words kWords[] = {
      {"kernel", "matrix kernels"},
      {"elementwise", "element-wise work"},
      {"host", "waiting for the CPU"},
      {"recompute", "recomputation"},
      {"vision", "the vision encoder"},
      {"tensor_parallel", "tensor-parallel exchange"},
      {"context_parallel", "context-parallel exchange"},
      {"expert_parallel", "expert-parallel exchange"},
      {"data_parallel", "data-parallel exchange"},
      {"optimizer", "optimizer step"},
      {"offload", "exchange with the host"},
      {"imbalance", "stragglers and imbalance"},
      {"padding", "padding"},
      {"data_wait", "waiting for data"},
      {"given_mfu", "the MFU that was set"},
      {"measured_pace", "the measured speed"},
      {"counted_flops", "counting of FLOPs"},
      {"goodput", "failures and restarts"},
  };
  for (const Words& entry : kWords) {
    if (entry.term == term) return std::string(entry.words);
  }
  std::string out(term);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

std::string assumption_words(const Assumption& assumption) {
  std::string out = assumption.path + " = " + assumed_value_words(assumption);
  const bool rate = assumption.unit == "bytes/s";
  if (!assumption.unit.empty() && !rate) out += " " + assumption.unit;
  std::string_view why = assumption.why;
  // `mlp (LLaVA-1.5)` for the value mlp repeats the value.
  const std::string repeated = assumption.value + " (";
  if (why.starts_with(repeated) && why.find(')') == why.size() - 1) {
    why.remove_prefix(repeated.size());
    why.remove_suffix(1);
  }
  if (!why.empty()) out += ": " + std::string(why);
  return out;
}

std::string brief_words(double value, NumberKind kind, int most_digits) {
  constexpr double kNoise = 1e-10;
  const bool converted = kind == NumberKind::money && !shown_currency().is_dollar();
  for (int digits = 1; digits < most_digits && !converted; ++digits) {
    std::string text = with_digits(value, kind, digits);
    const double read = parse_number(text, kind);
    if (std::abs(read - value) <= kNoise * std::abs(value)) return text;
  }
  return with_digits(value, kind, most_digits);
}

std::vector<Cell> distinct_cells(std::span<const std::optional<double>> values, NumberKind kind) {
  constexpr int kLeastDigits = 3;
  constexpr int kMostDigits = 9;
  constexpr double kSame = 1e-9;  // relative: smaller differences are noise
  const auto count_alike = [&](int digits) {
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        if (!values[i] || !values[j]) continue;
        const double gap = std::abs(*values[i] - *values[j]);
        if (gap <= kSame * std::abs(*values[i])) continue;
        if (with_digits(*values[i], kind, digits) == with_digits(*values[j], kind, digits)) {
          ++pairs;
        }
      }
    }
    return pairs;
  };
  int digits = kLeastDigits;
  std::size_t fewest = count_alike(digits);
  for (int more = kLeastDigits + 1; more <= kMostDigits && fewest > 0; ++more) {
    const std::size_t left = count_alike(more);
    if (left < fewest) {
      fewest = left;
      digits = more;
    }
  }
  std::vector<Cell> cells;
  for (const std::optional<double>& value : values) {
    const bool money = value && kind == NumberKind::money;
    cells.push_back(money ? Cell::number(*value, short_money(*value, digits), kind)
                          : Cell::number(value, kind, digits));
  }
  return cells;
}

}  // namespace trcost::report
