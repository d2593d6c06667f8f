// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "study/sweep/plan.h"
#include "study/sweep/selection.h"
#include "study/sweep/worker.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTick{100};
constexpr std::uint64_t kChunkRows = 64;
constexpr std::uint64_t kChunksPerThread = 8;  // at least, so that short sweeps use all threads

// Some adjacent rows, and what they became.
struct SweepChunk {
  std::uint64_t number = 0;  // from 0, in the order of rows
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string bytes;
  std::uint64_t written = 0;
  std::uint64_t failed = 0;
  std::string first_error;
};

// Hands out chunks to threads and returns them in order. At most `window` chunks are computed or
// wait to be returned at a time, which bounds memory.
class SweepChunks {
 public:
  SweepChunks(std::uint64_t begin, std::uint64_t end, std::uint64_t rows, std::size_t window)
      : finished_(window), next_row_(begin), end_(end), rows_(rows) {}

  // The next chunk to compute. Waits for the window. Nothing when there is no more.
  std::optional<SweepChunk> next() {
    std::unique_lock lock(mutex_);
    returned_one_.wait(lock,
                       [&] { return stopped_ || handed_out_ - returned_ < finished_.size(); });
    if (stopped_ || next_row_ >= end_) return std::nullopt;
    SweepChunk chunk;
    chunk.number = handed_out_++;
    chunk.begin = next_row_;
    chunk.end = next_row_ + std::min(rows_, end_ - next_row_);
    next_row_ = chunk.end;
    return chunk;
  }

  void finish(SweepChunk&& chunk) {
    const std::lock_guard lock(mutex_);
    const bool first = chunk.number == returned_;
    finished_[chunk.number % finished_.size()] = std::move(chunk);
    if (first) finished_one_.notify_one();
  }

  // The next finished chunk in order. Nothing when there is no more, or after `timeout`.
  std::optional<SweepChunk> pop(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    std::optional<SweepChunk>& slot = finished_[returned_ % finished_.size()];
    finished_one_.wait_for(lock, timeout,
                           [&] { return error_ || slot.has_value() || all_returned(); });
    if (error_) std::rethrow_exception(error_);
    if (!slot) return std::nullopt;
    std::optional<SweepChunk> chunk = std::move(slot);
    slot.reset();
    ++returned_;
    returned_one_.notify_one();
    return chunk;
  }

  // Whether every chunk that was handed out was returned, and there is no more.
  bool done() {
    const std::lock_guard lock(mutex_);
    return all_returned();
  }

  // Hands out no more chunks. With `error`, pop() throws it.
  void stop(std::exception_ptr error = nullptr) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    stopped_ = true;
    returned_one_.notify_all();
    finished_one_.notify_all();
  }

 private:
  [[nodiscard]] bool all_returned() const {
    return (stopped_ || next_row_ >= end_) && returned_ == handed_out_;
  }

  std::mutex mutex_;
  std::condition_variable returned_one_;
  std::condition_variable finished_one_;
  std::vector<std::optional<SweepChunk>> finished_;  // a ring, by number
  std::uint64_t next_row_;
  std::uint64_t end_;
  std::uint64_t rows_;  // of a chunk
  std::uint64_t handed_out_ = 0;
  std::uint64_t returned_ = 0;
  bool stopped_ = false;
  std::exception_ptr error_;
};

