// SPDX-License-Identifier: Apache-2.0
#include "recipe/read_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "quantity/suggest.h"
#include "recipe/arithmetic.h"
#include "recipe/cluster.h"
#include "recipe/framework.h"
#include "recipe/recipe_files.h"
#include "recipe/workings.h"
#include "scenario/fields.h"
#include "trcost/error.h"

namespace trcost::recipe {

struct OpenedRecipe {
  RecipeFiles files;
  std::string framework;
  std::map<std::string, FrameworkTable, std::less<>> tables;  // also of parts and wrappers
};

namespace {

// One word of --offload for two keys. The host that stores weights also updates them.
std::string both_offloads(const std::string& one, const std::string& other) {
  if (one == other || other == "none") return one;
  if (one == "none") return other;
  return one == "parameters" || other == "parameters" ? "parameters" : "all";
}

std::string table_key(const std::string& key, RecipeSource::Kind kind) {
  return (kind == RecipeSource::Kind::serve ? "serve " : "") + plain_key(key);
}

// Secrets never stand in an output.
std::string shown_value(const Fact& fact) {
  const std::string key = lower_case(fact.key);
  bool secret = key.find("password") != key.npos || key.ends_with("apikey") ||
                key.ends_with("use_wandb") || key.ends_with("-key");
  for (const std::string_view word : {"token", "key", "secret", "credentials"}) {
    secret = secret || key.ends_with(fmt::format("_{}", word)) || key == fmt::format("${}", word);
  }
  if (fact.given == Given::unknown && fact.value.empty()) return "(of the machine)";
  constexpr std::size_t kLongest = 120;
  // `lora_key: false` and `eos_token: </s>` are none.
  const std::string value = lower_case(fact.value);
  secret =
      secret && value != "true" && value != "false" && !value.starts_with('<') && !number_of(value);
  const bool shown = !secret || fact.given == Given::nothing || fact.given == Given::bare;
  return shown ? fact.value.substr(0, kLongest) : "***";
}

// Facts to fields, by the tables of a framework and of its parts.
class Reader {
 public:
  Reader(const OpenedRecipe& recipe, const Scenario& given, const Catalog& catalog)
      : files_(recipe.files),
        tables_(recipe.tables),
        table_(recipe.tables.find(recipe.framework)->second),
        workings_(table_, given, catalog) {
    out_.framework = table_.name;
    out_.version = table_.source;
    out_.files = files_.paths;
  }

  RecipeReading read() {
    for (const RecipeSource& source : files_.sources) apply(source);
    for (const RecipeSource& source : files_.sources) ask_for_branch_settings(source);
    for (const auto& [name, value] : table_.fixed) workings_.assume(name, value);
    for (const auto& [name, value] : table_.defaults) {
      if (workings_.values().contains(name) || workings_.is_unknown(name)) continue;
      workings_.assume(name, value);
    }
    std::string names, folders;
    for (const std::string& path : files_.paths) {
      names += std::filesystem::path(path).filename().string() + " ";
      folders += std::filesystem::path(path).parent_path().filename().string() + " ";
    }
    const auto servers =
        std::ranges::count(files_.sources, RecipeSource::Kind::serve, &RecipeSource::kind);
    if (servers > 1) workings_.set("servers", static_cast<double>(servers));
    workings_.set("files", names);
    workings_.set("folders", folders);
    report_files();
    compute_fields(workings_);
    for (const auto& [name, why] : workings_.reports()) report_keys(name, why);
    set_fields();
    const bool command = std::ranges::any_of(files_.sources, [](const RecipeSource& source) {
      return source.kind == RecipeSource::Kind::train;
    });
    const bool tells = !command || !files_.absent.empty() || out_.scenario.has(Field::model_name) ||
                       out_.scenario.has(Field::hardware_gpus) ||
                       std::ranges::any_of(out_.keys, [](const RecipeKey& key) {
                         return key.status != "harmless" && !key.path.empty();
                       });
    if (!tells) {
      throw Error(ErrorKind::data,
                  fmt::format("no key of this {} recipe sets a field", table_.name),
                  "pass the configuration that the command reads", files_.paths.front());
    }
    note_gaps();
    out_.uncounted_steps = workings_.uncounted_steps();
    report_overridden();
    return std::move(out_);
  }

