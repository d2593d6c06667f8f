// SPDX-License-Identifier: Apache-2.0
#include "text/cells.h"
#include "trcost/error.h"
#include "trcost/report.h"

#ifndef TRCOST_XLSXWRITER_FILE

namespace trcost {

std::string render_xlsx(const Report&) {
  throw Error(ErrorKind::usage, "this build of trcost writes no workbooks",
              "install libxlsxwriter-dev and build again, or use --format csv, which every "
              "spreadsheet opens",
              "--format");
}

}  // namespace trcost

#else

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "report/sections.h"
#include "report/text_width.h"
#include "report/wording.h"
#include "report/xlsx_library.h"
#include "text/unicode.h"
#include "trcost/columns.h"
#include "trcost/rows.h"

namespace trcost {
namespace {

constexpr const char* kRoomHint = "set TMPDIR to a folder with room";

// A name in the temporary folder that nothing else has; the file goes when this does.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code failed;
    folder_ = std::filesystem::temp_directory_path(failed).string();
    if (failed) {
      const char* named = std::getenv("TMPDIR");
      throw Error(ErrorKind::data, "there is no temporary folder, which a workbook needs",
                  kRoomHint, named == nullptr ? "/tmp" : named);
    }
    path_ = folder_ + "/trcost-XXXXXX";
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0) {
      throw Error(ErrorKind::data, "cannot write to the temporary folder", kRoomHint, folder_);
    }
    ::close(descriptor);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string& folder() { return folder_; }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string folder_;
  std::string path_;
};

