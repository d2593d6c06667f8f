// SPDX-License-Identifier: Apache-2.0
#include "study/serve/serving_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "performance/serving/serving_model.h"
#include "quantity/quantity.h"

namespace trcost::study {

namespace {

constexpr std::string_view kFormulas = "data/phases.md, B.1 to B.5";

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
  s.add("prompts of others, a step",
        "(busy - hidden x min(min(chunks, 1) x waiting, busy)) x share read in a step; busy = "
        "requests / out x in x a token's time, waiting = what the step's weights take beyond "
        "computing",
        fmt::format(
            "({0} x {1} x {2} - {3} x min(min({0} x {1} / {4}, 1) x {5}, {0} x {1} x {2})) x {6}",
            digits(requests), digits(in), digits(token), digits(e.hidden_prefill),
            digits(std::min(in, e.chunk_tokens)), digits(p.step.waiting),
            digits(s.served.replica.prompts_within_step(load, p.sequences))),
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
      "time per output token", "step / tokens per step + prompts of others",
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

void ServingSteps::add(std::string name, std::string formula, std::string numbers,
                       std::string result, std::string_view source) {
  steps.push_back({std::move(name), std::move(formula), std::move(numbers), std::move(result),
                   std::string(source.empty() ? kFormulas : source)});
}

void ServingSteps::add_bounds(std::string_view what, const Roofline& roofline, double result,
                              double factor) {
  const std::string read = digits(roofline.read), computed = digits(roofline.computed);
  const bool busiest = factor != 1;
  add(fmt::format("{} of a step", what),
      busiest ? "busiest rank x (read^4 + computed^4)^(1/4)" : "(read^4 + computed^4)^(1/4)",
      busiest ? fmt::format("{} x ({}^4 + {}^4)^(1/4)", digits(factor), read, computed)
              : fmt::format("({}^4 + {}^4)^(1/4)", read, computed),
      in_seconds(result));
}

std::vector<Derivation> serving_derivations(const ServedPoint& point, const ServingRow& row) {
  ServingSteps steps(point, row);
  add_memory(steps);
  explain_decode_step(steps);
  add_request(steps);
  return std::move(steps.steps);
}

}  // namespace trcost::study
