// SPDX-License-Identifier: Apache-2.0
#include "recipe/files/shell_variables.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "quantity/suggest.h"
#include "recipe/files/shell_words.h"
#include "trcost/error.h"

namespace trcost::recipe {
namespace {

constexpr int kDeepest = 20;
constexpr std::size_t kMostText = 32u << 20;  // of all expansions
constexpr char kUnknown = '\x01';             // in the place of what only the machine has

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// `${X%pattern}` and `${X##pattern}` for patterns with a star at one end, such as `##*/`.
std::string without_affix(const std::string& value, std::string_view sign,
                          std::string_view pattern) {
  const bool front = sign.starts_with('#');
  const bool longest = sign.size() == 2;
  if (front && pattern.starts_with('*')) {
    const std::string_view rest = pattern.substr(1);
    const std::size_t at = longest ? value.rfind(rest) : value.find(rest);
    return at == value.npos ? value : value.substr(at + rest.size());
  }
  if (!front && pattern.ends_with('*')) {
    const std::string_view rest = pattern.substr(0, pattern.size() - 1);
    const std::size_t at = longest ? value.find(rest) : value.rfind(rest);
    return at == value.npos ? value : value.substr(0, at);
  }
  if (front && value.starts_with(pattern)) return value.substr(pattern.size());
  if (!front && value.ends_with(pattern)) return value.substr(0, value.size() - pattern.size());
  return value;
}

// `tr '\n' ' '`, `sed 's/  \+/ /g'`, `xargs`: filters of blanks.
bool changes_blanks_alone(std::string_view filter) {
  if (filter == "xargs") return true;
  if (!filter.starts_with("tr ") && !filter.starts_with("sed ")) return false;
  filter.remove_prefix(filter.find(' '));
  std::string rest(filter);
  for (std::size_t at; (at = rest.find("[:space:]")) != rest.npos;) rest.erase(at, 9);
  return rest.find_first_not_of(" '\"/\\+*[]$^-nsg") == rest.npos;
}

// Names of variables for further arguments, which are none unless the user gives them.
bool holds_arguments(std::string_view name) {
  for (const std::string_view part : {"ARG", "OPT", "FLAG", "EXTRA", "OVERRIDE"}) {
    if (name.find(part) != name.npos) return true;
  }
  return name == "@" || name == "*";
}

// Whole numbers with + - * / % and parentheses.
class Calculator {
 public:
  explicit Calculator(std::string_view text) : text_(text) {}
  std::optional<double> value() {
    const std::optional<double> out = sum(0);
    skip();
    return at_ == text_.size() && out && std::isfinite(*out) ? out : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }
  std::optional<double> sum(int depth) {
    std::optional<double> out = product(depth);
    while (out) {
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      const std::optional<double> next = product(depth);
      if (!next) return std::nullopt;
      *out += plus ? *next : -*next;
    }
    return out;
  }
  std::optional<double> product(int depth) {
    std::optional<double> out = atom(depth);
    while (out) {
      const char sign = take('*') ? '*' : take('/') ? '/' : take('%') ? '%' : ' ';
      if (sign == ' ') break;
      const std::optional<double> next = atom(depth);
      if (!next || (sign != '*' && *next == 0)) return std::nullopt;
      *out = sign == '*'   ? *out * *next
             : sign == '/' ? std::trunc(*out / *next)
                           : std::fmod(*out, *next);
    }
    return out;
  }
  std::optional<double> atom(int depth) {
    if (depth > kDeepest) return std::nullopt;
    if (take('-')) {
      const std::optional<double> of = atom(depth + 1);
      return of ? std::optional(-*of) : of;
    }
    if (take('(')) {
      const std::optional<double> out = sum(depth + 1);
      return take(')') ? out : std::nullopt;
    }
    skip();
    double number = 0;
    const auto [end, status] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (status != std::errc()) return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    return number;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<double> whole_number(std::string_view text) {
  double value = 0;
  text = trim(text);
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

// Fields under construction.
struct ShellVariables::Expansion {
  explicit Expansion(std::size_t& bytes) : spent(bytes) {}
  std::size_t& spent;
  std::vector<ShellField> fields = {};
  bool open = false;

  // The fields without their marks.
  std::vector<ShellField> finish() {
    for (ShellField& field : fields) {
      field.unknown = field.unknown || field.text.find(kUnknown) != field.text.npos;
      if (!field.unknown) continue;
      for (const char c : field.text) field.script += c == kUnknown ? "$(?)" : std::string(1, c);
      std::erase(field.text, kUnknown);
    }
    return std::move(fields);
  }
  void spend(std::size_t bytes) {
    spent += bytes;
    if (spent <= kMostText) return;
    throw Error(ErrorKind::data, "the variables of a script are too long",
                "pass only the configuration");
  }
  ShellField& last() {
    if (!open) {
      spend(sizeof(ShellField));
      fields.emplace_back();
    }
    open = true;
    return fields.back();
  }
  void add(std::string_view text) {
    spend(text.size());
    last().text += text;
  }
  void add_unknown() { add(std::string_view(&kUnknown, 1)); }
  // Splits at blanks.
  void add_split(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
      if (end > 0) add(text.substr(0, end));
      if (end < text.size()) open = false;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
};

bool is_shell_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_letter) && (text[0] < '0' || text[0] > '9');
}

void ShellVariables::set(const std::string& name, std::optional<std::string> value) {
  values_[name] = value ? std::move(*value) : std::string(1, kUnknown);
}

void ShellVariables::assign(const std::string& name, std::string_view word, bool append) {
  Expansion out(*spent_);
  expand(word, out, Within::text, 0);
  std::string text = append ? values_[name] : std::string();
  out.spend(text.size());
  for (std::size_t i = 0; i < out.fields.size(); ++i) {
    text += (i > 0 ? " " : "") + out.fields[i].text;
    if (out.fields[i].unknown) text += kUnknown;
  }
  values_[name] = std::move(text);
}

const std::string* ShellVariables::known(std::string_view name) const {
  const auto at = values_.find(name);
  const bool all = at != values_.end() && at->second.find(kUnknown) == std::string::npos;
  return all ? &at->second : nullptr;
}

void ShellVariables::set_array(const std::string& name, std::vector<ShellField> items,
                               bool append) {
  std::vector<ShellField>& array = arrays_[name];
  if (!append) array.clear();
  for (ShellField& item : items) array.push_back(std::move(item));
}

std::vector<ShellField> ShellVariables::fields_of(std::string_view word) const {
  Expansion out(*spent_);
  expand(word, out, Within::fields, 0);
  return out.finish();
}

ShellField ShellVariables::text_of(std::string_view word, int depth) const {
  Expansion out(*spent_);
  expand(word, out, Within::text, depth);
  ShellField all;
  for (ShellField& field : out.finish()) {
    all.text += (all.text.empty() || field.text.empty() ? "" : " ") + field.text;
    all.unknown = all.unknown || field.unknown;
  }
  return all;
}

std::string ShellVariables::document_of(std::string_view text, int depth) const {
  Expansion out(*spent_);
  out.last();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size() &&
                         std::string_view("$`\\").find(text[i + 1]) != std::string_view::npos;
    if (text[i] == '$') {
      i = expand_dollar(text, i, out, Within::double_quotes, depth);
    } else if (escaped) {
      out.add(text.substr(++i, 1));
    } else {
      const std::size_t end = std::min(text.find_first_of("$\\", i + 1), text.size());
      out.add(text.substr(i, end - i));
      i = end - 1;
    }
  }
  return out.finish().front().text;
}

// Blanks of variables end a field only in `fields`. Within double quotes a backslash keeps its
// meaning before four characters, and single quotes stand for themselves.
void ShellVariables::expand(std::string_view word, Expansion& out, Within within, int depth) const {
  if (depth > kDeepest) return out.add_unknown();
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (c == '\\' && i + 1 < word.size()) {
      const bool stays = within == Within::double_quotes &&
                         std::string_view("$`\"\\\r\n").find(word[i + 1]) == word.npos;
      if (stays) out.add(word.substr(i, 1));
      if (word[++i] != '\n') out.add(word.substr(i, 1));  // else the line goes on
    } else if (c == '\'' && within != Within::double_quotes) {
      const std::size_t end = closing_character(word, i);
      out.add(word.substr(i + 1, end - i - 1));
      i = end;
    } else if (c == '"') {
      const std::size_t end = closing_character(word, i);
      const std::string_view inside = word.substr(i + 1, end - i - 1);
      const bool array = inside.ends_with("[@]}") || inside == "$@";
      if (!array) out.last();
      expand(inside, out, Within::double_quotes, depth + 1);
      i = end;
    } else if (c == '`') {
      const std::size_t end = closing_character(word, i);
      if (!expand_echo(word.substr(i + 1, end - i - 1), out, within, depth)) out.add_unknown();
      i = end;
    } else if (c == '$') {
      i = expand_dollar(word, i, out, within, depth);
    } else {
      out.add(word.substr(i, 1));
    }
  }
}

// `echo "$X" | tr '\n' ' '` is X, `cat <<EOF` its document, and lines of SkyPilot's addresses are
// its nodes. Returns false for another command.
bool ShellVariables::expand_echo(std::string_view command, Expansion& out, Within within,
                                 int depth) const {
  constexpr std::string_view kEcho = "echo ";
  command = trim(command);
  if (command.starts_with("cat <<") && depth < kDeepest) {
    for (const ShellToken& token : split_shell(command, "")) {
      if (token.kind != Token::redirect) continue;
      out.add(document_of(token.document, depth + 1));
      return true;
    }
  }
  const std::size_t bar = command.find('|');
  if (!command.starts_with(kEcho) || bar == command.npos) return false;
  const std::string_view word = trim(command.substr(kEcho.size(), bar - kEcho.size()));
  if (trim(command.substr(bar + 1)) == "wc -l" && word.find("SKYPILOT_NODE_IPS") != word.npos) {
    expand_name("SKYPILOT_NUM_NODES", out, within);
    return true;
  }
  for (std::string_view rest = command.substr(bar); !rest.empty();) {
    rest.remove_prefix(1);
    const std::size_t next = std::min(rest.find('|'), rest.size());
    if (!changes_blanks_alone(trim(rest.substr(0, next)))) return false;
    rest.remove_prefix(next);
  }
  expand(word, out, within == Within::double_quotes ? Within::text : within, depth + 1);
  return true;
}

// Returns the index of the last character of the expansion that begins at `at`.
std::size_t ShellVariables::expand_dollar(std::string_view word, std::size_t at, Expansion& out,
                                          Within within, int depth) const {
  if (at + 1 >= word.size()) {
    out.add("$");
    return at;
  }
  const char next = word[at + 1];
  if (next == '(') {
    const std::size_t end = closing_character(word, at + 1);
    if (word.substr(at).starts_with("$((") && end >= 1 && end < word.size()) {
      const std::string_view inside = word.substr(at + 3, end - at - 4);
      if (const auto value = computed(inside, depth)) {
        out.add(fmt::format("{:.0f}", *value));
        return end;
      }
    }
    // `$(expr 16 / $N)` is arithmetic too.
    constexpr std::string_view kExpr = "$(expr ";
    if (word.substr(at).starts_with(kExpr) && end < word.size()) {
      std::string inside(word.substr(at + kExpr.size(), end - at - kExpr.size()));
      std::erase(inside, '\\');
      if (const auto value = computed(inside, depth)) {
        out.add(fmt::format("{:.0f}", *value));
        return end;
      }
    }
    if (!expand_echo(word.substr(at + 2, end - at - 2), out, within, depth)) out.add_unknown();
    return end;
  }
  if (next == '{') {
    const std::size_t end = closing_character(word, at + 1);
    expand_braces(word.substr(at + 2, end - at - 2), out, within, depth);
    return end;
  }
  std::size_t end = at + 1;
  while (end < word.size() && is_letter(word[end])) ++end;
  if (next >= '0' && next <= '9') end = at + 2;
  if (end == at + 1) {
    if (next == '#') {  // a script without arguments
      out.add("0");
      return at + 1;
    }
    const bool special = std::string_view("@*?$!-").find(next) != std::string_view::npos;
    if (!special) {
      out.add("$");
      return at;
    }
    end = at + 2;
  }
  expand_name(std::string(word.substr(at + 1, end - at - 1)), out, within);
  return end - 1;
}

void ShellVariables::expand_name(const std::string& name, Expansion& out, Within within) const {
  const auto array = arrays_.find(name);
  const auto found = values_.find(name);
  if (found != values_.end()) {
    if (within != Within::fields) {
      out.add(found->second);
    } else {
      out.add_split(found->second);
    }
  } else if (array != arrays_.end() && !array->second.empty()) {
    out.last().unknown |= array->second.front().unknown;
    out.add(array->second.front().text);
  } else if (!holds_arguments(name)) {
    out.add_unknown();
  }
}

// The inside of `${...}`.
void ShellVariables::expand_braces(std::string_view inside, Expansion& out, Within within,
                                   int depth) const {
  std::size_t stop = 0;
  while (stop < inside.size() && is_letter(inside[stop])) ++stop;
  if (stop == 0 && !inside.empty() && inside[0] != '#') stop = 1;
  const std::string name(inside.substr(0, stop));
  const std::string_view rest = inside.substr(stop);
  const std::string* value = known(name);
  if (rest == "[@]" || rest == "[*]") {
    const auto array = arrays_.find(name);
    if (array == arrays_.end()) return;
    for (const ShellField& item : array->second) {
      out.last().unknown |= item.unknown;
      out.add(item.text);
      out.open = false;
    }
    return;
  }
  if (rest.empty()) return expand_name(name, out, within);
  const bool colon = rest[0] == ':';
  const std::string_view sign = rest.substr(colon ? 1 : 0, 1);
  const std::string_view word = rest.substr(std::min<std::size_t>(colon ? 2 : 1, rest.size()));
  const bool set = values_.contains(name) && !(colon && value != nullptr && value->empty());
  if (sign == "-" || sign == "=") {
    if (set) return expand_name(name, out, within);
    return expand(word, out, within, depth + 1);
  }
  if (sign == "+") {
    if (set) expand(word, out, within, depth + 1);
    return;
  }
  if ((sign == "?" || (sign == "," && !colon)) && value != nullptr) {
    return expand_name(name, out, within);
  }
  if ((sign == "#" || sign == "%") && !colon && value != nullptr) {
    const std::size_t twice = rest.starts_with("##") || rest.starts_with("%%") ? 2 : 1;
    const ShellField pattern = text_of(rest.substr(twice), depth + 1);
    return out.add(without_affix(*value, rest.substr(0, twice), pattern.text));
  }
  out.add_unknown();
}

std::optional<double> ShellVariables::computed(std::string_view expression, int depth) const {
  constexpr std::size_t kMostExpression = 10'000;
  if (expression.size() > kMostExpression) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < expression.size();) {
    // Names stand for variables without a dollar too.
    std::size_t end = i;
    while (end < expression.size() && is_letter(expression[end])) ++end;
    const std::string_view word = expression.substr(i, end - i);
    const bool dollar = i > 0 && (expression[i - 1] == '$' || expression[i - 1] == '{');
    if (is_shell_name(word) && !dollar) {
      const std::string* value = known(word);
      if (value == nullptr) return std::nullopt;
      text += *value;
      if (text.size() > kMostExpression) return std::nullopt;
      i = end;
    } else {
      const std::size_t next = std::max(end, i + 1);
      text += expression.substr(i, next - i);
      i = next;
    }
  }
  const ShellField all = text_of(text, depth + 1);
  if (all.unknown) return std::nullopt;
  return Calculator(all.text).value();
}

Truth ShellVariables::compare(std::string_view left, std::string_view sign,
                              std::string_view right) const {
  const ShellField a = text_of(left), b = text_of(right);
  const auto truth = [](bool is) { return is ? Truth::yes : Truth::no; };
  const bool equality = sign == "=" || sign == "==" || sign == "!=";
  // A variable that the text does not set is empty, as for `-z`.
  const auto is_empty = [](const ShellField& of) { return !of.unknown && of.text.empty(); };
  if (equality && (is_empty(a) || is_empty(b))) {
    return truth((a.text == b.text) == (sign != "!="));
  }
  if (a.unknown || b.unknown) return Truth::unknown;
  if (equality) {
    if (b.text.find('*') != std::string::npos) return Truth::unknown;
    return truth((a.text == b.text) == (sign != "!="));
  }
  const std::optional<double> x = whole_number(a.text), y = whole_number(b.text);
  if (!x || !y) return Truth::unknown;
  if (sign == "-eq") return truth(*x == *y);
  if (sign == "-ne") return truth(*x != *y);
  if (sign == "-lt" || sign == "<") return truth(*x < *y);
  if (sign == "-le") return truth(*x <= *y);
  if (sign == "-gt" || sign == ">") return truth(*x > *y);
  if (sign == "-ge") return truth(*x >= *y);
  return Truth::unknown;
}

Truth ShellVariables::test(const std::vector<std::string>& words) const {
  const auto negated = [](Truth of) {
    return of == Truth::unknown ? of : of == Truth::yes ? Truth::no : Truth::yes;
  };
  // `or` binds less than `and`.
  for (const auto& [signs, decisive] : {std::pair{std::pair{"||", "-o"}, Truth::yes},
                                        std::pair{std::pair{"&&", "-a"}, Truth::no}}) {
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
      if (words[i] != signs.first && words[i] != signs.second) continue;
      const auto middle = words.begin() + static_cast<std::ptrdiff_t>(i);
      const Truth left = test({words.begin(), middle});
      if (left == decisive) return left;
      const Truth right = test({middle + 1, words.end()});
      if (right == decisive) return right;
      return left == Truth::unknown ? left : right;
    }
  }
  if (words.size() > 1 && words[0] == "!") return negated(test({words.begin() + 1, words.end()}));
  if (words.size() == 3) return compare(words[0], words[1], words[2]);
  const bool empty = words.size() == 2 && words[0] == "-z";
  if (empty || (words.size() == 2 && words[0] == "-n")) {
    // A variable that the text does not set is empty.
    const ShellField of = text_of(words[1]);
    return of.text.empty() == empty ? Truth::yes : Truth::no;
  }
  if (words.size() == 1) {
    const ShellField of = text_of(words[0]);
    if (of.text == "true") return Truth::yes;
    if (of.text == "false" || (of.text.empty() && !of.unknown)) return Truth::no;
    return of.unknown ? Truth::unknown : Truth::yes;
  }
  return Truth::unknown;
}

