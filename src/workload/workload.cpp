// SPDX-License-Identifier: Apache-2.0
#include "workload/workload.h"

#include <algorithm>

#include "trcost/error.h"
#include "workload/blocks/vision.h"

namespace trcost::workload {

Runs blocks_of(const Workload& w) {
  Runs runs = blocks_of(w.language);
  if (w.encoder && !w.cached_features) {
    runs.push_back({encoder_block(*w.encoder), w.encoder->layers, Place::before, Module::encoder});
  }
  return runs;
}

CrossTokens cross_tokens(const Workload& w) {
  const double image = w.images_per_sequence * w.vision_tokens_per_image;
  const double sequence = std::max(w.seq_length, 1.0);
  return {image / sequence, image * std::min(1.0, w.attention_length / sequence)};
}

double attention_span(const Workload& w) {
  return attention_span(*w.encoder, w.encoder_tokens_per_image, w.encoder_attention_tokens);
}

double connector_tokens(const Workload& w) {
  return w.contrastive_batch > 0 ? 1 : w.vision_tokens_per_image;
}

bool is_contrastive(const Model& model) {
  return model.vision.has_value() && !model.language.output_head;
}

Workload contrastive_workload(const Model& model, double batch) {
  if (!is_contrastive(model)) {
    throw Error(ErrorKind::usage, "contrastive training needs a pair of towers",
                "choose one, such as clip-vit-l-14, or a model file with \"output_head\": false");
  }
  Workload w;
  w.language = model.language;
  w.encoder = model.vision->encoder;
  w.connector = model.vision->connector;
  // Texts are padded to the length of the position table: 77 tokens in CLIP, 64 in SigLIP.
  w.seq_length = model.language.learned_positions > 0 ? model.language.learned_positions : 77;
  w.attention_length = w.seq_length;
  w.images_per_sequence = 1;
  w.encoder_tokens_per_image = model.vision->encoder.tokens_per_image;
  w.vision_tokens_per_image = 0;
  w.contrastive_batch = batch;
  return w;
}

}  // namespace trcost::workload
