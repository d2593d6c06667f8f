// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "study/experiments.h"

namespace trcost {

JobSchedule schedule_jobs(std::vector<ScheduledJob> jobs, double gpus, double node) {
  JobSchedule out;
  std::ranges::stable_sort(jobs, [](const ScheduledJob& a, const ScheduledJob& b) {
    return a.gpus != b.gpus ? a.gpus > b.gpus : a.seconds > b.seconds;
  });
  using End = std::pair<double, double>;  // time, accelerators that become free
  std::priority_queue<End, std::vector<End>, std::greater<>> running;
  double free = gpus;
  double now = 0;
  while (true) {
    for (ScheduledJob& job : jobs) {
      const double start = std::min(job.count, std::floor(free / job.gpus));
      if (start <= 0) continue;
      // Jobs that are the same and start together end together.
      running.emplace(now + job.seconds, start * job.gpus);
      job.count -= start;
      free -= start * job.gpus;
    }
    out.seconds = now;
    if (running.empty()) return out;
    const double busy = gpus - free;
    const double rented = std::min(gpus, std::ceil(busy / node) * node);
    out.idle_gpu_seconds += (rented - busy) * (running.top().first - now);
    now = running.top().first;
    while (!running.empty() && running.top().first <= now) {
      free += running.top().second;
      running.pop();
    }
  }
}

}  // namespace trcost
