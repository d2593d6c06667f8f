// SPDX-License-Identifier: Apache-2.0
// Share of the wall-clock time that is steps.
#pragma once

#include <optional>

#include "cost/goodput.h"
#include "estimate/question/work/notes.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/layers.h"
#include "trcost/estimate.h"

namespace trcost::estimation {

/// Share of the time that small runs and adaptations spend in steps (model.md 5.6).
inline constexpr double kOverhead = 0.9;
/// GPU-hours of steps up to which a run from scratch has the overhead of a small one, and from
/// which it has that of a large one. Between them the share falls with the logarithm. Of the
/// decades tried these two fit the 53 whole runs best: root mean square of ln(predicted / reported)
/// over families 0.197, against 0.206 with one share for all.
inline constexpr double kSmallRunHours = 100, kLargeRunHours = 1e5;
/// Share of the compute-optimal tokens up to which a vision-language run has the overhead of an
/// adaptation. From there to all of them it becomes that of a run from scratch, by the logarithm.
inline constexpr double kAdaptationRatio = 0.05;
/// Production overhead of a run from scratch: tokens over published steady rate times published
/// hours. BLOOM
/// 0.66 (bigscience chronicles, 150 TFLOP/s), GPT-NeoX 0.67 (117), OPT 0.74 (147), Olmo 3 32B 0.77
/// (1,900 tokens/s), Llama 3.1 405B 0.87 (MFU of 40 %), Olmo 3 7B 0.91 (7,700 tokens/s). With their
/// middle the estimated hours lie around those of published runs (trcost validate --runs). The
/// first three were their teams' first of the kind, the last three are of teams that tune. The
/// constants are geometric means. A slope in the model's size or the run's FLOPs takes the factor
/// of families left out from 1.151 to 1.143 and 1.206.
inline constexpr double kTunedOverhead = 0.85, kUsualOverhead = 0.75, kFirstOverhead = 0.69;

/// Hours of the final run over those of the project: OPT-175B 34 of 62 days (LLaMA,
/// arXiv:2302.13971, table 15; logbook of metaseq, 5 November 2021 to 6 January 2022), and the
/// estimated run over the cumulative hours of the model cards of Llama 3 8B 0.64, Llama 3.1 8B
/// 0.57, Llama 3 70B 1.2, Llama 3.1 70B 1.1. The geometric mean counts each size of Llama once.
inline constexpr double kProjectShare = 0.72;

/// Failures and overhead of a scenario, before the cluster and its hours are known.
struct UsefulTerms {
  FailureInputs failures;
  std::optional<double> goodput;   ///< given
  double production_overhead = 1;  ///< given, or of a large run
  bool overhead_given = false;
  bool tuning_given = false;  ///< --tuning, which moves the overhead
  bool project = false;       ///< restarts and second attempts count too

  /// The share of the time in steps of a run with so many GPU-hours of them.
  [[nodiscard]] double overhead_at(double gpu_hours) const;
};

/// Resolves failures and overhead. Adaptations have less overhead than runs from scratch.
UsefulTerms resolve_useful_terms(const Scenario& scenario, const ResolvedWork& work,
                                 const Amounts& amounts, const System& system);

/// Share of the wall-clock time that is steps.
struct UsefulTime {
  FailureInputs failures;
  GoodputResult goodput;
  bool goodput_given = false;
  double goodput_share = 1;
  double production_overhead = 1;
  [[nodiscard]] double share() const { return goodput_share * production_overhead; }
};
/// Computes the useful time of `gpus` accelerators. `busy_seconds`: all steps, uninterrupted.
UsefulTime useful_time(const UsefulTerms& terms, double gpus, double busy_seconds);
/// Notes the defaults of overhead and failures.
void note_useful_time(const UsefulTerms& terms, const UsefulTime& useful, Notes& notes);

}  // namespace trcost::estimation
