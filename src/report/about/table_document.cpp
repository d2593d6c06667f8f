// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cctype>
#include <memory>

#include "report/about/documents.h"

#include "report/page/page.h"

namespace trcost::report {
namespace {

using DocumentRow = std::vector<Cell>;

Value cell_value(const Cell& cell) {
  switch (cell.kind()) {
    case Cell::Kind::text:
      return cell.is_json() ? Value::json(cell.text()) : Value(std::string_view(cell.text()));
    case Cell::Kind::number:
      return {cell.value()};
    case Cell::Kind::boolean:
      return Value::boolean(cell.value());
    case Cell::Kind::unknown:
      return {};
  }
  return {};
}

ColumnInfo column_info(std::string_view path, ColumnKind kind) {
  ColumnInfo info;
  info.path = path;
  info.kind = kind;
  return info;
}

// The columns of a row.
class RowColumns final : public ColumnTable {
 public:
  explicit RowColumns(const Table& table) {
    for (const TableColumn& column : table.columns()) {
      infos_.push_back(column_info(column.key, ColumnKind::mixed));
    }
  }
  [[nodiscard]] std::size_t size() const override { return infos_.size(); }
  [[nodiscard]] const ColumnInfo& info(std::size_t column) const override { return infos_[column]; }
  [[nodiscard]] Value value(const void* subject, std::size_t column) const override {
    return cell_value((*static_cast<const DocumentRow*>(subject))[column]);
  }
  void rows(const void*, std::size_t, RowSink&) const override {}

 private:
  std::vector<ColumnInfo> infos_;
};

// Versions, then the rows.
class ListColumns final : public ColumnTable {
 public:
  ListColumns(Table table, std::string name)
      : name_(std::move(name)),
        table_(std::move(table)),
        rows_(table_),
        infos_{column_info("schema_version", ColumnKind::text),
               column_info("trcost_version", ColumnKind::text),
               column_info(name_, ColumnKind::list)} {}

  [[nodiscard]] std::size_t size() const override { return infos_.size(); }
  [[nodiscard]] const ColumnInfo& info(std::size_t column) const override { return infos_[column]; }
  [[nodiscard]] Value value(const void*, std::size_t column) const override {
    if (column == 2) return {};
    return {column == 0 ? kSchemaVersion : trcost_version()};
  }
  void rows(const void*, std::size_t, RowSink& sink) const override {
    for (const DocumentRow& row : table_.rows()) sink.row({rows_, &row});
  }
  [[nodiscard]] const ColumnTable& items(std::size_t) const override { return rows_; }

  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  Table table_;
  RowColumns rows_;
  std::array<ColumnInfo, 3> infos_;
};

std::string capitalise(std::string title) {
  if (!title.empty()) {
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  }
  return title;
}

}  // namespace

Document table_document(Table table, std::string name, std::string title) {
  const auto listing = std::make_shared<ListColumns>(std::move(table), std::move(name));
  auto page = [listing, title = capitalise(title.empty() ? listing->name() : title)] {
    Page out{title, made_by(), {}};
    out.bare = true;
    out.add(Grid{.table = listing->table(), .sorts = true});
    return out;
  };
  Document document{Record(*listing, listing.get()), listing->name(), page};
  document.owned = listing;
  return document;
}

}  // namespace trcost::report
