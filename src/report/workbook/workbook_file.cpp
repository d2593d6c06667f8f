// SPDX-License-Identifier: Apache-2.0
#include "report/workbook/workbook_file.h"

#include <fmt/core.h>

#include "quantity/currency.h"
#include "trcost/error.h"

namespace trcost::report {
namespace {

// Returns the letters of a column: A to Z, AA to ZZ, and so on.
std::string column_letters(std::size_t column) {
  constexpr std::size_t kLetters = 26;
  std::string out;
  for (std::size_t left = column + 1; left > 0; left = (left - 1) / kLetters) {
    out.insert(out.begin(), static_cast<char>('A' + (left - 1) % kLetters));
  }
  return out;
}

}  // namespace

std::string WorkbookFile::cell_name(std::size_t row, std::size_t column) {
  return fmt::format("{}{}", column_letters(column), row + 1);
}

std::string WorkbookFile::range_name(std::string_view sheet, std::size_t row, std::size_t column,
                                     std::size_t last_row, std::size_t last_column) {
  return fmt::format("='{}'!${}${}:${}${}", sheet, column_letters(column), row + 1,
                     column_letters(last_column), last_row + 1);
}

}  // namespace trcost::report

#ifndef TRCOST_XLSXWRITER_FILE

namespace trcost::report {

struct WorkbookFile::Parts {};

WorkbookFile::WorkbookFile(const std::string&) {
  throw Error(ErrorKind::usage, "this build of trcost writes no workbooks",
              "install libxlsxwriter-dev and build again, or use --format csv, which every "
              "spreadsheet opens",
              "--format");
}
WorkbookFile::~WorkbookFile() = default;
void WorkbookFile::sheet(std::string, std::size_t, std::size_t) {}
void WorkbookFile::hide() {}
void WorkbookFile::width(std::size_t, double) {}
void WorkbookFile::height(std::size_t) {}
void WorkbookFile::filter(std::size_t) {}
void WorkbookFile::next_row() {}
void WorkbookFile::text(std::size_t, std::string_view, const TextLook&) {}
void WorkbookFile::number(std::size_t, double, const CellLook&) {}
void WorkbookFile::blank(std::size_t, const CellLook&) {}
void WorkbookFile::formula(std::size_t, const std::string&, std::optional<double>,
                           const CellLook&) {}
std::size_t WorkbookFile::row() const {
  return 0;
}
void WorkbookFile::chart(std::size_t, std::size_t, const ChartSpec&) {}
void WorkbookFile::boolean(std::size_t, bool) {}
std::string WorkbookFile::close() {
  return {};
}

}  // namespace trcost::report

#else

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
#include <xlsxwriter.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "text/csv.h"
#include "text/unicode.h"

