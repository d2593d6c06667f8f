// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/replaced_file.h"
#include "trcost/report.h"

namespace trcost::cli {

class Flags;
class Session;

/// --format and -o of a command.
struct OutputOptions {
  std::string format;
  std::string path = "-";
  bool details = false;
  std::vector<Format> allowed;

  /// The format asked for, or that of the file's extension, or `otherwise` where that is no
  /// format's. Throws Error (usage) naming the allowed ones.
  [[nodiscard]] Format choose(Format otherwise = Format::table) const;

 private:
  [[nodiscard]] Format find_format(Format otherwise) const;
};

/// Adds --format (its values listed once, for help, error and completion) and -o. `otherwise` says
/// which format it is without both.
void add_output_options(Flags& flags, OutputOptions& options, std::string_view otherwise = "table");
/// Overload for a subset of the formats.
void add_output_options(Flags& flags, OutputOptions& options, std::vector<Format> allowed,
                        std::string_view otherwise);
/// Adds --details, with which text has everything.
void add_details_option(Flags& flags, OutputOptions& options);
/// --format alone, of a report on stdout beside a file of another kind.
void add_format_option(Flags& flags, OutputOptions& options);

/// How text looks where it goes: in colours on a terminal that has them.
Style style_of(const OutputOptions& output, Format format, const Session& session);

/// Where results go: stdout, a file (see ReplacedFile), or a device or pipe, which is written as
/// the text comes. It is opened before the work starts. A closed pipe ends the program quietly; a
/// full disk throws Error, and so does a file that this run reads.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  /// Gives the file its final name.
  void commit();

 private:
  [[noreturn]] void fail(int error_number) const;
  std::string path_;
  std::optional<ReplacedFile> file_;
  int descriptor_ = -1;
  bool standard_output_ = false;
};

/// While it lives, what this thread writes to stdout is added to `text` instead.
class CapturedOutput {
 public:
  explicit CapturedOutput(std::string& text);
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
};

/// Writes all of it to stdout, or to where CapturedOutput says; the number of the error, or 0.
int write_stdout(std::string_view text);

/// Thrown by Output when whoever reads stdout has gone; ends the program with exit code 0.
struct ClosedPipe {};

}  // namespace trcost::cli
