// SPDX-License-Identifier: Apache-2.0
// The libFuzzer entry of every border: TRCOST_BORDER names the one. `sh tests/fuzz/run.sh` builds
// it and runs them all.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/borders.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const trcost::fuzz::Border* const border = [] {
    const char* name = std::getenv("TRCOST_BORDER");
    const auto* found = trcost::fuzz::find_border(name == nullptr ? "" : name);
    if (found == nullptr) {
      std::fputs("set TRCOST_BORDER to one of:", stderr);
      for (const auto& each : trcost::fuzz::borders())
        std::fprintf(stderr, " %s", each.name.data());
      std::fputs("\n", stderr);
      std::exit(2);
    }
    return found;
  }();
  border->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
