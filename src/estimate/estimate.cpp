// SPDX-License-Identifier: Apache-2.0
#include "trcost/estimate.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "estimate/data_scale.h"
#include "estimate/execution.h"
#include "estimate/explain.h"
#include "estimate/model_summary.h"
#include "estimate/money.h"
#include "estimate/phase_results.h"
#include "estimate/pipeline_data.h"
#include "estimate/platform.h"
#include "estimate/prepared.h"
#include "estimate/resolve.h"
#include "estimate/stages.h"
#include "estimate/waterfall.h"
#include "trcost/error.h"
#include "trcost/quantity.h"

namespace trcost {
namespace {

// The rule takes the parameters as people say them: the number asked for, or the active ones.
double rule_parameters(const Scenario& scenario, const ResolvedWork& work) {
  return scenario.number(Field::model_params).value_or(work.params.active);
}

// What the other phases of a round compute stands with the language model.
void count_flops(const Scenario& scenario, const Prepared& prepared, FlopTotals& out) {
  const ResolvedWork& work = prepared.work;
  const TrainingFlops& per_token = work.flops_per_token;
  const double tokens = work.tokens.total;
  const double others = prepared.round ? prepared.round->extra_flops() * per_token.total() : 0;
  out.language = (per_token.language() + others) * tokens;
  out.vision = per_token.encoder() * tokens;
  out.projector = per_token.connector() * tokens;
  out.model = out.language + out.vision + out.projector;
  out.per_token = out.model / tokens;
  out.rule_6nd = 6 * rule_parameters(scenario, work) * tokens;
}

void warn_about_memory(const Estimate& out, double margin, Notes& notes) {
  if (out.memory.tight) {
    notes.warn(fmt::format(
        "{} is tight: {} of the {} that a plan may fill per {}, with less than {} left for "
        "fragmentation (--memory-margin)",
        out.model.name, format_number(out.memory.total, NumberKind::bytes),
        format_number(out.memory.capacity, NumberKind::bytes), out.accelerator_title,
        format_number(margin, NumberKind::fraction)));
  }
  if (out.memory.fits) return;
  notes.warn(fmt::format("{} needs {} per device but {} plans with {}: over by {}", out.model.name,
                         format_number(out.memory.total, NumberKind::bytes), out.accelerator_title,
                         format_number(out.memory.capacity, NumberKind::bytes),
                         format_number(out.memory.total - out.memory.capacity, NumberKind::bytes)));
}

void warn_about_steps(const ResolvedWork& work, const Estimate& out, Notes& notes) {
  const double step = tokens_per_step(work, out.layout);
  if (out.tokens.total >= step) return;
  notes.warn(fmt::format(
      "{} tokens are less than one optimizer step of {} sequences of {}: one whole step is counted",
      format_number(out.tokens.total, NumberKind::count), format_exact(out.layout.global_batch),
      format_exact(work.seq_length)));
}

// A given MFU and a layout that recomputes may ask for more than the chip has.
void warn_about_peak(const Estimate& out, Notes& notes) {
  if (out.performance.hfu <= 1) return;
  notes.warn(
      fmt::format("with recomputation {} would work at {:.1f} % of the peak of {}: the MFU "
                  "that was given cannot be reached with recompute {}",
                  out.accelerator_title, 100 * out.performance.hfu, precision_name(out.precision),
                  recompute_name(out.layout.recompute)));
}

// Compared by sequence: the two may take other batches.
std::string runner_up_text(const Plan& plan) {
  if (!plan.runner_up) return {};
  const Layout& layout = *plan.runner_up;
  const double ratio =
      plan.runner_up_seconds / layout.global_batch / (plan.time.seconds / plan.layout.global_batch);
  const std::string batch =
      layout.global_batch == plan.layout.global_batch
          ? std::string()
          : fmt::format(", global batch {}", format_exact(layout.global_batch));
  constexpr double kShown = 0.0005;  // less rounds to 0.0 %
  const std::string difference =
      std::abs(ratio - 1) < kShown
          ? "as fast"
          : fmt::format("{:.1f} % {}", 100 * std::abs(ratio - 1),
                        ratio < 1 ? "faster, with a batch farther from the usual" : "slower");
  return fmt::format("{}, micro-batch {}{}, sharding {}, recompute {}: {}", degree_words(layout),
                     format_exact(layout.micro_batch), batch, sharding_name(layout.sharding),
                     recompute_words(layout), difference);
}

// What the planner looked at and what the price is made of, for who asks how it went.
void trace_choices(const Execution& execution, const PriceQuote& price, const Estimate& out,
                   const std::function<void(std::string_view)>& trace) {
  const Plan& plan = execution.plan;
  if (execution.mfu_given) {
    trace(fmt::format("{}: the MFU is given, no layout was searched for speed", out.accelerator));
  }
  trace(fmt::format("{}: {} kinds of layout of {} GPUs ranked, {} steps computed; taken: {}, {} a step",
                    out.accelerator, format_exact(plan.considered), format_exact(execution.gpus),
                    format_exact(plan.evaluated), degree_words(plan.layout),
                    format_number(execution.step_seconds, NumberKind::duration)));
  if (price.usd) {
    trace(fmt::format("{}: {} USD per GPU-hour{}: {}; {}", out.accelerator,
                      format_exact(*price.usd), price.imputed ? ", imputed" : "", price.rule,
                      price.source));
  }
}

}  // namespace

struct Estimator::State {
  State(const Catalog& catalog_, EstimateOptions options_)
      : catalog(catalog_), options(options_), preparations(catalog_) {}

