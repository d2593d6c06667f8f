// SPDX-License-Identifier: Apache-2.0
#include "recipe/files/script.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "quantity/suggest.h"
#include "recipe/files/command_words.h"
#include "recipe/files/shell_variables.h"
#include "recipe/files/shell_words.h"
#include "trcost/error.h"

namespace trcost::recipe {
namespace {

constexpr int kMostCommands = 20'000;  // calls of functions included
constexpr int kMostBranches = 200;     // on conditions that only a machine knows
constexpr int kDeepestBlocks = 60;
constexpr std::size_t kMostBytesRun = 16u << 20;  // of a script and those within it
constexpr int kDeepestCalls = 10;

// Follows the statements of a script in their order.
class Interpreter {
 public:
  Interpreter(const std::string& file, Script& out, const SourcedScripts& sourced)
      : file_(file), out_(out), sourced_(sourced), facts_(file) {}

  void set(const std::string& name, const std::string& value) { variables_.set(name, value); }

  // Runs a text within the script, such as that of `bash -c`.
  void run(std::string_view text, int depth) {
    if (depth > kDeepestCalls) return;
    bytes_ += text.size();
    if (bytes_ > kMostBytesRun) {
      throw Error(ErrorKind::data, "the scripts within a script are too long",
                  "pass only the configuration", file_);
    }
    std::vector<ShellToken> outer = std::exchange(tokens_, split_shell(text, file_));
    const std::size_t at = std::exchange(at_, 0);
    const int calls = std::exchange(calls_, depth);
    run_until({});
    calls_ = calls;
    at_ = at;
    tokens_ = std::move(outer);
  }

  Facts facts() { return std::move(facts_.facts()); }

  // Takes the flags in variables of a script that only sets them for another one.
  void take_flags_of_variables() {
    const bool flags = std::ranges::any_of(out_.commands, [](const ShellCommand& command) {
      return std::ranges::any_of(command.facts,
                                 [](const Fact& fact) { return fact.key.starts_with("--"); });
    });
    if (flags) return;
    CommandWords words(file_, 1);
    for (const std::string& variable : variables_.holders_of_flags()) {
      for (ShellField& field : variables_.fields_of(variable)) words.add(std::move(field), 1);
    }
    ShellCommand command = words.finish();
    constexpr std::size_t kLeast = 5;
    if (command.facts.size() >= kLeast) out_.commands.push_back(std::move(command));
  }

  // Flags that a command has count there.
  void drop_followed_flags() {
    std::set<std::string, std::less<>> followed;
    for (const ShellCommand& command : out_.commands) {
      for (const Fact& fact : command.facts) followed.insert(fact.key);
      for (const Fact& fact : command.wrapper) followed.insert(fact.key);
    }
    for (Facts* facts : {&out_.beside, &out_.doubtful}) {
      std::erase_if(*facts, [&](const Fact& fact) { return followed.contains(fact.key); });
    }
  }

 private:
  using Stops = std::vector<std::string_view>;

  [[nodiscard]] bool at_end() const { return at_ >= tokens_.size(); }
  [[nodiscard]] const ShellToken& token() const { return tokens_[at_]; }
  [[nodiscard]] bool is_word(std::string_view text) const {
    return !at_end() && token().kind == Token::word && token().text == text;
  }
  [[nodiscard]] bool is_kind(Token kind, std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].kind == kind;
  }

  // Statements up to one of the words, which is not taken, or to the end.
  void run_until(const Stops& stops) {
    if (++blocks_ > kDeepestBlocks) {
      throw Error(ErrorKind::data, fmt::format("blocks nested deeper than {}", kDeepestBlocks), "",
                  file_);
    }
    while (!at_end()) {
      if (is_kind(Token::word) && std::ranges::find(stops, token().text) != stops.end()) break;
      if (is_kind(Token::case_end) && std::ranges::find(stops, ";;") != stops.end()) break;
      if (is_kind(Token::close) && std::ranges::find(stops, ")") != stops.end()) break;
      run_statement();
    }
    --blocks_;
  }

