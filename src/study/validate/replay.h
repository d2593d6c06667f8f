// SPDX-License-Identifier: Apache-2.0
// Published runs that a scenario replays, and their estimates.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/runs/runs.h"
#include "quantity/layers.h"
#include "trcost/scenario.h"
#include "trcost/uncertainty.h"

namespace trcost::study {

struct ValidationFilter;

/// A replayed run. `measured`, `predicted` and `range` have one unit.
struct Replay {
  const ReplayableRun* run = nullptr;
  std::string model, accelerator;
  std::string source;  ///< one vote: the repository or paper
  double measured = 0;
  double predicted = 0;
  Quantiles range;      ///< of the predicted
  double error = 0;     ///< predicted / measured - 1
  bool inside = false;  ///< P10 <= measured <= P90
  double weight = 0;    ///< 1 / replayed rows of its source, or 0 for a row that is not fitted to
  std::string problem;  ///< why there is no prediction, else empty
};

/// Sets `error` and `inside` from the other members.
void judge(Replay& replay);

/// The repository or site that a source begins with, which has one vote.
std::string vote_of(std::string_view source);

/// Whether a filter accepts a run. `source` and `model` match a part, `accelerator` and `stack` the
/// name in its scenario.
bool selected(const ReplayableRun& run, const ValidationFilter& filter);

/// Sets the weights of the rows to judge by, so that each source weighs one.
template <class Row>
void weigh(std::vector<Row>& rows) {
  std::map<std::string_view, int> sizes;
  const auto counts = [](const Row& row) { return row.problem.empty() && row.run->fit; };
  for (const Row& row : rows) sizes[row.source] += counts(row) ? 1 : 0;
  for (Row& row : rows) {
    if (counts(row)) row.weight = 1.0 / sizes[row.source];
  }
}

/// Errors of a set of runs. Each source has one vote, its mean ln(predicted / measured).
struct SourceVotes {
  int rows = 0;
  int sources = 0;
  double factor = 1;      ///< exp of the median |vote|
  double p90_factor = 1;  ///< exp of the |vote| that nine of ten do not exceed
  double bias = 1;        ///< exp of the median vote
  double coverage = 0;    ///< share of the rows inside P10 to P90, weighted alike
};
SourceVotes votes_of(std::span<const Replay* const> rows);

/// The scenario of a published row. Throws Error (no_answer) if it has none.
Scenario replay_scenario(const ReplayableRun& run);

}  // namespace trcost::study