  const Catalog& catalog;
  EstimateOptions options;
  std::vector<Failure> failures;
  Preparations preparations;

  void one(const Scenario& scenario, std::string_view accelerator, Estimate& out);
  void with_notes(const Scenario& scenario, std::string_view accelerator, Estimate& out);
  void answer_quietly(const Scenario& scenario, const Scenario& asked, std::string_view accelerator,
                      const Prepared& prepared, Estimate& out);
  template <class GetRates>
  void answer(const Scenario& scenario, const Scenario& asked, std::string_view accelerator,
              const Prepared& prepared, const GetRates& get_rates, Notes& notes, Estimate& out);
};

namespace {

// Counts are whole; the parts stay the sum of the total.
TokenTotals whole_tokens(const TokenTotals& tokens) {
  TokenTotals out = tokens;
  out.total = std::round(tokens.total);
  out.vision = std::round(tokens.vision);
  // What cross-attention reads stands beside the text, not in the sequence.
  const bool in_sequence = tokens.text + tokens.vision <= tokens.total * (1 + 1e-9);
  out.text = in_sequence ? out.total - out.vision : std::round(tokens.text);
  out.vision_encoder = std::round(tokens.vision_encoder);
  return out;
}

void describe_performance(const Prepared& prepared, const Execution& execution,
                          const UsefulTime& useful, Estimate& out) {
  const ResolvedWork& work = prepared.work;
  const Platform& platform = prepared.model.platform();
  const auto peak = [&](Precision p) {
    return platform.accelerator->peak_flops[static_cast<std::size_t>(p)];
  };
  const double step_tokens = tokens_per_step(work, out.layout);
  PerformanceSummary& perf = out.performance;
  perf.step_seconds = execution.phases.empty() ? execution.step_seconds : execution.round_seconds;
  perf.tokens_per_second_per_gpu = step_tokens / execution.step_seconds / out.gpus;
  perf.mfu = execution.mfu;
  perf.tflops_per_gpu = perf.mfu * peak(platform.precision) / 1e12;
  const double bf16 = peak(Precision::bf16) > 0 ? peak(Precision::bf16) : peak(Precision::fp16);
  perf.mfu_bf16 = perf.mfu * peak(platform.precision) / bf16;
  const StepTime& time = execution.plan.time;
  const double hardware_ratio = time.model_flops > 0 ? time.hardware_flops / time.model_flops : 1.0;
  perf.hfu = perf.mfu * hardware_ratio;
  out.flops.hardware = out.flops.model * hardware_ratio;
  perf.goodput = useful.goodput_share;
  perf.production_overhead = useful.production_overhead;
  perf.batch_token_cost = batch_token_cost(work, execution);
  perf.quality = prepared.quality;
  perf.method = prepared.method;
  if (execution.mfu_given) {
    perf.method = "given MFU";
    perf.quality.sigma = 0;
  }
  out.waterfall.clear();
  perf.interconnect_efficiency = 1;
  if (!execution.phases.empty()) return;  // of several kinds of work there is no one way down
  add_waterfall(execution, useful, out);
  check_waterfall(out, perf.mfu * useful.share());
}

WorkTotals work_totals(const Prepared& prepared, const UsefulTime& useful, const Estimate& out) {
  const Platform& platform = prepared.model.platform();
  const PerformanceSummary& perf = out.performance;
  WorkTotals totals;
  totals.steps = out.steps;
  totals.step_seconds = out.steps * perf.step_seconds;
  totals.paid_seconds = out.gpu_hours * kSecondsPerHour;
  totals.running_seconds = totals.paid_seconds * useful.production_overhead;
  totals.busy_seconds = totals.running_seconds * useful.goodput_share;
  totals.network_seconds = totals.busy_seconds * (1 - perf.interconnect_efficiency);
  totals.tokens = totals.busy_seconds * perf.tokens_per_second_per_gpu;
  const double peak = platform.accelerator->peak_flops[static_cast<std::size_t>(platform.precision)];
  totals.peak_flop = totals.busy_seconds * peak;
  totals.peak_flop_bf16 = totals.peak_flop * perf.mfu / perf.mfu_bf16;
  totals.model_flop = totals.peak_flop * perf.mfu;
  totals.hardware_flop = totals.peak_flop * perf.hfu;
  totals.batch_tokens.reset();
  if (perf.batch_token_cost) totals.batch_tokens = totals.tokens * *perf.batch_token_cost;
  return totals;
}

}  // namespace

template <class GetRates>
void Estimator::State::answer(const Scenario& scenario, const Scenario& asked,
                              std::string_view accelerator, const Prepared& prepared,
                              const GetRates& get_rates, Notes& notes, Estimate& out) {
  const ResolvedWork& work = prepared.work;
  const Platform& platform = prepared.model.platform();
  const UsefulShare useful_share = [&](double gpus, double busy_seconds) {
    return resolve_useful_time(scenario, work, *platform.system, gpus, busy_seconds).share();
  };
  const Execution execution = resolve_execution(scenario, prepared, useful_share, notes);
  const UsefulTime useful = resolve_useful_time(
      scenario, work, *platform.system, working_gpus(execution), wall_seconds(work, execution, 1));
  note_useful_time(scenario, useful, notes);
  note_data_scale(scenario, work, notes);

  out.accelerator = platform.accelerator->name;
  out.accelerator_title = platform.accelerator->title;
  out.system = platform.system->name;
  out.price_data_date.assign(catalog.prices().date);
  out.gpus = execution.gpus;
  out.precision = platform.precision;
  out.one_precision = true;
  out.layout = execution.plan.layout;
  out.one_layout = true;
  out.memory = execution.plan.memory;
  out.seq_length = work.seq_length;
  out.tokens = whole_tokens(work.tokens);
  out.medium = work.medium;
  out.model = describe_model(work);
  count_flops(scenario, prepared, out.flops);
  describe_performance(prepared, execution, useful, out);
  // Time is continuous in the tokens; who counts steps counts the last one too.
  const double steps = optimizer_steps(work, out.layout);
  out.steps = std::ceil(steps / execution.updates * (1 - 1e-12));
  out.wall_clock_seconds = steps * execution.step_seconds / useful.share();
  out.gpu_hours = out.gpus * out.wall_clock_seconds / kSecondsPerHour;
  out.work = work_totals(prepared, useful, out);
  add_data_pipeline(scenario, work, *platform.stack, execution.data_wait, options.assumptions, out);
  const Rates& rates = get_rates();
  add_money(scenario, work, rates, out);
  add_phase_results(prepared, execution, out);
  if (options.range) {
    const auto elsewhere = [&](const Scenario& other) {
      Estimate found;
      Estimator(catalog, {.assumptions = false, .derivations = false, .range = false})
          .run_one(other, accelerator, found);
      return found;
    };
    // Of what was asked: a method's defaults follow from it anew.
    add_range(asked, work, rates, useful, elsewhere, out);
  }
  out.derivations.clear();
  out.step.reset();
  if (options.derivations) {
    add_derivations({scenario, work, prepared.model, platform, execution, useful, rates}, out);
    if (options.range) {
      for (Derivation& step : derive_range(out.range)) out.derivations.push_back(std::move(step));
    }
  }
  if (options.assumptions) {
    warn_about_memory(out, scenario.number_or_default(Field::hardware_memory_margin), notes);
    warn_about_steps(work, out, notes);
    warn_about_peak(out, notes);
    if (!out.pipeline->gpu_bound) notes.warn(out.pipeline->verdict);
    warn_about_spot(useful, rates, out, notes);
    out.runner_up = runner_up_text(execution.plan);
  }
  if (options.trace) trace_choices(execution, rates.price, out, options.trace);
  out.assumptions = std::move(notes.assumptions);
  out.warnings = std::move(notes.warnings);
  out.stages.clear();
}

void Estimator::State::with_notes(const Scenario& asked, std::string_view accelerator,
                                  Estimate& out) {
  Notes notes(true);
  Scenario adapted;
  const Scenario& scenario = usual_recipe(asked, catalog, notes, adapted) ? adapted : asked;
  const Prepared prepared = prepare(scenario, catalog, accelerator, notes);
  Rates rates;
  const auto get_rates = [&]() -> const Rates& {
    rates = resolve_rates(scenario, catalog, prepared.model.platform(), notes);
    return rates;
  };
  answer(scenario, asked, accelerator, prepared, get_rates, notes, out);
}

void Estimator::State::one(const Scenario& asked, std::string_view accelerator, Estimate& out) {
  if (options.assumptions) {
    with_notes(asked, accelerator, out);
    return;
  }
  Notes silent(false);
  Scenario adapted;
  if (contrastive_defaults(asked, catalog, silent, adapted)) {
    // The batch of pairs is part of the loss, and so of the model.
    const Prepared prepared = prepare(adapted, catalog, accelerator, silent);
    answer_quietly(adapted, asked, accelerator, prepared, out);
    return;
  }
  const bool changed = usual_recipe(asked, catalog, silent, adapted);
  const Scenario& scenario = changed ? adapted : asked;
  answer_quietly(scenario, asked, accelerator, preparations.prepared(scenario, accelerator), out);
}

void Estimator::State::answer_quietly(const Scenario& scenario, const Scenario& asked,
                                      std::string_view accelerator, const Prepared& prepared,
                                      Estimate& out) {
  Notes silent(false);
  const auto get_rates = [&]() -> const Rates& {
    return preparations.rates(scenario, prepared.model.platform());
  };
  answer(scenario, asked, accelerator, prepared, get_rates, silent, out);
}

const std::vector<std::string>& default_accelerators() {
  static const std::vector<std::string> names = {"a100-sxm-80gb", "h100-sxm", "b200", "gb200-nvl72",
                                                 "gb300-nvl72"};
  return names;
}

Estimator::Estimator(const Catalog& catalog, EstimateOptions options)
    : state_(new State(catalog, options)) {}

Estimator::~Estimator() = default;

const std::vector<Estimator::Failure>& Estimator::failures() const {
  return state_->failures;
}

void Estimator::run_one(const Scenario& scenario, std::string_view accelerator, Estimate& out) {
  if (scenario.stages.empty()) {
    state_->one(scenario, accelerator, out);
    return;
  }
  std::vector<Estimate> parts;
  for (const Scenario::Stage& stage : scenario.stages) {
    parts.emplace_back();
    state_->one(stage_scenario(scenario, stage), accelerator, parts.back());
  }
  out = sum_of_stages(scenario, std::move(parts));
}

std::vector<Estimate> Estimator::run(const Scenario& scenario) {
  state_->failures.clear();
  std::vector<std::string> names = scenario.names(Field::hardware_accelerator);
  if (names.empty()) names = default_accelerators();
  std::vector<Estimate> out;
  std::optional<Error> last;
  for (const std::string& name : names) {
    try {
      Estimate estimate;
      run_one(scenario, name, estimate);
      out.push_back(std::move(estimate));
    } catch (const Error& error) {
      if (names.size() == 1 || error.kind != ErrorKind::no_answer) throw;
      state_->failures.push_back({name, error.what(), error.hint});
      last = error;
    }
  }
  if (out.empty() && last) {
    throw Error(last->kind,
                fmt::format("none of the {} platforms has an answer; {}: {}", names.size(),
                            names.back(), last->what()),
                last->hint);
  }
  return out;
}

std::vector<Estimate> estimate(const Scenario& scenario, const Catalog& catalog,
                               EstimateOptions options) {
  return Estimator(catalog, options).run(scenario);
}

}  // namespace trcost
