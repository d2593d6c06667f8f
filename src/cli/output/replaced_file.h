// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace trcost::cli {

/// A file that is replaced whole or left as it was. The text goes to a temporary file in the same
/// folder, and commit() renames it, so that the file of the last of several writers stands whole. A
/// symbolic link stays and its target is replaced. Permissions stay. An old file that cannot be
/// replaced (its folder takes no new file, it has several hard links, it belongs to another user)
/// is written in place by commit(), and the text waits in memory until then.
class ReplacedFile {
 public:
  /// Throws Error (data) if the file cannot be written. The old file is not touched.
  explicit ReplacedFile(const std::string& path);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  void open_temporary();
  void write_in_place();
  void discard();
  [[noreturn]] void fail(int error_number, std::string_view hint = {}) const;

  std::string path_;       ///< as typed
  std::string target_;     ///< the file at the end of links
  std::string folder_;     ///< of the target, with the last slash
  std::string temporary_;  ///< while there is one
  std::string held_;       ///< the text for a file that is written in place
  int descriptor_ = -1;
  bool in_place_ = false;
  bool exists_ = false;
  mode_t mode_ = 0;
  uid_t owner_ = 0;
  gid_t group_ = 0;
};

/// Writes all of the text. Returns the number of the error, or 0.
int write_all(int descriptor, std::string_view text);

/// Throws Error (usage) if this process has read the file.
void refuse_input_as_output(const std::string& path);

}  // namespace trcost::cli
