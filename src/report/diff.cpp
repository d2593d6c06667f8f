// SPDX-License-Identifier: Apache-2.0
#include "trcost/diff.h"

#include <fmt/format.h>

#include "report/document_head.h"
#include "text/json_writer.h"
#include "report/text_page.h"
#include "trcost/report.h"
#include "trcost/table.h"

namespace trcost {
namespace {

std::string shown(const DiffRow& row, const DiffValue& value) {
  if (!value.known) return "n/a";
  return value.number ? format_number(*value.number, row.display, 4) : value.text;
}

std::string change_words(const DiffRow& row) {
  const std::optional<double> change = row.change();
  return change ? fmt::format("{:+.1f}%", 100 * *change) : "";
}

std::string platform_name(const DiffPlatform& platform) {
  if (platform.before.empty()) return platform.after + " (only in the second)";
  if (platform.after.empty()) return platform.before + " (only in the first)";
  if (platform.before == platform.after) return platform.before;
  return platform.before + " -> " + platform.after;
}

Table rows_table(const std::vector<DiffRow>& rows, bool everything) {
  Table table({{"what"},
               {"before", "", Align::right},
               {"after", "", Align::right},
               {"change", "", Align::right}});
  for (const DiffRow& row : rows) {
    if (!row.main && !everything) continue;
    table.add_row({row.path, shown(row, row.before), shown(row, row.after), change_words(row)});
  }
  return table;
}

std::size_t hidden_rows(const std::vector<DiffRow>& rows, bool everything) {
  std::size_t hidden = 0;
  for (const DiffRow& row : rows) hidden += row.main || everything ? 0 : 1;
  return hidden;
}

std::string total_sentence(const DiffPlatform& platform) {
  const DiffRow& total = platform.total;
  std::string out = fmt::format("total {} -> {}", shown(total, total.before),
                                shown(total, total.after));
  if (const auto change = total.change()) out += fmt::format(" ({:+.1f}%)", 100 * *change);
  return out;
}

std::string page_of(const DiffReport& report, const Style& style) {
  TextPage page(style);
  page.heading("Difference", fmt::format("{} -> {}", report.a, report.b));
  if (report.result.same()) page.line("nothing differs");
  if (!report.result.inputs.empty()) {
    page.heading("Inputs");
    page.table(rows_table(report.result.inputs, true));
  }
  for (const DiffPlatform& platform : report.result.platforms) {
    page.heading(platform_name(platform), total_sentence(platform));
    const Table figures = rows_table(platform.figures, report.everything);
    if (!figures.rows().empty()) page.table(figures);
    if (const std::size_t hidden = hidden_rows(platform.figures, report.everything)) {
      page.paragraph(fmt::format("{} more figures differ: --all shows them", hidden), 0, Ink::dim);
    }
    if (platform.items.empty()) continue;
    page.heading("Line items");
    page.table(rows_table(platform.items, true));
  }
  return page.take();
}

std::string markdown_of(const DiffReport& report) {
  std::string out = fmt::format("# Difference\n\n`{}` -> `{}`\n", report.a, report.b);
  if (report.result.same()) out += "\nNothing differs.\n";
  if (!report.result.inputs.empty()) {
    out += "\n## Inputs\n\n" + to_markdown(rows_table(report.result.inputs, true));
  }
  for (const DiffPlatform& platform : report.result.platforms) {
    out += fmt::format("\n## {}\n\n{}\n\n", platform_name(platform), total_sentence(platform));
    const Table figures = rows_table(platform.figures, report.everything);
    if (!figures.rows().empty()) out += to_markdown(figures);
    if (!platform.items.empty()) out += "\n" + to_markdown(rows_table(platform.items, true));
  }
  return out;
}

Cell value_cell(const DiffValue& value) {
  if (!value.known) return Cell::unknown();
  return value.number ? Cell::number(*value.number, NumberKind::number) : Cell(value.text);
}

Table flat_table(const DiffResult& result) {
  Table table({{"accelerator"}, {"kind"}, {"path"}, {"unit"}, {"before"}, {"after"},
               {"change_share"}});
  const auto add = [&](std::string_view name, std::string_view kind,
                       const std::vector<DiffRow>& rows) {
    for (const DiffRow& row : rows) {
      table.add_row({name, kind, row.path, row.unit, value_cell(row.before), value_cell(row.after),
                     Cell::number(row.change(), NumberKind::number)});
    }
  };
  add("", "input", result.inputs);
  for (const DiffPlatform& platform : result.platforms) {
    const std::string& name = platform.after.empty() ? platform.before : platform.after;
    if (platform.before.empty() || platform.after.empty()) {
      add(name, platform.before.empty() ? "added" : "removed", {platform.total});
    }
    add(name, "figure", platform.figures);
    add(name, "item", platform.items);
  }
  return table;
}

void write_value(JsonWriter& writer, std::string_view key, const DiffValue& value) {
  if (!value.known) {
    writer.null(key);
  } else if (value.number) {
    writer.member(key, *value.number);
  } else {
    writer.member(key, value.text);
  }
}

void write_row(JsonWriter& writer, const DiffRow& row, std::string_view name) {
  writer.begin_object();
  writer.member(name, row.path);
  writer.text_or_null("unit", row.unit);
  write_value(writer, "before", row.before);
  write_value(writer, "after", row.after);
  writer.member("change_share", row.change());
  writer.end_object();
}

void write_rows(JsonWriter& writer, std::string_view key, const std::vector<DiffRow>& rows,
                std::string_view name) {
  writer.begin_array(key);
  for (const DiffRow& row : rows) write_row(writer, row, name);
  writer.end_array();
}

void write_platform(JsonWriter& writer, const DiffPlatform& platform) {
  writer.begin_object();
  writer.text_or_null("before", platform.before);
  writer.text_or_null("after", platform.after);
  writer.begin_object("total");
  write_value(writer, "before", platform.total.before);
  write_value(writer, "after", platform.total.after);
  writer.member("change_share", platform.total.change());
  writer.end_object();
  write_rows(writer, "figures", platform.figures, "path");
  write_rows(writer, "items", platform.items, "item");
  writer.end_object();
}

std::string json_of(const DiffReport& report) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  write_versions(writer);
  writer.member("a", report.a);
  writer.member("b", report.b);
  writer.boolean("same", report.result.same());
  write_rows(writer, "inputs", report.result.inputs, "path");
  writer.begin_array("platforms");
  for (const DiffPlatform& platform : report.result.platforms) write_platform(writer, platform);
  writer.end_array();
  writer.member("fail_above", report.fail_above);
  writer.begin_array("failed");
  if (report.fail_above) {
    for (const std::string& text : totals_above(report.result, *report.fail_above)) {
      writer.element(text);
    }
  }
  writer.end_array();
  writer.end_object();
  out += '\n';
  return out;
}

}  // namespace

std::string render_diff(const DiffReport& report, Format format, const Style& style) {
  switch (format) {
    case Format::table:
      return page_of(report, style);
    case Format::json:
      return json_of(report);
    case Format::md:
      return markdown_of(report);
    default:
      return to_format(flat_table(report.result), format, style, "differences");
  }
}

}  // namespace trcost
