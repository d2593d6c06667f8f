// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/estimate_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "estimate/columns/plan_columns.h"
#include "prices/rows/price_book.h"
#include "quantity/suggest.h"
#include "trcost/error.h"
#include "workload/method.h"

namespace trcost::estimation {
namespace {

using namespace column;
using E = Estimate;
using Number = std::optional<double>;

// A member of the model, unknown if stages train different ones.
template <double ModelSummary::*Member>
constexpr auto of_model =
    [](const E& e) -> Number { return e.one_model ? Number(e.model.*Member) : std::nullopt; };

void add_model_columns(Columns<Estimate>& out) {
  using M = ModelSummary;
  using T = TokenTotals;
  using F = FlopTotals;
  static constexpr EstimateColumn kColumns[] = {
      string("accelerator", member<&E::accelerator>, "catalog name of the accelerator", Rank::key)
          .as(ColumnRole::platform),
      string("system", member<&E::system>, "node or rack it lives in", Rank::main)
          .as(ColumnRole::system),
      accelerators("gpus", member<&E::gpus>, "cluster size", Rank::first, "GPUs")
          .lower()
          .shown({.line = {beside::kCluster + 1}, .brief = {4}})
          .as(ColumnRole::gpus),
      string(
          "precision",
          [](const E& e) {
            return e.one_precision ? precision_name(e.precision) : std::string_view();
          },
          "format of the matmuls", Rank::main)
          .shown({.line = {beside::kCluster + 2}, .rank = Rank::main, .unknown = "by stage"})
          .as(ColumnRole::precision),
      boolean("complete", member<&E::complete>, "whether every figure is known", Rank::main),

      parameters("model.params_total", of_model<&M::params_total>, "all parameters", Rank::main)
          .as(ColumnRole::params),
      parameters("model.params_active", of_model<&M::params_active>,
                 "parameters that a token uses"),
      parameters("model.params_vision", of_model<&M::params_vision>, "of the vision encoder"),
      parameters("model.params_projector", of_model<&M::params_projector>, "of the projector"),
      parameters("model.params_trainable", member<&E::model, &M::params_trainable>,
                 "parameters that learn"),
      integer("model.layers", of_model<&M::layers>, "decoder layers"),
      integer("model.hidden", of_model<&M::hidden>, "width of the residual stream"),
      integer("model.heads", of_model<&M::heads>, "query heads"),
      integer("model.kv_heads", of_model<&M::kv_heads>, "key and value heads"),
      integer("model.ffn", of_model<&M::ffn>, "width of the feed-forward layer"),
      integer("model.vocab", of_model<&M::vocab>, "entries of the vocabulary"),
      string("model.name", member<&E::model, &M::name>, "the model as asked"),

      token_count("tokens.total", member<&E::tokens, &T::total>,
                  "that the language model processes", Rank::main),
      token_count("tokens.text", member<&E::tokens, &T::text>, "text tokens"),
      token_count("tokens.vision", member<&E::tokens, &T::vision>,
                  "vision tokens in the language model"),
      token_count("tokens.vision_encoder", member<&E::tokens, &T::vision_encoder>,
                  "patches in the encoder"),
      flop("flops.model", member<&E::flops, &F::model>, "model FLOPs of the whole training",
           Rank::main)
          .as(ColumnRole::model_flops),
      flop("flops.hardware", member<&E::flops, &F::hardware>, "with recomputation"),
      number("flops.per_token", "FLOP/token", NumberKind::number, member<&E::flops, &F::per_token>,
             "model FLOPs of one token"),
      flop("flops.by_module.language", member<&E::flops, &F::language>, "of the language model"),
      flop("flops.by_module.vision", member<&E::flops, &F::vision>, "of the vision encoder"),
      flop("flops.by_module.projector", member<&E::flops, &F::projector>, "of the projector"),
      flop("flops.rule_6nd", member<&E::flops, &F::rule_6nd>, "6 x parameters x tokens"),
  };
  out.add(kColumns);
}

// The layout on the accelerators that learn, which others may generate for.
std::optional<PlacedLayout> placed_layout(const E& e) {
  if (!e.one_layout) return std::nullopt;
  double gpus = e.gpus;
  for (const PhaseResult& phase : e.phases) {
    if (phase.work == Work::generate && phase.gpus < e.gpus) gpus -= phase.gpus;
  }
  return PlacedLayout{&e.layout, gpus, e.model.dealt_layers};
}

// An error of the method, unknown without published rows.
template <double MethodQuality::*Member>
constexpr auto error_of = [](const E& e) -> Number {
  const std::optional<MethodQuality>& quality = e.performance.quality;
  return quality && quality->rows > 0 ? Number((*quality).*Member) : std::nullopt;
};

void add_performance_columns(Columns<Estimate>& out) {
  using P = PerformanceSummary;
  using Q = MethodQuality;
  static constexpr EstimateColumn kColumns[] = {
      part<layout_columns, placed_layout>("layout"),
      part<memory_use_columns, &E::memory>("memory"),
      seconds("performance.step_seconds", member<&E::performance, &P::step_seconds>,
              "one step in steady state", Rank::main)
          .lower(),
      number("performance.tokens_per_second_per_gpu", "tokens/s", NumberKind::count,
             member<&E::performance, &P::tokens_per_second_per_gpu>,
             "language-model tokens in steady state", Rank::main)
          .higher()
          .shown({.line = {beside::kSpeed + 2, "tokens/s per GPU"}, .rank = Rank::main}),
      number("performance.tflops_per_gpu", "TFLOP/s", NumberKind::number,
             member<&E::performance, &P::tflops_per_gpu>, "model FLOPs")
          .higher(),
      share("performance.mfu", member<&E::performance, &P::mfu>,
            "model FLOPs against the dense peak of the precision used", Rank::first, "MFU")
          .higher()
          .shown({.line = {beside::kSpeed + 1}, .brief = {beside::kMayGo + 2}})
          .as(ColumnRole::mfu),
      share("performance.hfu", member<&E::performance, &P::hfu>, "the same with recomputation")
          .higher(),
      share("performance.mfu_bf16", member<&E::performance, &P::mfu_bf16>,
            "against the bf16 dense peak; none where the chip has none")
          .higher(),
      share("performance.interconnect_efficiency",
            member<&E::performance, &P::interconnect_efficiency>,
            "share of the step that is not exposed communication; none of a given MFU or of a "
            "round of several kinds of work")
          .higher(),
      share("performance.goodput", member<&E::performance, &P::goodput>,
            "share not lost to failures", Rank::main)
          .higher(),
      string("performance.method", member<&E::performance, &P::method>,
             "which model answered and how good it is there"),
      share("performance.production_overhead", member<&E::performance, &P::production_overhead>,
            "share of the wall-clock time that training steps take")
          .higher(),
      share("performance.batch_token_cost", member<&E::performance, &P::batch_token_cost>,
            "more tokens that this batch takes than the usual one for the same loss")
          .lower(),
      string("performance.quality.method", member<&E::performance, &P::quality, &Q::name>,
             "kind of model that answered"),
      plain("performance.quality.sigma", error_of<&Q::sigma>,
            "standard deviation of ln(predicted / measured) on published rows")
          .lower(),
      share("performance.quality.median_error", error_of<&Q::median_error>,
            "median of |predicted / measured - 1| there")
          .lower(),
      integer("performance.quality.rows", member<&E::performance, &P::quality, &Q::rows>,
              "published rows behind it")
          .higher(),
      string("performance.quality.family", member<&E::performance, &P::quality, &Q::family>,
             "which rows these are"),
      gpu_hours("gpu_hours", member<&E::gpu_hours>, "with failures and production overhead",
                Rank::first, "GPU-hours")
          .lower()
          .shown({.line = {beside::kSpeed + 3}, .brief = {beside::kMayGo + 1}})
          .as(ColumnRole::gpu_hours),
      seconds("wall_clock_seconds", member<&E::wall_clock_seconds>, "from start to end",
              Rank::first, "wall clock")
          .lower()
          .shown({.line = {beside::kSpeed + 4, "wall-clock"}, .brief = {3, "wall-clock"}})
          .as(ColumnRole::wall_clock),
  };
  out.add(kColumns);
}

// `5 specialists`; none where the price is made from those of others.
std::string seller_words(const CostResult& cost) {
  if (cost.doubts.other_class) return "its maker";
  const std::string_view word = price_class_name(*cost.price_class);
  if (cost.provider.empty())
    return cost.doubts.imputed ? "no quote (estimated)" : std::string(word);
  const auto sellers = 1 + std::ranges::count(cost.provider, ',');
  const std::string_view many = *cost.price_class == PriceClass::index ? "indices" : word;
  return sellers == 1 ? fmt::format("1 {}", word)
                      : fmt::format("{} {}{}", sellers, many, many == word ? "s" : "");
}

}  // namespace

namespace {

// `Nov 2026` of a date to the month or the day, else the date.
std::string month_words(std::string_view date) {
  constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::size_t kYear = 4, kMonth = 7;
  if (date.size() < kMonth || date[kYear] != '-') return std::string(date);
  const auto month = static_cast<std::size_t>((date[kYear + 1] - '0') * 10 + date[kYear + 2] - '0');
  if (month < 1 || month > std::size(kMonths)) return std::string(date);
  return fmt::format("{} {}", kMonths[month - 1], date.substr(0, kYear));
}

}  // namespace

std::string months_words(std::string_view dates) {
  constexpr std::string_view kTo = " to ";
  const std::size_t to = dates.find(kTo);
  const std::string from = month_words(dates.substr(0, to));
  if (to == std::string_view::npos) return from;
  const std::string until = month_words(dates.substr(to + kTo.size()));
  if (from == until) return from;
  const std::size_t year = from.rfind(' ');
  const bool one_year = year != from.npos && until.ends_with(from.substr(year));
  return fmt::format("{} to {}", one_year ? from.substr(0, year) : from, until);
}

namespace {

void add_cost_columns(Columns<Estimate>& out) {
  using N = EnergyResult;
  using C = CostResult;
  static constexpr EstimateColumn kColumns[] = {
      number("energy.kwh", "kWh", NumberKind::number, member<&E::energy, &N::kwh>,
             "electricity, cooling included", Rank::main)
          .lower()
          .shown({.line = {beside::kPower + 1, "energy"}, .rank = Rank::main})
          .as(ColumnRole::energy),
      number("energy.co2_kg", "kg", NumberKind::number, member<&E::energy, &N::co2_kg>,
             "CO2 of that electricity")
          .lower()
          .shown({.line = {beside::kPower + 2, "CO2"}, .rank = Rank::main})
          .as(ColumnRole::carbon),
      number("energy.tokens_per_mwh", "tokens/MWh", NumberKind::count,
             member<&E::energy, &N::tokens_per_mwh>,
             "of the whole run: mean draw, failures, overhead")
          .higher()
          .shown({.line = {beside::kPower + 3, "tokens per MWh drawn"}, .rank = Rank::main}),
      number("energy.tokens_per_second_per_megawatt", "tokens/s/MW", NumberKind::count,
             member<&E::energy, &N::tokens_per_second_per_megawatt>,
             "of steps alone, by the rated power of the systems")
          .higher()
          .shown({.line = {beside::kPower + 4, "tokens/s per MW rated"}, .rank = Rank::main}),
      number("energy.site_megawatts", "MW", NumberKind::number,
             member<&E::energy, &N::site_megawatts>,
             "rated power of the cluster, cooling included: what a site has to provide")
          .lower(),
      string(
          "cost.currency", [](const E&) -> std::string_view { return "USD"; }, "of all amounts"),
      usd_per_hour("cost.price_per_gpu_hour", member<&E::cost, &C::price_per_gpu_hour>,
                   "price of the accelerator", Rank::first, "$/GPU-hour")
          .lower()
          .from_price()
          .shown({.line = {beside::kMoney + 1, "$ per GPU-hour"}})
          .as(ColumnRole::price),
      string(
          "cost.price_class",
          [](const E& e) -> std::string_view {
            return e.cost.price_class ? price_class_name(*e.cost.price_class) : std::string_view();
          },
          "whose price it is: specialist, marketplace, hyperscaler or index")
          .shown({.line = {beside::kMoney + 2, "sellers"}}, member<&E::cost, seller_words>)
          .as(ColumnRole::price_origin),
      boolean("cost.price_imputed", member<&E::cost, &C::doubts, &PriceDoubts::imputed>,
              "no seller of the class quotes it: it is estimated from other prices")
          .as(ColumnRole::price_origin),
      boolean("cost.price_other_class", member<&E::cost, &C::doubts, &PriceDoubts::other_class>,
              "it is its maker's, of another class than the others")
          .as(ColumnRole::price_origin),
      boolean("cost.price_other_region", member<&E::cost, &C::doubts, &PriceDoubts::other_region>,
              "the region has none, so it is of any region")
          .as(ColumnRole::price_origin),
      boolean("cost.price_stale", member<&E::cost, &C::doubts, &PriceDoubts::stale>,
              "a rent is over 90 days old (hyperscalers: a year), a purchase over a year, or of a "
              "guessed date")
          .as(ColumnRole::price_origin),
      string("cost.price_date", member<&E::cost, &C::price_date>,
             "of the prices used, oldest to newest")
          .shown({.line = {beside::kMoney + 3, "prices of"}},
                 member<&E::cost, &C::price_date, months_words>)
          .as(ColumnRole::price_origin),
      string("cost.provider", member<&E::cost, &C::provider>, "whose prices, comma-separated")
          .as(ColumnRole::price_origin),
      seconds("cost.commitment_seconds", member<&E::cost, &C::obligation, commitment_seconds>,
              "what a reserved price binds for"),
      usd("cost.commitment_usd", member<&E::cost, &C::obligation, &Obligation::usd>,
          "what the cluster costs in that term, used or not")
          .lower()
          .from_price()
          .shown({.brief = {2, "whole term"}, .rank = Rank::rest}),
      usd("cost.total", member<&E::cost, &C::total>, "sum of the line items", Rank::first)
          .lower()
          .from_price()
          .shown({.line = {beside::kMoney + 4}, .brief = {1}})
          .as(ColumnRole::total),
      usd("cost.per_million_tokens", member<&E::cost, &C::per_million_tokens>,
          "total per million tokens", Rank::main)
          .lower()
          .from_price()
          .shown({.line = {beside::kMoney + 7, "$ per M tokens"}, .rank = Rank::main}),
      usd("cost.capital_usd", member<&E::cost, &C::machines, &OwnedMachines::usd>,
          "owned: cash for whole machines and their network, on the day of the purchase")
          .lower(),
      usd_per_hour("cost.owned_mean_per_gpu_hour",
                   member<&E::cost, &C::machines, &OwnedMachines::mean_per_gpu_hour>,
                   "owned: an hour in use on average over three years, as trcost tco has it")
          .lower(),
      share("cost.break_even_utilization", member<&E::cost, &C::break_even_utilization>,
            "where owning costs what renting does")
          .lower(),
      usd_per_hour("cost.rent_per_gpu_hour", member<&E::cost, &C::rent_per_gpu_hour>,
                   "the rent that owning is compared with")
          .from_price(),
  };
  out.add(kColumns);
}

// A quantile of the range, unknown if no range was computed.
template <Quantiles RangeResult::*Part, double Quantiles::*Which>
constexpr auto quantile = [](const E& e) -> Number {
  return e.range.method.empty() ? std::nullopt : Number((e.range.*Part).*Which);
};

void add_range_columns(Columns<Estimate>& out) {
  using R = RangeResult;
  using Q = Quantiles;
  static constexpr EstimateColumn kColumns[] = {
      gpu_hours("range.gpu_hours.p10", quantile<&R::gpu_hours, &Q::p10>,
                "one chance in ten to be below")
          .lower(),
      gpu_hours("range.gpu_hours.p50", quantile<&R::gpu_hours, &Q::p50>, "median").lower(),
      gpu_hours("range.gpu_hours.p90", quantile<&R::gpu_hours, &Q::p90>,
                "one chance in ten to be above")
          .lower(),
      usd("range.total_usd.p10", member<&E::range, &R::total_usd, &Q::p10>,
          "one chance in ten to be below")
          .lower()
          .from_price()
          .shown({.line = {beside::kMoney + 5, "  low (P10)"}, .brief = {5, "P10"}}),
      usd("range.total_usd.p50", member<&E::range, &R::total_usd, &Q::p50>, "median")
          .lower()
          .from_price(),
      usd("range.total_usd.p90", member<&E::range, &R::total_usd, &Q::p90>,
          "one chance in ten to be above", Rank::main)
          .lower()
          .from_price()
          .shown({.line = {beside::kMoney + 6, "  high (P90)"}, .brief = {6, "P90"}}),
      seconds("range.wall_clock_seconds.p10", quantile<&R::wall_clock_seconds, &Q::p10>,
              "one chance in ten to be below")
          .lower(),
      seconds("range.wall_clock_seconds.p50", quantile<&R::wall_clock_seconds, &Q::p50>, "median")
          .lower(),
      seconds("range.wall_clock_seconds.p90", quantile<&R::wall_clock_seconds, &Q::p90>,
              "one chance in ten to be above")
          .lower(),
      string("range.method", member<&E::range, &R::method>, "how the range was made"),
  };
  for (const EstimateColumn& column : kColumns) out.add({column.from_range()});
}

void add_run_columns(Columns<Estimate>& out) {
  using P = PipelineResult;
  using R = RolloutSummary;
  static constexpr EstimateColumn kColumns[] = {
      number("steps", "steps", NumberKind::count, member<&E::steps>, "optimizer steps"),
      number("seq_length", "tokens", NumberKind::integer, member<&E::seq_length>,
             "tokens of a packed sequence"),
      number("pipeline.images_per_second", "images/s", NumberKind::number,
             member<&E::pipeline, &P::images_per_second>,
             "that the whole cluster wants: images, frames of video, 30-second windows of audio"),
      number("pipeline.images_reached_per_second", "images/s", NumberKind::number,
             member<&E::pipeline, &P::images_reached_per_second>,
             "that it gets, fewer where loader or storage is slower"),
      number("pipeline.bytes_per_second", "bytes/s", NumberKind::rate,
             member<&E::pipeline, &P::bytes_per_second>, "that the whole cluster wants"),
      number("pipeline.decode_cores_per_gpu", "cores", NumberKind::number,
             member<&E::pipeline, &P::decode_cores_per_gpu>, "CPU cores that decode them")
          .lower(),
      bytes("pipeline.dataset_bytes", member<&E::pipeline, &P::dataset_bytes>,
            "stored size of the data")
          .lower(),
      number("rollout.rounds", "rounds", NumberKind::count, member<&E::rollout, &R::rounds>,
             "of generating, scoring and learning"),
      token_count("rollout.generated_tokens", member<&E::rollout, &R::generated_tokens>,
                  "that the policy writes in all rounds"),
      share("rollout.generation_share", member<&E::rollout, &R::generation_share>,
            "of a round's time"),
      share("rollout.idle_share", member<&E::rollout, &R::idle_share>,
            "of the engines' slots, waiting for the longest response")
          .lower(),
      share("rollout.tail_share", member<&E::rollout, &R::tail_share>,
            "of generation's time with less than a quarter of the responses in flight")
          .lower(),
      plain("rollout.longest_over_mean", member<&E::rollout, &R::longest_over_mean>,
            "length of the longest response")
          .lower(),
      number("rollout.sequences_per_engine", "sequences", NumberKind::count,
             member<&E::rollout, &R::sequences_per_engine>, "in flight when generation starts"),
      bytes("rollout.engine_bytes", member<&E::rollout, &R::engine_bytes>,
            "weights and reserve on each accelerator that generates")
          .lower(),
      bytes("rollout.kv_cache_bytes", member<&E::rollout, &R::kv_cache_bytes>,
            "of the responses in flight on each accelerator that generates")
          .lower(),
      seconds("rollout.moving_seconds", member<&E::rollout, &R::moving_seconds>,
              "of a round, in which the learner's states go to the host's memory and back")
          .lower(),
      usd("rollout.usd_per_round", member<&E::rollout, &R::usd_per_round>, "total over rounds")
          .lower(),
      usd("rollout.usd_per_million_generated", member<&E::rollout, &R::usd_per_million_generated>,
          "total over generated tokens")
          .lower(),
      boolean("pipeline.gpu_bound", member<&E::pipeline, &P::gpu_bound>,
              "whether the accelerators, not the data, set the pace"),
      string("pipeline.bound_by", member<&E::pipeline, &P::bound_by>,
             "what sets the pace: accelerators, loader or storage"),
      price_date(member<&E::price_data_date>),
      version_of<Estimate>(),
  };
  out.add(kColumns);
}

}  // namespace

const Columns<Estimate>& columns() {
  static const Columns<Estimate> table = [] {
    Columns<Estimate> out;
    add_model_columns(out);
    add_performance_columns(out);
    add_cost_columns(out);
    add_range_columns(out);
    add_run_columns(out);
    return out;
  }();
  return table;
}

const EstimateColumn* find_column(std::string_view path) {
  for (const EstimateColumn& column : columns()) {
    if (column.path == path) return &column;
  }
  return nullptr;
}

const EstimateColumn& column_for(ColumnRole role) {
  return *std::ranges::find(columns(), role, &EstimateColumn::role);
}

const EstimateColumn& require_column(std::string_view path) {
  if (const EstimateColumn* column = find_column(path)) return *column;
  std::vector<std::string> known;
  for (const EstimateColumn& column : columns()) known.emplace_back(column.path);
  std::string hint = did_you_mean(path, known);
  // A group of columns, and words for one of them.
  static constexpr std::pair<std::string_view, std::string_view> kMeant[] = {
      {"cost", "cost.total"},
      {"usd", "cost.total"},
      {"dollars", "cost.total"},
      {"price", "cost.price_per_gpu_hour"},
      {"time", "wall_clock_seconds"},
      {"days", "wall_clock_seconds"},
      {"hours", "gpu_hours"},
      {"duration", "wall_clock_seconds"},
      {"params", "model.params_total"},
      {"tokens", "tokens.total"},
      {"flops", "flops.model"},
      {"memory", "memory.total_bytes"},
      {"throughput", "performance.tokens_per_second_per_gpu"},
      {"co2", "energy.co2_kg"},
      {"energy", "energy.kwh"}};
  for (const auto& [word, column] : kMeant) {
    if (same_folded(word, path)) hint = fmt::format("did you mean \"{}\"?", column);
  }
  // `mfu` for `performance.mfu`: the last part alone is the usual slip.
  const auto last_part = std::find_if(known.begin(), known.end(), [&](const std::string& name) {
    return !path.empty() && name.size() > path.size() && name.ends_with(path) &&
           name[name.size() - path.size() - 1] == '.';
  });
  if (last_part != known.end()) hint = fmt::format("did you mean \"{}\"?", *last_part);
  if (hint.empty())
    hint = "the names are those of --format csv, such as performance.mfu, cost.total";
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a column", path.substr(0, 60)), hint);
}

const std::vector<const EstimateColumn*>& all_columns() {
  static const std::vector<const EstimateColumn*> all = [] {
    std::vector<const EstimateColumn*> out;
    for (const EstimateColumn& column : columns()) out.push_back(&column);
    return out;
  }();
  return all;
}

bool is_imputed(const Estimate& estimate) {
  return estimate.cost.doubts.imputed && !estimate.cost.own;
}

}  // namespace trcost::estimation
