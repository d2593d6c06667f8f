// SPDX-License-Identifier: Apache-2.0
#include "cli/output/replaced_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "text/files.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

constexpr mode_t kNewFile = 0666;  // without the bits of the umask
constexpr mode_t kPermissions = 07777;
constexpr int kMostLinks = 40;  // as many as Linux follows

// The file at the end of a chain of symbolic links, whether it exists or not. Nothing for a loop.
std::optional<std::string> follow_links(const std::string& path) {
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

mode_t permissions_of_new_file() {
  const mode_t mask = umask(0);
  umask(mask);
  return kNewFile & ~mask;
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
  constexpr std::string_view kHint =
      "choose another -o, or check that the folder exists and is writable";
  const std::optional<std::string> target = follow_links(path);
  if (!target) fail(ELOOP, kHint);
  target_ = *target;
  folder_ = folder_of(target_);
  struct stat status {};
  exists_ = stat(target_.c_str(), &status) == 0;
  mode_ = exists_ ? status.st_mode & kPermissions : permissions_of_new_file();
  owner_ = status.st_uid;
  group_ = status.st_gid;
  if (exists_ && access(target_.c_str(), W_OK) != 0) fail(errno, kHint);
  if (access(folder_.c_str(), W_OK | X_OK) != 0) {
    const bool closed = errno == EACCES || errno == EPERM || errno == EROFS;
    if (!exists_ || !closed) fail(errno, kHint);
    in_place_ = true;
  }
  in_place_ |= exists_ && status.st_nlink > 1;
}

ReplacedFile::~ReplacedFile() {
  discard();
}

void ReplacedFile::fail(int error_number, std::string_view hint) const {
  if (error_number == ENOSPC) hint = "free some space, then run it again";
  throw Error(ErrorKind::data, fmt::format("cannot write: {}", std::strerror(error_number)),
              std::string(hint), path_);
}

void ReplacedFile::discard() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
}

// A file that cannot have the owner and permissions of the old one is no replacement for it.
void ReplacedFile::open_temporary() {
  temporary_ = folder_ + ".trcost-XXXXXX";
  descriptor_ = mkstemp(temporary_.data());
  if (descriptor_ < 0) {
    const int error = errno;
    temporary_.clear();
    fail(error);
  }
  struct stat fresh {};
  bool kept = fstat(descriptor_, &fresh) == 0;
  if (kept && exists_ && (fresh.st_uid != owner_ || fresh.st_gid != group_)) {
    kept = fchown(descriptor_, owner_, group_) == 0;
  }
  if (kept && fchmod(descriptor_, mode_) == 0) return;
  if (!exists_) fail(errno);
  discard();
  in_place_ = true;
}

void ReplacedFile::write(std::string_view text) {
  if (!in_place_ && descriptor_ < 0) open_temporary();
  if (in_place_) {
    held_ += text;
  } else if (const int error = write_all(descriptor_, text); error != 0) {
    fail(error);
  }
}

// The lock separates the bytes of two writers. Space is reserved before the old bytes go.
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
  write({});
  if (in_place_) write_in_place();
  const bool synced = fsync(descriptor_) == 0 || errno == EINVAL || errno == ENOTSUP;
  const int error = synced ? 0 : errno;
  const bool closed = close(descriptor_) == 0;
  descriptor_ = -1;
  if (!synced) fail(error);
  if (!closed) fail(errno);
  if (in_place_) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

}  // namespace trcost::cli