 private:
  void apply(const RecipeSource& source) {
    const auto own = tables_.find(source.table);
    if (source.table == "deepspeed") workings_.set("deepspeed_read", "1");
    if (source.table == "kubernetes") note_kubernetes(source.facts, workings_);
    const Fact* before = nullptr;
    for (const Fact& fact : source.facts) {
      std::string key = table_key(fact.key, source.kind);
      for (const std::string& group : table_.groups_before) {
        if (key.starts_with(group)) key.erase(0, group.size());
      }
      const std::optional<KeyRule>* rule = own == tables_.end() ? nullptr : own->second.find(key);
      if (rule == nullptr) rule = table_.find(key);
      const bool beside = source.kind == RecipeSource::Kind::other ||
                          (source.kind == RecipeSource::Kind::serve && (rule == nullptr || !*rule));
      if (beside || (rule != nullptr && !*rule)) {
        add_key(fact, "harmless", "", "");
      } else if (source.kind == RecipeSource::Kind::branch) {
        add_key(fact, "reported", "", "only the machine knows whether this branch is taken");
      } else if (fact.given == Given::replaced) {
        add_key(fact, "reported", "", "stands twice: the last value counts");
      } else if (rule == nullptr) {
        add_key(fact, "reported", "", "unknown key");
      } else {
        const bool item =
            before != nullptr && before->key == fact.key && before->given != Given::replaced;
        if (!item) forget(key);
        apply_rule(**rule, fact, key, item);
      }
      before = &fact;
    }
  }

  // Asks for fields that only a branch of the script sets.
  void ask_for_branch_settings(const RecipeSource& source) {
    if (source.kind != RecipeSource::Kind::branch) return;
    for (const Fact& fact : source.facts) {
      const std::optional<KeyRule>* rule = table_.find(table_key(fact.key, source.kind));
      if (rule == nullptr || !*rule) continue;
      std::string paths;
      leave_unknown(**rule, paths);
      const std::string why = fmt::format("only the machine knows whether {} is set", fact.key);
      if (!paths.empty()) workings_.ask(paths, why);
    }
  }

  // Marks the variables of a rule as unknown that no other key sets, and adds a field's path.
  void leave_unknown(const KeyRule& rule, std::string& paths) {
    for (const auto& [name, value] : rule.values) {
      for (const auto& [variable, to] : value.variables) {
        if (workings_.has(variable)) continue;
        workings_.set_unknown(variable);
        if (find_field(variable) != nullptr && paths.empty()) paths = variable;
      }
    }
  }

  // The last value of a key in several files counts, so what an earlier one set is undone.
  void forget(const std::string& key) {
    const auto earlier = variables_of_.find(key);
    if (earlier == variables_of_.end()) return;
    bool counted = false;
    for (const std::string& name : earlier->second) {
      if (last_key_of_[name] != key) continue;
      workings_.erase(name);
      counted = true;
    }
    earlier->second.clear();
    if (counted) report_replaced(key);
  }

  // Reports the rows of a key whose value a later one of the same key replaces.
  void report_replaced(const std::string& key) {
    for (const std::size_t row : rows_of_[key]) {
      std::erase_if(rows_, [&](const auto& each) { return each.second == row; });
      out_.keys[row].status = "reported";
      out_.keys[row].path.clear();
      out_.keys[row].why = "stands twice: the last value counts";
    }
    rows_of_[key].clear();
  }

  // Whether the known end of a path is enough: the name of a model or of a file.
  static bool tells_by_end(const KeyRule& rule, const Fact& fact, bool any) {
    const std::string& name = rule.variable;
    const bool named = name == "model" || name.ends_with("_model") || name == "name_hint" ||
                       name == "deepspeed_name";
    const bool path = fact.value.find('/') != std::string::npos && !fact.value.ends_with('/');
    return path && (named || !any);
  }

  // Whether a key does the same whatever its value is.
  static bool is_same_for_all(const KeyRule& rule) {
    const bool one = std::ranges::all_of(
        rule.values, [](const auto& each) { return each.first == "*" || each.first == "null"; });
    const ValueRule* all = find_value(rule, "*", Given::text);
    return (rule.variable.empty() || rule.variable == "deepspeed_name") && one && all != nullptr &&
           !all->variables.empty();
  }

