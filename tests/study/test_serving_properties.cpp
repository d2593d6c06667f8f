// SPDX-License-Identifier: Apache-2.0
// What holds of serving and rollouts whatever the question: random models, chips, loads and
// layouts.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "performance/serving/rollout.h"
#include "planner/scenarios.h"
#include "planner/serving_layout.h"
#include "repeats.h"
#include "trcost/estimate.h"
#include "trcost/serving.h"

using namespace trcost;

namespace {

// Draws by themselves, alike on every machine: distributions of the library are not.
class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double unit() { return static_cast<double>(engine_()) / 4294967296.0; }
  double between(double low, double high) { return low * std::pow(high / low, unit()); }
  double whole(double low, double high) { return std::floor(between(low, high + 0.99)); }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(unit() * static_cast<double>(all.size()))];
  }

 private:
  std::mt19937 engine_;
};

const std::vector<std::string> kModels = {"llama-3.1-8b",       "llama-3.1-70b", "qwen3-30b-a3b",
                                          "gpt-oss-120b",       "deepseek-v3",   "nemotron-h-8b",
                                          "qwen3-next-80b-a3b", "gemma-2-27b",   "deepseek-v3.2"};
const std::vector<std::string> kChips = {"a100-sxm-80gb", "h100-sxm", "h200", "b200", "mi300x"};
const std::vector<std::string> kEngines = {"vllm", "sglang", "trtllm", "typical"};
const std::vector<WeightFormat> kFormats = {WeightFormat::bf16, WeightFormat::fp8,
                                            WeightFormat::mxfp4};

struct Case {
  ServedModel model;
  ServingChip chip;
  const Engine* engine;
  WeightFormat format;
  ServingLayout layout;
  ServingLoad load;
  [[nodiscard]] ServingModel replica() const {
    return {model, chip, *engine, format, format == WeightFormat::bf16 ? 2.0 : 1.0, layout};
  }
};

Case random_case(Draw& draw) {
  Case c;
  c.model = served_model(test_catalog().model(draw.of(kModels)));
  const Accelerator& chip = test_catalog().accelerator(draw.of(kChips));
  c.chip = test_catalog().serving_chip(chip, test_catalog().system(chip.system));
  c.engine = &test_catalog().engine(draw.of(kEngines));
  c.format = draw.of(kFormats);
  ServingSearch search;
  const int gpus = 1 << static_cast<int>(draw.unit() * 6);
  const std::vector<ServingLayout> layouts = serving_layouts(c.model, search, gpus);
  c.layout = layouts.empty() ? ServingLayout{} : draw.of(layouts);
  c.load.input_tokens = draw.whole(1, 8000);
  c.load.output_tokens = draw.whole(1, 8000);
  c.load.concurrency = draw.whole(1, 4000);
  c.load.cached_input = 0.9 * draw.unit();
  c.load.apart = draw.unit() < 0.4;
  if (c.load.apart && draw.unit() < 0.5) c.load.prefill_gpus = draw.whole(1, 64);
  return c;
}

double best_peak(const ServingChip& chip) {
  return *std::max({std::optional(chip.bf16), chip.fp8, chip.fp4});
}

Scenario round_of(Draw& draw, const std::string& method, double gpus) {
  Scenario s;
  s.set_text(Field::train_method, method);
  s.set_text(Field::model_name, draw.unit() < 0.5 ? "llama-3.1-8b" : "qwen3-30b-a3b");
  s.set_text(Field::hardware_accelerator, draw.unit() < 0.5 ? "h100-sxm" : "b200");
  s.set_number(Field::hardware_gpus, gpus);
  s.set_number(Field::cost_price_per_gpu_hour, 2);
  s.set_number(Field::rollout_prompts, 32 * draw.whole(1, 16));
  s.set_number(Field::rollout_response_tokens, draw.whole(200, 4000));
  s.set_number(Field::rollout_response_limit, 8000);
  return s;
}

}  // namespace

TEST_CASE("no served token is faster than its weights are read or than the chip computes",
          "[serving][properties]") {
  Draw draw(1);
  int served = 0;
  for (int i = 0; i < 4000; ++i) {
    const Case c = random_case(draw);
    const ServingModel replica = c.replica();
    const ServingPoint p = replica.at(c.load);
    if (!p.fits) continue;
    ++served;
    INFO(i);
    const double read = replica.read_bytes() / c.layout.tp / c.chip.bandwidth;
    CHECK(p.step.total() >= read);
    CHECK(p.tpot_seconds >= read);
    const double flops = 2 * (c.model.attention_params + c.model.dense_params +
                              c.model.active_expert_params + c.model.head_params);
    CHECK(p.output_per_gpu * flops <= best_peak(c.chip));
    CHECK(p.ttft_seconds > 0);
    CHECK(p.sequences <= p.most_sequences);
    CHECK(p.prefill_busy <= 0.9 + 1e-9);
  }
  CHECK(served > 2000);
}

