// SPDX-License-Identifier: Apache-2.0
#include "recipe/model_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/data/data_file.h"
#include "catalog/entry_names.h"
#include "catalog/models/model.h"
#include "quantity/suggest.h"
#include "recipe/shapes.h"
#include "scenario/fields.h"

namespace trcost::recipe {
namespace {

// The entry whose name has the same letters and digits: `llama3_1_8b`, `llama32_1b`.
std::string entry_of_letters(std::string_view typed, const Catalog& catalog) {
  for (const std::string& name : catalog.names(CatalogKind::models)) {
    if (same_folded(name, typed)) return name;
  }
  // Llama 3 and 3.3 have the shape of 3.1.
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

// Names of other models of the same shape (`recipes/same-shapes.json`).
class SameShapes {
 public:
  explicit SameShapes(const DataFolder& data) {
    ObjectReader file = read_data_file(data, "recipes/same-shapes.json").object();
    file.accept("schema_version");
    file.accept("note");
    file.accept("source");
    releases_ = file.texts_or_empty("releases");
    tunings_ = file.texts_or_empty("tunings");
    ObjectReader starts = file.required_object("starts");
    for (const std::string& key : starts.keys()) {
      starts_.emplace_back(key, starts.required_text(key));
    }
    file.finish();
  }

  // The name before words of a release, and of somebody's training if `tuned`, and the names that
  // its start stands for.
  [[nodiscard]] std::vector<std::string> names_of(std::string name, bool tuned) const {
    std::ranges::replace(name, '_', '-');
    std::size_t end = name.size();
    for (const std::string& word : releases_) end = std::min(end, name.find(word));
    if (tuned) {
      for (const std::string& word : tunings_) end = std::min(end, name.find(word));
    }
    std::vector<std::string> out = {plain_model_name(name.substr(0, end))};
    for (const auto& [start, other] : starts_) {
      if (out[0].starts_with(start)) out.push_back(other + out[0].substr(start.size()));
    }
    return out;
  }

 private:
  std::vector<std::string> releases_, tunings_;
  std::vector<std::pair<std::string, std::string>> starts_;
};

// The entry of a name, or of another model of its shape.
std::string entry_of_name(std::string_view typed, const Catalog& catalog, bool tuned) {
  std::string plain(trim(typed));
  while (plain.ends_with('/')) plain.pop_back();
  std::vector<std::string> names = {plain};
  for (std::string& name : SameShapes(catalog).names_of(plain_model_name(plain), tuned)) {
    names.push_back(std::move(name));
  }
  for (const std::string& name : names) {
    std::string entry = catalog.entry_of(CatalogKind::models, name);
    if (entry.empty()) entry = entry_of_letters(plain_model_name(name), catalog);
    if (!entry.empty()) return entry;
  }
  return {};
}

// A model and what its name says about the adapters.
struct Named {
  std::string model;
  std::string recipe;
  std::string method = {};
};

// `torchtune.models.llama3_1.lora_llama3_1_8b`
Named read_component(std::string name) {
  name = name.substr(name.rfind('.') + 1);
  for (const std::string_view kind : {"qlora", "lora"}) {
    if (!name.starts_with(std::string(kind) + "_")) continue;
    return {name.substr(kind.size() + 1), std::string(kind)};
  }
  return {name, "full"};
}

// `llama3_1/8B_lora_single_device`, a configuration that torchtune ships.
Named read_tune_config(Workings& work, std::string name) {
  std::ranges::replace(name, '/', '-');
  Named out{name, "full"};
  for (const std::string_view kind : {"_qlora", "_lora", "_full"}) {
    const std::size_t at = name.find(kind);
    if (at == name.npos) continue;
    out = {name.substr(0, at), std::string(kind.substr(1))};
    break;
  }
  const std::string why = fmt::format("torchtune's own configuration {} is not beside it", name);
  for (const std::string_view path : {"layout.recompute", "train.optimizer"}) {
    const bool known = path == "train.optimizer" && work.has("adamw");
    if (work.assumed(path) != nullptr && !known) work.erase(path);
  }
  work.ask(Field::train_micro_batch, why);
  work.ask(Field::layout_recompute, why);
  work.ask(Field::train_optimizer, why);
  return out;
}

// `llama32_1b_pretrain_config` of Megatron-Bridge.
Named read_bridge_recipe(std::string name) {
  const bool lora = name.find("_lora") != name.npos || name.find("_peft") != name.npos;
  const bool tunes = lora || name.find("_sft") != name.npos || name.find("_finetune") != name.npos;
  for (const std::string_view part :
       {"_pretrain", "_finetune", "_sft", "_peft", "_lora", "_config"}) {
    name = name.substr(0, name.find(part));
  }
  return {name, lora ? "lora" : "", tunes ? "sft" : ""};
}

// LLaVA's scripts name the language model and the tower apart.
std::string entry_with_tower(std::string_view model, const Catalog& catalog) {
  const std::string plain = lower_case(model);
  for (const std::string_view size : {"13b", "7b"}) {
    if (plain.find("vicuna") != plain.npos && plain.find(size) != plain.npos) {
      return catalog.entry_of(CatalogKind::models, fmt::format("llava-1.5-{}", size));
    }
  }
  return {};
}

// The format of the base, as its name tells: `-bnb-4bit`, `-GPTQ-Int8`.
void note_base_format(Workings& work, std::string_view typed) {
  const std::string plain = lower_case(typed.substr(typed.rfind('/') + 1));
  const auto has_any = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](auto word) { return plain.find(word) != plain.npos; });
  };
  if (!work.is("train.recipe", "lora")) return;
  const bool other = has_any({"-awq", "-gptq", "-aqlm"});
  if (has_any({"-int8", "8bit"})) {
    work.set("train.base_precision", "int8");
  } else if (other || has_any({"4bit", "-int4", "-nf4"})) {
    work.set("train.recipe", "qlora");
  }
  if (other) work.report("model", "a base in this format is counted as one of bitsandbytes");
}

