// SPDX-License-Identifier: Apache-2.0
// How the rows of a sweep are written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "study/sweep_resume.h"
#include "trcost/report.h"
#include "trcost/sweep.h"

namespace trcost {

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

/// What resume_sweep needs to know of a file of csv or jsonl: its opening and its rows.
SweepFile sweep_file(const SweepPlan& plan, Format format);

}  // namespace trcost
