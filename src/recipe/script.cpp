// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "quantity/suggest.h"
#include "recipe/facts.h"
#include "trcost/error.h"

namespace trcost::recipe {
namespace {

struct Word {
  std::string text;
  int line = 0;
  bool break_before = false;  // first of a command
};

bool is_name(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == text.npos &&
         !(text.front() >= '0' && text.front() <= '9');
}

class Script {
 public:
  Script(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Facts read() {
    split();
    for (std::size_t i = 0; i < words_.size(); ++i) i = take(i);
    return std::move(out_);
  }

 private:
  // Splits into words as a shell does. `(`, `)` and newlines end commands outside of quotes.
  void split() {
    std::string word;
    bool open = false, start = true;
    const auto finish = [&] {
      if (open) words_.push_back({std::exchange(word, {}), line_, start});
      if (open) start = false;
      open = false;
    };
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (words_.size() > kMostFacts) {
        throw Error(ErrorKind::data, fmt::format("more than {} words", kMostFacts),
                    "split the file", file_);
      }
      if (c == '\\' && i + 1 < text_.size()) {
        if (text_[i + 1] == '\n') {
          finish();
          ++line_;
        } else {
          word += text_[i + 1];
          open = true;
        }
        ++i;
      } else if (c == '\n' || c == ';' || c == '|' || c == '&') {
        finish();
        start = true;
        line_ += c == '\n';
      } else if (c == ' ' || c == '\t' || c == '\r') {
        finish();
      } else if (c == '#' && !open) {
        const std::size_t end = std::min(text_.find('\n', i), text_.size());
        take_comment(text_.substr(i, end - i));
        i = end - 1;
      } else if (c == '\'' || c == '"') {
        open = true;
        const std::size_t end = closing(i, c);
        const std::string_view inside = text_.substr(i + 1, end - i - 1);
        word += c == '\'' ? std::string(inside) : unescaped(inside);
        line_ += static_cast<int>(std::ranges::count(inside, '\n'));
        i = end;
      } else if (c == '$' && i + 1 < text_.size() && text_[i + 1] == '(') {
        open = true;
        const std::size_t end = matching(i + 1);
        word += text_.substr(i, end - i + 1);
        i = end;
      } else if (c == '(' && word.ends_with('=')) {
        open = true;  // an array
        word += '(';
        finish();
      } else if (c == ')' || c == '(') {
        finish();
        words_.push_back({std::string(1, c), line_, false});
        start = true;
      } else {
        open = true;
        word += c;
      }
    }
    finish();
  }