// The catalog's entry of the shape, else the shape itself.
std::string shape_of_keys(Workings& work) {
  std::string entry = entry_of_shape(work);
  if (!entry.empty()) return entry;
  std::string file = model_file_of_shape(work);
  if (!file.empty()) report_other_sizes(work);
  return file;
}

void set_named(Workings& work, const Named& named, const std::string& typed) {
  if (!named.recipe.empty() && (named.recipe != "full" || !work.has("train.recipe"))) {
    work.set("train.recipe", named.recipe);
  }
  std::string model = catalog_entry(named.model, work.catalog());
  if (model.empty()) model = shape_of_keys(work);
  if (!model.empty()) return work.set("model.name", model);
  work.ask(Field::model_name, fmt::format("\"{}\" is no catalog model", typed));
}

}  // namespace

std::string catalog_entry(std::string_view typed, const Catalog& catalog) {
  return entry_of_name(typed, catalog, false);
}

std::string tuned_entry(std::string_view typed, const Catalog& catalog) {
  return entry_of_name(typed, catalog, true);
}

void find_model(Workings& work) {
  constexpr std::size_t kLongest = 80;
  if (const std::string typed = work.text("tune_model"); !typed.empty()) {
    return set_named(work, read_component(typed), typed);
  }
  if (const std::string typed = work.text("tune_config"); !typed.empty()) {
    return set_named(work, read_tune_config(work, typed), typed);
  }
  if (const std::string flavor = work.text("titan_flavor"); !flavor.empty() && !work.has("model")) {
    const std::string model = work.text("titan_model") + "-" + flavor;
    return set_named(work, {model, {}}, model);
  }
  if (const std::string typed = work.text("bridge_recipe"); !typed.empty()) {
    const Named named = read_bridge_recipe(typed);
    if (!named.method.empty()) work.set("train.method", named.method);
    return set_named(work, named, typed);
  }
  if (const std::string entry = catalog_entry(work.text("name_hint"), work.catalog());
      !entry.empty() && !work.has("model") && work.table().name.ends_with("bridge")) {
    return work.assume("model.name", entry, "by the name of the checkpoint");
  }
  const std::string typed = work.text("model");
  if (!typed.empty()) {
    note_base_format(work, typed);
    std::string entry;
    if (work.has("vision_tower")) entry = entry_with_tower(typed, work.catalog());
    if (entry.empty()) entry = catalog_entry(typed, work.catalog());
    if (!entry.empty()) return work.set("model.name", entry);
    if (entry = entry_of_name(typed, work.catalog(), true); !entry.empty()) {
      const std::string why =
          fmt::format("\"{}\" is taken for a tuned {}", typed.substr(0, kLongest), entry);
      work.ask(Field::model_name, why);
      return work.assume("model.name", entry, why);
    }
    work.report("model", "no catalog model has this name");
    if (!work.has("shape.layers")) {
      return work.ask(Field::model_name,
                      fmt::format("\"{}\" is no catalog model", typed.substr(0, kLongest)));
    }
  }
  const std::string model = shape_of_keys(work);
  if (!model.empty()) return work.set("model.name", model);
  const std::string why = work.has("shape.layers")
                              ? "the keys leave a size of the model open: set it with --model"
                              : "no file names a catalog model";
  for (const auto& [name, value] : work.values()) {
    if (name.starts_with("shape.")) work.report(name, why);
  }
  const bool open = !work.given().has(Field::model_name) && !work.given().has(Field::model_params);
  if (open) work.ask("model.name", why);
}

}  // namespace trcost::recipe
