// SPDX-License-Identifier: Apache-2.0
#include "study/serve/serving_explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "quantity/quantity.h"
#include "quantity/suggest.h"

namespace trcost::study {

namespace {

constexpr std::string_view kFormulas = "data/phases.md, B.1 to B.5";

// Collects steps. The numbers of each are an expression whose value is its result, so that a reader
// or a test can compute it again with x as multiplication.
struct ServingSteps {
  const ServedPoint& served;
  const ServingRow& row;
  std::vector<Derivation> steps = {};

  void add(std::string name, std::string formula, std::string numbers, std::string result,
           std::string_view source = kFormulas) {
    steps.push_back({std::move(name), std::move(formula), std::move(numbers), std::move(result),
                     std::string(source)});
  }
  // Adds the larger of two bounds with a soft corner, times `factor`.
  void add_bounds(std::string_view what, const Roofline& roofline, double result,
                  double factor = 1) {
    const std::string read = digits(roofline.read), computed = digits(roofline.computed);
    const bool busiest = factor != 1;
    add(fmt::format("{} of a step", what),
        busiest ? "busiest rank x (read^4 + computed^4)^(1/4)" : "(read^4 + computed^4)^(1/4)",
        busiest ? fmt::format("{} x ({}^4 + {}^4)^(1/4)", digits(factor), read, computed)
                : fmt::format("({}^4 + {}^4)^(1/4)", read, computed),
        in_seconds(result));
  }
};

// Sum of the terms of a model's kinds of attention, each with the number of its layers.
template <class Term>
std::string joined(const ServedModel& model, const Term& term) {
  std::string out;
  for (const ServedCore& each : model.cores) append_item(out, term(each.core, each.layers), " + ");
  return out.empty() ? "0" : out;
}

void add_memory(ServingSteps& s) {
  const ServedModel& m = s.served.model;
  const ServingLayout& layout = s.row.layout;
  const ServingPoint& p = s.row.point;
  s.add("weights on each accelerator",
        "(read by each step + embedding and encoder) / tp + experts / GPUs",
        fmt::format("({} + {}) / {} + {} / {}", digits(s.served.replica.read_bytes()),
                    digits(unread_bytes(m)), layout.tp, digits(s.served.replica.expert_bytes()),
                    layout.gpus),
        digits(p.weight_bytes_per_gpu) + " bytes");
  s.add("cache of a token", "layers x (numbers per layer x bytes + bytes of an indexer's key)",
        joined(m,
               [&](const Core& core, double layers) {
                 return fmt::format("{} x ({} x {} + {})", digits(layers),
                                    digits(attention_values(core)), digits(s.served.cache_bytes),
                                    digits(core.index_key));
               }),
        digits(p.cache_bytes_per_token) + " bytes");
  const double kept = kept_cache_bytes(m, mean_context(s.served.load), s.served.cache_bytes);
  const double request = s.served.replica.sequence_bytes_per_gpu(s.served.load);
  // Mean over all kinds of layers, weighted by the bytes that a token adds to each.
  const double context = p.cache_bytes_per_token > 0 ? kept / p.cache_bytes_per_token : 0;
  s.add("cache of a request", "of a token x kept context / min(tp, key-value heads) + state / tp",
        fmt::format("{} x {} / {} + {} / {}", digits(p.cache_bytes_per_token), digits(context),
                    digits(cache_shards(m, layout.tp)), digits(m.state_bytes), layout.tp),
        digits(request) + " bytes");
  const Engine& e = s.served.engine;
  s.add("requests that memory holds",
        "min(the engine's most x copies, copies x share x (memory x (1 - reserve) - weights - "
        "reserve) / cache of a request)",
        fmt::format("min({} x {}, {} x {} x ({} x (1 - {}) - {} - {}) / {})",
                    digits(e.most_sequences), layout.dp, layout.dp, digits(e.cache_share),
                    digits(s.served.chip.memory_bytes), digits(e.reserve_share),
                    digits(p.weight_bytes_per_gpu), digits(e.reserve_bytes), digits(request)),
        digits(p.most_sequences), e.memory_source);
}

constexpr std::string_view kFit =
    "shares and seconds fitted to data/serving/measurements.csv "
    "(tests/calibration/refit_serving.py)";

void add_dense(ServingSteps& s, const DecodeParts& parts) {
  const ServedModel& m = s.served.model;
  const ServingChip& c = s.served.chip;
  const ServingModel& replica = s.served.replica;
  const int tp = s.row.layout.tp;
  const PartBytes& bytes = replica.bytes();
  s.add("a token's dense products at the peak",
        "2 x (attention / its peak + feed-forward / its peak + head / 16-bit peak)",
        fmt::format("2 x ({} / {} + {} / {} + {} / {})", digits(m.attention_params),
                    digits(matmul_peak(c, s.row.format, bytes.attention)), digits(m.dense_params),
                    digits(matmul_peak(c, s.row.format, bytes.dense)), digits(m.head_params),
                    digits(c.bf16)),
        in_seconds(replica.dense_seconds()));
  s.add("dense weights, read", "bytes / tp / (bandwidth x share)",
        fmt::format("{} / {} / ({} x {})", digits(replica.read_bytes()), tp, digits(c.bandwidth),
                    digits(c.memory)),
        in_seconds(parts.dense.read), kFit);
  s.add("dense weights, computed", "requests of a copy x a token's products / tp / share",
        fmt::format("{} x {} / {} / {}", digits(parts.positions), digits(replica.dense_seconds()),
                    tp, digits(c.matmul)),
        in_seconds(parts.dense.computed), kFit);
  s.add_bounds("dense weights", parts.dense, s.row.point.step.dense);
}

void add_experts(ServingSteps& s, const DecodeParts& parts) {
  if (s.row.point.step.experts <= 0) return;
  const ServedModel& m = s.served.model;
  const ServingChip& c = s.served.chip;
  const double n = s.row.layout.gpus;
  s.add("share of the experts that are read", "1 - (1 - experts per token / experts)^requests",
        fmt::format("1 - (1 - {} / {})^{}", digits(m.experts_per_token), digits(m.experts),
                    digits(parts.tokens)),
        digits(parts.touched));
  s.add("experts, read", "bytes x share read / (GPUs x bandwidth x share x the engine's)",
        fmt::format("{} x {} / ({} x {} x {} x {})", digits(s.served.replica.expert_bytes()),
                    digits(parts.touched), digits(n), digits(c.bandwidth), digits(c.experts),
                    digits(s.served.engine.experts)),
        in_seconds(parts.experts.read), kFit);
  s.add("experts, computed", "2 x active parameters x requests / (GPUs x peak x share)",
        fmt::format("2 x {} x {} / ({} x {} x {})", digits(m.active_expert_params),
                    digits(parts.tokens), digits(n), digits(s.served.replica.expert_peak()),
                    digits(c.expert_matmul)),
        in_seconds(parts.experts.computed), kFit);
  s.add_bounds("experts", parts.experts, s.row.point.step.experts, kExpertImbalance);
}

// Sum of the terms of the tokens that are attended to and, for an indexer, of the whole context.
template <class Attended, class Indexed>
std::string over_context(const ServedModel& model, double context, const Attended& attended,
                         const Indexed& indexed) {
  return joined(model, [&](const Core& core, double layers) {
    std::string term = fmt::format("{} x {}", digits(layers * attended(core)),
                                   digits(attended_tokens(core, context)));
    if (!chooses(core, context)) return term;
    return fmt::format("{} + {} x {}", term, digits(layers * indexed(core)), digits(context));
  });
}

void add_cache(ServingSteps& s, const DecodeParts& parts, double context) {
  const ServedModel& m = s.served.model;
  const ServingChip& c = s.served.chip;
  const double t = s.row.layout.tp;
  const bool chosen = std::ranges::any_of(
      m.cores, [&](const ServedCore& each) { return chooses(each.core, context); });
  s.add("cache that a step reads of a request",
        chosen ? "bytes of a token x tokens chosen + bytes of its indexer's key x context"
               : "bytes of a token x context that is kept",
        over_context(
            m, context,
            [&](const Core& core) { return attention_values(core) * s.served.cache_bytes; },
            [](const Core& core) { return core.index_key; }),
        digits(parts.cache_bytes) + " bytes");
  s.add("cache, read",
        "(cache / min(tp, key-value heads) + 2 x state / tp) x requests of a copy / (bandwidth x "
        "share)",
        fmt::format("({} / {} + 2 x {} / {}) x {} / ({} x {})", digits(parts.cache_bytes),
                    digits(parts.cache_shards), digits(m.state_bytes), digits(t),
                    digits(parts.requests), digits(c.bandwidth), digits(c.cache)),
        in_seconds(parts.cache.read), kFit);
  s.add("a token's scores and values", "FLOP per token of context x those",
        over_context(
            m, context, [](const Core& core) { return decode_flops(core); },
            [&](const Core& core) { return index_flops(core, 1, context); }),
        digits(parts.core_flops) + " FLOP");
  s.add("cache, computed", "FLOP x requests of a copy / (tp x share x 16-bit peak)",
        fmt::format("{} x {} / ({} x {} x {})", digits(parts.core_flops), digits(parts.positions),
                    s.row.layout.tp, digits(kDecodeAttention), digits(c.bf16)),
        in_seconds(parts.cache.computed));
  s.add_bounds("cache", parts.cache, s.row.point.step.cache);
}

void add_reduces(ServingSteps& s, const DecodeParts& parts) {
  const DecodeStep& step = s.row.point.step;
  if (step.tensor <= 0) return;
  const ServedModel& m = s.served.model;
  const int tp = s.row.layout.tp;
  s.add("all-reduces of a step",
        "branches x (latency x log2(tp) / 3 + requests of a copy x 2 x (tp - 1) / tp x width x 2 "
        "bytes / rate)",
        fmt::format("{} x ({} x log2({}) / 3 + {} x 2 x ({} - 1) / {} x {} x 2 / {})",
                    digits(m.branches), digits(s.served.chip.reduce_seconds), tp,
                    digits(parts.positions), tp, tp, digits(m.hidden),
                    digits(s.served.replica.reduce_rate())),
        in_seconds(step.tensor), kFit);
}

void add_exchange(ServingSteps& s, const DecodeParts& parts) {
  const DecodeStep& step = s.row.point.step;
  if (step.exchange <= 0) return;
  const ServedModel& m = s.served.model;
  const ExpertExchange& e = parts.exchange;
  s.add("all-to-alls of a step",
        e.inside ? "expert layers x (2 x latency + requests / GPUs x width x 3 bytes x experts per "
                   "token / (link x share))"
                 : "expert layers x (2 x latency + exposed x requests / GPUs x width x 3 bytes x "
                   "nodes per token / (network x share))",
        fmt::format("{} x (2 x {} + {} x {} / {} x {} x {} x {} / ({} x {}))",
                    digits(m.expert_layers), digits(s.served.chip.exchange_seconds),
                    digits(e.exposed), digits(parts.tokens), s.row.layout.gpus, digits(m.hidden),
                    digits(kExchangeBytes), digits(e.copies), digits(e.rate), digits(e.share)),
        in_seconds(step.exchange), kFit);
}

void add_host(ServingSteps& s, const DecodeParts& parts) {
  const ServedModel& m = s.served.model;
  const ServingChip& c = s.served.chip;
  const Engine& e = s.served.engine;
  const DecodeStep& step = s.row.point.step;
  if (step.draft > 0) {
    s.add("drafting",
          "drafted x ((dense + experts + cache) / layers + head / tp / (bandwidth x share))",
          fmt::format("{} x (({} + {} + {}) / {} + 2 x {} / {} / ({} x {}))",
                      digits(s.served.load.drafted), digits(step.dense), digits(step.experts),
                      digits(step.cache), digits(m.layers), digits(m.head_params), s.row.layout.tp,
                      digits(c.bandwidth), digits(c.memory)),
          in_seconds(step.draft));
  }
  s.add("host and launches of a step",
        "branches / 2 x seconds of a layer x the engine's x its mixtures' + seconds of a step + "
        "seconds of a request x requests of a copy",
        fmt::format("{} / 2 x {} x {} x {} + {} + {} x {}", digits(m.branches),
                    digits(c.layer_seconds), digits(e.layer),
                    digits(m.experts > 0 ? e.expert_layer : 1), digits(e.step_seconds),
                    digits(e.sequence_seconds), digits(parts.requests)),
        in_seconds(step.host), kFit);
}

// Adds the terms of one decode step, each from its bytes, FLOPs and rates.
void add_decode_step(ServingSteps& s) {
  const ServingLoad& load = s.served.load;
  const double context = mean_context(load);
  const DecodeParts parts = s.served.replica.parts(s.row.point.sequences, context, load.drafted);
  add_dense(s, parts);
  add_experts(s, parts);
  add_cache(s, parts, context);
  add_reduces(s, parts);
  add_exchange(s, parts);
  add_host(s, parts);
  const DecodeStep& step = s.row.point.step;
  s.add("one decode step", "dense + experts + cache + all-reduce + all-to-all + drafting + host",
        fmt::format("{} + {} + {} + {} + {} + {} + {}", digits(step.dense), digits(step.experts),
                    digits(step.cache), digits(step.tensor), digits(step.exchange),
                    digits(step.draft), digits(step.host)),
        in_seconds(step.total()));
}

// Time of a prompt token, and of other prompts between two output tokens.
void add_prompts(ServingSteps& s) {
  const ServedModel& m = s.served.model;
  const ServingChip& c = s.served.chip;
  const Engine& e = s.served.engine;
  const ServingLoad& load = s.served.load;
  const ServingPoint& p = s.row.point;
  const double token = s.served.replica.prefill_seconds_per_token(load.input_tokens);
  const auto share = [&](double of_peak) {
    return fmt::format("min({} x {}, {})", digits(of_peak), digits(e.prefill),
                       digits(kMostPrefill));
  };
  s.add("a token of a prompt",
        "(dense at the peak / share + 2 x active experts / peak / share + scores and values / "
        "(share x 16-bit peak)) / GPUs + all-reduces",
        fmt::format("({} / {} + 2 x {} / {} / {} + {} / ({} x {})) / {} + {}",
                    digits(s.served.replica.prefill_dense_seconds()), share(c.prefill),
                    digits(m.active_expert_params), digits(s.served.replica.expert_peak()),
                    share(c.expert_prefill), digits(prefill_core_flops(m, load.input_tokens)),
                    digits(kPrefillAttention), digits(c.bf16), s.row.layout.gpus,
                    digits(s.served.replica.prefill_reduce_seconds())),
        in_seconds(token));
  if (load.apart) return;
  const double in = uncached_input(load);
  const double requests = p.sequences / load.output_tokens;
  const double others = std::max(0.0, p.sequences - 1) / load.output_tokens;
  s.add("prefill of other requests, per step",
        "(busy - hidden x min(min(chunks, 1) x waiting, busy)) x share read in a step; busy = "
        "(requests - 1) / out x in x a token's time, waiting = what the step's weights take beyond "
        "computing",
        fmt::format(
            "({7} x {1} x {2} - {3} x min(min({0} x {1} / {4}, 1) x {5}, {7} x {1} x {2})) x {6}",
            digits(requests), digits(in), digits(token), digits(e.hidden_prefill),
            digits(std::min(in, e.chunk_tokens)), digits(p.step.waiting),
            digits(s.served.replica.prompts_within_step(load, p.sequences)), digits(others)),
        in_seconds(p.prefill_seconds));
}

// Times of a request whose prompt is processed on separate accelerators.
void add_separate_prompts(ServingSteps& s) {
  const ServingLoad& load = s.served.load;
  const ServingPoint& p = s.row.point;
  const ServingLayout& layout = s.row.layout;
  const double group = std::min<double>(p.prefill_gpus, layout.gpus);
  const ServingModel& replica = s.served.replica;
  s.add("time to the first token",
        "schedule + host + prompt + busy / (2 x (1 - busy)) x prompt x group / readers + cache / "
        "(link x tp)",
        fmt::format("{0} + {1} + {2} + {3} / (2 x (1 - {3})) x {2} x {4} / {5} + {6} / ({7} x {8})",
                    digits(s.served.engine.first_token_seconds), digits(p.step.host),
                    digits(p.prompt_seconds), digits(p.prefill_busy), digits(group),
                    digits(p.prefill_gpus), digits(replica.handed_over_bytes(load)),
                    digits(replica.hand_over_rate()), layout.tp),
        in_seconds(p.ttft_seconds));
  s.add("output tokens per second and GPU",
        "min(requests / (out x time per token), busiest x readers / GPU-seconds of a prompt) x out "
        "/ (GPUs that write + readers)",
        fmt::format("min({} / ({} x {}), {} x {} / {}) x {} / ({} + {})", digits(p.sequences),
                    digits(load.output_tokens), digits(p.tpot_seconds), digits(kBusiestPrefill),
                    digits(p.prefill_gpus), digits(p.prompt_seconds * group),
                    digits(load.output_tokens), layout.gpus, digits(p.prefill_gpus)),
        digits(p.output_per_gpu));
}

void add_shared_prompts(ServingSteps& s) {
  const ServingLoad& load = s.served.load;
  const ServingPoint& p = s.row.point;
  const Engine& e = s.served.engine;
  s.add("time to the first token",
        "schedule + host + prompt + share x prompt x requests + prompts that no step had room for",
        fmt::format("{} + {} + {} + {} x {} x {} + {}", digits(e.first_token_seconds),
                    digits(p.step.host), digits(p.prompt_seconds), digits(e.queue),
                    digits(p.prompt_seconds), digits(p.sequences), digits(p.queue_seconds)),
        in_seconds(p.ttft_seconds));
  s.add("output tokens per second and GPU",
        "requests x out / (first token + (out - 1) x time per token) / GPUs",
        fmt::format("{} x {} / ({} + {} x {}) / {}", digits(p.sequences),
                    digits(load.output_tokens), digits(p.ttft_seconds),
                    digits(load.output_tokens - 1), digits(p.tpot_seconds), s.row.layout.gpus),
        digits(p.output_per_gpu));
}

void add_request(ServingSteps& s) {
  const ServingLoad& load = s.served.load;
  const ServingPoint& p = s.row.point;
  add_prompts(s);
  const double gain = tokens_per_decode_step(load);
  if (load.drafted > 0 && load.acceptance < 1) {
    s.add("tokens of a step", "(1 - acceptance^(drafted + 1)) / (1 - acceptance)",
          fmt::format("(1 - {0}^({1} + 1)) / (1 - {0})", digits(load.acceptance),
                      digits(load.drafted)),
          digits(gain), "Leviathan et al., arXiv:2211.17192, eq. 1");
  }
  s.add(
      "time per output token", "step / tokens per step + prefill of other requests",
      fmt::format("{} / {} + {}", digits(p.step.total()), digits(gain), digits(p.prefill_seconds)),
      in_seconds(p.tpot_seconds));
  load.apart ? add_separate_prompts(s) : add_shared_prompts(s);
  const double speed = s.served.engine.speed, rate = p.output_per_gpu * speed;
  if (speed != 1) {
    s.add("output tokens per second and GPU, as run", "rate x speed of the release and the tuning",
          fmt::format("{} x {}", digits(p.output_per_gpu), digits(speed)), digits(rate),
          "data/engines: yearly_gain, usual_gap");
  }
  const TokenCost& cost = s.row.cost;
  if (!cost.output) return;
  s.add("dollars per million output tokens", "price / 3600 / (rate x share sold) x 1e6",
        fmt::format("{} / 3600 / ({} x {}) x 1e6", digits(*cost.price_per_gpu_hour), digits(rate),
                    digits(s.served.sold)),
        "$" + digits(*cost.output), cost.source);
}

}  // namespace

std::vector<Derivation> serving_derivations(const ServedPoint& point, const ServingRow& row) {
  ServingSteps steps{point, row};
  add_memory(steps);
  add_decode_step(steps);
  add_request(steps);
  return std::move(steps.steps);
}

}  // namespace trcost::study
