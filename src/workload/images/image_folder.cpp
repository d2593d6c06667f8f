// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "quantity/suggest.h"
#include "trcost/error.h"
#include "workload/images/image_files.h"

namespace trcost::workload {

namespace {

namespace fs = std::filesystem;

// Extensions of image files, those of formats that cannot be read included: such a file is named
// as unread rather than passed over.
constexpr std::array<std::string_view, 16> image_extensions = {
    ".jpg", ".jpeg", ".jpe",  ".jfif", ".png",  ".gif", ".bmp", ".webp",
    ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl", ".jp2", ".ppm"};

[[noreturn]] void refuse_folder(const std::string& folder, const std::error_code& why) {
  throw Error(ErrorKind::data, "the folder cannot be read: " + why.message(),
              "give a folder of images or a CSV file of sizes", folder);
}

void add_entry(const fs::directory_entry& entry, FolderListing& listing,
               std::vector<fs::path>& folders) {
  std::error_code none;
  if (entry.is_directory(none) && !entry.is_symlink(none)) {
    folders.push_back(entry.path());
  } else if (entry.is_regular_file(none)) {
    if (is_image_name(entry.path().string())) {
      listing.images.push_back(entry.path().string());
    } else {
      ++listing.others;
    }
  }
}

}  // namespace

bool is_image_name(const std::string& path) {
  const std::string extension = lower_case(fs::path(path).extension().string());
  return std::find(image_extensions.begin(), image_extensions.end(), extension) !=
         image_extensions.end();
}

FolderListing list_image_folder(const std::string& folder) {
  FolderListing listing;
  std::vector<fs::path> left = {folder};
  while (!left.empty()) {
    const fs::path here = left.back();
    left.pop_back();
    std::error_code failed;
    fs::directory_iterator entry(here, failed);
    for (const fs::directory_iterator end; !failed && entry != end; entry.increment(failed)) {
      add_entry(*entry, listing, left);
    }
    if (!failed) continue;
    if (here == folder) refuse_folder(folder, failed);
    listing.unread.emplace_back(here.string(), failed.message());
  }
  std::sort(listing.images.begin(), listing.images.end());
  std::sort(listing.unread.begin(), listing.unread.end());
  return listing;
}

}  // namespace trcost::workload
