// SPDX-License-Identifier: Apache-2.0
#include "catalog/price_book.h"
#include "estimate/columns.h"
#include "quantity/quantity.h"
#include "trcost/version.h"

namespace trcost {
namespace {

using namespace column_rows;
using enum NumberKind;
using enum Better;

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

constexpr EstimateColumn kCost[] = {
    figure(
        "energy.kwh", "kWh", NumberKind::number, lower, [](E e) -> Number { return e.energy.kwh; },
        "electricity, cooling included", Rank::main),
    figure(
        "energy.co2_kg", "kg", NumberKind::number, lower,
        [](E e) -> Number { return e.energy.co2_kg; }, "CO2 of that electricity"),
    figure(
        "energy.tokens_per_mwh", "tokens/MWh", count, higher,
        [](E e) -> Number { return e.energy.tokens_per_mwh; },
        "of the whole run: mean draw, failures, overhead"),
    figure(
        "energy.tokens_per_second_per_megawatt", "tokens/s/MW", count, higher,
        [](E e) -> Number { return e.energy.tokens_per_second_per_megawatt; },
        "of steps alone, by the rated power of the systems"),
    figure(
        "energy.site_megawatts", "MW", NumberKind::number, lower,
        [](E e) -> Number { return e.energy.site_megawatts; },
        "rated power of the cluster, cooling included: what a site has to provide"),
    text(
        "cost.currency", [](E) -> std::string_view { return "USD"; }, "of all amounts"),
    priced(figure(
        "cost.price_per_gpu_hour", "USD/GPU-hour", money, lower,
        [](E e) -> Number { return e.cost.price_per_gpu_hour; }, "price of the accelerator",
        Rank::first, "$/GPU-hour")),
    text(
        "cost.price_class",
        [](E e) -> std::string_view {
          return e.cost.price_class ? price_class_name(*e.cost.price_class) : std::string_view();
        },
        "whose price it is: specialist, marketplace, hyperscaler or index"),
    boolean(
        "cost.price_imputed", [](E e) -> Number { return e.cost.doubts.imputed; },
        "nobody of the class asks that price: it is made from those of others"),
    text(
        "cost.price_date", [](E e) -> std::string_view { return e.cost.price_date; },
        "of the prices used, oldest to newest"),
    text(
        "cost.provider", [](E e) -> std::string_view { return e.cost.provider; },
        "whose prices, comma-separated"),
    figure(
        "cost.commitment_seconds", "s", duration, neither,
        [](E e) -> Number {
          if (!e.cost.obligation) return std::nullopt;
          return e.cost.obligation->hours * kSecondsPerHour;
        },
        "what a reserved price binds for"),
    priced(figure(
        "cost.commitment_usd", "USD", money, lower,
        [](E e) -> Number {
          if (!e.cost.obligation) return std::nullopt;
          return e.cost.obligation->usd;
        },
        "what the cluster costs in that term, used or not")),
    as(ColumnRole::total,
       priced(figure(
           "cost.total", "USD", money, lower, [](E e) -> Number { return e.cost.total; },
           "sum of the line items", Rank::first))),
    priced(figure(
        "cost.per_million_tokens", "USD", money, lower,
        [](E e) -> Number { return e.cost.per_million_tokens; }, "total per million tokens",
        Rank::main)),
    figure(
        "cost.capital_usd", "USD", money, lower, [](E e) -> Number { return e.cost.capital_usd; },
        "owned: cash that servers and network take, on the day of the purchase"),
    figure(
        "cost.break_even_utilization", "", fraction, lower,
        [](E e) -> Number { return e.cost.break_even_utilization; },
        "where owning costs what renting does"),
    priced(figure(
        "cost.rent_per_gpu_hour", "USD/GPU-hour", money, neither,
        [](E e) -> Number { return e.cost.rent_per_gpu_hour; },
        "the rent that owning is compared with")),
};

constexpr EstimateColumn kRange[] = {
    figure("range.gpu_hours.p10", "GPU-hours", count, lower,
           quantile<&RangeResult::gpu_hours, &Quantiles::p10>, "one chance in ten to be below"),
    figure("range.gpu_hours.p50", "GPU-hours", count, lower,
           quantile<&RangeResult::gpu_hours, &Quantiles::p50>, "median"),
    figure("range.gpu_hours.p90", "GPU-hours", count, lower,
           quantile<&RangeResult::gpu_hours, &Quantiles::p90>, "one chance in ten to be above"),
    figure("range.total_usd.p10", "USD", money, lower, total_quantile<&Quantiles::p10>,
           "one chance in ten to be below"),
    figure("range.total_usd.p50", "USD", money, lower, total_quantile<&Quantiles::p50>, "median"),
    figure("range.total_usd.p90", "USD", money, lower, total_quantile<&Quantiles::p90>,
           "one chance in ten to be above", Rank::main),
    figure("range.wall_clock_seconds.p10", "s", duration, lower,
           quantile<&RangeResult::wall_clock_seconds, &Quantiles::p10>,
           "one chance in ten to be below"),
    figure("range.wall_clock_seconds.p50", "s", duration, lower,
           quantile<&RangeResult::wall_clock_seconds, &Quantiles::p50>, "median"),
    figure("range.wall_clock_seconds.p90", "s", duration, lower,
           quantile<&RangeResult::wall_clock_seconds, &Quantiles::p90>,
           "one chance in ten to be above"),
    text(
        "range.method", [](E e) -> std::string_view { return e.range.method; },
        "how the range was made"),
};

constexpr EstimateColumn kRun[] = {
    figure(
        "steps", "steps", count, neither, [](E e) -> Number { return e.steps; }, "optimizer steps"),
    figure(
        "seq_length", "tokens", integer, neither, [](E e) -> Number { return e.seq_length; },
        "tokens of a packed sequence"),
    figure("pipeline.images_per_second", "images/s", NumberKind::number, neither,
           of_pipeline<&PipelineResult::images_per_second>,
           "that the whole cluster reads: images, frames of video, 30-second windows of audio"),
    figure("pipeline.bytes_per_second", "bytes/s", rate, neither,
           of_pipeline<&PipelineResult::bytes_per_second>, "that the whole cluster reads"),
    figure("pipeline.decode_cores_per_gpu", "cores", NumberKind::number, lower,
           of_pipeline<&PipelineResult::decode_cores_per_gpu>, "CPU cores that decode them"),
    figure("pipeline.dataset_bytes", "bytes", bytes, lower,
           of_pipeline<&PipelineResult::dataset_bytes>, "stored size of the data"),
    figure("rollout.rounds", "rounds", count, neither, of_rollout<&RolloutSummary::rounds>,
           "of generating, scoring and learning"),
    figure("rollout.generated_tokens", "tokens", count, neither,
           of_rollout<&RolloutSummary::generated_tokens>, "that the policy writes in all rounds"),
    figure("rollout.generation_share", "", NumberKind::fraction, neither,
           of_rollout<&RolloutSummary::generation_share>, "of a round's time"),
    figure("rollout.idle_share", "", NumberKind::fraction, lower,
           of_rollout<&RolloutSummary::idle_share>,
           "of the engines' slots, waiting for the longest response"),
    figure("rollout.tail_share", "", NumberKind::fraction, lower,
           of_rollout<&RolloutSummary::tail_share>,
           "of generation's time with less than a quarter of the responses in flight"),
    figure("rollout.longest_over_mean", "", NumberKind::number, lower,
           of_rollout<&RolloutSummary::longest_over_mean>, "length of the longest response"),
    figure("rollout.sequences_per_engine", "sequences", count, neither,
           of_rollout<&RolloutSummary::sequences_per_engine>, "in flight when generation starts"),
    figure("rollout.engine_bytes", "bytes", bytes, lower, of_rollout<&RolloutSummary::engine_bytes>,
           "weights and reserve on each accelerator that generates"),
    figure("rollout.kv_cache_bytes", "bytes", bytes, lower,
           of_rollout<&RolloutSummary::kv_cache_bytes>,
           "of the responses in flight on each accelerator that generates"),
    figure("rollout.moving_seconds", "s", NumberKind::duration, lower,
           of_rollout<&RolloutSummary::moving_seconds>,
           "of a round, in which the learner's states go to the host's memory and back"),
    figure("rollout.usd_per_round", "USD", money, lower, of_rollout<&RolloutSummary::usd_per_round>,
           "total over rounds"),
    figure("rollout.usd_per_million_generated", "USD", money, lower,
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
    text(
        "price_data_date", [](E e) -> std::string_view { return e.price_data_date; },
        "of the price book"),
    text(
        "trcost_version", [](E) -> std::string_view { return trcost_version(); },
        "of the program that answered"),
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

}  // namespace trcost
