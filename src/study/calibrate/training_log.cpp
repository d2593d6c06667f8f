// SPDX-License-Identifier: Apache-2.0
#include "study/calibrate/training_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

#include "quantity/statistics.h"
#include "study/calibrate/progress_bar.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

// Bounds of all times, speeds and sizes of a training.
constexpr double kLeast = 1e-9, kMost = 1e15;
constexpr std::size_t kLongestLine = std::size_t{1} << 16;
constexpr std::size_t kMostSteps = std::size_t{1} << 20;  // kept for the median

// A number after `label`, with or without commas. It has to be followed by another character, since
// a line may be cut off within its last number.
struct LogLine {
  bool there = false;
  std::optional<double> value;
};

LogLine number_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + label.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  std::string digits;
  std::size_t end = 0;
  while (end < line.size() &&
         (std::isalnum(static_cast<unsigned char>(line[end])) != 0 ||
          std::string_view("+-.,").find(line[end]) != std::string_view::npos)) {
    if (line[end] != ',') digits += line[end];
    ++end;
  }
  if (end == line.size()) return {true, std::nullopt};
  double value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool read = error == std::errc{} && stop == digits.data() + digits.size();
  if (!read || !std::isfinite(value) || value < kLeast || value > kMost) {
    return {true, std::nullopt};
  }
  return {true, value};
}

struct FactLabel {
  std::string_view label;
  Field field;
};

// Megatron-LM prints its arguments as `  seq_length ........ 4096`
// (megatron/training/arguments.py), torchtitan one line on its batch (torchtitan/train.py), Hugging
// Face Trainer several (trainer.py).
constexpr std::array<FactLabel, 9> kArguments = {{
    {"seq_length ", Field::data_seq_length},
    {"global_batch_size ", Field::train_global_batch},
    {"micro_batch_size ", Field::train_micro_batch},
    {"tensor_model_parallel_size ", Field::layout_tp},
    {"pipeline_model_parallel_size ", Field::layout_pp},
    {"context_parallel_size ", Field::layout_cp},
    {"expert_model_parallel_size ", Field::layout_ep},
    {"virtual_pipeline_model_parallel_size ", Field::layout_vp},
    {"world_size ", Field::hardware_gpus},
}};
constexpr std::array<FactLabel, 5> kSentences = {{
    {"Total train batch size (w. parallel, distributed & accumulation) =",
     Field::train_global_batch},
    {"Instantaneous batch size per device =", Field::train_micro_batch},
    {"local batch size ", Field::train_micro_batch},
    {", global batch size ", Field::train_global_batch},
    {", sequence length ", Field::data_seq_length},
}};

void put(std::vector<std::pair<Field, double>>& facts, Field field, double value) {
  if (std::floor(value) != value) return;
  const auto known = std::ranges::find(facts, field, &std::pair<Field, double>::first);
  if (known == facts.end()) facts.emplace_back(field, value);
}

// The value of `name .... value`.
std::optional<double> argument(std::string_view line, std::string_view name) {
  const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t rank = line.find("]:");  // of a launcher that marks lines by rank
  std::string_view text = line.substr(rank == std::string_view::npos ? start : rank + 2);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  const std::size_t value = text.find_first_not_of('.');
  if (value == std::string_view::npos || value < 2) return std::nullopt;
  return number_after(fmt::format("={} ", text.substr(value)), "=").value;
}

void read_facts(std::string_view line, std::vector<std::pair<Field, double>>& facts) {
  if (line.find("....") != std::string_view::npos) {
    for (const FactLabel& each : kArguments) {
      if (const auto value = argument(line, each.label)) put(facts, each.field, *value);
    }
    return;
  }
  if (line.find("atch size") == std::string_view::npos) return;
  const std::string whole = fmt::format("{} ", line);
  for (const FactLabel& each : kSentences) {
    if (const LogLine found = number_after(whole, each.label); found.value) {
      put(facts, each.field, *found.value);
    }
  }
}

// Tokens of an optimizer step: nanoGPT and build-nanogpt, nanochat, MaxText.
constexpr std::string_view kStepTokens[] = {"tokens per iteration will be",
                                            "total desired batch size", "Total batch size",
                                            "total_weights"};
// Seconds since the start of a run, beside a step: LLaMA-Factory's trainer_log.jsonl, wandb.
constexpr std::string_view kClocks[] = {"elapsed_time", "_runtime", "elapsed_seconds", "wall_time",
                                        "elapsed"};

// Speeds in the order of the log. Ranks that print the same step count once.
struct Series {
  std::vector<double> values;
  std::vector<double> batches;  // of Megatron-LM, whose batch may grow
  std::set<double> known;       // steps
  int seen = 0, unreadable = 0;
  double run_steps_per_second = 0, run_seconds = 0, run_steps = 0;

