// SPDX-License-Identifier: Apache-2.0
#include "report/page/facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "catalog/layout/layout.h"
#include "quantity/quantity.h"
#include "report/page/wording.h"

namespace trcost::report {
namespace {

std::string count_words(double value) {
  return format_number(value, NumberKind::count);
}

std::string_view encoder_words(Medium medium) {
  return medium == Medium::audio ? "audio" : "vision";
}

std::string model_words(const Estimate& e) {
  const ModelSummary& m = e.model;
  const std::string size = count_words(m.params_total);
  std::string text = m.from_size ? std::string() : m.name + ": ";
  text += size + " parameters";
  if (m.sparse()) {
    text += fmt::format(", {} active per token", count_words(m.params_active));
  }
  if (m.params_vision > 0) {
    const double language = m.params_total - m.params_vision - m.params_projector;
    text += fmt::format(" ({} language, {} {} encoder, {} projector)", count_words(language),
                        count_words(m.params_vision), encoder_words(e.medium),
                        count_words(m.params_projector));
  }
  return text +
         fmt::format(", {} layers of width {}", count_words(m.layers), count_words(m.hidden));
}

// Describes a field of the scenario, by stage if the stages differ.
template <class Words>
std::string describe_stages(const Scenario& scenario, const Words& words) {
  if (scenario.stages.empty()) return words(scenario);
  std::string text;
  bool one = true;
  const std::string first = words(stage_scenario(scenario, scenario.stages.front()));
  for (std::size_t i = 0; i < scenario.stages.size(); ++i) {
    const std::string each = words(stage_scenario(scenario, scenario.stages[i]));
    one = one && each == first;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ". ", scenario.stages[i].name, each);
  }
  return one ? first : text;
}

std::string recipe_words(const Scenario& scenario) {
  const std::string_view text = scenario.text(Field::train_recipe);
  return text.empty() ? "full" : std::string(text);
}

// Returns the software stack, as specified or as an assumption of the estimate.
std::string_view stack_name(const Scenario& scenario, const Estimate& e) {
  const std::string_view path = field_info(Field::efficiency_stack).path;
  const auto assumed = std::ranges::find(e.assumptions, path, &Assumption::path);
  if (!scenario.has(Field::efficiency_stack) && assumed != e.assumptions.end()) {
    return assumed->value;
  }
  return scenario.text(Field::efficiency_stack);
}

// Returns the trainable parameters, by stage if the stages differ.
std::string trainable_words(const Estimate& e) {
  const std::optional<double>& learns = e.model.params_trainable;
  if (e.one_model && learns) {
    const double share = e.model.params_total > 0 ? *learns / e.model.params_total : 1;
    if (share > 0.999) return ", all parameters are trained";
    return fmt::format(", {} parameters are trained ({})", count_words(*learns),
                       format_number(share, NumberKind::fraction, 2));
  }
  std::string text;
  for (const StageResult& stage : e.stages) {
    text += fmt::format("{}{} {}", text.empty() ? ", trained parameters: " : ", ", stage.name,
                        stage.model.params_trainable ? count_words(*stage.model.params_trainable)
                                                     : std::string("n/a"));
  }
  return text;
}

std::string training_words(const Report& report, const Estimate& e) {
  std::string text;
  if (report.scenario != nullptr) text = describe_stages(*report.scenario, recipe_words);
  text += trainable_words(e);
  const bool same_precision =
      std::all_of(report.estimates.begin(), report.estimates.end(),
                  [&](const Estimate& other) { return other.precision == e.precision; });
  text += same_precision ? fmt::format(", {}", precision_name(e.precision))
                         : std::string(", each platform's own precision");
  if (report.scenario != nullptr) {
    text += fmt::format(", software stack {}", stack_name(*report.scenario, e));
  }
  return text;
}

std::string token_words(const Estimate& e) {
  std::string text = count_words(e.tokens.total);
  if (e.tokens.compute_optimal && e.model.params_active > 0) {
    text +=
        fmt::format(", compute-optimal ({} per parameter)",
                    format_number(e.tokens.total / e.model.params_active, NumberKind::number, 2));
    text += e.tokens.vision > 0 ? ":" : "";
  }
  if (e.tokens.vision > 0) {
    const std::string parts = fmt::format(
        "{} text, {} {}, and {} {} in the encoder", count_words(e.tokens.text),
        count_words(e.tokens.vision), encoder_words(e.medium), count_words(e.tokens.vision_encoder),
        e.medium == Medium::audio ? "positions" : "patches");
    text += e.tokens.compute_optimal ? " " + parts : " (" + parts + ")";
  }
  if (e.seq_length) text += fmt::format(", sequences of {}", grouped(*e.seq_length, 0));
  if (e.rollout) {
    const std::string batch = grouped(e.layout.global_batch, 0);
    return text + fmt::format(", {} a round{}, {} rounds", grouped(e.rollout->responses, 0),
                              e.one_layout ? " in steps of " + batch : std::string(),
                              grouped(e.rollout->rounds, 0));
  }
  if (e.one_layout) text += fmt::format(", {} per step", grouped(e.layout.global_batch, 0));
  text += fmt::format(", {} step{}", grouped(e.steps, 0), e.steps < 1.5 ? "" : "s");
  return text;
}

// Returns the cost of training on as many tokens as published models saw.
std::string alternative_words(const Report& report) {
  std::string text;
  for (const TokenAlternative& each : report.alternatives) {
    const auto same = std::ranges::find(report.estimates, each.accelerator, &Estimate::accelerator);
    const bool imputed = same != report.estimates.end() && same->cost.doubts.imputed;
    const std::string saw = each.example.tokens == each.tokens
                                ? std::string()
                                : fmt::format(": {}", count_words(each.example.tokens));
    const std::string cost = each.total_usd ? mark_imputed(short_money(*each.total_usd), imputed)
                                            : gpu_hour_words(each.gpu_hours) + " GPU-hours";
    text +=
        fmt::format("{}{} tokens (as {}{}) {} on {} x {} in {}", text.empty() ? "" : ". ",
                    count_words(each.tokens), each.example.name, saw, cost, grouped(each.gpus, 0),
                    each.accelerator, format_number(each.wall_clock_seconds, NumberKind::duration));
  }
  return text;
}

std::string cluster_words(const Scenario& s) {
  if (s.has(Field::hardware_gpus)) {
    const double gpus = s.number_or_default(Field::hardware_gpus);
    return fmt::format("{} accelerator{}, as given", grouped(gpus, 0), gpus == 1 ? "" : "s");
  }
  return fmt::format(
      "sized to finish within {}",
      format_number(s.number_or_default(Field::hardware_deadline), NumberKind::duration, 2));
}

std::string layout_words(const Layout& l) {
  std::string text;
  for (const Dimension& each : kDimensions) {
    if (!each.of_gpus) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " x ", each.word, l.*each.in);
  }
  if (l.cp > 1 && l.context_kind != ContextKind::ring) {
    text += fmt::format(" (context by {})", context_kind_name(l.context_kind));
  }
  if (l.ep > 1) text += fmt::format(", expert {}", l.ep);
  if (l.etp > 1 && l.etp != (l.ep > 1 ? 1 : l.tp)) text += fmt::format(" (tensor {})", l.etp);
  if (l.vp > 1) text += fmt::format(", {} stages per rank", l.vp);
  text += fmt::format(", micro-batch {}, global batch {}", count_words(l.micro_batch),
                      grouped(l.global_batch, 0));
  text += fmt::format(", sharding {}, recompute {}", sharding_name(l.sharding), recompute_words(l));
  return text;
}

