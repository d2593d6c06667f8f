// SPDX-License-Identifier: Apache-2.0
#include "workload/blocks/gradients.h"

namespace trcost::workload {

namespace {

double share_after_images(const LanguageModel& m) {
  if (!m.cross_attention || m.layers <= 0) return 1;
  return (m.layers - m.cross_attention->own_layers_before) / m.layers;
}

}  // namespace

Gradients gradients_of(const Workload& w) {
  const bool full = w.language_training == Training::full;
  const bool language = learns(w.language_training);
  const bool encoder = w.encoder && learns(w.encoder_training);
  const bool connector = w.connector && learns(w.connector_training);
  const bool upstream = encoder || connector;
  Gradients out;
  out.encoder = {encoder ? 1.0 : 0.0, encoder && w.encoder_training == Training::full};
  out.connector = {upstream ? 1.0 : 0.0, connector && w.connector_training == Training::full};
  out.cross = {upstream || language ? 1.0 : 0.0, full || (!language && out.connector.weights)};
  out.language = {language ? 1.0 : upstream ? share_after_images(w.language) : 0.0, full};
  out.head = {out.cross.backward, full || (language && w.train_embeddings)};
  return out;
}

}  // namespace trcost::workload
