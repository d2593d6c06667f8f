// SPDX-License-Identifier: Apache-2.0
#include "estimate/cluster/memory_hint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "trcost/numbers.h"

namespace trcost::estimation {
namespace {

// A value of a field that needs less memory.
struct Remedy {
  Field field;
  std::string_view value;
  std::string_view words;
};

// Those that cost least speed or quality first; of adapters the smaller.
constexpr Remedy kRemedies[] = {
    {Field::train_micro_batch, "1", "one sequence at a time"},
    {Field::layout_recompute, "full", "all activations are recomputed"},
    {Field::train_loss, "chunked", "logits in parts"},
    {Field::train_recipe, "qlora", "adapters on 4-bit weights"},
    {Field::train_recipe, "lora", "adapters"},
    {Field::layout_cp, "2", "a sequence on 2 GPUs"},
    {Field::layout_cp, "4", "a sequence on 4 GPUs"},
    {Field::layout_cp, "8", "a sequence on 8 GPUs"},
    {Field::layout_context_kind, "ring", "a sequence on more GPUs"},
    {Field::train_offload, "activations", "activations"},
    {Field::train_offload, "all", "optimizer and activations"},
    {Field::train_offload, "parameters", "weights and optimizer"},
    {Field::efficiency_stack, "typical", "software that divides the model over GPUs"},
};

// Adapters replace the fine-tuning of a model, not the training of a new one. Of other fields only
// a value that needs more memory than the default is replaced.
bool applies(const Remedy& remedy, const Scenario& scenario) {
  const std::string_view now = scenario.text(remedy.field);
  switch (remedy.field) {
    case Field::train_recipe:
      return now != "qlora" && now != remedy.value &&
             (scenario.has(Field::model_name) || scenario.has(Field::data_samples)) &&
             (!now.empty() || !scenario.has(Field::data_tokens));
    case Field::layout_cp: {
      const double gpus = scenario.number(Field::hardware_gpus).value_or(1);
      const double degree = parse_number(remedy.value, NumberKind::integer);
      return !scenario.has(remedy.field) && gpus >= degree && std::fmod(gpus, degree) == 0;
    }
    case Field::train_micro_batch:
    case Field::layout_recompute:
      return scenario.has(remedy.field) && now != remedy.value;
    default:
      return now != remedy.value;
  }
}

// Settings that are enough on top of `start`, which `before` names.
std::vector<std::string> find_remedies(const Scenario& start, const std::string& before,
                                       const FitsMemory& fits) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> found;
  for (const Remedy& each : kRemedies) {
    if (found.size() == kMost) break;
    if (!applies(each, start)) continue;
    const FieldInfo& field = field_info(each.field);
    const std::string flag = fmt::format("{}{} ", before, field.flag);
    const bool smaller_degree =
        each.field == Field::layout_cp && !found.empty() && found.back().starts_with(flag);
    if (smaller_degree) continue;
    Scenario other = start;
    other.set(field, each.value, field.flag);
    const std::optional<MemoryUse> use = fits(other);
    if (!use) continue;
    const std::string words = each.field == Field::train_offload
                                  ? fmt::format("{} in {} of host memory per GPU", each.words,
                                                format_number(use->host, NumberKind::bytes))
                                  : std::string(each.words);
    found.push_back(fmt::format("{}{} ({})", flag, each.value, words));
  }
  return found;
}

}  // namespace

std::string memory_remedies(const Scenario& scenario, const FitsMemory& fits) {
  std::vector<std::string> found = find_remedies(scenario, "", fits);
  constexpr Remedy kSmallest = {Field::train_recipe, "qlora", ""};
  if (found.empty() && applies(kSmallest, scenario)) {
    Scenario adapters = scenario;
    adapters.set_text(kSmallest.field, kSmallest.value);
    found = find_remedies(adapters, "--train qlora ", fits);
  }
  return found.empty() ? "" : fmt::format("it fits with {}", fmt::join(found, ", or "));
}

}  // namespace trcost::estimation
