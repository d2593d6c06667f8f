// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/memory_columns.h"

#include "estimate/columns/plan_columns.h"

namespace trcost::estimation {
namespace {

using namespace column;

// A case of an accelerator, with the layers of the model, which its layout splits.
const Columns<MemoryCase>& case_columns() {
  using C = MemoryCase;
  static const Columns<MemoryCase> table = {accelerators("gpus", member<&C::gpus>, "cluster size"),
                                            boolean("fits", member<&C::use, &MemoryUse::fits>,
                                                    "whether the total is within the capacity"),
                                            part<layout_columns, placed<C>>("layout"),
                                            part<memory_use_columns, &C::use>("memory")};
  return table;
}

// The case that a row is about, null without an answer.
const MemoryCase* main_case(const MemoryFit& fit) {
  return fit.problem.empty() ? &fit.main() : nullptr;
}

// A member of a row with an answer.
template <auto Member>
constexpr auto answered =
    [](const MemoryFit& fit) { return fit.problem.empty() ? &(fit.*Member) : nullptr; };

// Dollars of an hour of the specified cluster.
std::optional<double> given_price(const MemoryFit& fit) {
  if (!fit.given || !fit.price_per_gpu_hour) return std::nullopt;
  return fit.given->gpus * *fit.price_per_gpu_hour;
}

// Dollars of an hour of the smallest cluster.
std::optional<double> smallest_price(const MemoryFit& fit) {
  if (!fit.smallest || !fit.price_per_gpu_hour) return std::nullopt;
  return fit.smallest->gpus * *fit.price_per_gpu_hour;
}

const Columns<MemoryFit>& fit_columns() {
  using F = MemoryFit;
  static const Columns<MemoryFit> table = {
      string("accelerator", member<&F::accelerator>, "catalog name", Rank::key),
      string("precision", member<answered<&F::precision>, precision_name>, "format of the matmuls"),
      bytes("capacity_bytes", answered<&F::capacity_bytes>, "usable memory of one device"),
      accelerators("gpus", member<main_case, &MemoryCase::gpus>,
                   "of the row: --gpus, else the smallest number that fits"),
      optional_part<memory_use_columns, main_case, &MemoryCase::use>("memory"),
      optional_part<case_columns, answered<&F::one>>("one"),
      optional_part<case_columns, &F::node>("node"),
      optional_part<case_columns, &F::smallest>("smallest"),
      optional_part<case_columns, &F::given>("given"),
      string("title", member<&F::title>, "name of the accelerator"),
      string("system", member<&F::system>, "node or rack"),
      bytes("device_bytes", member<&F::device_bytes>,
            "memory of one device that the framework sees"),
      usd_per_hour("price_per_gpu_hour", member<&F::price_per_gpu_hour>,
                   "price of one for one hour"),
      usd("smallest_usd_per_hour", member<smallest_price>,
          "price of an hour of the smallest number that fits"),
      usd("given_usd_per_hour", member<given_price>, "price of an hour of the specified number"),
      boolean("price_imputed", member<&F::price_imputed>, "whether the price is estimated"),
      string("problem", member<&F::problem>, "reason for no answer")};
  return table;
}

// The parts of a device that holds everything: how much it is left to compare with.
const Columns<MemoryUse>& parts_columns() {
  static const Columns<MemoryUse> table = [] {
    Columns<MemoryUse> t;
    for (const Column<MemoryUse>& column : memory_use_columns()) {
      const bool bytes = column.display == NumberKind::bytes;
      if (bytes && column.better == Better::lower) t.add({column});
    }
    return t;
  }();
  return table;
}

template <Recompute kHow>
const MemoryUse& whole_memory(const MemoryReport& report) {
  return report.whole[static_cast<std::size_t>(kHow)];
}

}  // namespace

const Columns<MemoryReport>& memory_columns() {
  using R = MemoryReport;
  using M = ModelSummary;
  static const Columns<MemoryReport> table = {
      versions<R>(),
      raw_json("scenario", member<&R::scenario>, "the scenario, replayable with --scenario"),
      string("model.name", member<&R::model, &M::name>, "trained model"),
      parameters("model.params_total", member<&R::model, &M::params_total>, "all parameters"),
      parameters("model.params_trainable", member<&R::model, &M::params_trainable>,
                 "trained parameters"),
      parameters("model.params_vision", member<&R::model, &M::params_vision>,
                 "parameters of the vision encoder"),
      string("recipe", member<&R::recipe>, "trained parts"),
      string("stack", member<&R::stack>, "software"),
      number("seq_length", "tokens", NumberKind::integer, member<&R::seq_length>,
             "tokens of a sequence"),
      part<parts_columns, whole_memory<Recompute::none>>("one_device.none"),
      part<parts_columns, whole_memory<Recompute::selective>>("one_device.selective"),
      part<parts_columns, whole_memory<Recompute::full>>("one_device.full"),
      list<fit_columns>("items", member<&R::fits>, "one per accelerator"),
      open_points<R>()};
  return table;
}

}  // namespace trcost::estimation
