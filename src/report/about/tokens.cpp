// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "report/about/documents.h"
#include "report/format/row_stream.h"
#include "report/page/page.h"
#include "study/tokens/token_report.h"

namespace trcost::report {
namespace {

// A whole number with all of its digits.
Cell token_cell(std::optional<std::int64_t> value) {
  if (!value) return Cell::unknown();
  return Cell::number(static_cast<double>(*value), std::to_string(*value));
}

Table token_table(const TokenReport& report) {
  const bool frames = !report.items.empty() && report.items.front().tokens.frames.has_value();
  std::vector<TableColumn> columns = {{report.comparison ? "family" : "input", {}},
                                      number_column("encoder tokens"),
                                      number_column("tokens"),
                                      number_column("tiles"),
                                      number_column("resized")};
  if (report.comparison) columns.insert(columns.begin(), {"input", {}});
  if (frames) columns.push_back(number_column("frames"));
  const bool text = std::ranges::any_of(
      report.items, [](const TokenItem& item) { return item.tokens.text.has_value(); });
  if (text) columns.push_back(number_column("text between"));
  Table table(columns);
  for (const TokenItem& item : report.items) {
    const TokenCount& t = item.tokens;
    const Cell resized = t.resized ? Cell(fmt::format("{}x{}", t.resized->width, t.resized->height))
                                   : Cell::unknown();
    std::vector<Cell> row = {report.comparison ? item.family : item.input,
                             token_cell(t.vision_encoder), token_cell(t.vision),
                             token_cell(t.tiles), resized};
    if (report.comparison) row.insert(row.begin(), item.input);
    if (frames) row.push_back(token_cell(t.frames));
    if (text) row.push_back(token_cell(t.text));
    table.add_row(std::move(row));
  }
  if (!report.comparison && report.items.size() > 1) {
    table.add_rule();
    std::vector<Cell> row = {"total", token_cell(report.totals.vision_encoder),
                             token_cell(report.totals.vision), "", ""};
    if (frames) row.emplace_back("");
    if (text) row.emplace_back("");
    table.add_row(std::move(row));
  }
  return table;
}

// Total and distribution of a set, for encoder and language model.
Table distribution_table(const TokenSums& totals) {
  Table table({{std::to_string(totals.inputs) + (totals.inputs == 1 ? " image" : " images"), {}},
               number_column("encoder tokens"),
               number_column("tokens")});
  table.add_row({"total", token_cell(totals.vision_encoder), token_cell(totals.vision)});
  table.add_rule();
  const auto& encoder = totals.encoder_distribution;
  const auto& vision = totals.vision_distribution;
  const std::pair<const char*, std::int64_t TokenDistribution::*> rows[] = {
      {"smallest", &TokenDistribution::min},
      {"median", &TokenDistribution::median},
      {"90% have at most", &TokenDistribution::p90},
      {"largest", &TokenDistribution::max}};
  for (const auto& [title, field] : rows) {
    table.add_row({title, encoder ? token_cell((*encoder).*field) : Cell::unknown(),
                   vision ? token_cell((*vision).*field) : Cell::unknown()});
  }
  const auto mean = [](const std::optional<TokenDistribution>& d) {
    return d ? Cell::number(d->mean, NumberKind::number, 5) : Cell::unknown();
  };
  table.add_row({"mean", mean(encoder), mean(vision)});
  return table;
}

// Adds the rules and sources of the items, each once.
void add_sources(Page& page, const TokenReport& report) {
  std::set<std::string_view> seen;
  for (const TokenItem& item : report.items) {
    if (report.comparison || !seen.insert(item.tokens.rule).second) continue;
    page.add(Paragraph{"rule: " + std::string(item.tokens.rule), Ink::plain, 6});
    page.add(Paragraph{"source: " + std::string(item.tokens.source), Ink::plain, 8});
  }
}

// Bars that compare the families. Text has their table.
Bars comparison_bars(const TokenReport& report) {
  double most = 1;
  for (const TokenItem& item : report.items) {
    most = std::max(most, static_cast<double>(item.tokens.vision));
  }
  Bars bars{.title = "Tokens that the language model sees, by family",
            .bars = {},
            .numbers = Table({{"family"}, number_column("tokens")}),
            .in_text = false};
  for (const TokenItem& item : report.items) {
    const auto tokens = static_cast<double>(item.tokens.vision);
    bars.bars.push_back({item.family, tokens / most, grouped(tokens, 0)});
    bars.numbers.add_row({item.family, Cell::number(tokens, grouped(tokens, 0))});
  }
  return bars;
}

std::vector<std::string> skipped_lines(const TokenReport& report) {
  constexpr std::size_t kMostNamed = 100;
  std::vector<std::string> lines;
  for (const SkippedInput& skipped : report.skipped) {
    if (lines.size() == kMostNamed) {
      lines.push_back(fmt::format("and {} more", report.skipped.size() - kMostNamed));
      break;
    }
    lines.push_back(skipped.input + ": " + skipped.reason);
  }
  return lines;
}

Page tokens_page(const TokenReport& report) {
  Page page{"Tokens", made_by(), {}};
  if (report.comparison) page.add(comparison_bars(report));
  page.add(Grid{report.sets ? distribution_table(report.totals) : token_table(report)});
  add_sources(page, report);
  return page.add(Warnings{skipped_lines(report)});
}

}  // namespace

Document tokens_document(const TokenReport& report) {
  return document_of(kTokens, report, [&report] { return tokens_page(report); });
}

RowStream token_stream(Format format, std::function<void(std::string_view)> write) {
  static const TokenReport kNone;
  return {record_of(token_columns(), kNone), kTokens.rows, format, std::move(write)};
}

Record token_record(const TokenItem& item) {
  return record_of(token_item_columns(), item);
}

Record token_record(const TokenReport& report) {
  return record_of(token_columns(), report);
}

Document token_families_document() {
  Table table({{"family", "name"},
               {"models", "title", Align::left, Overflow::wrap},
               {"takes", "kinds"},
               {"rule", "rule", Align::left, Overflow::wrap},
               {"source", "source", Align::left, Overflow::drop}});
  for (const TokenFamily& family : token_families()) {
    std::string kinds;
    const auto add = [&](bool has, const char* kind) {
      if (has) kinds += (kinds.empty() ? "" : ", ") + std::string(kind);
    };
    add(family.image, "image");
    add(family.video, "video");
    add(family.audio, "audio");
    table.add_row({std::string(family.name), std::string(family.title), kinds,
                   std::string(family.rule), std::string(family.source)});
  }
  return table_document(std::move(table), "families", "Token families");
}

}  // namespace trcost::report
