// SPDX-License-Identifier: Apache-2.0
#include "cli/output/replaced_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "text/files.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

constexpr mode_t kNewFile = 0666;  // less what the umask takes away
constexpr mode_t kPermissions = 07777;
constexpr int kMostLinks = 40;  // as many as Linux follows
constexpr int kMostNames = 10000;

// The file that a chain of symbolic links ends at, whether it exists or not; nothing for a loop.
std::optional<std::string> behind_links(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path at = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code none;
    const fs::path next = fs::read_symlink(at, none);
    if (none) return at.string();
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return std::nullopt;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string("./") : path.substr(0, slash + 1);
}

// A short name, so that a long name of the target leaves room for it; hidden, and not one that a
// person would choose.
std::string name_beside(const std::string& folder, int attempt) {
  return fmt::format("{}.trcost-{}-{}.partial", folder, getpid(), attempt);
}

std::string path_of_descriptor(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

}  // namespace

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void refuse_input_as_output(const std::string& path) {
  if (!was_read(path)) return;
  throw Error(ErrorKind::usage, "the result would replace a file that it is made of",
              "name another file with -o", path);
}

ReplacedFile::ReplacedFile(const std::string& path) : path_(path) {
  const std::optional<std::string> target = behind_links(path);
  if (!target) refuse(ELOOP);
  target_ = *target;
  folder_ = folder_of(target_);
  struct stat status {};
  exists_ = stat(target_.c_str(), &status) == 0;
  mode_ = status.st_mode & kPermissions;
  owner_ = status.st_uid;
  group_ = status.st_gid;
  if (exists_ && access(target_.c_str(), W_OK) != 0) refuse(errno);
  const bool several_links = exists_ && status.st_nlink > 1;
  if (!several_links) open_beside(folder_);
  keep_permissions();
}

ReplacedFile::~ReplacedFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void ReplacedFile::refuse(int error_number) const {
  throw Error(ErrorKind::data, fmt::format("cannot write: {}", std::strerror(error_number)),
              "choose another -o, or check that the folder exists and is writable", path_);
}

void ReplacedFile::fail(int error_number) const {
  throw Error(ErrorKind::data, fmt::format("cannot write: {}", std::strerror(error_number)),
              error_number == ENOSPC ? "free some space, then run it again" : "", path_);
}

void ReplacedFile::open_beside(const std::string& folder) {
  const mode_t mode = exists_ ? mode_ & 0777 : kNewFile;
#ifdef O_TMPFILE  // nothing is left of it, whatever ends the program; gets its name through /proc
  descriptor_ = open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (descriptor_ >= 0) {
    if (access(path_of_descriptor(descriptor_).c_str(), F_OK) == 0) return;
    close(descriptor_);
  }
#endif
  if (open_named(mode)) return;
  const bool closed = errno == EACCES || errno == EPERM || errno == EROFS;
  if (!exists_ || !closed) refuse(errno);
}

bool ReplacedFile::open_named(mode_t mode) {
  for (int attempt = 0; attempt < kMostNames; ++attempt) {
    const std::string name = name_beside(folder_, attempt);
    descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor_ >= 0) {
      temporary_ = name;
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

// The new file is owned and protected as the old one was; where that cannot be, it is written in
// place.
void ReplacedFile::keep_permissions() {
  if (!exists_ || descriptor_ < 0) return;
  struct stat fresh {};
  bool kept = fstat(descriptor_, &fresh) == 0;
  if (kept && (fresh.st_uid != owner_ || fresh.st_gid != group_)) {
    kept = fchown(descriptor_, owner_, group_) == 0;
  }
  if (kept && fchmod(descriptor_, mode_) == 0) return;
  close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
}

void ReplacedFile::write(std::string_view text) {
  if (descriptor_ < 0) {
    held_ += text;
  } else if (const int error = write_all(descriptor_, text); error != 0) {
    fail(error);
  }
}

bool ReplacedFile::link_beside(const std::string& source) {
  for (int attempt = 0; attempt < kMostNames; ++attempt) {
    const std::string name = name_beside(folder_, attempt);
    if (linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

// The lock keeps two writers' bytes apart; room is taken before the old bytes go.
void ReplacedFile::write_in_place() {
  descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0 || flock(descriptor_, LOCK_EX) != 0) fail(errno);
  const auto size = static_cast<off_t>(held_.size());
  if (size > 0) {
    if (const int error = posix_fallocate(descriptor_, 0, size); error == ENOSPC) fail(error);
  }
  if (const int error = write_all(descriptor_, held_); error != 0) fail(error);
  if (ftruncate(descriptor_, size) != 0) fail(errno);
}

void ReplacedFile::commit() {
  refuse_input_as_output(path_);
  const bool in_place = descriptor_ < 0;
  if (in_place) {
    write_in_place();
  } else if (temporary_.empty() && !link_beside(path_of_descriptor(descriptor_))) {
    fail(errno);
  }
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(errno);
  if (in_place) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace trcost::cli
