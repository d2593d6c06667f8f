// SPDX-License-Identifier: Apache-2.0
#include "recipe/read_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "quantity/suggest.h"
#include "recipe/arithmetic.h"
#include "recipe/facts.h"
#include "recipe/framework.h"
#include "scenario/fields.h"
#include "text/files.h"
#include "trcost/error.h"

namespace trcost::recipe {
namespace {

namespace fs = std::filesystem;

enum class Syntax { yaml, toml, script };

Syntax syntax_of(const std::string& path, std::string_view text) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".toml") return Syntax::toml;
  if (extension == ".sh" || extension == ".sbatch" || extension == ".slurm" ||
      extension == ".bash" || text.starts_with("#!")) {
    return Syntax::script;
  }
  return Syntax::yaml;
}

struct File {
  std::string path;
  Syntax syntax = Syntax::yaml;
  Facts facts;
  std::string part;     // `deepspeed` for a file that only completes another
  std::string wrapper;  // `skypilot` for a job around a script
};

// Follows `${a.b}` of OmegaConf to the key a.b of the same file. Other resolvers stay as they are.
void resolve_references(Facts& facts) {
  constexpr int kDeepest = 5;
  for (Fact& fact : facts) {
    for (int depth = 0; depth < kDeepest; ++depth) {
      const std::size_t start = fact.value.find("${");
      const std::size_t end = fact.value.find('}', start);
      if (start == std::string::npos || end == std::string::npos) break;
      const std::string key = fact.value.substr(start + 2, end - start - 2);
      if (!has_key(facts, key)) break;
      fact.value.replace(start, end - start + 1, std::string(value_of(facts, key)));
    }
  }
}

Facts read_facts(const std::string& text, const std::string& path, Syntax syntax) {
  if (syntax == Syntax::toml) return read_toml(text, path);
  if (syntax == Syntax::script) return read_script(text, path);
  Facts facts = read_yaml(text, path);
  resolve_references(facts);
  return facts;
}

// A file that is named in another, beside it or in a folder next to it.
std::string file_beside(const std::string& named, const std::string& of) {
  const std::string extension = fs::path(named).extension().string();
  constexpr std::string_view kKinds[] = {".yaml", ".yml", ".json", ".toml"};
  if (std::ranges::find(kKinds, extension) == std::end(kKinds)) return {};
  const fs::path folder = fs::path(of).parent_path();
  std::error_code status;
  for (fs::path rest = fs::path(named).relative_path(); !rest.empty();) {
    if (const fs::path found = folder / rest; fs::is_regular_file(found, status)) {
      return found.lexically_normal().string();
    }
    // Without the first folder of the name.
    fs::path shorter;
    for (auto part = std::next(rest.begin()); part != rest.end(); ++part) shorter /= *part;
    rest = shorter;
  }
  return {};
}

class Reader {
 public:
  Reader(const Scenario& given, const Catalog& catalog) : given_(given), catalog_(catalog) {}

