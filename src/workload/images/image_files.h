// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "trcost/tokens.h"

/// Sizes of real images, from file headers, never from pixels.
namespace trcost {

/// Width and height as the image is shown: read from the header of a JPEG, PNG, GIF, BMP or WebP
/// file, with the sides swapped where a JPEG's EXIF orientation turns it by 90 degrees (the
/// preprocessors of transformers apply it when they load a file). Throws `Error` (data) when the
/// file cannot be read or has no such header; the message is the reason, the location the path.
ImageSize read_image_size(const std::string& path);

/// The regular files below a folder, sorted by path, by what their names say.
struct FolderListing {
  std::vector<std::string> images;  ///< names of image files, of readable formats or not
  std::size_t others = 0;           ///< files whose names are not those of images
  /// Subfolders that cannot be read, and why, sorted.
  std::vector<std::pair<std::string, std::string>> unread = {};
};

/// Whether a name is that of an image file, of readable formats or not.
bool is_image_name(const std::string& path);

/// Walks a folder and its subfolders; folders reached through a symbolic link are left out.
/// Throws `Error` (data) when the folder itself cannot be read.
FolderListing list_image_folder(const std::string& folder);

}  // namespace trcost