std::string mfu_words(const Estimate& e) {
  const PerformanceSummary& p = e.performance;
  std::string text =
      fmt::format("{} of the dense {} peak", number_words(p.mfu, NumberKind::fraction),
                  precision_name(e.precision));
  if (e.precision != Precision::bf16 && p.mfu_bf16) {
    text += fmt::format(", {} of the bf16 peak", number_words(*p.mfu_bf16, NumberKind::fraction));
  }
  constexpr double kWorthSaying = 1.001;
  if (p.hfu > p.mfu * kWorthSaying) {
    text += fmt::format(" ({} with recomputation)", number_words(p.hfu, NumberKind::fraction));
  }
  return text + fmt::format(". Goodput {}, overheads {} of the time",
                            number_words(p.goodput, NumberKind::fraction),
                            number_words(1 - p.production_overhead, NumberKind::fraction));
}

}  // namespace

std::vector<Fact> question_facts(const Report& report) {
  std::vector<Fact> facts;
  if (report.estimates.empty()) return facts;
  const Estimate& e = report.estimates[cheapest_index(report.estimates)];
  facts.push_back({"Model", model_words(e)});
  facts.push_back({"Training", training_words(report, e)});
  facts.push_back({"Tokens", token_words(e)});
  if (!report.alternatives.empty()) {
    facts.push_back({"Released models", alternative_words(report)});
  }
  facts.push_back({"Work", fmt::format("{} of model computation (6ND rule: {})",
                                       flop_words(e.flops.model), flop_words(e.flops.rule_6nd))});
  if (report.scenario != nullptr) {
    facts.push_back({"Cluster", describe_stages(*report.scenario, cluster_words)});
  }
  std::string settings;
  for (const Setting& each : report.settings) {
    settings += fmt::format("{}{} = {} from {}", settings.empty() ? "" : ", ", each.path,
                            each.value, each.from);
  }
  if (!settings.empty()) facts.push_back({"Settings", settings});
  return facts;
}

