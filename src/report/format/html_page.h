// SPDX-License-Identifier: Apache-2.0
// The frame of a page of HTML: document head, style sheet, and body.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"

namespace trcost::report {

/// Wraps `body` into a whole page with its own styles and no external resources.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace trcost::report
