// SPDX-License-Identifier: Apache-2.0
// Differences of two saved results of one command.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "text/column.h"
#include "trcost/bill.h"
#include "trcost/numbers.h"

namespace trcost::study {

/// One value of a saved result. Null and missing values are unknown, which is never 0.
struct DiffValue {
  bool known = false;
  std::optional<double> number;  ///< of a number
  std::string text = {};         ///< of everything else
  bool is_default = false;       ///< not set by the user
  bool is_estimated = false;     ///< follows from an imputed price
  /// Whether the values are equal, set by the user or not.
  friend bool operator==(const DiffValue& a, const DiffValue& b) {
    return a.known == b.known && a.number == b.number && a.text == b.text;
  }
};

/// A value that differs.
struct DiffRow {
  std::string path;  ///< `model.params`, `cost.total`, or the name of a line item
  std::string unit;
  NumberKind display = NumberKind::number;
  DiffValue before;
  DiffValue after;
  bool main = true;  ///< shown without DiffReport::everything
  /// after / before - 1, or empty if one is not a number or the first is 0.
  [[nodiscard]] std::optional<double> change() const;
};

/// Rank of a row among those of its result, as `estimate` names the cheapest: rows that fit in
/// memory, then by evidence of the price, then by total.
struct RowRank {
  bool unfit = false;
  PriceEvidence evidence = PriceEvidence::quotes;
  double total = 0;
  auto operator<=>(const RowRank&) const = default;
};

/// One platform, or another row of a result. `before` or `after` is empty if that result lacks it.
struct DiffPlatform {
  std::string before;  ///< accelerator, and what else names the row
  std::string after;
  DiffRow total;                       ///< the figure of the row, also when it is the same
  std::vector<DiffRow> figures;        ///< columns that differ, in the order of the JSON document
  std::vector<DiffRow> items;          ///< amounts, quantities and unit prices that differ
  std::optional<RowRank> before_rank;  ///< empty without a total
  std::optional<RowRank> after_rank;
};

struct DiffResult {
  std::string_view subject;     ///< of the totals: `Training cost`
  std::vector<DiffRow> inputs;  ///< scenario fields, and the versions of program and prices
  std::vector<DiffPlatform> platforms;
  [[nodiscard]] bool same() const;
};

/// Compares two documents of one command. `a_origin` and `b_origin` name their files in messages.
/// Rows are matched by name, an estimate's by accelerator. Two results of one row each are compared
/// as they are. Throws Error (data) for text that is not such a result.
DiffResult diff_results(std::string_view a, std::string_view a_origin, std::string_view b,
                        std::string_view b_origin);

/// Rise of a total that is allowed.
struct DiffLimit {
  double share = 0;           ///< of the first total, 0.1: ten percent
  std::optional<double> usd;  ///< instead of the share
};

/// Platforms whose total rises by more than `most`, and those that cannot be compared: one of the
/// results lacks them, or a total is unknown.
std::vector<std::string> totals_above(const DiffResult& result, const DiffLimit& most);

/// Content of `trcost diff`. `everything` adds figures that are not main ones.
struct DiffReport {
  DiffResult result;
  std::string a;  ///< names of the files
  std::string b;
  bool everything = false;
  std::optional<DiffLimit> fail_above;
};

const Columns<DiffReport>& diff_columns();
inline constexpr Subject<DiffReport> kDiff = {"difference", diff_columns, "differences"};

}  // namespace trcost::study
