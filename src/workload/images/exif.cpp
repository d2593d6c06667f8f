// SPDX-License-Identifier: Apache-2.0
#include "workload/images/exif.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace trcost::workload::images {

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint8_t marker_app1 = 0xE1;
constexpr std::uint8_t marker_scan = 0xDA;
constexpr std::array<std::uint8_t, 6> exif_id = {'E', 'x', 'i', 'f', 0, 0};
constexpr std::uint32_t orientation_tag = 0x0112;
constexpr std::size_t entry_bytes = 12;

/// An unsigned number of `bytes` bytes at `offset`, or nothing past the end.
std::optional<std::uint32_t> number(Bytes data, std::size_t offset, std::size_t bytes,
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
  while (at + 4 <= head.size() && head[at] == 0xFF && head[at + 1] != marker_scan) {
    const std::size_t length = *number(head, at + 2, 2, false);
    const Bytes payload = head.subspan(at + 4);
    if (head[at + 1] == marker_app1 && payload.size() > exif_id.size() &&
        std::equal(exif_id.begin(), exif_id.end(), payload.begin())) {
      return payload.subspan(exif_id.size());
    }
    at += 2 + length;
  }
  return {};
}

}  // namespace

bool shown_turned(Bytes head) {
  const Bytes tiff = exif_block(head);
  if (tiff.size() < 8) return false;
  const bool little = tiff[0] == 'I';
  const auto directory = number(tiff, 4, 4, little);
  const auto entries = directory ? number(tiff, *directory, 2, little) : std::nullopt;
  for (std::size_t i = 0; i < entries.value_or(0); ++i) {
    const std::size_t entry = std::size_t{*directory} + 2 + i * entry_bytes;
    const auto tag = number(tiff, entry, 2, little);
    if (!tag) break;
    if (*tag == orientation_tag) return number(tiff, entry + 8, 2, little).value_or(1) >= 5;
  }
  return false;
}

}  // namespace trcost::workload::images