  RecipeReading read(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) open(path);
    find_framework();
    apply_all();
    return std::move(out_);
  }

 private:
  void open(const std::string& path) {
    if (!seen_.insert(path).second) return;
    if (fs::path(path).extension() == ".py") {
      throw Error(ErrorKind::data, "recipes in Python are not read",
                  "give the configuration that the run saved (config.json, training_args.json, "
                  "adapter_config.json), or a YAML file or launch script",
                  path);
    }
    const std::string text = read_text_file(path);
    File file{path, syntax_of(path, text), {}, {}, {}};
    file.facts = read_facts(text, path, file.syntax);
    file.wrapper = file.syntax == Syntax::yaml ? recognise_wrapper(catalog_, file.facts) : "";
    if (!file.wrapper.empty()) unwrap(file);
    if (const auto known = recognise(catalog_, file.facts); known && known->part) {
      file.part = known->name;
    }
    out_.files.push_back(path);
    const Facts facts = file.facts;
    files_.push_back(std::move(file));
    for (const Fact& fact : facts) {
      if (const std::string beside = file_beside(fact.value, path); !beside.empty()) open(beside);
    }
  }

  // Adds the flags of the script that a job of SkyPilot or Kubernetes runs.
  static void unwrap(File& file) {
    std::string script;
    for (const Fact& fact : file.facts) {
      const bool command =
          fact.key == "run" || fact.key.ends_with(".command") || fact.key.ends_with(".args");
      if (command) script += fact.value + (fact.key == "run" ? "\n" : " ");
    }
    for (Fact& fact : read_script(script, file.path)) file.facts.push_back(std::move(fact));
  }

  void find_framework() {
    Facts all;
    for (const File& file : files_) {
      if (file.part.empty()) all.insert(all.end(), file.facts.begin(), file.facts.end());
    }
    const auto known = recognise(catalog_, all);
    if (!known || known->part) {
      throw Error(
          ErrorKind::data, "no framework is recognised by its keys",
          "give a configuration of axolotl, LLaMA-Factory, ms-swift, TRL, the Hugging Face "
          "Trainer, "
          "Megatron-LM, NeMo, torchtitan, torchtune, nanotron, LitGPT, OLMo, llm-foundry, verl or "
          "OpenRLHF",
          out_.files.front());
    }
    table_ = load_framework(catalog_, known->name);
    out_.framework = known->name;
    out_.version = table_.source;
  }

  // Parts come first, then files, then scripts, whose flags override a file.
  void apply_all() {
    const auto apply_where = [&](const auto& wanted) {
      for (const File& file : files_) {
        if (wanted(file)) apply(file);
      }
    };
    apply_where([](const File& f) { return !f.part.empty(); });
    apply_where([](const File& f) { return f.part.empty() && f.syntax != Syntax::script; });
    apply_where([](const File& f) { return f.part.empty() && f.syntax == Syntax::script; });
    for (const auto& [name, value] : table_.fixed) variables_[name] = value;
    for (const auto& [name, value] : table_.defaults) {
      if (variables_.contains(name)) continue;
      variables_[name] = value;
      defaulted_.insert(name);
    }
    note_absent_deepspeed();
    for (const std::string& path : out_.files) {
      variables_["files"] += fs::path(path).filename().string() + " ";
    }
    compute_fields(table_.group, given_, catalog_, variables_, out_.missing);
    for (const auto& [variable, why] : report_later(table_.group, variables_)) {
      report_keys(variable, why);
    }
    set_fields();
  }

  // Reports the keys that set a variable.
  void report_keys(const std::string& variable, const std::string& why) {
    for (RecipeKey& each : out_.keys) {
      if (each.status != "used" || !of_variable_[variable].contains(each.key)) continue;
      each.status = "reported";
      each.why = why;
    }
  }

  // A DeepSpeed file that is named and not there leaves the sharding open.
  void note_absent_deepspeed() {
    const auto named = variables_.find("deepspeed");
    if (named == variables_.end() || !named->second.ends_with(".json")) return;
    const bool read =
        std::ranges::any_of(files_, [](const File& f) { return f.part == "deepspeed"; });
    if (read) return;
    if (defaulted_.erase("layout.sharding") > 0) variables_.erase("layout.sharding");
    out_.missing.push_back({"layout.sharding", fmt::format("{} is not beside the recipe",
                                                           named->second.substr(0, 80))});
  }

  // Flags lose their dashes, so that one table has a framework's flags and keys.
  static std::string plain_key(const std::string& key) {
    std::string out = key;
    if (out.starts_with("--")) {
      out.erase(0, 2);
      std::ranges::replace(out, '-', '_');
    }
    return out;
  }

  void apply(const File& file) {
    const FrameworkTable* table = &table_;
    FrameworkTable part, wrapper;
    if (!file.part.empty()) {
      part = load_framework(catalog_, file.part);
      table = &part;
    }
    if (!file.wrapper.empty()) {
      wrapper = load_framework(catalog_, file.wrapper + "-keys");
      note_job(file, variables_);
    }
    for (const Fact& fact : file.facts) {
      const bool done = (!file.wrapper.empty() && apply_rule(wrapper, fact)) ||
                        apply_rule(*table, fact) || is_harmless(*table, fact) ||
                        (!file.wrapper.empty() && is_harmless(wrapper, fact));
      if (!done) add_key(fact, "reported", "", "unknown key");
    }
  }

  static const KeyRule* find_rule(const FrameworkTable& table, std::string_view key) {
    for (const auto& [pattern, rule] : table.keys) {
      if (pattern == key) return &rule;
    }
    for (const auto& [pattern, rule] : table.keys) {
      if (pattern.find('*') != pattern.npos && fits_pattern(pattern, key)) return &rule;
    }
    return nullptr;
  }

  bool apply_rule(const FrameworkTable& table, const Fact& fact) {
    const KeyRule* rule = find_rule(table, plain_key(fact.key));
    if (rule == nullptr) return false;
    std::string paths, why = rule->report;
    const auto set = [&](const std::string& name, const std::string& value) {
      if (name == "report") {
        why = value;
        return;
      }
      // What stands behind a flag and its number is another argument.
      const auto before = variables_.find(name);
      const bool second = before != variables_.end() && fact.key.starts_with("--") &&
                          number_of(before->second) && !number_of(value) &&
                          of_variable_[name].contains(fact.key);
      if (second) return;
      variables_[name] = value;
      of_variable_[name].insert(fact.key);
      if (find_field(name) != nullptr) paths += (paths.empty() ? "" : ",") + name;
    };
    const std::string value = lower_case(trim(fact.value));
    const bool none = value.empty() || value == "null" || value == "~";
    if (!rule->variable.empty() && !none) set(rule->variable, fact.value);
    auto at = rule->values.find(value);
    if (at == rule->values.end()) {
      at = std::ranges::find_if(rule->values, [&](const auto& each) {
        return each.first.find('*') != std::string::npos && each.first != "*" &&
               fits_pattern(each.first, value);
      });
    }
    if (at == rule->values.end() && !none) at = rule->values.find("*");
    if (at != rule->values.end()) {
      for (const auto& [name, to] : at->second) set(name, to);
    }
    add_key(fact, why.empty() ? "used" : "reported", paths, why);
    return true;
  }

  bool is_harmless(const FrameworkTable& table, const Fact& fact) {
    const std::string key = plain_key(fact.key);
    const bool found = std::ranges::any_of(table.harmless, [&](const std::string& pattern) {
      return fits_pattern(pattern, key) || fits_pattern(pattern, fact.key);
    });
    if (found) add_key(fact, "harmless", "", "");
    return found;
  }

  static const FieldInfo* find_field(std::string_view path) {
    const auto at = std::ranges::find(fields(), path, &FieldInfo::path);
    return at == fields().end() ? nullptr : &*at;
  }

  // Secrets never stand in an output.
  static std::string shown_value(const Fact& fact) {
    const std::string key = lower_case(fact.key);
    const bool secret = key.ends_with("_token") || key.ends_with("_key") ||
                        key.ends_with("apikey") || key.find("password") != key.npos ||
                        key.ends_with("use_wandb");
    constexpr std::size_t kLongest = 120;
    return secret ? "***" : fact.value.substr(0, kLongest);
  }

  void add_key(const Fact& fact, std::string status, std::string paths, std::string why) {
    const auto same = std::ranges::find_if(out_.keys, [&](const RecipeKey& each) {
      return each.key == fact.key && each.status == status && each.path == paths;
    });
    if (same != out_.keys.end()) {
      same->value += (same->value.empty() ? "" : ", ") + shown_value(fact);
      return;
    }
    out_.keys.push_back(
        {fact.key, shown_value(fact), std::move(status), std::move(paths), std::move(why)});
  }

  void set_fields() {
    for (const auto& [name, value] : variables_) {
      const FieldInfo* info = find_field(name);
      if (info == nullptr || value.empty()) continue;
      try {
        out_.scenario.set(*info, plain_number(value), name);
      } catch (const Error& error) {
        out_.missing.push_back(
            {name, fmt::format("\"{}\" is no value of it", value.substr(0, 60))});
        continue;
      }
      if (defaulted_.contains(name) || table_.fixed.contains(name)) {
        out_.defaults.push_back({name, value, fmt::format("{}'s default", out_.framework)});
      }
    }
  }

  const Scenario& given_;
  const Catalog& catalog_;
  std::set<std::string> seen_;
  std::vector<File> files_;
  FrameworkTable table_;
  Variables variables_;
  std::map<std::string, std::set<std::string>> of_variable_;  // keys that set a variable
  std::set<std::string> defaulted_;
  RecipeReading out_;

  // Accelerators of a job of Kubernetes: replicas x GPUs of each role.
  static void note_job(const File& file, Variables& variables) {
    std::map<std::string, double> replicas, gpus;
    for (const Fact& fact : file.facts) {
      const std::optional<double> value = number_of(fact.value);
      const std::size_t role = fact.key.find("ReplicaSpecs.");
      const std::string name =
          role == fact.key.npos ? "" : fact.key.substr(role, fact.key.find('.', role + 13) - role);
      if (!value) continue;
      if (fact.key.ends_with(".replicas")) replicas[name] = *value;
      if (fact.key.ends_with("limits.nvidia.com/gpu")) gpus[name] = *value;
    }
    double all = 0;
    for (const auto& [name, count] : gpus) {
      all += count * (replicas.contains(name) ? replicas[name] : 1);
    }
    if (all > 0) variables["gpus"] = format_exact(all);
  }
};

}  // namespace

RecipeReading read_recipe(const std::vector<std::string>& files, const Scenario& given,
                          const Catalog& catalog) {
  return Reader(given, catalog).read(files);
}

}  // namespace trcost::recipe
