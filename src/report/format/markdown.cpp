// SPDX-License-Identifier: Apache-2.0
// Markdown of GitHub.
#include "report/chart/chart.h"
#include "report/format/format.h"
#include "report/page/page.h"
#include "report/table/markup.h"

namespace trcost::report {
namespace {

// Every piece except an item of a list begins after an empty line.
class MarkdownWriter {
 public:
  explicit MarkdownWriter(Page page) : page_(std::move(page)) {}

  std::string draw() {
    out_ = "# " + markdown_escape(page_.title) + "\n";
    if (!page_.note.empty()) paragraph(page_.note);
    for (const Piece& piece : page_.pieces) std::visit([&](const auto& b) { add(b); }, piece);
    unfold();
    if (!page_.made_by.empty()) paragraph(page_.made_by);
    return std::move(out_);
  }

 private:
  void paragraph(std::string_view text) { out_ += "\n" + markdown_escape(text) + "\n"; }
  void item(std::string_view text) {
    if (!in_list_) out_ += '\n';
    in_list_ = true;
    out_ += "- " + std::string(text) + "\n";
  }
  void table(const Table& table) {
    if (!table.rows().empty()) out_ += "\n" + markdown_table(table);
  }

  void unfold() {
    if (folded_) out_ += "\n</details>\n";
    folded_ = false;
  }

  void add(const Heading& heading) {
    in_list_ = false;
    unfold();
    if (heading.folded) {
      folded_ = true;
      const std::string note = heading.note.empty() ? "" : ": " + heading.note;
      out_ += "\n<details>\n<summary>" + html_escape(heading.text + note) + "</summary>\n";
      return;
    }
    out_ += "\n## " + markdown_escape(heading.text) + "\n";
    if (!heading.note.empty()) paragraph(heading.note);
  }
  void add(const Facts& facts) {
    for (const Fact& fact : facts.facts) {
      item("**" + markdown_escape(fact.label) + "**: " + markdown_escape(fact.text));
    }
    in_list_ = false;
  }
  void add(const Paragraph& p) {
    if (p.only_text) return;
    if (p.item) return item(markdown_escape(p.text));
    in_list_ = false;
    const std::string text = markdown_escape(p.text);
    out_ += p.tone == Ink::good ? "\n**" + text + "**\n" : "\n" + text + "\n";
  }
  void add(const Grid& grid) {
    in_list_ = false;
    table(grid.table);
  }
  void add(const Bars& bars) {
    in_list_ = false;
    if (bars.in_text) table(bars.numbers);
  }
  void add(const Ranges& ranges) {
    in_list_ = false;
    if (ranges.in_text) table(ranges.numbers);
  }
  void add(const Curve& curve) {
    in_list_ = false;
    if (!curve.numbers_only_behind) table(curve.numbers);
  }
  void add(const Heat& heat) {
    in_list_ = false;
    table(heat_table(heat));
  }
  void add(const WhatIf&) {}
  void add(const Warnings& warnings) {
    if (warnings.lines.empty()) return;
    if (!warnings.in_text) add(Heading{"Warnings"});
    for (const std::string& line : warnings.lines) item(markdown_escape(line));
  }

  Page page_;
  std::string out_;
  bool in_list_ = false;
  bool folded_ = false;
};

std::string draw_markdown(const Document& document, const Style&) {
  return MarkdownWriter(document.page()).draw();
}

}  // namespace

const FormatWriter md_format = {draw_markdown, nullptr, kMostTableRows, "table"};

}  // namespace trcost::report