// The library writes its own lines on stderr where it fails; this program says it once.
class Quiet {
 public:
  Quiet() : stderr_(dup(STDERR_FILENO)) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (stderr_ >= 0 && nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0) ::close(nowhere);
  }
  ~Quiet() {
    if (stderr_ < 0) return;
    dup2(stderr_, STDERR_FILENO);
    ::close(stderr_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int stderr_;
};

// A workbook under way.
class Workbook {
 public:
  explicit Workbook(TemporaryFile& file) : library_(xlsx_library()) {
    lxw_workbook_options options = {};
    options.tmpdir = file.folder().data();  // else the library's own parts go elsewhere
    book_ = library_.workbook_new_opt(file.path().c_str(), &options);
    lxw_doc_properties properties = {};
    std::string title = "Training cost";
    properties.title = title.data();
    properties.created = 946684800;  // 2000-01-01: the same estimate gives the same bytes
    library_.workbook_set_properties(book_, &properties);
    bold_ = library_.workbook_add_format(book_);
    library_.format_set_bold(bold_);
  }

  // Starts a sheet with a bold first row that stays in view.
  void sheet(const char* name, const std::vector<std::string>& header,
             const std::vector<double>& widths) {
    sheet_ = library_.workbook_add_worksheet(book_, name);
    row_ = 0;
    for (std::size_t c = 0; c < header.size(); ++c) text(c, header[c], true);
    for (std::size_t c = 0; c < widths.size(); ++c) {
      library_.worksheet_set_column(sheet_, column(c), column(c), widths[c], nullptr);
    }
    library_.worksheet_freeze_panes(sheet_, 1, 1);
    next_row();
  }
  void next_row() { ++row_; }
  void text(std::size_t c, std::string_view value, bool bold = false) {
    const std::string clean = printable_line(value);
    if (clean.empty()) return;
    library_.worksheet_write_string(sheet_, row_, column(c), clean.c_str(), bold ? bold_ : nullptr);
  }
  void number(std::size_t c, std::optional<double> value) {
    if (!value) return;
    std::string checked;
    append_json_number(checked, *value, "a figure of the workbook");  // refuses what is not finite
    library_.worksheet_write_number(sheet_, row_, column(c), *value, nullptr);
  }
  void boolean(std::size_t c, bool value) {
    library_.worksheet_write_boolean(sheet_, row_, column(c), value ? 1 : 0, nullptr);
  }
  void close() {
    const lxw_error status = [&] {
      const Quiet quiet;
      return library_.workbook_close(book_);
    }();
    if (status == LXW_NO_ERROR) return;
    throw Error(ErrorKind::data,
                std::string("cannot write the workbook: ") + library_.lxw_strerror(status),
                kRoomHint);
  }

 private:
  static lxw_col_t column(std::size_t c) { return static_cast<lxw_col_t>(c); }

  const XlsxLibrary& library_;
  lxw_workbook* book_ = nullptr;
  lxw_worksheet* sheet_ = nullptr;
  lxw_format* bold_ = nullptr;
  lxw_row_t row_ = 0;
};

// Every column of the table of columns as a row, every platform as a column.
void add_summary(Workbook& book, const Report& report) {
  std::vector<std::string> header = {"Figure", "Unit"};
  std::vector<double> widths = {42, 16};
  for (const Estimate& e : report.estimates) {
    header.push_back(e.accelerator);
    widths.push_back(20);
  }
  header.emplace_back("Meaning");
  widths.push_back(60);
  book.sheet("Summary", header, widths);
  for (const EstimateColumn& column : columns()) {
    book.text(0, column.path);
    book.text(1, column.unit);
    std::size_t c = 2;
    for (const Estimate& e : report.estimates) {
      if (column.kind == ColumnKind::text) {
        book.text(c, column.text(e));
      } else if (const auto value = column.number(e)) {
        if (column.kind == ColumnKind::boolean) {
          book.boolean(c, *value != 0);
        } else {
          book.number(c, value);
        }
      }
      ++c;
    }
    book.text(c, column.help);
    book.next_row();
  }
}

void add_items(Workbook& book, const Report& report) {
  book.sheet("Items",
             {"Platform", "Item", "Quantity", "Unit", "Unit price, USD", "Amount, USD",
              "In the total", "Source", "Date"},
             {18, 30, 16, 14, 16, 16, 12, 60, 12});
  for (const Estimate& e : report.estimates) {
    for (const LineItem& item : e.cost.items) {
      book.text(0, e.accelerator);
      book.text(1, item_name(item));
      book.number(2, item.quantity);
      book.text(3, unit_name(item.unit));
      book.number(4, item.unit_price);
      book.number(5, item.amount);
      book.boolean(6, item.included);
      book.text(7, item.source);
      book.text(8, item.date);
      book.next_row();
    }
    book.text(0, e.accelerator, true);
    book.text(1, "Total", true);
    book.number(5, e.cost.total);
    book.next_row();
  }
}

void add_waterfall(Workbook& book, const Report& report) {
  book.sheet("Waterfall", {"Platform", "Term", "Share"}, {18, 30, 12});
  for (const Estimate& e : report.estimates) {
    for (const WaterfallTerm& term : e.waterfall) {
      book.text(0, e.accelerator);
      book.text(1, term.term);
      book.number(2, term.share);
      book.next_row();
    }
  }
}

void add_assumptions(Workbook& book, const Report& report) {
  book.sheet("Assumptions", {"Platform", "Field", "Value", "Unit", "Why", "Source"},
             {18, 30, 18, 14, 60, 60});
  for (const Estimate& e : report.estimates) {
    for (const Assumption& assumption : e.assumptions) {
      book.text(0, e.accelerator);
      book.text(1, assumption.path);
      book.text(2, assumption.value);
      book.text(3, assumption.unit);
      book.text(4, assumption.why);
      book.text(5, assumption.source);
      book.next_row();
    }
  }
}

void add_ranges(Workbook& book, const Report& report) {
  book.sheet("Ranges", {"Platform", "What", "Unit", "P10", "P50", "P90"}, {18, 20, 14, 16, 16, 16});
  const auto row = [&](const Estimate& e, const char* what, const char* unit, const Quantiles& q) {
    book.text(0, e.accelerator);
    book.text(1, what);
    book.text(2, unit);
    book.number(3, q.p10);
    book.number(4, q.p50);
    book.number(5, q.p90);
    book.next_row();
  };
  for (const Estimate& e : report.estimates) {
    if (e.range.method.empty()) continue;
    if (e.range.total_usd) row(e, "total", "USD", *e.range.total_usd);
    row(e, "GPU-hours", "GPU-hours", e.range.gpu_hours);
    row(e, "wall-clock", "s", e.range.wall_clock_seconds);
  }
}

// What made the file, and what makes it again.
void add_origin(Workbook& book, const Report& report) {
  book.sheet("Origin", {"What", "Value"}, {24, 120});
  const auto row = [&](std::string_view what, std::string_view value) {
    book.text(0, what);
    book.text(1, value);
    book.next_row();
  };
  row("trcost", trcost_version());
  row("price book", report.price_data_date);
  row("command", report.command);
  if (report.scenario == nullptr) return;
  row("scenario, as JSON", scenario_to_json(*report.scenario));
}

}  // namespace

std::string render_xlsx(const Report& report) {
  TemporaryFile file;
  Workbook book(file);
  add_summary(book, report);
  add_items(book, report);
  add_waterfall(book, report);
  add_assumptions(book, report);
  add_ranges(book, report);
  add_origin(book, report);
  book.close();
  return file.bytes();
}

}  // namespace trcost

#endif
