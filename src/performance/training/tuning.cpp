// SPDX-License-Identifier: Apache-2.0
#include "performance/training/performance.h"
#include "quantity/portable_math.h"

namespace trcost::performance {

namespace {

// ln of a step's time over that of a showcase, for the stack alone.
double behind(const Stack& stack, Tuning tuning) {
  switch (tuning) {
    case Tuning::showcase:
      return 0;
    case Tuning::usual:
      return stack.usual_gap;
    case Tuning::first_run:
      return stack.usual_gap + stack.first_run_gap;
  }
  return 0;
}

}  // namespace

void set_tuning(Platform& platform, Tuning tuning) {
  const Stack& stack = *platform.stack;
  const bool shown = tuning == Tuning::showcase;
  // A chip's own constants are those of its showcases, whatever the stack's describe.
  const double young = shown ? 0 : platform.efficiency->usual_gap;
  platform.slowdown = portable_exp(behind(stack, tuning) - behind(stack, stack.described) + young);
  const bool as_described = shown || stack.described != Tuning::showcase;
  platform.issued = shown ? stack.showcase_issued : 1;
  platform.overlap.tensor = platform.overlap.expert = as_described ? 1 : stack.usual_overlap;
}

}  // namespace trcost::performance
