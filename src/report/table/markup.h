// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/table/table.h"

namespace trcost::report {

/// Text for HTML, inside elements and quoted attributes.
std::string html_escape(std::string_view text);
/// Text for a cell of a Markdown table: one line, nothing that starts markup or ends the cell.
std::string markdown_escape(std::string_view text);
/// `<table>...</table>` of a Table.
std::string html_table(const Table& table);
/// A whole page around `body`: own styles, no scripts, nothing loaded from elsewhere.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace trcost::report