namespace trcost::report {
namespace {

// The functions of libxlsxwriter, which is loaded for the first workbook, so that every other
// command starts without it and the program runs on machines that lack it.
struct XlsxLibrary {
// clang-format off
#define TRCOST_XLSX_FUNCTIONS(X) \
  X(workbook_new_opt)            \
  X(workbook_set_properties)     \
  X(workbook_add_worksheet)      \
  X(workbook_add_format)         \
  X(workbook_close)              \
  X(workbook_add_chart)          \
  X(lxw_strerror)                \
  X(worksheet_write_number)      \
  X(worksheet_write_string)      \
  X(worksheet_write_boolean)     \
  X(worksheet_write_blank)       \
  X(worksheet_write_formula_num) \
  X(worksheet_write_formula_str) \
  X(worksheet_set_column)        \
  X(worksheet_set_row)           \
  X(worksheet_freeze_panes)      \
  X(worksheet_set_landscape)     \
  X(worksheet_fit_to_pages)      \
  X(worksheet_repeat_rows)       \
  X(worksheet_hide)              \
  X(worksheet_autofilter)        \
  X(worksheet_insert_chart_opt)  \
  X(format_set_bold)             \
  X(format_set_num_format)       \
  X(format_set_align)            \
  X(format_set_text_wrap)        \
  X(format_set_bg_color)         \
  X(format_set_font_color)       \
  X(chart_add_series)            \
  X(chart_series_set_name)       \
  X(chart_series_set_fill)       \
  X(chart_title_set_name)        \
  X(chart_axis_set_name)         \
  X(chart_axis_set_num_format)   \
  X(chart_axis_set_reverse)      \
  X(chart_legend_set_position)
// clang-format on
#define TRCOST_XLSX_MEMBER(name) decltype(&::name) name = nullptr;
  TRCOST_XLSX_FUNCTIONS(TRCOST_XLSX_MEMBER)
#undef TRCOST_XLSX_MEMBER
};

XlsxLibrary load_library() {
  const auto refuse = [](std::string_view why) {
    throw Error(ErrorKind::data, fmt::format("a workbook needs libxlsxwriter: {}", why),
                "install it (Debian: apt install libxlsxwriter4), or use --format csv");
  };
  void* handle = dlopen(TRCOST_XLSXWRITER_FILE, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse(dlerror());
  XlsxLibrary library;
#define TRCOST_XLSX_LOAD(name)                                                   \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name)); \
  if (library.name == nullptr) refuse("it lacks " #name);
  TRCOST_XLSX_FUNCTIONS(TRCOST_XLSX_LOAD)
#undef TRCOST_XLSX_LOAD
  return library;
}

// Loads the library once. Throws Error (data) on a machine without it.
const XlsxLibrary& xlsx_library() {
  static const XlsxLibrary library = load_library();
  return library;
}

constexpr const char* kTemporaryHint = "set TMPDIR to a folder with room";

// A new file in the temporary folder, removed with this object.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code failed;
    folder_ = std::filesystem::temp_directory_path(failed).string();
    if (failed) {
      const char* named = std::getenv("TMPDIR");
      throw Error(ErrorKind::data, "there is no temporary folder, which a workbook needs",
                  kTemporaryHint, named == nullptr ? "/tmp" : named);
    }
    path_ = folder_ + "/trcost-XXXXXX";
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0) {
      throw Error(ErrorKind::data, "cannot write to the temporary folder", kTemporaryHint, folder_);
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

// Silences stderr, since the library prints failures that this program reports itself.
class SilencedStderr {
 public:
  SilencedStderr() : stderr_(dup(STDERR_FILENO)) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (stderr_ >= 0 && nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0) ::close(nowhere);
  }
  ~SilencedStderr() {
    if (stderr_ < 0) return;
    dup2(stderr_, STDERR_FILENO);
    ::close(stderr_);
  }
  SilencedStderr(const SilencedStderr&) = delete;
  SilencedStderr& operator=(const SilencedStderr&) = delete;

 private:
  int stderr_;
};

// Returns the number format of a kind. Values stay in base units.
std::string number_format(NumberKind kind, bool fine) {
  // A sign that is no ASCII letter is quoted.
  const std::string sign = shown_currency().is_dollar() ? "$" : "\"" + shown_currency().sign + "\"";
  if (fine && kind == NumberKind::money) return sign + "#,##0.00####";
  if (fine && kind == NumberKind::number) return "#,##0.0#####";
  switch (kind) {
    case NumberKind::count:
    case NumberKind::integer:
      return "#,##0";
    case NumberKind::bytes:
      return "#,##0.0,,,\" GB\"";
    case NumberKind::rate:
      return "#,##0.0,,,\" GB/s\"";
    case NumberKind::duration:
      return "#,##0\" s\"";
    case NumberKind::money:
      return sign + "#,##0.00";
    case NumberKind::fraction:
      return "0.0%";
    case NumberKind::number:
      return "General";
  }
  return "General";
}

constexpr std::size_t kLongestName = 31;  // characters of a sheet's name in the file format

lxw_col_t column_of(std::size_t column) {
  return static_cast<lxw_col_t>(column);
}

}  // namespace

struct WorkbookFile::Parts {
  TemporaryFile file;
  const XlsxLibrary& library = xlsx_library();
  lxw_workbook* book = nullptr;
  lxw_worksheet* sheet = nullptr;
  std::map<std::tuple<bool, bool, bool>, lxw_format*> text_looks;
  std::map<std::tuple<int, bool, bool, bool, std::string>, lxw_format*> looks;
  lxw_row_t row = 0;
  std::set<std::string> names;

  lxw_format* look(const TextLook& wanted) {
    if (!wanted.bold && !wanted.right && !wanted.wrap) return nullptr;
    lxw_format*& format = text_looks[{wanted.bold, wanted.right, wanted.wrap}];
    if (format != nullptr) return format;
    format = library.workbook_add_format(book);
    if (wanted.bold) library.format_set_bold(format);
    if (wanted.right) library.format_set_align(format, LXW_ALIGN_RIGHT);
    if (wanted.wrap) {
      library.format_set_text_wrap(format);
      library.format_set_align(format, LXW_ALIGN_VERTICAL_TOP);
    }
    return format;
  }

