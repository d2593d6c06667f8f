// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace trcost::cli {

/// `12.3 % of 1.20M rows, 210k rows/s, 30.0 s left`; `elapsed` in seconds.
std::string progress_text(std::uint64_t done, std::uint64_t total, double elapsed);

/// One line on stderr that overwrites itself: only on a terminal, only after half a second.
class ProgressLine {
 public:
  ProgressLine(std::uint64_t total, bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(std::uint64_t done);

 private:
  std::chrono::steady_clock::time_point start_;
  std::uint64_t total_;
  bool wanted_;
  bool shown_ = false;
};

}  // namespace trcost::cli
