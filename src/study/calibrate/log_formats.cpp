// SPDX-License-Identifier: Apache-2.0
#include "study/calibrate/log_formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

namespace trcost::study {
namespace {

using enum LogUnit;

// Sources: the places in the programs' repositories that print these lines: karpathy/nanoGPT
// train.py; karpathy/nanochat scripts/base_train.py; karpathy/llm.c train_gpt2.cu;
// microsoft/DeepSpeed deepspeed/utils/timer.py and runtime/pipe/engine.py; AI-Hypercomputer/maxtext
// metric_logger.py; NVIDIA/NeMo nemo/lightning and utils/exp_manager.py; pytorch/torchtune
// training/metric_logging.py; mosaicml/composer callbacks/speed_monitor.py; allenai/OLMo-core
// train/callbacks/speed_monitor.py; volcengine/verl trainer/ppo/metric_utils.py; OpenRLHF
// trainer/ppo_trainer.py; huggingface/nanotron trainer.py; Lightning-AI/litgpt pretrain.py;
// facebookresearch/fairseq logging; modelscope/ms-swift trainers/callback.py; hiyouga/LLaMA-Factory
// train/callbacks.py; huggingface/transformers trainer_utils.py (speed_metrics);
// linkedin/Liger-Kernel examples/huggingface/callback.py; NovaSky-AI/SkyRL; NVIDIA-NeMo/RL
// algorithms/grpo.py; axolotl-ai-cloud/axolotl callbacks; NVIDIA-NeMo/Automodel recipes/llm;
// KellerJordan/modded-nanogpt train_gpt.py; tinygrad examples.
constexpr std::array kRoundLabels{
    RoundLabel{"timing_s/gen", RoundPart::generation},
    RoundLabel{"timing_s/old_log_prob", RoundPart::scoring},
    RoundLabel{"timing_s/ref", RoundPart::scoring},
    RoundLabel{"timing_s/values", RoundPart::scoring},
    RoundLabel{"timing_s/reward", RoundPart::scoring},
    RoundLabel{"timing_s/update_actor", RoundPart::learning},
    RoundLabel{"timing_s/update_critic", RoundPart::learning},
    RoundLabel{"timing_s/adv", RoundPart::rest},
    RoundLabel{"timing/generation", RoundPart::generation},
    RoundLabel{"timing/make_experience", RoundPart::scoring},
    RoundLabel{"timing/ppo_train", RoundPart::learning},
    RoundLabel{"timing/broadcast", RoundPart::rest},
    RoundLabel{"timing/train/generation", RoundPart::generation},
    RoundLabel{"timing/train/policy_and_reference_logprobs", RoundPart::scoring},
    RoundLabel{"timing/train/policy_training", RoundPart::learning},
};

constexpr std::array kFormats{
    LogFormat{"verl", {"timing_s/", ""}, "timing_s/step", round_seconds},
    LogFormat{"verl", {"perf/", ""}, "perf/time_per_step", round_seconds},
    LogFormat{"OpenRLHF", {"", ""}, "timing/step_total", round_seconds},
    LogFormat{"NeMo RL", {"", ""}, "Total step time", round_seconds},
    LogFormat{"NeMo RL", {"timing/", ""}, "timing/train/total_step_time", round_seconds},
    LogFormat{"nanotron", {"", ""}, "elapsed_time_per_iteration_ms", step_milliseconds},
    LogFormat{"NeMo", {"", ""}, "train_step_timing in s", step_seconds},
    LogFormat{"MaxText", {"completed step", ""}, "seconds", step_seconds},
    LogFormat{"MaxText", {"per_step_time", ""}, "perf/step_time_seconds", step_seconds},
    LogFormat{"nanochat", {"tok/sec", ""}, "dt", step_milliseconds},
    LogFormat{"nanochat", {"tok/s", "| dt"}, "dt", step_milliseconds},
    LogFormat{"llm.c", {"tok/s", "step "}, " ms |", step_milliseconds, true},
    LogFormat{"llm.c", {"tok/s", "step "}, " ms (", step_milliseconds, true},
    LogFormat{"LitGPT", {"iter ", "iter time"}, "iter time", batch_milliseconds},
    LogFormat{"nanoGPT", {"iter ", "loss"}, "time", step_milliseconds},
    LogFormat{"DeepSpeed", {"loss", ""}, "iter time (s)", step_seconds},
    LogFormat{
        "DeepSpeed", {"RunningAvgSamplesPerSec", ""}, "CurrSamplesPerSec", samples_per_second},
    LogFormat{"LLM Foundry", {"", ""}, "throughput/batches_per_sec", steps_per_second},
    LogFormat{
        "LLM Foundry", {"", ""}, "throughput/device/tokens_per_sec", tokens_per_second_per_gpu},
    LogFormat{"LLM Foundry", {"", ""}, "throughput/tokens_per_sec", tokens_per_second},
    LogFormat{"LLM Foundry", {"", ""}, "throughput/samples_per_sec", samples_per_second},
    LogFormat{"OLMo", {"", ""}, "throughput/device/BPS (actual avg)", steps_per_second},
    LogFormat{"OLMo", {"", ""}, "throughput/device/BPS", steps_per_second},
    LogFormat{"OLMo", {"", ""}, "throughput/device/batches_per_second", steps_per_second},
    LogFormat{"OLMo", {"", ""}, "throughput/device/TPS", tokens_per_second_per_gpu},
    LogFormat{"OLMo", {"", ""}, "throughput/device/tokens_per_second", tokens_per_second_per_gpu},
    LogFormat{"ms-swift", {"", ""}, "train_speed(s/it)", step_seconds},
    LogFormat{"ms-swift", {"", ""}, "train_speed(iter/s)", steps_per_second},
    LogFormat{"fairseq", {"\"wps\"", ""}, "ups", steps_per_second},
    LogFormat{"fairseq", {" wps=", ""}, "ups", steps_per_second},
    LogFormat{"fairseq", {"wpb=", "bsz="}, "wps", tokens_per_second},
    LogFormat{"NeMo AutoModel", {"num_label_tokens", "/gpu)"}, "tps", tokens_per_second},
    LogFormat{"modded-nanoGPT", {"train_time:", ""}, "step_avg", step_milliseconds},
    LogFormat{"tinygrad", {"GFLOPS", "loss"}, " s run", step_seconds, true},
    LogFormat{"torchtune", {"", ""}, "tokens_per_second_per_gpu", tokens_per_second_per_gpu},
    LogFormat{"Hugging Face", {"", ""}, "step_tokens_per_second", tokens_per_second},
    // Names that own loops give to the keys of their lines.
    LogFormat{"JSON", {"", ""}, "step_time_ms", step_milliseconds},
    LogFormat{"JSON", {"", ""}, "step_time_s", step_seconds},
    LogFormat{"JSON", {"", ""}, "step_time_seconds", step_seconds},
    LogFormat{"JSON", {"", ""}, "step_time", step_seconds},
    LogFormat{"JSON", {"", ""}, "step_seconds", step_seconds},
    LogFormat{"JSON", {"", ""}, "seconds_per_step", step_seconds},
    LogFormat{"JSON", {"", ""}, "sec_per_step", step_seconds},
    LogFormat{"JSON", {"", ""}, "time_per_step", step_seconds},
    LogFormat{"JSON", {"", ""}, "ms_per_step", step_milliseconds},
    LogFormat{"JSON", {"", ""}, "iteration_time_ms", step_milliseconds},
    LogFormat{"JSON", {"", ""}, "iter_time_ms", step_milliseconds},
    LogFormat{"JSON", {"", ""}, "iteration_time", step_seconds},
    LogFormat{"JSON", {"", ""}, "iter_time", step_seconds},
    LogFormat{"JSON", {"", ""}, "time_per_iteration", step_seconds},
    LogFormat{"JSON", {"", ""}, "time/step", step_seconds},
    LogFormat{"JSON", {"", ""}, "steps_per_sec", steps_per_second},
    LogFormat{"JSON", {"", ""}, "steps_per_second", steps_per_second},
    LogFormat{"JSON", {"", ""}, "iters_per_sec", steps_per_second},
    LogFormat{"JSON", {"", ""}, "it_per_sec", steps_per_second},
    LogFormat{"JSON", {"", ""}, "it/s", steps_per_second},
    LogFormat{"JSON", {"", ""}, "tokens_per_sec_per_gpu", tokens_per_second_per_gpu},
    LogFormat{"JSON", {"", ""}, "tokens_per_second_per_device", tokens_per_second_per_gpu},
    LogFormat{"JSON", {"", ""}, "tokens_per_sec_per_device", tokens_per_second_per_gpu},
    LogFormat{"JSON", {"", ""}, "tokens_per_gpu_per_second", tokens_per_second_per_gpu},
    LogFormat{"JSON", {"", ""}, "tokens/sec/gpu", tokens_per_second_per_gpu},
    LogFormat{"JSON", {"", ""}, "tokens/s/gpu", tokens_per_second_per_gpu},
    LogFormat{"JSON", {"", ""}, "tgs", tokens_per_second_per_gpu},
    LogFormat{"JSON", {"", ""}, "throughput(tps)", tokens_per_second_per_gpu},
    LogFormat{"JSON", {"", ""}, "tokens_per_sec", tokens_per_second},
    LogFormat{"JSON", {"", ""}, "tokens_per_second", tokens_per_second},
    LogFormat{"JSON", {"", ""}, "samples_per_sec", samples_per_second},
    LogFormat{"JSON", {"", ""}, "samples_per_second", samples_per_second},
    // Last: the whole run.
    LogFormat{"Hugging Face", {"", ""}, "train_steps_per_second", run_steps_per_second},
};

constexpr double kSmallest = 1e-9, kLargest = 1e15;

bool is_digit_char(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '/';
}

// The place after a label that stands as a word of its own.
std::size_t after_label(std::string_view line, std::string_view label) {
  for (std::size_t at = line.find(label); at != line.npos; at = line.find(label, at + 1)) {
    const std::size_t end = at + label.size();
    const bool starts = at == 0 || !is_word(line[at - 1]) || !is_word(label.front()) ||
                        (label.front() != '/' && line[at - 1] == '/');  // train/step_time
    const bool ends = end == line.size() || !is_word(line[end]) || !is_word(label.back());
    if (starts && ends && (end == line.size() || line[end] != '(')) return end;
  }
  return line.npos;
}

std::optional<double> scaled(double value, std::string_view rest) {
  if (!std::isfinite(value)) return std::nullopt;
  const bool alone = rest.size() < 2 || !is_word(rest[1]);
  if (!rest.empty() && alone) {
    if (rest[0] == 'K' || rest[0] == 'k') value *= 1e3;
    if (rest[0] == 'M') value *= 1e6;
    if (rest[0] == 'B') value *= 1e9;
  }
  return value < kSmallest || value > kLargest ? std::nullopt : std::optional(value);
}

// The number that starts a text.
std::optional<double> leading_number(std::string_view text, bool whole) {
  constexpr std::string_view kNumpy[] = {"np.float64(", "np.float32(", "tensor(", "array("};
  while (!text.empty() && std::string_view(" \t'\":=|").find(text.front()) != text.npos) {
    text.remove_prefix(1);
  }
  for (const std::string_view wrapper : kNumpy) {
    if (text.starts_with(wrapper)) text.remove_prefix(wrapper.size());
  }
  std::string digits;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    const bool digit = is_digit_char(c);
    const bool exponent =
        !digits.empty() && (c == 'e' || c == 'E') && end + 1 < text.size() &&
        (text[end + 1] == '-' || text[end + 1] == '+' || is_digit_char(text[end + 1]));
    const bool sign =
        (c == '-' || c == '+') && (digits.empty() || digits.back() == 'e' || digits.back() == 'E');
    // Thousands: a comma before three digits.
    const bool comma = c == ',' && !digits.empty() && digits.find('.') == digits.npos &&
                       end + 3 < text.size() && is_digit_char(text[end + 1]) &&
                       is_digit_char(text[end + 2]) && is_digit_char(text[end + 3]) &&
                       (end + 4 == text.size() || !is_digit_char(text[end + 4]));
    if (comma) continue;
    if (!digit && !exponent && !sign && c != '.') break;
    digits += c;
  }
  if (end == text.size() && !whole) return std::nullopt;
  double value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  return scaled(value, text.substr(end));
}

std::optional<double> number_before(std::string_view line, std::string_view label) {
  const std::size_t end = line.find(label);
  if (end == line.npos) return std::nullopt;
  std::size_t start = end;
  while (start > 0 && (is_digit_char(line[start - 1]) || line[start - 1] == '.')) {
    --start;
  }
  return leading_number(line.substr(start, end - start), true);
}

// DeepSpeed until 2023: `[timer.py:197:stop] 0/17, RunningAvgSamplesPerSec=...`, pass and step.
std::optional<double> step_of_timer(std::string_view line) {
  const std::size_t end = line.find(", RunningAvgSamplesPerSec");
  if (end == line.npos || line.find("timer.py") == line.npos) return std::nullopt;
  const std::string_view before = line.substr(0, end);
  const std::string_view counts = before.substr(std::min(before.rfind(' ') + 1, before.size()));
  const std::size_t slash = counts.find('/');
  double pass = 0, step = 0;
  const char* const last = counts.data() + counts.size();
  if (slash == counts.npos) return std::nullopt;
  const auto first = std::from_chars(counts.data(), counts.data() + slash, pass);
  const auto second = std::from_chars(counts.data() + slash + 1, last, step);
  constexpr double kMostOfPass = 1e9;
  const bool read = first.ec == std::errc{} && first.ptr == counts.data() + slash &&
                    second.ec == std::errc{} && second.ptr == last && step < kMostOfPass;
  return read ? std::optional(pass * kMostOfPass + step) : std::nullopt;
}

}  // namespace

