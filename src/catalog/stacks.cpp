// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <vector>

#include "catalog/loaders.h"
#include "catalog/strict_json.h"
#include "trcost/efficiency.h"

namespace trcost {
namespace {

void read_abilities(ObjectReader& reader, Stack& stack) {
  stack.tensor_parallel = reader.boolean_or("tensor_parallel", stack.tensor_parallel);
  stack.pipeline_parallel = reader.boolean_or("pipeline_parallel", stack.pipeline_parallel);
  stack.virtual_pipeline = reader.boolean_or("virtual_pipeline", stack.virtual_pipeline);
  stack.context_parallel = reader.boolean_or("context_parallel", stack.context_parallel);
  stack.expert_dedup = reader.boolean_or("expert_dedup", stack.expert_dedup);
  const std::vector<std::string> names = {"none", "optimizer", "gradients", "parameters"};
  const std::vector<JsonValue> listed = reader.array_or_empty("shardings");
  if (listed.empty()) return;
  stack.shardings.fill(false);
  for (const JsonValue& value : listed) stack.shardings[value.choice(names)] = true;
}

}  // namespace

std::shared_ptr<const Stack> load_stack(std::string_view json, std::string_view origin) {
  auto stack = std::make_shared<Stack>();
  ObjectReader reader = parse_strict_json(json, origin).object();
  reader.accept("schema_version");
  stack->name = reader.required_text("name");
  stack->title = reader.required_text("title");
  stack->source = reader.required_text("source");
  for (const StackConstant& constant : stack_constants()) {
    (*stack).*constant.member = reader.number_or(constant.name, (*stack).*constant.member,
                                                 constant.lowest, constant.highest);
  }
  read_abilities(reader, *stack);
  reader.finish();
  return stack;
}

CatalogEntry describe_stack(const Stack& stack) { return {stack.name, stack.title, stack.source}; }

}  // namespace trcost
