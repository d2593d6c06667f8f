// SPDX-License-Identifier: Apache-2.0
// Lines that training programs print a step's speed in, as a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::study {

/// What the number of a line says.
enum class LogUnit : std::uint8_t {
  step_seconds,
  step_milliseconds,
  steps_per_second,
  batch_seconds,       ///< of a batch of every replica, before accumulation
  batch_milliseconds,  ///< likewise
  tokens_per_second,   ///< of all accelerators
  tokens_per_second_per_gpu,
  samples_per_second,    ///< of all accelerators
  run_steps_per_second,  ///< over the whole run, with evaluations and saves
  round_seconds,         ///< of a round with rollouts
};

/// A line's program, marks and label. The number follows the label, or precedes it.
struct LogFormat {
  std::string_view program;
  std::string_view marks[2];  ///< texts that have to stand in the line too; empty: none
  std::string_view label;
  LogUnit unit;
  bool before = false;  ///< the number stands before the label
};

/// Parts of a round that programs time.
enum class RoundPart : std::uint8_t { generation, scoring, learning, rest };
inline constexpr std::size_t kRoundParts = 4;
/// A label of seconds, and the part that they belong to.
struct RoundLabel {
  std::string_view label;
  RoundPart part;
};
std::span<const RoundLabel> round_labels();

/// Formats in order of precedence.
std::span<const LogFormat> log_formats();

/// A number of a line that a format describes.
struct LogNumber {
  const LogFormat* format = nullptr;
  std::optional<double> value;  ///< nothing for one that is cut off or not finite
};

/// The first format that a line is of, and its number. Nothing for other lines. A number that the
/// line ends in counts if `whole` says that the line was.
std::optional<LogNumber> read_format(std::string_view line, bool whole);

/// The number after a label in any of the spellings of programs: quoted, with thousands separators,
/// after `=` or `:`, with K, M or B behind it.
std::optional<double> labelled_number(std::string_view line, std::string_view label, bool whole);

/// The step that a line is of, nothing if it does not say.
std::optional<double> step_of_line(std::string_view line);

}  // namespace trcost::study
