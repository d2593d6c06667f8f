// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "quantity/suggest.h"
#include "recipe/files/facts.h"
#include "trcost/error.h"

namespace trcost::recipe {
namespace {

[[noreturn]] void refuse(const std::string& file, int line, std::string message, std::string hint) {
  throw Error(ErrorKind::data, std::move(message), std::move(hint),
              line > 0 ? fmt::format("{}:{}", file, line) : file);
}

bool is_null(const std::string& plain) {
  const std::string text = lower_case(plain);
  return text.empty() || text == "null" || text == "~";
}

// Turns the events of a document into facts.
class Collector : public YAML::EventHandler {
 public:
  explicit Collector(FactList& out) : out_(out) {}

  void OnDocumentStart(const YAML::Mark&) override { anchors_.clear(); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add_scalar(mark, anchor, {});
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    add_scalar(mark, anchor, value);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found != anchors_.end()) add_alias(found->second, mark.line + 1);
    finish_value();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, true);
  }
  void OnMapEnd() override { close(); }

 private:
  // Facts of an anchor and the length of the path that they share.
  struct Anchor {
    std::size_t first = 0, last = 0, prefix = 0;
  };
  struct Level {
    bool map = false;
    bool at_key = true;
    std::string prefix;  // path of the level
    std::string key;
    std::map<std::string, std::size_t> keys;                  // first fact of each key
    std::vector<std::pair<std::size_t, std::size_t>> merged;  // facts of merge keys
    YAML::anchor_t anchor = 0;
    std::size_t first = 0;
    int line = 0;
  };

  // Path of the next value. A merge key stands for its own level.
  [[nodiscard]] std::string path() const {
    if (levels_.empty()) return {};
    const Level& level = levels_.back();
    if (!level.map || level.key == "<<") return level.prefix;
    return level.prefix.empty() ? level.key : level.prefix + "." + level.key;
  }

  void add_alias(const Anchor& of, int line) {
    const std::string here = path();
    const std::size_t first = out_.facts().size();
    for (std::size_t i = of.first; i < of.last; ++i) {
      const Fact fact = out_.facts()[i];
      const std::string rest = fact.key.substr(std::min(of.prefix, fact.key.size()));
      const bool bare_dot = here.empty() && rest.starts_with('.');
      out_.add(here + (bare_dot ? rest.substr(1) : rest), fact.value, line, fact.given);
    }
    if (!levels_.empty() && levels_.back().map && levels_.back().key == "<<") {
      levels_.back().merged.emplace_back(first, out_.facts().size());
    }
  }

  void add_scalar(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& value) {
    const int line = mark.line + 1;
    if (!levels_.empty() && levels_.back().map && levels_.back().at_key) return set_key(value);
    const std::size_t first = out_.facts().size();
    const std::string here = path();
    out_.add(here, value, line, is_null(value) ? Given::nothing : Given::text);
    if (anchor != 0) anchors_[anchor] = {first, out_.facts().size(), here.size()};
    finish_value();
  }

  void set_key(const std::string& key) {
    Level& level = levels_.back();
    level.key = key;
    level.at_key = false;
    if (key == "<<") return;
    const auto [at, fresh] = level.keys.try_emplace(key, out_.facts().size());
    if (fresh) return;
    // The last of two equal keys counts, as in PyYAML.
    replace(at->second, out_.facts().size(), path());
    at->second = out_.facts().size();
  }

  // Marks the facts of a path, and of the paths below it, as replaced.
  void replace(std::size_t first, std::size_t last, const std::string& path) {
    for (std::size_t i = first; i < last; ++i) {
      Fact& fact = out_.facts()[i];
      const bool below = fact.key.starts_with(path) &&
                         (fact.key.size() == path.size() || fact.key[path.size()] == '.');
      if (below) fact.given = Given::replaced;
    }
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, bool map) {
    const int line = mark.line + 1;
    if (levels_.size() >= static_cast<std::size_t>(kDeepestNesting)) {
      refuse(out_.file(), line, fmt::format("nested deeper than {} levels", kDeepestNesting), "");
    }
    if (!levels_.empty() && levels_.back().map && levels_.back().at_key) {
      refuse(out_.file(), line, "a key is a list or a map", "write keys as plain text");
    }
    levels_.push_back({map, true, path(), {}, {}, {}, anchor, out_.facts().size(), line});
  }

  void close() {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    if (out_.facts().size() == level.first) out_.add(level.prefix, {}, level.line, Given::nothing);
    drop_merged(level);
    if (level.anchor != 0) {
      anchors_[level.anchor] = {level.first, out_.facts().size(), level.prefix.size()};
    }
    finish_value();
  }

  // Keys of a map win over those that it merges, wherever `<<` stands.
  void drop_merged(const Level& level) {
    if (level.merged.empty()) return;
    const std::string start = level.prefix.empty() ? "" : level.prefix + ".";
    for (const auto& [first, last] : level.merged) {
      for (std::size_t i = first; i < last; ++i) {
        Fact& fact = out_.facts()[i];
        const std::string rest = fact.key.substr(std::min(start.size(), fact.key.size()));
        const std::string key = rest.substr(0, rest.find('.'));
        if (level.keys.contains(key)) fact.given = Given::replaced;
      }
    }
  }

  void finish_value() {
    if (!levels_.empty() && levels_.back().map) levels_.back().at_key = true;
  }

  FactList& out_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, Anchor> anchors_;
};

}  // namespace

Facts read_yaml(std::string_view text, const std::string& file) {
  FactList out(file);
  out.check_size(text);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    Collector collector(out);
    while (parser.HandleNextDocument(collector)) {
    }
  } catch (const YAML::Exception& error) {
    refuse(file, error.mark.line + 1, "not YAML: " + error.msg,
           "check the line and its indentation");
  }
  return std::move(out.facts());
}

}  // namespace trcost::recipe
