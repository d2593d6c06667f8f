// SPDX-License-Identifier: Apache-2.0
#include "text/input_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <utility>

namespace trcost::text {

namespace {

struct Inputs {
  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> files;  // links and relative paths lead to the same
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
  const bool first = inputs().files.emplace(status.st_dev, status.st_ino).second;
  if (first && inputs().names.size() < kMostNames) inputs().names.push_back(name);
}

}  // namespace

void note_input(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) note(status, path);
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
}

}  // namespace trcost::text