TEST_CASE("more bandwidth, memory and cached prompts never serve less", "[serving][properties]") {
  Draw draw(2);
  int served = 0;
  for (int i = 0; i < 2000; ++i) {
    Case c = random_case(draw);
    c.load.apart = false;
    const ServingPoint before = c.replica().at(c.load);
    if (!before.fits) continue;
    ++served;
    INFO(i);
    Case better = c;
    better.chip.bandwidth *= 1 + draw.unit();
    // A step that waits less for memory hides less of the prompts.
    CHECK(better.replica().at(c.load).output_per_gpu >= before.output_per_gpu * 0.98);
    better = c;
    better.load.cached_input = c.load.cached_input + (1 - c.load.cached_input) * 0.5;
    CHECK(better.replica().at(better.load).output_per_gpu >= before.output_per_gpu * (1 - 1e-9));
  }
  CHECK(served > 1000);
}

TEST_CASE("dollars per token fall with what is sold and rise with the price",
          "[serving][properties]") {
  Draw draw(3);
  for (int i = 0; i < 500; ++i) {
    const double price = draw.between(0.1, 20), rate = draw.between(1, 1e5), sold = draw.unit();
    const double usd = *dollars_per_million(price, rate, sold);
    CHECK(*dollars_per_million(price, rate, sold + (1 - sold) / 2) < usd);
    CHECK(*dollars_per_million(2 * price, rate, sold) > usd);
    CHECK(needed_tokens_per_second(price, usd, sold) == Approx(rate));
  }
}

TEST_CASE("readers whose number is left open keep up, unless one replica fewer gives more per GPU",
          "[serving][properties]") {
  int keeping_up = 0, fewer = 0;
  Draw draw(4);
  for (int i = 0; i < 1000; ++i) {
    Case c = random_case(draw);
    c.load.apart = true;
    c.load.prefill_gpus.reset();
    const ServingPoint p = c.replica().at(c.load);
    if (!p.fits) continue;
    INFO(i);
    CHECK(p.prefill_gpus >= c.layout.gpus);
    CHECK(std::fmod(p.prefill_gpus, c.layout.gpus) == 0);
    // Writers that never wait for readers have the rate of full steps.
    const double full = p.sequences / p.tpot_seconds / (c.layout.gpus + p.prefill_gpus);
    if (std::abs(p.output_per_gpu / full - 1) < 0.02) {
      ++keeping_up;
      continue;
    }
    ++fewer;
    ServingLoad more = c.load;
    more.prefill_gpus = p.prefill_gpus + c.layout.gpus;
    const ServingPoint q = c.replica().at(more);
    CHECK(p.output_per_gpu >= q.output_per_gpu);
    CHECK(q.output_per_gpu ==
          Approx(q.sequences / q.tpot_seconds / (c.layout.gpus + q.prefill_gpus)).epsilon(0.02));
  }
  CHECK(keeping_up > 10 * fewer);
}

TEST_CASE("writing responses takes no less than the longest of them alone",
          "[methods][properties]") {
  Draw draw(5);
  int written = 0;
  for (int i = 0; i < 600; ++i) {
    const Case c = random_case(draw);
    const ServingModel replica = c.replica();
    const double prompt = c.load.input_tokens, limit = draw.whole(400, 32000);
    const ResponseLengths lengths(limit * (0.05 + 0.9 * draw.unit()), 1.2 * draw.unit(), limit);
    const double most = std::floor(
        replica.most_sequences({.input_tokens = prompt, .output_tokens = lengths.mean()}));
    if (most < 1) continue;
    ++written;
    INFO(i);
    const double responses = draw.whole(1, 4000);
    const RolloutTime time =
        rollout_time(responses, prompt, 0, most, lengths, responses,
                     [&](double b, double context) { return replica.decode(b, context).total(); });
    CHECK(time.seconds >= time.longest * replica.decode(1, prompt).total() * (1 - 1e-9));
    CHECK(time.longest >= lengths.mean() * (1 - 1e-9));
    CHECK(time.longest <= limit * (1 + 1e-9));
  }
  CHECK(written > 300);
}

TEST_CASE("a fuller step and a longer context take no less time", "[serving][properties]") {
  Draw draw(6);
  for (int i = 0; i < 1000; ++i) {
    const Case c = random_case(draw);
    const ServingModel replica = c.replica();
    const double b = draw.whole(1, 4000), context = draw.whole(1, 100000);
    INFO(i);
    const double before = replica.decode(b, context).total();
    CHECK(replica.decode(b * 1.5, context).total() >= before * (1 - 1e-12));
    CHECK(replica.decode(b, context * 1.5).total() >= before * (1 - 1e-12));
  }
}

