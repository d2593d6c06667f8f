// SPDX-License-Identifier: Apache-2.0
#include "workload/images/image_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "quantity/suggest.h"
#include "text/files.h"
#include "trcost/error.h"

#if TRCOST_HAVE_WEBP
#include <webp/decode.h>
#endif

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#define STBI_ONLY_GIF
#define STBI_ONLY_BMP
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace trcost::workload {
namespace {

// Enough of a file for its format, a WebP canvas (30 bytes) and an EXIF orientation.
constexpr std::size_t kHeadBytes = 4096;

using Bytes = std::span<const std::uint8_t>;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Marker codes of ITU-T T.81, table B.1.
constexpr int kStartOfImage = 0xD8;
constexpr int kEndOfImage = 0xD9;
constexpr int kStartOfScan = 0xDA;
constexpr int kApp1 = 0xE1;
constexpr int kTemporary = 0x01;

constexpr std::array<std::uint8_t, 6> kExifId = {'E', 'x', 'i', 'f', 0, 0};
constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::size_t kEntryBytes = 12;

/// An unsigned number of `bytes` bytes at `offset`, or nothing past the end.
std::optional<std::uint32_t> exif_number(Bytes data, std::size_t offset, std::size_t bytes,
                                         bool little) {
  if (offset > data.size() || data.size() - offset < bytes) return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value = value << 8 | data[offset + (little ? bytes - 1 - i : i)];
  }
  return value;
}

/// The payload of the first APP1 segment that holds EXIF data, as far as it is in `head`.
Bytes exif_block(Bytes head) {
  std::size_t at = 2;  // after the start-of-image marker
  while (at + 4 <= head.size() && head[at] == 0xFF && head[at + 1] != kStartOfScan) {
    const std::size_t length = *exif_number(head, at + 2, 2, false);
    const Bytes payload = head.subspan(at + 4);
    if (head[at + 1] == kApp1 && payload.size() > kExifId.size() &&
        std::equal(kExifId.begin(), kExifId.end(), payload.begin())) {
      return payload.subspan(kExifId.size());
    }
    at += 2 + length;
  }
  return {};
}

/// True if a JPEG file that begins with `head` says in its EXIF data that it is shown turned by 90
/// degrees (orientation 5 to 8, tag 0x0112 of the first directory, CIPA DC-008, section 4.6.5).
/// False if there is no such tag within `head`.
bool shown_turned(Bytes head) {
  const Bytes tiff = exif_block(head);
  if (tiff.size() < 8) return false;
  const bool little = tiff[0] == 'I';
  const auto directory = exif_number(tiff, 4, 4, little);
  const auto entries = directory ? exif_number(tiff, *directory, 2, little) : std::nullopt;
  for (std::size_t i = 0; i < entries.value_or(0); ++i) {
    const std::size_t entry = std::size_t{*directory} + 2 + i * kEntryBytes;
    const auto tag = exif_number(tiff, entry, 2, little);
    if (!tag) break;
    if (*tag == kOrientationTag) return exif_number(tiff, entry + 8, 2, little).value_or(1) >= 5;
  }
  return false;
}

/// A start of frame: C0 to CF without the tables (C4, CC) and the reserved code (C8).
bool is_frame(int marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/// Markers that no segment follows: restarts, start of image and the temporary one.
bool stands_alone(int marker) {
  return marker == kTemporary || (marker >= 0xD0 && marker <= kStartOfImage);
}

/// The next marker code, over stray bytes and fill bytes; EOF at the end.
int next_marker(std::FILE* file) {
  int c = std::fgetc(file);
  while (c != EOF) {
    if (c != 0xFF) {
      c = std::fgetc(file);
      continue;
    }
    while (c == 0xFF) c = std::fgetc(file);
    if (c != 0x00) return c;
  }
  return EOF;
}

/// A JPEG file cut down to its start and its frame header, which holds the size. All other segments
/// are skipped unread (ITU-T T.81, annex B). Empty if there is no frame header before the scan.
std::vector<std::uint8_t> jpeg_frame_header(std::FILE* file) {
  for (int marker = next_marker(file); marker != EOF; marker = next_marker(file)) {
    if (stands_alone(marker)) continue;
    if (marker == kEndOfImage || marker == kStartOfScan) return {};
    const int high = std::fgetc(file);
    const int low = std::fgetc(file);
    const int length = high * 256 + low;
    if (high == EOF || low == EOF || length < 2) return {};
    if (!is_frame(marker)) {
      if (std::fseek(file, length - 2, SEEK_CUR) != 0) return {};
      continue;
    }
    std::vector<std::uint8_t> header = {0xFF,
                                        kStartOfImage,
                                        0xFF,
                                        static_cast<std::uint8_t>(marker),
                                        static_cast<std::uint8_t>(high),
                                        static_cast<std::uint8_t>(low)};
    const std::size_t fixed = header.size();
    header.resize(fixed + static_cast<std::size_t>(length - 2));
    header.resize(fixed + std::fread(header.data() + fixed, 1, header.size() - fixed, file));
    return header;
  }
  return {};
}

[[noreturn]] void refuse_image(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::data, reason, {}, path);
}

File open(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) refuse_image(path, "is a folder, not an image");
  File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) refuse_image(path, "cannot be read: " + std::generic_category().message(errno));
  note_input(path);
  return file;
}

