// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "study/solve/solve_probe.h"

namespace trcost::study {

namespace {

// Sizes beyond this multiple of the smallest that meets a time only cost more.
constexpr double kFurthest = 8;
// A window of at most kAll sizes is tried completely. A wider one is tried in kSteps equal steps,
// then in steps kFiner times finer around the sizes that were found.
constexpr double kAll = 128;
constexpr double kSteps = 64;
constexpr double kFiner = 8;
// The window for a time ends at this multiple of the smallest that meets it, or of the cheapest.
constexpr double kBeyondFirst = 1.25;
// Sizes below this fraction of the least GPU-seconds over the time are too slow.
constexpr double kPerhapsFaster = 0.9;

bool better(const Probe& a, const Probe& b, bool cheapest) {
  if (cheapest && a.total_usd && b.total_usd && *a.total_usd != *b.total_usd) {
    return *a.total_usd < *b.total_usd;
  }
  if (!cheapest && a.wall_clock_seconds != b.wall_clock_seconds) {
    return a.wall_clock_seconds < b.wall_clock_seconds;
  }
  return a.x < b.x;
}

SolveChoice choice(std::string what, const Probe& probe) {
  return {std::move(what), probe.x, probe.wall_clock_seconds, probe.total_usd};
}

// Sizes between which the smallest and the best are searched.
struct Window {
  double low = 1, high = 1;
};

class Scan {
 public:
  Scan(Prober& prober, const ScanFor& wanted)
      : prober_(prober), node_(wanted.node), cheapest_(wanted.cheapest), sized_(wanted.sized) {}

  Found run(const std::vector<double>& sizes) {
    if (sized_) at(*sized_);
    try_sizes(sizes);
    Found found;
    if (first() == nullptr) {
      if (!prober_.nearest()) prober_.rethrow();
      found.probe = *prober_.nearest();
      found.problem = "no allowed value reaches the target";
      return found;
    }
    if (node_ > 0) refine(window());
    found.solved = true;
    found.probe = sized_ && at(*sized_).meets ? at(*sized_) : *best();
    add_choices(found);
    return found;
  }

 private:
  // Tries each size once.
  const Probe& at(double size) {
    const auto known = tried_.find(size);
    if (known != tried_.end()) return known->second;
    return tried_.emplace(size, prober_.at(size)).first->second;
  }

  // The smallest size that meets the target, or null.
  [[nodiscard]] const Probe* first() const {
    for (const auto& [size, probe] : tried_) {
      if (probe.meets) return &probe;
    }
    return nullptr;
  }

  [[nodiscard]] const Probe* best() const {
    const Probe* out = nullptr;
    for (const auto& [size, probe] : tried_) {
      if (probe.meets && (out == nullptr || better(probe, *out, cheapest_))) out = &probe;
    }
    return out;
  }

  void try_sizes(const std::vector<double>& sizes) {
    double first = 0;
    for (const double size : sizes) {
      if (cheapest_ && first > 0 && size > kFurthest * first) break;
      if (at(size).meets && first == 0) first = size;
    }
  }

  // The size so many places above or below among those tried.
  [[nodiscard]] double neighbor(double size, int places) const {
    auto at = tried_.find(size);
    for (; places > 0 && std::next(at) != tried_.end(); --places) ++at;
    for (; places < 0 && at != tried_.begin(); ++places) --at;
    return at->first;
  }

  // For a time: from the size at perfect scaling to beyond both the smallest size in time and the
  // cheapest. For other targets: around the fastest size that meets it.
  [[nodiscard]] Window window() const {
    if (!cheapest_) return {neighbor(best()->x, -2), neighbor(best()->x, 2)};
    const Probe& first = *this->first();
    double work = kFurthest * first.x * first.wall_clock_seconds;
    for (const auto& [size, probe] : tried_) {
      if (probe.achieved) work = std::min(work, size * probe.wall_clock_seconds);
    }
    // The first size takes nearly the whole time, so that no size in time is slower.
    const double low =
        std::min(neighbor(first.x, -3), kPerhapsFaster * work / first.wall_clock_seconds);
    return {std::max(1.0, std::floor(low)), std::ceil(kBeyondFirst * std::max(first.x, best()->x))};
  }

  // Rounds a step up to whole nodes if it is longer than one, else to whole accelerators.
  [[nodiscard]] double whole_step(double step) const {
    if (step <= 1) return 1;
    return step > node_ ? std::ceil(step / node_) * node_ : std::ceil(step);
  }

  void try_window(const Window& window, double step) {
    const double begin = step == 1 ? window.low : std::ceil(window.low / step) * step;
    for (double size = begin; size <= window.high; size += step) at(size);
  }

  void refine(const Window& window) {
    const double width = window.high - window.low;
    double step = width <= kAll ? 1 : whole_step(width / kSteps);
    all_ = step == 1;
    try_window(window, step);
    while (step > 1) {
      const double finer =
          step <= node_ ? 1 : std::max(node_, whole_step(std::floor(step / kFiner)));
      const double fewest = first()->x, best = this->best()->x;
      try_window({std::max(1.0, fewest - step), fewest}, finer);
      try_window({std::max(1.0, best - step), best + step}, finer);
      step = finer;
    }
    window_ = window;
  }

  // Marks a choice from a window in which not all sizes were tried.
  [[nodiscard]] std::string named(const char* what, double x) const {
    const bool all = node_ == 0 || x <= node_ || (all_ && x >= window_.low && x < window_.high);
    return std::string(what) + (all ? "" : " tried");
  }

  void add_choices(Found& found) {
    const Probe& best = *this->best();
    const Probe& fewest = *first();
    if (sized_ && at(*sized_).meets) found.choices.push_back(choice("as --deadline", found.probe));
    found.choices.push_back(choice(named(cheapest_ ? "least cost" : "least time", best.x), best));
    found.choices.push_back(choice(named("fewest", fewest.x), fewest));
    if (node_ == 0) return;
    for (const auto& [size, probe] : tried_) {
      if (!probe.meets || std::fmod(size, node_) != 0) continue;
      found.choices.push_back(choice("fewest whole nodes", probe));
      return;
    }
  }

  Prober& prober_;
  double node_;
  bool cheapest_;
  std::optional<double> sized_;
  std::map<double, Probe> tried_;
  Window window_;
  bool all_ = false;  ///< every whole number of window_ was tried
};

}  // namespace

Found solve_by_scan(Prober& prober, const std::vector<double>& sizes, const ScanFor& wanted) {
  return Scan(prober, wanted).run(sizes);
}

}  // namespace trcost::study