  void take_word(std::string_view text) {
    if (is_word(text)) ++at_;
  }

  void run_statement() {
    if (!is_kind(Token::word)) {
      const bool open = is_kind(Token::open);
      ++at_;
      if (open) {
        run_until({")"});
        ++at_;
      }
      return;
    }
    const std::string& word = token().text;
    if (word == "if") return run_if();
    if (word == "for" || word == "select") return run_for();
    if (word == "while" || word == "until") return run_while();
    if (word == "case") return run_case();
    if (word == "{") {
      ++at_;
      run_until({"}"});
      return take_word("}");
    }
    const bool array = word.ends_with('=');  // `X=()`
    if (word == "function" || (!array && is_kind(Token::open, 1) && is_kind(Token::close, 2))) {
      return define_function();
    }
    if (word.starts_with("((") && assign_number(word)) {
      ++at_;
      return;
    }
    if (word == "[" || word == "[[" || word == "test" || word.starts_with("((")) {
      return run_test();
    }
    if (word == "!" || word == "then" || word == "do" || word == "else" || word == "time") {
      ++at_;
      return;
    }
    run_command();
  }

  // Words of a condition up to the stop, and whether it is true.
  Truth read_condition(const Stops& stops) {
    std::vector<std::string> words;
    bool test = false, other = false;
    while (!at_end() &&
           !(is_kind(Token::word) && std::ranges::find(stops, token().text) != stops.end())) {
      const std::string& text = token().text;
      const bool sign = text == "&&" || text == "||";
      if (text == "[" || text == "[[" || text == "test") {
        test = true;
      } else if (text.starts_with("((")) {
        const Truth truth = variables_.test_number(
            std::string_view(text).substr(2, text.size() < 4 ? 0 : text.size() - 4));
        words.push_back(truth == Truth::yes ? "true" : truth == Truth::no ? "false" : "$?");
        test = true;
      } else if (text != "]" && text != "]]" && text != "\n" && text != ";") {
        other = other || (!test && text != "!" && !sign);
        words.push_back(text);
      }
      ++at_;
      if (stops.empty() && is_kind(Token::end)) {
        const bool closed = text == "]" || text == "]]" || text.starts_with("((");
        if (closed || (token().text != "&&" && token().text != "||")) break;
      }
    }
    constexpr std::size_t kMostWords = 200;
    if (!test || other || words.size() > kMostWords) return Truth::unknown;
    return variables_.test(words);
  }

  // Runs statements if the condition may be true.
  void run_branch(Truth truth, const Stops& stops) {
    if (truth == Truth::yes || !active_) return run_until(stops);
    const std::size_t first = at_;
    run_uncertain(truth, stops);
    Facts& out = truth == Truth::no ? out_.beside : out_.doubtful;
    const std::size_t last = std::min(at_, tokens_.size());
    for (std::size_t i = first; i < last; ++i) {
      if (tokens_[i].kind != Token::word) continue;
      if (tokens_[i].text.find("--") == std::string::npos) continue;
      if (i > 0 && tokens_[i - 1].text == "echo") continue;
      std::string text = variables_.text_of(tokens_[i].text).text;
      const std::size_t flag = text.find("--");
      const bool value = i + 1 < last && tokens_[i + 1].kind == Token::word;
      if (flag == std::string::npos) continue;
      if (flag == 0 && value) text += " " + variables_.text_of(tokens_[i + 1].text).text;
      text.erase(0, flag);
      note_flags(text, tokens_[i].line, out);
    }
  }