std::span<const RoundLabel> round_labels() {
  return kRoundLabels;
}

std::span<const LogFormat> log_formats() {
  return kFormats;
}

std::optional<double> labelled_number(std::string_view line, std::string_view label, bool whole) {
  const std::size_t at = after_label(line, label);
  return at == line.npos ? std::nullopt : leading_number(line.substr(at), whole);
}

std::optional<LogNumber> read_format(std::string_view line, bool whole) {
  constexpr std::string_view kHints[] = {"time",   "sec", "dt",  " ms",    "ups",  "PS", "speed",
                                         "timing", "tgs", "tps", "tokens", "it/s", "wps"};
  if (std::ranges::none_of(kHints, [&](std::string_view hint) {
        return line.find(hint) != std::string_view::npos;
      })) {
    return std::nullopt;
  }
  for (const LogFormat& format : kFormats) {
    const auto stands = [&](std::string_view mark) {
      return mark.empty() || line.find(mark) != line.npos;
    };
    if (!stands(format.marks[0]) || !stands(format.marks[1])) continue;
    if (format.before) {
      if (const auto value = number_before(line, format.label)) return LogNumber{&format, value};
      continue;
    }
    const std::size_t at = after_label(line, format.label);
    if (at == line.npos) continue;
    // A label is followed by its number, or by nothing else than the line's end.
    std::string_view rest = line.substr(at);
    const std::size_t first = rest.find_first_not_of(" \t'\":=|");
    const bool number = first != rest.npos &&
                        (is_digit_char(rest[first]) ||
                         std::string_view("+-.nNiI").find(rest[first]) != std::string_view::npos);
    const bool parted =
        !rest.empty() && std::string_view(" \t'\":=").find(rest.front()) != std::string_view::npos;
    if (!number || !parted) continue;
    return LogNumber{&format, leading_number(rest, whole)};
  }
  return std::nullopt;
}

std::optional<double> step_of_line(std::string_view line) {
  if (const auto step = step_of_timer(line)) return step;
  constexpr std::string_view kSteps[] = {"global_step", "completed step", "iteration",
                                         "step",        "iter",           "Step",
                                         "batch",       "current_steps"};
  for (const std::string_view label : kSteps) {
    if (const auto value = labelled_number(line, label, true)) return value;
  }
  return std::nullopt;
}

}  // namespace trcost::study