  void add(const LogLine& found, double batch = 0, std::optional<double> step = {}) {
    if (step && known.size() < kMostSteps && !known.insert(*step).second) return;
    ++seen;
    if (!found.value) {
      ++unreadable;
    } else if (values.size() < kMostSteps) {
      values.push_back(*found.value);
      batches.push_back(batch);
    }
  }
};

struct Reading {
  Series megatron, torchtitan, hugging_face;
  std::array<Series, 96> others;                 // by the place of their format
  std::vector<std::pair<double, double>> clock;  // steps and seconds since the start
  std::vector<std::vector<double>> parts{round_labels().size()};  // by the place of their label
  ProgressBars bars;
  double step_tokens = 0, run_samples_per_second = 0;
  std::vector<std::pair<Field, double>> facts;
};

// `h:mm:ss`, `mm:ss` or plain seconds after a label. Nothing for another text.
std::optional<double> clock_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == line.npos) return std::nullopt;
  std::string_view rest = line.substr(at + label.size());
  rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
  const std::string_view text = rest.substr(0, rest.find_first_not_of("0123456789:."));
  double seconds = 0;
  std::size_t parts = 0;
  for (std::size_t from = 0; from <= text.size() && parts < 4; ++parts) {
    const std::size_t end = std::min(text.find(':', from), text.size());
    double part = 0;
    const auto [stop, error] = std::from_chars(text.data() + from, text.data() + end, part);
    if (error != std::errc{} || stop != text.data() + end) return std::nullopt;
    seconds = seconds * 60 + part;
    from = end + 1;
  }
  return seconds > 0 && seconds < kMost ? std::optional(seconds) : std::nullopt;
}

void read_clock(std::string_view line, Reading& reading) {
  if (line.find("step") == line.npos) return;
  for (const std::string_view label : kClocks) {
    const std::optional<double> seconds = clock_after(line, label);
    if (!seconds) continue;
    std::optional<double> step = labelled_number(line, "current_steps", true);
    if (!step) step = step_of_line(line);
    auto& clock = reading.clock;
    if (!step || clock.size() >= kMostSteps) return;
    if (clock.empty() || (*step > clock.back().first && *seconds > clock.back().second)) {
      clock.emplace_back(*step, *seconds);
    }
    return;
  }
}

void read_batch(std::string_view line, Reading& reading) {
  for (const std::string_view label : kStepTokens) {
    if (const auto tokens = labelled_number(line, label, true)) reading.step_tokens = *tokens;
  }
  if (line.find("....") != line.npos) return;
  // NeMo and nanotron print it beside a step.
  if (const auto batch = labelled_number(line, "global_batch_size", true)) {
    put(reading.facts, Field::train_global_batch, *batch);
  }
}

// A line of one of the formats of the table.
void read_other(std::string_view line, bool whole, Reading& reading) {
  // Seconds of parts of a round stand beside its time, or on other lines.
  const bool timing = line.find("timing") != line.npos;
  for (std::size_t i = 0; timing && i < round_labels().size(); ++i) {
    const auto seconds = labelled_number(line, round_labels()[i].label, whole);
    if (seconds && *seconds > 0 && reading.parts[i].size() < kMostSteps) {
      reading.parts[i].push_back(*seconds);
    }
  }
  const std::optional<LogNumber> found = read_format(line, whole);
  if (!found) return;
  Series& series = reading.others[static_cast<std::size_t>(found->format - log_formats().data())];
  const LogUnit unit = found->format->unit;
  if (unit == LogUnit::run_steps_per_second) {
    reading.hugging_face.add({true, found->value});
    if (const auto samples = labelled_number(line, "train_samples_per_second", whole)) {
      reading.run_samples_per_second = *samples;
    }
    if (const auto seconds = labelled_number(line, "train_runtime", whole)) {
      reading.hugging_face.run_seconds = *seconds;
    }
    return;
  }
  series.add({true, found->value}, 0, step_of_line(line));
}

