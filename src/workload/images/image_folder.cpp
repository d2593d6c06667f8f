// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "trcost/error.h"
#include "trcost/image_files.h"

namespace trcost {
namespace {

namespace fs = std::filesystem;

// Extensions of image files, those of formats that cannot be read included: such a file is named
// as unread rather than passed over.
constexpr std::array<std::string_view, 16> image_extensions = {
    ".jpg", ".jpeg", ".jpe",  ".jfif", ".png",  ".gif", ".bmp", ".webp",
    ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl", ".jp2", ".ppm"};

[[noreturn]] void refuse(const std::string& folder, const std::error_code& why) {
  throw Error(ErrorKind::data, "the folder cannot be read: " + why.message(),
              "give a folder of images or a CSV file of sizes", folder);
}

}  // namespace

bool is_image_name(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::find(image_extensions.begin(), image_extensions.end(), extension) !=
         image_extensions.end();
}

FolderListing list_image_folder(const std::string& folder) {
  FolderListing listing;
  std::error_code failed;
  fs::recursive_directory_iterator entry(folder, failed);
  if (failed) refuse(folder, failed);
  for (const fs::recursive_directory_iterator end; entry != end;) {
    if (entry->is_regular_file(failed)) {
      if (is_image_name(entry->path().string())) {
        listing.images.push_back(entry->path().string());
      } else {
        ++listing.others;
      }
    }
    entry.increment(failed);
    if (failed) refuse(folder, failed);
  }
  std::sort(listing.images.begin(), listing.images.end());
  return listing;
}

}  // namespace trcost
