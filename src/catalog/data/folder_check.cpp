// SPDX-License-Identifier: Apache-2.0
#include "catalog/data/folder_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "catalog/data/data_file.h"
#include "quantity/suggest.h"
#include "text/files.h"
#include "trcost/error.h"

namespace trcost::catalog {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kJson = ".json";

// Folders of data/ that are not built in, in which nothing is read.
constexpr std::string_view kUnreadFolders[] = {"schemas", "calibration"};

class FolderCheck {
 public:
  explicit FolderCheck(const std::string& directory) : directory_(directory) {
    for (const EmbeddedFile& file : embedded_files()) {
      const std::size_t slash = file.path.rfind('/');
      if (slash != std::string_view::npos) folders_.emplace(file.path.substr(0, slash));
    }
  }

  void run() {
    check_folder("");
    if (read_ == 0) fail_unusable();
  }

 private:
  [[noreturn]] static void fail(const fs::path& place, std::string message, std::string hint) {
    throw Error(ErrorKind::data, std::move(message), std::move(hint), place.string());
  }

  static bool has_json_name(const std::string& name) { return lower_case(name).ends_with(kJson); }

  // Names of the folders within `folder`, or of all data if it is empty.
  [[nodiscard]] std::vector<std::string> folders_within(const std::string& folder) const {
    const std::string start = folder.empty() ? std::string() : folder + "/";
    std::vector<std::string> names;
    for (const std::string& each : folders_) {
      if (!each.starts_with(start)) continue;
      const std::string rest = each.substr(start.size());
      if (rest.find('/') == std::string::npos) names.push_back(rest);
    }
    return names;
  }

  void check_folder(const std::string& folder) {
    const fs::path place = folder.empty() ? fs::path(directory_) : fs::path(directory_) / folder;
    std::error_code failed;
    fs::directory_iterator entries(place, failed);
    if (failed) {
      fail(place, fmt::format("the folder cannot be read: {}", failed.message()),
           "check its permissions");
    }
    for (const fs::directory_entry& entry : entries) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with('.')) continue;
      std::error_code none;
      if (entry.is_directory(none)) {
        check_subfolder(folder, name, entry.path());
      } else {
        check_file(folder, name, entry.path());
      }
    }
  }

  void check_subfolder(const std::string& folder, const std::string& name, const fs::path& place) {
    const std::string inner = folder.empty() ? name : folder + "/" + name;
    if (folders_.contains(inner)) return check_folder(inner);
    const bool unread = std::ranges::find(kUnreadFolders, name) != std::end(kUnreadFolders);
    if (folder.empty() && unread) return;
    const std::vector<std::string> known = folders_within(folder);
    const std::string guess = did_you_mean(name, known);
    if (guess.empty() && !holds_json(place) && !has_json_name(name)) return;
    fail(place, "no folder of trcost data has this name",
         guess.empty() ? fmt::format("the folders are {}", fmt::join(folders_within(""), ", "))
                       : guess);
  }

  static bool holds_json(const fs::path& place) {
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(place, failed)) {
      if (has_json_name(entry.path().filename().string())) return true;
    }
    return static_cast<bool>(failed);
  }

  void check_file(const std::string& folder, const std::string& name, const fs::path& place) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    const bool built_in = find_embedded_file(path) != nullptr;
    if (!has_json_name(name) && !built_in) {
      if (folder == "prices" && lower_case(name).ends_with(".csv")) {
        fail(place, "a table of prices is not read as it is",
             "`trcost prices import` makes a price file of it");
      }
      return;
    }
    if (folder.empty() && !built_in) return check_stray_file(name, place);
    if (!built_in && !name.ends_with(kJson)) {
      fail(place, "a data file ends in .json, in small letters", "rename it");
    }
    std::error_code none;
    if (!fs::is_regular_file(place, none)) {
      fail(place, fs::is_symlink(place, none) ? "the link leads to no file" : "this is not a file",
           "correct it or take it away");
    }
    protect_file(place.string());
    ++read_;
  }

  // A file beside the folders, such as a catalog entry that should stand in one of them.
  void check_stray_file(const std::string& name, const fs::path& place) {
    if (stray_.empty()) stray_ = name;
    for (const std::string& folder : folders_) {
      if (find_embedded_file(folder + "/" + name) == nullptr) continue;
      fail(place, "this file is not read here", fmt::format("move it to {}/{}", folder, name));
    }
  }

  [[noreturn]] void fail_unusable() const {
    std::string path = directory_;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const fs::path place(path);
    std::string own = place.filename().string();
    if (folders_.contains(own)) {
      const fs::path parent = place.parent_path();
      fail(place, "nothing in this folder is trcost data: its files stand in folders",
           fmt::format("did you mean --data-dir {}?", parent.empty() ? "." : parent.string()));
    }
    fail(place, "nothing in this folder is trcost data",
         fmt::format("{}its folders may be {}",
                     stray_.empty() ? "" : stray_ + " belongs in a folder of its kind, and ",
                     fmt::join(folders_within(""), ", ")));
  }

  const std::string& directory_;
  std::set<std::string, std::less<>> folders_;  // of the data, `runs/models`
  std::string stray_;                           // first JSON file beside the folders
  std::size_t read_ = 0;                        // files that are read
};

}  // namespace

void check_data_folder(const std::string& directory) {
  FolderCheck(directory).run();
}

}  // namespace trcost::catalog
