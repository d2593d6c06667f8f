// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trcost/output_format.h"

namespace CLI {
class App;
}

namespace trcost::cli {

/// --format and -o of a command.
struct OutputOptions {
  std::string format;
  std::string path = "-";
  std::vector<Format> allowed;

  /// The format asked for, or that of the file's extension, or `otherwise` where that is no
  /// format's. Throws Error (usage) naming the allowed ones.
  [[nodiscard]] Format choose(Format otherwise = Format::table) const;
};

/// Adds --format (its values listed once, for help, error and completion) and -o.
/// `otherwise` says which format it is without both.
void add_output_options(CLI::App& app, OutputOptions& options, std::vector<Format> allowed,
                        std::string_view otherwise = "table");

/// Where results go. A file is opened before the work starts under a temporary name and renamed
/// when committed, so nothing half-written stands under the final name. A closed pipe ends the
/// program quietly; a full disk throws Error.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  /// Flushes, and gives the file its final name.
  void commit();
  [[nodiscard]] bool is_terminal() const;

 private:
  [[noreturn]] void fail(int error_number) const;
  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
  bool standard_output_ = false;
};

/// Thrown by Output when whoever reads stdout has gone; ends the program with exit code 0.
struct ClosedPipe {};

}  // namespace trcost::cli