  // Adds the flags of a text to facts, each with the word behind it.
  void note_flags(std::string text, int line, Facts& out) const {
    constexpr std::size_t kMostNoted = 1000, kLongest = 10'000;
    if (out.size() >= kMostNoted || text.size() > kLongest) return;
    for (char& c : text) {
      if (std::string_view("\"'`()").find(c) != std::string_view::npos) c = ' ';
    }
    CommandWords words(file_, line);
    constexpr std::string_view kBlanks = " \t\r\n";
    for (std::size_t at = text.find_first_not_of(kBlanks); at != text.npos;) {
      const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
      words.add({text.substr(at, end - at)}, line);
      at = text.find_first_not_of(kBlanks, end);
    }
    ShellCommand command = words.finish();
    for (Fact& fact : command.facts) {
      if (fact.key.starts_with('-')) out.push_back(std::move(fact));
    }
  }

  // Notes the flags of commands within a word: `$(srun --nodes=1 hostname)`.
  void note_substitution(const ShellToken& token) {
    const std::size_t at = token.text.find("$(");
    const bool arithmetic = at != std::string::npos && token.text.find("$((") == at;
    if (at == std::string::npos || arithmetic || !active_) return;
    note_flags(token.text.substr(at + 2), token.line, out_.beside);
  }

  // Runs a branch that may be true, and passes one that is not.
  void run_uncertain(Truth truth, const Stops& stops) {
    const bool run = truth == Truth::unknown && branches_ < kMostBranches;
    if (!run) {
      active_ = false;
      run_until(stops);
      active_ = true;
      return;
    }
    ++branches_;
    const ShellVariables before = variables_;
    run_until(stops);
    variables_.merge(before);
  }

  void run_if() {
    ++at_;
    bool done = false;  // a branch was certain
    Truth truth = read_condition({"then"});
    take_word("then");
    for (;;) {
      run_branch(done ? Truth::no : truth, {"elif", "else", "fi"});
      done = done || truth == Truth::yes;
      if (is_word("elif")) {
        ++at_;
        truth = read_condition({"then"});
        take_word("then");
      } else if (is_word("else")) {
        ++at_;
        truth = truth == Truth::no ? Truth::yes : truth == Truth::yes ? Truth::no : truth;
        run_branch(done ? Truth::no : truth, {"fi"});
        break;
      } else {
        break;
      }
    }
    take_word("fi");
  }

  // `[ ... ] && command`, `[[ ... ]] || command`.
  void run_test() {
    const Truth truth = read_condition({});
    if (!is_kind(Token::end)) return;
    const std::string sign = token().text;
    ++at_;
    if (sign != "&&" && sign != "||") return;
    const Truth wanted = sign == "&&"          ? truth
                         : truth == Truth::yes ? Truth::no
                         : truth == Truth::no  ? Truth::yes
                                               : truth;
    if (wanted == Truth::yes || !active_) return run_statement();
    if (wanted == Truth::unknown && ++branches_ < kMostBranches) {
      const ShellVariables before = variables_;
      run_statement();
      return variables_.merge(before);
    }
    active_ = false;
    run_statement();
    active_ = true;
  }

  void run_for() {
    ++at_;
    const std::string name = is_kind(Token::word) ? token().text : "";
    std::vector<ShellField> items;
    while (!at_end() && !is_word("do")) {
      if (is_kind(Token::word) && token().text != name && token().text != "in") {
        for (ShellField& field : variables_.fields_of(token().text)) items.push_back(field);
      }
      ++at_;
    }
    take_word("do");
    const bool one = items.size() == 1 && !items.front().unknown;
    if (active_ && is_shell_name(name)) {
      variables_.set(name, one ? std::optional(items.front().text) : std::nullopt);
    }
    run_until({"done"});
    take_word("done");
  }

  void run_while() {
    const bool loop = is_word("while");
    ++at_;
    const Truth truth = read_condition({"do"});
    take_word("do");
    // Without arguments `while [ $# -gt 0 ]` runs never.
    const bool skip = loop && truth == Truth::no && active_;
    if (skip) active_ = false;
    run_until({"done"});
    if (skip) active_ = true;
    take_word("done");
  }

