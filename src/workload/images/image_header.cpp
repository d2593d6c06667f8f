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

#include "trcost/error.h"
#include "trcost/image_files.h"
#include "workload/images/exif.h"

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
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace trcost {
namespace {

// Enough of a file for its format, a WebP canvas (30 bytes) and an EXIF orientation.
constexpr std::size_t head_bytes = 4096;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::data, reason, {}, path);
}

File open(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) refuse(path, "is a folder, not an image");
  File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) refuse(path, "cannot be read: " + std::generic_category().message(errno));
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
  refuse(path, "is a WebP image, which this build cannot read");
#endif
}

}  // namespace

ImageSize read_image_size(const std::string& path) {
  const File file = open(path);
  std::array<std::uint8_t, head_bytes> buffer;
  const std::span<const std::uint8_t> head(buffer.data(),
                                           std::fread(buffer.data(), 1, buffer.size(), file.get()));
  if (head.empty()) refuse(path, "is an empty file");
  const std::string_view format = format_of(head);
  if (format.empty()) refuse(path, "is not a JPEG, PNG, GIF, BMP or WebP image");
  int width = 0;
  int height = 0;
  bool found = false;
  if (format == "WebP") {
    found = webp_size(head, width, height, path);
  } else {
    std::rewind(file.get());
    found = stbi_info_from_file(file.get(), &width, &height, nullptr) != 0;
  }
  if (!found || width < 1 || height < 1) {
    refuse(path, "has a damaged " + std::string(format) + " header");
  }
  if (format == "JPEG" && images::shown_turned(head)) return {height, width};
  return {width, height};
}

}  // namespace trcost
