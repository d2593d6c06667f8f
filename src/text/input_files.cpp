// SPDX-License-Identifier: Apache-2.0
#include "text/input_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <utility>

namespace trcost {
namespace {

struct Inputs {
  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> files;  // links and relative paths lead to the same
};

Inputs& inputs() {
  static Inputs inputs;
  return inputs;
}

void note(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return;
  const std::lock_guard lock(inputs().mutex);
  inputs().files.emplace(status.st_dev, status.st_ino);
}

}  // namespace

void note_input(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) note(status);
}

void note_stdin() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) == 0) note(status);
}

bool was_read(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return false;
  const std::lock_guard lock(inputs().mutex);
  return inputs().files.contains({status.st_dev, status.st_ino});
}

}  // namespace trcost
