// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry: whatever the bytes are, a loader returns a thing or throws Error. With clang:
//   cmake -S . -B build-fuzz -DCMAKE_CXX_COMPILER=clang++ -DTRCOST_FUZZ=ON
//   cmake --build build-fuzz --target fuzz_catalog && build-fuzz/tests/fuzz_catalog tests/fuzz/corpus
// The corpus also runs as a normal test (tests/catalog/test_fuzz_corpus.cpp).
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "catalog/loaders.h"
#include "trcost/error.h"

namespace {

using namespace trcost;

// An Error has words, and none that a terminal might act on.
void check_error(const Error& error) {
  if (error.message.empty()) std::abort();
  for (const char c : error.message + error.hint) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n') std::abort();
  }
}

template <class Load>
void attempt(const Load& load) {
  try {
    load();
  } catch (const Error& error) {
    check_error(error);
  }
}

void check_accelerator(const Accelerator& chip) {
  for (const double rate : chip.peak_flops) {
    if (!std::isfinite(rate) || rate < 0) std::abort();
  }
  if (!(chip.memory_bytes > 0) || !(chip.memory_bandwidth > 0)) std::abort();
}

void check_system(const System& system) {
  if (system.tiers.empty() || !(system.gpus_per_node >= 1)) std::abort();
  for (const NetworkTier& tier : system.tiers) {
    if (!(tier.bandwidth > 0) || !std::isfinite(tier.bandwidth)) std::abort();
  }
  if (system.usable_per_domain > system.gpus_per_domain) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Catalog catalog;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  attempt([&] { check_accelerator(parse_accelerator(parse_strict_json(text, "fuzz.json"))); });
  attempt([&] { check_system(parse_system(parse_strict_json(text, "fuzz.json"))); });
  attempt([&] { (void)parse_encoder(parse_strict_json(text, "fuzz.json")); });
  attempt([&] { (void)parse_model(parse_strict_json(text, "fuzz.json"), catalog); });
  attempt([&] { (void)load_stack(parse_strict_json(text, "fuzz.json")); });
  return 0;
}
