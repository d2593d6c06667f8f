// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "study/sweep/condition.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

EstimateOptions sweep_options(const SweepPlan& plan) {
  EstimateOptions options;
  options.assumptions = false;
  options.derivations = false;
  options.range = plan.needs_range();
  return options;
}

// A cell of a table is one line. Spreadsheets take a leading - for a formula.
void to_cell(std::string& text) {
  if (text.starts_with('-')) text.insert(0, "at ");
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
}

}  // namespace

SweepWorker::SweepWorker(const SweepPlan& plan, const Catalog& catalog)
    : plan_(plan),
      estimator_(catalog, sweep_options(plan)),
      scenario_(plan.base()),
      at_(plan.axes().size()) {
  row_.plan = &plan;
  row_.scenario = &scenario_;
}

void SweepWorker::set_axis(std::size_t axis) {
  // The estimator takes the platform as an argument of its own.
  if (plan_.axes()[axis].field().field == Field::hardware_accelerator) return;
  plan_.axes()[axis].set(scenario_, at_[axis]);
  stale_ = stale_ || plan_.derives(axis);
}

void SweepWorker::go_to(std::uint64_t index) {
  const std::vector<SweepAxis>& axes = plan_.axes();
  if (started_ && index == row_.index + 1) {
    for (std::size_t i = axes.size(); i-- > 0;) {
      const bool wraps = ++at_[i] == axes[i].size();
      if (wraps) at_[i] = 0;
      set_axis(i);
      if (!wraps) break;
    }
  } else if (!started_ || index != row_.index) {
    plan_.locate(index, at_);
    for (std::size_t i = 0; i < axes.size(); ++i) set_axis(i);
  }
  started_ = true;
  row_.index = index;
}

const SweepRow& SweepWorker::compute() {
  row_.at = at_;
  row_.accelerator = plan_.accelerator(at_);
  row_.estimate = nullptr;
  error_.clear();
  try {
    if (stale_) scenario_ = plan_.derive(at_);
    stale_ = false;
    estimator_.run_one(scenario_, row_.accelerator, out_);
    row_.estimate = &out_;
  } catch (const Error& error) {
    error_ = error.what();
    if (!error.hint.empty()) error_ += "; " + error.hint;
    to_cell(error_);
  } catch (const std::logic_error& error) {
    error_ = fmt::format("internal error: {}", error.what());
    to_cell(error_);
  }
  row_.error = error_;
  return row_;
}

bool SweepWorker::kept() const {
  return std::ranges::all_of(
      plan_.conditions(), [&](const ResultCondition& condition) { return holds(condition, row_); });
}

}  // namespace trcost::study
