// SPDX-License-Identifier: Apache-2.0
// --network-bandwidth: the network between nodes as the question has it.
#include <algorithm>
#include <limits>

#include "catch.h"
#include "estimate/answer.h"
#include "trcost/catalog.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

Scenario large_run(const char* accelerator) {
  Scenario s;
  s.set_text(Field::model_name, "llama-3.1-70b");
  s.set_number(Field::data_tokens, 1e12);
  s.set_text(Field::hardware_accelerator, accelerator);
  s.set_number(Field::hardware_gpus, 1152);
  return s;
}

}  // namespace

TEST_CASE("the system's own bandwidth, stated, changes nothing", "[estimate][network]") {
  Scenario s = large_run("h100-sxm");
  const double usual = answer(s).wall_clock_seconds;
  s.set_number(Field::hardware_network_bandwidth, 50e9);  // NDR, an adapter for each (dgx-h100)
  CHECK(answer(s).wall_clock_seconds == usual);
}

// But for what a simpler layout may take, which a faster network lets in: 1.8 %
// (space_batches.cpp).
TEST_CASE("a faster network between nodes or racks never takes longer", "[estimate][property]") {
  constexpr double kSimpler = 1.018;
  for (const char* accelerator : {"a100-sxm-80gb", "h100-sxm", "gb200-nvl72", "tpu-v5p"}) {
    double before = std::numeric_limits<double>::infinity();
    for (const double rate : {1e9, 3e9, 12.5e9, 50e9, 100e9, 1e12}) {
      Scenario s = large_run(accelerator);
      s.set_number(Field::hardware_network_bandwidth, rate);
      const double seconds = answer(s).wall_clock_seconds;
      CAPTURE(accelerator, rate);
      CHECK(seconds <= before * kSimpler);
      before = std::min(before, seconds);
    }
  }
}

TEST_CASE("within one node the network between nodes says nothing", "[estimate][network]") {
  Scenario s = large_run("h200");
  s.set_text(Field::model_name, "llama-3.1-8b");
  s.set_number(Field::hardware_gpus, 8);
  const double usual = answer(s).wall_clock_seconds;
  s.set_number(Field::hardware_network_bandwidth, 1e9);
  CHECK(answer(s).performance.step_seconds > 0);
  CHECK(answer(s).wall_clock_seconds >= usual);
  CHECK(answer(s).wall_clock_seconds < usual * 1.02);  // checkpoints go over it
}