  // Inputs are blue on pale yellow, as usual in budgets.
  lxw_format* look(const CellLook& wanted) {
    constexpr lxw_color_t kInputInk = 0x0000FF;
    constexpr lxw_color_t kInputGround = 0xFFF2CC;
    const int kind = wanted.kind ? static_cast<int>(*wanted.kind) : -1;
    lxw_format*& format = looks[{kind, wanted.bold, wanted.input, wanted.fine, wanted.format}];
    if (format != nullptr) return format;
    if (kind < 0 && !wanted.bold && !wanted.input && wanted.format.empty()) return nullptr;
    format = library.workbook_add_format(book);
    if (!wanted.format.empty()) {
      library.format_set_num_format(format, wanted.format.c_str());
    } else if (wanted.kind) {
      library.format_set_num_format(format, number_format(*wanted.kind, wanted.fine).c_str());
    }
    if (wanted.bold) library.format_set_bold(format);
    if (wanted.input) {
      library.format_set_font_color(format, kInputInk);
      library.format_set_bg_color(format, kInputGround);
    }
    return format;
  }
};

WorkbookFile::WorkbookFile(const std::string& title) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  lxw_workbook_options options = {};
  options.tmpdir = p.file.folder().data();  // for the temporary files of the library
  p.book = p.library.workbook_new_opt(p.file.path().c_str(), &options);
  lxw_doc_properties properties = {};
  std::string named = title;
  properties.title = named.data();
  properties.created = 946684800;  // 2000-01-01: the same answer gives the same bytes
  p.library.workbook_set_properties(p.book, &properties);
}

WorkbookFile::~WorkbookFile() {
  if (parts_->book == nullptr) return;
  const SilencedStderr silenced;
  parts_->library.workbook_close(parts_->book);
}

void WorkbookFile::sheet(std::string name, std::size_t rows, std::size_t columns) {
  Parts& p = *parts_;
  std::string clean;
  for (const char c : printable_line(name)) {
    clean += std::string_view("[]:*?/\\'").find(c) == std::string_view::npos ? c : ' ';
  }
  clean = clean.substr(0, kLongestName);
  std::string free = clean;
  for (int number = 2; !p.names.insert(free).second; ++number) {
    const std::string tail = fmt::format(" {}", number);
    free = clean.substr(0, kLongestName - tail.size()) + tail;
  }
  p.sheet = p.library.workbook_add_worksheet(p.book, free.c_str());
  p.row = 0;
  p.library.worksheet_set_landscape(p.sheet);
  p.library.worksheet_fit_to_pages(p.sheet, 1, 0);
  if (rows > 0) p.library.worksheet_repeat_rows(p.sheet, 0, static_cast<lxw_row_t>(rows - 1));
  if (rows + columns > 0) {
    p.library.worksheet_freeze_panes(p.sheet, static_cast<lxw_row_t>(rows), column_of(columns));
  }
}

void WorkbookFile::hide() {
  parts_->library.worksheet_hide(parts_->sheet);
}

void WorkbookFile::width(std::size_t column, double letters) {
  parts_->library.worksheet_set_column(parts_->sheet, column_of(column), column_of(column), letters,
                                       nullptr);
}

void WorkbookFile::height(std::size_t lines) {
  constexpr double kLine = 15;  // points
  if (lines < 2) return;
  parts_->library.worksheet_set_row(parts_->sheet, parts_->row, static_cast<double>(lines) * kLine,
                                    nullptr);
}

void WorkbookFile::filter(std::size_t last) {
  Parts& p = *parts_;
  if (p.row > 0) p.library.worksheet_autofilter(p.sheet, 0, 0, p.row - 1, column_of(last));
}

void WorkbookFile::next_row() {
  ++parts_->row;
}

void WorkbookFile::text(std::size_t column, std::string_view value, const TextLook& look) {
  Parts& p = *parts_;
  constexpr std::size_t kLongest = 32000;  // a cell holds 32,767 characters
  std::string clean = printable_line(value);
  if (clean.empty()) return;
  if (clean.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xC0U) == 0x80U) --end;
    clean.resize(end);
  }
  p.library.worksheet_write_string(p.sheet, p.row, column_of(column), clean.c_str(), p.look(look));
}

