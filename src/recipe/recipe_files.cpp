// SPDX-License-Identifier: Apache-2.0
#include "recipe/recipe_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "quantity/suggest.h"
#include "recipe/files/script.h"
#include "recipe/workings.h"
#include "text/files.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::recipe {
namespace {

namespace fs = std::filesystem;

enum class Syntax { yaml, toml, script };

Syntax syntax_of(const std::string& path, std::string_view text) {
  constexpr std::string_view kScripts[] = {".sh",  ".sbatch", ".slurm", ".bash",
                                           ".job", ".sub",    ".run"};
  const std::string extension = lower_case(fs::path(path).extension().string());
  if (extension == ".toml") return Syntax::toml;
  const bool script = std::ranges::find(kScripts, extension) != std::end(kScripts);
  return script || text.starts_with("#!") ? Syntax::script : Syntax::yaml;
}

bool is_configuration(const std::string& name) {
  constexpr std::string_view kEndings[] = {".yaml", ".yml", ".json", ".toml"};
  const std::string extension = lower_case(fs::path(name).extension().string());
  return std::ranges::find(kEndings, extension) != std::end(kEndings);
}

// A file that is named in another: beside it, or in a folder beside it.
std::string sibling_file(const std::string& named, const std::string& of) {
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

constexpr std::size_t kMostFiles = 30;

class Opener {
 public:
  explicit Opener(const Frameworks& frameworks) : frameworks_(frameworks) {}

  RecipeFiles open_all(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) open(path, 0);
    drop_passed();
    resolve_references();
    std::ranges::stable_sort(out_.sources, {}, &RecipeSource::kind);
    for (const RecipeSource& source : out_.sources) {
      const bool tells =
          source.kind == RecipeSource::Kind::file || source.kind == RecipeSource::Kind::train;
      if (tells) out_.facts.insert(out_.facts.end(), source.facts.begin(), source.facts.end());
    }
    return std::move(out_);
  }

 private:
  // A file that stands elsewhere than beside the recipe may be passed too.
  void drop_passed() {
    const bool deepspeed = std::ranges::count(out_.sources, "deepspeed", &RecipeSource::table) > 0;
    std::erase_if(out_.absent, [&](const Fact& fact) {
      const bool passed = std::ranges::any_of(out_.paths, [&](const std::string& path) {
        return path != fact.file && fs::path(path).filename() == fs::path(fact.value).filename();
      });
      return passed || (deepspeed && fact.key.find("deepspeed") != fact.key.npos);
    });
  }

  void open(const std::string& path, int depth) {
    constexpr int kDeepest = 8;
    const std::string plain = fs::path(path).lexically_normal().string();
    if (depth > kDeepest || seen_.size() >= kMostFiles || !seen_.insert(plain).second) return;
    const std::string text = read_text_file(path);
    const fs::path extension = fs::path(path).extension();
    if (extension == ".py" || extension == ".ipynb") {
      const UnreadRecipe python = frameworks_.recognise_python(text);
      throw Error(ErrorKind::data,
                  python.name.empty()
                      ? "recipes in Python are not read"
                      : fmt::format("recipes of {} in Python are not read", python.name),
                  python.name.empty() ? "pass the configuration that the run saved, a YAML file or "
                                        "a launch script"
                                      : python.instead,
                  path);
    }
    out_.paths.push_back(path);
    add_text(text, path, syntax_of(path, text), depth);
  }

  // A file beside the recipe, or in the folder that a job of SkyPilot sends along.
  [[nodiscard]] std::string find_sibling(const std::string& named, const std::string& path) const {
    const std::string beside = sibling_file(named, path);
    if (!beside.empty() || workdir_.empty()) return beside;
    return sibling_file(named, (fs::path(path).parent_path() / workdir_ / "task").string());
  }

  void add_text(const std::string& text, const std::string& path, Syntax syntax, int depth) {
    if (syntax == Syntax::script) return add_script(text, path, {}, depth);
    const bool toml = syntax == Syntax::toml;
    Facts facts = toml ? read_toml(text, path) : read_yaml(text, path);
    if (const std::string wrapper = frameworks_.recognise(facts, Frameworks::Kind::wrappers);
        !wrapper.empty()) {
      return add_wrapper(wrapper, std::move(facts), path, depth);
    }
    const std::string part = frameworks_.recognise(facts, Frameworks::Kind::parts);
    const bool only_part = !part.empty() && frameworks_.recognise(facts).empty();
    open_named(facts, path, depth, true);
    out_.sources.push_back({only_part ? RecipeSource::Kind::part : RecipeSource::Kind::file,
                            only_part ? part : std::string(), std::move(facts)});
    open_named(out_.sources.back().facts, path, depth, false);
  }

  // Files that the values of some keys name: those that this one changes go before it.
  void open_named(const Facts& facts_of_file, const std::string& path, int depth, bool parents) {
    const Facts facts = facts_of_file;  // opening adds sources
    for (const Fact& fact : facts) {
      if (fact.given != Given::text) continue;
      const std::string key = plain_key(fact.key);
      if (parents ? !frameworks_.names_parent(key) : !frameworks_.names_file(key)) continue;
      open_value(fact, path, depth, parents);
    }
  }

  void open_value(const Fact& fact, const std::string& path, int depth, bool parents) {
    const bool named = is_configuration(fact.value);
    if (!named && !parents) return;
    const std::string beside = find_sibling(named ? fact.value : fact.value + ".yaml", path);
    if (!beside.empty()) {
      open(beside, depth + 1);
    } else if (named && !written_.contains(fact.value)) {
      out_.absent.push_back(fact);
    }
  }

  // A job that runs a script: SkyPilot's `run`, the command of a container.
  void add_wrapper(const std::string& wrapper, Facts facts, const std::string& path, int depth) {
    std::vector<std::pair<std::string, std::string>> scripts;  // by the group of their keys
    ShellSettings settings;
    std::string nodes = "1", cards, name;
    for (const Fact& fact : facts) {
      const std::string key = fact.key.substr(fact.key.rfind('.') + 1);
      if (key == "run" || key == "setup" || key == "command" || key == "args" ||
          key == "entrypoint") {
        const bool whole =
            key == "run" || key == "setup" || fact.value.find('\n') != std::string::npos;
        const std::string group = fact.key.substr(0, fact.key.size() - key.size());
        if (scripts.empty() || scripts.back().first != group) scripts.emplace_back(group, "");
        scripts.back().second += fact.value + (whole ? "\n" : " ");
      }
      if (fact.key.starts_with("envs.")) settings.emplace_back(key, fact.value);
      if (key == "name") name = fact.value;
      if (fact.key == "workdir") workdir_ = fact.value;
      if (key == "value" && fact.key.ends_with("env.value"))
        settings.emplace_back(name, fact.value);
      if (fact.key == "num_nodes") nodes = fact.value;
      if (fact.key == "resources.accelerators") {
        const std::size_t colon = fact.value.rfind(':');
        cards = colon == std::string::npos ? "1" : fact.value.substr(colon + 1);
      }
    }
    if (wrapper == "skypilot") {
      settings.emplace_back("SKYPILOT_NUM_NODES", nodes);
      if (!cards.empty()) settings.emplace_back("SKYPILOT_NUM_GPUS_PER_NODE", cards);
    }
    if (wrapper == "mcli") take_parameters(facts);
    out_.sources.push_back({RecipeSource::Kind::wrapper, wrapper, std::move(facts)});
    add_script(joined_scripts(scripts), path, settings, depth);
  }

  // All scripts of a job. Pods of several roles that run the same one count once.
  static std::string joined_scripts(
      const std::vector<std::pair<std::string, std::string>>& scripts) {
    // `command: ["bash", "-c"]` stands before the text of `args`.
    constexpr std::string_view kShellWords[] = {"bash -c ",    "sh -c ",    "/bin/bash -c ",
                                                "/bin/sh -c ", "bash -lc ", "/bin/bash -lc "};
    std::string out;
    std::set<std::string, std::less<>> known;
    for (const auto& [group, script] : scripts) {
      if (!known.insert(script).second) continue;
      std::string_view text = script;
      for (const std::string_view words : kShellWords) {
        if (text.starts_with(words)) text.remove_prefix(words.size());
      }
      out += text;
      if (!out.ends_with('\n')) out += '\n';
    }
    return out;
  }

  // The configuration within a job of MosaicML's, which mounts it as a file.
  void take_parameters(Facts& facts) {
    constexpr std::string_view kWithin = "parameters.";
    Facts own;
    for (Fact& fact : facts) {
      if (!fact.key.starts_with(kWithin)) continue;
      own.push_back(std::move(fact));
      own.back().key.erase(0, kWithin.size());
      fact.key.clear();
    }
    std::erase_if(facts, [](const Fact& fact) { return fact.key.empty(); });
    written_.insert("/mnt/config/parameters.yaml");
    out_.sources.push_back({RecipeSource::Kind::file, {}, std::move(own)});
  }

  void add_script(const std::string& text, const std::string& path, const ShellSettings& settings,
                  int depth) {
    Script script = read_script(text, path, settings,
                                [&](const std::string& named) { return sourced(named, path); });
    for (const WrittenFile& written : script.written) {
      written_.insert(written.path);
      if (!is_configuration(written.path)) continue;
      add_text(written.text, written.path, syntax_of(written.path, ""), depth + 1);
    }
    out_.sources.push_back({RecipeSource::Kind::wrapper, "slurm", std::move(script.facts)});
    out_.sources.push_back({RecipeSource::Kind::other, {}, std::move(script.beside)});
    out_.sources.push_back({RecipeSource::Kind::branch, {}, std::move(script.doubtful)});
    const std::size_t run = choose_run(script.commands, path);
    for (std::size_t i = 0; i < script.commands.size(); ++i) {
      ShellCommand& command = script.commands[i];
      const std::string role = frameworks_.role_of(command.words);
      const bool serves = role == "serve";
      out_.sources.push_back({RecipeSource::Kind::other, {}, std::move(command.wrapper)});
      if (i == run) {
        Facts facts = facts_of(command);
        open_named(facts, path, depth, true);
        open_named(facts, path, depth, false);
        open_words(command, path, depth);
        out_.sources.push_back({RecipeSource::Kind::train, {}, std::move(facts)});
      } else {
        const bool again = !serves && role == "train" && is_run(command);
        if (again) out_.further.push_back(fmt::format("{}", fmt::join(command.words, " ")));
        out_.sources.push_back({serves ? RecipeSource::Kind::serve : RecipeSource::Kind::other,
                                {},
                                std::move(command.facts)});
      }
    }
  }

  // A script that another one runs in its own shell.
  std::optional<std::string> sourced(const std::string& named, const std::string& path) {
    const std::string beside = find_sibling(named, path);
    if (beside.empty() || seen_.size() >= kMostFiles || !seen_.insert(beside).second) {
      return std::nullopt;
    }
    out_.paths.push_back(beside);
    return read_text_file(beside);
  }

  // Words of a command that are files of configuration.
  void open_words(const ShellCommand& command, const std::string& path, int depth) {
    for (const std::string& word : command.words) {
      const std::string script = word.ends_with(".sh") ? find_sibling(word, path) : "";
      if (!script.empty()) {
        open(script, depth + 1);
      } else if (is_configuration(word)) {
        open_value({"command", word, path, command.line, Given::text}, path, depth, false);
      }
    }
  }

  // Flags, with the words of the command under the key `command`.
  static Facts facts_of(const ShellCommand& command) {
    Facts out = command.facts;
    const std::string file = out.empty() ? std::string() : out.front().file;
    for (const std::string& word : command.words) {
      out.push_back({"command", word, file, command.line, Given::text});
    }
    return out;
  }

  [[nodiscard]] bool is_run(const ShellCommand& command) const {
    return !frameworks_.recognise(facts_of(command)).empty();
  }

  // The first command that a framework recognises, else one that names a file of configuration
  // beside the script, else the one with the most flags.
  [[nodiscard]] std::size_t choose_run(const std::vector<ShellCommand>& commands,
                                       const std::string& path) const {
    std::size_t best = commands.size();
    int most = -1;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const ShellCommand& command = commands[i];
      if (frameworks_.role_of(command.words) != "train") continue;
      const bool names =
          std::ranges::any_of(command.words,
                              [&](const std::string& word) {
                                return is_configuration(word) && !find_sibling(word, path).empty();
                              }) ||
          std::ranges::any_of(command.facts, [&](const Fact& fact) {
            return is_configuration(fact.value) && !find_sibling(fact.value, path).empty();
          });
      constexpr int kRecognised = 2'000'000, kNames = 1'000'000;
      const int flags = static_cast<int>(std::min<std::size_t>(command.facts.size(), 100'000));
      const int score = flags + (is_run(command) ? kRecognised : 0) + (names ? kNames : 0);
      const bool same_kind = most >= kRecognised && score >= kRecognised;
      if (score <= most || same_kind) continue;
      best = i;
      most = score;
    }
    return best;
  }

  // Follows `${a.b}` of OmegaConf, with the overrides of the command line first. Other resolvers
  // stay as they are and are unknown.
  void resolve_references() {
    std::map<std::string, std::string, std::less<>> values;
    const auto collect = [&](RecipeSource::Kind kind) {
      for (const RecipeSource& source : out_.sources) {
        if (source.kind != kind) continue;
        for (const Fact& fact : source.facts) {
          if (fact.given == Given::text) values.insert_or_assign(fact.key, fact.value);
        }
      }
    };
    collect(RecipeSource::Kind::file);  // a file stands behind its parents
    collect(RecipeSource::Kind::train);
    for (RecipeSource& source : out_.sources) {
      if (source.kind != RecipeSource::Kind::file) continue;
      for (Fact& fact : source.facts) resolve(fact, values);
    }
  }

  // `.name` is a neighbour of the key, `..name` one of its parent.
  static std::string absolute(std::string key, std::string of) {
    if (!key.starts_with('.')) return key;
    while (key.starts_with('.')) {
      key.erase(0, 1);
      of = of.substr(0, of.rfind('.') == of.npos ? 0 : of.rfind('.'));
    }
    return of.empty() ? key : of + "." + key;
  }

  // The value of a key whose references to its neighbours hold elsewhere too.
  static std::string with_absolute_references(
      const std::pair<const std::string, std::string>& entry) {
    std::string out = entry.second;
    for (std::size_t at = 0; (at = out.find("${.", at)) != out.npos; ++at) {
      const std::size_t end = out.find('}', at);
      if (end == out.npos) break;
      out.replace(at + 2, end - at - 2, absolute(out.substr(at + 2, end - at - 2), entry.first));
    }
    return out;
  }

  // NeMo's `multiply:4, 12288`, `sum:1,2`, `divide_floor:7,2`.
  static std::string computed(std::string_view key) {
    const std::size_t colon = key.find(':');
    if (colon == key.npos) return {};
    const std::string_view name = key.substr(0, colon);
    std::vector<double> numbers;
    for (const std::string_view each : split_text(key.substr(colon + 1), ",")) {
      const std::optional<double> number = number_of(each);
      if (!number) return {};
      numbers.push_back(*number);
    }
    if (name == "multiply" || name == "mul") {
      return format_exact(
          std::accumulate(numbers.begin(), numbers.end(), 1.0, std::multiplies<>()));
    }
    if (name == "sum") return format_exact(std::accumulate(numbers.begin(), numbers.end(), 0.0));
    if (numbers.size() != 2 || numbers[1] == 0) return {};
    const double quotient = numbers[0] / numbers[1];
    if (name == "divide_floor") return format_exact(std::floor(quotient));
    return name == "divide_ceil" ? format_exact(std::ceil(quotient)) : std::string();
  }

  static void resolve(Fact& fact, const std::map<std::string, std::string, std::less<>>& values) {
    constexpr int kDeepest = 8;
    constexpr std::size_t kLongest = 10'000;
    for (int depth = 0; depth < kDeepest && fact.value.size() < kLongest; ++depth) {
      const std::size_t start = fact.value.rfind("${");
      const std::size_t end = start == std::string::npos ? start : fact.value.find('}', start);
      if (end == std::string::npos) return;
      const std::string key = absolute(fact.value.substr(start + 2, end - start - 2), fact.key);
      auto found = values.find(key);
      // NeMo's launcher puts a file under the name of its group.
      for (const std::string_view group : {"training.", "peft.", "fine_tuning."}) {
        if (found == values.end() && key.starts_with(group))
          found = values.find(key.substr(group.size()));
      }
      const std::size_t comma = key.find(',');
      if (found != values.end()) {
        fact.value.replace(start, end - start + 1, with_absolute_references(*found));
      } else if (const std::string result = computed(key); !result.empty()) {
        fact.value.replace(start, end - start + 1, result);
      } else if (key.starts_with("oc.env:") && comma != std::string::npos) {
        fact.value.replace(start, end - start + 1, trim(std::string_view(key).substr(comma + 1)));
      } else {
        fact.given = Given::unknown;
        return;
      }
    }
  }

  const Frameworks& frameworks_;
  std::set<std::string> seen_, written_;
  std::string workdir_;  // of a job, relative to its file
  RecipeFiles out_;
};

}  // namespace

RecipeFiles open_recipe_files(const std::vector<std::string>& paths, const Frameworks& frameworks) {
  return Opener(frameworks).open_all(paths);
}

}  // namespace trcost::recipe
