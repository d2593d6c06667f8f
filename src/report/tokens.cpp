// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string_view>
#include <utility>

#include "report/document_head.h"
#include "report/json_writer.h"
#include "trcost/error.h"
#include "trcost/report.h"
#include "trcost/table.h"
#include "trcost/token_report.h"

namespace trcost {
namespace {

using Tokens = std::optional<std::int64_t>;

std::optional<double> as_number(Tokens value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

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

Table full_table(const TokenReport& report) {
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
  for (const TokenItem& item : report.items) {
    const TokenCount& t = item.tokens;
    table.add_row({item.input, item.family, whole(item.count), whole(t.vision_encoder),
                   whole(t.vision), whole(t.tiles), whole(t.frames), resized_cell(t),
                   std::string(t.rule), std::string(t.source)});
  }
  return table;
}

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

// --- JSON ---------------------------------------------------------------------------------------

void write_tokens(JsonWriter& json, std::string_view key, Tokens encoder, Tokens vision) {
  json.begin_object(key);
  json.member("vision_encoder", as_number(encoder));
  json.member("vision", as_number(vision));
  json.end_object();
}

void write_item(JsonWriter& json, const TokenItem& item) {
  const TokenCount& t = item.tokens;
  json.begin_object();
  json.member("input", item.input);
  json.member("family", item.family);
  if (item.count != 1) json.member("count", static_cast<double>(item.count));
  write_tokens(json, "tokens", t.vision_encoder, t.vision);
  json.member("tiles", static_cast<double>(t.tiles));
  if (t.frames) json.member("frames", static_cast<double>(*t.frames));
  if (t.resized) {
    json.raw("resized", "[" + std::to_string(t.resized->width) + ", " +
                            std::to_string(t.resized->height) + "]");
  } else {
    json.null("resized");
  }
  json.member("encoder_sequence", as_number(t.encoder_sequence));
  json.member("rule", t.rule);
  json.member("source", t.source);
  json.end_object();
}

void write_distribution(JsonWriter& json, std::string_view key,
                        const std::optional<TokenDistribution>& distribution) {
  if (!distribution) {
    json.null(key);
    return;
  }
  json.begin_object(key);
  json.member("min", static_cast<double>(distribution->min));
  json.member("median", static_cast<double>(distribution->median));
  json.member("p90", static_cast<double>(distribution->p90));
  json.member("max", static_cast<double>(distribution->max));
  json.member("mean", distribution->mean);
  json.end_object();
}

std::string to_json(const TokenReport& report, bool items) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_versions(json);
  json.begin_array("items");
  if (items) {
    for (const TokenItem& item : report.items) write_item(json, item);
  }
  json.end_array();
  const bool summed = !report.comparison;
  write_tokens(json, "total", summed ? report.totals.vision_encoder : std::nullopt,
               summed ? Tokens(report.totals.vision) : std::nullopt);
  if (summed) json.member("inputs", static_cast<double>(report.totals.inputs));
  if (report.sets) {
    json.begin_object("distribution");
    write_distribution(json, "vision_encoder", report.totals.encoder_distribution);
    write_distribution(json, "vision", report.totals.vision_distribution);
    json.end_object();
  }
  json.begin_array("skipped");
  for (const SkippedInput& skipped : report.skipped) {
    json.begin_object();
    json.member("input", skipped.input);
    json.member("reason", skipped.reason);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out + '\n';
}

}  // namespace

std::string render_tokens(const TokenReport& report, Format format, const Style& style,
                          bool items) {
  switch (format) {
    case Format::table:
      return to_text(table_for_people(report), style) + footnotes(report);
    case Format::json:
      return to_json(report, items);
    case Format::md:
    case Format::html:
      return to_format(table_for_people(report), format, style, "Tokens");
    default:
      return to_format(full_table(report), format, style, "items");
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