void WorkbookFile::number(std::size_t column, double value, const CellLook& look) {
  if (look.kind == NumberKind::money) value *= shown_currency().per_usd;
  Parts& p = *parts_;
  std::string checked;
  append_finite(checked, value, "a figure of the workbook");  // throws if not finite
  p.library.worksheet_write_number(p.sheet, p.row, column_of(column), value, p.look(look));
}

void WorkbookFile::blank(std::size_t column, const CellLook& look) {
  Parts& p = *parts_;
  p.library.worksheet_write_blank(p.sheet, p.row, column_of(column), p.look(look));
}

void WorkbookFile::formula(std::size_t column, const std::string& text, std::optional<double> value,
                           const CellLook& look) {
  if (value && look.kind == NumberKind::money) *value *= shown_currency().per_usd;
  Parts& p = *parts_;
  if (value) {
    std::string checked;
    append_finite(checked, *value, "a figure of the workbook");
    p.library.worksheet_write_formula_num(p.sheet, p.row, column_of(column), text.c_str(),
                                          p.look(look), *value);
  } else {
    p.library.worksheet_write_formula_str(p.sheet, p.row, column_of(column), text.c_str(),
                                          p.look(look), "n/a");
  }
}

std::size_t WorkbookFile::row() const {
  return parts_->row;
}

void WorkbookFile::chart(std::size_t row, std::size_t column, const ChartSpec& spec) {
  Parts& p = *parts_;
  const XlsxLibrary& l = p.library;
  const lxw_chart_type type = spec.kind == ChartKind::points         ? LXW_CHART_SCATTER
                              : spec.kind == ChartKind::stacked_bars ? LXW_CHART_BAR_STACKED
                                                                     : LXW_CHART_BAR;
  lxw_chart* chart = l.workbook_add_chart(p.book, static_cast<std::uint8_t>(type));
  l.chart_title_set_name(chart, spec.title.c_str());
  for (const ChartSeries& each : spec.series) {
    lxw_chart_series* series =
        l.chart_add_series(chart, each.categories.c_str(), each.values.c_str());
    l.chart_series_set_name(series, each.name.c_str());
    lxw_chart_fill fill = {};
    fill.none = each.invisible ? LXW_TRUE : LXW_FALSE;
    fill.color = each.colour;
    if (each.invisible || each.colour != 0) l.chart_series_set_fill(series, &fill);
  }
  const bool points = spec.kind == ChartKind::points;
  if (!spec.x_title.empty()) l.chart_axis_set_name(chart->x_axis, spec.x_title.c_str());
  if (!spec.y_title.empty()) l.chart_axis_set_name(chart->y_axis, spec.y_title.c_str());
  // The y axis of a bar chart has the names. Reversed, it has the order of the rows.
  if (!points) l.chart_axis_set_reverse(chart->y_axis);
  l.chart_axis_set_num_format(
      points ? chart->y_axis : chart->x_axis,
      spec.y_kind == NumberKind::money ? (shown_currency().sign + "#,##0").c_str() : "General");
  l.chart_legend_set_position(
      chart,
      static_cast<std::uint8_t>(spec.legend ? LXW_CHART_LEGEND_BOTTOM : LXW_CHART_LEGEND_NONE));
  lxw_chart_options options = {};
  options.x_scale = 1.4;
  options.y_scale = 1.2;
  l.worksheet_insert_chart_opt(p.sheet, static_cast<lxw_row_t>(row), column_of(column), chart,
                               &options);
}

void WorkbookFile::boolean(std::size_t column, bool value) {
  Parts& p = *parts_;
  p.library.worksheet_write_boolean(p.sheet, p.row, column_of(column), value ? 1 : 0, nullptr);
}

std::string WorkbookFile::close() {
  Parts& p = *parts_;
  const lxw_error status = [&] {
    const SilencedStderr silenced;
    return p.library.workbook_close(std::exchange(p.book, nullptr));
  }();
  if (status != LXW_NO_ERROR) {
    throw Error(ErrorKind::data,
                std::string("cannot write the workbook: ") + p.library.lxw_strerror(status),
                kTemporaryHint);
  }
  return p.file.bytes();
}

}  // namespace trcost::report

#endif
