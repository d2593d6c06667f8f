// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "estimate/estimate_columns.h"

namespace trcost {

/// The columns' paths, separated by commas, without a line end.
void append_csv_header_cells(std::string& out, std::span<const EstimateColumn* const> columns);
/// The cells of one estimate, without a line end; empty for unknown, `true`/`false`.
void append_csv_cells(std::string& out, const Estimate& estimate,
                      std::span<const EstimateColumn* const> columns);
/// The same with LF at the end.
void append_csv_header(std::string& out, std::span<const EstimateColumn* const> columns);
void append_csv_row(std::string& out, const Estimate& estimate,
                    std::span<const EstimateColumn* const> columns);

/// `"path":value,...` of one estimate without braces, null for unknown, for rows that begin with
/// other members.
void append_json_members(std::string& out, const Estimate& estimate,
                         std::span<const EstimateColumn* const> columns);
/// One line of JSON Lines: a flat object with the columns' paths as keys, and LF.
void append_jsonl_row(std::string& out, const Estimate& estimate,
                      std::span<const EstimateColumn* const> columns);

}  // namespace trcost
