// SPDX-License-Identifier: Apache-2.0
// Whose prices an answer is made from, and which program and price book made it: in every document,
// so that it can be audited later.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "text/json_writer.h"
#include "report/text_page.h"
#include "trcost/columns.h"
#include "trcost/table.h"

namespace trcost {

/// Class, imputation, date and provider of the price, date of the price book, version: the columns
/// that stand beside a price in every flat table.
const std::vector<const EstimateColumn*>& provenance_columns();
/// A cell of any column of an estimate, as machines read it.
Cell column_cell(const EstimateColumn& column, const Estimate& estimate);
/// Class, imputation, date and provider of the price as members of an open object.
void write_provenance(JsonWriter& writer, const Estimate& estimate);
/// The price of each platform in words, with where it comes from, and the price book's date.
std::vector<Fact> provenance_facts(std::span<const Estimate> estimates,
                                   std::string_view price_data_date);

}  // namespace trcost
