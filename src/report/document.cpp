// SPDX-License-Identifier: Apache-2.0
#include "report/document.h"

#include "report/draw/draw.h"
#include "text/record_json.h"
#include "text/row_writer.h"
#include "trcost/error.h"

namespace trcost {

std::string render(const Document& document, Format format, const Style& style) {
  switch (format) {
    case Format::table:
      return draw_text(document.text_page ? document.text_page() : document.page(), style);
    case Format::json:
      return json_document(document.record);
    case Format::jsonl:
      return jsonl_document(document.record, document.rows);
    case Format::csv:
      return csv_document(document.record, document.rows);
    case Format::md:
      return draw_markdown(document.page());
    case Format::html:
      return draw_html(document.page(), document.command);
    case Format::xlsx:
      return draw_workbook(document);
  }
  throw Error(ErrorKind::usage, "unknown format", "formats are " + format_names());
}

}  // namespace trcost
