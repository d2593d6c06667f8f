// SPDX-License-Identifier: Apache-2.0
#include "workload/blocks/contrastive.h"

#include "trcost/error.h"

namespace trcost::workload {

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