void read_line(std::string_view line, bool whole, Reading& reading) {
  constexpr std::string_view kMegatron = "elapsed time per iteration (ms):";
  if (line.find(kMegatron) != std::string_view::npos) {
    const LogLine batch = number_after(line, "global batch size:");
    reading.megatron.add(number_after(line, kMegatron), batch.value.value_or(0),
                         labelled_number(line, "iteration", true));
    return;
  }
  if (line.find("step:") != std::string_view::npos) {
    // `wps` until 2025 (torchtitan/components/metrics.py)
    for (const std::string_view label : {" tps:", " wps:"}) {
      if (const LogLine found = number_after(line, label); found.there) {
        reading.torchtitan.add(found, 0, labelled_number(line, "step", true));
        return;
      }
    }
  }
  // The Trainer's table and its state have a key on each line.
  if (const auto samples = labelled_number(line, "train_samples_per_second", whole)) {
    reading.run_samples_per_second = *samples;
  }
  if (const auto seconds = labelled_number(line, "train_runtime", whole);
      seconds && line.find("train_runtime            = ") == line.npos) {
    reading.hugging_face.run_seconds = *seconds;
  }
  if (const auto steps = labelled_number(line, "\"max_steps\"", whole)) {
    reading.hugging_face.run_steps = *steps;
  }
  read_other(line, whole, reading);
  read_clock(line, reading);
  read_batch(line, reading);
  if (const LogLine steps = number_after(fmt::format("{} ", line), "Total optimization steps =");
      steps.value) {
    reading.hugging_face.run_steps = *steps.value;
  }
  reading.bars.read(line);
  read_facts(line, reading.facts);
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Median and scatter without the first steps, which compile, fill caches and connect: a tenth of
// them, and at least two of more than four.
void steady(std::vector<double> values, const std::set<double>& steps, LogSteps& out) {
  // A log may begin later than its program. One that does not number its steps is taken as whole.
  constexpr double kFirst = 10;
  const double interval = steps.size() > 1 ? *std::next(steps.begin()) - *steps.begin() : 0;
  std::size_t warm = 0;
  if (steps.empty() || *steps.begin() <= std::max(kFirst, interval)) {
    warm = values.size() > 4 ? std::max<std::size_t>(2, values.size() / 10) : values.size() > 1;
  }
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(warm));
  std::ranges::sort(values);
  out.value = quantile(values, 0.5);
  out.scatter = (quantile(values, 0.84) - quantile(values, 0.16)) / 2 / out.value;
}

LogSteps megatron_steps(const Reading& reading) {
  LogSteps out{.program = LogProgram::megatron, .facts = reading.facts};
  // If the batch ramps up, only steps of the last batch size count.
  const Series& series = reading.megatron;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    if (series.batches[i] == series.batches.back()) seconds.push_back(series.values[i] / 1000);
  }
  steady(std::move(seconds), series.known, out);
  if (series.batches.back() > 0) {
    std::erase_if(out.facts, [](const auto& f) { return f.first == Field::train_global_batch; });
    out.facts.emplace_back(Field::train_global_batch, series.batches.back());
  }
  return out;
}

LogSteps bar_steps(const Reading& reading) {
  const bool lightning = reading.bars.counts_epochs();
  LogSteps out{.program = lightning ? LogProgram::lightning : LogProgram::hugging_face,
               .unit = lightning ? LogUnit::batch_seconds : LogUnit::step_seconds,
               .facts = reading.facts};
  const BarSpeed speed = reading.bars.speed();
  out.steps = speed.steps;
  out.value = speed.seconds;
  out.scatter = speed.scatter;
  return out;
}

LogSteps whole_run_steps(const Reading& reading) {
  LogSteps out{.program = LogProgram::hugging_face, .facts = reading.facts};
  const Series& series = reading.hugging_face;
  const double rate = series.values.back();
  const double counted =
      series.run_seconds > 0 && series.run_steps > 0 ? series.run_seconds / series.run_steps : 0;
  // A runtime that is not of these steps, as of a resumed run, differs from the rate.
  constexpr double kSame = 0.1;
  out.value = counted > 0 && std::abs(counted * rate - 1) < kSame ? counted : 1 / rate;
  out.whole_run = true;
  out.steps = static_cast<int>(std::clamp(series.run_steps, 1.0, 1e9));
  // Both rates are of one clock, so their quotient is the batch.
  const double batch = reading.run_samples_per_second / rate;
  constexpr double kRounding = 0.05;
  if (batch >= 1 && std::abs(batch - std::round(batch)) < kRounding * std::max(1.0, batch / 10)) {
    put(out.facts, Field::train_global_batch, std::round(batch));
  }
  return out;
}

// The unit of a format without its multiple, and the value in it.
std::pair<LogUnit, double> in_seconds(LogUnit unit, double value) {
  switch (unit) {
    case LogUnit::step_milliseconds:
      return {LogUnit::step_seconds, value / 1000};
    case LogUnit::batch_milliseconds:
      return {LogUnit::batch_seconds, value / 1000};
    case LogUnit::steps_per_second:
      return {LogUnit::step_seconds, 1 / value};
    default:
      return {unit, value};
  }
}