  // `item` for a further item of a list.
  void apply_rule(const KeyRule& rule, const Fact& fact, const std::string& key, bool item) {
    const ValueRule* value = find_value(rule, fact.value, fact.given);
    const bool any = value == nullptr || value == find_value(rule, "*", Given::text);
    const bool open = fact.given == Given::unknown && !tells_by_end(rule, fact, any);
    if (open && !is_same_for_all(rule)) return apply_unknown(rule, fact);
    const bool plain = fact.given != Given::nothing && fact.given != Given::bare &&
                       lower_case(fact.value) != "none";
    std::string paths;
    bool drops_offload = false;
    const auto set = [&](const std::string& name, const std::string& to) {
      const bool second = name == "train.offload" && workings_.has(name) && to != "none";
      const std::string before = second ? workings_.text(name) : std::string();
      drops_offload = drops_offload || (before == "activations" && to == "parameters") ||
                      (before == "parameters" && to == "activations");
      workings_.set(name, second ? both_offloads(workings_.text(name), to) : to);
      workings_.note_key(name, fact.key);
      variables_of_[key].insert(name);
      last_key_of_[name] = key;
      if (find_field(name) != nullptr) append_item(paths, name, ",");
    };
    if (!rule.variable.empty() && plain && any && !open) {
      const std::string list = item ? workings_.text(rule.variable) + "," : "";
      set(rule.variable, list + fact.value);
    }
    if (value != nullptr) {
      for (const auto& [name, to] : value->variables) set(name, to);
    }
    std::string why = value != nullptr ? value->report : plain ? rule.report : "";
    const bool known = value != nullptr || !plain || !rule.variable.empty() || !rule.report.empty();
    if (!known) why = "a value that trcost does not know";
    if (drops_offload) why = "activations on the host beside the weights are not modelled";
    rows_of_[key].insert(add_key(fact, why.empty() ? "used" : "reported", paths, why));
  }

  void apply_unknown(const KeyRule& rule, const Fact& fact) {
    const bool weightless = rule.variable.empty() && rule.report.empty() &&
                            std::ranges::all_of(rule.values, [](const auto& each) {
                              return each.second.variables.empty() && each.second.report.empty();
                            });
    if (weightless) {
      add_key(fact, "used", "", "");
      return;
    }
    if (!rule.variable.empty()) workings_.set_unknown(rule.variable);
    std::string paths = find_field(rule.variable) != nullptr ? rule.variable : "";
    leave_unknown(rule, paths);
    add_key(fact, "reported", paths, "its value is not in the files");
    if (!paths.empty()) workings_.ask(paths, fmt::format("{} is not in the files", fact.key));
  }

  void report_files() {
    for (const Fact& fact : files_.absent) {
      const std::string name = std::filesystem::path(fact.value).filename().string();
      const std::string why = fmt::format("not in the recipe's folder: add --recipe PATH/{}", name);
      for (RecipeKey& key : out_.keys) {
        if (key.key != fact.key || key.value.find(fact.value) == std::string::npos) continue;
        key.status = "reported";
        if (key.why.empty()) key.why = why;
      }
      workings_.set("absent", fact.value);
      const std::string key = plain_key(fact.key);
      const bool accelerate = key == "config_file" || key == "accelerate_config";
      if (accelerate) workings_.set("accelerate_absent", "1");
      if (!accelerate && key.find("deepspeed") == key.npos && !key.starts_with("fsdp")) {
        workings_.set("absent_config", fact.value);
        if (key == "config") workings_.set("absent_settings", "1");
      }
    }
    for (const std::string& command : files_.further) {
      constexpr std::size_t kLongest = 120;
      out_.keys.push_back({"command", command.substr(0, kLongest), "reported", "",
                           "a further run of the script: pass it separately", files_.paths.front(),
                           0});
    }
  }

  // The user's own fields close gaps.
  void note_gaps() {
    for (const RecipeGap& gap : workings_.gaps()) {
      if (!is_given(gap.path)) out_.missing.push_back(gap);
    }
  }

  [[nodiscard]] bool is_given(std::string_view path) const {
    const FieldInfo* info = find_field(path);
    return info != nullptr && workings_.given().has(info->field);
  }

  // A key all of whose fields the user sets otherwise counts no more.
  void report_overridden() {
    for (RecipeKey& key : out_.keys) {
      if (key.status != "used" || key.path.empty()) continue;
      std::string flags;
      bool all = true;
      for (const std::string_view path : split_text(key.path, ",")) {
        const FieldInfo* info = find_field(path);
        const bool other = info != nullptr && workings_.given().has(info->field) &&
                           !workings_.given().equal(out_.scenario, std::span(&info->field, 1));
        all = all && other;
        if (other) append_item(flags, info->flag);
      }
      if (!all) continue;
      key.status = "reported";
      key.why = fmt::format("{} counts instead", flags);
    }
  }

  // Reports the keys that set a variable.
  void report_keys(const std::string& variable, const std::string& why) {
    for (RecipeKey& each : out_.keys) {
      if (each.status != "used" || !workings_.keys_of(variable).contains(each.key)) continue;
      each.status = "reported";
      each.why = why;
    }
  }

