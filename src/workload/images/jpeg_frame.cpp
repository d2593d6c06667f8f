// SPDX-License-Identifier: Apache-2.0
#include "workload/images/jpeg_frame.h"

namespace trcost::workload::images {

namespace {

// Marker codes of ITU-T T.81, table B.1.
constexpr int start_of_image = 0xD8;
constexpr int end_of_image = 0xD9;
constexpr int start_of_scan = 0xDA;
constexpr int temporary = 0x01;

/// A start of frame: C0 to CF without the tables (C4, CC) and the reserved code (C8).
bool is_frame(int marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/// Markers that no segment follows: restarts, start of image and the temporary one.
bool stands_alone(int marker) {
  return marker == temporary || (marker >= 0xD0 && marker <= start_of_image);
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

}  // namespace

std::vector<std::uint8_t> jpeg_frame_header(std::FILE* file) {
  for (int marker = next_marker(file); marker != EOF; marker = next_marker(file)) {
    if (stands_alone(marker)) continue;
    if (marker == end_of_image || marker == start_of_scan) return {};
    const int high = std::fgetc(file);
    const int low = std::fgetc(file);
    const int length = high * 256 + low;
    if (high == EOF || low == EOF || length < 2) return {};
    if (!is_frame(marker)) {
      if (std::fseek(file, length - 2, SEEK_CUR) != 0) return {};
      continue;
    }
    std::vector<std::uint8_t> header = {0xFF,
                                        start_of_image,
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

}  // namespace trcost::workload::images
