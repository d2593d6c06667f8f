// SPDX-License-Identifier: Apache-2.0
// Published runs, memory peaks and rounds that a scenario replays, and their estimates.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/runs/runs.h"
#include "quantity/layers.h"
#include "study/validate/validate.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"
#include "trcost/scenario.h"
#include "trcost/uncertainty.h"

namespace trcost::study {

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
std::string source_site(std::string_view source);

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
SourceVotes count_votes(std::span<const Replay* const> rows);

/// The scenario of a published row. Throws Error (no_answer) if it has none.
Scenario replay_scenario(const ReplayableRun& run);

/// A published vision-language run in GPU-hours. Rates are taken as those of the scenario's
/// samples, without failures and production overhead.
struct VisionReplay : Replay {
  bool contrastive = false;
};

struct VisionValidation {
  std::vector<VisionReplay> rows;
  SourceVotes vision;  ///< generative, rows to fit to
  SourceVotes contrastive;
  std::optional<double> left_out_factor;  ///< of vision, constants fitted without the source
  std::optional<double> left_out_bias;
  ValidationSummary all;  ///< of the rows to fit to
};

/// Estimates every row of data/runs/vision.csv whose facts can be asked. `filter.source` and
/// `filter.model` match a part, `filter.accelerator` and `filter.stack` the name.
VisionValidation validate_vision(const Catalog& catalog, const ValidationFilter& filter = {});

/// A published peak of the fullest accelerator in bytes, as its counter shows it.
struct MemoryReplay : Replay {
  const MemoryFigure* figure = nullptr;
  std::string stack, recipe;
  MemoryUse use;  ///< predicted, in parts
};

struct MemoryValidation {
  std::vector<MemoryReplay> rows;
  SourceVotes votes;
  ValidationSummary all;                     ///< of rows to fit to, each source weighing one
  std::vector<ValidationSummary> summaries;  ///< likewise, by counter, stack, recipe and source
};

/// Predicts every row of data/runs/memory.csv whose facts can be asked. `filter.source` and
/// `filter.model` match a part, `filter.accelerator` and `filter.stack` the name, `filter.task`
/// what learns.
MemoryValidation validate_memory(const Catalog& catalog, const ValidationFilter& filter = {});

/// A replay in seconds of a round, or in GPU-hours of a whole run, as `run->unit` says.
struct PosttrainingReplay : Replay {
  std::string framework, method, placement;
  bool whole = false;              ///< a whole run
  std::optional<double> left_out;  ///< predicted with its model or source left out of the fit
  double left_out_sigma = 0;       ///< of ln, likewise
};

struct PosttrainingValidation {
  std::vector<PosttrainingReplay> rows;
  ValidationSummary all;  ///< of rounds
  /// Summaries of rounds by framework, model, accelerator and placement.
  std::vector<ValidationSummary> summaries;
  SourceVotes runs;  ///< whole runs
};

/// Estimates every row of data/serving/posttraining.csv whose facts can be asked. `filter.source`
/// and `filter.model` match a part, `filter.accelerator` the name, `filter.stack` the framework,
/// `filter.task` the method.
PosttrainingValidation validate_posttraining(const Catalog& catalog,
                                             const ValidationFilter& filter = {});

}  // namespace trcost::study
