// SPDX-License-Identifier: Apache-2.0
// Output of the rows of a sweep.
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
#include "trcost/sweep.h"

namespace trcost::report {

struct FormatWriter;

/// Returns a function that renders a row in a format, or as HeldRows if the format needs all rows
/// together. The plan has to outlive it. The last value of a row is `error`, unknown if there is an
/// answer.
SweepRenderer sweep_renderer(const SweepPlan& plan, Format format);

/// Describes a file that a sweep can continue, in a format whose rows are lines.
SweepFile sweep_file(const SweepPlan& plan, Format format);

/// Assembles rendered rows into a document: at once if the format streams, else at the end. In
/// formats of lines only the first shard writes a header.
class SweepDocument {
 public:
  using Write = std::function<void(std::string_view)>;
  SweepDocument(const SweepPlan& plan, Format format, const Style& style, Write write,
                std::string price_data_date = {}, std::string command = {},
                std::vector<std::string> warnings = {});

  /// Writes the text before the rows. Not for a file that is continued.
  void open();
  /// Throws Error (usage) for more rows than the format allows.
  void add(std::string_view rows);
  /// Writes the end, or the whole document. `interrupted` tells that rows are missing.
  void close(bool interrupted = false);

 private:
  const SweepPlan* plan_;
  Format format_;
  const FormatWriter* writer_;
  std::shared_ptr<const SweepTable> table_;
  Style style_;
  SweepHead head_;
  std::string command_;
  Write write_;
  HeldRows held_;
  bool has_rows_ = false;
};

}  // namespace trcost::report
