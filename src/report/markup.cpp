// SPDX-License-Identifier: Apache-2.0
#include "report/markup.h"

#include "report/text_width.h"
#include "text/unicode.h"

namespace trcost {
namespace {

constexpr std::string_view kStyles = R"(
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff;
       max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p.answer { font-size: 1.2rem; font-weight: 600; margin: .5rem 0 1rem; } p.note { color: #57606a; font-size: .9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; margin: .3rem 0 1rem; }
th, td { padding: .3rem .7rem; text-align: left; border-bottom: 1px solid #d8dee4;
         vertical-align: top; }
th { border-bottom: 2px solid #57606a; font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums;
                       white-space: nowrap; }
td.strong, th.strong { background: #eaf6ec; font-weight: 600; }
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
  for (const char c : printable_line(text)) {
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
  for (const char c : printable_line(text)) {
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string html_table(const Table& table) {
  const auto cell = [](std::string_view tag, Align align, bool strong, bool unknown,
                       std::string_view text) {
    std::string classes;
    const auto add = [&](bool wanted, std::string_view name) {
      if (wanted) classes += (classes.empty() ? "" : " ") + std::string(name);
    };
    add(align == Align::right, "number");
    add(strong, "strong");
    add(unknown, "unknown");
    std::string out = "<" + std::string(tag);
    if (!classes.empty()) out += " class=\"" + classes + "\"";
    return out + ">" + html_escape(text) + "</" + std::string(tag) + ">";
  };
  std::string out = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const TableColumn& column : table.columns()) {
    out += cell("th", column.align, column.strong, false, column.title);
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows()) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      out += cell("td", table.columns()[c].align, row[c].is_strong(),
                  row[c].kind() == Cell::Kind::unknown, row[c].text());
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
