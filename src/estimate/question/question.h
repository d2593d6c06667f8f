// SPDX-License-Identifier: Apache-2.0
// The first link of the chain: a scenario on one platform, with every default resolved.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "cost/make_bill.h"
#include "estimate/question/cost/range_terms.h"
#include "estimate/question/cost/rates.h"
#include "estimate/question/cost/useful_time.h"
#include "estimate/question/prepared.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Cluster, speed and degrees that the scenario fixes.
struct FixedLayout {
  std::optional<double> gpus;  ///< of the cluster
  double deadline = 0;         ///< seconds to finish in, for a cluster that is sized
  bool deadline_given = false;
  std::optional<double> mfu;
  PlanRequest layout;  ///< degrees fixed on a cluster of any size
};

/// A training on one platform: everything that decides its time.
struct Task {
  std::shared_ptr<const Prepared> prepared;
  Amounts amounts;
  FixedLayout fixed;
  [[nodiscard]] const ResolvedWork& work() const { return prepared->work; }
  [[nodiscard]] const StepModel& model() const { return prepared->model; }
  [[nodiscard]] const Platform& platform() const { return prepared->model.platform(); }
};

/// A training on one platform with its prices. Only QuestionBuilder reads scenario and catalog.
struct Question : Task {
  std::shared_ptr<const Rates> rates;
  std::shared_ptr<const PriceQuote> price;  ///< of an hour, see price_of()
  UsefulTerms useful;
  BillTerms bill;
  RangeTerms range;
  std::string_view price_data_date;
};

/// Resolves the task of a scenario that usual_recipe() has adapted. Throws as resolve_work(),
/// resolve_amounts() and prepare() do.
Task resolve_task(const Scenario& scenario, const Catalog& catalog, std::string_view accelerator,
                  Notes& notes);

/// Resolves the given cluster, deadline, speed and degrees.
FixedLayout resolve_fixed_layout(const Scenario& scenario, const Amounts& amounts);

/// Warns of a requested layout that the stack does not support.
void note_abilities(const Task& task, Notes& notes);

}  // namespace trcost::estimation
