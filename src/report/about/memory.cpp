// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "catalog/layout/layout.h"
#include "estimate/cluster/memory_fit.h"
#include "estimate/columns/memory_columns.h"
#include "report/about/documents.h"
#include "report/page/estimate_tables.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "report/table/table.h"
#include "trcost/numbers.h"

namespace trcost::report {
namespace {

// A column of a table of memory uses.
struct UseColumn {
  std::string_view name;
  std::function<double(const MemoryUse&)> bytes;
};

// Returns the parts, their sum and the host's memory. Models at rest, an engine with its cache and
// the host appear only if some use has them.
std::vector<UseColumn> use_columns(std::span<const MemoryUse> uses) {
  const auto any = [&](double MemoryUse::*part) {
    return std::ranges::any_of(uses, [&](const MemoryUse& use) { return use.*part > 0; });
  };
  std::vector<UseColumn> out;
  for (const auto& part : kMemoryParts) {
    const bool optional = part.bytes == &MemoryUse::resident;
    if (!optional || any(part.bytes)) out.push_back({part.name, std::mem_fn(part.bytes)});
  }
  if (std::ranges::any_of(uses, &MemoryUse::generating)) {
    for (const auto& [name, part] : kEngineParts) {
      out.push_back({name, [part](const MemoryUse& use) { return use.generated().*part; }});
    }
  }
  out.push_back({"total", std::mem_fn(&MemoryUse::total)});
  if (any(&MemoryUse::host)) out.push_back({"in the host", std::mem_fn(&MemoryUse::host)});
  return out;
}

Cell byte_cell(double value) {
  return Cell::number(value, NumberKind::bytes);
}

std::string memory_layout_words(const MemoryCase& c, bool with_degrees = true) {
  const Layout& l = c.layout;
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  if (c.use.tight) add("tight");
  if (with_degrees) add(degree_words(l, false));
  if (l.dp * l.cp > 1 && l.sharding != Sharding::none) {
    add("shard " + std::string(sharding_name(l.sharding)));
  }
  if (l.recompute != Recompute::none || l.recompute_layers != 0) {
    add("recompute " + recompute_words(l));
  }
  return text;
}

// Returns the layout that fits, or the bytes that the best one needs.
std::string memory_case_words(const MemoryCase& c, bool with_degrees) {
  if (c.use.total <= c.use.capacity && !c.engine_fits) return "no engine holds it";
  if (!c.use.fits) return fmt::format("no: {}", format_number(c.use.total, NumberKind::bytes));
  const std::string layout = memory_layout_words(c, with_degrees);
  return layout.empty() ? "yes" : layout;
}

std::string gpu_count_words(const std::optional<MemoryCase>& c) {
  if (!c) return "none";
  const std::string gpus = grouped(c->gpus, 0);
  if (!c->use.fits) return fmt::format("{}: {}", gpus, memory_case_words(*c, true));
  const std::string layout = memory_layout_words(*c, true);
  return layout.empty() ? gpus : fmt::format("{}: {}", gpus, layout);
}

std::vector<TableColumn> part_columns(const char* first, std::span<const MemoryUse> uses) {
  std::vector<TableColumn> columns = {{first}};
  for (const UseColumn& part : use_columns(uses)) {
    columns.push_back(number_column(part.name));
  }
  return columns;
}

// Bytes of one device that holds everything.
Table parts_table(const MemoryReport& report) {
  Table table(part_columns("recomputation", report.whole));
  for (std::size_t i = 0; i < report.whole.size(); ++i) {
    std::vector<Cell> row = {std::string(recompute_name(static_cast<Recompute>(i)))};
    for (const auto& [name, part] : use_columns(report.whole)) {
      row.push_back(byte_cell(part(report.whole[i])));
    }
    table.add_row(std::move(row));
  }
  return table;
}

// Bytes of one device of the specified cluster.
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
    for (const auto& [name, part] : use_columns(uses)) {
      row.push_back(byte_cell(part(fit.given->use)));
    }
    row.push_back(!fit.given->use.fits ? "NO" : fit.given->use.tight ? "tight" : "yes");
    table.add_row(std::move(row));
  }
  return table;
}

Table fits_table(const MemoryReport& report) {
  const bool given =
      std::ranges::any_of(report.fits, [](const auto& f) { return f.given.has_value(); });
  std::vector<TableColumn> columns = {{"accelerator"}, number_column("room")};
  if (given) columns.push_back({"asked for", {}, Align::left, Overflow::wrap});
  for (const char* title : {"one", "node", "fewest that hold it"}) {
    columns.push_back({title, {}, Align::left, Overflow::wrap});
  }
  const std::size_t width = columns.size();
  Table table(std::move(columns));
  for (const MemoryFit& fit : report.fits) {
    if (!fit.problem.empty()) {
      std::vector<Cell> row = {fit.accelerator, byte_cell(fit.device_bytes), fit.problem};
      row.resize(width, Cell(""));
      table.add_row(std::move(row));
      continue;
    }
    std::vector<Cell> row = {fit.accelerator, byte_cell(fit.capacity_bytes)};
    if (given) row.emplace_back(gpu_count_words(fit.given));
    row.emplace_back(memory_case_words(fit.one, false));
    row.emplace_back(fit.node ? gpu_count_words(fit.node) : std::string("-"));
    row.emplace_back(gpu_count_words(fit.smallest));
    table.add_row(std::move(row));
  }
  return table;
}

std::vector<Fact> memory_question_facts(const MemoryReport& report) {
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
                   number_words(report.model.params_trainable, NumberKind::count), report.stack)},
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

std::vector<std::string> memory_warnings(const MemoryReport& report) {
  std::vector<std::string> lines = report.warnings;
  for (const MemoryFit& fit : report.fits) {
    if (!fit.problem.empty()) lines.push_back(fit.accelerator + ": " + fit.problem);
  }
  return lines;
}

// Share of the memory of each accelerator that its case takes.
Bars memory_bars(const MemoryReport& report) {
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

Page memory_page(const MemoryReport& report) {
  const bool given = !report.fits.empty() && report.fits.front().given.has_value();
  Page page{"Memory", made_by(), {}};
  page.subject = model_title(report.model);
  page.add(Facts{memory_question_facts(report)});
  page.add(Heading{given ? "Memory of one device of the cluster asked for"
                         : "Memory of one device that holds everything"});
  page.add(Grid{given ? given_table(report) : parts_table(report)});
  page.add(Heading{"What holds it", kFitsNote});
  page.add(Grid{fits_table(report)});
  page.add(memory_bars(report));
  add_assumption_table(page, report.assumptions);
  return page.add(Warnings{memory_warnings(report)});
}

}  // namespace

Document memory_document(const MemoryReport& report) {
  Document document = document_of(kMemory, report, [&report] { return memory_page(report); });
  document.scenario = report.scenario;
  return document;
}

}  // namespace trcost::report
