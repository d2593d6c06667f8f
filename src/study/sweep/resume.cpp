// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "study/sweep/samples.h"
#include "study/sweep/worker.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

constexpr std::uint64_t kAllRows = 50'000;  // of the grid: as many are computed again, all of them
constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;  // that is read at once; no line is longer

class Resume {
 public:
  Resume(const SweepPlan& plan, const Catalog& catalog, const SweepFile& file,
         const std::string& path, unsigned threads)
      : plan_(plan),
        catalog_(catalog),
        path_(path),
        threads_(threads),
        lines_(plan, *file.lines),
        file_(file),
        in_(path, std::ios::binary) {
    if (!in_) throw Error(ErrorKind::data, "cannot read the file", "check its permissions", path);
    size_ = std::filesystem::file_size(path);
    out_.next = plan.begin();
  }

  SweepResume find() {
    const std::string& header = file_.opening;
    if (read(0, std::min<std::uint64_t>(size_, header.size())) != header.substr(0, size_)) {
      refuse("its header is another one");
    }
    if (size_ < header.size()) return out_;
    rows_begin_ = header.size();
    const std::string last = last_line();
    if (!last.empty()) check_rows(last);
    out_.bytes = rows_end_;
    check_cut_line();
    return out_;
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(ErrorKind::data, fmt::format("this file belongs to another sweep: {}", why),
                "give the flags, prices and program version that began it, or another file; this "
                "one is left as it is",
                path_);
  }

