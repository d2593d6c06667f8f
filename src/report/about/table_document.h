// SPDX-License-Identifier: Apache-2.0
// A listing whose columns are those of one Table: its keys for machines, its titles for people.
#pragma once

#include <memory>
#include <string>

#include "quantity/layers.h"
#include "report/format/document.h"
#include "report/table/table.h"

namespace trcost::report {

/// A document with the list `name`; keeps the table.
Document table_document(Table table, std::string name, std::string title = {});

}  // namespace trcost::report
