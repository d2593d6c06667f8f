// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "planner/batch.h"
#include "planner/plan.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/estimate.h"
#include "workload/trainable.h"
#include "workload/workload.h"

namespace trcost::estimation {

/// Storage and decoding of one image or clip of the data.
struct StoredMedia {
  double bytes = 0;         ///< as stored
  double core_seconds = 0;  ///< of one CPU core that decodes it
  double pictures = 1;      ///< decoded images, frames or windows of audio
};

/// Work of a scenario per token: the fields of model, train and data that decide what a sequence
/// is, without hardware and amounts.
struct ResolvedWork {
  Model model;
  Workload workload;
  ParameterCounts params;
  double rule_params = 0;  ///< parameters as specified by --params, else the active ones
  TrainableCounts trainable;
  TrainingFlops flops_per_token;  ///< per token of the language model
  double seq_length = 0;          ///< useful tokens of a sequence
  Medium medium = Medium::image;  ///< kind of the media below, where a clip replaces an image
  StoredMedia stored;             ///< one image or clip
  double sample_tokens = 0;       ///< of a sample, text and vision
  double sample_images = 0;       ///< mean of all samples
};

/// Amount of that work: tokens, samples and sequences per optimizer step.
struct Amounts {
  TokenTotals tokens;             ///< all epochs
  double epochs = 1;              ///< passes over the data
  std::optional<double> samples;  ///< all epochs; empty if the scenario specifies tokens
  double images = 0;              ///< all epochs
  double global_batch = 0;        ///< sequences, given or usual
  double batch_ramp = 0;          ///< tokens over which the batch grows to its size
  /// Sequences that published runs use, even if another batch is given; empty without a rule.
  std::optional<double> usual_batch;
  UsualBatch pretraining_batch;  ///< rule by which usual_batch grows with the cluster
  /// Sequences, critical_batch_tokens() of the training; empty if the loss depends on the batch.
  std::optional<double> critical_batch;
  bool global_batch_given = false;
  bool usual_batch_grows = false;  ///< usual_batch grows with the cluster, as in pre-training
  bool tokens_given = false;
};

}  // namespace trcost::estimation
