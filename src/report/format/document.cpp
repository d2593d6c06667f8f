// SPDX-License-Identifier: Apache-2.0
#include "report/format/document.h"

#include "report/format/format.h"

namespace trcost::report {

std::string render(const Document& document, Format format, const Style& style) {
  return format_writer(format).document(document, style);
}

}  // namespace trcost::report
