// SPDX-License-Identifier: Apache-2.0
#include "report/draw/workbook_file.h"

#include "trcost/error.h"

#ifndef TRCOST_XLSXWRITER_FILE

namespace trcost {

struct WorkbookFile::Parts {};

WorkbookFile::WorkbookFile(const std::string&) {
  throw Error(ErrorKind::usage, "this build of trcost writes no workbooks",
              "install libxlsxwriter-dev and build again, or use --format csv, which every "
              "spreadsheet opens",
              "--format");
}
WorkbookFile::~WorkbookFile() = default;
void WorkbookFile::sheet(std::string, std::size_t, std::size_t) {}
void WorkbookFile::width(std::size_t, double) {}
void WorkbookFile::filter(std::size_t) {}
void WorkbookFile::next_row() {}
void WorkbookFile::text(std::size_t, std::string_view, bool) {}
void WorkbookFile::number(std::size_t, double, std::optional<NumberKind>, bool) {}
void WorkbookFile::boolean(std::size_t, bool) {}
std::string WorkbookFile::close() {
  return {};
}

}  // namespace trcost

#else

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "report/xlsx_library.h"
#include "text/cells.h"
#include "text/unicode.h"

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

// How numbers of a kind look; the values stay in base units.
const char* number_format(NumberKind kind) {
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
      return "$#,##0.00";
    case NumberKind::fraction:
      return "0.0%";
    case NumberKind::number:
      return "General";
  }
  return "General";
}

constexpr std::size_t kKinds = 8;
constexpr std::size_t kLongestName = 31;  // of a sheet, by the format

lxw_col_t column_of(std::size_t column) {
  return static_cast<lxw_col_t>(column);
}

}  // namespace

struct WorkbookFile::Parts {
  TemporaryFile file;
  const XlsxLibrary& library = xlsx_library();
  lxw_workbook* book = nullptr;
  lxw_worksheet* sheet = nullptr;
  lxw_format* bold = nullptr;
  std::array<std::array<lxw_format*, 2>, kKinds> looks{};  // plain and bold
  lxw_row_t row = 0;
  std::set<std::string> names;

  lxw_format* look(NumberKind kind, bool strong) {
    lxw_format*& format = looks[static_cast<std::size_t>(kind)][strong ? 1 : 0];
    if (format != nullptr) return format;
    format = library.workbook_add_format(book);
    library.format_set_num_format(format, number_format(kind));
    if (strong) library.format_set_bold(format);
    return format;
  }
};

WorkbookFile::WorkbookFile(const std::string& title) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  lxw_workbook_options options = {};
  options.tmpdir = p.file.folder().data();  // else the library's own parts go elsewhere
  p.book = p.library.workbook_new_opt(p.file.path().c_str(), &options);
  lxw_doc_properties properties = {};
  std::string named = title;
  properties.title = named.data();
  properties.created = 946684800;  // 2000-01-01: the same answer gives the same bytes
  p.library.workbook_set_properties(p.book, &properties);
  p.bold = p.library.workbook_add_format(p.book);
  p.library.format_set_bold(p.bold);
}

WorkbookFile::~WorkbookFile() {
  if (parts_->book == nullptr) return;
  const Quiet quiet;
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
  if (rows + columns > 0) {
    p.library.worksheet_freeze_panes(p.sheet, static_cast<lxw_row_t>(rows), column_of(columns));
  }
}

void WorkbookFile::width(std::size_t column, double letters) {
  parts_->library.worksheet_set_column(parts_->sheet, column_of(column), column_of(column), letters,
                                       nullptr);
}

void WorkbookFile::filter(std::size_t last) {
  Parts& p = *parts_;
  if (p.row > 0) p.library.worksheet_autofilter(p.sheet, 0, 0, p.row - 1, column_of(last));
}

void WorkbookFile::next_row() {
  ++parts_->row;
}

void WorkbookFile::text(std::size_t column, std::string_view value, bool bold) {
  Parts& p = *parts_;
  constexpr std::size_t kLongest = 32000;  // a cell holds 32,767 characters
  std::string clean = printable_line(value);
  if (clean.empty()) return;
  if (clean.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xC0U) == 0x80U) --end;
    clean.resize(end);
  }
  p.library.worksheet_write_string(p.sheet, p.row, column_of(column), clean.c_str(),
                                   bold ? p.bold : nullptr);
}

void WorkbookFile::number(std::size_t column, double value, std::optional<NumberKind> kind,
                          bool bold) {
  Parts& p = *parts_;
  std::string checked;
  append_json_number(checked, value, "a figure of the workbook");  // refuses what is not finite
  lxw_format* look = kind ? p.look(*kind, bold) : bold ? p.bold : nullptr;
  p.library.worksheet_write_number(p.sheet, p.row, column_of(column), value, look);
}

void WorkbookFile::boolean(std::size_t column, bool value) {
  Parts& p = *parts_;
  p.library.worksheet_write_boolean(p.sheet, p.row, column_of(column), value ? 1 : 0, nullptr);
}

std::string WorkbookFile::close() {
  Parts& p = *parts_;
  const lxw_error status = [&] {
    const Quiet quiet;
    return p.library.workbook_close(std::exchange(p.book, nullptr));
  }();
  if (status != LXW_NO_ERROR) {
    throw Error(ErrorKind::data,
                std::string("cannot write the workbook: ") + p.library.lxw_strerror(status),
                kRoomHint);
  }
  return p.file.bytes();
}

}  // namespace trcost

#endif
