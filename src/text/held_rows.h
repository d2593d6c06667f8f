// SPDX-License-Identifier: Apache-2.0
// Rows kept in memory until the last one is known: the values of their columns, some bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "text/column_table.h"

namespace trcost::text {

/// Appends the values of a row, in the order of its columns.
void store_row(std::string& out, const Record& row);

/// Rows that store_row() stored, with their columns.
class HeldRows final : public ColumnTable {
 public:
  /// `columns` has to outlive it.
  explicit HeldRows(const ColumnTable& columns) : columns_(&columns) {}

  void add(std::string_view rows);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// All rows, in their order; each is valid during the call.
  void each(RowSink& sink) const;

  [[nodiscard]] std::size_t size() const override { return columns_->size(); }
  [[nodiscard]] const ColumnInfo& info(std::size_t column) const override {
    return columns_->info(column);
  }
  [[nodiscard]] Value value(const void* subject, std::size_t column) const override;
  void rows(const void*, std::size_t, RowSink&) const override {}

 private:
  const ColumnTable* columns_;
  std::string bytes_;
  std::uint64_t count_ = 0;
};

}  // namespace trcost::text
