// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

#include "study/experiments/experiments.h"

namespace trcost::study {

namespace {

// Runs that end together.
struct Running {
  double end = 0;
  double gpus = 0;   // of all of them
  double parts = 0;  // of them, those in nodes that they do not fill
  std::size_t job = 0;
  bool operator>(const Running& other) const { return end > other.end; }
};

}  // namespace

JobSchedule schedule_jobs(const std::vector<ScheduledJob>& jobs, double gpus, double node) {
  JobSchedule out;
  out.idle_of_job.assign(jobs.size(), 0);
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) {
    const ScheduledJob &a = jobs[i], &b = jobs[j];
    return a.gpus != b.gpus ? a.gpus > b.gpus : a.seconds > b.seconds;
  });
  std::vector<double> waiting(jobs.size()), parts(jobs.size());  // GPUs in nodes that are shared
  for (std::size_t i = 0; i < jobs.size(); ++i) waiting[i] = jobs[i].count;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  double free = gpus;
  double now = 0;
  while (true) {
    for (const std::size_t i : order) {
      const double start = std::min(waiting[i], std::floor(free / jobs[i].gpus));
      if (start <= 0) continue;
      // Jobs that are the same and start together end together.
      const double shared = start * std::fmod(jobs[i].gpus, node);
      running.push({now + jobs[i].seconds, start * jobs[i].gpus, shared, i});
      parts[i] += shared;
      waiting[i] -= start;
      free -= start * jobs[i].gpus;
    }
    out.seconds = now;
    if (running.empty()) return out;
    const double busy = gpus - free;
    const double rented = std::min(gpus, std::ceil(busy / node) * node);
    const double idle = (rented - busy) * (running.top().end - now);
    out.idle_gpu_seconds += idle;
    // Jobs that fill their nodes leave nothing idle.
    const double all_parts = std::accumulate(parts.begin(), parts.end(), 0.0);
    for (std::size_t i = 0; i < jobs.size() && idle > 0; ++i) {
      out.idle_of_job[i] += idle * parts[i] / all_parts;
    }
    now = running.top().end;
    while (!running.empty() && running.top().end <= now) {
      free += running.top().gpus;
      parts[running.top().job] -= running.top().parts;
      running.pop();
    }
  }
}

}  // namespace trcost::study
