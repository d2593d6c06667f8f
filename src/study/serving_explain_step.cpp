// SPDX-License-Identifier: Apache-2.0
// The terms of a decode step, so that each can be computed again by hand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "performance/serving_shares.h"
#include "study/serving_explain.h"

namespace trcost {
namespace {

constexpr std::string_view kFit =
    "shares and seconds fitted to data/serving/measurements.csv "
    "(tests/calibration/refit_serving.py)";

double per_copy(const ServingSteps& s) {
  return std::max(s.row.point.sequences / s.row.layout.dp, 1.0);
}

double context_of(const ServingLoad& load) {
  return load.input_tokens + load.output_tokens / 2;
}

void add_dense(ServingSteps& s) {
  const ServedModel& m = s.of.model;
  const ServingChip& c = s.of.chip;
  const ServingLayout& layout = s.row.layout;
  const WeightFormatRow& format = weight_format(s.row.format);
  const bool mixture = m.experts > 0;
  const double attention = matmul_peak(c, mixture ? format.mixture_bytes : format.attention_bytes);
  const double dense = matmul_peak(c, mixture ? format.mixture_bytes : format.other_bytes);
  s.add("a token's dense products at the peak",
        "2 x (attention / its peak + feed-forward / its peak + head / 16-bit peak)",
        fmt::format("2 x ({} / {} + {} / {} + {} / {})", digits(m.attention_params),
                    digits(attention), digits(m.dense_params), digits(dense), digits(m.head_params),
                    digits(c.bf16)),
        in_seconds(s.of.replica.dense_seconds()));
  const double read = s.of.replica.read_bytes() / layout.tp / (c.bandwidth * c.memory);
  s.add("dense weights, read", "bytes / tp / (bandwidth x share)",
        fmt::format("{} / {} / ({} x {})", digits(s.of.replica.read_bytes()), layout.tp,
                    digits(c.bandwidth), digits(c.memory)),
        in_seconds(read), kFit);
  const double positions = per_copy(s) * (1 + s.of.load.drafted);
  const double computed = positions * s.of.replica.dense_seconds() / layout.tp / c.matmul;
  s.add("dense weights, computed", "requests of a copy x a token's products / tp / share",
        fmt::format("{} x {} / {} / {}", digits(positions), digits(s.of.replica.dense_seconds()),
                    layout.tp, digits(c.matmul)),
        in_seconds(computed), kFit);
  s.add_bounds("dense weights", read, computed, s.row.point.step.dense);
}

void add_experts(ServingSteps& s) {
  if (s.row.point.step.experts <= 0) return;
  const ServedModel& m = s.of.model;
  const ServingChip& c = s.of.chip;
  const double tokens = s.row.point.sequences * (1 + s.of.load.drafted);
  const double touched = touched_experts(m.experts, m.experts_per_token, tokens);
  const double n = s.row.layout.gpus;
  s.add("share of the experts that are read", "1 - (1 - experts per token / experts)^requests",
        fmt::format("1 - (1 - {} / {})^{}", digits(m.experts_per_token), digits(m.experts),
                    digits(tokens)),
        digits(touched));
  const double rate = c.bandwidth * c.experts * s.of.engine.experts;
  const double read = s.of.replica.expert_bytes() * touched / (n * rate);
  s.add("experts, read", "bytes x share read / (GPUs x bandwidth x share x the engine's)",
        fmt::format("{} x {} / ({} x {} x {} x {})", digits(s.of.replica.expert_bytes()),
                    digits(touched), digits(n), digits(c.bandwidth), digits(c.experts),
                    digits(s.of.engine.experts)),
        in_seconds(read), kFit);
  const double peak = s.of.replica.expert_peak();
  const double computed = 2 * m.active_expert_params * tokens / (n * peak * c.expert_matmul);
  s.add("experts, computed", "2 x active parameters x requests / (GPUs x peak x share)",
        fmt::format("2 x {} x {} / ({} x {} x {})", digits(m.active_expert_params), digits(tokens),
                    digits(n), digits(peak), digits(c.expert_matmul)),
        in_seconds(computed), kFit);
  s.add_bounds("experts", read, computed, s.row.point.step.experts, kExpertImbalance);
}

void add_cache(ServingSteps& s) {
  const ServedModel& m = s.of.model;
  const ServingChip& c = s.of.chip;
  const double context = context_of(s.of.load), attended = attended_context(m, context);
  const double bytes = read_cache_bytes(m, context, s.of.cache_bytes);
  const double seen = m.layers * (m.cache_width - m.index_width) * s.of.cache_bytes;
  const bool chooses = m.chosen > 0 && context > m.chosen;
  const double keys = chooses ? m.layers * m.index_width : 0;
  s.add("cache that a step reads of a request",
        chooses ? "bytes of a token x tokens chosen + bytes of its indexer's key x context"
                : "bytes of a token x context that is kept",
        chooses ? fmt::format("{} x {} + {} x {}", digits(seen), digits(attended), digits(keys),
                              digits(context))
                : fmt::format("{} x {}", digits(seen), digits(attended)),
        digits(bytes) + " bytes");
  const double t = s.row.layout.tp, shard = std::min(t, m.kv_heads), local = per_copy(s);
  const double rate = c.bandwidth * c.cache;
  const double read = (bytes / shard + 2 * m.state_bytes / t) * local / rate;
  s.add("cache, read",
        "(cache / min(tp, key-value heads) + 2 x state / tp) x requests of a copy / (bandwidth x "
        "share)",
        fmt::format("({} / {} + 2 x {} / {}) x {} / ({} x {})", digits(bytes), digits(shard),
                    digits(m.state_bytes), digits(t), digits(local), digits(c.bandwidth),
                    digits(c.cache)),
        in_seconds(read), kFit);
  const double flops = decode_core_flops(m, context);
  const double scores = chooses ? m.index_flops : 0;
  s.add("a token's scores and values", "FLOP per token of context x those",
        chooses ? fmt::format("{} x {} + {} x {}", digits(m.decode_flops), digits(attended),
                              digits(scores), digits(context))
                : fmt::format("{} x {}", digits(m.decode_flops), digits(attended)),
        digits(flops) + " FLOP");
  const double positions = local * (1 + s.of.load.drafted);
  const double computed = flops * positions / (t * kDecodeAttention * c.bf16);
  s.add("cache, computed", "FLOP x requests of a copy / (tp x share x 16-bit peak)",
        fmt::format("{} x {} / ({} x {} x {})", digits(flops), digits(positions), digits(t),
                    digits(kDecodeAttention), digits(c.bf16)),
        in_seconds(computed));
  s.add_bounds("cache", read, computed, s.row.point.step.cache);
}

void add_collectives(ServingSteps& s) {
  const ServedModel& m = s.of.model;
  const ServingChip& c = s.of.chip;
  const ServingLayout& layout = s.row.layout;
  const DecodeStep& step = s.row.point.step;
  const double positions = per_copy(s) * (1 + s.of.load.drafted);
  if (step.tensor > 0) {
    s.add("all-reduces of a step",
          "branches x (latency x log2(tp) / 3 + requests of a copy x 2 x (tp - 1) / tp x width x 2 "
          "bytes / rate)",
          fmt::format("{} x ({} x log2({}) / 3 + {} x 2 x ({} - 1) / {} x {} x 2 / {})",
                      digits(m.branches), digits(c.reduce_seconds), layout.tp, digits(positions),
                      layout.tp, layout.tp, digits(m.hidden), digits(s.of.replica.reduce_rate())),
          in_seconds(step.tensor), kFit);
  }
  if (step.exchange <= 0) return;
  const double n = layout.gpus;
  const double tokens = s.row.point.sequences * (1 + s.of.load.drafted);
  const bool inside = n <= c.link_accelerators || c.network <= 0;
  const double copies =
      inside ? m.experts_per_token : std::min(m.experts_per_token, kNodesPerToken);
  s.add(
      "all-to-alls of a step",
      inside ? "expert layers x (2 x latency + requests / GPUs x width x 3 bytes x experts per "
               "token / (link x share))"
             : "expert layers x (2 x latency + exposed x requests / GPUs x width x 3 bytes x "
               "nodes per token / (network x share))",
      fmt::format("{} x (2 x {} + {} x {} / {} x {} x {} x {} / ({} x {}))",
                  digits(m.expert_layers), digits(c.exchange_seconds),
                  digits(inside ? 1 : kNetworkExposed), digits(tokens), digits(n), digits(m.hidden),
                  digits(kExchangeBytes), digits(copies), digits(inside ? c.link : c.network),
                  digits(inside ? c.exchange_link : kServingNetworkShare)),
      in_seconds(step.exchange), kFit);
}

void add_host(ServingSteps& s) {
  const ServedModel& m = s.of.model;
  const ServingChip& c = s.of.chip;
  const Engine& e = s.of.engine;
  const DecodeStep& step = s.row.point.step;
  if (step.draft > 0) {
    s.add("drafting",
          "drafted x ((dense + experts + cache) / layers + head / tp / (bandwidth x share))",
          fmt::format("{} x (({} + {} + {}) / {} + 2 x {} / {} / ({} x {}))",
                      digits(s.of.load.drafted), digits(step.dense), digits(step.experts),
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
                    digits(e.sequence_seconds), digits(per_copy(s))),
        in_seconds(step.host), kFit);
}

}  // namespace

void explain_decode_step(ServingSteps& s) {
  add_dense(s);
  add_experts(s);
  add_cache(s);
  add_collectives(s);
  add_host(s);
  const DecodeStep& step = s.row.point.step;
  s.add("one decode step", "dense + experts + cache + all-reduce + all-to-all + drafting + host",
        fmt::format("{} + {} + {} + {} + {} + {} + {}", digits(step.dense), digits(step.experts),
                    digits(step.cache), digits(step.tensor), digits(step.exchange),
                    digits(step.draft), digits(step.host)),
        in_seconds(step.total()));
}

}  // namespace trcost