TEST_CASE("a step is made of its parts, each at least as slow as either of its bounds",
          "[serving][properties]") {
  Draw draw(8);
  for (int i = 0; i < 1000; ++i) {
    const Case c = random_case(draw);
    const ServingModel replica = c.replica();
    const double b = draw.whole(1, 4000), context = draw.whole(1, 100000);
    const double drafted = std::floor(4 * draw.unit());
    INFO(i);
    const DecodeParts parts = replica.parts(b, context, drafted);
    const DecodeStep step = replica.decode(b, context, drafted);
    const auto between = [](double seconds, const Roofline& roofline) {
      const double larger = std::max(roofline.read, roofline.computed);
      CHECK(seconds >= larger * (1 - 1e-12));
      CHECK(seconds <= std::pow(2, 0.25) * larger * (1 + 1e-12));
    };
    between(step.dense, parts.dense);
    between(step.experts / 1.1, parts.experts);
    between(step.cache, parts.cache);
    CHECK(parts.positions == parts.requests * (1 + drafted));
    // Requests of all copies are at least the replica's.
    CHECK(parts.positions * c.layout.dp >= parts.tokens * (1 - 1e-12));
    const double number = c.format == WeightFormat::bf16 ? 2 : 1;
    CHECK(parts.cache_bytes <= kept_cache_bytes(c.model, context, number) * (1 + 1e-12));
  }
}

// Choosing costs the scores of all tokens: it pays from somewhat above the number that is chosen.
TEST_CASE("an indexer costs no more than its own scores beside attention to all tokens",
          "[serving][properties]") {
  Draw draw(7);
  const ServedModel sparse = served_model(test_catalog().model("deepseek-v3.2"));
  ServedModel dense = sparse;  // the same cache, all of it seen
  for (ServedCore& each : dense.cores) {
    each.core.windows = {};
    each.core.index_width = 0;
  }
  const auto [core, layers] = *sparse.cores.begin();
  const double chosen = core.windows[0].window;
  for (int i = 0; i < 300; ++i) {
    const double context = draw.whole(1, 160000);
    INFO(context);
    const double keys = layers * core.index_key * context;
    const double scores = layers * 2 * core.index_width * context;
    const double rounding = 1 + 1e-12;
    const bool pays = context >= 2 * chosen;
    CHECK(read_cache_bytes(sparse, context, 2) <=
          (read_cache_bytes(dense, context, 2) + (pays ? 0 : keys)) * rounding);
    CHECK(decode_core_flops(sparse, context) <=
          (decode_core_flops(dense, context) + (pays ? 0 : scores)) * rounding);
    CHECK(prefill_core_flops(sparse, context) <=
          (prefill_core_flops(dense, context) + (pays ? 0 : scores / 2)) * rounding);
    CHECK(cache_bytes_per_token(sparse, 1) == cache_bytes_per_token(dense, 1));
  }
}

TEST_CASE(
    "of a round ppo holds more than grpo and that more than fine-tuning, and more accelerators "
    "take no longer",
    "[methods][properties]") {
  for (unsigned i = 0; i < static_cast<unsigned>(repeats(100)); ++i) {
    Draw draw(100 + i);
    const double gpus = 16 * (1 + static_cast<double>(i % 3));
    const auto answer = [&](const char* method, double n) {
      Draw same(200 + i);
      return estimate(round_of(same, method, n), test_catalog()).front();
    };
    // Of one sharding: a plan that shards more holds less on each device. What learns and what is
    // beside it waits in the host while the policy writes.
    const auto beside = [&](const char* method) {
      Draw same(200 + i);
      Scenario s = round_of(same, method, 2 * gpus);
      s.set_text(Field::layout_sharding, "parameters");
      s.set_text(Field::rollout_placement, "colocated");
      s.clear(Field::rollout_generation_gpus);
      const Estimate e = estimate(s, test_catalog()).front();
      return e.memory.host * e.layout.gpus();
    };
    INFO(i);
    const Estimate grpo = answer("grpo", gpus);
    // 14 bytes of 16 of the policy and 2 of the reference; beside them a reward model and a critic.
    CHECK(beside("grpo") > 15 * grpo.model.params_total);
    CHECK(beside("ppo") > 1.9 * beside("grpo"));
    CHECK(answer("grpo", 2 * gpus).performance.step_seconds <=
          grpo.performance.step_seconds * 1.001);
    Draw same(200 + i);
    const double mean = *round_of(same, "grpo", gpus).number(Field::rollout_response_tokens);
    const ServedModel m = served_model(
        test_catalog().model(grpo.model.params_total > 2e10 ? "qwen3-30b-a3b" : "llama-3.1-8b"));
    // Each token reads what is dense of the weights at least once, at 64 accelerators' bandwidth.
    const double least = mean * 2 * (m.attention_params + m.dense_params) /
                         (64 * test_catalog().accelerator(grpo.accelerator).memory_bandwidth);
    CHECK(grpo.phases.front().step_seconds >= least);
  }
}

TEST_CASE("a request alone waits for no prompt between its tokens", "[serving][property]") {
  Draw draw(11);
  for (int i = 0; i < repeats(200); ++i) {
    Case c = random_case(draw);
    c.load.concurrency = 1;
    c.load.apart = false;
    const ServingPoint alone = c.replica().at(c.load);
    if (alone.output_per_gpu <= 0 || alone.sequences > 1) continue;
    CHECK(alone.prefill_seconds == 0);
  }
}