std::vector<Fact> run_facts(const Estimate& e) {
  const PerformanceSummary& p = e.performance;
  std::vector<Fact> facts;
  facts.push_back(
      {"Cluster", fmt::format("{} x {} in {}", grouped(e.gpus, 0),
                              e.accelerator_title.empty() ? e.accelerator : e.accelerator_title,
                              e.system.empty() ? "unknown systems" : e.system)});
  facts.push_back({"Layout", e.one_layout ? layout_words(e.layout) : "one per stage, see below"});
  // A round takes the time of all its responses, regardless of the number of steps on them.
  const auto batch_words = [](double count, std::string_view what) {
    return fmt::format(" for {} {}{}", grouped(count, 0), what, count == 1 ? "" : "s");
  };
  const std::string batch = e.rollout      ? batch_words(e.rollout->responses, "response")
                            : e.one_layout ? batch_words(e.layout.global_batch, "sequence")
                                           : std::string(" in the mean of the stages");
  facts.push_back(
      {e.rollout ? "Round" : "Step",
       fmt::format("{}{}, {} tokens/s and {} TFLOP/s per GPU",
                   format_number(p.step_seconds, NumberKind::duration), batch,
                   speed_words(p.tokens_per_second_per_gpu),
                   p.tflops_per_gpu < 1000 ? format_number(p.tflops_per_gpu, NumberKind::number)
                                           : grouped(p.tflops_per_gpu, 0))});
  constexpr double kWorthSaying = 0.005;
  if (p.batch_token_cost.value_or(0) >= kWorthSaying) {
    facts.push_back(
        {"Batch", fmt::format("larger than usual: the same loss would take about {} more "
                              "tokens, which are not included",
                              number_words(*p.batch_token_cost, NumberKind::fraction))});
  }
  facts.push_back({"MFU", mfu_words(e)});
  facts.push_back({"Time", fmt::format("{} wall-clock, {} GPU-hours",
                                       format_number(e.wall_clock_seconds, NumberKind::duration),
                                       gpu_hour_words(e.gpu_hours))});
  std::string energy = energy_words(e.energy.kwh);
  if (e.energy.co2_kg) energy += ", " + mass_words(e.energy.co2_kg) + " CO2";
  if (e.energy.tokens_per_mwh)
    energy += ", " + count_words(*e.energy.tokens_per_mwh) + " tokens/MWh";
  facts.push_back({"Energy", energy});
  if (!e.runner_up.empty()) facts.push_back({"Runner-up", e.runner_up});
  if (!p.method.empty()) facts.push_back({"Method", p.method});
  return facts;
}

std::vector<Fact> pipeline_facts(const Estimate& e) {
  std::vector<Fact> facts;
  if (!e.pipeline || e.pipeline->images_per_second <= 0) return facts;
  const PipelineResult& p = *e.pipeline;
  const std::string decoded(decoded_words(e.medium));
  const char* const named[] = {"Images", "Frames", "Audio"};
  const auto each_second = [](double count) { return grouped(count, count < 100 ? 1 : 0); };
  const bool short_of = !p.gpu_bound;
  facts.push_back(
      {named[static_cast<std::size_t>(e.medium)],
       fmt::format("{} {}/s {}for the whole cluster{}", each_second(p.images_per_second), decoded,
                   short_of ? "wanted " : "",
                   short_of ? ", " + each_second(p.images_reached_per_second) + " reached" : "")});
  facts.push_back(
      {"Reading",
       fmt::format("{}{}, dataset {}", format_number(p.bytes_per_second, NumberKind::rate),
                   short_of ? " wanted" : "", format_number(p.dataset_bytes, NumberKind::bytes))});
  facts.push_back(
      {"Decoding", fmt::format("{} CPU cores per GPU",
                               format_number(p.decode_cores_per_gpu, NumberKind::number))});
  if (!p.verdict.empty()) facts.push_back({"Verdict", p.verdict});
  return facts;
}

}  // namespace trcost::report
