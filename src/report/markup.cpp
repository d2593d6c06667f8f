// SPDX-License-Identifier: Apache-2.0
#include "report/markup.h"

#include "report/text_width.h"

namespace trcost {
namespace {

constexpr std::string_view kStyles = R"(
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff;
       max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p.lead { color: #57606a; margin: 0 0 1rem; } p.note { color: #57606a; font-size: .9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; margin: .3rem 0 1rem; }
th, td { padding: .3rem .7rem; text-align: left; border-bottom: 1px solid #d8dee4;
         vertical-align: top; }
th { border-bottom: 2px solid #57606a; font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums;
                       white-space: nowrap; }
tr.best td { background: #eaf6ec; font-weight: 600; }
tr.total td { border-top: 2px solid #57606a; font-weight: 600; }
td.unknown { color: #8c959f; }
ul.warnings li { color: #8a4600; }
svg text { font: 12px system-ui, sans-serif; fill: #1b1f24; }
footer { margin-top: 2rem; color: #57606a; font-size: .85rem; }
@media print { body { margin: 0; max-width: none; font-size: 11px; }
               h2 { break-after: avoid; } table { break-inside: avoid; } }
)";

}  // namespace

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : without_controls(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string markdown_escape(std::string_view text) {
  constexpr std::string_view kMarkup = "\\|`*_<>[]~";
  std::string out;
  for (const char c : without_controls(text)) {
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string html_table(const Table& table) {
  std::string out = "<div class=\"wide\"><table>\n<thead><tr>";
  const auto number = [&](std::size_t c) { return table.columns()[c].align == Align::right; };
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    out += number(c) ? "<th class=\"number\">" : "<th>";
    out += html_escape(table.columns()[c].title) + "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows()) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool unknown = row[c].kind() == Cell::Kind::unknown;
      if (number(c) || unknown) {
        out += "<td class=\"";
        out += number(c) ? (unknown ? "number unknown" : "number") : "unknown";
        out += "\">";
      } else {
        out += "<td>";
      }
      out += html_escape(row[c].text()) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string html_page(std::string_view title, std::string_view body) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
  out += html_escape(title);
  out += "</title>\n<style>";
  out += kStyles;
  out += "</style>\n</head>\n<body>\n";
  out += body;
  out += "</body>\n</html>\n";
  return out;
}

}  // namespace trcost
