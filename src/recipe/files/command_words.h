// SPDX-License-Identifier: Apache-2.0
// Words of one command as flags with their values.
#pragma once

#include <string>
#include <vector>

#include "quantity/layers.h"
#include "recipe/files/script.h"
#include "recipe/files/shell_variables.h"

namespace trcost::recipe {

/// Collects the words of a command.
class CommandWords {
 public:
  CommandWords(const std::string& file, int line) : file_(file), line_(line) {}
  void add(ShellField field, int line);
  void note_redirect() { redirected_ = true; }
  [[nodiscard]] bool empty() const { return fields_.empty(); }
  [[nodiscard]] int line() const { return line_; }
  /// The first word.
  [[nodiscard]] std::string program() const;
  [[nodiscard]] std::size_t size() const { return fields_.size(); }
  /// The word at an index, empty for none.
  [[nodiscard]] std::string argument(std::size_t index) const;
  /// Whether the command copies its input to a file, as `cat` and `tee` do.
  [[nodiscard]] bool writes_document() const;
  /// The words behind `echo`.
  [[nodiscard]] std::string echoed() const;
  /// The file that a shell runs, empty for none.
  [[nodiscard]] std::string script_file() const;
  /// Scripts within the command: `bash -c "..."`, `eval "..."`.
  [[nodiscard]] std::vector<std::string> nested_scripts() const;
  /// The command with its flags.
  [[nodiscard]] ShellCommand finish() const;

 private:
  struct Word {
    ShellField field;
    int line = 0;
  };
  [[nodiscard]] std::size_t first_of_program() const;
  static const std::string& script_of(const ShellField& field);

  const std::string& file_;
  int line_ = 0;
  bool redirected_ = false;
  std::vector<Word> fields_;
};

}  // namespace trcost::recipe
