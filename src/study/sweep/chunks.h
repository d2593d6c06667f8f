// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "quantity/layers.h"

namespace trcost::study {

/// Some rows in a row, and what they became.
struct SweepChunk {
  std::uint64_t number = 0;  ///< from 0, in the order of rows
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string bytes;
  std::uint64_t written = 0;
  std::uint64_t failed = 0;
  std::string first_error;
};

/// Hands out chunks to workers and gives them back in order. At most `window` chunks are on their
/// way, which bounds memory; their size follows the time that rows take.
class SweepChunks {
 public:
  SweepChunks(std::uint64_t begin, std::uint64_t end, std::size_t window);

  /// The next chunk to compute; waits for the window, nothing when there is no more.
  std::optional<SweepChunk> next();
  /// A computed chunk, and how long that took.
  void finish(SweepChunk&& chunk, std::chrono::steady_clock::duration took);
  /// The next finished chunk in order. Nothing when there is no more, or when `timeout` has passed.
  std::optional<SweepChunk> pop(std::chrono::milliseconds timeout);
  /// Whether everything handed out has been popped and nothing more will come.
  [[nodiscard]] bool done();
  /// Hands out nothing more.
  void stop();
  /// Stops, and has pop() throw `error`.
  void fail(std::exception_ptr error);
  /// Gives back the memory of a chunk for later ones.
  void recycle(std::string&& bytes);

 private:
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::condition_variable has_chunk_;
  std::vector<std::optional<SweepChunk>> slots_;  ///< ring of finished chunks
  std::vector<std::string> spare_;
  std::uint64_t next_row_;
  std::uint64_t end_;
  std::uint64_t handed_out_ = 0;
  std::uint64_t popped_ = 0;
  std::uint64_t chunk_rows_ = 4;
  bool stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace trcost::study
