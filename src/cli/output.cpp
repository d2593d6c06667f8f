// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "trcost/error.h"
#include "trcost/suggest.h"

namespace trcost::cli {
namespace {

std::vector<std::string> names_of(const std::vector<Format>& formats) {
  std::vector<std::string> names;
  for (const Format format : formats) names.emplace_back(format_info(format).name);
  return names;
}

}  // namespace

void add_output_options(CLI::App& app, OutputOptions& options, std::vector<Format> allowed,
                        std::string_view otherwise) {
  options.allowed = std::move(allowed);
  const std::string words = fmt::format("{}", fmt::join(names_of(options.allowed), "|"));
  app.add_option("--format", options.format,
                 fmt::format("output format (default: by the extension of -o, else {})", otherwise))
      ->type_name(words)
      ->group("Output");
  app.add_option("-o,--output", options.path, "file to write, - for stdout")
      ->type_name("FILE")
      ->group("Output");
}

Format OutputOptions::choose(Format otherwise) const {
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
  if (!wanted) return otherwise;
  if (std::ranges::find(allowed, *wanted) != allowed.end()) return *wanted;
  throw Error(ErrorKind::usage,
              fmt::format("this command does not write {}, which the file's name asks for",
                          format_info(*wanted).name),
              fmt::format("name the file otherwise, or add --format with one of {}",
                          fmt::join(names_of(allowed), ", ")),
              "-o " + path);
}

Output::Output(const std::string& path) : path_(path) {
  if (path == "-") {
    descriptor_ = STDOUT_FILENO;
    standard_output_ = true;
    return;
  }
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::data, "cannot write: it is a directory", "name a file", path);
  }
  // Devices and pipes are written in place; only a regular file can be replaced whole.
  const bool in_place = exists && !S_ISREG(status.st_mode);
  temporary_ = in_place ? "" : path + ".partial";
  descriptor_ = open((in_place ? path : temporary_).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (descriptor_ < 0) {
    const std::string why = std::strerror(errno);
    temporary_.clear();
    throw Error(ErrorKind::data, fmt::format("cannot write: {}", why),
                "choose another -o, or check that the folder exists and is writable", path);
  }
}

Output::~Output() {
  if (standard_output_) return;
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void Output::fail(int error_number) const {
  if (error_number == EPIPE) throw ClosedPipe{};
  throw Error(ErrorKind::data, fmt::format("cannot write: {}", std::strerror(error_number)),
              error_number == ENOSPC ? "free some space, then run it again" : "",
              standard_output_ ? "stdout" : path_);
}

void Output::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(errno);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Output::commit() {
  if (standard_output_) return;
  if (close(descriptor_) != 0) {
    descriptor_ = -1;
    fail(errno);
  }
  descriptor_ = -1;
  if (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

bool Output::is_terminal() const {
  return isatty(descriptor_) == 1;
}

}  // namespace trcost::cli
