// SPDX-License-Identifier: Apache-2.0
#include "cli/output/sweep_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/output/output.h"
#include "cli/output/replaced_file.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

constexpr std::size_t kHeldBytes = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kHeldTime{250};

}  // namespace

SweepOutput::SweepOutput(const std::string& path, std::uint64_t keep)
    : path_(path), flushed_(std::chrono::steady_clock::now()) {
  if (path == "-") {
    descriptor_ = STDOUT_FILENO;
  } else {
    open(path, keep);
  }
}

SweepOutput::~SweepOutput() {
  if (path_ != "-" && descriptor_ >= 0) close(descriptor_);
}

void SweepOutput::open(const std::string& path, std::uint64_t keep) {
  refuse_input_as_output(path);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw Error(ErrorKind::data, fmt::format("cannot write: {}", std::strerror(errno)),
                "choose another file, or check that the folder exists and is writable", path);
  }
  struct stat status {};
  regular_ = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!regular_) return;
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(ErrorKind::data, "another sweep is writing this file",
                "wait for it, or choose another file", path);
  }
  const auto end = static_cast<off_t>(keep);
  if (ftruncate(descriptor_, end) != 0 || lseek(descriptor_, end, SEEK_SET) != end) fail(errno);
  whole_ = keep;
}

void SweepOutput::fail(int error_number) {
  if (error_number == EPIPE) throw ClosedPipe{};
  held_.clear();
  const bool cut = regular_ && ftruncate(descriptor_, static_cast<off_t>(whole_)) == 0;
  std::string hint = error_number == ENOSPC ? "free some space" : "";
  if (cut) {
    hint += fmt::format("{}continue with the same flags and --resume {}",
                        hint.empty() ? "" : ", then ", path_);
  }
  throw Error(ErrorKind::data, fmt::format("cannot write: {}", std::strerror(error_number)), hint,
              path_ == "-" ? "stdout" : path_);
}

void SweepOutput::write(std::string_view rows) {
  held_ += rows;
  const auto now = std::chrono::steady_clock::now();
  if (held_.size() >= kHeldBytes || now - flushed_ >= kHeldTime) flush();
}

void SweepOutput::flush() {
  flushed_ = std::chrono::steady_clock::now();
  const int error = path_ == "-" ? write_stdout(held_) : write_all(descriptor_, held_);
  if (error != 0) fail(error);
  whole_ += held_.size();
  held_.clear();
}

}  // namespace trcost::cli
