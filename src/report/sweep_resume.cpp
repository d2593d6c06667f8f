// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "study/sweep_worker.h"
#include "trcost/error.h"
#include "trcost/rows.h"
#include "trcost/sweep_report.h"

namespace trcost {
namespace {

constexpr std::uint64_t kCheckedLines = 16;   // at either end of the file
constexpr std::uint64_t kCheckedRows = 2000;  // of the grid, that lie between them
constexpr std::uint64_t kTail = std::uint64_t{1} << 20;

// The values of a row as they are written, quotes included; none where it is not such a row.
std::vector<std::string_view> values_of(std::string_view line, Format format) {
  const bool json = format == Format::jsonl;
  std::vector<std::string_view> out;
  if (json) {
    if (!line.starts_with('{') || !line.ends_with('}')) return {};
    line = line.substr(1, line.size() - 2);
  }
  std::size_t at = 0;
  while (true) {
    if (json) {
      const std::size_t colon = line.find("\":", at);
      if (colon == std::string_view::npos) return {};
      at = colon + 2;
    }
    const std::size_t start = at;
    if (at < line.size() && line[at] == '"') {
      for (++at; at < line.size(); ++at) {
        if (json && line[at] == '\\') {
          ++at;
        } else if (line[at] == '"') {
          const bool doubled = !json && at + 1 < line.size() && line[at + 1] == '"';
          if (!doubled) break;
          ++at;
        }
      }
      at = std::min(at + 1, line.size());
    } else {
      at = std::min(line.find(',', at), line.size());
    }
    out.push_back(line.substr(start, at - start));
    if (at >= line.size()) return out;
    if (line[at] != ',') return {};
    ++at;
  }
}

std::string written_word(std::string_view word, Format format) {
  std::string out;
  if (format == Format::jsonl) {
    append_json_string(out, word);
  } else {
    append_csv_text(out, word);
  }
  return out;
}

std::optional<std::uint64_t> position_of(const SweepAxis& axis, std::string_view written,
                                         Format format) {
  if (axis.numeric()) return axis.find(written);
  for (std::uint64_t at = 0; at < axis.size(); ++at) {
    if (written_word(axis.word(at), format) == written) return at;
  }
  return std::nullopt;
}

// The row of the grid that a line is about, by the values of its axes.
std::optional<std::uint64_t> row_of(const SweepPlan& plan, std::string_view line, Format format) {
  const std::vector<std::string_view> values = values_of(line, format);
  const std::vector<std::string> names = sweep_columns(plan);
  if (values.size() != names.size()) return std::nullopt;
  std::vector<std::uint64_t> at(plan.axes().size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    // The platforms' own axis is not among the named ones; its value is the column `accelerator`.
    const std::size_t cell =
        i < plan.named_axes()
            ? i
            : static_cast<std::size_t>(std::ranges::find(names, "accelerator") - names.begin());
    const std::optional<std::uint64_t> position = position_of(plan.axes()[i], values[cell], format);
    if (!position) return std::nullopt;
    at[i] = *position;
  }
  const std::uint64_t index = plan.index_of(at);
  if (index < plan.begin() || index >= plan.end()) return std::nullopt;
  return index;
}

class Resume {
 public:
  Resume(const SweepPlan& plan, const Catalog& catalog, Format format, const std::string& path)
      : plan_(plan),
        format_(format),
        path_(path),
        worker_(plan, catalog),
        render_(sweep_renderer(plan, format)),
        in_(path, std::ios::binary) {
    if (!in_) throw Error(ErrorKind::data, "cannot read the file", "check its permissions", path);
    size_ = std::filesystem::file_size(path);
  }

  SweepResume find() {
    SweepResume out;
    out.next = plan_.begin();
    const std::string header = opening();
    const bool whole_header = size_ >= header.size();
    if (read(0, std::min<std::uint64_t>(size_, header.size())) != header.substr(0, size_)) {
      refuse("its header is another one");
    }
    read_tail();
    if (whole_header) check_beginning(header);
    if (!whole_header || tail_end_ <= header.size()) {
      out.bytes = whole_header ? header.size() : 0;
      return out;
    }
    check_end(header.size());
    out.bytes = tail_end_;
    out.rows = count_rows() - (header.empty() ? 0 : 1);
    if (plan_.conditions().empty() && out.rows != last_ - plan_.begin() + 1) {
      refuse(fmt::format("it has {} rows where {} were expected", out.rows,
                         last_ - plan_.begin() + 1));
    }
    out.next = last_ + 1;
    return out;
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(ErrorKind::data, fmt::format("this file belongs to another sweep: {}", why),
                "give the same flags that began it, or another file; this one is left as it is",
                path_);
  }

