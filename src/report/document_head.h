// SPDX-License-Identifier: Apache-2.0
// What every document begins with, whatever command wrote it.
#pragma once

#include <string>
#include <string_view>

#include "text/json_writer.h"
#include "trcost/report.h"

namespace trcost {

/// `trcost 0.1.0, prices as of 2026-10-26`; without prices where the date is empty.
std::string made_by(std::string_view price_data_date = {});

/// The versions, as the first members of a JSON document.
void write_versions(JsonWriter& writer);
/// The versions and the date of the price book, null where there is none.
void write_versions(JsonWriter& writer, std::string_view price_data_date);

}  // namespace trcost
