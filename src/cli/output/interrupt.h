// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace trcost::cli {

/// While it lives, Ctrl-C and SIGTERM set a flag instead of ending the program; a second one ends
/// it. A signal that was ignored when the program began stays ignored.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] const std::atomic<bool>& flag() const;
};

}  // namespace trcost::cli
