// SPDX-License-Identifier: Apache-2.0
// What training programs print about their steps. A log is read as it comes, a line at a time, as
// bytes: whatever else stands in it, no path or name of it is kept.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantity/layers.h"
#include "trcost/scenario.h"

namespace trcost::study {

enum class LogProgram : std::uint8_t { megatron, torchtitan, hugging_face, lightning };

/// What a log says of the speed of its steps.
struct LogSteps {
  LogProgram program = LogProgram::megatron;
  int steps = 0;  ///< lines of steps, or steps that a progress bar counted
  /// Median in steady state, of what the program counts: seconds of an optimizer step (Megatron-LM,
  /// the bar of Hugging Face Trainer) or of a batch of every replica (the bar of Lightning), or
  /// tokens per second and accelerator (torchtitan).
  double value = 0;
  double scatter = 0;  ///< half of the distance from the 16th to the 84th percentile over `value`
  int unreadable = 0;  ///< lines of steps whose speed is no finite number above 0, or is cut off
  bool whole_run = false;  ///< of the run's time at its end: with evaluations and saves
  /// Facts of the run that the program prints: batch, length, degrees.
  std::vector<std::pair<Field, double>> facts = {};
};

/// Reads a log, up to `kLargestLog` bytes of it. Throws Error (data) where no step of a program
/// that is known stands in it, saying what was looked for; `origin` names the file.
LogSteps read_training_log(std::istream& in, std::string_view origin);
inline constexpr std::uint64_t kLargestLog = std::uint64_t{4} << 30;

}  // namespace trcost::study
