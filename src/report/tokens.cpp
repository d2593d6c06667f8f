// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string_view>
#include <utility>

#include "report/token_parts.h"
#include "trcost/error.h"
#include "trcost/report.h"
#include "trcost/table.h"
#include "trcost/token_report.h"

namespace trcost {
namespace {

using Tokens = std::optional<std::int64_t>;

/// A whole number, shown digit for digit.
Cell whole(Tokens value) {
  if (!value) return Cell::unknown();
  return Cell::number(static_cast<double>(*value), std::to_string(*value));
}

std::string text_of(ImageSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

Cell resized_cell(const TokenCount& tokens) {
  return tokens.resized ? Cell(text_of(*tokens.resized)) : Cell::unknown();
}

// --- rows for machines and for people -----------------------------------------------------------

}  // namespace

Table token_rows(std::span<const TokenItem> items) {
  Table table({{"input", "input"},
               {"family", "family"},
               {"count", "count", Align::right},
               {"encoder tokens", "tokens.vision_encoder", Align::right},
               {"tokens", "tokens.vision", Align::right},
               {"tiles", "tiles", Align::right},
               {"frames", "frames", Align::right},
               {"resized", "resized", Align::right},
               {"rule", "rule"},
               {"source", "source"}});
  for (const TokenItem& item : items) {
    const TokenCount& t = item.tokens;
    table.add_row({item.input, item.family, whole(item.count), whole(t.vision_encoder),
                   whole(t.vision), whole(t.tiles), whole(t.frames), resized_cell(t),
                   std::string(t.rule), std::string(t.source)});
  }
  return table;
}

namespace {

Table items_table(const TokenReport& report) {
  const bool frames = !report.items.empty() && report.items.front().tokens.frames.has_value();
  std::vector<TableColumn> columns = {{report.comparison ? "family" : "input", {}},
                                      {"encoder tokens", {}, Align::right},
                                      {"tokens", {}, Align::right},
                                      {"tiles", {}, Align::right},
                                      {"resized", {}, Align::right}};
  if (report.comparison) columns.insert(columns.begin(), {"input", {}});
  if (frames) columns.push_back({"frames", {}, Align::right});
  Table table(columns);
  for (const TokenItem& item : report.items) {
    const TokenCount& t = item.tokens;
    std::vector<Cell> row = {report.comparison ? item.family : item.input, whole(t.vision_encoder),
                             whole(t.vision), whole(t.tiles), resized_cell(t)};
    if (report.comparison) row.insert(row.begin(), item.input);
    if (frames) row.push_back(whole(t.frames));
    table.add_row(std::move(row));
  }
  if (!report.comparison && report.items.size() > 1) {
    table.add_rule();
    std::vector<Cell> row = {"total", whole(report.totals.vision_encoder),
                             whole(report.totals.vision), "", ""};
    if (frames) row.emplace_back("");
    table.add_row(std::move(row));
  }
  return table;
}

/// Total and spread of a set, encoder beside language model.
Table spread_table(const TokenSums& totals) {
  Table table({{std::to_string(totals.inputs) + (totals.inputs == 1 ? " image" : " images"), {}},
               {"encoder tokens", {}, Align::right},
               {"tokens", {}, Align::right}});
  table.add_row({"total", whole(totals.vision_encoder), whole(totals.vision)});
  table.add_rule();
  const auto& encoder = totals.encoder_distribution;
  const auto& vision = totals.vision_distribution;
  const std::pair<const char*, std::int64_t TokenDistribution::*> rows[] = {
      {"smallest", &TokenDistribution::min},
      {"median", &TokenDistribution::median},
      {"90 % have at most", &TokenDistribution::p90},
      {"largest", &TokenDistribution::max}};
  for (const auto& [title, field] : rows) {
    table.add_row({title, encoder ? whole((*encoder).*field) : Cell::unknown(),
                   vision ? whole((*vision).*field) : Cell::unknown()});
  }
  const auto mean = [](const std::optional<TokenDistribution>& d) {
    return d ? Cell::number(d->mean, NumberKind::number, 5) : Cell::unknown();
  };
  table.add_row({"mean", mean(encoder), mean(vision)});
  return table;
}

/// The rules and sources behind the items, each once.
std::string footnotes(const TokenReport& report) {
  std::set<std::string_view> seen;
  std::string out;
  for (const TokenItem& item : report.items) {
    if (report.comparison || !seen.insert(item.tokens.rule).second) continue;
    out += "rule: " + std::string(item.tokens.rule) + "\n";
    out += "source: " + std::string(item.tokens.source) + "\n";
  }
  return out.empty() ? out : "\n" + out;
}

Table table_for_people(const TokenReport& report) {
  return report.sets ? spread_table(report.totals) : items_table(report);
}

}  // namespace

std::string render_tokens(const TokenReport& report, Format format, const Style& style,
                          bool items) {
  switch (format) {
    case Format::table:
      return to_text(table_for_people(report), style) + footnotes(report);
    case Format::json:
      return tokens_json(report, items);
    case Format::md:
    case Format::html:
      return to_format(table_for_people(report), format, style, "Tokens");
    default:
      return to_format(token_rows(report.items), format, style, "items");
  }
}

std::string render_token_families(Format format, const Style& style) {
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
  return to_format(table, format, style, "families");
}

}  // namespace trcost
