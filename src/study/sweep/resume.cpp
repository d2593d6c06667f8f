// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "estimate/columns/estimate_columns.h"
#include "study/sweep/columns.h"
#include "study/sweep/worker.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

constexpr std::uint64_t kLastRows = kRecheckedRows / 2;
constexpr std::uint64_t kEarlierRows = kRecheckedRows - kLastRows;
constexpr std::uint64_t kLongestRow = std::uint64_t{1} << 20;
// Rows that --where may leave out before the one that was cut off.
constexpr std::uint64_t kMostSkipped = 2000;

std::string read_bytes(std::ifstream& in, std::uint64_t from, std::uint64_t length) {
  std::string out(length, '\0');
  in.clear();
  in.seekg(static_cast<std::streamoff>(from));
  in.read(out.data(), static_cast<std::streamsize>(length));
  out.resize(static_cast<std::size_t>(in.gcount()));
  return out;
}

// Position on an axis of the value that a writer writes as `cell`.
std::optional<std::uint64_t> find_value(const SweepAxis& axis, const RowWriter& writer,
                                        std::string_view cell) {
  std::string written;
  const auto matches = [&](std::uint64_t at) {
    written.clear();
    writer.cell(written, axis_value(axis, at), axis.field().path);
    return written == cell;
  };
  if (axis.numeric()) {
    const std::optional<std::uint64_t> found = axis.find_number(cell);
    return found && matches(*found) ? found : std::nullopt;
  }
  for (std::uint64_t at = 0; at < axis.size(); ++at) {
    if (matches(at)) return at;
  }
  return std::nullopt;
}

class ResumeCheck {
 public:
  ResumeCheck(const SweepPlan& plan, const Catalog& catalog, const SweepFile& file,
              const std::string& path, const SweepRun& run)
      : plan_(plan),
        file_(file),
        path_(path),
        run_(run),
        table_(sweep_row_columns(plan, plan.columns())),
        worker_(plan, catalog),
        in_(path, std::ios::binary),
        size_(std::filesystem::file_size(path)) {
    if (!in_) throw Error(ErrorKind::data, "cannot read the file", "check its permissions", path);
    out_.next = plan.begin();
  }

  SweepResume run() {
    const std::string& opening = file_.opening;
    if (read_bytes(in_, 0, std::min<std::uint64_t>(size_, opening.size())) !=
        opening.substr(0, size_)) {
      refuse("its header differs");
    }
    if (size_ < opening.size()) return out_;
    const std::uint64_t begin =
        std::max<std::uint64_t>(opening.size(), size_ - std::min(size_, kLongestRow));
    const std::string tail = read_bytes(in_, begin, size_ - begin);
    const std::size_t end = tail.rfind('\n') + 1;  // 0 where no line ends
    if (end == 0 && begin > opening.size()) refuse("its last line is too long");
    out_.bytes = begin + end;

    std::size_t last_rows = end;
    std::vector<std::string> last;
    while (last_rows > 0 && last.size() < kLastRows) {
      const std::size_t before = last_rows < 2 ? tail.npos : tail.rfind('\n', last_rows - 2);
      if (before == tail.npos && begin > opening.size()) break;
      const std::size_t start = before == tail.npos ? 0 : before + 1;
      last.push_back(tail.substr(start, last_rows - start));
      last_rows = start;
    }
    complete_ = end == tail.size() && !last.empty() && find_line(last.front()) == plan_.end() - 1;
    check_earlier_rows(opening.size(), begin + last_rows);
    for (auto line = last.rbegin(); line != last.rend(); ++line) {
      check_row(*line, earlier_checked_ == 0 || line != last.rbegin());
    }
    if (!out_.interrupted) check_cut_row(std::string_view(tail).substr(end));
    return out_;
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(ErrorKind::data, fmt::format("this file belongs to another sweep: {}", why),
                "use the flags, prices and program version that began it, or name another file. "
                "This one was not changed",
                path_);
  }

  // The grid is this one, so that other data or another version are as likely as another question.
  [[noreturn]] void refuse_other_answer(std::uint64_t row) const {
    throw Error(
        ErrorKind::data,
        fmt::format("row {} of the grid, computed again, differs: another sweep, other data "
                    "or another version of trcost wrote this file",
                    row + 1),
        complete_ ? "the file has all rows. It was not changed. To compute them again, name "
                    "another file"
                  : "use the flags, prices and program version that began it, or name "
                    "another file. This one was not changed",
        path_);
  }

  [[nodiscard]] bool stopped() const {
    return run_.stop != nullptr && run_.stop->load(std::memory_order_relaxed);
  }

