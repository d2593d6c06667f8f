// SPDX-License-Identifier: Apache-2.0
// HTML: one self-contained file without scripts.
#include <fmt/core.h>

#include "report/chart/chart.h"
#include "report/format/format.h"
#include "report/page/page.h"
#include "report/table/markup.h"

namespace trcost::report {
namespace {

class HtmlWriter {
 public:
  explicit HtmlWriter(Page page) : page_(std::move(page)) {}

  std::string draw(std::string_view command) {
    const std::string title =
        page_.subject.empty() ? page_.title : fmt::format("{}: {}", page_.title, page_.subject);
    out_ = "<h1>" + html_escape(title) + "</h1>\n";
    if (!page_.note.empty()) out_ += "<p class=\"note\">" + html_escape(page_.note) + "</p>\n";
    for (const Piece& piece : page_.pieces) {
      if (in_list_ && !is_item(piece)) end_list();
      std::visit([&](const auto& b) { add(b); }, piece);
    }
    if (in_list_) end_list();
    out_ += "<footer>\n";
    if (!page_.made_by.empty()) out_ += "<p>" + html_escape(page_.made_by) + "</p>\n";
    if (!command.empty()) out_ += "<p><code>" + html_escape(command) + "</code></p>\n";
    out_ += "</footer>\n";
    return html_page(title, out_);
  }

 private:
  static bool is_item(const Piece& piece) {
    const auto* paragraph = std::get_if<Paragraph>(&piece);
    return paragraph != nullptr && paragraph->item;
  }
  void end_list() {
    out_ += "</ul>\n";
    in_list_ = false;
  }
  // Adds a picture with its numbers behind it.
  void figure(const std::string& svg, const Table& numbers, std::string_view title) {
    out_ += "<figure>\n" + svg;
    if (!numbers.rows().empty()) {
      out_ += "<details><summary>" + html_escape(fmt::format("{}, as numbers", title)) +
              "</summary>\n" + html_table(numbers) + "</details>\n";
    }
    out_ += "</figure>\n";
  }

  void add(const Heading& heading) {
    out_ += "<h2>" + html_escape(heading.text);
    if (!heading.note.empty()) out_ += " <small>" + html_escape(heading.note) + "</small>";
    out_ += "</h2>\n";
  }
  void add(const Facts& facts) {
    if (facts.facts.empty()) return;
    out_ += "<table class=\"facts\"><tbody>\n";
    for (const Fact& fact : facts.facts) {
      out_ += "<tr><th scope=\"row\">" + html_escape(fact.label) + "</th><td>" +
              html_escape(fact.text) + "</td></tr>\n";
    }
    out_ += "</tbody></table>\n";
  }
  void add(const Paragraph& paragraph) {
    if (paragraph.only_text) return;
    const std::string text = html_escape(paragraph.text);
    const std::string_view look = paragraph.tone == Ink::good   ? " class=\"answer\""
                                  : paragraph.tone == Ink::dim  ? " class=\"note\""
                                  : paragraph.tone == Ink::warn ? " class=\"warning\""
                                                                : "";
    if (paragraph.item && !in_list_) {
      out_ += "<ul>\n";
      in_list_ = true;
    }
    out_ += fmt::format("<{0}{1}>{2}</{0}>\n", paragraph.item ? "li" : "p", look, text);
  }
  void add(const Grid& grid) {
    if (!grid.table.rows().empty()) out_ += html_table(grid.table);
  }
  void add(const Bars& bars) {
    if (!bars.bars.empty()) figure(svg_bars(bars), bars.numbers, bars.title);
  }
  void add(const Ranges& ranges) {
    if (!ranges.rows.empty()) figure(svg_ranges(ranges), ranges.numbers, ranges.title);
  }
  void add(const Curve& curve) {
    if (!curve.series.empty()) figure(svg_curve(curve), curve.numbers, curve.title);
  }
  void add(const Heat& heat) {
    if (!heat.rows.empty()) figure(svg_heat(heat), heat_table(heat), heat.title);
  }
  void add(const Warnings& warnings) {
    if (warnings.lines.empty()) return;
    if (!warnings.in_text) add(Heading{"Warnings"});
    out_ += "<ul class=\"warnings\">\n";
    for (const std::string& line : warnings.lines) out_ += "<li>" + html_escape(line) + "</li>\n";
    out_ += "</ul>\n";
  }

  Page page_;
  std::string out_;
  bool in_list_ = false;
};

std::string draw_html(const Document& document, const Style&) {
  return HtmlWriter(document.page()).draw(document.command);
}

}  // namespace

const FormatWriter html_format = {draw_html, nullptr, kMostTableRows, "table"};

}  // namespace trcost::report
