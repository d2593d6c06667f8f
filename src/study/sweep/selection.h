// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "study/sweep/pareto_frontier.h"
#include "study/sweep/plan.h"

namespace trcost::study {

/// The rows that --sort, --top and --pareto keep. What is kept does not depend on the order in
/// which rows are offered: ties go to the lower row number, equal rows of a frontier all stay.
class SweepSelection {
 public:
  /// Copies share a limit of 1 GiB. Throws Error (data) where `rows` rows, all of which have to be
  /// kept, exceed it whatever their columns are.
  SweepSelection(const SweepPlan& plan, std::uint64_t rows);

  /// Offers a row. `render` is called only when it is kept. Throws Error (data) where the kept rows
  /// exceed the limit.
  void offer(const SweepRow& row, const SweepRenderer& render);
  /// Takes over all rows of another selection of the same plan.
  void merge(SweepSelection&& other);
  /// The kept rows in their final order.
  std::deque<KeptRow> take();

 private:
  void read_keys(const SweepRow& row);
  bool read_objectives(const SweepRow& row);
  void insert(KeptRow&& row);
  [[nodiscard]] bool before(const KeptRow& a, const KeptRow& b) const;
  [[nodiscard]] bool full() const;
  void count_bytes(std::int64_t change);

  const SweepPlan* plan_;
  std::deque<KeptRow> rows_;  ///< with --top, a heap whose front is the last of the kept
  ParetoFrontier frontier_;   ///< of --pareto, in place of rows_
  KeptRow candidate_;
  std::uint64_t all_rows_;
  std::shared_ptr<std::atomic<std::int64_t>> bytes_;  ///< of the rows that all copies keep
};

}  // namespace trcost::study
