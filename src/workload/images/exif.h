// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "quantity/layers.h"

namespace trcost::workload::images {

/// Whether a JPEG file that begins with `head` says in its EXIF data that it is shown turned by 90
/// degrees (orientation 5 to 8, tag 0x0112 of the first directory; CIPA DC-008, section 4.6.5).
/// False where there is no such tag within `head`.
bool shown_turned(std::span<const std::uint8_t> head);

}  // namespace trcost::workload::images
