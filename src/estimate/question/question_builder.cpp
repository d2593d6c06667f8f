// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/question_builder.h"

#include <fmt/core.h>

#include "estimate/question/cost/pricing.h"
#include "estimate/question/data/resolve_amounts.h"
#include "estimate/question/data/resolve_work.h"
#include "estimate/question/question.h"
#include "estimate/question/recipe_defaults.h"
#include "prices/rows/price_book.h"
#include "scenario/fields.h"

namespace trcost::estimation {
namespace {

std::span<const Field> preparation_fields() {
  static const std::vector<Field> list = fields_affecting(AffectedStage::prepared);
  return list;
}

std::span<const Field> rate_fields() {
  static const std::vector<Field> list = fields_affecting(AffectedStage::rates);
  return list;
}

}  // namespace

QuestionBuilder::QuestionBuilder(const Catalog& catalog)
    : catalog_(catalog), recent_prepared_(preparation_fields()), recent_rates_(rate_fields()) {}

Task QuestionBuilder::kept_task(const Scenario& scenario, std::string_view accelerator) {
  Notes silent(false);
  const bool samples = scenario.has(Field::data_samples);
  Task out;
  std::optional<Amounts> amounts;
  out.prepared = recent_prepared_.find(scenario, accelerator, samples, [&] {
    ResolvedWork work = resolve_work(scenario, catalog_, silent);
    amounts = resolve_amounts(scenario, work, silent);
    return prepare(std::move(work), scenario, catalog_, accelerator, silent);
  });
  // In contrastive training the batch is part of the loss, and so of the model.
  if (out.work().workload.contrastive_batch > 0) {
    return resolve_task(scenario, catalog_, accelerator, silent);
  }
  out.amounts = amounts ? *amounts : resolve_amounts(scenario, out.work(), silent);
  out.fixed = resolve_fixed_layout(scenario, out.amounts);
  return out;
}

std::shared_ptr<const Rates> QuestionBuilder::kept_rates(const Scenario& scenario,
                                                         const Platform& platform) {
  Notes silent(false);
  const bool given = price_set(scenario, *platform.accelerator).has_value();
  return recent_rates_.find(scenario, platform.accelerator->file, given,
                            [&] { return resolve_rates(scenario, catalog_, platform, silent); });
}

// As price_of(). A quote that no question refers to any more is reused, since rows of a sweep
// differ only in its price.
std::shared_ptr<const PriceQuote> QuestionBuilder::price(
    const Scenario& scenario, const Accelerator& accelerator,
    const std::shared_ptr<const Rates>& rates) {
  const auto given = price_set(scenario, accelerator);
  if (!given) return price_of(scenario, accelerator, rates);
  if (given_.use_count() != 1) given_ = std::make_shared<PriceQuote>(given_price(*given));
  given_->usd = *given;
  return given_;
}

Question QuestionBuilder::build(const Scenario& asked, std::string_view accelerator, Notes& first,
                                Notes& last) {
  const Scenario& scenario =
      usual_recipe(asked, catalog_, accelerator, first, adapted_) ? adapted_ : asked;
  const bool noted = first.wanted();
  Question out;
  static_cast<Task&>(out) = noted ? resolve_task(scenario, catalog_, accelerator, first)
                                  : kept_task(scenario, accelerator);
  note_data_scale(out.work(), out.amounts, last);
  out.rates = noted ? resolve_rates(scenario, catalog_, out.platform(), last)
                    : kept_rates(scenario, out.platform());
  out.price = price(scenario, *out.platform().accelerator, out.rates);
  out.useful = resolve_useful_terms(scenario, out.work(), out.amounts, *out.platform().system);
  out.bill = resolve_bill_terms(scenario, out.useful);
  constexpr double kManyExperiments = 10;  // more than a frontier laboratory spends
  if (out.bill.experiments > kManyExperiments) {
    first.warn(fmt::format(
        "--experiments {0:g} is a factor: the experiments cost {0:g} times the run. For {0:.0f} "
        "experiments: trcost experiments --runs {0:.0f}",
        out.bill.experiments));
  }
  out.range = resolve_range_terms(asked);
  constexpr double kFewDraws = 100;  // P10 and P90 move by a sixth of the spread with the seed
  if (out.range.draws && *out.range.draws < kFewDraws) {
    first.warn(
        fmt::format("a range of {:g} draws says little. Set --draws to 1000 or more, or "
                    "leave it out for the exact range",
                    *out.range.draws));
  }
  out.price_data_date = price_book(catalog_).date;
  return out;
}

}  // namespace trcost::estimation
