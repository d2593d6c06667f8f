// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "catalog/runs/runs.h"
#include "estimate/question/work/notes.h"
#include "planner/batch.h"
#include "planner/plan.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"
#include "trcost/tokens.h"
#include "workload/workload.h"

namespace trcost::estimation {

/// What one image or clip of the data takes outside of the accelerators.
struct StoredMedia {
  double bytes = 0;         ///< as stored
  double core_seconds = 0;  ///< of one CPU core that decodes it
  double pictures = 1;      ///< images, frames or windows of audio that go in
};

/// A scenario without its hardware and its amounts: every field of model, train and data that says
/// what a sequence is.
struct ResolvedWork {
  Model model;
  Workload workload;
  ParameterCounts params;
  double rule_params = 0;  ///< as people say them: asked for, or the active ones
  TrainableCounts trainable;
  TrainingFlops flops_per_token;  ///< per token of the language model
  double seq_length = 0;          ///< useful tokens of a sequence
  Medium medium = Medium::image;  ///< of what follows: an image may be a clip
  StoredMedia stored;             ///< one image
  double sample_tokens = 0;       ///< of a sample, text and vision
  double sample_images = 0;       ///< mean
};

/// How much of that work there is, and how much of it an optimizer step takes.
struct Amounts {
  TokenTotals tokens;             ///< all epochs
  double epochs = 1;              ///< passes over the data
  std::optional<double> samples;  ///< all epochs; empty where the question has no samples
  double images = 0;              ///< all epochs
  double global_batch = 0;        ///< sequences, given or usual
  /// Sequences, whether or not another batch is given; empty where no rule says what is usual.
  std::optional<double> usual_batch;
  UsualBatch pretraining_batch;  ///< that usual_batch grows by with the cluster
  /// Sequences, critical_batch_tokens() of the training; empty where the batch is part of the loss.
  std::optional<double> critical_batch;
  bool global_batch_given = false;
  bool usual_batch_grows = false;  ///< with the cluster: that of pre-training
  bool tokens_given = false;
};

/// The architecture: catalog model, file, or shape from parameters, with an encoder for vl.
Model resolve_model(const Scenario& scenario, const Catalog& catalog, Notes& notes);

/// Tokens of an image in encoder and language model, and pixels of it as stored. Warns where a size
/// is given that the encoder does not follow.
void resolve_images(const Scenario& scenario, const Catalog& catalog, ResolvedWork& out,
                    Notes& notes);

/// What the token rule of the model counted for an image or a clip, into `out`; `noted` names the
/// assumption.
void take_count(const Scenario& scenario, const TokenCount& count, std::string noted,
                ResolvedWork& out, Notes& notes);

/// Throws Error (usage) where --video, --audio, --seconds, --fps and what is said of images do not
/// go together.
void refuse_clip_contradictions(const Scenario& scenario);

/// The same of a clip of video or audio, which takes the place of an image; false where samples
/// carry images. Throws Error (usage) where the model has no rule for it, naming the families that
/// have.
bool resolve_clip(const Scenario& scenario, const Catalog& catalog, ResolvedWork& out,
                  Notes& notes);

/// Data of contrastive training, into `out` whose model is a pair of towers: one pair of image and
/// text is one sequence, and nothing is packed. The batch is part of the loss, and so of the work.
void resolve_pairs(const Scenario& scenario, ResolvedWork& out, Notes& notes);

/// resolve_amounts() of contrastive training.
Amounts resolve_pair_amounts(const Scenario& scenario, const ResolvedWork& work, Notes& notes);

/// The question with stack, attention and recomputation of contrastive training where the user gave
/// none; nothing where the model is not a pair of towers.
std::optional<Scenario> contrastive_defaults(const Scenario& scenario, const Catalog& catalog,
                                             Notes& notes);

/// The modality that a question names; empty where it does not.
std::optional<Modality> modality_of(const Scenario& scenario);
/// Whether a question is of a vision-language model, a pair of towers not being one.
bool asks_vision(const Scenario& scenario, const Catalog& catalog);

/// The question with stack and recomputation of a vision-language model that is adapted to samples,
/// where the user gave none; nothing where nothing changes.
std::optional<Scenario> vision_tuning_defaults(const Scenario& scenario, const Catalog& catalog,
                                               Notes& notes);

/// What follows from a question before its work is looked at, into `adapted`: what a method of
/// post-training says for the rest of it, and the software that a question of images usually means
/// where it names none. False where nothing changes.
bool usual_recipe(const Scenario& asked, const Catalog& catalog, std::string_view accelerator,
                  Notes& notes, Scenario& adapted);

/// Recipe per module and everything that the data says of a sequence. Throws Error (usage) for
/// contradictions.
ResolvedWork resolve_work(const Scenario& scenario, const Catalog& catalog, Notes& notes);

/// Tokens, samples and batch of a work that is known. Throws Error (usage) for contradictions,
/// Error (data) where the tokens of an image are not known.
Amounts resolve_amounts(const Scenario& scenario, const ResolvedWork& work, Notes& notes);

}  // namespace trcost::estimation
