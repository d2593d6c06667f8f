// SPDX-License-Identifier: Apache-2.0
#include "cli/output/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "trcost/numbers.h"

namespace trcost::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{500};

}  // namespace

std::string progress_text(std::uint64_t done, std::uint64_t total, double elapsed) {
  const auto rows = static_cast<double>(done);
  const auto all = static_cast<double>(total);
  std::string out =
      fmt::format("{:.1f}% of {} rows", 100 * rows / all, format_number(all, NumberKind::count));
  if (done == 0 || elapsed <= 0) return out;
  const double rate = rows / elapsed;
  return out + fmt::format(", {} rows/s, {} left", format_number(rate, NumberKind::count),
                           format_number((all - rows) / rate, NumberKind::duration));
}

ProgressLine::ProgressLine(std::uint64_t total, bool quiet)
    : start_(std::chrono::steady_clock::now()),
      total_(total),
      wanted_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(std::uint64_t done) {
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  if (!wanted_ || elapsed < kPatience) return;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(elapsed).count();
  std::fputs(("\r\033[K" + progress_text(done, total_, seconds)).c_str(), stderr);
}

}  // namespace trcost::cli
