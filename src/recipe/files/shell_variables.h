// SPDX-License-Identifier: Apache-2.0
// Variables of a shell script as far as its text gives them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"

namespace trcost::recipe {

/// A word after expansion. `unknown` if a part of it is known to the machine alone.
struct ShellField {
  std::string text;
  bool unknown = false;
  std::string script = {};  ///< the text for a script within a script, unknown parts as `$(?)`
};

/// Answer of a condition.
enum class Truth : std::uint8_t { no, yes, unknown };

class ShellVariables {
 public:
  /// Nothing for a value that only the machine has.
  void set(const std::string& name, std::optional<std::string> value);
  /// Sets the value of `X=word`, or of `X+=word`. What is known of it stays known.
  void assign(const std::string& name, std::string_view word, bool append);
  void set_array(const std::string& name, std::vector<ShellField> items, bool append);
  [[nodiscard]] bool has_array(const std::string& name) const { return arrays_.contains(name); }

  /// Fields of a word: variables, `${X:-default}`, `$((A * B))` and arrays are filled in, quotes
  /// removed, and text of variables outside of quotes is split. `$(...)` is unknown.
  [[nodiscard]] std::vector<ShellField> fields_of(std::string_view word) const;
  /// The word as one field.
  [[nodiscard]] ShellField text_of(std::string_view word, int depth = 0) const;
  /// Text with variables filled in and quotes kept, as in a here-document.
  [[nodiscard]] std::string document_of(std::string_view text, int depth = 0) const;

  /// Whether the words of `[ ... ]`, `[[ ... ]]` or `test` are true.
  [[nodiscard]] Truth test(const std::vector<std::string>& words) const;
  /// Whether the expression of `((...))` is not zero.
  [[nodiscard]] Truth test_number(std::string_view expression) const;

  /// Variables that have flags, as `$X` or `${X[@]}`, without those that stand in another one.
  [[nodiscard]] std::vector<std::string> holders_of_flags() const;

  /// Keeps what both have, so that what differs becomes unknown.
  void merge(const ShellVariables& other);

 private:
  struct Expansion;
  // How the text of variables and quotes within a word are read.
  enum class Within : std::uint8_t { fields, text, double_quotes };
  // The value if all of it is known, else null.
  [[nodiscard]] const std::string* known(std::string_view name) const;
  void expand(std::string_view word, Expansion& out, Within within, int depth) const;
  std::size_t expand_dollar(std::string_view word, std::size_t at, Expansion& out, Within within,
                            int depth) const;
  void expand_braces(std::string_view inside, Expansion& out, Within within, int depth) const;
  bool expand_echo(std::string_view command, Expansion& out, Within within, int depth) const;
  void expand_name(const std::string& name, Expansion& out, Within within) const;
  [[nodiscard]] std::optional<double> computed(std::string_view expression, int depth) const;
  [[nodiscard]] Truth compare(std::string_view left, std::string_view sign,
                              std::string_view right) const;
  // Bytes of all expansions so far, of branches too.
  std::shared_ptr<std::size_t> spent_ = std::make_shared<std::size_t>(0);
  // A mark stands for each part that only the machine has.
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, std::vector<ShellField>, std::less<>> arrays_;
};

/// Whether a text may be the name of a variable.
bool is_shell_name(std::string_view text);

}  // namespace trcost::recipe
