// SPDX-License-Identifier: Apache-2.0
// How the rows of a sweep are written, and how a file of them is continued.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/output_format.h"
#include "trcost/sweep.h"

namespace trcost {

/// The names of a row's values: the axes that were asked for under their JSON paths, the columns,
/// then `error`.
std::vector<std::string> sweep_columns(const SweepPlan& plan);

/// Renders rows of csv, jsonl or json, and of the others in a form that SweepDocument reads. The
/// plan has to outlive it. In every row the last value is `error`, unknown where there is an
/// answer.
SweepRenderer sweep_renderer(const SweepPlan& plan, Format format);

/// Makes a whole document of rendered rows: csv (with its header in the first shard) and jsonl as
/// they come, json within an object, the others at the end: their columns are as wide as the widest
/// cell, or a figure is about all rows.
class SweepDocument {
 public:
  using Write = std::function<void(std::string_view)>;
  SweepDocument(const SweepPlan& plan, Format format, const Style& style, Write write,
                std::string price_data_date = {}, std::string command = {});

  /// What stands before the rows; not for a file that is continued.
  void open();
  /// Throws Error (usage) when a table grows beyond what anybody reads.
  void add(std::string_view rows);
  /// `interrupted`: a JSON document says that rows are missing.
  void close(bool interrupted = false);

 private:
  void hold(std::string_view rows);

  const SweepPlan* plan_;
  Format format_;
  Style style_;
  std::string price_data_date_;
  std::string command_;
  Write write_;
  std::string held_;        ///< rows of a table
  std::uint64_t rows_ = 0;  ///< of a table
  bool empty_ = true;
};

/// Where an interrupted file goes on.
struct SweepResume {
  std::uint64_t next = 0;    ///< row of the grid to compute first
  std::uint64_t bytes = 0;   ///< of the file that stay; an incomplete last line goes
  std::uint64_t rows = 0;    ///< that the file holds
  std::uint64_t failed = 0;  ///< of these, without an answer
};

/// Reads a file of csv or jsonl that a sweep of this plan has begun. Every line has to be about the
/// row of the grid that is due, by its values of the axes. Up to 50,000 rows of the grid are
/// computed again and have to be the same; of more, some thousands are: rows in 256 places, 512
/// lines, and for every axis 256 pairs of neighbours of which conditions keep one. Else Error
/// (data), and nothing is written. A file that is missing or empty starts at the first row.
/// `threads` as in SweepRun.
SweepResume resume_sweep(const SweepPlan& plan, const Catalog& catalog, Format format,
                         const std::string& path, unsigned threads = 0);

}  // namespace trcost
