// SPDX-License-Identifier: Apache-2.0
#include "study/calibrate/training_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

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

// Speeds in the order of the log.
struct Series {
  std::vector<double> values;
  std::vector<double> batches;  // of Megatron-LM, whose batch may grow
  int seen = 0, unreadable = 0;
  double run_steps_per_second = 0, run_seconds = 0, run_steps = 0;

  void add(const LogLine& found, double batch = 0) {
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
  ProgressBars bars;
  std::vector<std::pair<Field, double>> facts;
};

void read_line(std::string_view line, Reading& reading) {
  constexpr std::string_view kMegatron = "elapsed time per iteration (ms):";
  if (line.find(kMegatron) != std::string_view::npos) {
    const LogLine batch = number_after(line, "global batch size:");
    reading.megatron.add(number_after(line, kMegatron), batch.value.value_or(0));
    return;
  }
  if (line.find("step:") != std::string_view::npos) {
    // `wps` until 2025 (torchtitan/components/metrics.py)
    for (const std::string_view label : {" tps:", " wps:"}) {
      if (const LogLine found = number_after(line, label); found.there) {
        reading.torchtitan.add(found);
        return;
      }
    }
  }
  if (const LogLine found = number_after(line, "'train_steps_per_second':"); found.there) {
    reading.hugging_face.add(found);
    reading.hugging_face.run_seconds = number_after(line, "'train_runtime':").value.value_or(0);
  }
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
void steady(std::vector<double> values, LogSteps& out) {
  const std::size_t warm =
      values.size() > 4 ? std::max<std::size_t>(2, values.size() / 10) : values.size() > 1;
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(warm));
  std::ranges::sort(values);
  out.value = quantile(values, 0.5);
  out.scatter = (quantile(values, 0.84) - quantile(values, 0.16)) / 2 / out.value;
}

LogSteps megatron_steps(const Reading& reading) {
  LogSteps out{.program = LogProgram::megatron};
  // If the batch ramps up, only steps of the last batch size count.
  const Series& series = reading.megatron;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    if (series.batches[i] == series.batches.back()) seconds.push_back(series.values[i] / 1000);
  }
  steady(std::move(seconds), out);
  out.facts = reading.facts;
  if (series.batches.back() > 0) {
    std::erase_if(out.facts, [](const auto& f) { return f.first == Field::train_global_batch; });
    out.facts.emplace_back(Field::train_global_batch, series.batches.back());
  }
  return out;
}

LogSteps bar_steps(const Reading& reading) {
  LogSteps out{.program =
                   reading.bars.counts_epochs() ? LogProgram::lightning : LogProgram::hugging_face};
  const BarSpeed speed = reading.bars.speed();
  out.steps = speed.steps;
  out.value = speed.seconds;
  out.scatter = speed.scatter;
  out.facts = reading.facts;
  return out;
}

LogSteps whole_run_steps(const Reading& reading) {
  LogSteps out{.program = LogProgram::hugging_face};
  const Series& series = reading.hugging_face;
  const bool counted = series.run_seconds > 0 && series.run_steps > 0;
  out.value = counted ? series.run_seconds / series.run_steps : 1 / series.values.back();
  out.whole_run = true;
  out.steps = static_cast<int>(std::clamp(series.run_steps, 1.0, 1e9));
  out.facts = reading.facts;
  return out;
}

LogSteps select_steps(const Reading& reading, std::string_view origin) {
  LogSteps out;
  if (!reading.megatron.values.empty()) {
    out = megatron_steps(reading);
  } else if (!reading.torchtitan.values.empty()) {
    out = {.program = LogProgram::torchtitan};
    steady(reading.torchtitan.values, out);
    out.facts = reading.facts;
  } else if (reading.bars.speed().seconds > 0) {
    out = bar_steps(reading);
  } else if (!reading.hugging_face.values.empty()) {
    out = whole_run_steps(reading);
  } else {
    const int bad = reading.megatron.seen + reading.torchtitan.seen + reading.hugging_face.seen;
    throw Error(
        ErrorKind::data,
        bad > 0 ? fmt::format("none of the {} steps has a speed that is a number", bad)
                : std::string("no step of a training program stands in this log"),
        "looked for: \"elapsed time per iteration (ms):\" (Megatron-LM), \"step: ... tps:\" "
        "(torchtitan), the progress bar or train_steps_per_second (Hugging Face Trainer), "
        "the bar \"Epoch N:\" (Lightning); or write the steps as rows for --measured",
        std::string(origin));
  }
  for (const Series* series : {&reading.megatron, &reading.torchtitan}) {
    out.unreadable += series->unreadable;
    if (series->seen > 0) out.steps = series->seen - series->unreadable;
  }
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
        read_line(line, reading);
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
  read_line(line, reading);
  return select_steps(reading, origin);
}

}  // namespace trcost::study
