// SPDX-License-Identifier: Apache-2.0
#include "study/serve/serving_columns.h"

#include <cmath>

#include "catalog/models/weight_formats.h"
#include "estimate/columns/plan_columns.h"

namespace trcost::study {
namespace {

using namespace column;

// The row, null without an answer: the first step to what only an answer has.
const ServingRow* answered_row(const ServingRow& row) {
  return row.problem.empty() ? &row : nullptr;
}

constexpr auto figure(std::string_view path, std::string_view unit, auto get, std::string_view help,
                      Rank rank = Rank::main) {
  return number(path, unit, NumberKind::number, get, help, rank);
}

const Columns<Quantiles>& serving_quantile_columns() {
  using Q = Quantiles;
  static const Columns<Quantiles> table = {plain("p10", member<&Q::p10>, "10th percentile"),
                                           plain("p50", member<&Q::p50>, "median"),
                                           plain("p90", member<&Q::p90>, "90th percentile")};
  return table;
}

const Columns<TokenCost>& cost_columns() {
  using C = TokenCost;
  static const Columns<TokenCost> table = {
      string("pricing", member<&C::pricing>, "how the hour is paid", Rank::key),
      usd("price_per_gpu_hour", member<&C::price_per_gpu_hour>, "of one accelerator", Rank::first)
          .lower(),
      usd("per_million_output_tokens", member<&C::output>, "the whole cost over output tokens",
          Rank::first)
          .lower(),
      usd("per_million_input_tokens", member<&C::input>, "the whole cost over input tokens",
          Rank::first)
          .lower(),
      usd("per_million_total_tokens", member<&C::total>, "the whole cost over both", Rank::first)
          .lower(),
      share("load", member<&C::sold>, "share of the capacity that is sold"),
      boolean("price_imputed", member<&C::imputed>, "whether the price is made from others'"),
      string("price_date", member<&C::date>, "of the prices used"),
      string("source", member<&C::source>, "of the price")};
  return table;
}

const Columns<DecodeStep>& decode_step_columns() {
  using S = DecodeStep;
  static const Columns<DecodeStep> table = {
      seconds("dense_seconds", member<&S::dense>, "weights of attention, feed-forwards and head")
          .lower(),
      seconds("experts_seconds", member<&S::experts>, "routed experts").lower(),
      seconds("cache_seconds", member<&S::cache>, "the KV cache and attention over it").lower(),
      seconds("tensor_seconds", member<&S::tensor>, "all-reduces").lower(),
      seconds("exchange_seconds", member<&S::exchange>, "all-to-alls").lower(),
      seconds("draft_seconds", member<&S::draft>, "guessing tokens").lower(),
      seconds("host_seconds", member<&S::host>, "launches, scheduling, sampling").lower()};
  return table;
}

const Columns<ServingCurvePoint>& curve_columns() {
  using P = ServingCurvePoint;
  static const Columns<ServingCurvePoint> table = {
      number("concurrency", "requests", NumberKind::number, member<&P::concurrency>,
             "in flight per replica", Rank::key),
      number("tokens_per_second_per_user", "tokens/s", NumberKind::number,
             member<&P::point, &ServingPoint::user_rate>, "of one request", Rank::first),
      seconds("ttft_seconds", member<&P::point, &ServingPoint::ttft_seconds>,
              "mean time to the first token", Rank::first),
      number("output_tokens_per_second_per_gpu", "tokens/s", NumberKind::number,
             member<&P::point, &ServingPoint::output_per_gpu>, "output tokens", Rank::first),
      usd("per_million_output_tokens", member<&P::per_million_output>,
          "the whole cost over output tokens", Rank::first)};
  return table;
}

// Accelerators that only read prompts, unknown if there are none.
std::optional<double> prefill_gpus(const ServingPoint& point) {
  return point.prefill_gpus > 0 ? std::optional<double>(point.prefill_gpus) : std::nullopt;
}

double whole_sequences(const ServingPoint& point) {
  return std::floor(point.most_sequences);
}

std::optional<Quantiles> rate_range(const ServingRow& row) {
  return row.problem.empty() ? std::optional(row.rate_range()) : std::nullopt;
}

const Columns<ServingRow>& serving_row_columns() {
  using R = ServingRow;
  using P = ServingPoint;
  using L = ServingLayout;
  static const Columns<ServingRow> table = {
      string("accelerator", member<&R::accelerator>, "catalog name", Rank::key),
      string("system", member<&R::system>, "node or rack it lives in"),
      figure("gpus", "accelerators", member<answered_row, &R::layout, &L::gpus>, "of one replica"),
      figure("layout.tp", "", member<answered_row, &R::layout, &L::tp>,
             "tensor-parallel degree of attention"),
      figure("layout.ep", "", member<answered_row, &R::layout, &L::ep>, "expert-parallel degree"),
      figure("layout.dp", "", member<answered_row, &R::layout, &L::dp>, "copies of attention"),
      string("engine", member<&R::engine>, "inference software"),
      string("precision", member<answered_row, &R::format, weight_format_name>,
             "format of the weights"),
      string("kv_precision", member<answered_row, &R::cache_format>, "format of the cache"),
      figure("concurrency", "requests", member<answered_row, &R::concurrency>,
             "in flight per replica"),
      boolean("queued", member<&R::queued>, "as many requests in flight as memory holds"),
      figure("output_tokens_per_second_per_gpu", "tokens/s",
             member<answered_row, &R::point, &P::output_per_gpu>, "output tokens", Rank::first)
          .higher(),
      figure("total_tokens_per_second_per_gpu", "tokens/s",
             member<answered_row, &R::point, &P::total_per_gpu>, "input and output tokens")
          .higher(),
      figure("tokens_per_second_per_user", "tokens/s",
             member<answered_row, &R::point, &P::user_rate>, "of one request after its first token",
             Rank::first)
          .higher(),
      figure("ttft_seconds", "s", member<answered_row, &R::point, &P::ttft_seconds>,
             "mean time to the first token")
          .lower(),
      figure("tpot_seconds", "s", member<answered_row, &R::point, &P::tpot_seconds>,
             "mean time per output token after it")
          .lower(),
      figure("kv_bytes_per_token", "bytes",
             member<answered_row, &R::point, &P::cache_bytes_per_token>,
             "KV cache of one token, all layers"),
      number("prefill_gpus", "accelerators", NumberKind::count,
             member<answered_row, &R::point, prefill_gpus>,
             "that only read prompts, beside `gpus`"),
      figure("weight_bytes_per_gpu", "bytes",
             member<answered_row, &R::point, &P::weight_bytes_per_gpu>,
             "weights on one accelerator"),
      figure("max_concurrency", "requests", member<answered_row, &R::point, whole_sequences>,
             "that memory holds")
          .higher(),
      optional_part<decode_step_columns, answered_row, &R::point, &P::step>("step"),
      figure("step.prefill_seconds", "s", member<answered_row, &R::point, &P::prefill_seconds>,
             "prompts of other requests"),
      optional_part<cost_columns, answered_row, &R::cost>("cost"),
      number("tokens_per_second_per_megawatt", "tokens/s/MW", NumberKind::number,
             member<&R::output_per_second_per_megawatt>,
             "output tokens; rated power of the system x PUE")
          .higher(),
      optional_part<serving_quantile_columns, rate_range>("range.output_tokens_per_second_per_gpu"),
      optional_part<serving_quantile_columns, &R::cost_range>("range.per_million_output_tokens"),
      boolean("quality.measured", member<&R::measured>,
              "whether rows of the architecture and the engine informed the fit"),
      figure("quality.sigma", "", member<answered_row, &R::sigma>,
             "spread of ln(predicted / measured)"),
      number("quality.published_output_tokens_per_second_per_gpu", "tokens/s", NumberKind::number,
             member<&R::published>, "the best published rate of model, chip and format"),
      string("quality.published_source", member<&R::published_source>, "where it was published"),
      list<cost_columns>("costs", member<&R::costs>, "the same under each kind of price"),
      list<curve_columns>("curve", member<&R::curve>, "throughput over concurrency, same layout"),
      string("problem", member<&R::problem>, "why there is no answer")};
  return table;
}

// The words of `claim`, which stays for one version.
std::string_view old_verdict_words(const ClaimCase& claim) {
  if (claim.verdict == Verdict::not_plausible) return "does not hold";
  if (claim.verdict == Verdict::undecided) return "possible, within the range";
  return claim.range.p10 >= claim.needed ? "holds" : "holds, within the range";
}

std::string_view counted_tokens(const ClaimCase& claim) {
  return claim.all_tokens ? "total" : "output";
}

Columns<ClaimCase> condition_columns() {
  using C = ClaimCase;
  return {string("accelerator", member<&C::accelerator>, "catalog name", Rank::key),
          string("reference", member<&C::reference>, "chip that a factor is over"),
          string("pricing", member<&C::pricing>, "what the price pays for"),
          usd("price", member<&C::price>, "per GPU-hour, or per million tokens sold"),
          share("load", member<&C::sold>, "share of the capacity that is sold"),
          string("tokens", member<counted_tokens>, "which are counted")};
}

const Columns<ClaimCase>& case_columns() {
  using C = ClaimCase;
  static const Columns<ClaimCase> table =
      condition_columns().add({plain("needed", member<&C::needed>, "for the claim to hold"),
                               plain("predicted", member<&C::predicted>, "by this program"),
                               string("verdict", member<old_verdict_words>, "how they compare")});
  return table;
}

const Columns<ClaimCase>& judged_case_columns() {
  using C = ClaimCase;
  static const Columns<ClaimCase> table = condition_columns().add(
      {plain("claimed", member<&C::needed>, "factor, or tokens/s per GPU that the claim needs"),
       plain("predicted", member<&C::predicted>, "the most over all speeds per user"),
       plain("range.p10", member<&C::range, &Quantiles::p10>, "one in ten is lower"),
       plain("range.p50", member<&C::range, &Quantiles::p50>, "half are lower"),
       plain("range.p90", member<&C::range, &Quantiles::p90>, "one in ten is higher"),
       number("at_tokens_per_second_per_user", "tokens/s", NumberKind::number, member<&C::speed>,
              "speed at which it is predicted"),
       number("batch", "", NumberKind::number, member<&C::batch>,
              "a factor at the lowest speed per user"),
       number("holds_from", "tokens/s", NumberKind::number, member<&C::holds_from>,
              "lowest speed per user at which it is reached"),
       number("holds_to", "tokens/s", NumberKind::number, member<&C::holds_to>,
              "highest speed per user at which it is reached"),
       number("best_published", "tokens/s", NumberKind::number, member<&C::published>,
              "best published output rate per GPU of the chip"),
       number("best_published_reference", "tokens/s", NumberKind::number,
              member<&C::reference_published>,
              "best published output rate per GPU of the reference"),
       boolean("measured", member<&C::measured>, "whether a rate of model and chip is published"),
       string("verdict", member<&C::verdict, verdict_words>,
              "plausible, not_plausible or undecided")});
  return table;
}

const Columns<ClaimJudgement>& claim_columns() {
  using J = ClaimJudgement;
  static const Columns<ClaimJudgement> table = {
      string("text", member<&J::claim>, "as it was made"),
      string("verdict", member<&J::verdict>, "in a sentence"),
      string("unit", member<&J::unit>, "of needed and predicted"),
      list<case_columns>("cases", member<&J::cases>, "conditions under which it is judged"),
      list<text_columns>("notes", member<&J::notes>, "what to know")};
  return table;
}

}  // namespace

const Columns<ServingReport>& serving_columns() {
  using R = ServingReport;
  using L = ServingLoad;
  static const Columns<ServingReport> table = {
      versions<R>(),
      price_date(member<&R::price_data_date>),
      raw_json("scenario", member<&R::scenario>, "what was asked, beside the load"),
      raw_json("request", member<&R::request>,
               "the load, the software and the layout as asked, replayable with --scenario"),
      string("model.name", member<&R::model>, "what is served"),
      parameters("model.params_total", member<&R::params_total>, "all parameters"),
      parameters("model.params_active", member<&R::params_active>, "that one token uses"),
      token_count("input_tokens", member<&R::question, &ServingQuestion::load, &L::input_tokens>,
                  "of a request"),
      token_count("output_tokens", member<&R::question, &ServingQuestion::load, &L::output_tokens>,
                  "of its answer"),
      list<serving_row_columns>("serving", member<&R::rows>, "one per accelerator"),
      optional_part<claim_columns, &R::claim>("claim"),
      list<judged_case_columns>("claims", member<&R::claim, &ClaimJudgement::cases>,
                                "verdicts of --claim"),
      open_points<R>()};
  return table;
}

}  // namespace trcost::study
