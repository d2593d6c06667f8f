// SPDX-License-Identifier: Apache-2.0
// Widths, line breaks and colours of text on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "trcost/report.h"

namespace trcost::report {

/// Returns the columns that UTF-8 text takes on a terminal: 2 for East Asian wide characters and
/// emoji, 0 for combining marks and colour sequences, 1 for the rest.
int display_width(std::string_view text);

/// Cuts text to at most `width` columns, with an ellipsis at the end of a longer one.
std::string cut_to_width(std::string_view text, int width, bool unicode);

/// Breaks text into at least one line of at most `width` columns, at spaces and within longer
/// words.
std::vector<std::string> wrap_to_width(std::string_view text, int width);

/// Adds spaces at the end up to `width` columns.
std::string pad_right(std::string_view text, int width);
/// Adds spaces at the start up to `width` columns.
std::string pad_left(std::string_view text, int width);

/// Role of a text, which decides its colour.
enum class Ink { plain, bold, dim, heading, good, warn, accent };
/// Adds the colour sequences of `ink`, if the style has colour.
std::string paint(std::string_view text, Ink ink, const Style& style);

}  // namespace trcost::report
