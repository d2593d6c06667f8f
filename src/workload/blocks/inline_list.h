// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "quantity/layers.h"

namespace trcost::workload {

/// A list of at most N, held in place: blocks are built for every shape that a search tries.
template <class T, std::size_t N>
class InlineList {
 public:
  void push_back(const T& value) { items_[size_++] = value; }
  [[nodiscard]] const T* begin() const { return items_.data(); }
  [[nodiscard]] const T* end() const { return items_.data() + size_; }
  [[nodiscard]] T* begin() { return items_.data(); }
  [[nodiscard]] T* end() { return items_.data() + size_; }
  [[nodiscard]] T& back() { return items_[size_ - 1]; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::array<T, N> items_{};
  std::size_t size_ = 0;
};

}  // namespace trcost::workload