  void run_case() {
    ++at_;
    const ShellField subject =
        is_kind(Token::word) ? variables_.text_of(token().text) : ShellField{{}, true};
    while (!at_end() && !is_word("in")) ++at_;
    take_word("in");
    bool done = false;
    while (!at_end() && !is_word("esac")) {
      if (is_kind(Token::end) || is_kind(Token::open)) {
        ++at_;
        continue;
      }
      bool fits = false, star = false;
      while (!at_end() && !is_kind(Token::close)) {
        if (is_kind(Token::word)) {
          const ShellField pattern = variables_.text_of(token().text);
          star = star || pattern.text.find('*') != std::string::npos;
          fits = fits || pattern.text == "*" || pattern.text == subject.text;
        }
        ++at_;
      }
      ++at_;
      const Truth truth = done || (!fits && !star && !subject.unknown) ? Truth::no
                          : subject.unknown || !fits                   ? Truth::unknown
                                                                       : Truth::yes;
      run_branch(truth, {";;", "esac"});
      done = done || truth == Truth::yes;
      if (is_kind(Token::case_end)) ++at_;
    }
    take_word("esac");
  }

  void define_function() {
    take_word("function");
    const std::string name = token().text;
    while (!at_end() && !is_word("{")) ++at_;
    take_word("{");
    const std::size_t first = at_;
    const bool active = std::exchange(active_, false);
    run_until({"}"});
    active_ = active;
    functions_[name] = {tokens_.begin() + static_cast<std::ptrdiff_t>(std::min(first, at_)),
                        tokens_.begin() + static_cast<std::ptrdiff_t>(at_)};
    take_word("}");
  }

  // Assignments and the words of a command, up to its end.
  void run_command() {
    const int line = token().line;
    if (token().text.starts_with("#SBATCH")) return take_slurm_line();
    Facts environment;
    bool assignments = true;
    CommandWords words(file_, line);
    while (!at_end() && (is_kind(Token::word) || is_kind(Token::redirect))) {
      if (is_kind(Token::redirect)) {
        take_redirect(words);
        continue;
      }
      const std::string text = token().text;
      const int at_line = token().line;
      note_substitution(token());
      if (active_) assign_defaults(text, at_line);
      ++at_;
      if (words.program() == "let") {
        assign_number(text);
        continue;
      }
      if (assignments && is_declaration(text)) continue;
      if (assignments && assign(text, at_line, environment)) continue;
      if (text.starts_with('-') && words.empty() && assignments) continue;  // of `declare -x`
      assignments = false;
      if (!active_) continue;
      for (ShellField& field : variables_.fields_of(text)) words.add(std::move(field), at_line);
    }
    if (!active_) return;
    if (++commands_ > kMostCommands) {
      throw Error(ErrorKind::data, fmt::format("more than {} commands", kMostCommands),
                  "pass only the configuration", fmt::format("{}:{}", file_, line));
    }
    finish_command(words, std::move(environment));
  }

  static bool is_declaration(const std::string& text) {
    constexpr std::string_view kWords[] = {"export",   "declare", "local",
                                           "readonly", "env",     "typeset"};
    return std::ranges::find(kWords, text) != std::end(kWords);
  }

