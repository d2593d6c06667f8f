// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "estimate/columns/memory_columns.h"
#include "report/about/documents.h"
#include "report/page/document_head.h"
#include "report/page/estimate_tables.h"
#include "report/page/wording.h"
#include "report/table/table.h"
#include "trcost/numbers.h"

namespace trcost::report {

namespace {

/// A column of a table of uses.
struct UseColumn {
  std::string_view name;
  std::function<double(const MemoryUse&)> bytes;
};

/// The parts, their sum, and what is elsewhere. Other models, an engine with its cache and a host's
/// memory only where there are any.
std::vector<UseColumn> parts_of(std::span<const MemoryUse> uses) {
  const auto any = [&](double MemoryUse::*part) {
    return std::ranges::any_of(uses, [&](const MemoryUse& use) { return use.*part > 0; });
  };
  std::vector<UseColumn> out;
  for (const MemoryPart& part : kMemoryParts) {
    const bool of_rounds = part.bytes == &MemoryUse::resident;
    if (!of_rounds || any(part.bytes)) out.push_back({part.name, std::mem_fn(part.bytes)});
  }
  if (std::ranges::any_of(uses, &MemoryUse::generating)) {
    for (const auto& [name, of_engine] : kEngineParts) {
      out.push_back(
          {name, [of_engine](const MemoryUse& use) { return use.generated().*of_engine; }});
    }
  }
  out.push_back({"total", std::mem_fn(&MemoryUse::total)});
  if (any(&MemoryUse::host)) out.push_back({"in the host", std::mem_fn(&MemoryUse::host)});
  return out;
}

Cell bytes_cell(double value) {
  return Cell::number(value, NumberKind::bytes);
}

// --- for people ---------------------------------------------------------------------------------

std::string sharding_words(const Layout& l) {
  if (l.dp * l.cp == 1 || l.sharding == Sharding::none) return {};
  return "shard " + std::string(sharding_name(l.sharding));
}

std::string recomputing(const Layout& l) {
  const bool nothing = l.recompute == Recompute::none && l.recompute_layers == 0;
  return nothing ? std::string() : "recompute " + recompute_words(l);
}

std::string memory_layout_words(const MemoryCase& c, bool with_degrees = true) {
  std::string text;
  for (const std::string& part : {c.use.tight ? std::string("tight") : std::string(),
                                  with_degrees ? degree_words(c.layout, false) : std::string(),
                                  sharding_words(c.layout), recomputing(c.layout)}) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

/// What makes it fit, or how much it would take.
std::string memory_case_words(const MemoryCase& c, bool with_degrees) {
  if (c.use.total <= c.use.capacity && !c.engine_fits) return "no engine holds it";
  if (!c.use.fits) return fmt::format("no: {}", format_number(c.use.total, NumberKind::bytes));
  const std::string layout = memory_layout_words(c, with_degrees);
  return layout.empty() ? "yes" : layout;
}

std::string count_of_gpus(const std::optional<MemoryCase>& c) {
  if (!c) return "none";
  const std::string gpus = grouped(c->gpus, 0);
  if (!c->use.fits) return fmt::format("{}: {}", gpus, memory_case_words(*c, true));
  const std::string layout = memory_layout_words(*c, true);
  return layout.empty() ? gpus : fmt::format("{}: {}", gpus, layout);
}

std::vector<TableColumn> part_columns(const char* first, std::span<const MemoryUse> uses) {
  std::vector<TableColumn> columns = {{first}};
  for (const UseColumn& part : parts_of(uses)) {
    columns.push_back({std::string(part.name), {}, Align::right});
  }
  return columns;
}

/// Bytes of one device that holds everything, or of the cluster that was asked for.
Table parts_table(const MemoryReport& report) {
  Table table(part_columns("recomputation", report.whole));
  for (std::size_t i = 0; i < report.whole.size(); ++i) {
    std::vector<Cell> row = {std::string(recompute_name(static_cast<Recompute>(i)))};
    for (const auto& [name, part] : parts_of(report.whole)) {
      row.push_back(bytes_cell(part(report.whole[i])));
    }
    table.add_row(std::move(row));
  }
  return table;
}

Table given_table(const MemoryReport& report) {
  std::vector<MemoryUse> uses;
  for (const MemoryFit& fit : report.fits) {
    if (fit.given) uses.push_back(fit.given->use);
  }
  std::vector<TableColumn> columns = part_columns("accelerator", uses);
  columns.push_back({"fits"});
  Table table(std::move(columns));
  for (const MemoryFit& fit : report.fits) {
    if (!fit.given) continue;
    std::vector<Cell> row = {fit.accelerator};
    for (const auto& [name, part] : parts_of(uses)) {
      row.push_back(bytes_cell(part(fit.given->use)));
    }
    row.push_back(!fit.given->use.fits ? "NO" : fit.given->use.tight ? "tight" : "yes");
    table.add_row(std::move(row));
  }
  return table;
}

Table fits_table(const MemoryReport& report) {
  const bool given =
      std::ranges::any_of(report.fits, [](const auto& f) { return f.given.has_value(); });
  std::vector<TableColumn> columns = {{"accelerator"}, {"room", {}, Align::right}};
  if (given) columns.push_back({"asked for", {}, Align::left, Overflow::wrap});
  for (const char* title : {"one", "node", "fewest that hold it"}) {
    columns.push_back({title, {}, Align::left, Overflow::wrap});
  }
  const std::size_t width = columns.size();
  Table table(std::move(columns));
  for (const MemoryFit& fit : report.fits) {
    if (!fit.problem.empty()) {
      std::vector<Cell> row = {fit.accelerator, bytes_cell(fit.device_bytes), fit.problem};
      row.resize(width, Cell(""));
      table.add_row(std::move(row));
      continue;
    }
    std::vector<Cell> row = {fit.accelerator, bytes_cell(fit.capacity_bytes)};
    if (given) row.emplace_back(count_of_gpus(fit.given));
    row.emplace_back(memory_case_words(fit.one, false));
    row.emplace_back(fit.node ? count_of_gpus(fit.node) : std::string("-"));
    row.emplace_back(count_of_gpus(fit.smallest));
    table.add_row(std::move(row));
  }
  return table;
}

std::vector<Fact> memory_question(const MemoryReport& report) {
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
  std::vector<Fact> facts = {
      {"Model", model},
      {"Training",
       fmt::format("{}, {} parameters learn; software stack: {}", report.recipe,
                   words(report.model.params_trainable, NumberKind::count), report.stack)},
      {"Sequences", fmt::format("{} tokens{}", grouped(report.seq_length, 0), why)}};
  if (report.recomputes_by_habit) {
    facts.push_back({"Recompute",
                     "below the least that fits; `trcost estimate` and --gpus take full, as these "
                     "recipes do whether or not memory asks for it (--recompute says otherwise)"});
  }
  return facts;
}

constexpr const char* kFitsNote =
    "room: what a plan fills; tight: less than --memory-margin of it stays free";

std::vector<std::string> asked_for(const MemoryReport& report) {
  std::vector<std::string> lines = report.warnings;
  for (const MemoryFit& fit : report.fits) {
    if (!fit.problem.empty()) lines.push_back(fit.accelerator + ": " + fit.problem);
  }
  return lines;
}

/// How full each accelerator is in the case that its row is about.
Bars fullness(const MemoryReport& report) {
  Bars bars{.title = "Memory of the fullest device, as a share of what a plan fills",
            .bars = {},
            .numbers = fits_table(report)};
  bars.in_text = false;
  for (const MemoryFit& fit : report.fits) {
    if (!fit.problem.empty()) continue;
    const MemoryCase& main = fit.main();
    const double full = std::max(main.use.capacity, main.use.total);
    bars.bars.push_back(
        {fit.accelerator, full > 0 ? main.use.total / full : 0,
         fmt::format("{} of {} on {}{}", format_number(main.use.total, NumberKind::bytes),
                     format_number(main.use.capacity, NumberKind::bytes), grouped(main.gpus, 0),
                     main.use.fits ? "" : ": too much")});
  }
  return bars;
}

Page page_of(const MemoryReport& report) {
  const bool given = !report.fits.empty() && report.fits.front().given.has_value();
  Page page{"Memory", made_by(), {}};
  page.subject = subject_of(report.model);
  page.add(Facts{memory_question(report)});
  page.add(Heading{given ? "Memory of one device of the cluster asked for"
                         : "Memory of one device that holds everything"});
  page.add(Grid{given ? given_table(report) : parts_table(report)});
  page.add(Heading{"What holds it", kFitsNote});
  page.add(Grid{fits_table(report)});
  page.add(fullness(report));
  add_assumed(page, report.assumptions);
  return page.add(Warnings{asked_for(report)});
}

}  // namespace

Document memory_document(const MemoryReport& report) {
  Document document = document_of(kMemory, report, [&report] { return page_of(report); });
  document.scenario = report.scenario;
  return document;
}

}  // namespace trcost::report
