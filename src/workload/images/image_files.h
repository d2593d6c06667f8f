// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "quantity/layers.h"
#include "trcost/tokens.h"

/// Sizes of real images, from file headers, never from pixels.
namespace trcost::workload {

/// Reads width and height from the header of a JPEG, PNG, GIF, BMP or WebP file. Swaps the sides if
/// a JPEG's EXIF orientation turns it by 90 degrees, as the preprocessors of transformers do.
/// Throws Error (data) with the reason and the path if the file cannot be read or has no such
/// header.
ImageSize read_image_size(const std::string& path);

/// The regular files below a folder, sorted by path, classified by name.
struct FolderListing {
  std::vector<std::string> images;  ///< names of image files, of readable formats or not
  std::size_t others = 0;           ///< files whose names are not those of images
  /// Subfolders that cannot be read, and why, sorted.
  std::vector<std::pair<std::string, std::string>> unread = {};
};

/// True if a name is that of an image file, of a readable format or not.
bool is_image_name(const std::string& path);

/// Walks a folder and its subfolders; folders reached through a symbolic link are left out.
/// Throws `Error` (data) when the folder itself cannot be read.
FolderListing list_image_folder(const std::string& folder);

}  // namespace trcost::workload
