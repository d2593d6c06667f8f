// SPDX-License-Identifier: Apache-2.0
#include "cli/output/interrupt.h"

#include <csignal>

namespace trcost::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // all that a signal handler may touch

constexpr int kSignals[] = {SIGINT, SIGTERM};

extern "C" void on_interrupt(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  for (const int number : kSignals) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(number, &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (const int number : kSignals) {
    struct sigaction now {};
    sigaction(number, nullptr, &now);
    if (now.sa_handler == on_interrupt) std::signal(number, SIG_DFL);
  }
}

const std::atomic<bool>& InterruptGuard::flag() const {
  return interrupted;
}

}  // namespace trcost::cli
