// SPDX-License-Identifier: Apache-2.0
#include "recipe/model_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "catalog/models/model.h"
#include "quantity/suggest.h"
#include "recipe/arithmetic.h"

namespace trcost::recipe {
namespace {

std::string text_of(const Variables& vars, std::string_view name) {
  const auto at = vars.find(name);
  return at == vars.end() ? std::string() : at->second;
}

// The entry whose name has the same letters and digits: `llama3_1_8b`, `llama32_1b`.
std::string entry_of_letters(std::string_view typed, const Catalog& catalog) {
  for (const std::string& name : catalog.names(CatalogKind::models)) {
    if (same_folded(name, typed)) return name;
  }
  // Llama 3.3 has the shape of 3.1.
  std::string other(folded(typed));
  if (other.starts_with("llama33")) {
    other.replace(0, 7, "llama31");
    return entry_of_letters(other, catalog);
  }
  if (other.starts_with("llama3") && other.size() > 6 && other[6] != '1' && other[6] != '2') {
    return entry_of_letters("llama31" + other.substr(6), catalog);
  }
  return {};
}

// `torchtune.models.llama3_1.lora_llama3_1_8b`
ModelMatch match_component(std::string name) {
  name = name.substr(name.rfind('.') + 1);
  ModelMatch out;
  for (const std::string_view kind : {"qlora", "lora"}) {
    if (!name.starts_with(std::string(kind) + "_")) continue;
    out.recipe = kind;
    name.erase(0, kind.size() + 1);
    break;
  }
  if (out.recipe.empty()) out.recipe = "full";
  out.name = name;
  return out;
}

// The entry with the layers, widths and experts of a shape.
std::string entry_of_shape(const Variables& vars, const Catalog& catalog) {
  const auto number = [&](std::string_view name) { return number_of(text_of(vars, name)); };
  const auto layers = number("shape.layers"), hidden = number("shape.hidden");
  if (!layers || !hidden) return {};
  const auto heads = number("shape.heads");
  const auto kv = number("shape.kv_heads");
  std::optional<double> ffn = number("shape.ffn");
  if (const auto olmo = number("shape.olmo_ffn")) ffn = *olmo / 2;
  if (const auto expansion = number("shape.expansion")) ffn = *expansion * *hidden;
  const auto experts = number("shape.experts");
  const auto fits = [](std::optional<double> wanted, double has) {
    return !wanted || *wanted == has;
  };
  // Several models may share a shape: the one of the vocabulary, then of the names in the files.
  const std::string hints = folded(text_of(vars, "files") + text_of(vars, "name_hint"));
  const auto vocab = number("shape.vocab");
  std::string best;
  int most = -1;
  for (const std::string& name : catalog.names(CatalogKind::models)) {
    const LanguageModel& m = catalog.model(name).language;
    const double expert_ffn = m.moe ? m.moe->expert_ffn : m.ffn;
    const bool same = m.layers == *layers && m.hidden == *hidden && fits(kv, m.kv_heads) &&
                      fits(experts, m.moe ? m.moe->experts : 0) &&
                      (fits(ffn, m.ffn) || fits(ffn, expert_ffn)) &&
                      experts.has_value() == m.moe.has_value() && !catalog.model(name).vision;
    if (!same) continue;
    // Released models have been trained with other numbers of heads at the same cost.
    int score = (vocab && std::abs(m.vocab - *vocab) < 0.01 * *vocab ? 10 : 0) +
                (fits(heads, m.heads) ? 2 : 0);
    for (std::string_view rest = name; !rest.empty();) {
      const std::size_t end = std::min(rest.find('-'), rest.size());
      const std::string part = folded(rest.substr(0, end));
      if (!part.empty() && hints.find(part) != hints.npos) score += static_cast<int>(part.size());
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (score <= most) continue;
    best = name;
    most = score;
  }
  return best;
}

// LLaVA's scripts name the language model and the tower apart.
std::string entry_with_tower(const std::string& model, const Catalog& catalog) {
  const std::string plain = lower_case(model);
  for (const std::string_view size : {"13b", "7b"}) {
    if (plain.find("vicuna") != plain.npos && plain.find(size) != plain.npos) {
      return catalog.entry_of(CatalogKind::models, fmt::format("llava-1.5-{}", size));
    }
  }
  return {};
}

}  // namespace

ModelMatch match_model(const Variables& vars, const Catalog& catalog) {
  if (const std::string component = text_of(vars, "tune_model"); !component.empty()) {
    ModelMatch out = match_component(component);
    out.name = entry_of_letters(out.name, catalog);
    if (out.name.empty()) out.why = component + " is no catalog model";
    return out;
  }
  if (const std::string flavor = text_of(vars, "titan_flavor"); !flavor.empty()) {
    ModelMatch out{entry_of_letters(text_of(vars, "titan_model") + "-" + flavor, catalog), {}, {}};
    if (out.name.empty()) out.why = flavor + " is no catalog model";
    return out;
  }
  if (std::string recipe = text_of(vars, "bridge_recipe"); !recipe.empty()) {
    for (const std::string_view end : {"_config", "_pretrain", "_finetune", "_sft", "_peft"}) {
      if (recipe.ends_with(end)) recipe.resize(recipe.size() - end.size());
    }
    return {entry_of_letters(recipe, catalog), {}, {}};
  }
  const std::string typed = text_of(vars, "model");
  if (!typed.empty()) {
    if (!text_of(vars, "vision_tower").empty()) {
      if (std::string entry = entry_with_tower(typed, catalog); !entry.empty())
        return {entry, {}, {}};
    }
    const std::string plain =
        typed.substr(typed.find_last_of('/') == typed.npos ? 0 : typed.find_last_of('/') + 1);
    std::string entry = catalog.entry_of(CatalogKind::models, typed);
    if (entry.empty()) entry = entry_of_letters(plain, catalog);
    if (!entry.empty()) return {entry, {}, {}};
    return {{}, {}, fmt::format("\"{}\" is no catalog model: set --model", typed.substr(0, 80))};
  }
  ModelMatch out{entry_of_shape(vars, catalog), {}, {}};
  if (out.name.empty() && vars.contains("shape.layers")) {
    out.why = "no catalog model has this shape: give a model file with --model";
  }
  return out;
}

}  // namespace trcost::recipe