  std::string opening() const {
    std::string out;
    SweepDocument(plan_, format_, {}, [&](std::string_view text) { out += text; }).open();
    return out;
  }

  std::string read(std::uint64_t from, std::uint64_t length) {
    std::string out(length, '\0');
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(from));
    in_.read(out.data(), static_cast<std::streamsize>(length));
    out.resize(static_cast<std::size_t>(in_.gcount()));
    return out;
  }

  // The last bytes up to the last line end.
  void read_tail() {
    tail_begin_ = size_ > kTail ? size_ - kTail : 0;
    tail_ = read(tail_begin_, size_ - tail_begin_);
    const std::size_t end = tail_.rfind('\n');
    if (end == std::string::npos && tail_begin_ > 0) refuse("its last line is too long");
    tail_.resize(end == std::string::npos ? 0 : end + 1);
    tail_end_ = tail_begin_ + tail_.size();
  }

  // Renders rows from `index` on until `enough` says so.
  template <class Enough>
  std::string rows_from(std::uint64_t index, const Enough& enough) {
    std::string out;
    for (; index < plan_.end() && !enough(index, out); ++index) {
      worker_.go_to(index);
      const SweepRow& row = worker_.compute();
      if (worker_.kept()) render_(row, out);
    }
    return out;
  }

  void check_beginning(const std::string& header) {
    const std::uint64_t length = size_ - header.size();
    const std::string expected =
        rows_from(plan_.begin(), [&](std::uint64_t index, const std::string& out) {
          return out.size() >= length || index - plan_.begin() >= kCheckedRows ||
                 static_cast<std::uint64_t>(std::ranges::count(out, '\n')) >= kCheckedLines;
        });
    const std::uint64_t checked = std::min<std::uint64_t>(length, expected.size());
    if (read(header.size(), checked) != expected.substr(0, checked)) {
      refuse("its first rows are others");
    }
  }

  // The last line is a row of the grid; from a few lines before it on, every row is as computed.
  void check_end(std::uint64_t header_size) {
    std::string_view lines = tail_;
    if (tail_begin_ < header_size) lines.remove_prefix(header_size - tail_begin_);
    std::size_t start = lines.size();
    std::uint64_t first = 0;
    for (std::uint64_t line = 0; line < kCheckedLines && start > 0; ++line) {
      const std::size_t before = lines.substr(0, start - 1).rfind('\n');
      const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
      const bool cut = begin == 0 && tail_begin_ > 0;  // the beginning of this line was not read
      if (cut) break;
      const auto row = row_of(plan_, lines.substr(begin, start - 1 - begin), format_);
      if (!row) refuse("its last rows are not rows of this grid");
      if (line == 0) last_ = *row;
      if (*row > last_ || last_ - *row > kCheckedRows) break;
      first = *row;
      start = begin;
    }
    const std::string expected =
        rows_from(first, [&](std::uint64_t index, const std::string&) { return index > last_; });
    if (lines.substr(start) != expected) refuse("its last rows are others");
  }

  std::uint64_t count_rows() {
    constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
    std::uint64_t lines = 0;
    for (std::uint64_t at = 0; at < tail_end_; at += kBlock) {
      const std::string block = read(at, std::min(kBlock, tail_end_ - at));
      lines += static_cast<std::uint64_t>(std::ranges::count(block, '\n'));
    }
    return lines;
  }

  const SweepPlan& plan_;
  Format format_;
  std::string path_;
  SweepWorker worker_;
  SweepRenderer render_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
  std::string tail_;
  std::uint64_t tail_begin_ = 0;
  std::uint64_t tail_end_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace

SweepResume resume_sweep(const SweepPlan& plan, const Catalog& catalog, Format format,
                         const std::string& path) {
  SweepResume fresh;
  fresh.next = plan.begin();
  std::error_code status;
  if (!std::filesystem::exists(path, status)) return fresh;
  if (!std::filesystem::is_regular_file(path, status)) {
    throw Error(ErrorKind::data, "only a file can be continued", "name a file", path);
  }
  if (std::filesystem::file_size(path) == 0) return fresh;
  return Resume(plan, catalog, format, path).find();
}

}  // namespace trcost
