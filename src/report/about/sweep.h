// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "quantity/layers.h"
#include "report/format/document.h"
#include "study/sweep/columns.h"
#include "study/sweep/plan.h"
#include "text/held_rows.h"

namespace trcost::report {

/// What a format has of every row: all columns, or of a page those that are read and, after the
/// error, whether costs are marked.
std::shared_ptr<const SweepTable> sweep_table(const SweepPlan& plan, Format format);

/// Rows that were held as a page or a workbook: the figures of all of them over the first axis of
/// numbers, and the rows. The plan has to outlive it.
Document sweep_document(const SweepPlan& plan, std::shared_ptr<const SweepTable> table,
                        HeldRows rows, const SweepHead& head);

}  // namespace trcost::report
