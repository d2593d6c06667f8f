// SPDX-License-Identifier: Apache-2.0
// Published peaks of memory: that they can be asked, how far the answers lie, and who counts what.
#include <cmath>
#include <set>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/cluster/memory_fit.h"
#include "study/validate/replay.h"

using namespace trcost;

namespace {

const MemoryValidation& all_memory_rows() {
  static const MemoryValidation shared = validate_memory(test_catalog());
  return shared;
}

}  // namespace

TEST_CASE("every published peak can be asked or says why not", "[study][memory]") {
  std::set<std::string> ids, sources;
  int replayed = 0;
  for (const MemoryReplay& row : all_memory_rows().rows) {
    const ReplayableRun& run = *row.run;
    INFO(run.id);
    INFO(row.problem);
    CHECK(ids.insert(run.id).second);
    CHECK((run.quality == "A" || run.quality == "B" || run.quality == "C"));
    CHECK_FALSE(run.reference.empty());
    CHECK(run.measured.value_or(0) > 1e9);
    CHECK(run.measured.value_or(0) < 300e9);
    CHECK(run.fit != !run.why_not.empty());
    CHECK(run.scenario.empty() == !run.why_not.empty());
    // Who assumed something says what.
    CHECK((run.quality == "A" || !run.assumed.empty() || !run.why_not.empty()));
    if (run.scenario.empty()) continue;
    CHECK(row.problem.empty());
    CHECK(row.predicted > 0);
    ++replayed;
    sources.insert(row.source);
  }
  CHECK(replayed >= 100);
  CHECK(sources.size() >= 20);
}

// What data/runs/README.md says of the distance, with room for rows to come. The rows of the third
// release (N4M) are harder than the others: their own loops, rented cards, two-die modules.
TEST_CASE("distance of the answers from published peaks", "[study][memory]") {
  const ValidationSummary& all = all_memory_rows().all;
  CHECK(all.rows >= 232);
  CHECK(all.median < 0.135);
  CHECK(all.p90 < 0.41);
  CHECK(std::abs(all.bias) < 0.05);
  const SourceVotes& votes = all_memory_rows().votes;
  CHECK(votes.sources >= 27);
  CHECK(votes.factor < 1.13);
  CHECK(votes.p90_factor < 1.31);
}

// A counter shows what the one before it leaves out, and the board everything.
TEST_CASE("counters nest", "[study][memory]") {
  for (const MemoryReplay& row : all_memory_rows().rows) {
    if (!row.problem.empty()) continue;
    INFO(row.run->id);
    const MemoryUse& use = row.use;
    CHECK(shown(use, MemoryCounter::allocated) <= shown(use, MemoryCounter::reserved));
    CHECK(shown(use, MemoryCounter::reserved) < shown(use, MemoryCounter::board));
    CHECK(shown(use, MemoryCounter::board) == use.total);
    CHECK(use.unallocated + use.fragments <= use.overhead * (1 + 1e-12));
  }
}

TEST_CASE("peaks are selected by what their scenarios say", "[study][memory]") {
  ValidationFilter filter;
  filter.source = "SimuMax";
  const MemoryValidation simumax = validate_memory(test_catalog(), filter);
  CHECK(simumax.rows.size() == 19);
  CHECK(simumax.votes.sources == 1);
  filter = {};
  filter.task = "qlora";
  const MemoryValidation packed = validate_memory(test_catalog(), filter);
  CHECK(packed.rows.size() > 10);
  for (const MemoryReplay& row : packed.rows) CHECK(row.recipe == "qlora");
}
