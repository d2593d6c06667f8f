// SPDX-License-Identifier: Apache-2.0
#include "estimate/question.h"

namespace trcost {
namespace {

std::span<const Field> preparation_fields() {
  static const std::vector<Field> list = fields_that_move(Moves::prepared);
  return list;
}

std::span<const Field> rate_fields() {
  static const std::vector<Field> list = fields_that_move(Moves::rates);
  return list;
}

UsefulTerms useful_terms(const Question& question) {
  return resolve_useful_terms(*question.scenario, question.prepared->work,
                              *question.prepared->model.platform().system);
}

}  // namespace

Questions::Questions(const Catalog& catalog)
    : catalog_(catalog), recent_prepared_(preparation_fields()), recent_rates_(rate_fields()) {}

const Prepared& Questions::prepared(const Scenario& scenario, std::string_view accelerator) {
  Notes silent(false);
  const bool samples = scenario.has(Field::data_samples);
  Prepared& out = recent_prepared_.find(scenario, accelerator, samples, [&] {
    return prepare(scenario, catalog_, accelerator, silent);
  });
  resolve_amounts(scenario, out.work, silent);
  return out;
}

const Rates& Questions::rates(const Scenario& scenario, const Platform& platform) {
  Notes silent(false);
  const std::optional<double> price = scenario.number(Field::cost_price_per_gpu_hour);
  Rates& out = recent_rates_.find(scenario, platform.accelerator->file, price.has_value(), [&] {
    return resolve_rates(scenario, catalog_, platform, silent);
  });
  if (price) out.price.usd = *price;
  return out;
}

Question Questions::ask(const Scenario& asked, std::string_view accelerator, Notes& work,
                        Notes& money) {
  Question out;
  out.accelerator = accelerator;
  out.asked = &asked;
  out.scenario = usual_recipe(asked, catalog_, work, adapted_) ? &adapted_ : &asked;
  out.price_data_date = catalog_.prices().date;
  out.bill = resolve_bill_terms(*out.scenario);
  if (!work.wanted()) {
    out.prepared = &prepared(*out.scenario, accelerator);
    // Of contrastive training the batch is part of the loss, and so of the model.
    if (out.prepared->work.workload.contrastive_batch == 0) {
      out.rates = &rates(*out.scenario, out.prepared->model.platform());
      out.useful = useful_terms(out);
      return out;
    }
  }
  own_prepared_.emplace(prepare(*out.scenario, catalog_, accelerator, work));
  out.prepared = &*own_prepared_;
  own_rates_.emplace(resolve_rates(*out.scenario, catalog_, out.prepared->model.platform(), money));
  out.rates = &*own_rates_;
  out.useful = useful_terms(out);
  return out;
}

}  // namespace trcost
