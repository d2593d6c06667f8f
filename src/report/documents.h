// SPDX-License-Identifier: Apache-2.0
// Each subject as a document. What is handed in has to outlive the document.
#pragma once

#include "report/document.h"
#include "report/row_stream.h"
#include "trcost/memory_fit.h"
#include "trcost/serving.h"
#include "trcost/token_report.h"

namespace trcost {

Document tokens_document(const TokenReport& report);
/// The same as json, jsonl or csv while the items come; hand the report to its finish().
RowStream token_stream(Format format, std::function<void(std::string_view)> write);
Record token_record(const TokenItem& item);
Record token_record(const TokenReport& report);
/// The families with their options, rules and sources.
Document token_families_document();

Document memory_document(const MemoryReport& report);
Document serving_document(const ServingReport& report);

}  // namespace trcost
