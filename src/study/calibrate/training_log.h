// SPDX-License-Identifier: Apache-2.0
// Speeds of steps in the logs of training programs. A log is read line by line, and no path or name
// in it is stored.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <string_view>
#include <utility>
#include <vector>

#include "quantity/layers.h"
#include "study/calibrate/log_formats.h"
#include "trcost/scenario.h"

namespace trcost::study {

enum class LogProgram : std::uint8_t { megatron, torchtitan, hugging_face, lightning, other };

/// Speed of the steps of a log.
struct LogSteps {
  LogProgram program = LogProgram::megatron;
  /// Of `value`: seconds of a step, of a batch or of a round, or a number per second.
  LogUnit unit = LogUnit::step_seconds;
  int steps = 0;  ///< lines of steps, or steps that a progress bar counted
  /// Median in steady state: seconds of an optimizer step, of a batch of every replica (the bar of
  /// Lightning) or of a round, or tokens or samples per second.
  double value = 0;
  double scatter = 0;  ///< half of the distance from the 16th to the 84th percentile over `value`
  int unreadable = 0;  ///< lines of steps whose speed is not a finite number above 0
  bool whole_run = false;  ///< from the run's total time, which includes evaluations and saves
  /// Facts of the run that the program prints: batch, length, degrees.
  std::vector<std::pair<Field, double>> facts = {};
  double step_tokens = 0;                   ///< of an optimizer step as printed, 0 if not
  std::array<double, kRoundParts> parts{};  ///< seconds of a round's parts, 0 where not printed
};

/// Reads up to `kLargestLog` bytes of a log. `origin` names the file. Throws Error (data) that
/// lists the known formats if it has no step of a known program.
LogSteps read_training_log(std::istream& in, std::string_view origin);
inline constexpr std::uint64_t kLargestLog = std::uint64_t{4} << 30;

}  // namespace trcost::study
