// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "estimate/columns/columns.h"
#include "prices/rows/price_book.h"
#include "quantity/quantity.h"

namespace trcost::estimation {

namespace {

using namespace column_rows;

// A quantile of the range, nothing where the range was not asked for.
template <Quantiles RangeResult::*Part, double Quantiles::*Which>
constexpr auto quantile = [](E e) -> Number {
  if (e.range.method.empty()) return std::nullopt;
  return (e.range.*Part).*Which;
};

template <double Quantiles::*Which>
constexpr auto total_quantile = [](E e) -> Number {
  if (!e.range.total_usd) return std::nullopt;
  return (*e.range.total_usd).*Which;
};

// A member of a part that not every estimate has.
template <auto Part, auto Which>
constexpr auto of_part = [](E e) -> Number {
  if (!(e.*Part)) return std::nullopt;
  return (*(e.*Part)).*Which;
};
template <auto Which>
constexpr auto of_pipeline = of_part<&Estimate::pipeline, Which>;
template <auto Which>
constexpr auto of_rollout = of_part<&Estimate::rollout, Which>;

// `5 specialists`; none where the price is made from those of others.
std::string seller_words(const CostResult& cost) {
  if (cost.doubts.other_class) return "its maker";
  const std::string_view word = price_class_name(*cost.price_class);
  if (cost.provider.empty()) return cost.doubts.imputed ? "none: imputed" : std::string(word);
  const auto sellers = 1 + std::ranges::count(cost.provider, ',');
  const std::string_view many = *cost.price_class == PriceClass::index ? "indices" : word;
  return sellers == 1 ? fmt::format("1 {}", word)
                      : fmt::format("{} {}{}", sellers, many, many == word ? "s" : "");
}

// `2026-08..11` of `2026-08-19 to 2026-11-09`: a column has no room for days.
std::string months_words(std::string_view dates) {
  constexpr std::size_t kYear = 4, kMonth = 7;
  constexpr std::string_view kTo = " to ";
  const std::size_t to = dates.find(kTo);
  if (to == std::string_view::npos) return std::string(dates);
  const std::string_view from = dates.substr(0, std::min(to, kMonth));
  const std::string_view until = dates.substr(to + kTo.size()).substr(0, kMonth);
  if (from == until) return std::string(from);
  const bool one_year = from.substr(0, kYear) == until.substr(0, kYear) &&
                        from.find('H') == until.find('H');  // 2025-03..2025-H2
  return fmt::format("{}..{}", from,
                     one_year && until.size() > kYear ? until.substr(kYear + 1) : until);
}

constexpr EstimateColumn kCost[] =
    {
        as(ColumnRole::energy, shown({.line = {beside::kPower + 1, "energy"}, .rank = Rank::main},
                                     figure(
                                         "energy.kwh", "kWh", NumberKind::number, Better::lower,
                                         [](E e) -> Number { return e.energy.kwh; },
                                         "electricity, cooling included", Rank::main))),
        as(ColumnRole::carbon,
           shown({.line = {beside::kPower + 2, "CO2"}, .rank = Rank::main},
                 figure(
                     "energy.co2_kg", "kg", NumberKind::number, Better::lower,
                     [](E e) -> Number { return e.energy.co2_kg; }, "CO2 of that electricity"))),
        shown({.line = {beside::kPower + 3, "tokens per MWh drawn"}, .rank = Rank::main},
              figure(
                  "energy.tokens_per_mwh", "tokens/MWh", NumberKind::count, Better::higher,
                  [](E e) -> Number { return e.energy.tokens_per_mwh; },
                  "of the whole run: mean draw, failures, overhead")),
        shown({.line = {beside::kPower + 4, "tokens/s per MW rated"}, .rank = Rank::main},
              figure(
                  "energy.tokens_per_second_per_megawatt", "tokens/s/MW", NumberKind::count,
                  Better::higher,
                  [](E e) -> Number { return e.energy.tokens_per_second_per_megawatt; },
                  "of steps alone, by the rated power of the systems")),
        figure(
            "energy.site_megawatts", "MW", NumberKind::number, Better::lower,
            [](E e) -> Number { return e.energy.site_megawatts; },
            "rated power of the cluster, cooling included: what a site has to provide"),
        text(
            "cost.currency", [](E) -> std::string_view { return "USD"; }, "of all amounts"),
        as(ColumnRole::price,
           shown({.line = {beside::kMoney + 1, "$ per GPU-hour"}},
                 priced(figure(
                     "cost.price_per_gpu_hour", "USD/GPU-hour", NumberKind::money, Better::lower,
                     [](E e) -> Number { return e.cost.price_per_gpu_hour; },
                     "price of the accelerator", Rank::first, "$/GPU-hour")))),
        as(
            ColumnRole::price_origin,
            shown(
                {.line = {beside::kMoney + 2, "sellers"}}, [](E e) { return seller_words(e.cost); },
                text(
                    "cost.price_class",
                    [](
                        E e) -> std::
                                 string_view {
                                   return e.cost.price_class ? price_class_name(*e.cost.price_class)
                                                             : std::string_view();
                                 },
                    "whose price it is: specialist, marketplace, hyperscaler or index"))),
        as(ColumnRole::price_origin,
           boolean(
               "cost.price_imputed",
               [](E e) -> Number { return e.cost.doubts.imputed; },
               "nobody of the class asks that price: it is made from those of others")),
        as(
            ColumnRole::price_origin,
            shown(
                {.line = {beside::kMoney + 3, "prices of"}},
                [](E e) { return months_words(e.cost.price_date); },
                text(
                    "cost.price_date", [](E e) -> std::string_view { return e.cost.price_date; },
                    "of the prices used, oldest to newest"))),
        as(ColumnRole::price_origin,
           text(
               "cost.provider", [](E e) -> std::string_view { return e.cost.provider; },
               "whose prices, comma-separated")),
        figure(
            "cost.commitment_seconds", "s", NumberKind::duration, Better::neither,
            [](E e) -> Number {
              if (!e.cost.obligation) return std::nullopt;
              return e.cost.obligation->hours * kSecondsPerHour;
            },
            "what a reserved price binds for"),
        shown({.brief = {2, "whole term"}, .rank = Rank::rest},
              priced(figure(
                  "cost.commitment_usd", "USD", NumberKind::money, Better::lower,
                  [](E e) -> Number {
                    if (!e.cost.obligation) return std::nullopt;
                    return e.cost.obligation->usd;
                  },
                  "what the cluster costs in that term, used or not"))),
        as(ColumnRole::total, shown({.line = {beside::kMoney + 4}, .brief = {1}},
                                    priced(figure(
                                        "cost.total", "USD", NumberKind::money, Better::lower,
                                        [](E e) -> Number { return e.cost.total; },
                                        "sum of the line items", Rank::first)))),
        shown({.line = {beside::kMoney + 7, "$ per M tokens"}, .rank = Rank::main},
              priced(figure(
                  "cost.per_million_tokens", "USD", NumberKind::money, Better::lower,
                  [](E e) -> Number { return e.cost.per_million_tokens; },
                  "total per million tokens", Rank::main))),
        figure(
            "cost.capital_usd", "USD", NumberKind::money, Better::lower,
            [](E e) -> Number { return e.cost.capital_usd; },
            "owned: cash that servers and network take, on the day of the purchase"),
        figure(
            "cost.break_even_utilization", "", NumberKind::fraction, Better::lower,
            [](E e) -> Number { return e.cost.break_even_utilization; },
            "where owning costs what renting does"),
        priced(figure(
            "cost.rent_per_gpu_hour", "USD/GPU-hour", NumberKind::money, Better::neither,
            [](E e) -> Number { return e.cost.rent_per_gpu_hour; },
            "the rent that owning is compared with")),
};

constexpr EstimateColumn kRange[] = {
    figure("range.gpu_hours.p10", "GPU-hours", NumberKind::count, Better::lower,
           quantile<&RangeResult::gpu_hours, &Quantiles::p10>, "one chance in ten to be below"),
    figure("range.gpu_hours.p50", "GPU-hours", NumberKind::count, Better::lower,
           quantile<&RangeResult::gpu_hours, &Quantiles::p50>, "median"),
    figure("range.gpu_hours.p90", "GPU-hours", NumberKind::count, Better::lower,
           quantile<&RangeResult::gpu_hours, &Quantiles::p90>, "one chance in ten to be above"),
    shown({.line = {beside::kMoney + 5, "  low (P10)"}, .brief = {beside::kMayGo + 3, "P10"}},
          priced(figure("range.total_usd.p10", "USD", NumberKind::money, Better::lower,
                        total_quantile<&Quantiles::p10>, "one chance in ten to be below"))),
    priced(figure("range.total_usd.p50", "USD", NumberKind::money, Better::lower,
                  total_quantile<&Quantiles::p50>, "median")),
    shown({.line = {beside::kMoney + 6, "  high (P90)"}, .brief = {beside::kMayGo + 4, "P90"}},
          priced(figure("range.total_usd.p90", "USD", NumberKind::money, Better::lower,
                        total_quantile<&Quantiles::p90>, "one chance in ten to be above",
                        Rank::main))),
    figure("range.wall_clock_seconds.p10", "s", NumberKind::duration, Better::lower,
           quantile<&RangeResult::wall_clock_seconds, &Quantiles::p10>,
           "one chance in ten to be below"),
    figure("range.wall_clock_seconds.p50", "s", NumberKind::duration, Better::lower,
           quantile<&RangeResult::wall_clock_seconds, &Quantiles::p50>, "median"),
    figure("range.wall_clock_seconds.p90", "s", NumberKind::duration, Better::lower,
           quantile<&RangeResult::wall_clock_seconds, &Quantiles::p90>,
           "one chance in ten to be above"),
    text(
        "range.method", [](E e) -> std::string_view { return e.range.method; },
        "how the range was made"),
};

constexpr EstimateColumn kRun[] = {
    figure(
        "steps", "steps", NumberKind::count, Better::neither, [](E e) -> Number { return e.steps; },
        "optimizer steps"),
    figure(
        "seq_length", "tokens", NumberKind::integer, Better::neither,
        [](E e) -> Number { return e.seq_length; }, "tokens of a packed sequence"),
    figure("pipeline.images_per_second", "images/s", NumberKind::number, Better::neither,
           of_pipeline<&PipelineResult::images_per_second>,
           "that the whole cluster wants: images, frames of video, 30-second windows of audio"),
    figure("pipeline.images_reached_per_second", "images/s", NumberKind::number, Better::neither,
           of_pipeline<&PipelineResult::images_reached_per_second>,
           "that it gets, fewer where loader or storage is slower"),
    figure("pipeline.bytes_per_second", "bytes/s", NumberKind::rate, Better::neither,
           of_pipeline<&PipelineResult::bytes_per_second>, "that the whole cluster wants"),
    figure("pipeline.decode_cores_per_gpu", "cores", NumberKind::number, Better::lower,
           of_pipeline<&PipelineResult::decode_cores_per_gpu>, "CPU cores that decode them"),
    figure("pipeline.dataset_bytes", "bytes", NumberKind::bytes, Better::lower,
           of_pipeline<&PipelineResult::dataset_bytes>, "stored size of the data"),
    figure("rollout.rounds", "rounds", NumberKind::count, Better::neither,
           of_rollout<&RolloutSummary::rounds>, "of generating, scoring and learning"),
    figure("rollout.generated_tokens", "tokens", NumberKind::count, Better::neither,
           of_rollout<&RolloutSummary::generated_tokens>, "that the policy writes in all rounds"),
    figure("rollout.generation_share", "", NumberKind::fraction, Better::neither,
           of_rollout<&RolloutSummary::generation_share>, "of a round's time"),
    figure("rollout.idle_share", "", NumberKind::fraction, Better::lower,
           of_rollout<&RolloutSummary::idle_share>,
           "of the engines' slots, waiting for the longest response"),
    figure("rollout.tail_share", "", NumberKind::fraction, Better::lower,
           of_rollout<&RolloutSummary::tail_share>,
           "of generation's time with less than a quarter of the responses in flight"),
    figure("rollout.longest_over_mean", "", NumberKind::number, Better::lower,
           of_rollout<&RolloutSummary::longest_over_mean>, "length of the longest response"),
    figure("rollout.sequences_per_engine", "sequences", NumberKind::count, Better::neither,
           of_rollout<&RolloutSummary::sequences_per_engine>, "in flight when generation starts"),
    figure("rollout.engine_bytes", "bytes", NumberKind::bytes, Better::lower,
           of_rollout<&RolloutSummary::engine_bytes>,
           "weights and reserve on each accelerator that generates"),
    figure("rollout.kv_cache_bytes", "bytes", NumberKind::bytes, Better::lower,
           of_rollout<&RolloutSummary::kv_cache_bytes>,
           "of the responses in flight on each accelerator that generates"),
    figure("rollout.moving_seconds", "s", NumberKind::duration, Better::lower,
           of_rollout<&RolloutSummary::moving_seconds>,
           "of a round, in which the learner's states go to the host's memory and back"),
    figure("rollout.usd_per_round", "USD", NumberKind::money, Better::lower,
           of_rollout<&RolloutSummary::usd_per_round>, "total over rounds"),
    figure("rollout.usd_per_million_generated", "USD", NumberKind::money, Better::lower,
           of_rollout<&RolloutSummary::usd_per_million_generated>, "total over generated tokens"),
    boolean(
        "pipeline.gpu_bound",
        [](E e) -> Number {
          if (!e.pipeline) return std::nullopt;
          return e.pipeline->gpu_bound;
        },
        "whether the accelerators, not the data, set the pace"),
    text(
        "pipeline.bound_by",
        [](E e) -> std::string_view { return e.pipeline ? e.pipeline->bound_by : ""; },
        "what sets the pace: accelerators, loader or storage"),
    column::price_date([](E e) -> std::string_view { return e.price_data_date; }),
    column::version_of<Estimate>(),
};

}  // namespace

void add_cost_columns(Columns<Estimate>& out) {
  out.add(kCost);
  for (EstimateColumn column : kRange) {
    column.of_range = true;
    out.add({column});
  }
  out.add(kRun);
}

}  // namespace trcost::estimation
