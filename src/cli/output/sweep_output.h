// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace trcost::cli {

/// Output of a long sweep: stdout, or a file that grows in place. The file ends with a whole row
/// after every error and interruption, so that it can be continued.
class SweepOutput {
 public:
  /// `-` is stdout. A file is cut to its first `keep` bytes. Throws Error if it cannot be written
  /// or another sweep is writing it.
  SweepOutput(const std::string& path, std::uint64_t keep);
  ~SweepOutput();
  SweepOutput(const SweepOutput&) = delete;
  SweepOutput& operator=(const SweepOutput&) = delete;

  /// Adds whole rows to a buffer that is flushed several times a second.
  void write(std::string_view rows);
  /// Throws ClosedPipe, or Error for a full disk, after which the file ends with a whole row.
  void flush();

 private:
  [[noreturn]] void fail(int error_number);
  void open(const std::string& path, std::uint64_t keep);

  std::string path_;
  std::string held_;
  std::chrono::steady_clock::time_point flushed_;
  std::uint64_t whole_ = 0;  ///< bytes of the whole rows in the file
  int descriptor_ = -1;
  bool regular_ = false;
};

}  // namespace trcost::cli