  void finish_command(CommandWords& words, Facts environment) {
    const std::string program = words.program();
    if (const auto found = functions_.find(program); found != functions_.end()) {
      return call(found->second);
    }
    // `sbatch <<EOF`
    constexpr std::string_view kReaders[] = {"sbatch", "bash", "sh", "ssh"};
    if (!document_.empty() && std::ranges::find(kReaders, program) != std::end(kReaders)) {
      return run(std::exchange(document_, {}), calls_ + 1);
    }
    if (program == "source" || program == ".") {
      const std::optional<std::string> text = sourced_ ? sourced_(words.argument(1)) : std::nullopt;
      if (text) return run(*text, calls_ + 1);
    }
    // `read -r -d '' NAME <<EOF`
    if (const std::string name = words.argument(words.size() - 1);
        program == "read" && is_shell_name(name)) {
      variables_.set(name, document_.empty() ? std::nullopt : std::optional(document_));
      document_.clear();
      return;
    }
    std::vector<std::string> texts = words.nested_scripts();
    if (const std::string file = words.script_file(); texts.empty() && !file.empty()) {
      for (const WrittenFile& written : out_.written) {
        if (written.path == file) texts = {written.text};
      }
    }
    if (!texts.empty()) {
      for (const std::string& text : texts) run(text, calls_ + 1);
    }
    if (!written_to_.empty() && words.writes_document()) {
      out_.written.push_back({written_to_, document_, words.line()});
    } else if (const std::string text = words.echoed(); !written_to_.empty() && !text.empty()) {
      out_.written.push_back({written_to_, text, words.line()});
    }
    written_to_.clear();
    document_.clear();
    if (words.empty() || !texts.empty()) {
      for (Fact& fact : environment) {
        facts_.add(fact.key, fact.value, fact.line, fact.given);
      }
      return;
    }
    ShellCommand command = words.finish();
    for (Fact& fact : environment) command.facts.push_back(std::move(fact));
    std::rotate(command.facts.begin(),
                command.facts.end() - static_cast<std::ptrdiff_t>(environment.size()),
                command.facts.end());
    out_.commands.push_back(std::move(command));
  }

  void call(const std::vector<ShellToken>& body) {
    if (calls_ >= kDeepestCalls) return;
    std::vector<ShellToken> outer = std::exchange(tokens_, body);
    const std::size_t at = std::exchange(at_, 0);
    ++calls_;
    run_until({});
    --calls_;
    at_ = at;
    tokens_ = std::move(outer);
  }

  void take_redirect(CommandWords& words) {
    const ShellToken redirect = token();
    ++at_;
    if (redirect.text == "<<") {
      document_ = variables_.document_of(redirect.document);
      return;
    }
    if (!is_kind(Token::word)) return;
    if (redirect.text == ">" && active_) written_to_ = variables_.text_of(token().text).text;
    words.note_redirect();
    ++at_;
  }

  // `X=1`, `X+=1`, `X=( ... )`. Returns false for another word.
  bool assign(const std::string& text, int line, Facts& environment) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return false;
    const bool append = equals > 0 && text[equals - 1] == '+';
    const std::string name = text.substr(0, equals - (append ? 1 : 0));
    if (!is_shell_name(name)) return false;
    if (is_kind(Token::open) && equals + 1 == text.size()) {
      take_array(name, append);
      return true;
    }
    if (!active_) return true;
    const ShellField value = variables_.text_of(std::string_view(text).substr(equals + 1));
    if (append && variables_.has_array(name)) {
      variables_.set_array(name, {value}, true);
    } else {
      variables_.assign(name, std::string_view(text).substr(equals + 1), append);
    }
    const ShellField all = append ? variables_.text_of("$" + name) : value;
    environment.push_back({"$" + name, all.text, file_, line,
                           all.unknown        ? Given::unknown
                           : all.text.empty() ? Given::nothing
                                              : Given::text});
    return true;
  }

  // `${X:=value}` sets X if it is not set.
  void assign_defaults(const std::string& text, int line) {
    for (std::size_t at = 0; (at = text.find("${", at)) != std::string::npos; at += 2) {
      const std::size_t end = closing_character(text, at + 1);
      const std::string inside = text.substr(at + 2, end - at - 2);
      const std::size_t sign = std::min(inside.find(":="), inside.find('='));
      const std::string name = inside.substr(0, sign);
      if (sign == std::string::npos || !is_shell_name(name)) continue;
      const ShellField value = variables_.text_of("${" + inside + "}");
      variables_.assign(name, "${" + inside + "}", false);
      facts_.add("$" + name, value.text, line, value.unknown ? Given::unknown : Given::text);
    }
  }

