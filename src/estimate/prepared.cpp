// SPDX-License-Identifier: Apache-2.0
#include "estimate/prepared.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "estimate/quality.h"
#include "performance/performance.h"

namespace trcost {

Prepared::Prepared(ResolvedWork work_, const Platform& platform)
    : work(std::move(work_)), model(work.workload, platform) {}

namespace {

// What the software does with images where nobody said.
void note_vision_habits(const Scenario& scenario, const ResolvedWork& work, const Stack& stack,
                        Notes& notes) {
  if (!notes.wanted() || !work.workload.vision()) return;
  if (!scenario.has(Field::data_loader_workers)) {
    notes.add(Field::data_loader_workers, stack.loader_workers,
              "per accelerator, as recipes of this software have it", stack.name);
  }
  const bool asked = work.workload.attention == Attention::standard;
  if (asked || !materialised_encoder(work.workload, stack)) return;
  notes.add({"vision_encoder.attention", "standard", "",
             fmt::format("this software does not fuse the attention of {}; --attention flash says "
                         "that yours does",
                         work.model.vision->encoder.name),
             stack.name});
}

// What is trained on examples is fine-tuning, whether somebody says so or not.
std::string_view training_of(const Scenario& scenario) {
  const bool examples = scenario.has(Field::model_name) && scenario.has(Field::data_samples);
  if (!scenario.has(Field::train_method) && examples) return method_row(Method::sft).name;
  return method_row(method_named(scenario.text(Field::train_method))).name;
}

}  // namespace

Prepared prepare(const Scenario& scenario, const Catalog& catalog, std::string_view accelerator,
                 Notes& notes) {
  ResolvedWork work = resolve_work(scenario, catalog, notes);
  const Platform platform = resolve_platform(scenario, catalog, accelerator, notes);
  std::shared_ptr<const RoundWork> round = resolve_round(scenario, catalog, platform, work, notes);
  Prepared out(std::move(work), platform);
  note_vision_habits(scenario, out.work, *platform.stack, notes);
  out.quality = method_quality(out.work.workload, platform);
  if (round && round->rollout) out.quality = round_quality(*round);
  out.method = method_text(out.quality);
  out.training = training_of(scenario);
  out.round = std::move(round);
  return out;
}

}  // namespace trcost
