// SPDX-License-Identifier: Apache-2.0
#include "trcost/memory_fit.h"

#include <fmt/format.h>

#include <utility>

#include "report/json_writer.h"
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

std::string degrees(const Layout& l) {
  std::string text;
  const std::pair<const char*, int> all[] = {
      {"tp", l.tp}, {"pp", l.pp}, {"vp", l.vp}, {"cp", l.cp}, {"ep", l.ep}};
  for (const auto& [name, degree] : all) {
    if (degree > 1) text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, degree);
  }
  return text;
}

std::string sharding_words(const Layout& l) {
  if (l.dp * l.cp == 1 || l.sharding == Sharding::none) return {};
  return "shard " + std::string(sharding_name(l.sharding));
}

std::string recompute_words(const Layout& l) {
  if (l.recomputed_layers > 0) {
    return fmt::format("recompute {:.0f} % of layers", 100 * l.recomputed_layers);
  }
  return l.recompute == Recompute::none ? std::string("recompute none")
                                        : "recompute " + std::string(recompute_name(l.recompute));
}

std::string layout_words(const MemoryCase& c, bool with_degrees = true) {
  std::string text;
  for (const std::string& part :
       {with_degrees ? degrees(c.layout) : std::string(), sharding_words(c.layout),
        recompute_words(c.layout)}) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

/// What makes it fit, or how much it would take.
std::string words(const MemoryCase& c, bool with_degrees) {
  if (!c.use.fits) return fmt::format("no: {}", format_number(c.use.total, NumberKind::bytes));
  return layout_words(c, with_degrees);
}

std::string counted(const std::optional<MemoryCase>& c, bool with_degrees) {
  if (!c) return "none";
  return fmt::format("{}: {}", format_exact(c->gpus), words(*c, with_degrees));
}

/// Bytes of one device that holds everything, or of the cluster that was asked for.
Table parts_table(const MemoryReport& report) {
  Table table({{"recomputation"},
               {"weights", {}, Align::right},
               {"gradients", {}, Align::right},
               {"optimizer", {}, Align::right},
               {"activations", {}, Align::right},
               {"logits", {}, Align::right},
               {"overhead", {}, Align::right},
               {"total", {}, Align::right}});
  for (std::size_t i = 0; i < report.whole.size(); ++i) {
    std::vector<Cell> row = {std::string(recompute_name(static_cast<Recompute>(i)))};
    for (const auto& [name, part] : kParts) row.push_back(bytes(report.whole[i].*part));
    table.add_row(std::move(row));
  }
  return table;
}

Table given_table(const MemoryReport& report) {
  Table table({{"accelerator"},
               {"layout", {}, Align::left, Overflow::wrap},
               {"weights", {}, Align::right},
               {"gradients", {}, Align::right},
               {"optimizer", {}, Align::right},
               {"activations", {}, Align::right},
               {"logits", {}, Align::right},
               {"overhead", {}, Align::right},
               {"total", {}, Align::right},
               {"fits"}});
  for (const MemoryFit& fit : report.fits) {
    if (!fit.given) continue;
    std::vector<Cell> row = {fit.accelerator, layout_words(*fit.given)};
    for (const auto& [name, part] : kParts) row.push_back(bytes(fit.given->use.*part));
    row.push_back(fit.given->use.fits ? "yes" : "NO");
    table.add_row(std::move(row));
  }
  return table;
}

Table fits_table(const MemoryReport& report) {
  Table table({{"accelerator"},
               {"room", {}, Align::right},
               {"one", {}, Align::left, Overflow::wrap},
               {"node", {}, Align::left, Overflow::wrap},
               {"fewest that hold it", {}, Align::left, Overflow::wrap}});
  for (const MemoryFit& fit : report.fits) {
    if (!fit.problem.empty()) {
      table.add_row({fit.accelerator, bytes(fit.device_bytes), fit.problem, "", ""});
      continue;
    }
    table.add_row({fit.accelerator, bytes(fit.capacity_bytes), words(fit.one, false),
                   fit.node ? counted(fit.node, true) : std::string("-"),
                   counted(fit.smallest, true)});
  }
  return table;
}

std::string heading(const MemoryReport& report) {
  return fmt::format("{}: {} parameters, {} learn ({}); sequences of {} tokens; stack: {}",
                     report.model.name, format_number(report.model.params_total, NumberKind::count),
                     format_number(report.model.params_trainable, NumberKind::count), report.recipe,
                     format_exact(report.seq_length), report.stack);
}

std::string for_people(const MemoryReport& report, Format format, const Style& style) {
  const bool given = !report.fits.empty() && report.fits.front().given.has_value();
  const std::string first = given ? "Bytes per device of the cluster asked for"
                                  : "Bytes on one device that holds everything";
  const std::string second = "What holds it (room: what a plan fills of the device)";
  const Table parts = given ? given_table(report) : parts_table(report);
  if (format == Format::md) {
    return fmt::format("{}\n\n## {}\n\n{}\n## {}\n\n{}", heading(report), first, to_markdown(parts),
                       second, to_markdown(fits_table(report)));
  }
  return fmt::format("{}\n\n{}\n\n{}\n{}\n\n{}", heading(report), first, to_text(parts, style), second,
                     to_text(fits_table(report), style));
}

// --- for machines -------------------------------------------------------------------------------

void write_use(JsonWriter& json, std::string_view key, const MemoryUse& use) {
  json.begin_object(key);
  for (const auto& [name, part] : kParts) json.member(std::string(name) + "_bytes", use.*part);
  json.member("capacity_bytes", use.capacity);
  json.boolean("fits", use.fits);
  json.end_object();
}

void write_case(JsonWriter& json, std::string_view key, const std::optional<MemoryCase>& c) {
  if (!c) return json.null(key);
  const Layout& l = c->layout;
  json.begin_object(key);
  json.member("gpus", c->gpus);
  json.boolean("fits", c->use.fits);
  json.begin_object("layout");
  const std::pair<const char*, int> all[] = {{"tp", l.tp}, {"pp", l.pp}, {"vp", l.vp},
                                             {"cp", l.cp}, {"ep", l.ep}, {"dp", l.dp}};
  for (const auto& [name, degree] : all) json.member(name, static_cast<double>(degree));
  json.member("micro_batch", l.micro_batch);
  json.member("global_batch", l.global_batch);
  json.member("sharding", sharding_name(l.sharding));
  json.member("recompute", recompute_name(l.recompute));
  json.member("recomputed_layers", l.recomputed_layers);
  json.end_object();
  write_use(json, "memory", c->use);
  json.end_object();
}

void write_fit(JsonWriter& json, const MemoryFit& fit) {
  const bool known = fit.problem.empty();
  json.begin_object();
  json.member("accelerator", fit.accelerator);
  json.member("title", fit.title);
  json.text_or_null("system", fit.system);
  json.text_or_null("precision", known ? precision_name(fit.precision) : std::string_view());
  json.member("device_bytes", fit.device_bytes);
  json.member("capacity_bytes", known ? std::optional(fit.capacity_bytes) : std::nullopt);
  write_case(json, "one", known ? std::optional(fit.one) : std::nullopt);
  write_case(json, "node", fit.node);
  write_case(json, "smallest", fit.smallest);
  write_case(json, "given", fit.given);
  json.text_or_null("problem", fit.problem);
  json.end_object();
}

std::string document(const MemoryReport& report, const Scenario& scenario) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("schema_version", kSchemaVersion);
  json.member("trcost_version", trcost_version());
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
  for (const MemoryFit& fit : report.fits) write_fit(json, fit);
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
