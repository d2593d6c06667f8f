// SPDX-License-Identifier: Apache-2.0
#include "study/serving_explain.h"

#include <fmt/format.h>

#include <cmath>

#include "catalog/engine.h"
#include "workload/served_model.h"

namespace trcost {
namespace {

constexpr std::string_view kFormulas = "data/phases.md, B.1 to B.5";
constexpr std::string_view kFit =
    "shares and seconds fitted to data/serving/measurements.csv (tests/calibration/refit_serving.py)";

std::string n(double value) { return fmt::format("{:.6g}", value); }
std::string seconds(double value) { return fmt::format("{:.6g} s", value); }

// Collects the steps; `of` and `row` are what they are about.
class Chain {
 public:
  Chain(const ServedPoint& of, const ServingRow& row)
      : of_(of), row_(row), layout_(row.layout), point_(row.point) {}

  std::vector<Derivation> take() {
    add_memory();
    add_step();
    add_request();
    add_rate();
    return std::move(out_);
  }

 private:
  void add(std::string name, std::string formula, std::string numbers, std::string result,
           std::string_view source = kFormulas) {
    out_.push_back({std::move(name), std::move(formula), std::move(numbers), std::move(result),
                    std::string(source)});
  }

  void add_memory() {
    const ServedModel& m = of_.model;
    const double embedding = m.tied ? 0 : 2 * m.head_params;
    add("weights on each accelerator", "(read by each step + embedding) / tp + experts / GPUs",
        fmt::format("({} + {}) / {} + {} / {} bytes", n(of_.replica.read_bytes()), n(embedding),
                    layout_.tp, n(of_.replica.expert_bytes()), layout_.gpus),
        n(point_.weight_bytes_per_gpu) + " bytes");
    add("cache of a token", "layers x numbers per layer x bytes",
        fmt::format("{} x {} x {}", n(m.layers), n(m.cache_width), n(of_.cache_bytes)),
        n(point_.cache_bytes_per_token) + " bytes");
    const double kept = kept_context(m, of_.load.input_tokens + 0.5 * of_.load.output_tokens);
    const Engine& e = of_.engine;
    add("requests that memory holds",
        "the engine's most, at most copies x share x (memory x (1 - reserve) - weights - reserve) / "
        "(cache of a token x kept context / min(tp, key-value heads) + state / tp)",
        fmt::format("at most {} x {}; {} x {} x ({} x (1 - {}) - {} - {}) / ({} x {} / {} + {} / {})",
                    n(e.most_sequences), layout_.dp, layout_.dp, n(e.cache_share),
                    n(of_.chip.memory_bytes), n(e.reserve_share), n(point_.weight_bytes_per_gpu),
                    n(e.reserve_bytes), n(point_.cache_bytes_per_token), n(kept),
                    n(std::min<double>(layout_.tp, m.kv_heads)), n(m.state_bytes), layout_.tp),
        n(point_.most_sequences), e.memory_source);
  }

  // A part of a step that is bound by bytes and by FLOPs.
  void add_step() {
    const DecodeStep& s = point_.step;
    const ServingChip& c = of_.chip;
    const double read =
        of_.replica.read_bytes() / layout_.tp / (c.bandwidth * c.memory);
    add("dense weights of a step",
        "(read^4 + computed^4)^(1/4); read = bytes / tp / (bandwidth x share)",
        fmt::format("read = {} / {} / ({} x {}) = {}", n(of_.replica.read_bytes()), layout_.tp,
                    n(c.bandwidth), n(c.memory), seconds(read)),
        seconds(s.dense), kFit);
    if (s.experts > 0) {
      const double touched =
          touched_experts(of_.model.experts, of_.model.experts_per_token,
                          point_.sequences * (1 + of_.load.drafted));
      add("experts of a step",
          "busiest rank x (read^4 + computed^4)^(1/4); read = bytes x touched / (GPUs x bandwidth x "
          "share); touched = 1 - (1 - k/E)^requests",
          fmt::format("touched = {}; read = {} x {} / ({} x {} x {})", n(touched),
                      n(of_.replica.expert_bytes()), n(touched), layout_.gpus, n(c.bandwidth),
                      n(c.experts * of_.engine.experts)),
          seconds(s.experts), kFit);
    }
    add("one decode step", "dense + experts + cache + all-reduce + all-to-all + drafting + host",
        fmt::format("{} + {} + {} + {} + {} + {} + {}", n(s.dense), n(s.experts), n(s.cache),
                    n(s.tensor), n(s.exchange), n(s.draft), n(s.host)),
        seconds(s.total()));
  }

  void add_request() {
    const ServingLoad& load = of_.load;
    const double gain =
        load.drafted > 0 ? tokens_per_speculative_step(load.acceptance, load.drafted) : 1;
    add("time per output token", "step / tokens per step + prompts of others",
        fmt::format("{} / {} + {}", n(point_.step.total()), n(gain), n(point_.prefill_seconds)),
        seconds(point_.tpot_seconds));
    if (load.apart) {
      add("time to the first token", "schedule + host + prompt + queue + cache over the network",
          fmt::format("prompt = {}, {} accelerators, busy {}", seconds(point_.prompt_seconds),
                      n(point_.prefill_gpus), n(point_.prefill_busy)),
          seconds(point_.ttft_seconds));
      return;
    }
    const Engine& e = of_.engine;
    add("time to the first token", "schedule + host + prompt + share x prompt x requests",
        fmt::format("{} + {} + {} + {} x {} x {}", n(e.first_token_seconds), n(point_.step.host),
                    n(point_.prompt_seconds), n(e.queue), n(point_.prompt_seconds),
                    n(point_.sequences)),
        seconds(point_.ttft_seconds), kFit);
  }

  void add_rate() {
    const ServingLoad& load = of_.load;
    if (load.apart) {
      add("output tokens per second and GPU",
          "requests / (out x time per token) x out / (GPUs that write + GPUs that read)",
          fmt::format("{} / {} / ({} + {}), where the readers keep up", n(point_.sequences),
                      n(point_.tpot_seconds), layout_.gpus, n(point_.prefill_gpus)),
          n(point_.output_per_gpu));
    } else {
      add("output tokens per second and GPU",
          "requests x out / (first token + (out - 1) x time per token) / GPUs",
          fmt::format("{} x {} / ({} + {} x {}) / {}", n(point_.sequences), n(load.output_tokens),
                      n(point_.ttft_seconds), n(load.output_tokens - 1), n(point_.tpot_seconds),
                      layout_.gpus),
          n(point_.output_per_gpu));
    }
    const TokenCost& cost = row_.cost;
    if (!cost.output) return;
    add("dollars per million output tokens", "price / 3600 / (rate x share sold) x 1e6",
        fmt::format("{} / 3600 / ({} x {}) x 1e6", n(*cost.price_per_gpu_hour),
                    n(point_.output_per_gpu), n(of_.sold)),
        "$" + n(*cost.output), cost.source);
  }

  const ServedPoint& of_;
  const ServingRow& row_;
  const ServingLayout& layout_;
  const ServingPoint& point_;
  std::vector<Derivation> out_;
};

}  // namespace

std::vector<Derivation> serving_derivations(const ServedPoint& of, const ServingRow& row) {
  return Chain(of, row).take();
}

}  // namespace trcost