  // Returns the index of the row in out_.keys.
  std::size_t add_key(const Fact& fact, std::string status, std::string paths, std::string why) {
    const std::string value = shown_value(fact);
    const auto at = rows_.find(fact.key + '\n' + status + '\n' + paths + '\n' + why);
    if (at != rows_.end()) {
      constexpr std::size_t kLongest = 200;
      std::string& shown = out_.keys[at->second].value;
      if (shown.size() < kLongest) append_item(shown, value);
      return at->second;
    }
    rows_[fact.key + '\n' + status + '\n' + paths + '\n' + why] = out_.keys.size();
    out_.keys.push_back({fact.key, value, std::move(status), std::move(paths), std::move(why),
                         fact.file, static_cast<double>(fact.line)});
    return out_.keys.size() - 1;
  }

  void set_fields() {
    for (const auto& [name, value] : workings_.values()) {
      const FieldInfo* info = find_field(name);
      if (info == nullptr || value.empty()) continue;
      try {
        out_.scenario.set(*info, plain_number(value), name);
      } catch (const Error& error) {
        constexpr std::size_t kLongest = 60;
        workings_.ask(name, fmt::format("\"{}\" is no value of it", value.substr(0, kLongest)));
        continue;
      }
      if (const std::string* why = workings_.assumed(name); why != nullptr && !is_given(name)) {
        out_.defaults.push_back({name, value, *why});
      }
    }
    std::stable_partition(
        out_.defaults.begin(), out_.defaults.end(),
        [](const RecipeDefault& each) { return each.path == "efficiency.stack"; });
  }

  const RecipeFiles& files_;
  const std::map<std::string, FrameworkTable, std::less<>>& tables_;
  const FrameworkTable& table_;
  Workings workings_;
  std::map<std::string, std::set<std::string>, std::less<>> variables_of_;  // by plain key
  std::map<std::string, std::string, std::less<>> last_key_of_;             // of a variable
  std::map<std::string, std::size_t> rows_;                                 // of out_.keys
  std::map<std::string, std::set<std::size_t>, std::less<>> rows_of_;       // by plain key
  RecipeReading out_;
};

[[noreturn]] void throw_unrecognised(const RecipeFiles& files) {
  throw Error(ErrorKind::data, "no framework is recognised by its keys",
              "pass a configuration or a launch script of axolotl, LLaMA-Factory, ms-swift, TRL, "
              "the Hugging Face Trainer, Unsloth, open-instruct, DeepSpeed, torchtitan, torchtune, "
              "Megatron-LM, Megatron-Bridge, NeMo, nanotron, llm-foundry, OLMo, LitGPT, verl, "
              "OpenRLHF or NeMo RL",
              files.paths.front());
}

}  // namespace

std::shared_ptr<const OpenedRecipe> open_recipe(const std::vector<std::string>& files,
                                                const Catalog& catalog) {
  const Frameworks frameworks(catalog);
  RecipeFiles opened = open_recipe_files(files, frameworks);
  std::string name = frameworks.recognise(opened.facts);
  UnreadRecipe unread = frameworks.recognise_unread(opened.facts);
  for (const RecipeSource& source : opened.sources) {
    if (!name.empty() || source.kind != RecipeSource::Kind::part) continue;
    name = source.table;
    if (unread.name.empty()) unread = frameworks.recognise_unread(source.facts);
  }
  if (name.empty()) name = frameworks.recognise(opened.facts, Frameworks::Kind::launchers);
  if (!unread.name.empty()) {
    throw Error(ErrorKind::data, fmt::format("recipes of {} are not read", unread.name),
                unread.instead, opened.paths.front());
  }
  // A job around a script of its own tells its machines.
  const bool job = std::ranges::any_of(opened.sources, [](const RecipeSource& source) {
    return source.kind == RecipeSource::Kind::wrapper && !source.facts.empty();
  });
  if (name.empty() && job && opened.absent.empty()) name = "script";
  if (name.empty() && !opened.absent.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("no framework is recognised by its keys, and {} is not beside it",
                            opened.absent.front().value),
                "pass that file too", opened.paths.front());
  }
  if (name.empty()) throw_unrecognised(opened);
  const auto out = std::make_shared<OpenedRecipe>(OpenedRecipe{std::move(opened), name, {}});
  out->tables.emplace(name, load_framework(catalog, name));
  for (const RecipeSource& source : out->files.sources) {
    if (source.table.empty() || out->tables.contains(source.table)) continue;
    out->tables.emplace(source.table, load_framework(catalog, source.table));
  }
  return out;
}

RecipeReading read_recipe(const OpenedRecipe& recipe, const Scenario& given,
                          const Catalog& catalog) {
  RecipeReading out = Reader(recipe, given, catalog).read();
  const bool empty = recipe.framework == "script" && !out.scenario.has(Field::hardware_gpus);
  if (empty) throw_unrecognised(recipe.files);
  return out;
}

}  // namespace trcost::recipe
