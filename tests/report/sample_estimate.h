// SPDX-License-Identifier: Apache-2.0
// Estimates for tests of renderers.
#pragma once

#include <string_view>
#include <vector>

#include "catalog_fixture.h"
#include "trcost/estimate.h"

namespace trcost::sample {

/// A vision-language model on 128 accelerators.
inline Scenario question() {
  Scenario s;
  s.set_number(Field::model_params, 10e9);
  s.set_text(Field::model_modality, "vl");
  s.set_number(Field::data_tokens, 2e11);
  s.set_number(Field::hardware_gpus, 128);
  return s;
}

inline std::vector<Estimate> answers(const Scenario& scenario) {
  return Estimator(test_catalog()).run(scenario);
}

inline Scenario question_on(std::string_view accelerators) {
  Scenario s = question();
  s.set_text(Field::hardware_accelerator, accelerators);
  return s;
}

/// Estimates on the five default platforms.
inline std::vector<Estimate> five() {
  static const std::vector<Estimate> made = answers(question());
  return made;
}

inline Estimate one() {
  return five()[1];
}

/// Estimates on accelerators without a rental price.
inline std::vector<Estimate> without_price() {
  return answers(question_on("h20,gaudi3"));
}

}  // namespace trcost::sample
