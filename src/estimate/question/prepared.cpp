// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/prepared.h"
#include "estimate/question/recipe_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "estimate/question/platform/quality.h"
#include "estimate/question/platform/resolve_platform.h"
#include "performance/training/step_model.h"

namespace trcost::estimation {

Prepared::Prepared(ResolvedWork work_, const Platform& platform)
    : work(std::move(work_)), model(work.workload, platform) {}

namespace {

// Training on examples is fine-tuning, even if --method is not set.
std::string_view training_name(const Scenario& scenario) {
  const bool examples = scenario.has(Field::model_name) && scenario.has(Field::data_samples);
  if (!scenario.has(Field::train_method) && examples) return method_row(Method::sft).name;
  return method_row(method_named(scenario.text(Field::train_method))).name;
}

DataSupply resolve_supply(const Scenario& scenario, const StoredMedia& stored, const Stack& stack) {
  return {scenario.number_or(Field::data_image_bytes, stored.bytes),
          scenario.number_or_default(Field::data_text_bytes_per_token),
          scenario.number_or(Field::data_loader_workers, stack.loader_workers)};
}

}  // namespace

void note_vision_habits(const Scenario& scenario, const Prepared& prepared, Notes& notes) {
  const ResolvedWork& work = prepared.work;
  if (!notes.wanted() || !work.workload.vision()) return;
  const Stack& stack = *prepared.model.platform().stack;
  if (!scenario.has(Field::data_loader_workers)) {
    notes.add(Field::data_loader_workers, stack.loader_workers,
              "per accelerator, as recipes of this software have it", stack.name);
  }
  const bool asked = work.workload.attention == Attention::standard;
  if (asked || !materialised_encoder(work.workload, stack)) return;
  notes.add({"vision_encoder.attention", "standard", "",
             fmt::format("this software does not fuse the attention of {}. --attention flash says "
                         "that yours does",
                         work.model.vision->encoder.name),
             stack.name});
}

std::shared_ptr<const Prepared> prepare(ResolvedWork work, const Scenario& scenario,
                                        const Catalog& catalog, std::string_view accelerator,
                                        Notes& notes) {
  const Platform platform = resolve_platform(scenario, catalog, accelerator, notes);
  std::shared_ptr<const RoundWork> round = resolve_round(scenario, catalog, platform, work, notes);
  const auto out = std::make_shared<Prepared>(std::move(work), platform);
  out->supply = resolve_supply(scenario, out->work.stored, *platform.stack);
  out->quality = method_quality(out->work.workload, platform, trains_on_samples(scenario));
  if (round && round->rollout) out->quality = round_quality(round->framework);
  out->method = method_text(out->quality);
  out->training = training_name(scenario);
  out->round = std::move(round);
  return out;
}

}  // namespace trcost::estimation
