// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "recipe/facts.h"
#include "trcost/error.h"

namespace trcost::recipe {
namespace {

[[noreturn]] void refuse(const std::string& file, int line, std::string message, std::string hint) {
  throw Error(ErrorKind::data, std::move(message), std::move(hint),
              line > 0 ? fmt::format("{}:{}", file, line) : file);
}

// Collects scalars with the path of their keys.
class Collector : public YAML::EventHandler {
 public:
  Collector(Facts& out, const std::string& file) : out_(out), file_(file) {}

  void OnDocumentStart(const YAML::Mark&) override { ++documents_; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { scalar(mark, anchor, ""); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    scalar(mark, anchor, value);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) return finish_value();
    const Anchor of = found->second;
    const std::string here = path();
    for (std::size_t i = of.first; i < of.last; ++i) {
      const std::string rest = out_[i].key.substr(std::min(of.prefix, out_[i].key.size()));
      add(here + (here.empty() && rest.starts_with('.') ? rest.substr(1) : rest), out_[i].value,
          mark.line + 1);
    }
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
  struct Anchor {
    std::size_t first = 0, last = 0;  // facts
    std::size_t prefix = 0;           // length of the path that they share
  };
  struct Level {
    bool map = false;
    bool at_key = true;
    std::string prefix;  // path of the level
    std::string key;
    std::set<std::string> keys = {};
    YAML::anchor_t anchor = 0;
    std::size_t first = 0;
  };

  // Path of the value that comes next. A merge key stands for its own level.
  [[nodiscard]] std::string path() const {
    if (levels_.empty()) return {};
    const Level& level = levels_.back();
    if (!level.map || level.key == "<<") return level.prefix;
    return level.prefix.empty() ? level.key : level.prefix + "." + level.key;
  }

  void add(const std::string& key, const std::string& value, int line) {
    if (out_.size() >= kMostFacts) {
      refuse(file_, line, fmt::format("more than {} values", kMostFacts), "split the file");
    }
    out_.push_back({key, value, file_, line});
  }

  void scalar(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& value) {
    const int line = mark.line + 1;
    if (!levels_.empty() && levels_.back().map && levels_.back().at_key) {
      Level& level = levels_.back();
      if (!level.keys.insert(value).second && value != "<<") {
        refuse(file_, line, fmt::format("the key \"{}\" stands twice", value.substr(0, 60)),
               "keep one of them");
      }
      level.key = value;
      level.at_key = false;
      return;
    }
    const std::size_t first = out_.size();
    const std::string here = path();
    add(here, value, line);
    if (anchor != 0) anchors_[anchor] = {first, out_.size(), here.size()};
    finish_value();
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, bool map) {
    if (levels_.size() >= static_cast<std::size_t>(kDeepestNesting)) {
      refuse(file_, mark.line + 1, fmt::format("nested deeper than {} levels", kDeepestNesting),
             "");
    }
    if (!levels_.empty() && levels_.back().map && levels_.back().at_key) {
      refuse(file_, mark.line + 1, "a key is a list or a map", "write keys as plain text");
    }
    levels_.push_back({map, true, path(), {}, {}, anchor, out_.size()});
  }

  void close() {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    if (level.anchor != 0) anchors_[level.anchor] = {level.first, out_.size(), level.prefix.size()};
    finish_value();
  }

  void finish_value() {
    if (!levels_.empty() && levels_.back().map) levels_.back().at_key = true;
  }

  Facts& out_;
  const std::string& file_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, Anchor> anchors_;
  int documents_ = 0;
};

}  // namespace

Facts read_yaml(std::string_view text, const std::string& file) {
  if (text.size() > kMostBytes) {
    refuse(file, 0, fmt::format("larger than {} MB", kMostBytes >> 20), "give a smaller file");
  }
  Facts out;
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    Collector collector(out, file);
    while (parser.HandleNextDocument(collector)) {
    }
  } catch (const YAML::Exception& error) {
    refuse(file, error.mark.line + 1, "not YAML: " + error.msg,
           "check the line and its indentation");
  }
  return out;
}

std::string_view value_of(const Facts& facts, std::string_view key) {
  const auto at = std::ranges::find(facts, key, &Fact::key);
  return at == facts.end() ? std::string_view() : std::string_view(at->value);
}

bool has_key(const Facts& facts, std::string_view key) {
  return std::ranges::find(facts, key, &Fact::key) != facts.end();
}

}  // namespace trcost::recipe
