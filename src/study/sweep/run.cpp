// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <thread>

#include "quantity/layers.h"
#include "study/sweep/chunks.h"
#include "study/sweep/selection.h"
#include "study/sweep/worker.h"
#include "trcost/error.h"
#include "trcost/sweep.h"

namespace trcost::study {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTick{100};

// Threads end with the scope, whatever ends it.
class Crew {
 public:
  explicit Crew(SweepChunks& chunks) : chunks_(&chunks) {}
  ~Crew() {
    chunks_->stop();
    for (std::thread& thread : threads_) thread.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  /// False where the system gives no further thread; those that run do the work then.
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

void compute_chunk(const SweepPlan& plan, SweepWorker& worker, const SweepRenderer& render,
                   SweepSelection* selection, SweepChunk& chunk) {
  for (std::uint64_t index = chunk.begin; index < chunk.end; ++index) {
    worker.go_to(index);
    const SweepRow& row = worker.compute();
    if (row.estimate == nullptr && chunk.failed++ == 0) chunk.first_error = row.error;
    if (!plan.conditions().empty() && !worker.kept()) continue;
    if (selection != nullptr) {
      selection->offer(row, render);
    } else {
      render(row, chunk.bytes);
      ++chunk.written;
    }
  }
}

void work(const SweepPlan& plan, const Catalog& catalog, const SweepRenderer& render,
          SweepSelection* selection, SweepChunks& chunks) {
  try {
    SweepWorker worker(plan, catalog);
    while (std::optional<SweepChunk> chunk = chunks.next()) {
      const Clock::time_point start = Clock::now();
      compute_chunk(plan, worker, render, selection, *chunk);
      chunks.finish(std::move(*chunk), Clock::now() - start);
    }
  } catch (...) {
    chunks.fail(std::current_exception());
  }
}

void add_chunk(const SweepChunk& chunk, SweepOutcome& outcome) {
  outcome.computed += chunk.end - chunk.begin;
  outcome.written += chunk.written;
  if (outcome.failed == 0 && chunk.failed > 0) outcome.first_error = chunk.first_error;
  outcome.failed += chunk.failed;
}

bool asked_to_stop(const SweepRun& run) {
  return run.stop != nullptr && run.stop->load(std::memory_order_relaxed);
}

// Passes finished chunks on, in order, until there are no more.
void collect(const SweepRun& run, SweepChunks& chunks,
             const std::function<void(std::string_view)>& write, SweepOutcome& outcome) {
  Clock::time_point last = Clock::now();
  while (!chunks.done()) {
    if (asked_to_stop(run) && !outcome.interrupted) {
      outcome.interrupted = true;
      chunks.stop();
    }
    if (std::optional<SweepChunk> chunk = chunks.pop(kTick)) {
      if (!chunk->bytes.empty()) write(chunk->bytes);
      add_chunk(*chunk, outcome);
      chunks.recycle(std::move(chunk->bytes));
    }
    const Clock::time_point now = Clock::now();
    if (run.progress && now - last >= kTick) {
      last = now;
      run.progress(outcome.computed);
    }
  }
}

void write_selection(std::vector<SweepSelection>& selections,
                     const std::function<void(std::string_view)>& write, SweepOutcome& outcome) {
  SweepSelection& whole = selections.front();
  for (std::size_t i = 1; i < selections.size(); ++i) whole.merge(std::move(selections[i]));
  for (const KeptRow& row : whole.take()) {
    write(row.bytes);
    ++outcome.written;
  }
}

}  // namespace

}  // namespace trcost::study

namespace trcost {

SweepOutcome run_sweep(const SweepPlan& plan, const Catalog& catalog, const SweepRun& run,
                       const SweepRenderer& render,
                       const std::function<void(std::string_view)>& write) {
  SweepOutcome outcome;
  if (run.begin >= run.end) return outcome;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t wanted = run.threads > 0 ? run.threads : cores;
  const auto threads = static_cast<std::size_t>(std::min(wanted, run.end - run.begin));
  std::vector<SweepSelection> selections;
  if (!plan.streams()) selections.assign(threads, SweepSelection(plan, run.end - run.begin));
  SweepChunks chunks(run.begin, run.end, 2 * threads + 2);
  {
    Crew crew(chunks);
    for (std::size_t i = 0; i < threads; ++i) {
      SweepSelection* selection = plan.streams() ? nullptr : &selections[i];
      const bool added = crew.add([&plan, &catalog, &render, selection, &chunks] {
        work(plan, catalog, render, selection, chunks);
      });
      if (!added) break;
    }
    collect(run, chunks, write, outcome);
  }
  if (outcome.computed == run.end - run.begin) outcome.interrupted = false;
  // Half of an ordered result is none.
  if (!plan.streams() && !outcome.interrupted) write_selection(selections, write, outcome);
  return outcome;
}

}  // namespace trcost
