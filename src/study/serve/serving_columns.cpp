// SPDX-License-Identifier: Apache-2.0
#include "study/serve/serving_columns.h"

#include <cmath>
#include <type_traits>

#include "catalog/models/weight_formats.h"
#include "estimate/columns/plan_columns.h"

namespace trcost::study {

namespace {

using namespace column;
using column::json;
using column::text;
using ServingRowRef = const ServingRow&;
using Cost = const TokenCost&;
using ServingAnswer = const ServingReport&;
using Step = const DecodeStep&;

bool known(ServingRowRef row) {
  return row.problem.empty();
}

// A number of a row that has an answer.
template <auto Get>
constexpr auto answered = [](ServingRowRef r) -> std::optional<double> {
  if (!known(r)) return std::nullopt;
  return Get(r);
};

template <auto Get>
Column<ServingRow> serving_figure(std::string_view path, std::string_view unit,
                                  std::string_view help, Better better = Better::neither,
                                  Rank rank = Rank::main) {
  return number(path, unit, NumberKind::number, better, answered<Get>, help, rank);
}

const Columns<Quantiles>& serving_quantile_columns() {
  static const Columns<Quantiles> table = {
      number(
          "p10", "", NumberKind::number, [](const Quantiles& q) { return q.p10; },
          "10th percentile"),
      number(
          "p50", "", NumberKind::number, [](const Quantiles& q) { return q.p50; }, "median"),
      number(
          "p90", "", NumberKind::number, [](const Quantiles& q) { return q.p90; },
          "90th percentile")};
  return table;
}

Column<TokenCost> serving_dollars(std::string_view path, auto get, std::string_view help) {
  return number(path, "USD", NumberKind::money, Better::lower, get, help, Rank::first);
}

const Columns<TokenCost>& cost_columns() {
  static const Columns<TokenCost> table = {
      text(
          "pricing", [](Cost c) -> auto& { return c.pricing; }, "how the hour is paid", Rank::key),
      serving_dollars(
          "price_per_gpu_hour", [](Cost c) { return c.price_per_gpu_hour; }, "of one accelerator"),
      serving_dollars(
          "per_million_output_tokens", [](Cost c) { return c.output; },
          "the whole cost over output tokens"),
      serving_dollars(
          "per_million_input_tokens", [](Cost c) { return c.input; },
          "the whole cost over input tokens"),
      serving_dollars(
          "per_million_total_tokens", [](Cost c) { return c.total; }, "the whole cost over both"),
      number(
          "load", "", NumberKind::fraction, [](Cost c) { return c.sold; },
          "share of the capacity that is sold"),
      boolean(
          "price_imputed", [](Cost c) { return c.imputed; },
          "whether the price is made from others'"),
      text(
          "price_date", [](Cost c) -> auto& { return c.date; }, "of the prices used"),
      text(
          "source", [](Cost c) -> auto& { return c.source; }, "of the price")};
  return table;
}

const Columns<DecodeStep>& step_columns() {
  const auto seconds = [](std::string_view path, auto get, std::string_view help) {
    return number(path, "s", NumberKind::duration, Better::lower, get, help);
  };
  static const Columns<DecodeStep> table = {
      seconds(
          "dense_seconds", [](Step s) { return s.dense; },
          "weights of attention, feed-forwards and head"),
      seconds(
          "experts_seconds", [](Step s) { return s.experts; }, "routed experts"),
      seconds(
          "cache_seconds", [](Step s) { return s.cache; }, "the KV cache and attention over it"),
      seconds(
          "tensor_seconds", [](Step s) { return s.tensor; }, "all-reduces"),
      seconds(
          "exchange_seconds", [](Step s) { return s.exchange; }, "all-to-alls"),
      seconds(
          "draft_seconds", [](Step s) { return s.draft; }, "guessing tokens"),
      seconds(
          "host_seconds", [](Step s) { return s.host; }, "launches, scheduling, sampling")};
  return table;
}

const Columns<ServingCurvePoint>& curve_columns() {
  using Point = const ServingCurvePoint&;
  static const Columns<ServingCurvePoint> table = {
      number(
          "concurrency", "requests", NumberKind::number, [](Point p) { return p.concurrency; },
          "in flight per replica", Rank::key),
      number(
          "tokens_per_second_per_user", "tokens/s", NumberKind::number,
          [](Point p) { return p.point.user_rate(); }, "of one request", Rank::first),
      number(
          "ttft_seconds", "s", NumberKind::duration, [](Point p) { return p.point.ttft_seconds; },
          "mean time to the first token", Rank::first),
      number(
          "output_tokens_per_second_per_gpu", "tokens/s", NumberKind::number,
          [](Point p) { return p.point.output_per_gpu; }, "output tokens", Rank::first),
      number(
          "per_million_output_tokens", "USD", NumberKind::money,
          [](Point p) { return p.per_million_output; }, "the whole cost over output tokens",
          Rank::first)};
  return table;
}

void add_speed(Columns<ServingRow>& t) {
  t.add({serving_figure<[](ServingRowRef r) { return r.concurrency; }>("concurrency", "requests",
                                                                       "in flight per replica"),
         boolean(
             "queued", [](ServingRowRef r) { return r.queued; },
             "as many requests in flight as memory holds"),
         serving_figure<[](ServingRowRef r) { return r.point.output_per_gpu; }>(
             "output_tokens_per_second_per_gpu", "tokens/s", "output tokens", Better::higher,
             Rank::first),
         serving_figure<[](ServingRowRef r) { return r.point.total_per_gpu; }>(
             "total_tokens_per_second_per_gpu", "tokens/s", "input and output tokens",
             Better::higher),
         serving_figure<[](ServingRowRef r) { return r.point.user_rate(); }>(
             "tokens_per_second_per_user", "tokens/s", "of one request after its first token",
             Better::higher, Rank::first),
         serving_figure<[](ServingRowRef r) { return r.point.ttft_seconds; }>(
             "ttft_seconds", "s", "mean time to the first token", Better::lower),
         serving_figure<[](ServingRowRef r) { return r.point.tpot_seconds; }>(
             "tpot_seconds", "s", "mean time per output token after it", Better::lower),
         serving_figure<[](ServingRowRef r) { return r.point.cache_bytes_per_token; }>(
             "kv_bytes_per_token", "bytes", "KV cache of one token, all layers"),
         number(
             "prefill_gpus", "accelerators", NumberKind::count,
             [](ServingRowRef r) -> std::optional<double> {
               if (!known(r) || r.point.prefill_gpus <= 0) return std::nullopt;
               return r.point.prefill_gpus;
             },
             "that only read prompts, beside `gpus`"),
         serving_figure<[](ServingRowRef r) { return r.point.weight_bytes_per_gpu; }>(
             "weight_bytes_per_gpu", "bytes", "weights on one accelerator"),
         serving_figure<[](ServingRowRef r) { return std::floor(r.point.most_sequences); }>(
             "max_concurrency", "requests", "that memory holds", Better::higher)});
}

void add_quality(Columns<ServingRow>& t) {
  t.lift<[](ServingRowRef r) { return known(r) ? std::optional(r.rate_range()) : std::nullopt; },
         serving_quantile_columns>("range.output_tokens_per_second_per_gpu", true);
  t.lift<[](ServingRowRef r) { return r.cost_range(); }, serving_quantile_columns>(
      "range.per_million_output_tokens", true);
  t.add(
      {boolean(
           "quality.measured", [](ServingRowRef r) { return r.measured; },
           "whether rows of the architecture and the engine informed the fit"),
       serving_figure<[](ServingRowRef r) { return r.sigma; }>(
           "quality.sigma", "", "spread of ln(predicted / measured)"),
       number(
           "quality.published_output_tokens_per_second_per_gpu", "tokens/s", NumberKind::number,
           [](ServingRowRef r) { return r.published; },
           "the best published rate of model, chip and format"),
       text(
           "quality.published_source", [](ServingRowRef r) -> auto& { return r.published_source; },
           "where it was published")});
}

const Columns<ServingRow>& serving_row_columns() {
  static const Columns<ServingRow> table = [] {
    Columns<ServingRow> t = {
        text(
            "accelerator", [](ServingRowRef r) -> auto& { return r.accelerator; }, "catalog name",
            Rank::key),
        text(
            "system", [](ServingRowRef r) -> auto& { return r.system; },
            "node or rack it lives in"),
        serving_figure<[](ServingRowRef r) { return r.layout.gpus; }>("gpus", "accelerators",
                                                                      "of one replica"),
        serving_figure<[](ServingRowRef r) { return r.layout.tp; }>(
            "layout.tp", "", "tensor-parallel degree of attention"),
        serving_figure<[](ServingRowRef r) { return r.layout.ep; }>("layout.ep", "",
                                                                    "expert-parallel degree"),
        serving_figure<[](ServingRowRef r) { return r.layout.dp; }>("layout.dp", "",
                                                                    "copies of attention"),
        text(
            "engine", [](ServingRowRef r) -> auto& { return r.engine; }, "inference software"),
        text(
            "precision",
            [](ServingRowRef r) {
              return known(r) ? weight_format_name(r.format) : std::string_view();
            },
            "format of the weights"),
        text(
            "kv_precision",
            [](ServingRowRef r) { return known(r) ? r.cache_format() : std::string_view(); },
            "format of the cache")};
    add_speed(t);
    t.lift<[](ServingRowRef r) { return known(r) ? &r.point.step : nullptr; }, step_columns>("step",
                                                                                             true);
    t.add({serving_figure<[](ServingRowRef r) { return r.point.prefill_seconds; }>(
        "step.prefill_seconds", "s", "prompts of other requests")});
    t.lift<[](ServingRowRef r) { return known(r) ? &r.cost : nullptr; }, cost_columns>("cost",
                                                                                       true);
    t.add({number(
        "tokens_per_second_per_megawatt", "tokens/s/MW", NumberKind::number, Better::higher,
        [](ServingRowRef r) { return r.output_per_second_per_megawatt; },
        "output tokens; rated power of the system x PUE")});
    add_quality(t);
    t.add({list<cost_columns>(
               "costs", [](ServingRowRef r) -> auto& { return r.costs; },
               "the same under each kind of price"),
           list<curve_columns>(
               "curve", [](ServingRowRef r) -> auto& { return r.curve; },
               "throughput over concurrency, same layout"),
           text(
               "problem", [](ServingRowRef r) -> auto& { return r.problem; },
               "why there is no answer")});
    return t;
  }();
  return table;
}

const Columns<ClaimCase>& case_columns() {
  using Case = const ClaimCase&;
  static const Columns<ClaimCase> table = {
      text(
          "accelerator", [](Case c) -> auto& { return c.accelerator; }, "catalog name", Rank::key),
      text(
          "reference", [](Case c) -> auto& { return c.reference; }, "chip that a factor is over"),
      text(
          "pricing", [](Case c) -> auto& { return c.pricing; }, "what the price pays for"),
      number(
          "price", "USD", NumberKind::money, [](Case c) { return c.price; },
          "per GPU-hour, or per million tokens sold"),
      number(
          "load", "", NumberKind::fraction, [](Case c) { return c.sold; },
          "share of the capacity that is sold"),
      text(
          "tokens", [](Case c) { return std::string_view(c.all_tokens ? "total" : "output"); },
          "which are counted"),
      number(
          "needed", "", NumberKind::number, [](Case c) { return c.needed; },
          "for the claim to hold"),
      number(
          "predicted", "", NumberKind::number, [](Case c) { return c.predicted; },
          "by this program"),
      text(
          "verdict", [](Case c) { return verdict_words(c.verdict); }, "how they compare")};
  return table;
}

const Columns<ClaimJudgement>& claim_columns() {
  using Claim = const ClaimJudgement&;
  static const Columns<ClaimJudgement> table = {
      text(
          "text", [](Claim c) -> auto& { return c.claim; }, "as it was made"),
      text(
          "verdict", [](Claim c) -> auto& { return c.verdict; }, "in a sentence"),
      text(
          "unit", [](Claim c) -> auto& { return c.unit; }, "of needed and predicted"),
      list<case_columns>(
          "cases", [](Claim c) -> auto& { return c.cases; }, "conditions under which it is judged"),
      list<text_columns>(
          "notes", [](Claim c) -> auto& { return c.notes; }, "what to know")};
  return table;
}

}  // namespace

const Columns<ServingReport>& serving_columns() {
  static const Columns<ServingReport> table = [] {
    Columns<ServingReport> t;
    t.add(versions<ServingReport>());
    const auto count = [](std::string_view path, std::string_view unit, auto get,
                          std::string_view help) {
      return number(path, unit, NumberKind::count, get, help);
    };
    t.add({price_date([](ServingAnswer r) -> auto& { return r.price_data_date; }),
           json(
               "scenario", [](ServingAnswer r) -> auto& { return r.scenario; },
               "what was asked, beside the load"),
           json(
               "request", [](ServingAnswer r) -> auto& { return r.request; },
               "the load, the software and the layout as asked, replayable with --scenario"),
           text(
               "model.name", [](ServingAnswer r) -> auto& { return r.model; }, "what is served"),
           count(
               "model.params_total", "parameters", [](ServingAnswer r) { return r.params_total; },
               "all parameters"),
           count(
               "model.params_active", "parameters", [](ServingAnswer r) { return r.params_active; },
               "that one token uses"),
           count(
               "input_tokens", "tokens",
               [](ServingAnswer r) { return r.question.load.input_tokens; }, "of a request"),
           count(
               "output_tokens", "tokens",
               [](ServingAnswer r) { return r.question.load.output_tokens; }, "of its answer"),
           list<serving_row_columns>(
               "serving", [](ServingAnswer r) -> auto& { return r.rows; }, "one per accelerator")});
    t.lift < [](ServingAnswer r) -> auto& {
      return r.claim;
    }
    , claim_columns > ("claim", true);
    t.add(open_points<std::remove_cvref_t<ServingAnswer>>());
    return t;
  }();
  return table;
}

}  // namespace trcost::study
