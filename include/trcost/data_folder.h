// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trcost {

/// Text of the data files: those built into the library, or those of a folder of the same form,
/// whose files replace built-in ones. Texts are read on first use and kept. Several threads may
/// share one.
class DataFolder {
 public:
  /// With an empty `directory` the built-in data alone. Throws Error (data) if there is no such
  /// directory.
  explicit DataFolder(std::string directory = {});
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  /// The text of one data file (`accelerators/h100-sxm.json`). Throws Error (data) for none.
  std::string_view file(std::string_view path) const;
  /// True if there is such a file.
  bool has_file(std::string_view path) const;
  /// Names in messages: `path`, or the file of the directory that replaces it.
  std::string origin(std::string_view path) const;
  /// Names without `.json` of the files of one folder, sorted.
  std::vector<std::string> entries(std::string_view folder) const;
  /// The text of a user's own file, by its path on disk.
  std::string_view own_file(const std::string& path) const;
  /// True without a directory.
  bool is_built_in() const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace trcost
