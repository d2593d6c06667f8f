// SPDX-License-Identifier: Apache-2.0
// HTML: one self-contained file.
#include <fmt/core.h>

#include <functional>

#include "report/chart/chart.h"
#include "report/format/format.h"
#include "report/format/html_page.h"
#include "report/format/what_if.h"
#include "report/page/page.h"
#include "report/table/markup.h"

namespace trcost::report {
namespace {

class HtmlWriter {
 public:
  explicit HtmlWriter(const Document& document)
      : page_(document.page()), budget_(document.budget) {}

  std::string draw(std::string_view command) {
    const std::string title =
        page_.subject.empty() ? page_.title : fmt::format("{}: {}", page_.title, page_.subject);
    section_ = title;
    out_ = "<main>\n<h1>" + html_escape(title) + "</h1>\n";
    if (!page_.note.empty()) out_ += "<p class=\"note\">" + html_escape(page_.note) + "</p>\n";
    for (const Piece& piece : page_.pieces) {
      if (in_list_ && !is_item(piece)) end_list();
      const bool second = in_pair_;
      std::visit([&](const auto& b) { add(b); }, piece);
      if (second) end_pair();
    }
    if (in_list_) end_list();
    if (in_pair_) end_pair();
    end_section();
    out_ += "</main>\n<footer>\n";
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
  void end_pair() {
    out_ += "</div>\n";
    in_pair_ = false;
  }
  // Explains the mark of estimated prices once per section that has it, and unfolds.
  void end_section() {
    if (has_imputed_) {
      out_ += fmt::format("<p class=\"legend\">{}</p>\n", html_escape(kImputedLegend));
    }
    has_imputed_ = false;
    if (folded_) out_ += "</details>\n";
    folded_ = false;
  }
  void look_for_marks(const Table& table) {
    for (const std::vector<Cell>& row : table.rows()) {
      if (has_imputed_) return;
      for (const Cell& cell : row) has_imputed_ |= cell.text().starts_with('~');
    }
  }
  void table(const Table& numbers, std::string_view caption, bool sorts = false) {
    look_for_marks(numbers);
    out_ += html_table(numbers, caption, sorts);
  }
  // Adds a picture with its numbers behind it.
  void figure(const std::string& picture, const Table& numbers, std::string_view title) {
    out_ += "<figure>\n" + picture;
    if (!numbers.rows().empty()) {
      out_ +=
          "<details><summary>" + html_escape(fmt::format("{}, as numbers", title)) + "</summary>\n";
      table(numbers, title);
      out_ += "</details>\n";
    }
    out_ += "</figure>\n";
  }

  void add(const Heading& heading) {
    end_section();
    section_ = heading.text;
    std::string text = "<h2>" + html_escape(heading.text);
    if (!heading.note.empty()) text += " <small>" + html_escape(heading.note) + "</small>";
    text += "</h2>";
    folded_ = heading.folded;
    out_ += folded_ ? "<details class=\"section\"><summary>" + text + "</summary>\n" : text + "\n";
  }
  void add(const Facts& facts) {
    if (facts.facts.empty()) return;
    out_ += "<table class=\"facts\"><caption>" + html_escape(section_) + "</caption><tbody>\n";
    for (const Fact& fact : facts.facts) {
      has_imputed_ |= fact.text.starts_with('~') || fact.text.find(" ~") != std::string::npos;
      out_ += "<tr><th scope=\"row\">" + html_escape(fact.label) + "</th><td>" +
              html_escape(fact.text) + "</td></tr>\n";
    }
    out_ += "</tbody></table>\n";
  }
  void add(const Paragraph& paragraph) {
    if (paragraph.only_text) return;
    has_imputed_ |= paragraph.text.find(" ~") != std::string::npos;
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
    if (grid.table.rows().empty()) return;
    if (grid.beside_next) {
      out_ += "<div class=\"pair\">\n";
      in_pair_ = true;
    }
    table(grid.table, grid.caption.empty() ? section_ : grid.caption, grid.sorts);
  }
  void add(const Bars& bars) {
    if (!bars.bars.empty()) figure(draw_bars(bars), bars.numbers, bars.title);
  }
  void add(const Ranges& ranges) {
    if (!ranges.rows.empty()) figure(draw_ranges(ranges), ranges.numbers, ranges.title);
  }
  void add(const Curve& curve) {
    if (!curve.series.empty()) figure(draw_curve(curve), curve.numbers, curve.title);
  }
  void add(const Heat& heat) {
    if (!heat.rows.empty()) out_ += "<figure>\n" + draw_heat(heat) + "</figure>\n";
  }
  void add(const Warnings& warnings) {
    if (warnings.lines.empty()) return;
    if (!warnings.in_text) add(Heading{"Warnings"});
    out_ += "<ul class=\"warnings\">\n";
    for (const std::string& line : warnings.lines) out_ += "<li>" + html_escape(line) + "</li>\n";
    out_ += "</ul>\n";
  }

  void add(const WhatIf& what_if) {
    if (!budget_) return;
    const Calculation calculation = budget_();
    if (!calculation.columns.empty()) out_ += what_if_data(calculation, what_if.first);
  }

  Page page_;
  std::function<Calculation()> budget_;
  std::string out_;
  std::string section_;  // heading of the pieces that follow
  bool in_list_ = false;
  bool in_pair_ = false;
  bool folded_ = false;
  bool has_imputed_ = false;
};

std::string draw_html(const Document& document, const Style&) {
  return HtmlWriter(document).draw(document.command);
}

}  // namespace

const FormatWriter html_format = {draw_html, nullptr, kMostTableRows, "table"};

}  // namespace trcost::report
