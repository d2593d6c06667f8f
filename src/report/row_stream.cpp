// SPDX-License-Identifier: Apache-2.0
#include "report/row_stream.h"

#include <array>

#include "text/record_json.h"

namespace trcost {
namespace {

constexpr std::size_t kHeldBytes = std::size_t{1} << 20;

}  // namespace

RowStream::RowStream(const Record& head, std::string_view rows, Format format,
                     std::function<void(std::string_view)> write)
    : head_(head),
      plan_(head.table(), rows),
      list_(head.table().find(rows)),
      format_(format),
      write_(std::move(write)),
      json_(out_) {
  if (format_ == Format::csv) append_csv_header(out_, plan_);
  if (format_ != Format::json) return;
  json_.begin_object();
  write_members(json_, head_, 0, list_);
  json_.begin_array(rows);
}

void RowStream::add(const Record& row) {
  const std::array<Record, 2> way = {head_, row};
  if (format_ == Format::json) {
    write_row(json_, row);
  } else if (format_ == Format::csv) {
    append_csv_row(out_, plan_, way);
  } else {
    append_jsonl_row(out_, plan_, way);
  }
  flush(kHeldBytes);
}

void RowStream::finish(const Record& document) {
  if (format_ == Format::json) {
    json_.end_array();
    write_members(json_, document, list_ + 1, document.table().size());
    json_.end_object();
    out_ += '\n';
  }
  flush(0);
}

void RowStream::flush(std::size_t above) {
  if (out_.size() <= above) return;
  write_(out_);
  out_.clear();
}

}  // namespace trcost
