// SPDX-License-Identifier: Apache-2.0
#include "cli/output/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/flags/flags.h"
#include "cli/session/session.h"
#include "quantity/currency.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

std::vector<std::string> names_of(const std::vector<Format>& formats) {
  std::vector<std::string> names;
  for (const Format format : formats) names.emplace_back(format_info(format).name);
  return names;
}

thread_local std::string* captured = nullptr;

}  // namespace

CapturedOutput::CapturedOutput(std::string& text) {
  captured = &text;
}

CapturedOutput::~CapturedOutput() {
  captured = nullptr;
}

int write_stdout(std::string_view text) {
  if (captured == nullptr) return write_all(STDOUT_FILENO, text);
  captured->append(text);
  return 0;
}

namespace {

std::vector<Format> all_formats() {
  std::vector<Format> all;
  for (const FormatInfo& info : formats()) all.push_back(info.format);
  return all;
}

void add_format(Flags& flags, OutputOptions& options, std::string help) {
  flags.group("Output");
  flags.add("--format", options.format,
            fmt::format("{}", fmt::join(names_of(options.allowed), "|")), std::move(help));
}

}  // namespace

void add_output_options(Flags& flags, OutputOptions& options, std::vector<Format> allowed,
                        std::string_view otherwise) {
  options.allowed = std::move(allowed);
  add_format(flags, options,
             fmt::format("output format (default: by the extension of -o, else {})", otherwise));
  flags.add("-o,--output", options.path, "FILE", "file to write, - for stdout");
}

void add_output_options(Flags& flags, OutputOptions& options, std::string_view otherwise) {
  add_output_options(flags, options, all_formats(), otherwise);
}

void add_format_option(Flags& flags, OutputOptions& options) {
  options.allowed = all_formats();
  add_format(flags, options, "format of the report on stdout (default: table)");
}

namespace {

// Names that promise no format of their own.
constexpr std::string_view kPlainExtensions[] = {"txt", "text", "log", "out", "dat", "data", "tmp"};

// `run.pdf` is no page because a table stands in it. Digits end a version or a date: `run.2026`.
void refuse_unknown_extension(std::string_view path, const std::vector<Format>& allowed) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return;
  const std::string_view extension = name.substr(dot + 1);
  const bool letters = std::ranges::all_of(
      extension, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  if (!letters || std::ranges::find(kPlainExtensions, extension) != std::end(kPlainExtensions))
    return;
  std::string known;
  for (const Format format : allowed) {
    const FormatInfo& info = format_info(format);
    if (!info.traits.terminal) known += fmt::format(".{}, ", info.extension());
  }
  throw Error(
      ErrorKind::usage, fmt::format("no format ends in .{}", extension),
      extension == "pdf"
          ? fmt::format("write {}.html and print it from a browser. Others: {}.txt",
                        path.substr(0, path.rfind('.')), known)
          : fmt::format("the file may end in {}or .txt for text. --format sets it for any name",
                        known),
      fmt::format("-o {}", path));
}

}  // namespace

Format OutputOptions::choose(Format otherwise) const {
  const Format chosen = find_format(otherwise);
  const Form form = format_info(chosen).form;
  show_asked_currency(form == Form::page || form == Form::workbook);
  return chosen;
}

Format OutputOptions::find_format(Format otherwise) const {
  if (!format.empty()) {
    const std::vector<std::string> names = names_of(allowed);
    const auto at = std::ranges::find(names, format);
    if (at != names.end()) return allowed[static_cast<std::size_t>(at - names.begin())];
    std::string hint = did_you_mean(format, names);
    hint += fmt::format("{}allowed: {}", hint.empty() ? "" : " ", fmt::join(names, ", "));
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a value of --format", format), hint);
  }
  std::optional<Format> wanted;
  if (path != "-") wanted = format_from_extension(path);
  if (!wanted) {
    refuse_unknown_extension(path, allowed);
    return otherwise;
  }
  if (std::ranges::find(allowed, *wanted) != allowed.end()) return *wanted;
  throw Error(ErrorKind::usage,
              fmt::format("this command does not write {}, which the file's name asks for",
                          format_info(*wanted).name),
              fmt::format("name the file otherwise, or add --format with one of {}",
                          fmt::join(names_of(allowed), ", ")),
              "-o " + path);
}

void add_details_option(Flags& flags, OutputOptions& options) {
  flags.add("--details", options.details, "all of the answer, beyond one screen of text");
}

Style style_of(const OutputOptions& output, Format format, const Session& session) {
  Style style;
  style.details = output.details;
  if (format_info(format).traits.terminal && output.path == "-") style.width = session.width();
  style.color =
      format_info(format).traits.terminal && output.path == "-" && session.colored(STDOUT_FILENO);
  return style;
}

namespace {

// Whether the path leads to the file that stdout is: /dev/stdout, or a file named twice.
bool is_stdout(const struct stat& status) {
  struct stat standard {};
  return fstat(STDOUT_FILENO, &standard) == 0 && standard.st_dev == status.st_dev &&
         standard.st_ino == status.st_ino;
}

}  // namespace

Output::Output(const std::string& path) : path_(path) {
  struct stat status {};
  const bool exists = path != "-" && stat(path.c_str(), &status) == 0;
  if (path == "-" || (exists && is_stdout(status))) {
    descriptor_ = STDOUT_FILENO;
    standard_output_ = true;
    return;
  }
  if ((exists && S_ISDIR(status.st_mode)) || path.ends_with('/')) {
    throw Error(ErrorKind::data, "cannot write: it is a directory", "name a file", path);
  }
  refuse_input_as_output(path);
  if (!exists || S_ISREG(status.st_mode)) {
    file_.emplace(path);
    return;
  }
  descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);  // a device or a pipe
  if (descriptor_ >= 0) return;
  throw Error(ErrorKind::data, fmt::format("cannot write: {}", std::strerror(errno)),
              "choose another -o, or check its permissions", path);
}

Output::~Output() {
  if (!standard_output_ && descriptor_ >= 0) close(descriptor_);
}

void Output::fail(int error_number) const {
  if (error_number == EPIPE) throw ClosedPipe{};
  throw Error(ErrorKind::data, fmt::format("cannot write: {}", std::strerror(error_number)),
              error_number == ENOSPC ? "free some space, then run it again" : "",
              standard_output_ ? "stdout" : path_);
}

void Output::write(std::string_view text) {
  if (file_) {
    file_->write(text);
    return;
  }
  const int error = standard_output_ ? write_stdout(text) : write_all(descriptor_, text);
  if (error != 0) fail(error);
}

void Output::commit() {
  if (file_) {
    file_->commit();
  } else if (!standard_output_) {
    const int closed = close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(errno);
  }
}

}  // namespace trcost::cli
