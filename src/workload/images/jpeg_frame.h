// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

#include "quantity/layers.h"

namespace trcost::workload::images {

/// A JPEG file cut down to its start and its frame header, which holds the size: all other segments
/// are skipped unread (ITU-T T.81, annex B). Empty where there is no frame header before the scan.
std::vector<std::uint8_t> jpeg_frame_header(std::FILE* file);

}  // namespace trcost::workload::images
