// SPDX-License-Identifier: Apache-2.0
#include "text/files.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "text/unicode.h"
#include "trcost/error.h"

namespace trcost::text {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr std::string_view kSizeHint =
    "trcost reads models, scenarios and catalog entries. Is this the right file?";

[[noreturn]] void refuse_file(const std::string& origin, std::string message, std::string hint) {
  throw Error(ErrorKind::data, std::move(message), std::move(hint), origin);
}

[[noreturn]] void refuse_size(const std::string& origin) {
  refuse_file(origin,
              fmt::format("larger than the {} MiB that a file may have", kLargestFile / kMiB),
              std::string(kSizeHint));
}

std::string read_all(std::istream& in, const std::string& origin, std::string_view if_empty) {
  std::string bytes;
  std::vector<char> block(kBlock);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    bytes.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > kLargestFile) refuse_size(origin);
  }
  if (in.bad())
    refuse_file(origin, "the file cannot be read", "check the disk and the permissions");
  std::string text = decode_text(std::move(bytes), origin);
  if (text.empty()) refuse_file(origin, "the file is empty", std::string(if_empty));
  return text;
}

struct Inputs {
  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> files;  // links and relative paths lead to the same
  std::set<std::pair<dev_t, ino_t>> named;  // those that are listed
  std::vector<std::string> names;           // of the first kMostNames
};
constexpr std::size_t kMostNames = 100;  // a folder of images holds millions

Inputs& inputs() {
  static Inputs inputs;
  return inputs;
}

void note(const struct stat& status, const std::string& name) {
  if (!S_ISREG(status.st_mode)) return;
  const std::lock_guard lock(inputs().mutex);
  inputs().files.emplace(status.st_dev, status.st_ino);
  const bool first = inputs().named.emplace(status.st_dev, status.st_ino).second;
  if (first && inputs().names.size() < kMostNames) inputs().names.push_back(name);
}

}  // namespace

std::string read_text_file(const std::string& path) {
  const bool json = path.ends_with(".json");
  std::error_code status;
  const auto kind = std::filesystem::status(path, status).type();
  if (kind == std::filesystem::file_type::not_found) {
    refuse_file(
        path, "there is no such file",
        json ? "check the path. Catalog names are written without .json" : "check the path");
  }
  if (kind == std::filesystem::file_type::directory) {
    refuse_file(path, "this is a directory, not a file", "name a file within it");
  }
  const bool regular = kind == std::filesystem::file_type::regular;
  if (regular && std::filesystem::file_size(path, status) > kLargestFile && !status) {
    refuse_size(path);
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse_file(path, "the file cannot be opened", "check its permissions");
  note_input(path);
  return read_all(in, path, json ? "it has to hold one JSON object" : "is this the right file?");
}

std::string read_stdin() {
  note_stdin();
  std::error_code status;
  if (std::filesystem::is_directory("/dev/stdin", status)) {
    refuse_file("stdin", "this is a directory, not a file", "redirect a file: trcost ... - < FILE");
  }
  return read_all(std::cin, "stdin", "it has to hold one JSON object");
}

void note_input(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) note(status, path);
}

void protect_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return;
  const std::lock_guard lock(inputs().mutex);
  inputs().files.emplace(status.st_dev, status.st_ino);
}

void note_stdin() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) == 0) note(status, "stdin");
}

std::vector<std::string> inputs_read() {
  const std::lock_guard lock(inputs().mutex);
  return inputs().names;
}

bool was_read(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return false;
  const std::lock_guard lock(inputs().mutex);
  return inputs().files.contains({status.st_dev, status.st_ino});
}

void forget_inputs() {
  const std::lock_guard lock(inputs().mutex);
  inputs().files.clear();
  inputs().named.clear();
}

}  // namespace trcost::text