  [[nodiscard]] std::size_t closing(std::size_t from, char quote) const {
    for (std::size_t i = from + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\' && quote == '"')
        ++i;
      else if (text_[i] == quote)
        return i;
    }
    return text_.size();
  }
  [[nodiscard]] std::size_t matching(std::size_t from) const {
    int depth = 0;
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] == '(') ++depth;
      if (text_[i] == ')' && --depth == 0) return i;
    }
    return text_.size() - 1;
  }
  static std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '\n' || text[i + 1] == '"')) {
        ++i;
        out += text[i] == '\n' ? ' ' : text[i];
      } else {
        out += text[i];
      }
    }
    return out;
  }

  // `#SBATCH --nodes=2` and `#SBATCH -N 2`. The header ends at the first command.
  void take_comment(std::string_view comment) {
    constexpr std::string_view kMark = "#SBATCH";
    if (!comment.starts_with(kMark) || !words_.empty()) return;
    std::string_view rest = trim(comment.substr(kMark.size()));
    rest = trim(rest.substr(0, rest.find(" #")));
    const std::size_t end = std::min(rest.find_first_of("= "), rest.size());
    out_.push_back({"#SBATCH " + std::string(rest.substr(0, end)),
                    std::string(trim(rest.substr(std::min(end + 1, rest.size())))), file_, line_});
  }

  // The text of a variable, nothing if only the machine knows it.
  [[nodiscard]] std::optional<std::string> variable(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
  }

  // `${NAME}`, `${NAME:-default}`, `$NAME`, `$((A * B))`; anything else of a shell is unknown.
  [[nodiscard]] std::string expanded(std::string_view text, int depth = 0) const {
    constexpr int kDeepest = 20;
    if (depth > kDeepest) return {};
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '`') {
        const std::size_t end = text.find('`', i + 1);
        i = end == text.npos ? text.size() : end;
        unknown_ = true;
        continue;
      }
      if (text[i] != '$' || i + 1 >= text.size()) {
        out += text[i];
        continue;
      }
      if (text.substr(i).starts_with("$((")) {
        const std::size_t end = text.find("))", i);
        if (end == text.npos) return out;
        out += computed(expanded(text.substr(i + 3, end - i - 3), depth + 1));
        i = end + 1;
      } else if (text[i + 1] == '(') {
        unknown_ = true;
        int open = 0;
        for (++i; i < text.size(); ++i) {
          if (text[i] == '(') ++open;
          if (text[i] == ')' && --open == 0) break;
        }
      } else if (text[i + 1] == '{') {
        const std::size_t end = text.find('}', i);
        if (end == text.npos) return out;
        std::string_view inside = text.substr(i + 2, end - i - 2);
        const std::size_t stop = std::min(inside.find_first_of(":[-#%/"), inside.size());
        const std::string name(inside.substr(0, stop));
        std::string_view rest = inside.substr(stop);
        if (const auto value = variable(name)) {
          out += *value;
        } else if (rest.starts_with(":-") || rest.starts_with(":=")) {
          out += expanded(rest.substr(2), depth + 1);
        } else if (rest.starts_with('-')) {
          out += expanded(rest.substr(1), depth + 1);
        } else {
          unknown_ = true;
        }
        i = end;
      } else {
        std::size_t end = i + 1;
        while (end < text.size() && is_name(text.substr(i + 1, end - i))) ++end;
        const std::string name(text.substr(i + 1, end - i - 1));
        if (const auto value = variable(name))
          out += *value;
        else
          unknown_ = true;
        if (name.empty()) end = i + 2;
        i = end - 1;
      }
    }
    return out;
  }

  // A chain of whole numbers with * / + -, from left to right; empty for another one.
  static std::string computed(const std::string& expression) {
    std::optional<double> value;
    char operation = '+';
    const char* at = expression.data();
    const char* const end = at + expression.size();
    while (at < end) {
      if (*at == ' ' || *at == '(' || *at == ')') {
        ++at;
      } else if (std::string_view("+-*/").find(*at) != std::string_view::npos) {
        operation = *at++;
      } else {
        double number = 0;
        const auto [next, status] = std::from_chars(at, end, number);
        if (status != std::errc()) return {};
        at = next;
        if (!value)
          value = number;
        else if (operation == '*')
          *value *= number;
        else if (operation == '/')
          *value = number != 0 ? *value / number : 0;
        else
          *value += operation == '-' ? -number : number;
      }
    }
    return value ? fmt::format("{:.0f}", *value) : std::string();
  }

  // The words of `${ARGS[@]}`, or the word itself.
  [[nodiscard]] std::vector<std::string> resolved(const std::string& word) const {
    if (word.starts_with("${") && word.ends_with("[@]}")) {
      const auto found = arrays_.find(word.substr(2, word.size() - 6));
      return found == arrays_.end() ? std::vector<std::string>() : found->second;
    }
    const std::string whole = expanded(word);
    // "--fp8-format hybrid" in quotes, as in arrays of flags.
    if (whole.starts_with("--") && whole.find(' ') != std::string::npos) return words_in(whole);
    // A variable of several flags, as `$GPT_ARGS`.
    if (word.starts_with('$') && whole.find(' ') != std::string::npos) {
      return Script::words_in(whole);
    }
    return {whole};
  }
  static std::vector<std::string> words_in(std::string_view text) {
    std::vector<std::string> out;
    while (!(text = trim(text)).empty()) {
      const std::size_t end = std::min(text.find_first_of(" \n\t"), text.size());
      out.emplace_back(text.substr(0, end));
      text.remove_prefix(end);
    }
    return out;
  }

  // Takes an assignment or a word of a command, and returns the index of its last word.
  std::size_t take(std::size_t i) {
    const Word& word = words_[i];
    if (word.break_before) flag_.clear();
    const std::size_t equals = word.text.find('=');
    const std::string name = word.text.substr(0, equals == word.text.npos ? 0 : equals);
    const bool assigns =
        is_name(name) || (name.ends_with('+') && is_name(name.substr(0, name.size() - 1)));
    if (word.text.ends_with("=(") && assigns) return take_array(i, name);
    if (assigns && !in_command(i)) {
      unknown_ = false;
      const std::string value = expanded(std::string_view(word.text).substr(equals + 1));
      if (!unknown_ || !value.empty()) variables_[name] = value;
      out_.push_back({"$" + name, value, file_, word.line});
      return i;
    }
    for (std::string each : resolved(word.text)) add(std::move(each), word.line);
    return i;
  }

  // `export X=1`, `X=1 command` and a line of its own assign. `key=value` behind a command does
  // not.
  [[nodiscard]] bool in_command(std::size_t i) const {
    for (std::size_t at = i; at > 0 && !words_[at].break_before; --at) {
      const std::string& before = words_[at - 1].text;
      const std::size_t equals = before.find('=');
      const bool assigned = equals != before.npos && is_name(before.substr(0, equals));
      const bool prefix = before == "export" || before == "env" || before == "local" || assigned;
      if (!prefix) return true;
    }
    return false;
  }

  std::size_t take_array(std::size_t i, std::string name) {
    if (name.ends_with('+'))
      name.pop_back();
    else
      arrays_[name].clear();
    std::vector<std::string>& array = arrays_[name];
    for (++i; i < words_.size() && words_[i].text != ")"; ++i) {
      for (std::string& each : resolved(words_[i].text)) array.push_back(std::move(each));
    }
    return i;
  }

  // Adds a word of a command. A value belongs to the flag before it.
  void add(std::string word, int line) {
    constexpr std::string_view kDashes = "--";
    const bool flag = (word.starts_with(kDashes) && word.size() > kDashes.size()) ||
                      (word.size() == 2 && word[0] == '-' && word[1] >= 'A');
    if (flag) {
      const std::size_t equals = word.find('=');
      flag_ = word.substr(0, equals);
      used_ = false;
      out_.push_back({flag_, equals == word.npos ? "" : word.substr(equals + 1), file_, line});
      if (equals != word.npos) flag_.clear();
      return;
    }
    const std::size_t equals = word.find('=');
    const bool override_key =
        equals != word.npos && equals > 0 && word.find_first_of(" /'\"") > equals;
    if (override_key && flag_.empty()) {
      std::string key = word.substr(0, equals);
      while (key.starts_with('+') || key.starts_with('~')) key.erase(0, 1);
      out_.push_back({std::move(key), word.substr(equals + 1), file_, line});
      return;
    }
    if (override_key && word.find('.') < equals) {
      flag_.clear();
      return add(std::move(word), line);
    }
    if (word.ends_with(".py")) {  // a program, whatever flag stands before it
      flag_.clear();
      out_.push_back({"command", word, file_, line});
      return;
    }
    if (!flag_.empty() && !used_) {
      out_.back().value = word;
      used_ = true;
    } else if (!flag_.empty()) {
      out_.push_back({flag_, word, file_, line});
    } else {
      out_.push_back({"command", word, file_, line});
    }
    if (word == "(" || word == ")") flag_.clear();
  }

  std::string_view text_;
  const std::string& file_;
  int line_ = 1;
  std::vector<Word> words_;
  std::map<std::string, std::string> variables_;
  std::map<std::string, std::vector<std::string>> arrays_;
  std::string flag_;
  bool used_ = false;
  mutable bool unknown_ = false;
  Facts out_;
};

}  // namespace

Facts read_script(std::string_view text, const std::string& file) {
  if (text.size() > kMostBytes) {
    throw Error(ErrorKind::data, fmt::format("larger than {} MB", kMostBytes >> 20),
                "give a smaller file", file);
  }
  return Script(text, file).read();
}

}  // namespace trcost::recipe
