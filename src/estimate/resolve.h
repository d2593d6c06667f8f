// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "estimate/notes.h"
#include "planner/planner.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"
#include "trcost/tokens.h"
#include "workload/workload.h"

namespace trcost {

/// What one image or clip of the data takes outside of the accelerators.
struct StoredMedia {
  double bytes = 0;         ///< as stored
  double core_seconds = 0;  ///< of one CPU core that decodes it
  double pictures = 1;      ///< images, frames or windows of audio that go in
};

/// A scenario without its hardware: every field of model, train and data given a value.
struct ResolvedWork {
  Model model;
  Workload workload;
  ParameterCounts params;
  TrainableCounts trainable;
  TrainingFlops flops_per_token;  ///< per token of the language model
  TokenTotals tokens;             ///< all epochs
  double epochs = 1;              ///< passes over the data
  double samples = 0;             ///< all epochs; 0 where the question has no samples
  double images = 0;              ///< all epochs
  double seq_length = 0;          ///< useful tokens of a sequence
  Medium medium = Medium::image;  ///< of what follows: an image may be a clip
  StoredMedia stored;             ///< one image
  double sample_tokens = 0;       ///< of a sample, text and vision
  double sample_images = 0;       ///< mean
  double global_batch = 0;        ///< sequences, given or usual
  double usual_batch = 0;         ///< sequences, whether or not another batch is given
  UsualBatch pretraining_batch;   ///< that usual_batch grows by with the cluster
  double critical_batch = 0;      ///< sequences, critical_batch_tokens() of the training
  bool global_batch_given = false;
  bool usual_batch_grows = false;  ///< with the cluster: that of pre-training
  bool tokens_given = false;
};

/// The architecture: catalog model, file, or shape from parameters, with an encoder for vl.
Model resolve_model(const Scenario& scenario, const Catalog& catalog, Notes& notes);

/// Tokens of an image in encoder and language model, and pixels of it as stored. Warns where a size is
/// given that the encoder does not follow.
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
bool resolve_clip(const Scenario& scenario, ResolvedWork& out, Notes& notes);

/// Data of contrastive training, into `out` whose model is a pair of towers: one pair of image and
/// text is one sequence, and nothing is packed.
void resolve_pairs(const Scenario& scenario, ResolvedWork& out, Notes& notes);

/// The question with stack, attention and recomputation of contrastive training where the user gave
/// none; nothing where the model is not a pair of towers.
std::optional<Scenario> contrastive_defaults(const Scenario& scenario, const Catalog& catalog,
                                             Notes& notes);

/// The question with stack and recomputation of a vision-language model that is adapted to samples,
/// where the user gave none; nothing where nothing changes.
std::optional<Scenario> vision_tuning_defaults(const Scenario& scenario, const Catalog& catalog,
                                               Notes& notes);

/// What follows from a question before its work is looked at, into `adapted`: what a method of
/// post-training says for the rest of it, and the software that a question of images usually means
/// where it names none. False where nothing changes.
bool usual_recipe(const Scenario& asked, const Catalog& catalog, Notes& notes, Scenario& adapted);

/// Recipe per module and everything that the data says. Throws Error (usage) for contradictions.
ResolvedWork resolve_work(const Scenario& scenario, const Catalog& catalog, Notes& notes);

/// The last part of resolve_work(): tokens, samples and batch of a workload that is known. Of the
/// scenario it reads model.params, data.tokens, data.samples, data.tokens_per_param, data.epochs,
/// train.global_batch and train.method only.
void resolve_amounts(const Scenario& scenario, ResolvedWork& out, Notes& notes);

}  // namespace trcost
