// SPDX-License-Identifier: Apache-2.0
#include "report/table/markup.h"

#include "report/table/text_width.h"
#include "text/unicode.h"

namespace trcost::report {
namespace {

constexpr std::string_view kStyles = R"(
:root { color-scheme: light dark; --text: #1b1f24; --paper: #fff; --quiet: #57606a;
        --line: #d8dee4; --faint: #8c959f; --good: #eaf6ec; --warn: #8a4600; --bar: #54aeff;
        --gone: #ffd8b5; --range: #9ec5fe; --middle: #0a3069; --s0: #0969da; --s1: #bc4c00;
        --s2: #1a7f37; --s3: #8250df; --s4: #bf3989; --s5: #57606a; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --paper: #0d1117; --quiet: #9198a1; --line: #30363d; --faint: #6e7681;
          --good: #12301c; --warn: #e3a24f; --bar: #2f81f7; --gone: #6b3d14; --range: #264b7d;
          --middle: #a5d0ff; --s0: #58a6ff; --s1: #f0883e; --s2: #3fb950; --s3: #bc8cff;
          --s4: #f778ba; --s5: #9198a1; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--paper);
       max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h2 small { font-weight: 400; font-size: .85rem; color: var(--quiet); margin-left: .4rem; }
p.answer { font-size: 1.2rem; font-weight: 600; margin: .5rem 0 1rem; }
p.note { color: var(--quiet); font-size: .9rem; }
p.warning, li.warning, ul.warnings li { color: var(--warn); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; margin: .3rem 0 1rem; }
th, td { padding: .3rem .7rem; text-align: left; border-bottom: 1px solid var(--line);
         vertical-align: top; }
th { border-bottom: 2px solid var(--quiet); font-weight: 600; vertical-align: bottom; }
table.facts th { border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums;
                       white-space: nowrap; }
td.strong, th.strong { background: var(--good); font-weight: 600; }
td:first-child { white-space: nowrap; } table.facts td:first-child { white-space: normal; }
td.unknown { color: var(--faint); } td.long { min-width: 14rem; }
figure { margin: .5rem 0 1rem; } figure svg { max-width: 100%; height: auto; }
details summary { cursor: pointer; color: var(--quiet); font-size: .9rem; }
svg text { font: 12px system-ui, sans-serif; fill: var(--text); }
svg .bar { fill: var(--bar); } svg .gone { fill: var(--gone); } svg .range { fill: var(--range); }
svg .middle { fill: var(--middle); } svg .grid { stroke: var(--line); }
svg .diagonal { stroke: var(--faint); stroke-dasharray: 4 4; }
svg polyline { fill: none; stroke-width: 2; }
svg polyline.s0 { stroke: var(--s0); } svg circle.s0 { fill: var(--s0); }
svg polyline.s1 { stroke: var(--s1); } svg circle.s1 { fill: var(--s1); }
svg polyline.s2 { stroke: var(--s2); } svg circle.s2 { fill: var(--s2); }
svg polyline.s3 { stroke: var(--s3); } svg circle.s3 { fill: var(--s3); }
svg polyline.s4 { stroke: var(--s4); } svg circle.s4 { fill: var(--s4); }
svg polyline.s5 { stroke: var(--s5); } svg circle.s5 { fill: var(--s5); }
svg polyline.again { stroke-dasharray: 2 4; } svg circle.again { fill: var(--paper); }
svg circle.again.s0 { stroke: var(--s0); } svg circle.again.s1 { stroke: var(--s1); }
svg circle.again.s2 { stroke: var(--s2); } svg circle.again.s3 { stroke: var(--s3); }
svg circle.again.s4 { stroke: var(--s4); } svg circle.again.s5 { stroke: var(--s5); }
svg polyline.dashed { stroke: var(--quiet); stroke-dasharray: 6 4; stroke-width: 1.5; }
svg rect.heat { fill: var(--s0); } svg rect.heat.chosen { stroke: var(--text); stroke-width: 2; }
svg circle.chosen { stroke: var(--text); stroke-width: 2; }
footer { margin-top: 2rem; color: var(--quiet); font-size: .85rem; }
footer code { overflow-wrap: anywhere; }
@media print { body { margin: 0; max-width: none; font-size: 11px; }
               .wide { overflow: visible; } th, td { padding: .15rem .35rem; }
               h2 { break-after: avoid; } table, figure { break-inside: avoid; }
               details:not([open]) > *:not(summary) { display: block; } }
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

namespace {

// Lets a title such as `cost.price_per_gpu_hour` continue on the next line after a dot or
// underscore.
std::string breakable(const std::string& words) {
  std::string out;
  for (const char c : words) {
    out += c;
    if (c == '.' || c == '_') out += "<wbr>";
  }
  return out;
}

}  // namespace

std::string html_table(const Table& table) {
  constexpr int kLongText = 60;  // columns of a terminal, from which a cell is a sentence
  const auto cell = [](std::string_view tag, Align align, bool strong, bool unknown,
                       std::string_view text) {
    std::string classes;
    const auto add = [&](bool wanted, std::string_view name) {
      if (wanted) classes += (classes.empty() ? "" : " ") + std::string(name);
    };
    add(align == Align::right, "number");
    add(strong, "strong");
    add(unknown, "unknown");
    add(tag == "td" && display_width(text) > kLongText, "long");
    std::string out = "<" + std::string(tag);
    if (!classes.empty()) out += " class=\"" + classes + "\"";
    if (tag == "th") out += " scope=\"col\"";
    const std::string words = html_escape(text);
    return out + ">" + (tag == "th" ? breakable(words) : words) + "</" + std::string(tag) + ">";
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

std::string markdown_escape(std::string_view text) {
  constexpr std::string_view kMarkup = "\\|`*_<>[]~";
  std::string out;
  for (const char c : printable_line(text)) {
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_table(const Table& table) {
  std::string out = "|";
  for (const TableColumn& column : table.columns()) {
    out += " " + markdown_escape(column.title) + " |";
  }
  out += "\n|";
  for (const TableColumn& column : table.columns()) {
    out += column.align == Align::right ? " ---: |" : " --- |";
  }
  out += '\n';
  for (const auto& row : table.rows()) {
    out += '|';
    for (const Cell& cell : row) {
      const std::string text = markdown_escape(cell.text());
      out += cell.is_strong() && !text.empty() ? " **" + text + "** |" : " " + text + " |";
    }
    out += '\n';
  }
  return out;
}

}  // namespace trcost::report
