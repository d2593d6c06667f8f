// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "quantity/layers.h"
#include "trcost/tokens.h"

/// Sizes of real images: from file headers, never from pixels, or from a table of sizes.
namespace trcost::workload {

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

/// One row of a table of sizes.
struct SizesRow {
  ImageSize size;
  std::int64_t count = 1;  ///< images of this size
  std::int64_t line = 0;   ///< line in the file, from 1
};

/// A row that cannot be read: its line, and why.
struct BadRow {
  std::int64_t line = 0;
  std::string reason;
};

/// Reads a CSV file (RFC 4180) whose header names the columns `width` and `height`, and may name
/// `count`; other columns are left alone. A row with a cell that is missing or not a whole number
/// of at least 1 goes to `bad`, every other one to `good`, in the order of the file; none is kept.
/// Throws `Error` (data) where the file cannot be read, is empty, its header lacks a column, or it
/// is no table: a line without end, or bad rows without end.
void read_image_sizes(const std::string& path, const std::function<void(const SizesRow&)>& good,
                      const std::function<void(const BadRow&)>& bad);

}  // namespace trcost::workload
