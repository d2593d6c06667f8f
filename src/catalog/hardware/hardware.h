// SPDX-License-Identifier: Apache-2.0
// Readers of data/accelerators and data/systems.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "catalog/data/sourced_values.h"
#include "json/strict_json.h"
#include "quantity/choice.h"
#include "quantity/layers.h"
#include "trcost/hardware.h"

namespace trcost::catalog {

/// Number formats of a chip. Empty for the fastest one that models have been trained in.
inline constexpr Choice<std::optional<Precision>> kPrecisions[] = {
    {"bf16", Precision::bf16},   {"fp16", Precision::fp16},   {"fp8", Precision::fp8},
    {"mxfp8", Precision::mxfp8}, {"nvfp4", Precision::nvfp4}, {"tf32", Precision::tf32},
    {"fp32", Precision::fp32},   {"best", std::nullopt}};

/// Dense FLOP/s of a chip in a format, empty if it lacks the format.
inline std::optional<double> peak_flops(const Accelerator& chip, Precision precision) {
  return chip.peak_flops[static_cast<std::size_t>(precision)];
}

/// Power and price of a server relative to its chips, for chips whose file leaves them out:
/// data/assumed/server.json.
std::span<const Constant<Accelerator>> server_facts();
Accelerator assumed_accelerator(const DataFolder& data);

/// Reads an accelerator's file. `accelerator` holds the values that the file may leave out. Throws
/// Error (data) for a malformed file.
Accelerator parse_accelerator(const JsonValue& document, Accelerator accelerator);

/// Reads a system's file. Throws Error (data) for a malformed one.
System parse_system(const JsonValue& document);

}  // namespace trcost::catalog
