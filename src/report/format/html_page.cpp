// SPDX-License-Identifier: Apache-2.0
#include "report/format/html_page.h"

#include <fmt/core.h>

#include "report/chart/chart.h"
#include "report/format/html_script.h"
#include "report/table/markup.h"

namespace trcost::report {
namespace {

// Colours, each pair with a contrast of at least 4.5 for text and 3 for marks (WCAG 2.2, 1.4.3 and
// 1.4.11). tests/pages measures it.
constexpr std::string_view kColourStyles = R"(
:root { color-scheme: light dark; --text: #1b1f24; --paper: #fff; --quiet: #57606a;
        --line: #d8dee4; --axis: #868e96; --good: #eaf6ec; --warn: #8a4600; --bar: #0969da;
        --gone: #fff; --range: #4f97e8; --middle: #0a2a52; --heat: #0969da; --s0: #0969da;
        --s1: #bc4c00; --s2: #1a7f37; --s3: #8250df; --s4: #bf3989; --s5: #57606a; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --paper: #0d1117; --quiet: #9198a1; --line: #30363d; --axis: #767e87;
          --good: #12301c; --warn: #e3a24f; --bar: #2f81f7; --gone: #0d1117; --range: #3f7fd0;
          --middle: #f0f6fc; --heat: #1f6feb; --s0: #58a6ff; --s1: #f0883e; --s2: #3fb950;
          --s3: #bc8cff; --s4: #f778ba; --s5: #9198a1; } }
)";

constexpr std::string_view kTextStyles = R"(
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--paper);
       max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
body:has(table.sort) { max-width: 96rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h2 small { font-weight: 400; font-size: .85rem; color: var(--quiet); margin-left: .4rem; }
p { max-width: 60rem; margin: .4rem 0; }
p.answer { font-size: 1.2rem; font-weight: 600; margin: .5rem 0 1rem; }
p.note, p.legend { color: var(--quiet); font-size: .9rem; }
p.warning, li.warning, ul.warnings li { color: var(--warn); }
summary { cursor: pointer; color: var(--quiet); font-size: .9rem; }
details.section { border-top: 1px solid var(--line); }
details.section > summary { color: var(--text); padding: .6rem 0; }
summary h2 { display: inline; margin: 0; }
.unseen, caption { position: absolute; width: 1px; height: 1px; overflow: hidden;
                   clip-path: inset(50%); white-space: nowrap; }
footer { margin-top: 2rem; color: var(--quiet); font-size: .85rem; }
footer code { overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--bar); outline-offset: 2px; }
)";

// A wide table scrolls under its first column. A shadow at the right end tells that it does.
constexpr std::string_view kTableStyles = R"css(
.wide { position: relative; overflow-x: auto; margin: .3rem 0 1rem;
        background: linear-gradient(to left, var(--paper) 40%, transparent) right / 2.5rem 100%
                      no-repeat local,
                    linear-gradient(to left, var(--axis), transparent) right / .6rem 100%
                      no-repeat scroll; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .3rem .7rem; text-align: left; border-bottom: 1px solid var(--line);
         vertical-align: top; }
thead th { border-bottom: 2px solid var(--quiet); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; white-space: nowrap; }
.wide th:first-child { position: sticky; left: 0; background: var(--paper); z-index: 1; }
table.facts th { font-weight: 600; }
table.sort thead button { font: inherit; color: inherit; text-align: inherit; background: none;
                          border: 0; padding: 0; cursor: pointer; }
th[aria-sort=ascending] button::after { content: " \2191"; }
th[aria-sort=descending] button::after { content: " \2193"; }
.what-if { border: 1px solid var(--line); border-radius: 8px; padding: .2rem 1rem; margin: 1rem 0;
           max-width: 58rem; }
.what-if h2 { margin: .5rem 0; } .what-if .result { font-size: 1.1rem; }
.inputs { display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; }
.inputs label { display: flex; flex-direction: column; font-size: .85rem; color: var(--quiet); }
.inputs label > :is(input, select) { font-size: 1rem; color: var(--text); }
[aria-invalid=true] { outline: 2px solid var(--warn); }
.filter { display: flex; flex-wrap: wrap; gap: .6rem; align-items: baseline; font-size: .9rem; }
:is(input, select, .what-if button) { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--axis);
        border-radius: 4px; padding: .2rem .4rem; }
td.strong, th.strong, .wide th.strong { background: var(--good); font-weight: 600; }
td.unknown { color: var(--quiet); } td.long { min-width: 16rem; } td.word { white-space: nowrap; }
.pair { display: flex; flex-wrap: wrap; gap: 0 2.5rem; align-items: flex-start; }
.pair > .wide { flex: 0 1 auto; } .pair > figure { flex: 1 1 32rem; }
th[title], td[title] { text-decoration: underline dotted var(--axis); text-underline-offset: .2em; }
@media (max-width: 600px) {
  th, td { padding: .3rem .5rem; } .wide td { min-width: 3rem; }
  .wide tbody th:first-child { white-space: normal; min-width: 5.5rem; max-width: 40vw;
                               overflow-wrap: anywhere; }
  table.facts th, table.facts td { display: block; border: 0; padding: 0; }
  table.facts td { border-bottom: 1px solid var(--line); padding-bottom: .4rem;
                   margin-bottom: .4rem; overflow-wrap: anywhere; } }
)css";