  // The first row and others at equal distances, in the bytes from `begin` to `end`.
  void check_earlier_rows(std::uint64_t begin, std::uint64_t end) {
    std::uint64_t free = begin;  // after the last row that was checked
    for (std::uint64_t i = 0; i < kEarlierRows && free < end; ++i) {
      // From the byte before, so that a line that begins there is found.
      const std::uint64_t from =
          i == 0 ? begin : std::max(free, begin + (end - begin) * i / kEarlierRows) - 1;
      const std::string text = read_bytes(in_, from, std::min(kLongestRow, end - from));
      const std::size_t start = i == 0 ? 0 : text.find('\n') + 1;
      const std::size_t stop = text.find('\n', start);
      if (stop == text.npos) {
        if (i == 0) refuse("its first line is too long");
        continue;
      }
      check_row(text.substr(start, stop + 1 - start), i == 0);
      ++earlier_checked_;
      free = from + stop + 1;
    }
  }

  // Rows come in grid order. `adjacent`: no line stands between this one and the last.
  void check_row(const std::string& line, bool adjacent) {
    out_.interrupted = out_.interrupted || stopped();
    if (out_.interrupted) return;
    if (run_.progress) run_.progress(checked_);
    ++checked_;
    const std::optional<std::uint64_t> row = find_line(line);
    if (!row) refuse("it has a row that is not one of this grid");
    const bool due = adjacent && plan_.conditions().empty() ? *row == out_.next : *row >= out_.next;
    if (!due) refuse(fmt::format("it has row {} of the grid in another place", *row + 1));
    if (render(*row) != line) {
      refuse_other_answer(*row);
    }
    out_.next = *row + 1;
  }

  // The row of the plan's part of the grid that has the axes' values of a line with its end.
  std::optional<std::uint64_t> find_line(std::string_view line) {
    line.remove_suffix(1);
    std::vector<std::string_view> cells;
    if (!file_.lines->split(line, table_.plan(), cells)) return std::nullopt;
    // The platforms' own axis is not among the named ones. Its value is a column of the estimate.
    const std::size_t platform = table_.rows().find(ColumnRole::platform);
    std::vector<std::uint64_t> at;
    for (std::size_t i = 0; i < plan_.axes().size(); ++i) {
      const std::string_view cell = cells[i < plan_.named_axes() ? i : platform];
      const auto found = find_value(plan_.axes()[i], *file_.lines, cell);
      if (!found) return std::nullopt;
      at.push_back(*found);
    }
    const std::uint64_t index = plan_.index_of(at);
    if (index < plan_.begin() || index >= plan_.end()) return std::nullopt;
    return index;
  }

  // The line of a row, empty where --where leaves it out.
  std::string render(std::uint64_t row) {
    worker_.go_to(row);
    const SweepRow& computed = worker_.compute();
    (computed.estimate != nullptr ? out_.answered : out_.failed) = true;
    std::string out;
    if (worker_.kept()) file_.row(computed, out);
    return out;
  }

  void check_cut_row(std::string_view cut) {
    if (cut.empty()) return;
    const SweepResume checked = out_;  // a row that is left to compute proves nothing
    std::string line;
    std::uint64_t row = out_.next;
    for (; line.empty() && row < plan_.end(); ++row) {
      if (row - out_.next == kMostSkipped && checked_ > 0) return;
      if (stopped()) break;
      line = render(row);
    }
    out_ = checked;
    out_.interrupted = line.empty() && row < plan_.end();
    if (out_.interrupted || (!line.empty() && line.starts_with(cut))) return;
    refuse("the text after its last whole row is not the next row");
  }

  const SweepPlan& plan_;
  const SweepFile& file_;
  std::string path_;
  const SweepRun& run_;
  SweepTable table_;
  SweepWorker worker_;
  std::ifstream in_;
  std::uint64_t size_;
  std::uint64_t checked_ = 0;
  std::uint64_t earlier_checked_ = 0;
  bool complete_ = false;  ///< the last line is the last row
  SweepResume out_;
};

}  // namespace

SweepResume resume_sweep(const SweepPlan& plan, const Catalog& catalog, const SweepFile& file,
                         const std::string& path, const SweepRun& run) {
  SweepResume fresh;
  fresh.next = plan.begin();
  std::error_code status;
  if (!std::filesystem::exists(path, status)) return fresh;
  if (!std::filesystem::is_regular_file(path, status)) {
    throw Error(ErrorKind::data, "only a file can be continued", "name a file", path);
  }
  if (std::filesystem::file_size(path) == 0) return fresh;
  return ResumeCheck(plan, catalog, file, path, run).run();
}

SweepTally tally_rows(const SweepPlan& plan, const SweepFile& file, const std::string& path,
                      std::uint64_t bytes) {
  const SweepTable table(sweep_row_columns(plan, plan.columns()));
  std::string no_error;
  file.lines->cell(no_error, {}, kErrorColumn);
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(file.opening.size()));
  SweepTally out;
  std::vector<std::string_view> cells;
  std::string line;
  for (std::uint64_t at = file.opening.size(); at < bytes && std::getline(in, line);) {
    at += line.size() + 1;
    ++out.rows;
    if (!file.lines->split(line, table.plan(), cells) || cells.back() != no_error) ++out.failed;
  }
  return out;
}

}  // namespace trcost::study