bool begins(Bytes head, std::string_view magic, std::size_t offset = 0) {
  return head.size() >= offset + magic.size() &&
         std::memcmp(head.data() + offset, magic.data(), magic.size()) == 0;
}

/// The format by the first bytes, empty when it is none of those that are read.
std::string_view format_of(Bytes head) {
  if (begins(head, "\xFF\xD8\xFF")) return "JPEG";
  if (begins(head, "\x89PNG\r\n\x1A\n")) return "PNG";
  if (begins(head, "GIF87a") || begins(head, "GIF89a")) return "GIF";
  if (begins(head, "BM")) return "BMP";
  if (begins(head, "RIFF") && begins(head, "WEBP", 8)) return "WebP";
  return {};
}

bool webp_size(Bytes head, int& width, int& height, const std::string& path) {
#if TRCOST_HAVE_WEBP
  static_cast<void>(path);
  return WebPGetInfo(head.data(), head.size(), &width, &height) != 0;
#else
  static_cast<void>(head), static_cast<void>(width), static_cast<void>(height);
  refuse_image(path, "is a WebP image, which this build cannot read");
#endif
}

// Only the frame header of a JPEG goes to stb_image, whose version 2.27 reads Huffman tables on its
// way there and overruns on damaged ones.
bool jpeg_size(std::FILE* file, int& width, int& height) {
  std::rewind(file);
  const std::vector<std::uint8_t> header = jpeg_frame_header(file);
  return stbi_info_from_memory(header.data(), static_cast<int>(header.size()), &width, &height,
                               nullptr) != 0;
}

bool size_of(std::string_view format, Bytes head, std::FILE* file, const std::string& path,
             int& width, int& height) {
  if (format == "WebP") return webp_size(head, width, height, path);
  if (format == "JPEG") return jpeg_size(file, width, height);
  std::rewind(file);
  return stbi_info_from_file(file, &width, &height, nullptr) != 0;
}

namespace fs = std::filesystem;

// Extensions of image files, those of formats that cannot be read included: such a file is named
// as unread rather than passed over.
constexpr std::array<std::string_view, 16> kImageExtensions = {
    ".jpg", ".jpeg", ".jpe",  ".jfif", ".png",  ".gif", ".bmp", ".webp",
    ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl", ".jp2", ".ppm"};

[[noreturn]] void refuse_folder(const std::string& folder, const std::error_code& why) {
  throw Error(ErrorKind::data, "the folder cannot be read: " + why.message(),
              "use a folder of images or a CSV file of sizes", folder);
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

ImageSize read_image_size(const std::string& path) {
  const File file = open(path);
  std::array<std::uint8_t, kHeadBytes> buffer;
  const Bytes head(buffer.data(), std::fread(buffer.data(), 1, buffer.size(), file.get()));
  if (head.empty()) refuse_image(path, "is an empty file");
  const std::string_view format = format_of(head);
  if (format.empty()) refuse_image(path, "is not a JPEG, PNG, GIF, BMP or WebP image");
  int width = 0;
  int height = 0;
  if (!size_of(format, head, file.get(), path, width, height) || width < 1 || height < 1) {
    refuse_image(path, "has a damaged " + std::string(format) + " header");
  }
  if (format == "JPEG" && shown_turned(head)) return {height, width};
  return {width, height};
}

bool is_image_name(const std::string& path) {
  const std::string extension = lower_case(fs::path(path).extension().string());
  return std::find(kImageExtensions.begin(), kImageExtensions.end(), extension) !=
         kImageExtensions.end();
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
