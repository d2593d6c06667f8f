// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "text/input_files.h"
#include "trcost/error.h"
#include "workload/images/exif.h"
#include "workload/images/image_files.h"
#include "workload/images/jpeg_frame.h"

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
constexpr std::size_t head_bytes = 4096;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

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

bool begins(std::span<const std::uint8_t> head, std::string_view magic, std::size_t offset = 0) {
  return head.size() >= offset + magic.size() &&
         std::memcmp(head.data() + offset, magic.data(), magic.size()) == 0;
}

/// The format by the first bytes, empty when it is none of those that are read.
std::string_view format_of(std::span<const std::uint8_t> head) {
  if (begins(head, "\xFF\xD8\xFF")) return "JPEG";
  if (begins(head, "\x89PNG\r\n\x1A\n")) return "PNG";
  if (begins(head, "GIF87a") || begins(head, "GIF89a")) return "GIF";
  if (begins(head, "BM")) return "BMP";
  if (begins(head, "RIFF") && begins(head, "WEBP", 8)) return "WebP";
  return {};
}

bool webp_size(std::span<const std::uint8_t> head, int& width, int& height,
               const std::string& path) {
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
  const std::vector<std::uint8_t> header = images::jpeg_frame_header(file);
  return stbi_info_from_memory(header.data(), static_cast<int>(header.size()), &width, &height,
                               nullptr) != 0;
}

bool size_of(std::string_view format, std::span<const std::uint8_t> head, std::FILE* file,
             const std::string& path, int& width, int& height) {
  if (format == "WebP") return webp_size(head, width, height, path);
  if (format == "JPEG") return jpeg_size(file, width, height);
  std::rewind(file);
  return stbi_info_from_file(file, &width, &height, nullptr) != 0;
}

}  // namespace

ImageSize read_image_size(const std::string& path) {
  const File file = open(path);
  std::array<std::uint8_t, head_bytes> buffer;
  const std::span<const std::uint8_t> head(buffer.data(),
                                           std::fread(buffer.data(), 1, buffer.size(), file.get()));
  if (head.empty()) refuse_image(path, "is an empty file");
  const std::string_view format = format_of(head);
  if (format.empty()) refuse_image(path, "is not a JPEG, PNG, GIF, BMP or WebP image");
  int width = 0;
  int height = 0;
  if (!size_of(format, head, file.get(), path, width, height) || width < 1 || height < 1) {
    refuse_image(path, "has a damaged " + std::string(format) + " header");
  }
  if (format == "JPEG" && images::shown_turned(head)) return {height, width};
  return {width, height};
}

}  // namespace trcost::workload
