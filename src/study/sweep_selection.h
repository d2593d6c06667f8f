// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/sweep.h"

namespace trcost {

/// What a row is ordered by.
struct KeyValue {
  bool known = false;
  double number = 0;
  std::string text;
};

/// A row that is kept.
struct KeptRow {
  std::uint64_t index = 0;
  std::vector<KeyValue> keys;
  std::vector<double> objectives;  ///< lower is better
  std::string bytes;
};

/// The rows that --sort, --top and --pareto keep. What is kept does not depend on the order in which
/// rows are offered: ties go to the lower row number, equal rows of a frontier all stay.
class SweepSelection {
 public:
  explicit SweepSelection(const SweepPlan& plan);

  /// Offers a row; `render` is called only when it is kept. Throws Error where the rows to be sorted
  /// outgrow the memory that is allowed.
  void offer(const SweepRow& row, const SweepRenderer& render);
  /// Takes over all rows of another selection of the same plan.
  void merge(SweepSelection&& other);
  /// The kept rows in their final order.
  std::vector<KeptRow> take();

 private:
  void read_keys(const SweepRow& row);
  bool read_objectives(const SweepRow& row);
  void insert(KeptRow&& row);
  void insert_in_frontier(KeptRow&& row);
  [[nodiscard]] bool before(const KeptRow& a, const KeptRow& b) const;
  [[nodiscard]] bool beaten(const KeptRow& row) const;
  [[nodiscard]] bool full() const;
  void count_bytes(const KeptRow& row);

  const SweepPlan* plan_;
  std::vector<KeptRow> rows_;  ///< with --top, a heap whose front is the last of the kept
  KeptRow candidate_;
  std::uint64_t bytes_ = 0;
};

}  // namespace trcost
