// SPDX-License-Identifier: Apache-2.0
#include "report/format/row_stream.h"

#include <array>

#include "report/format/format.h"

namespace trcost::report {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

bool can_stream(Format format) {
  return format_writer(format).rows != nullptr;
}

RowStream::RowStream(const Record& head, std::string_view rows, Format format,
                     std::function<void(std::string_view)> write)
    : head_(head),
      plan_(head.table(), rows),
      writer_(format_writer(format).rows),
      write_(std::move(write)) {
  writer_->open(out_, plan_, head_);
}

void RowStream::add(const Record& row) {
  const std::array<Record, 2> way = {head_, row};
  if (any_) out_ += writer_->between;
  any_ = true;
  writer_->row(out_, plan_, way);
  flush(kBufferBytes);
}

void RowStream::finish(const Record& document) {
  if (writer_->close != nullptr) writer_->close(out_, plan_, document, any_);
  flush(0);
}

void RowStream::flush(std::size_t above) {
  if (out_.size() <= above) return;
  write_(out_);
  out_.clear();
}

}  // namespace trcost::report