// Threads that end with the scope, whatever ends it.
class Crew {
 public:
  explicit Crew(SweepChunks& chunks) : chunks_(&chunks) {}
  ~Crew() {
    chunks_->stop();
    for (std::thread& thread : threads_) thread.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  // False where the system gives no further thread. Those that run do the work then.
  template <class Work>
  bool add(Work work) {
    try {
      threads_.emplace_back(std::move(work));
    } catch (const std::system_error& error) {
      if (!threads_.empty()) return false;
      throw Error(ErrorKind::data, fmt::format("cannot start a thread: {}", error.code().message()),
                  "raise the limits on processes and memory (ulimit -u, ulimit -v)");
    }
    return true;
  }

 private:
  SweepChunks* chunks_;
  std::vector<std::thread> threads_;
};

// Computes chunks until there are no more. Without a selection, rows are rendered into their chunk.
void compute_chunks(const SweepPlan& plan, const Catalog& catalog, const SweepRenderer& render,
                    SweepSelection* selection, SweepChunks& chunks) {
  try {
    SweepWorker worker(plan, catalog);
    while (std::optional<SweepChunk> chunk = chunks.next()) {
      for (std::uint64_t index = chunk->begin; index < chunk->end; ++index) {
        worker.go_to(index);
        const SweepRow& row = worker.compute();
        if (row.estimate == nullptr && chunk->failed++ == 0) chunk->first_error = row.error;
        if (!plan.conditions().empty() && !worker.kept()) continue;
        if (selection != nullptr) {
          selection->offer(row, render);
        } else {
          render(row, chunk->bytes);
          ++chunk->written;
        }
      }
      chunks.finish(std::move(*chunk));
    }
  } catch (...) {
    chunks.stop(std::current_exception());
  }
}

// Writes finished chunks in order until there are no more.
void collect(const SweepRun& run, SweepChunks& chunks,
             const std::function<void(std::string_view)>& write, SweepOutcome& outcome) {
  Clock::time_point last = Clock::now();
  while (!chunks.done()) {
    const bool stop = run.stop != nullptr && run.stop->load(std::memory_order_relaxed);
    if (stop && !outcome.interrupted) {
      outcome.interrupted = true;
      chunks.stop();
    }
    if (const std::optional<SweepChunk> chunk = chunks.pop(kTick)) {
      if (!chunk->bytes.empty()) write(chunk->bytes);
      outcome.computed += chunk->end - chunk->begin;
      outcome.written += chunk->written;
      if (outcome.failed == 0) outcome.first_error = chunk->first_error;
      outcome.failed += chunk->failed;
    }
    const Clock::time_point now = Clock::now();
    if (run.progress && now - last >= kTick) {
      last = now;
      run.progress(outcome.computed);
    }
  }
}

}  // namespace

SweepOutcome run_plan(const SweepPlan& plan, const Catalog& catalog, const SweepRun& run,
                      const SweepRenderer& render,
                      const std::function<void(std::string_view)>& write) {
  SweepOutcome outcome;
  if (run.begin >= run.end) return outcome;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t wanted = run.threads > 0 ? run.threads : cores;
  const auto threads = static_cast<std::size_t>(std::min(wanted, run.end - run.begin));
  std::vector<SweepSelection> selections;
  if (!plan.streams()) selections.assign(threads, SweepSelection(plan, run.end - run.begin));
  const std::uint64_t share = (run.end - run.begin) / (kChunksPerThread * threads);
  SweepChunks chunks(run.begin, run.end, std::clamp<std::uint64_t>(share, 1, kChunkRows),
                     2 * threads + 2);
  {
    Crew crew(chunks);
    for (std::size_t i = 0; i < threads; ++i) {
      SweepSelection* selection = plan.streams() ? nullptr : &selections[i];
      const bool added = crew.add([&plan, &catalog, &render, selection, &chunks] {
        compute_chunks(plan, catalog, render, selection, chunks);
      });
      if (!added) break;
    }
    collect(run, chunks, write, outcome);
  }
  if (outcome.computed == run.end - run.begin) outcome.interrupted = false;
  if (plan.streams() || outcome.interrupted) return outcome;
  // Sorted output is written only when the sweep completed.
  SweepSelection& whole = selections.front();
  for (std::size_t i = 1; i < selections.size(); ++i) whole.merge(std::move(selections[i]));
  for (const KeptRow& row : whole.take()) {
    write(row.bytes);
    ++outcome.written;
  }
  return outcome;
}

}  // namespace trcost::study

namespace trcost {

SweepOutcome run_sweep(const SweepRequest& request, const Catalog& catalog, SweepRun run,
                       const SweepRenderer& render,
                       const std::function<void(std::string_view)>& write) {
  const study::SweepPlan plan(request, catalog);
  run.begin = plan.begin();
  run.end = plan.end();
  return run_plan(plan, catalog, run, render, write);
}

}  // namespace trcost
