// SPDX-License-Identifier: Apache-2.0
#include "workload/images/image_sizes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

#include "quantity/suggest.h"
#include "text/files.h"
#include "trcost/error.h"

namespace trcost::workload {

namespace {

constexpr std::int64_t kLargestSide = 1'000'000;
constexpr std::int64_t kLargestCount = 1'000'000'000'000;
constexpr std::size_t kQuotedLength = 40;
constexpr std::size_t kLongestRecord = std::size_t{64} << 10;  // bytes; rows of sizes have some 20
constexpr std::size_t kMostBadRows = 100'000;

/// Error of a file that is no table at all.
struct NoTable : Error {
  using Error::Error;
};

/// The records of a CSV file (RFC 4180): quotes, doubled quotes and line ends within quotes.
class CsvReader {
 public:
  explicit CsvReader(const std::string& path) : path_(path), in_(path, std::ios::binary) {
    if (!in_ || in_.peek() == std::ifstream::traits_type::eof()) {
      fail(0, in_.eof() ? "the file is empty" : "the file cannot be read");
    }
    note_input(path);
    skip_byte_order_mark();
  }

  /// Reads the next record that is not blank. Returns false at the end.
  bool next(std::vector<std::string>& cells) {
    while (in_.peek() != std::ifstream::traits_type::eof()) {
      line_ = next_line_;
      read_record(cells);
      if (cells.size() > 1 || !cells[0].empty()) return true;
    }
    return false;
  }

  /// The line on which the last record began.
  [[nodiscard]] std::int64_t line() const { return line_; }

  [[noreturn]] void fail(std::int64_t line, const std::string& what) const {
    throw Error(ErrorKind::data, what,
                "the table has a header with the columns width, height and, if wanted, count",
                line > 0 ? path_ + ":" + std::to_string(line) : path_);
  }

  /// Throws that the file is no table, which ends the reading.
  [[noreturn]] void refuse_all(const std::string& what) const {
    throw NoTable(ErrorKind::data, what + ": this is not a table of sizes",
                  "the table has a header with the columns width, height and, if wanted, count",
                  path_ + ":" + std::to_string(line_));
  }

 private:
  void skip_byte_order_mark() {
    std::array<char, 3> mark{};
    in_.read(mark.data(), mark.size());
    if (in_.gcount() == 3 && std::string_view(mark.data(), 3) == "\xEF\xBB\xBF") return;
    in_.clear();
    in_.seekg(0);
  }

  void read_record(std::vector<std::string>& cells) {
    cells.assign(1, {});
    bool quoted = false;
    std::size_t length = 0;
    for (int c = in_.get(); c != std::ifstream::traits_type::eof(); c = in_.get()) {
      if (++length > kLongestRecord) refuse_all("a line is longer than 64 KiB");
      if (c == '\n') ++next_line_;
      if (quoted) {
        if (c != '"') {
          cells.back() += static_cast<char>(c);
        } else if (in_.peek() == '"') {
          cells.back() += static_cast<char>(in_.get());
        } else {
          quoted = false;
        }
      } else if (c == '"') {
        quoted = true;
      } else if (c == ',') {
        cells.emplace_back();
      } else if (c == '\n') {
        return;
      } else if (c != '\r') {
        cells.back() += static_cast<char>(c);
      }
    }
    if (quoted) fail(line_, "a quoted cell does not end");
  }

  std::string path_;
  std::ifstream in_;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
};

/// True for control characters and bytes that UTF-8 does not have.
bool is_no_text(unsigned char c) {
  return (c < 0x20 && c != '\t') || c == 0x7f || c >= 0xf8;
}

struct HeaderColumns {
  std::size_t width = 0;
  std::size_t height = 0;
  std::optional<std::size_t> count;
};

HeaderColumns read_header(CsvReader& csv) {
  std::vector<std::string> cells;
  if (!csv.next(cells)) csv.fail(0, "the file is empty");
  const auto column = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto found = std::find_if(cells.begin(), cells.end(),
                                    [&](const std::string& cell) { return trim(cell) == name; });
    if (found == cells.end()) return std::nullopt;
    return static_cast<std::size_t>(found - cells.begin());
  };
  const auto required = [&](std::string_view name) {
    const auto at = column(name);
    if (at) return *at;
    std::string have;
    for (const std::string& cell : cells) {
      if (std::ranges::any_of(cell, is_no_text)) {
        csv.fail(0, "no header is found: this is not a table in plain text");
      }
      have += (have.empty() ? "" : ", ") + std::string(trim(cell).substr(0, kQuotedLength));
    }
    csv.fail(csv.line(), "no column \"" + std::string(name) + "\" among: " + have);
  };
  return {required("width"), required("height"), column("count")};
}

std::int64_t read_cell(const CsvReader& csv, const std::vector<std::string>& cells,
                       std::size_t column, std::string_view name, std::int64_t most) {
  const std::string_view text = column < cells.size() ? trim(cells[column]) : "";
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc() && end == text.data() + text.size() && value >= 1 && value <= most) {
    return value;
  }
  csv.fail(csv.line(),
           std::string(name) +
               (text.empty() ? " is missing"
                             : " \"" + std::string(text.substr(0, kQuotedLength)) +
                                   "\" is not a whole number from 1 to " + std::to_string(most)));
}

SizesRow read_row(const CsvReader& csv, const HeaderColumns& columns,
                  const std::vector<std::string>& cells) {
  SizesRow row;
  row.line = csv.line();
  row.size.width = read_cell(csv, cells, columns.width, "width", kLargestSide);
  row.size.height = read_cell(csv, cells, columns.height, "height", kLargestSide);
  if (columns.count) row.count = read_cell(csv, cells, *columns.count, "count", kLargestCount);
  return row;
}

}  // namespace

void read_image_sizes(const std::string& path, const std::function<void(const SizesRow&)>& good,
                      const std::function<void(const BadRow&)>& bad) {
  CsvReader csv(path);
  const HeaderColumns columns = read_header(csv);
  std::vector<std::string> cells;
  std::size_t rows = 0, bad_rows = 0;
  for (bool more = true; more;) {
    std::optional<SizesRow> row;
    try {
      more = csv.next(cells);
      if (more) row = read_row(csv, columns, cells);
    } catch (const NoTable&) {
      throw;
    } catch (const Error& error) {
      if (++bad_rows > kMostBadRows) csv.refuse_all("more than 100,000 bad rows");
      bad({csv.line(), error.message});
    }
    if (!row) continue;
    ++rows;
    good(*row);
  }
  if (rows + bad_rows == 0) csv.fail(0, "the table has no rows");
}

}  // namespace trcost::workload