  // `let X=A*B` and `((X = A * B))`. Returns false for another expression.
  bool assign_number(const std::string& typed) {
    std::string text;
    for (const char c : typed) {
      if (std::string_view("\"' ").find(c) == std::string_view::npos) text += c;
    }
    if (text.starts_with("((") && text.ends_with("))")) text = text.substr(2, text.size() - 4);
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const bool assigns = equals != std::string::npos && is_shell_name(name) &&
                         !text.substr(equals + 1).starts_with('=');
    if (assigns && active_) variables_.assign(name, "$((" + text.substr(equals + 1) + "))", false);
    return assigns;
  }

  void take_array(const std::string& name, bool append) {
    std::vector<ShellField> items;
    ++at_;
    int depth = 0;
    while (!at_end() && !(is_kind(Token::close) && depth == 0)) {
      depth += is_kind(Token::open) ? 1 : is_kind(Token::close) ? -1 : 0;
      if (is_kind(Token::word) && active_) {
        note_substitution(token());
        for (ShellField& field : variables_.fields_of(token().text)) {
          items.push_back(std::move(field));
        }
      }
      ++at_;
    }
    ++at_;
    if (active_) variables_.set_array(name, std::move(items), append);
  }

  // Variables that Slurm sets from the header.
  void note_job_variable(std::string_view flag, std::string value) {
    value.erase(0, value.rfind(':') == value.npos ? 0 : value.rfind(':') + 1);  // `h100:8`
    const auto is = [&](std::initializer_list<std::string_view> names) {
      return std::ranges::find(names, flag) != names.end();
    };
    if (is({"--nodes", "-N"})) {
      variables_.set("SLURM_NNODES", value);
      variables_.set("SLURM_JOB_NUM_NODES", value);
    } else if (is({"--gpus-per-node", "--gres"})) {
      variables_.set("SLURM_GPUS_PER_NODE", value);
      variables_.set("SLURM_GPUS_ON_NODE", value);
    } else if (is({"--ntasks-per-node"})) {
      variables_.set("SLURM_NTASKS_PER_NODE", value);
    } else if (is({"--ntasks", "-n"})) {
      variables_.set("SLURM_NTASKS", value);
    }
  }

  // `#SBATCH --nodes=2` and `#SBATCH -N 2`.
  void take_slurm_line() {
    const std::string text = token().text;
    const int line = token().line;
    ++at_;
    std::string_view rest = trim(std::string_view(text).substr(7));
    rest = trim(rest.substr(0, rest.find(" #")));
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of("= \t"), rest.size());
      const std::string key = "#SBATCH " + std::string(rest.substr(0, end));
      rest = trim(rest.substr(std::min(end + 1, rest.size())));
      const bool bare = rest.empty() || rest.starts_with("--");
      const std::size_t stop = bare ? 0 : std::min(rest.find_first_of(" \t"), rest.size());
      facts_.add(key, std::string(rest.substr(0, stop)), line, bare ? Given::bare : Given::text);
      note_job_variable(key.substr(8), std::string(rest.substr(0, stop)));
      rest = trim(rest.substr(stop));
    }
  }

  const std::string& file_;
  Script& out_;
  const SourcedScripts& sourced_;
  FactList facts_;
  std::vector<ShellToken> tokens_;
  std::size_t at_ = 0;
  bool active_ = true;
  std::size_t bytes_ = 0;
  int blocks_ = 0, commands_ = 0, branches_ = 0, calls_ = 0;
  ShellVariables variables_;
  std::map<std::string, std::vector<ShellToken>> functions_;
  std::string written_to_, document_;
};

}  // namespace

Script read_script(std::string_view text, const std::string& file, const ShellSettings& settings,
                   const SourcedScripts& sourced) {
  FactList(file).check_size(text);
  Script out;
  Interpreter interpreter(file, out, sourced);
  for (const auto& [name, value] : settings) interpreter.set(name, value);
  try {
    interpreter.run(text, 0);
  } catch (const Error& error) {
    if (!error.location.empty()) throw;
    throw Error(error.kind, error.message, error.hint, file);
  }
  interpreter.take_flags_of_variables();
  interpreter.drop_followed_flags();
  out.facts = interpreter.facts();
  return out;
}

}  // namespace trcost::recipe
