// SPDX-License-Identifier: Apache-2.0
#include "catalog/software/tools.h"

#include <algorithm>
#include <memory>

#include "catalog/data/data_file.h"
#include "quantity/suggest.h"

namespace trcost::catalog {

namespace {

std::shared_ptr<const std::vector<Tool>> load_tools(const Catalog& catalog) {
  auto out = std::make_shared<std::vector<Tool>>();
  ObjectReader file = read_data_file(catalog, "tools.json").object();
  for (const std::string_view key : {"schema_version", "note", "retrieved"}) file.accept(key);
  for (const JsonValue& value : file.array_or_empty("tools")) {
    ObjectReader row = value.object();
    Tool& tool = out->emplace_back();
    tool.names = row.texts_or_empty("names");
    tool.title = row.required_text("title");
    tool.stack = row.required_text("stack");
    tool.source = row.required_text("source");
    ObjectReader defaults = row.required_object("defaults");
    for (const std::string& path : defaults.keys()) {
      tool.defaults.emplace_back(path, defaults.required_text(path));
    }
    row.finish();
  }
  file.finish();
  return out;
}

}  // namespace

const std::vector<Tool>& training_tools(const Catalog& catalog) {
  return catalog.kept(load_tools);
}

const Tool* find_tool(const Catalog& catalog, std::string_view name) {
  if (name.ends_with(".json")) return nullptr;
  name = name.substr(0, name.find('@'));
  for (const Tool& tool : training_tools(catalog)) {
    const auto is = [&](const std::string& each) { return same_folded(each, name); };
    if (std::ranges::none_of(tool.names, is)) continue;
    return catalog.entry_of(CatalogKind::stacks, name).empty() ? &tool : nullptr;
  }
  return nullptr;
}

}  // namespace trcost::catalog
