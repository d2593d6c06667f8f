// SPDX-License-Identifier: Apache-2.0
#include "trcost/estimate.h"

#include <fmt/format.h>

#include <optional>

#include "estimate/answer.h"
#include "estimate/question.h"
#include "estimate/stages.h"
#include "trcost/error.h"

namespace trcost {

struct Estimator::State {
  State(const Catalog& catalog_, EstimateOptions options_)
      : catalog(catalog_), options(std::move(options_)), questions(catalog_) {}

  const Catalog& catalog;
  EstimateOptions options;
  std::vector<Failure> failures;
  Questions questions;

  void one(const Scenario& asked, std::string_view accelerator, Estimate& out);
};

void Estimator::State::one(const Scenario& asked, std::string_view accelerator, Estimate& out) {
  Notes notes(options.assumptions), money(options.assumptions);
  const Question question = questions.ask(asked, accelerator, notes, money);
  const Sized sized = size(question, notes);
  notes.append(std::move(money));
  const Reestimate elsewhere = [&](const Scenario& other) {
    Estimate found;
    EstimateOptions least;
    least.assumptions = least.range = false;
    Estimator(catalog, least).run_one(other, accelerator, found);
    return found;
  };
  answer(question, sized, options, elsewhere, notes, out);
}

const std::vector<std::string>& default_accelerators() {
  static const std::vector<std::string> names = {"a100-sxm-80gb", "h100-sxm", "b200", "gb200-nvl72",
                                                 "gb300-nvl72"};
  return names;
}

Estimator::Estimator(const Catalog& catalog, EstimateOptions options)
    : state_(new State(catalog, options)) {}

Estimator::~Estimator() = default;

const std::vector<Estimator::Failure>& Estimator::failures() const {
  return state_->failures;
}

void Estimator::run_one(const Scenario& scenario, std::string_view accelerator, Estimate& out) {
  if (scenario.stages.empty()) {
    state_->one(scenario, accelerator, out);
    return;
  }
  std::vector<Estimate> parts;
  for (const Scenario::Stage& stage : scenario.stages) {
    parts.emplace_back();
    state_->one(stage_scenario(scenario, stage), accelerator, parts.back());
  }
  out = sum_of_stages(scenario, std::move(parts));
}

std::vector<Estimate> Estimator::run(const Scenario& scenario) {
  state_->failures.clear();
  std::vector<std::string> names = scenario.names(Field::hardware_accelerator);
  if (names.empty()) names = default_accelerators();
  std::vector<Estimate> out;
  std::optional<Error> last;
  for (const std::string& name : names) {
    try {
      Estimate estimate;
      run_one(scenario, name, estimate);
      out.push_back(std::move(estimate));
    } catch (const Error& error) {
      if (names.size() == 1 || error.kind != ErrorKind::no_answer) throw;
      state_->failures.push_back({name, error.what(), error.hint});
      last = error;
    }
  }
  if (out.empty() && last) {
    throw Error(last->kind,
                fmt::format("none of the {} platforms has an answer; {}: {}", names.size(),
                            names.back(), last->what()),
                last->hint);
  }
  return out;
}

std::vector<Estimate> estimate(const Scenario& scenario, const Catalog& catalog,
                               EstimateOptions options) {
  return Estimator(catalog, options).run(scenario);
}

}  // namespace trcost