  std::string read(std::uint64_t from, std::uint64_t length) {
    std::string out(length, '\0');
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(from));
    in_.read(out.data(), static_cast<std::streamsize>(length));
    out.resize(static_cast<std::size_t>(in_.gcount()));
    return out;
  }

  // The last whole row, without its line end; nothing where there is none.
  std::string last_line() {
    const std::uint64_t begin = std::max(rows_begin_, size_ - std::min(size_, 2 * kBlock));
    const std::string tail = read(begin, size_ - begin);
    const std::size_t end = tail.rfind('\n');
    if (end == std::string::npos) {
      if (begin > rows_begin_) refuse("its last line is too long");
      rows_end_ = rows_begin_;
      return {};
    }
    rows_end_ = begin + end + 1;
    const std::size_t before = end == 0 ? std::string::npos : tail.rfind('\n', end - 1);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    if (start == end) refuse("it ends with an empty line");
    return tail.substr(start, end - start);
  }

  // Every line is about the row of the grid that is due; all rows, or those of many places, are
  // what they are when they are computed again.
  void check_rows(const std::string& last_line) {
    const std::optional<std::uint64_t> last = lines_.row(last_line);
    if (!last) refuse("its last row is not one of this grid");
    const std::uint64_t end = *last + 1;
    const bool all = end - plan_.begin() <= kAllRows;
    std::optional<SweepSamples> samples;
    if (!all) samples.emplace(plan_.begin(), end, sizes());
    each_line([&](std::string_view line) {
      const std::uint64_t row = checked_row(line.substr(0, line.size() - 1));
      if (samples) samples->add(row, line);
    });
    if (all) check_all(end);
    if (!samples) return;
    check_samples(samples->take());
    check_edges(samples->edges());
  }

  // Of the axes, where a condition may leave rows out.
  std::vector<std::uint64_t> sizes() const {
    std::vector<std::uint64_t> out;
    if (plan_.conditions().empty()) return out;
    for (const SweepAxis& axis : plan_.axes()) out.push_back(axis.size());
    return out;
  }

  template <class Use>
  void each_line(const Use& use) {
    std::string held;
    for (std::uint64_t at = rows_begin_; at < rows_end_;) {
      const std::string block = read(at, std::min(kBlock, rows_end_ - at));
      if (block.empty()) refuse("it became shorter while it was read");
      at += block.size();
      held += block;
      std::size_t start = 0;
      for (std::size_t end = held.find('\n'); end != held.npos; end = held.find('\n', start)) {
        use(std::string_view(held).substr(start, end + 1 - start));
        start = end + 1;
      }
      held.erase(0, start);
      if (held.size() > kBlock) refuse("a line of it is too long");
    }
  }

  // Rows come in grid order; without conditions none is left out.
  std::uint64_t checked_row(std::string_view line) {
    const std::optional<std::uint64_t> row = lines_.row(line);
    if (!row) refuse(fmt::format("row {} of it is not one of this grid", out_.rows + 1));
    const bool due = plan_.conditions().empty() ? *row == out_.next : *row >= out_.next;
    if (!due) refuse(fmt::format("row {} of it is not the one that is due", out_.rows + 1));
    ++out_.rows;
    if (!lines_.answered()) ++out_.failed;
    out_.next = *row + 1;
    return *row;
  }

  void check_all(std::uint64_t end) {
    SweepRun run;
    run.threads = threads_;
    run.begin = plan_.begin();
    run.end = end;
    std::uint64_t at = rows_begin_;
    run_sweep(plan_, catalog_, run, file_.row, [&](std::string_view rows) {
      const std::uint64_t left = std::min<std::uint64_t>(rows.size(), rows_end_ - at);
      const bool same = left == rows.size() && read(at, left) == rows;
      if (!same) refuse("a row computed again is another one");
      at += left;
    });
    if (at != rows_end_) refuse("it has rows that --where leaves out");
  }

  void check_samples(const std::vector<SweepSample>& samples) {
    SweepWorker worker(plan_, catalog_);
    std::string lines;
    for (const SweepSample& sample : samples) {
      lines.clear();
      for (std::uint64_t row = sample.begin; row < sample.end; ++row) render(worker, row, lines);
      if (lines == sample.lines) continue;
      refuse(fmt::format("of rows {} to {} of the grid, some computed again are others",
                         sample.begin + 1, sample.end));
    }
  }

  void check_edges(const std::vector<SweepEdge>& edges) {
    SweepWorker worker(plan_, catalog_);
    for (const SweepEdge& edge : edges) {
      worker.go_to(edge.row);
      worker.compute();
      if (worker.kept() == edge.kept) continue;
      refuse(fmt::format("--where {} row {} of the grid when it is computed again",
                         edge.kept ? "leaves out" : "keeps", edge.row + 1));
    }
  }

  void render(SweepWorker& worker, std::uint64_t row, std::string& out) const {
    worker.go_to(row);
    const SweepRow& computed = worker.compute();
    if (worker.kept()) file_.row(computed, out);
  }

  // What stands after the last line end is the beginning of the next row.
  void check_cut_line() {
    if (rows_end_ == size_) return;
    const std::string cut = read(rows_end_, size_ - rows_end_);
    constexpr std::uint64_t kMostSkipped = 2000;
    SweepWorker worker(plan_, catalog_);
    std::string line;
    std::uint64_t row = out_.next;
    for (; line.empty() && row < plan_.end(); ++row) {
      if (row - out_.next == kMostSkipped) return;
      render(worker, row, line);
    }
    if (!line.starts_with(cut)) refuse("what follows its last whole row is not the next one");
  }

  const SweepPlan& plan_;
  const Catalog& catalog_;
  std::string path_;
  unsigned threads_;
  SweepLineReader lines_;
  const SweepFile& file_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
  std::uint64_t rows_begin_ = 0;  ///< bytes of the header
  std::uint64_t rows_end_ = 0;    ///< after the last whole line
  SweepResume out_;
};

}  // namespace

SweepResume resume_sweep(const SweepPlan& plan, const Catalog& catalog, const SweepFile& file,
                         const std::string& path, unsigned threads) {
  SweepResume fresh;
  fresh.next = plan.begin();
  std::error_code status;
  if (!std::filesystem::exists(path, status)) return fresh;
  if (!std::filesystem::is_regular_file(path, status)) {
    throw Error(ErrorKind::data, "only a file can be continued", "name a file", path);
  }
  if (std::filesystem::file_size(path) == 0) return fresh;
  return Resume(plan, catalog, file, path, threads).find();
}

}  // namespace trcost::study
