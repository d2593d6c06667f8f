// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/report.h"

namespace trcost::report {

/// Columns that UTF-8 text takes on a terminal: 2 for East Asian wide characters and emoji, 0 for
/// combining marks and escape sequences of colours, 1 for the rest.
int display_width(std::string_view text);

/// At most `width` columns; a longer text ends in an ellipsis.
std::string cut_to_width(std::string_view text, int width, bool unicode);

/// Lines of at most `width` columns, broken at spaces, longer words broken anywhere. At least one
/// line.
std::vector<std::string> wrap_to_width(std::string_view text, int width);

/// `text` filled with spaces to `width` columns.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

/// Looks of text; nothing is added when colour is off.
enum class Ink { plain, bold, dim, heading, good, warn, accent };
std::string paint(std::string_view text, Ink ink, const Style& style);

}  // namespace trcost::report
