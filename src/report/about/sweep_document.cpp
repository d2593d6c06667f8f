// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <utility>

#include "report/about/sweep.h"
#include "report/about/sweep_document.h"
#include "report/format/format.h"
#include "trcost/error.h"

namespace trcost::report {

SweepRenderer sweep_renderer(const SweepPlan& plan, Format format) {
  const RowWriter* writer = format_writer(format).rows;
  std::shared_ptr<const SweepTable> table = sweep_table(plan, format);
  if (writer == nullptr) {
    return [table](const SweepRow& row, std::string& out) {
      hold_row(out, record_of(table->rows(), row));
    };
  }
  static const SweepHead kNone;
  return [table, writer](const SweepRow& row, std::string& out) {
    const std::array<Record, 2> way = {record_of(table->document(), kNone),
                                       record_of(table->rows(), row)};
    out += writer->between;
    writer->row(out, table->plan(), way);
  };
}

SweepFile sweep_file(const SweepPlan& plan, Format format) {
  SweepFile out;
  out.lines = format_writer(format).rows;
  SweepDocument(plan, format, {}, [&](std::string_view text) { out.opening += text; }).open();
  out.row = sweep_renderer(plan, format);
  return out;
}

SweepDocument::SweepDocument(const SweepPlan& plan, Format format, const Style& style, Write write,
                             std::string price_data_date, std::string command)
    : plan_(&plan),
      format_(format),
      writer_(&format_writer(format)),
      table_(sweep_table(plan, format)),
      style_(style),
      head_{std::move(price_data_date), scenario_to_json(plan.base())},
      command_(std::move(command)),
      write_(std::move(write)),
      held_(table_->rows()) {}

void SweepDocument::open() {
  const bool part = format_info(format_).form == Form::lines && !plan_->first_shard();
  if (writer_->rows == nullptr || part) return;
  std::string out;
  writer_->rows->open(out, table_->plan(), record_of(table_->document(), head_));
  if (!out.empty()) write_(out);
}

void SweepDocument::add(std::string_view rows) {
  if (rows.empty()) return;
  if (writer_->rows == nullptr) return hold(rows);
  if (!std::exchange(any_, true)) rows.remove_prefix(writer_->rows->between.size());
  write_(rows);
}

void SweepDocument::hold(std::string_view rows) {
  held_.add(rows);
  if (held_.count() <= writer_->most_rows) return;
  throw Error(ErrorKind::usage,
              fmt::format("more than {} rows for a {}", writer_->most_rows, writer_->within),
              "use --format csv, or keep fewer rows with --where or --sort and --top");
}

void SweepDocument::close(bool interrupted) {
  head_.interrupted = interrupted;
  if (writer_->rows == nullptr) {
    Document document = sweep_document(*plan_, table_, std::move(held_), head_);
    document.command = command_;
    return write_(writer_->document(document, style_));
  }
  if (writer_->rows->close == nullptr) return;
  std::string out;
  writer_->rows->close(out, table_->plan(), record_of(table_->document(), head_), any_);
  write_(out);
}

}  // namespace trcost::report
