// SPDX-License-Identifier: Apache-2.0
// The first link of the chain: what is asked on one platform, with every default resolved.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "cost/make_bill.h"
#include "estimate/question/cost/range_terms.h"
#include "estimate/question/cost/useful_time.h"
#include "estimate/question/platform/rates.h"
#include "estimate/question/prepared.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// What is fixed of cluster, layout and speed.
struct Asked {
  std::optional<double> gpus;  ///< of the cluster
  double deadline = 0;         ///< seconds, that sizes one where none is given
  bool deadline_given = false;
  std::optional<double> mfu;
  PlanRequest layout;  ///< what is fixed of it on a cluster of any size
};

/// A training on one platform, as far as it takes time.
struct Task {
  std::shared_ptr<const Prepared> prepared;
  Amounts amounts;
  Asked asked;
  [[nodiscard]] const ResolvedWork& work() const { return prepared->work; }
  [[nodiscard]] const StepModel& model() const { return prepared->model; }
  [[nodiscard]] const Platform& platform() const { return prepared->model.platform(); }
};

/// A training on one platform with what it costs: only what makes it reads scenario and catalog.
struct Question : Task {
  std::shared_ptr<const Rates> rates;
  std::shared_ptr<const PriceQuote> price;  ///< of an hour, see price_of()
  UsefulTerms useful;
  BillTerms bill;
  RangeTerms range;
  std::string_view price_data_date;
};

}  // namespace trcost::estimation
