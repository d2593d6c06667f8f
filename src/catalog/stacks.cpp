// SPDX-License-Identifier: Apache-2.0
#include "catalog/loaders.h"
#include "catalog/strict_json.h"
#include "trcost/efficiency.h"

namespace trcost {

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
  stack->expert_dedup = reader.boolean_or("expert_dedup", stack->expert_dedup);
  reader.finish();
  return stack;
}

CatalogEntry describe_stack(const Stack& stack) { return {stack.name, stack.title, stack.source}; }

}  // namespace trcost
