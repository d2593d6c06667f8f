// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/software/engine.h"
#include "performance/serving/serving_model.h"
#include "quantity/layers.h"
#include "trcost/bill.h"
#include "trcost/serving.h"
#include "workload/served_model.h"

namespace trcost::study {

/// Inputs of a computed point.
struct ServedPoint {
  const ServedModel& model;
  const ServingChip& chip;
  const Engine& engine;
  const ServingModel& replica;
  const ServingLoad& load;
  double sold;
  double cache_bytes;
};

/// Collects steps. The numbers of each are an expression whose value is its result, so that a
/// reader or a test can compute it again with x as multiplication.
class ServingSteps {
 public:
  ServingSteps(const ServedPoint& point, const ServingRow& answer) : served(point), row(answer) {}
  void add(std::string name, std::string formula, std::string numbers, std::string result,
           std::string_view source = {});
  /// Adds the larger of two bounds with a soft corner, times `factor`.
  void add_bounds(std::string_view what, const Roofline& roofline, double result,
                  double factor = 1);

  const ServedPoint& served;
  const ServingRow& row;
  std::vector<Derivation> steps;
};

/// Sum of the terms of a model's kinds of attention, each with the number of its layers.
template <class Term>
std::string joined(const ServedModel& model, const Term& term) {
  std::string out;
  for (const ServedCore& each : model.cores) {
    out += (out.empty() ? "" : " + ") + term(each.core, each.layers);
  }
  return out.empty() ? "0" : out;
}

/// Adds the terms of one decode step, each from its bytes, FLOPs and rates.
void explain_decode_step(ServingSteps& out);

/// The chain from weights to dollars, each step with its numbers.
std::vector<Derivation> serving_derivations(const ServedPoint& point, const ServingRow& row);

}  // namespace trcost::study
