// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace trcost::cli {

/// A file that is replaced whole, or left as it was. What is written goes to a file without a name
/// beside it, or, where the file system has none, to one that no other process has; commit() gives
/// it the final name in one step, so that of several writers the last one's file stands. A symbolic
/// link stays and its target is replaced; permissions stay. Where the old file cannot be replaced
/// (its folder takes no other file, it has several hard links, it is someone else's), the text
/// waits in memory and commit() writes it into the file that is there.
class ReplacedFile {
 public:
  /// Throws Error (data) where it cannot be written; the old file is not touched.
  explicit ReplacedFile(const std::string& path);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  void open_beside(const std::string& folder);
  bool open_named(mode_t mode);
  [[nodiscard]] bool link_beside(const std::string& source);
  void keep_permissions();
  void write_in_place();
  [[noreturn]] void fail(int error_number) const;
  [[noreturn]] void refuse(int error_number) const;

  std::string path_;       ///< as it was given
  std::string target_;     ///< the file behind links
  std::string folder_;     ///< where it lies, with the last slash
  std::string temporary_;  ///< a name beside the target, while there is one
  std::string held_;       ///< of a file that is written in place
  int descriptor_ = -1;    ///< -1: in place
  bool exists_ = false;
  mode_t mode_ = 0;  ///< of the file that exists
  uid_t owner_ = 0;
  gid_t group_ = 0;
};

/// Writes all of it; the number of the error, or 0.
int write_all(int descriptor, std::string_view text);

/// Throws Error (usage) where this process has read the file that is to be written.
void refuse_input_as_output(const std::string& path);

}  // namespace trcost::cli
