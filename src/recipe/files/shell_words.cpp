// SPDX-License-Identifier: Apache-2.0
#include "recipe/files/shell_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::recipe {
namespace {

constexpr std::size_t kMostTokens = 200'000;
constexpr int kDeepestQuotes = 40;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

class Splitter {
 public:
  Splitter(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<ShellToken> split() {
    while (at_ < text_.size()) take();
    finish_word();
    add(Token::end, "\n");
    return std::move(out_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void add(Token kind, std::string text) {
    const bool again = kind == Token::end && !out_.empty() && out_.back().kind == Token::end;
    if (again && text == "\n") return;
    if (out_.size() >= kMostTokens) throw_too_long();
    out_.push_back({kind, std::move(text), line_});
  }
  void finish_word() {
    if (!open_) return;
    if (out_.size() >= kMostTokens) throw_too_long();
    out_.push_back({Token::word, std::exchange(word_, {}), word_line_});
    header_ = false;
    open_ = false;
  }
  [[noreturn]] void throw_too_long() const {
    throw Error(ErrorKind::data, fmt::format("a script of more than {} words", kMostTokens),
                "pass only the configuration", fmt::format("{}:{}", file_, line_));
  }
  // Appends the text up to and including the character at `last`.
  void append_to(std::size_t last) {
    if (!open_) word_line_ = line_;
    const std::size_t end = std::min(last + 1, text_.size());
    word_ += text_.substr(at_, end - at_);
    line_ += static_cast<int>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
    open_ = true;
    at_ = end;
  }

  void take() {
    const char c = peek();
    if (c == '\\') return take_escape();
    if (c == '\n') return take_newline();
    if (is_blank(c)) {
      finish_word();
      ++at_;
    } else if (c == '#' && !open_) {
      take_comment();
    } else if (c == '\'' || c == '"' || c == '`') {
      append_to(closing_character(text_, at_));
    } else if (c == '$' && (peek(1) == '(' || peek(1) == '{')) {
      append_to(closing_character(text_, at_ + 1));
    } else if (std::string_view("();&|<>").find(c) != std::string_view::npos) {
      take_operator();
    } else {
      append_to(at_);
    }
  }

  void take_escape() {
    if (text_.substr(at_).starts_with("\\&\\&")) {  // for the shell of a launcher
      finish_word();
      add(Token::end, "&&");
      at_ += 4;
    } else if (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n')) {
      at_ += peek(1) == '\n' ? 2 : 3;
      ++line_;
    } else {
      append_to(at_ + 1);
    }
  }

  void take_newline() {
    finish_word();
    add(Token::end, "\n");
    ++at_;
    ++line_;
    for (const std::size_t redirect : std::exchange(documents_, {})) take_document(out_[redirect]);
  }

  // The lines of a here-document up to its mark.
  void take_document(ShellToken& redirect) {
    std::string mark = std::exchange(redirect.document, {});
    const bool plain = mark.find_first_of("'\"\\") == mark.npos;  // lines may go on
    std::erase_if(mark, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      ++line_;
      if (trim(line) == mark) return;
      const bool goes_on = plain && line.ends_with('\\');
      redirect.document += goes_on ? line.substr(0, line.size() - 1) : line;
      if (!goes_on) redirect.document += '\n';
    }
  }

  void take_comment() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view comment = trim(text_.substr(at_, end - at_));
    if (header_ && comment.starts_with("#SBATCH ")) {
      out_.push_back({Token::word, std::string(comment), line_});
    }
    at_ = end;
  }

  void take_operator() {
    const char c = peek();
    if (c == '(' && open_ && word_.ends_with('=')) {  // an array
      finish_word();
      add(Token::open, "(");
      ++at_;
    } else if (c == '(' && peek(1) == '(' && !open_) {
      append_to(closing_character(text_, at_));
      finish_word();
    } else if (c == '(' || c == ')') {
      finish_word();
      add(c == '(' ? Token::open : Token::close, std::string(1, c));
      ++at_;
    } else if (const std::size_t end = end_of_placeholder(); end > 0) {
      if (!open_) word_line_ = line_;
      word_ += "$(?)";
      open_ = true;
      at_ = end;
    } else if (c == '<' || c == '>') {
      take_redirect();
    } else if (c == '&' && peek(1) == '>') {
      finish_word();
      ++at_;
      take_redirect();
    } else {
      finish_word();
      const bool twice = peek(1) == c;
      add(c == ';' && twice ? Token::case_end : Token::end, std::string(twice ? 2 : 1, c));
      at_ += twice ? 2 : 1;
    }
  }

  // The end of `<node1_ip>`, which a person fills in. 0 for another text.
  [[nodiscard]] std::size_t end_of_placeholder() const {
    std::size_t end = at_ + 1;
    const auto is_part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-';
    };
    while (end < text_.size() && is_part(text_[end])) ++end;
    const bool closed = peek() == '<' && end > at_ + 1 && end < text_.size() && text_[end] == '>';
    return closed ? end + 1 : 0;
  }

  // `> file`, `2>&1`, `<<EOF`, `<<< word`.
  void take_redirect() {
    if (open_ && word_.size() == 1 && word_[0] >= '0' && word_[0] <= '9') {
      word_.clear();
      open_ = false;
    }
    finish_word();
    std::size_t end = at_;
    while (end < text_.size() &&
           (text_[end] == '<' || text_[end] == '>' || text_[end] == '&' || text_[end] == '|')) {
      ++end;
    }
    const std::string sign(text_.substr(at_, end - at_));
    at_ = end;
    const bool document = sign == "<<";
    if (document && peek() == '-') ++at_;
    while (is_blank(peek())) ++at_;
    add(Token::redirect, sign);
    if (!document) return;
    const std::size_t stop = std::min(text_.find_first_of(" \t\r\n;&|<>)", at_), text_.size());
    out_.back().document = text_.substr(at_, stop - at_);
    documents_.push_back(out_.size() - 1);
    at_ = stop;
  }

  std::string_view text_;
  const std::string& file_;
  bool header_ = true;
  std::size_t at_ = 0;
  int line_ = 1, word_line_ = 1;
  std::string word_;
  bool open_ = false;
  std::vector<std::size_t> documents_;  // redirects whose here-document follows the line
  std::vector<ShellToken> out_;
};

}  // namespace

std::size_t closing_character(std::string_view text, std::size_t from, int depth) {
  if (from >= text.size() || depth > kDeepestQuotes) return text.size();
  const char open = text[from];
  const bool quote = open == '\'' || open == '"' || open == '`';
  const char close = quote ? open : open == '(' ? ')' : '}';
  int nested = 0;
  for (std::size_t i = from + 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && open != '\'') {
      ++i;
    } else if (c == close && nested-- == 0) {
      return i;
    } else if (open == '"' && c == '$' && i + 1 < text.size() &&
               (text[i + 1] == '(' || text[i + 1] == '{')) {
      i = closing_character(text, i + 1, depth + 1);
    } else if (!quote && (c == '\'' || c == '"')) {
      i = closing_character(text, i, depth + 1);
    } else if (!quote && c == open) {
      ++nested;
    }
  }
  return text.size();
}

std::vector<ShellToken> split_shell(std::string_view text, const std::string& file) {
  return Splitter(text, file).split();
}

}  // namespace trcost::recipe
