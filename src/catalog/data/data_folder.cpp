// SPDX-License-Identifier: Apache-2.0
#include "trcost/data_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>

#include "catalog/data/data_file.h"
#include "catalog/data/folder_check.h"
#include "text/files.h"
#include "trcost/error.h"

namespace trcost::catalog {
namespace {

std::string_view embedded_text(std::string_view path) {
  const EmbeddedFile* file = find_embedded_file(path);
  if (file == nullptr) return {};
  return {file->begin, static_cast<std::size_t>(file->end - file->begin)};
}

}  // namespace

}  // namespace trcost::catalog

namespace trcost {

struct DataFolder::Files {
  std::string directory;
  std::map<std::string, std::string, std::less<>> texts;  // by the path on disk
  std::mutex mutex;

  // The file of the directory that replaces a built-in one.
  [[nodiscard]] std::optional<std::string> replacement(std::string_view path) const {
    if (directory.empty()) return std::nullopt;
    std::string here = directory + "/" + std::string(path);
    std::error_code status;
    if (!std::filesystem::is_regular_file(here, status)) return std::nullopt;
    return here;
  }
};

DataFolder::DataFolder(std::string directory) : files_(std::make_unique<Files>()) {
  std::error_code status;
  if (!directory.empty() && !std::filesystem::is_directory(directory, status)) {
    throw Error(ErrorKind::data, "there is no such data directory",
                "name a folder of the form of data/, or leave it out for the built-in data",
                directory);
  }
  if (!directory.empty()) check_data_folder(directory);
  files_->directory = std::move(directory);
}

DataFolder::~DataFolder() = default;

std::string_view DataFolder::file(std::string_view path) const {
  if (const auto here = files_->replacement(path)) return own_file(*here);
  const std::string_view text = embedded_text(path);
  if (text.data() == nullptr) {
    throw Error(ErrorKind::data, "there is no such data file", {}, std::string(path));
  }
  return text;
}

bool DataFolder::has_file(std::string_view path) const {
  return files_->replacement(path) || embedded_text(path).data() != nullptr;
}

std::string DataFolder::origin(std::string_view path) const {
  return files_->replacement(path).value_or(std::string(path));
}

std::vector<std::string> DataFolder::entries(std::string_view folder) const {
  constexpr std::string_view kExtension = ".json";
  const std::string start = std::string(folder) + "/";
  std::vector<std::string> names;
  const auto add = [&](std::string_view file) {
    if (!file.ends_with(kExtension) || file.find('/') != std::string_view::npos) return;
    names.emplace_back(file.substr(0, file.size() - kExtension.size()));
  };
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path.starts_with(start)) add(file.path.substr(start.size()));
  }
  if (!files_->directory.empty()) {
    std::error_code status;
    for (const auto& file :
         std::filesystem::directory_iterator(files_->directory + "/" + start, status)) {
      add(file.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string_view DataFolder::own_file(const std::string& path) const {
  const std::lock_guard lock(files_->mutex);
  auto found = files_->texts.find(path);
  if (found == files_->texts.end()) {
    found = files_->texts.emplace(path, read_text_file(path)).first;
  }
  return found->second;
}

bool DataFolder::is_built_in() const {
  return files_->directory.empty();
}

}  // namespace trcost
