// SPDX-License-Identifier: Apache-2.0
// Tables and text as HTML and Markdown.
#pragma once

#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "report/table/table.h"

namespace trcost::report {

/// Escapes text for HTML elements and quoted attributes.
std::string html_escape(std::string_view text);
/// Returns a table as `<table>...</table>` in a box that scrolls sideways. The first cell of each
/// row heads it. `caption` is for screen readers. The class `nK` aligns column K, from 1, as
/// numbers. `sorts` lets the script of the page sort and filter the rows.
std::string html_table(const Table& table, std::string_view caption = {}, bool sorts = false);
/// Columns that have a class of the table. Further ones have the class of their cells.
inline constexpr std::size_t kClassedColumns = 24;

/// Escapes text for a cell of a Markdown table: one line, no markup, no end of the cell.
std::string markdown_escape(std::string_view text);
/// Returns a table as GitHub-flavoured Markdown.
std::string markdown_table(const Table& table);

}  // namespace trcost::report
