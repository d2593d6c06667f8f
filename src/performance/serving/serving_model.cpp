// SPDX-License-Identifier: Apache-2.0
// Formulas of data/phases.md, B.2 to B.4. tests/calibration/refit_serving.py repeats them in numpy
// and fits their constants.
#include "performance/serving/serving_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "performance/exchange/collectives.h"
#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "trcost/numbers.h"
#include "trcost/serving_point.h"

namespace trcost::performance {
namespace {

// Smooth maximum of the two times.
double soft_max(const Roofline& roofline) {
  return std::sqrt(std::sqrt(square(square(roofline.read)) + square(square(roofline.computed))));
}

}  // namespace

double matmul_peak(const ServingChip& chip, catalog::WeightFormat format, double bytes) {
  const double eight = chip.fp8.value_or(chip.bf16);
  // Integer weights are dequantized to 16 bits before they are multiplied.
  if (bytes >= 2 || format == catalog::WeightFormat::int4) return chip.bf16;
  if (bytes >= 1) return eight;
  return chip.fp4 ? *chip.fp4 * chip.fp4_share : chip.bf16;
}

ServingModel::ServingModel(const ServedModel& model, const ServingChip& chip, const Engine& engine,
                           WeightFormat format, double cache_bytes, const ServingLayout& layout)
    : model_(model),
      chip_(chip),
      engine_(engine),
      layout_(layout),
      cache_bytes_(cache_bytes),
      bytes_(part_bytes(model, format)) {
  read_bytes_ = trcost::read_bytes(model, bytes_);
  expert_bytes_ = model.expert_params * bytes_.expert;
  weights_per_gpu_ = (read_bytes_ + unread_bytes(model)) / layout.tp + expert_bytes_ / layout.gpus;
  expert_peak_ = matmul_peak(chip, format, bytes_.expert);
  prefill_dense_ = 2 * (model.attention_params / matmul_peak(chip, format, bytes_.attention) +
                        model.dense_params / matmul_peak(chip, format, bytes_.dense));
  dense_seconds_ = prefill_dense_ + 2 * model.head_params / chip.bf16;
}

// Chips without a network are one domain.
bool ServingModel::within_domain(double members) const {
  return members <= chip_.link_accelerators || !chip_.network;
}

double ServingModel::reduce_rate() const {
  return (within_domain(layout_.tp) ? chip_.link : *chip_.network) * chip_.reduce_link;
}

// An all-reduce of 16-bit hidden states over a tensor-parallel group, without its latency.
double ServingModel::ring_seconds(double tokens) const {
  return tokens * ring_volume(layout_.tp) * model_.hidden * 2 / reduce_rate();
}

double ServingModel::sequence_bytes_per_gpu(const ServingLoad& load) const {
  return kept_cache_bytes(model_, mean_context(load), cache_bytes_) /
             cache_shards(model_, layout_.tp) +
         model_.state_bytes / layout_.tp;
}

double ServingModel::most_sequences(const ServingLoad& load) const {
  const double free =
      chip_.memory_bytes * (1 - engine_.reserve_share) - weights_per_gpu_ - engine_.reserve_bytes;
  return layout_.dp * std::max(0.0, engine_.cache_share * free / sequence_bytes_per_gpu(load));
}

double ServingModel::reached_prefill(double share) const {
  return std::min(share * engine_.prefill, kMostPrefill);
}

double ServingModel::image_seconds(double flops) const {
  return flops / (layout_.gpus * chip_.bf16 * reached_prefill(chip_.prefill));
}

double ServingModel::prefill_seconds_per_token(double input) const {
  const double n = layout_.gpus;
  const double matmuls =
      prefill_dense_ / reached_prefill(chip_.prefill) +
      2 * model_.active_expert_params / expert_peak_ / reached_prefill(chip_.expert_prefill);
  const double core = prefill_core_flops(model_, input) / (kPrefillAttention * chip_.bf16);
  return (matmuls + core) / n + prefill_reduce_seconds();
}

double ServingModel::prefill_reduce_seconds() const {
  if (layout_.tp <= 1) return 0;
  return model_.branches * ring_seconds(1) / layout_.dp;
}

void ServingModel::add_experts(DecodeParts& parts) const {
  const double n = layout_.gpus;
  parts.touched = touched_experts(model_.experts, model_.experts_per_token, parts.tokens);
  parts.experts = {
      expert_bytes_ * parts.touched / (n * chip_.bandwidth * chip_.experts * engine_.experts),
      2 * model_.active_expert_params * parts.tokens / (n * expert_peak_ * chip_.expert_matmul)};
  if (within_domain(n)) {
    parts.exchange = {true, model_.experts_per_token, 1, chip_.link, chip_.exchange_link};
  } else {
    parts.exchange = {false, std::min(model_.experts_per_token, kNodesPerToken), kNetworkExposed,
                      *chip_.network, kServingNetworkShare};
  }
}

DecodeParts ServingModel::parts(double sequences, double context, double drafted) const {
  const double t = layout_.tp;
  DecodeParts p;
  p.requests = std::max(sequences / layout_.dp, 1.0);
  p.positions = p.requests * (1 + drafted);
  p.tokens = sequences * (1 + drafted);
  p.dense = {read_bytes_ / t / (chip_.bandwidth * chip_.memory),
             p.positions * dense_seconds_ / t / chip_.matmul};
  if (model_.experts > 0) add_experts(p);
  p.cache_bytes = read_cache_bytes(model_, context, cache_bytes_);
  p.cache_shards = cache_shards(model_, t);
  p.core_flops = decode_core_flops(model_, context);
  // The state of a recurrence is read and written.
  const double cached = p.cache_bytes / p.cache_shards + 2 * model_.state_bytes / t;
  p.cache = {cached * p.requests / (chip_.bandwidth * chip_.cache),
             p.core_flops * p.positions / (t * kDecodeAttention * chip_.bf16)};
  return p;
}

DecodeStep ServingModel::decode(double sequences, double context, double drafted) const {
  const DecodeParts p = parts(sequences, context, drafted);
  const double t = layout_.tp, n = layout_.gpus;
  DecodeStep step;
  step.dense = soft_max(p.dense);
  step.experts = kExpertImbalance * soft_max(p.experts);
  step.cache = soft_max(p.cache);
  step.waiting =
      step.dense - p.dense.computed + step.experts - kExpertImbalance * p.experts.computed;
  if (model_.experts > 0 && layout_.dp > 1) {
    const ExpertExchange& e = p.exchange;
    const double moved =
        e.exposed * p.tokens / n * model_.hidden * kExchangeBytes * e.copies / (e.rate * e.share);
    step.exchange = model_.expert_layers * (2 * chip_.exchange_seconds + moved);
  }
  if (t > 1) {
    const double latency = chip_.reduce_seconds * portable_log2(t) / 3;
    step.tensor = model_.branches * (latency + ring_seconds(p.positions));
  }
  // A drafted token is one layer and the head (multi-token prediction of DeepSeek-V3).
  const double head = PartBytes::kHead * model_.head_params / t / (chip_.bandwidth * chip_.memory);
  step.draft = drafted * ((step.dense + step.experts + step.cache) / model_.layers + head);
  const double layer =
      chip_.layer_seconds * engine_.layer * (model_.experts > 0 ? engine_.expert_layer : 1);
  step.host =
      model_.branches / 2 * layer + engine_.step_seconds + engine_.sequence_seconds * p.requests;
  return step;
}

double ServingModel::handed_over_bytes(const ServingLoad& load) const {
  return kept_cache_bytes(model_, std::max(1.0, uncached_input(load)), cache_bytes_) +
         model_.state_bytes;
}

double ServingModel::hand_over_rate() const {
  return chip_.network ? *chip_.network * kServingNetworkShare : chip_.link;
}

double ServingModel::prompts_within_step(const ServingLoad& load, double sequences) const {
  const double arriving = sequences * uncached_input(load) / load.output_tokens;
  return std::min(1.0, kStepTokens * layout_.dp / std::max(arriving, 1.0));
}

// While a step decodes b tokens, the prompts of b/out new requests arrive in chunks. A request
// waits between its tokens for the prompts of the b - 1 others, which compute while the step waits
// for memory. Prompts beyond the tokens of a step wait before their first token, not between
// tokens.
void ServingModel::serve_colocated(const ServingLoad& load, ServingPoint& p) const {
  const double b = p.sequences, out = load.output_tokens;
  const double in = uncached_input(load);
  p.step = decode(b, mean_context(load), load.drafted);
  const double token = prefill_seconds_per_token(load.input_tokens);
  p.prompt_seconds = in * token;
  if (in > 0) {
    const double busy = std::max(0.0, b - 1) * in / out * token;
    const double chunks = b * in / out / std::min(in, engine_.chunk_tokens);
    const double read =
        busy - engine_.hidden_prefill * std::min(std::min(chunks, 1.0) * p.step.waiting, busy);
    p.prefill_seconds = read * prompts_within_step(load, b);
    p.queue_seconds = (out - 1) * (read - p.prefill_seconds);
  }
  p.tpot_seconds = p.step.total() / tokens_per_decode_step(load) + p.prefill_seconds;
  p.ttft_seconds = engine_.first_token_seconds + p.step.host + p.prompt_seconds +
                   engine_.queue * p.prompt_seconds * b + p.queue_seconds;
  const double request = p.ttft_seconds + (out - 1) * p.tpot_seconds;
  p.output_per_gpu = b * out / request / layout_.gpus;
}

// Prompts are read on accelerators of their own, partitioned as the replica. The slower of the two
// sides sets the pace, rate = min(G_p / (in x seconds of a token on one), B / (out x TPOT))
// (data/phases.md, B.5). A request waits for the prompts before it and for its cache to cross the
// network. The queue has one server, fixed service and Poisson arrivals: rho / 2 (1 - rho) services
// (Pollaczek and Khinchine).
void ServingModel::serve_disaggregated(const ServingLoad& load, ServingPoint& p) const {
  constexpr int kRounds = 12;  // of a fixed point that moves by less than a percent after five
  const double out = load.output_tokens, n = layout_.gpus;
  const double in = std::max(1.0, uncached_input(load));
  const double prompt = in * prefill_seconds_per_token(load.input_tokens) * n;  // GPU-seconds
  const double hand_over = handed_over_bytes(load) / (hand_over_rate() * layout_.tp);
  const double most = p.sequences;
  double b = most;
  for (int round = 0; round < kRounds; ++round) {
    p.step = decode(b, mean_context(load), load.drafted);
    p.tpot_seconds = p.step.total() / tokens_per_decode_step(load);
    const double decoded = b / (out * p.tpot_seconds);  // requests per second
    p.prefill_gpus =
        load.prefill_gpus.value_or(n * std::ceil(decoded * prompt / kBusiestPrefill / n));
    const double read = kBusiestPrefill * p.prefill_gpus / prompt;
    const double rate = std::min(decoded, read);
    p.prefill_busy = rate * prompt / p.prefill_gpus;
    const double group = std::min(p.prefill_gpus, n);
    p.prompt_seconds = prompt / group;
    const double wait =
        p.prefill_busy / (2 * (1 - p.prefill_busy)) * p.prompt_seconds * group / p.prefill_gpus;
    p.ttft_seconds =
        engine_.first_token_seconds + p.step.host + p.prompt_seconds + wait + hand_over;
    p.output_per_gpu = rate * out / (n + p.prefill_gpus);
    p.sequences = b;
    // Requests whose prompt is being read do not decode, so a starved replica has fewer in flight.
    const double writing = out * p.tpot_seconds;
    const double in_flight =
        load.concurrency ? *load.concurrency * writing / (writing + p.ttft_seconds) : most;
    b = std::clamp(std::min(in_flight, read * writing), 1.0, most);
  }
}

namespace {

// Every time of a release or a tuning is stretched alike.
void set_speed(double speed, ServingPoint& p) {
  DecodeStep& step = p.step;
  for (double* part : {&step.dense, &step.experts, &step.cache, &step.tensor, &step.exchange,
                       &step.draft, &step.host, &step.waiting, &p.prefill_seconds, &p.ttft_seconds,
                       &p.tpot_seconds, &p.prompt_seconds, &p.queue_seconds}) {
    *part /= speed;
  }
  p.output_per_gpu *= speed;
}

}  // namespace

ServingPoint ServingModel::at(const ServingLoad& load) const {
  ServingPoint p;
  p.weight_bytes_per_gpu = weights_per_gpu_;
  p.cache_bytes_per_token = trcost::cache_bytes_per_token(model_, cache_bytes_);
  p.most_sequences = std::min(most_sequences(load), engine_.most_sequences * layout_.dp);
  p.fits = p.most_sequences >= 1;
  const double most = std::floor(p.most_sequences);
  p.sequences = std::max(1.0, std::min(load.concurrency.value_or(most), most));
  load.apart ? serve_disaggregated(load, p) : serve_colocated(load, p);
  // Prompts are read by whole replicas. One fewer may idle less than it holds back.
  if (load.apart && !load.prefill_gpus && p.prefill_gpus > layout_.gpus) {
    ServingLoad fewer = load;
    fewer.prefill_gpus = p.prefill_gpus - layout_.gpus;
    ServingPoint other = p;
    other.sequences = std::max(1.0, std::min(load.concurrency.value_or(most), most));
    serve_disaggregated(fewer, other);
    if (other.output_per_gpu > p.output_per_gpu) p = other;
  }
  if (engine_.speed != 1) set_speed(engine_.speed, p);
  p.total_per_gpu =
      p.output_per_gpu * (load.input_tokens + load.output_tokens) / load.output_tokens;
  return p;
}

void check_context(const ServedModel& model, double prompt, double answer, std::string_view flag) {
  if (!model.context || prompt + answer <= *model.context) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} tokens of prompt and {} of answer are more than the model's context "
                          "of {}",
                          format_number(prompt, NumberKind::count),
                          format_number(answer, NumberKind::count),
                          format_number(*model.context, NumberKind::count)),
              "shorten the request", std::string(flag));
}

void check_speculation(double drafted, double acceptance) {
  if (acceptance > 0 && drafted <= 0) {
    throw Error(ErrorKind::usage, "it is of drafted tokens, and none are drafted",
                "set --draft-tokens, e.g. 1 for DeepSeek's own", "--acceptance");
  }
  if (drafted > 0 && acceptance <= 0) {
    throw Error(ErrorKind::usage, "drafted tokens need the share that is accepted",
                "set --acceptance, e.g. 0.8: it is a property of the data and is never assumed",
                "--draft-tokens");
  }
}

void check_tensor_parallel(const ServedModel& model, int tp, std::string_view flag) {
  if (std::fmod(model.heads, tp) != 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} does not divide the {} attention heads", tp, model.heads),
                "engines refuse it: use a divisor of the heads", std::string(flag));
  }
  if (std::fmod(model.kv_heads, tp) != 0 && std::fmod(tp, model.kv_heads) != 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} neither divides the {} key-value heads nor is a multiple of them",
                            tp, model.kv_heads),
                "engines refuse it: use a divisor or a multiple", std::string(flag));
  }
}

}  // namespace trcost::performance
