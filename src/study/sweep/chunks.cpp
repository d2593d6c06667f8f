// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/chunks.h"

#include <algorithm>

namespace trcost::study {

namespace {

// Long enough that handing out costs nothing, short enough that an interruption is prompt.
constexpr std::chrono::milliseconds kShort{2};
constexpr std::chrono::milliseconds kLong{20};
constexpr std::uint64_t kMostChunkRows = 512;

}  // namespace

SweepChunks::SweepChunks(std::uint64_t begin, std::uint64_t end, std::size_t window)
    : slots_(window), next_row_(begin), end_(end) {}

std::optional<SweepChunk> SweepChunks::next() {
  std::unique_lock lock(mutex_);
  has_room_.wait(lock, [&] { return stopped_ || handed_out_ - popped_ < slots_.size(); });
  if (stopped_ || next_row_ >= end_) return std::nullopt;
  SweepChunk chunk;
  chunk.number = handed_out_++;
  chunk.begin = next_row_;
  chunk.end = next_row_ + std::min(chunk_rows_, end_ - next_row_);
  next_row_ = chunk.end;
  if (!spare_.empty()) {
    chunk.bytes = std::move(spare_.back());
    spare_.pop_back();
    chunk.bytes.clear();
  }
  return chunk;
}

void SweepChunks::finish(SweepChunk&& chunk, std::chrono::steady_clock::duration took) {
  const std::lock_guard lock(mutex_);
  if (took < kShort) chunk_rows_ = std::min(kMostChunkRows, chunk_rows_ * 2);
  if (took > kLong) chunk_rows_ = std::max<std::uint64_t>(1, chunk_rows_ / 2);
  const bool first = chunk.number == popped_;
  slots_[chunk.number % slots_.size()] = std::move(chunk);
  if (first) has_chunk_.notify_one();
}

std::optional<SweepChunk> SweepChunks::pop(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  std::optional<SweepChunk>& slot = slots_[popped_ % slots_.size()];
  const auto finished = [&] { return (stopped_ || next_row_ >= end_) && popped_ == handed_out_; };
  has_chunk_.wait_for(lock, timeout, [&] { return error_ || slot.has_value() || finished(); });
  if (error_) std::rethrow_exception(error_);
  if (!slot) return std::nullopt;
  std::optional<SweepChunk> chunk = std::move(slot);
  slot.reset();
  ++popped_;
  has_room_.notify_one();
  return chunk;
}

bool SweepChunks::done() {
  const std::lock_guard lock(mutex_);
  return (stopped_ || next_row_ >= end_) && popped_ == handed_out_;
}

void SweepChunks::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  has_room_.notify_all();
  has_chunk_.notify_all();
}

void SweepChunks::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  stopped_ = true;
  has_room_.notify_all();
  has_chunk_.notify_all();
}

void SweepChunks::recycle(std::string&& bytes) {
  const std::lock_guard lock(mutex_);
  if (spare_.size() < slots_.size()) spare_.push_back(std::move(bytes));
}

}  // namespace trcost::study