LogSteps other_steps(const Reading& reading, const Series& series, const LogFormat& format) {
  LogSteps out{.program = LogProgram::other, .facts = reading.facts};
  std::vector<double> values;
  for (const double value : series.values) {
    const auto [unit, seconds] = in_seconds(format.unit, value);
    out.unit = unit;
    values.push_back(seconds);
  }
  steady(std::move(values), series.known, out);
  out.steps = series.seen - series.unreadable;
  out.unreadable = series.unreadable;
  for (std::size_t i = 0; i < reading.parts.size(); ++i) {
    if (reading.parts[i].empty()) continue;
    out.parts[static_cast<std::size_t>(round_labels()[i].part)] += median(reading.parts[i]);
  }
  return out;
}

// Steps between lines that print the time since the start.
LogSteps clock_steps(const Reading& reading) {
  LogSteps out{.program = LogProgram::other, .facts = reading.facts};
  std::vector<double> seconds;
  std::set<double> steps;
  for (std::size_t i = 1; i < reading.clock.size(); ++i) {
    const auto& [step, at] = reading.clock[i];
    seconds.push_back((at - reading.clock[i - 1].second) / (step - reading.clock[i - 1].first));
    steps.insert(step);
  }
  steady(std::move(seconds), steps, out);
  out.steps = static_cast<int>(reading.clock.size());
  return out;
}

LogSteps select_steps(const Reading& reading, std::string_view origin) {
  LogSteps out;
  // The formats of the table in its order.
  const auto other = std::ranges::find_if(
      reading.others, [](const Series& series) { return !series.values.empty(); });
  if (!reading.megatron.values.empty()) {
    out = megatron_steps(reading);
  } else if (!reading.torchtitan.values.empty()) {
    out = {.program = LogProgram::torchtitan,
           .unit = LogUnit::tokens_per_second_per_gpu,
           .facts = reading.facts};
    steady(reading.torchtitan.values, reading.torchtitan.known, out);
  } else if (other != reading.others.end()) {
    const auto place = static_cast<std::size_t>(other - reading.others.begin());
    out = other_steps(reading, *other, log_formats()[place]);
  } else if (reading.bars.speed().seconds > 0) {
    out = bar_steps(reading);
  } else if (!reading.hugging_face.values.empty()) {
    out = whole_run_steps(reading);
  } else if (reading.clock.size() > 1) {
    out = clock_steps(reading);
  } else {
    int bad = reading.megatron.seen + reading.torchtitan.seen + reading.hugging_face.seen;
    for (const Series& each : reading.others) bad += each.seen;
    throw Error(
        ErrorKind::data,
        bad > 0 ? fmt::format("none of the {} steps has a speed that is a number", bad)
                : std::string("no step of a training program stands in this log"),
        "logs of Megatron-LM, torchtitan, Hugging Face Trainer (its bar, final table or "
        "trainer_state.json), DeepSpeed, MaxText, NeMo, torchtune, LLM Foundry, OLMo, nanoGPT, "
        "nanochat, nanotron, LitGPT, Lightning, verl and OpenRLHF are read, and JSON lines with "
        "step_time or tokens_per_second. Or write the steps as rows for --measured",
        std::string(origin));
  }
  for (const Series* series : {&reading.megatron, &reading.torchtitan}) {
    out.unreadable += series->unreadable;
    if (series->seen > 0 && out.program != LogProgram::other)
      out.steps = series->seen - series->unreadable;
  }
  out.step_tokens = reading.step_tokens;
  return out;
}

void refuse_other_bytes(std::string_view start, std::string_view origin) {
  const bool wide = start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF");
  if (wide) {
    throw Error(ErrorKind::data, "the log is UTF-16",
                "convert it: iconv -f UTF-16 -t UTF-8 LOG > log.txt", std::string(origin));
  }
  if (start.starts_with("\x1F\x8B") || start.starts_with("\x28\xB5\x2F\xFD")) {
    throw Error(ErrorKind::data, "the log is compressed", "unpack it first", std::string(origin));
  }
}

}  // namespace

LogSteps read_training_log(std::istream& in, std::string_view origin) {
  Reading reading;
  std::string block(std::size_t{64} << 10, '\0');
  std::string line;
  std::uint64_t read = 0;
  while (read < kLargestLog &&
         (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)) {
    const std::string_view bytes(block.data(), static_cast<std::size_t>(in.gcount()));
    if (read == 0) refuse_other_bytes(bytes, origin);
    read += bytes.size();
    for (const char c : bytes) {
      // Progress bars overwrite their line.
      if (c == '\n' || c == '\r') {
        read_line(line, true, reading);
        line.clear();
      } else if (line.size() < kLongestLine) {
        line += c;
      }
    }
  }
  if (read == 0) {
    throw Error(ErrorKind::data, "the log is empty", "is this the right file?",
                std::string(origin));
  }
  read_line(line, false, reading);
  return select_steps(reading, origin);
}

}  // namespace trcost::study
