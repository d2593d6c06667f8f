// SPDX-License-Identifier: Apache-2.0
// Builder of the matrices of a layer.
#pragma once

#include "quantity/layers.h"
#include "workload/blocks/block.h"

namespace trcost::workload {

/// Adds matrices to the end of a list, each a product of its own unless it is fused to the one
/// before.
template <class List>
class Matrices {
 public:
  explicit Matrices(List& list, Stream of = Stream::text)
      : list_(list), of_(of), kernel_(static_cast<std::uint8_t>(list.size())) {}

  Matrix& add(double in, double out, Split split, double count = 1) {
    return add_to(in, out, split, count, kernel_++);
  }
  /// Runs in the same product as the one before.
  Matrix& fused(double in, double out, Split split, double count = 1) {
    return add_to(in, out, split, count, static_cast<std::uint8_t>(kernel_ - 1));
  }
  void feed_forward(double hidden, double ffn, Mlp mlp) {
    add(hidden, ffn, Split::output, input_matrices(mlp)).target = input_targets(mlp);
    add(ffn, hidden, Split::input).target = target::down;
  }

 private:
  Matrix& add_to(double in, double out, Split split, double count, std::uint8_t kernel) {
    Matrix matrix;
    matrix.in = in;
    matrix.out = out;
    matrix.count = matrix.active = count;
    matrix.of = of_;
    matrix.split = split;
    matrix.kernel = kernel;
    list_.push_back(matrix);
    return list_.back();
  }

  List& list_;
  Stream of_;
  std::uint8_t kernel_;
};

using LayerMatrices = Matrices<InlineList<Matrix, kMostMatrices>>;

/// Adds the mixer of a layer: its matrices, vectors and core.
void add_mixer(const LanguageModel& model, Mixer mixer, Block& block);

}  // namespace trcost::workload
