// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/data/resolve_pairs.h"

#include <utility>

#include "catalog/assumed.h"
#include "trcost/error.h"
#include "workload/blocks/contrastive.h"

namespace trcost::estimation {
namespace {

double resolve_pair_count(const Scenario& scenario, double text_tokens, Amounts& out,
                          Notes& notes) {
  out.epochs = scenario.number_or_default(Field::data_epochs);
  out.tokens_given = true;
  if (scenario.has(Field::data_tokens_per_param)) {
    throw Error(ErrorKind::usage, "--tokens-per-param needs a language model that predicts tokens",
                "contrastive training is asked by --samples, pairs of image and text");
  }
  if (const auto given = scenario.number(Field::data_samples)) return *given * out.epochs;
  if (const auto budget = scenario.number(Field::data_tokens)) {
    return *budget * out.epochs / text_tokens;
  }
  const ContrastiveDefaults usual;
  out.tokens_given = false;
  if (!scenario.has(Field::data_epochs)) {
    out.epochs = usual.epochs;
    notes.add(Field::data_epochs, usual.epochs, "passes of the first CLIP over its pairs",
              std::string(usual.source));
  }
  notes.add(Field::data_samples, usual.pairs, "pairs of image and text of the first CLIP",
            std::string(usual.source));
  return usual.pairs * out.epochs;
}

}  // namespace

void resolve_pairs(const Scenario& scenario, ResolvedWork& out, Notes& notes) {
  const ContrastiveDefaults usual;
  Workload& work = out.workload;
  const Workload towers = contrastive_workload(out.model, usual.batch);
  const double text = scenario.number_or(Field::data_text_tokens_per_sample, towers.seq_length);
  if (!scenario.has(Field::data_text_tokens_per_sample)) {
    notes.add(Field::data_text_tokens_per_sample, text,
              "texts are padded to the text tower's position table", out.model.source);
  }
  work.contrastive_batch = scenario.number_or(Field::train_global_batch, usual.batch);
  if (!scenario.has(Field::train_global_batch)) {
    notes.add(Field::train_global_batch, work.contrastive_batch, "pairs that the loss compares",
              std::string(usual.source));
  }
  work.seq_length = text;
  work.attention_length = text;
  work.images_per_sequence = 1;
  work.vision_tokens_per_image = 0;
  out.seq_length = text;
}

Amounts resolve_pair_amounts(const Scenario& scenario, const ResolvedWork& work, Notes& notes) {
  Amounts out;
  out.global_batch = work.workload.contrastive_batch;
  out.global_batch_given = scenario.has(Field::train_global_batch);
  const double pairs = resolve_pair_count(scenario, work.seq_length, out, notes);
  out.samples = out.images = pairs;
  out.tokens.total = out.tokens.text = pairs * work.seq_length;
  out.tokens.vision_encoder = pairs * work.workload.encoder_tokens_per_image;
  return out;
}

}  // namespace trcost::estimation
