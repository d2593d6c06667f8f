// SPDX-License-Identifier: Apache-2.0
// Terms of a decode step, each with the numbers to compute it by hand.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "performance/serving/serving_model.h"
#include "quantity/quantity.h"
#include "study/serve/serving_explain.h"

namespace trcost::study {

namespace {

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

void add_cache_read(ServingSteps& s, const DecodeParts& parts, double context) {
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
}

void add_cache(ServingSteps& s, const DecodeParts& parts, double context) {
  add_cache_read(s, parts, context);
  s.add("a token's scores and values", "FLOP per token of context x those",
        over_context(
            s.served.model, context, [](const Core& core) { return decode_flops(core); },
            [&](const Core& core) { return index_flops(core, 1, context); }),
        digits(parts.core_flops) + " FLOP");
  s.add("cache, computed", "FLOP x requests of a copy / (tp x share x 16-bit peak)",
        fmt::format("{} x {} / ({} x {} x {})", digits(parts.core_flops), digits(parts.positions),
                    s.row.layout.tp, digits(kDecodeAttention), digits(s.served.chip.bf16)),
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

}  // namespace

void explain_decode_step(ServingSteps& s) {
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

}  // namespace trcost::study
