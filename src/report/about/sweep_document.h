// SPDX-License-Identifier: Apache-2.0
// How the rows of a sweep are written.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "quantity/layers.h"
#include "study/sweep/columns.h"
#include "study/sweep/plan.h"
#include "study/sweep/resume.h"
#include "text/held_rows.h"
#include "trcost/report.h"

namespace trcost::report {

struct FormatWriter;

/// Renders rows as the format has them, or as HeldRows where all of them make the document. The
/// plan has to outlive it. In every row the last value is `error`, unknown where there is an
/// answer.
SweepRenderer sweep_renderer(const SweepPlan& plan, Format format);

/// A file of rows that a sweep can continue; of a format whose rows are lines.
SweepFile sweep_file(const SweepPlan& plan, Format format);

/// Makes a whole document of rendered rows: as they come where the format streams, else at the end.
/// Of lines only the first shard has what stands before the rows.
class SweepDocument {
 public:
  using Write = std::function<void(std::string_view)>;
  SweepDocument(const SweepPlan& plan, Format format, const Style& style, Write write,
                std::string price_data_date = {}, std::string command = {});

  /// What stands before the rows; not for a file that is continued.
  void open();
  /// Throws Error (usage) for more rows than a document of the format holds.
  void add(std::string_view rows);
  /// `interrupted`: rows are missing.
  void close(bool interrupted = false);

 private:
  void hold(std::string_view rows);

  const SweepPlan* plan_;
  Format format_;
  const FormatWriter* writer_;
  std::shared_ptr<const SweepTable> table_;
  Style style_;
  SweepHead head_;
  std::string command_;
  Write write_;
  HeldRows held_;
  bool any_ = false;  ///< rows came already
};

}  // namespace trcost::report