Truth ShellVariables::test_number(std::string_view expression) const {
  for (const std::string_view sign : {"==", "!=", ">=", "<=", ">", "<"}) {
    const std::size_t at = expression.find(sign);
    if (at == expression.npos) continue;
    const auto x = computed(expression.substr(0, at), 0);
    const auto y = computed(expression.substr(at + sign.size()), 0);
    if (!x || !y) return Truth::unknown;
    const bool is = sign == "=="   ? *x == *y
                    : sign == "!=" ? *x != *y
                    : sign == ">=" ? *x >= *y
                    : sign == "<=" ? *x <= *y
                    : sign == ">"  ? *x > *y
                                   : *x < *y;
    return is ? Truth::yes : Truth::no;
  }
  const auto value = computed(expression, 0);
  if (!value) return Truth::unknown;
  return *value != 0 ? Truth::yes : Truth::no;
}

std::vector<std::string> ShellVariables::holders_of_flags() const {
  constexpr std::size_t kMost = 200;
  std::vector<std::pair<std::string, std::string>> texts;  // with the words that expand to them
  for (const auto& [name, value] : values_) texts.emplace_back(value, "$" + name);
  for (const auto& [name, items] : arrays_) {
    texts.emplace_back("", "${" + name + "[@]}");
    for (const ShellField& item : items) texts.back().first += item.text + " ";
  }
  std::erase_if(texts, [](const auto& each) { return each.first.find("--") == std::string::npos; });
  texts.resize(std::min(texts.size(), kMost));
  std::vector<std::string> out;
  for (const auto& [text, word] : texts) {
    const bool within = std::ranges::any_of(texts, [&, &part = text](const auto& other) {
      return other.first.size() > part.size() && other.first.find(trim(part)) != part.npos;
    });
    if (!within) out.push_back(word);
  }
  return out;
}

void ShellVariables::merge(const ShellVariables& other) {
  for (auto& [name, value] : values_) {
    const auto found = other.values_.find(name);
    if (found != other.values_.end() && found->second == value) continue;
    // The words that both begin with stay.
    const std::string_view before =
        found == other.values_.end() ? std::string_view() : std::string_view(found->second);
    const auto differ = std::ranges::mismatch(value, before).in1;
    const auto same = static_cast<std::size_t>(differ - value.begin());
    const std::size_t blank = value.find_last_of(" \n", same);
    value.resize(blank == value.npos ? 0 : blank + 1);
    value += kUnknown;
  }
  for (const auto& [name, value] : other.values_) {
    if (!values_.contains(name)) values_[name] = kUnknown;
  }
  for (const auto& [name, items] : other.arrays_) {
    std::vector<ShellField>& mine = arrays_[name];
    if (mine.size() < items.size()) mine = items;
  }
}

}  // namespace trcost::recipe