// Figures are as wide as the page and their text keeps its size. On a narrow screen every second
// tick goes, and bars stand below their labels.
constexpr std::string_view kFigureStyles = R"(
figure { margin: .5rem 0 1rem; }
svg { overflow: visible; } svg text { font: 12px system-ui, sans-serif; fill: var(--text); }
svg.plot { display: block; width: calc(100% - 6rem); max-width: 52rem;
           margin: 1.8rem 2rem 3rem 4rem; }
svg polyline { fill: none; stroke: var(--mark); stroke-width: 2; vector-effect: non-scaling-stroke; }
svg polyline.again { stroke-dasharray: 2 4; }
svg polyline.dashed, svg .asked { stroke: var(--quiet); stroke-dasharray: 6 4; stroke-width: 1.5; }
svg use { fill: var(--mark); stroke: var(--mark); } svg use.again { fill: var(--paper); }
svg .ring { fill: none; stroke: var(--text); stroke-width: 2; } svg .grid { stroke: var(--line); }
.s0 { --mark: var(--s0); } .s1 { --mark: var(--s1); } .s2 { --mark: var(--s2); }
.s3 { --mark: var(--s3); } .s4 { --mark: var(--s4); } .s5 { --mark: var(--s5); }
ul.marks { list-style: none; padding: 0; margin: .3rem 0; display: flex; flex-wrap: wrap;
           gap: .2rem 1.2rem; font-size: .85rem; max-width: 58rem; }
ul.marks svg { vertical-align: middle; margin-right: .4rem; }
.bars { display: grid; grid-template-columns: max-content minmax(8rem, 1fr) max-content;
        gap: 0 1rem; max-width: 58rem; font-size: .85rem; margin: .5rem 0; }
.bars > div { display: contents; } .bars svg { width: 100%; height: 20px; }
.bars .axis { color: var(--quiet); } .bars .axis text { fill: var(--quiet); }
.bars .bar { fill: var(--bar); } .bars .range { fill: var(--range); }
.bars .gone { fill: var(--gone); stroke: var(--axis); stroke-dasharray: 3 2; }
.bars .middle { fill: var(--middle); }
table.heat caption { position: static; width: auto; height: auto; clip-path: none; text-align: left;
                     padding-bottom: .3rem; color: var(--quiet); }
table.heat td { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap;
                border: 1px solid var(--paper); print-color-adjust: exact;
                background: color-mix(in srgb, var(--heat) var(--shade, 0%), var(--paper)); }
table.heat thead th { text-align: right; } table.heat th[colspan] { text-align: center; border: 0; }
table.heat td.chosen { outline: 2px solid var(--text); outline-offset: -2px; font-weight: 600; }
@media (max-width: 600px) {
  svg .more { display: none; }
  svg.plot { width: calc(100% - 4.5rem); margin-left: 3.6rem; margin-right: .9rem; }
  .bars { display: block; }
  .bars > div { display: grid; grid-template-columns: 1fr auto; gap: 0 .8rem; margin: .25rem 0; }
  .bars svg { grid-row: 2; grid-column: 1 / -1; } }
)";

// A4 and Letter alike: the page has margins and no size. Tables break between rows under repeated
// heads, and what is folded on the screen is printed.
constexpr std::string_view kPrintStyles = R"(
@page { margin: 14mm 12mm; } @page turned { size: landscape; }
@media print {
  :root { color-scheme: light; }
  html { font-size: 13px; } body { margin: 0; padding: 0; max-width: none; font-size: 1rem; }
  .wide { overflow: visible; background: none; } .wide:has(table.sort th:nth-child(9)) { page: turned; } .pair { display: block; }
  .wide th:first-child { position: static; }
  th, td { padding: .15rem .35rem; } table.sort { font-size: 11px; }
  td.long { min-width: 12rem; overflow-wrap: anywhere; } th[title], td[title] { text-decoration: none; }
  thead { display: table-header-group; } table.sort thead button { display: contents; } tr, figure { break-inside: avoid; }
  ul.marks, .bars { font-size: 11px; }
  h2, summary { break-after: avoid; } h2 { margin-top: 1.2rem; }
  summary { list-style: none; } figure details > summary { display: none; }
  .filter, .what-if { display: none; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  figure details { display: none; } }
)";

}  // namespace

namespace {

// Aligns the columns of numbers that html_table() lists as classes of a table.
std::string number_styles() {
  std::string out = "td.number, th.number";
  for (std::size_t c = 1; c <= kClassedColumns; ++c)
    out += fmt::format(",.n{0} tr>:nth-child({0})", c);
  return out + " { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }\n";
}

std::string script(std::string_view text) {
  return fmt::format("<script>{}</script>\n", text);
}

}  // namespace

std::string html_page(std::string_view title, std::string_view body) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
  out += html_escape(title);
  out += "</title>\n<style>";
  for (const std::string_view part :
       {kColourStyles, kTextStyles, kTableStyles, kFigureStyles, kPrintStyles})
    out += part;
  out += number_styles();
  out += "</style>\n</head>\n<body>\n";
  if (body.find("href=\"#m") != std::string_view::npos) out += kChartMarks;
  out += body;
  if (body.find("<table class=\"sort") != std::string_view::npos) out += script(kTableScript);
  if (body.find("id=\"what-if\"") != std::string_view::npos) out += script(kWhatIfScript);
  out += "</body>\n</html>\n";
  return out;
}

}  // namespace trcost::report
