// SPDX-License-Identifier: Apache-2.0
#include "trcost/memory_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/document_head.h"
#include "report/json_writer.h"
#include "report/layout_json.h"
#include "report/text_page.h"
#include "report/wording.h"
#include "trcost/numbers.h"
#include "trcost/report.h"
#include "trcost/table.h"

namespace trcost {
namespace {

using Part = double MemoryUse::*;
constexpr std::pair<const char*, Part> kParts[] = {
    {"weights", &MemoryUse::weights},         {"gradients", &MemoryUse::gradients},
    {"optimizer", &MemoryUse::optimizer},     {"activations", &MemoryUse::activations},
    {"logits", &MemoryUse::logits},           {"overhead", &MemoryUse::overhead},
    {"total", &MemoryUse::total}};

Cell bytes(double value) { return Cell::number(value, NumberKind::bytes); }

// --- for people ---------------------------------------------------------------------------------

std::string sharding_words(const Layout& l) {
  if (l.dp * l.cp == 1 || l.sharding == Sharding::none) return {};
  return "shard " + std::string(sharding_name(l.sharding));
}

std::string recomputing(const Layout& l) {
  const bool nothing = l.recompute == Recompute::none && l.recompute_layers == 0;
  return nothing ? std::string() : "recompute " + recompute_words(l);
}

std::string layout_words(const MemoryCase& c, bool with_degrees = true) {
  std::string text;
  for (const std::string& part :
       {c.use.tight ? std::string("tight") : std::string(),
        with_degrees ? degree_words(c.layout, false) : std::string(), sharding_words(c.layout),
        recomputing(c.layout)}) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

/// What makes it fit, or how much it would take.
std::string words(const MemoryCase& c, bool with_degrees) {
  if (!c.use.fits) return fmt::format("no: {}", format_number(c.use.total, NumberKind::bytes));
  const std::string layout = layout_words(c, with_degrees);
  return layout.empty() ? "yes" : layout;
}

std::string counted(const std::optional<MemoryCase>& c) {
  if (!c) return "none";
  const std::string gpus = grouped(c->gpus, 0);
  if (!c->use.fits) return fmt::format("{}: {}", gpus, words(*c, true));
  const std::string layout = layout_words(*c, true);
  return layout.empty() ? gpus : fmt::format("{}: {}", gpus, layout);
}

std::vector<TableColumn> part_columns(const char* first) {
  std::vector<TableColumn> columns = {{first}};
  for (const auto& [name, part] : kParts) columns.push_back({name, {}, Align::right});
  return columns;
}

/// Bytes of one device that holds everything, or of the cluster that was asked for.
Table parts_table(const MemoryReport& report) {
  Table table(part_columns("recomputation"));
  for (std::size_t i = 0; i < report.whole.size(); ++i) {
    std::vector<Cell> row = {std::string(recompute_name(static_cast<Recompute>(i)))};
    for (const auto& [name, part] : kParts) row.push_back(bytes(report.whole[i].*part));
    table.add_row(std::move(row));
  }
  return table;
}

Table given_table(const MemoryReport& report) {
  std::vector<TableColumn> columns = part_columns("accelerator");
  columns.push_back({"fits"});
  Table table(std::move(columns));
  for (const MemoryFit& fit : report.fits) {
    if (!fit.given) continue;
    std::vector<Cell> row = {fit.accelerator};
    for (const auto& [name, part] : kParts) row.push_back(bytes(fit.given->use.*part));
    row.push_back(!fit.given->use.fits ? "NO" : fit.given->use.tight ? "tight" : "yes");
    table.add_row(std::move(row));
  }
  return table;
}

Table fits_table(const MemoryReport& report) {
  const bool given = std::ranges::any_of(report.fits, [](const auto& f) { return f.given.has_value(); });
  std::vector<TableColumn> columns = {{"accelerator"}, {"room", {}, Align::right}};
  if (given) columns.push_back({"asked for", {}, Align::left, Overflow::wrap});
  for (const char* title : {"one", "node", "fewest that hold it"}) {
    columns.push_back({title, {}, Align::left, Overflow::wrap});
  }
  const std::size_t width = columns.size();
  Table table(std::move(columns));
  for (const MemoryFit& fit : report.fits) {
    if (!fit.problem.empty()) {
      std::vector<Cell> row = {fit.accelerator, bytes(fit.device_bytes), fit.problem};
      row.resize(width, Cell(""));
      table.add_row(std::move(row));
      continue;
    }
    std::vector<Cell> row = {fit.accelerator, bytes(fit.capacity_bytes)};
    if (given) row.emplace_back(counted(fit.given));
    row.emplace_back(words(fit.one, false));
    row.emplace_back(fit.node ? counted(fit.node) : std::string("-"));
    row.emplace_back(counted(fit.smallest));
    table.add_row(std::move(row));
  }
  return table;
}

std::vector<Fact> question(const MemoryReport& report) {
  const std::string size = format_number(report.model.params_total, NumberKind::count);
  std::string model = report.model.name.empty() || report.model.name.starts_with(size)
                          ? std::string()
                          : report.model.name + ": ";
  model += size + " parameters";
  std::string why;
  for (const Assumption& each : report.assumptions) {
    if (each.path != field_info(Field::data_seq_length).path) continue;
    why = fmt::format(", {}; --seq-length or --samples says otherwise", each.why);
  }
  return {{"Model", model},
          {"Training", fmt::format("{}, {} parameters learn; software stack: {}", report.recipe,
                                   format_number(report.model.params_trainable, NumberKind::count),
                                   report.stack)},
          {"Sequences", fmt::format("{} tokens{}", grouped(report.seq_length, 0), why)}};
}

constexpr const char* kFitsNote = "room: what a plan fills; tight: less than --memory-margin of it stays free";

std::string for_people(const MemoryReport& report, Format format, const Style& style) {
  const bool given = !report.fits.empty() && report.fits.front().given.has_value();
  const std::string first = given ? "Memory of one device of the cluster asked for"
                                  : "Memory of one device that holds everything";
  const std::string second = "What holds it";
  const Table parts = given ? given_table(report) : parts_table(report);
  if (format == Format::md) {
    std::string out = "# Memory\n\n";
    for (const Fact& fact : question(report)) {
      out += fmt::format("- **{}**: {}\n", fact.label, fact.text);
    }
    return out + fmt::format("\n## {}\n\n{}\n## {}\n\n{}\n\n{}", first, to_markdown(parts), second,
                             kFitsNote, to_markdown(fits_table(report)));
  }
  TextPage page(style);
  page.heading("Memory", made_by());
  page.facts(question(report));
  page.heading(first);
  page.table(parts);
  page.heading(second, kFitsNote);
  page.table(fits_table(report));
  return page.take();
}

// --- for machines -------------------------------------------------------------------------------

void write_use(JsonWriter& json, std::string_view key, const MemoryUse& use) {
  json.begin_object(key);
  for (const auto& [name, part] : kParts) json.member(std::string(name) + "_bytes", use.*part);
  json.member("capacity_bytes", use.capacity);
  json.boolean("fits", use.fits);
  json.boolean("tight", use.tight);
  json.end_object();
}

void write_case(JsonWriter& json, std::string_view key, const std::optional<MemoryCase>& c,
                double layers) {
  if (!c) return json.null(key);
  json.begin_object(key);
  json.member("gpus", c->gpus);
  json.boolean("fits", c->use.fits);
  write_layout(json, c->layout, c->gpus, layers);
  write_use(json, "memory", c->use);
  json.end_object();
}

void write_fit(JsonWriter& json, const MemoryFit& fit, double layers) {
  const bool known = fit.problem.empty();
  json.begin_object();
  json.member("accelerator", fit.accelerator);
  json.member("title", fit.title);
  json.text_or_null("system", fit.system);
  json.text_or_null("precision", known ? precision_name(fit.precision) : std::string_view());
  json.member("device_bytes", fit.device_bytes);
  json.member("capacity_bytes", known ? std::optional(fit.capacity_bytes) : std::nullopt);
  write_case(json, "one", known ? std::optional(fit.one) : std::nullopt, layers);
  write_case(json, "node", fit.node, layers);
  write_case(json, "smallest", fit.smallest, layers);
  write_case(json, "given", fit.given, layers);
  json.text_or_null("problem", fit.problem);
  json.end_object();
}

std::string document(const MemoryReport& report, const Scenario& scenario) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_versions(json);
  json.raw("scenario", scenario_to_json(scenario));
  json.begin_object("model");
  json.member("name", report.model.name);
  json.member("params_total", report.model.params_total);
  json.member("params_trainable", report.model.params_trainable);
  json.member("params_vision", report.model.params_vision);
  json.end_object();
  json.member("recipe", report.recipe);
  json.member("seq_length", report.seq_length);
  json.begin_object("one_device");
  for (std::size_t i = 0; i < report.whole.size(); ++i) {
    MemoryUse use = report.whole[i];
    json.begin_object(recompute_name(static_cast<Recompute>(i)));
    for (const auto& [name, part] : kParts) json.member(std::string(name) + "_bytes", use.*part);
    json.end_object();
  }
  json.end_object();
  json.begin_array("items");
  for (const MemoryFit& fit : report.fits) write_fit(json, fit, report.model.layers);
  json.end_array();
  json.begin_array("assumptions");
  for (const Assumption& a : report.assumptions) {
    json.begin_object();
    json.member("path", a.path);
    json.member("value", a.value);
    json.text_or_null("unit", a.unit);
    json.member("why", a.why);
    json.text_or_null("source", a.source);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out + '\n';
}

void add_case_columns(std::vector<TableColumn>& columns, const std::string& name) {
  for (const char* field : {"gpus", "fits", "total_bytes", "tp", "pp", "sharding", "recompute"}) {
    columns.push_back({name + "." + field, name + "." + field});
  }
}

void add_case(std::vector<Cell>& row, const std::optional<MemoryCase>& c) {
  if (!c) {
    row.insert(row.end(), 7, Cell::unknown());
    return;
  }
  const auto number = [](double value) { return Cell::number(value, NumberKind::number); };
  row.push_back(number(c->gpus));
  row.push_back(Cell::boolean(c->use.fits));
  row.push_back(number(c->use.total));
  row.push_back(number(c->layout.tp));
  row.push_back(number(c->layout.pp));
  row.push_back(std::string(sharding_name(c->layout.sharding)));
  row.push_back(std::string(recompute_name(c->layout.recompute)));
}

Table rows(const MemoryReport& report) {
  std::vector<TableColumn> columns = {{"accelerator", "accelerator"},
                                      {"precision", "precision"},
                                      {"capacity_bytes", "capacity_bytes"},
                                      {"gpus", "gpus"}};
  for (const auto& [name, part] : kParts) {
    const std::string key = fmt::format("memory.{}_bytes", name);
    columns.push_back({key, key});
  }
  columns.push_back({"memory.fits", "memory.fits"});
  for (const char* name : {"one", "node", "smallest"}) add_case_columns(columns, name);
  columns.push_back({"problem", "problem"});
  const std::size_t width = columns.size();
  Table table(std::move(columns));
  for (const MemoryFit& fit : report.fits) {
    std::vector<Cell> row = {fit.accelerator};
    if (!fit.problem.empty()) {
      row.insert(row.end(), width - 2, Cell::unknown());
    } else {
      const MemoryCase& main = fit.main();
      row.push_back(std::string(precision_name(fit.precision)));
      row.push_back(Cell::number(fit.capacity_bytes, NumberKind::bytes));
      row.push_back(Cell::number(main.gpus, NumberKind::number));
      for (const auto& [name, part] : kParts) row.push_back(bytes(main.use.*part));
      row.push_back(Cell::boolean(main.use.fits));
      add_case(row, fit.one);
      add_case(row, fit.node);
      add_case(row, fit.smallest);
    }
    row.push_back(fit.problem.empty() ? Cell::unknown() : Cell(fit.problem));
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace

std::string render_memory(const MemoryReport& report, const Scenario& scenario, Format format,
                          const Style& style) {
  switch (format) {
    case Format::table:
    case Format::md: return for_people(report, format, style);
    case Format::json: return document(report, scenario);
    default: return to_format(rows(report), format, style, "items");
  }
}

}  // namespace trcost
