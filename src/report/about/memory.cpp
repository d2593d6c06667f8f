// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "catalog/layout/layout.h"
#include "estimate/cluster/memory_fit.h"
#include "estimate/columns/memory_columns.h"
#include "performance/memory/memory.h"
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
    const bool rest = part.bytes == &MemoryUse::overhead;  // a short title, for 80 columns
    if (!optional || any(part.bytes)) {
      out.push_back({rest ? "other" : part.name, std::mem_fn(part.bytes)});
    }
  }
  if (std::ranges::any_of(uses, &MemoryUse::generating)) {
    for (const auto& [name, part] : kEngineParts) {
      out.push_back(
          {name, [bytes = part](const MemoryUse& use) { return use.generated().*bytes; }});
    }
  }
  out.push_back({"total", std::mem_fn(&MemoryUse::total)});
  if (any(&MemoryUse::host)) out.push_back({"host", std::mem_fn(&MemoryUse::host)});
  return out;
}

Cell byte_cell(double value) {
  return Cell::number(value, format_number(value, NumberKind::bytes, value < 1e11 ? 2 : 3));
}

std::string memory_layout_words(const MemoryCase& c) {
  const Layout& l = c.layout;
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  if (fit_word(c.use) == "likely") add("likely to fit");
  add(degree_words(l, false));
  if (l.dp * l.cp > 1 && l.sharding != Sharding::none) {
    add("shard " + std::string(sharding_name(l.sharding)));
  }
  if (l.recompute != Recompute::none || l.recompute_layers != 0) {
    add("recompute " + recompute_words(l));
  }
  return text;
}

std::vector<TableColumn> part_columns(const char* first, std::span<const MemoryUse> uses) {
  std::vector<TableColumn> columns = {{.title = first, .overflow = Overflow::cut}};
  for (const UseColumn& part : use_columns(uses)) {
    columns.push_back(number_column(part.name));  // all: they sum to the total
  }
  return columns;
}

// Bytes if one device held everything.
Table parts_table(const MemoryReport& report) {
  Table table(part_columns("recompute", report.whole));
  for (std::size_t i = 0; i < report.whole.size(); ++i) {
    std::vector<Cell> row = {std::string(recompute_name(static_cast<Recompute>(i)))};
    for (const auto& [name, part] : use_columns(report.whole)) {
      row.push_back(byte_cell(part(report.whole[i])));
    }
    table.add_row(std::move(row));
  }
  return table;
}

std::string title_of(const MemoryFit& fit) {
  return fit.title.empty() ? fit.accelerator : fit.title;
}

// Bytes of one device of the specified cluster.
Table given_table(const MemoryReport& report) {
  std::vector<MemoryUse> uses;
  for (const MemoryFit& fit : report.fits) {
    if (fit.given) uses.push_back(fit.given->use);
  }
  std::vector<TableColumn> columns = part_columns("platform", uses);
  columns.push_back({.title = "fits", .overflow = Overflow::drop});
  Table table(std::move(columns));
  for (const MemoryFit& fit : report.fits) {
    if (!fit.given) continue;
    std::vector<Cell> row = {fit.accelerator};
    for (const auto& [name, part] : use_columns(uses)) {
      row.push_back(byte_cell(part(fit.given->use)));
    }
    row.push_back(std::string(fit_word(fit.given->use)));
    table.add_row(std::move(row));
  }
  return table;
}

// Dollars of an hour of a case.
Cell hourly_cell(const MemoryFit& fit, double gpus) {
  if (!fit.price_per_gpu_hour) return Cell::unknown();
  const double usd = gpus * *fit.price_per_gpu_hour;
  return Cell::number(usd, mark_imputed(unit_money(usd), fit.price_imputed));
}

// Layouts of few platforms are facts, which no terminal is too narrow for.
bool states_layouts(const MemoryReport& report) {
  constexpr std::size_t kStated = 3;
  return report.listed && report.fits.size() <= kStated;
}

// A row per accelerator: the smallest cluster that fits, and the specified one.
Table fits_table(const MemoryReport& report) {
  const bool given =
      std::ranges::any_of(report.fits, [](const auto& f) { return f.given.has_value(); });
  std::vector<TableColumn> columns = {{.title = "platform", .overflow = Overflow::wrap},
                                      number_column("usable")};
  if (given) {
    columns.push_back(number_column("GPUs"));
    columns.push_back(number_column("per GPU"));
    columns.push_back({"fits"});
    columns.push_back(number_column("$/hour"));
    columns.push_back(number_column("smallest"));
  } else {
    columns.push_back(number_column("GPUs"));
    columns.push_back(number_column("per GPU"));
    columns.push_back(number_column("$/hour"));
  }
  const bool layouts = !states_layouts(report);
  if (layouts) columns.push_back({"layout", {}, Align::left, Overflow::drop});
  const std::size_t width = columns.size();
  Table table(std::move(columns));
  for (const MemoryFit& fit : report.fits) {
    std::vector<Cell> row = {title_of(fit), byte_cell(fit.capacity_bytes)};
    const bool known = fit.problem.empty();
    if (given && known) {
      const MemoryCase& asked = *fit.given;
      row.push_back(Cell::number(asked.gpus, grouped(asked.gpus, 0)));
      row.push_back(byte_cell(asked.use.total));
      row.emplace_back(std::string(fit_word(asked.use)));
      row.push_back(hourly_cell(fit, asked.gpus));
    }
    if (!known || !fit.smallest) {
      row.emplace_back(std::string("none"));
    } else {
      const MemoryCase& least = *fit.smallest;
      row.push_back(Cell::number(least.gpus, grouped(least.gpus, 0)));
      if (!given) {
        row.push_back(byte_cell(least.use.total));
        row.push_back(hourly_cell(fit, least.gpus));
      }
      if (layouts) row.emplace_back(memory_layout_words(given ? *fit.given : least));
    }
    row.resize(width, Cell(""));
    table.add_row(std::move(row));
  }
  return table;
}

// Rows of a table in text. Other formats have all of them.
constexpr std::size_t kTextRows = 10;

std::string gpus_words(double gpus) {
  return fmt::format("{} GPU{}", grouped(gpus, 0), gpus == 1 ? "" : "s");
}

std::string run_words(const MemoryReport& report) {
  const std::string model = model_phrase(report.model);
  const bool whole = report.recipe == "full" || report.recipe.empty();
  return whole ? fmt::format("Training {}", model)
               : fmt::format("Training {} ({})", model, report.recipe);
}

// The answer about a number of GPUs of many chips: on how many it fits, and on which it does not.
std::string given_count_sentence(const MemoryReport& report) {
  constexpr std::size_t kNamed = 3;
  std::size_t fitting = 0, asked = 0;
  std::vector<std::string> others;
  double gpus = 0;
  for (const MemoryFit& fit : report.fits) {
    if (!fit.given || !fit.problem.empty()) continue;
    ++asked;
    gpus = fit.given->gpus;
    if (fit.given->use.fits) {
      ++fitting;
    } else {
      others.push_back(title_of(fit));
    }
  }
  const std::string chips =
      others.empty() ? fmt::format("each of {}", asked) : fmt::format("{} of {}", fitting, asked);
  const std::string text =
      fmt::format("{} fits on {} of {} chips.", run_words(report), gpus_words(gpus), chips);
  if (others.empty()) return text;
  const std::size_t more = others.size() > kNamed ? others.size() - kNamed : 0;
  others.resize(others.size() - more);
  return text + fmt::format(" It does not fit on {}{}.", fmt::join(others, ", "),
                            more > 0 ? fmt::format(" and {} more", more) : "");
}

// `it fits`, with its probability if that is open.
std::string fit_sentence(const MemoryUse& use) {
  constexpr double kLikely = 0.9;
  const double chance = fits_probability(use);
  if (use.fits && chance >= kLikely)
    return fmt::format("it fits ({} likely)", chance_words(chance));
  if (use.fits) return fmt::format("it may fit, with a probability of {}", chance_words(chance));
  if (1 - chance >= kLikely) {
    return fmt::format("it does not fit ({} likely to fit)", chance_words(chance));
  }
  return fmt::format("it may not fit: the probability that it fits is {}", chance_words(chance));
}

// ` It fits with --train qlora (...).`, if that was tried.
std::string remedy_sentence(const MemoryReport& report) {
  if (report.remedies.empty()) return {};
  const auto& given = report.fits.front().given;
  const std::string chip = report.fits.size() > 1 ? report.remedied : std::string();
  std::string where = given ? gpus_words(given->gpus) : chip;
  if (given && !chip.empty()) where += " of " + chip;
  return where.empty() ? " I" + report.remedies.substr(1) + "."
                       : fmt::format(" On {}, {}.", where, report.remedies);
}

// The answer about the specified clusters.
std::string given_sentence(const MemoryReport& report) {
  constexpr std::size_t kSentences = 3;
  if (report.fits.size() > kSentences) return given_count_sentence(report);
  const MemoryFit& first = report.fits.front();
  std::string text;
  for (const MemoryFit& fit : report.fits) {
    if (!fit.given || !fit.problem.empty()) continue;
    const MemoryUse& use = fit.given->use;
    text += fmt::format("{}{} needs {} per GPU on {} of {}. {} are usable, so {}.",
                        text.empty() ? "" : " ", &fit == &first ? run_words(report) : "It",
                        format_number(use.total, NumberKind::bytes), gpus_words(fit.given->gpus),
                        title_of(fit), format_number(use.capacity, NumberKind::bytes),
                        fit_sentence(use));
    if (use.host > 0) {
      text += fmt::format(" It also needs {} of host memory per GPU.",
                          format_number(use.host, NumberKind::bytes));
    }
    if (!use.fits && fit.smallest) {
      text += fmt::format(" The smallest number that fits is {}.", grouped(fit.smallest->gpus, 0));
    }
  }
  return text + remedy_sentence(report);
}

// The answer without a cluster: bytes in all, and the smallest clusters that fit.
std::string smallest_sentence(const MemoryReport& report) {
  const MemoryUse& least = report.whole[static_cast<std::size_t>(Recompute::full)];
  const MemoryUse& most = report.whole[static_cast<std::size_t>(Recompute::none)];
  std::string text =
      fmt::format("{} needs {} in all at micro-batch {} if activations are recomputed, {} if not.",
                  run_words(report), format_number(least.total, NumberKind::bytes),
                  format_exact(report.micro_batch), format_number(most.total, NumberKind::bytes));
  std::string fitting;
  for (const MemoryFit& fit : report.fits) {
    if (!fit.smallest || !fit.problem.empty()) continue;
    if (!report.listed && !fitting.empty()) break;
    const double chance = fits_probability(fit.smallest->use);
    fitting += fmt::format(
        "{}{} of {}{}", fitting.empty() ? "" : ", ", gpus_words(fit.smallest->gpus), title_of(fit),
        fit_word(fit.smallest->use) == "yes" ? ""
                                             : fmt::format(" ({} likely)", chance_words(chance)));
  }
  if (fitting.empty()) {
    return text + " It fits on no number of these accelerators." + remedy_sentence(report);
  }
  const bool priced = !report.listed && report.fits.front().price_per_gpu_hour &&
                      !report.fits.front().price_imputed;
  return text + fmt::format(" The smallest {}cluster{} that fit{}: {}.",
                            priced ? "and cheapest " : "",
                            report.fits.size() > 1 && report.listed ? "s" : "",
                            report.fits.size() > 1 && report.listed ? "" : "s", fitting);
}

std::vector<Fact> memory_question_facts(const MemoryReport& report) {
  std::string why;
  for (const Assumption& each : report.assumptions) {
    if (each.path != field_info(Field::data_seq_length).path) continue;
    why = fmt::format(" ({}). Set --seq-length or --samples", each.why);
  }
  std::vector<Fact> facts = {
      {"Model",
       fmt::format("{}, {} of them trained",
                   format_number(report.model.params_total, NumberKind::count) + " parameters",
                   number_words(report.model.params_trainable, NumberKind::count))},
      {"Software", report.stack == "typical" || report.stack.empty()
                       ? std::string("not specified, so a typical stack (--stack)")
                       : report.stack},
      {"Sequences", fmt::format("{} tokens{}", grouped(report.seq_length, 0), why)}};
  for (const MemoryFit& fit : report.fits) {
    if (!states_layouts(report) || !fit.problem.empty() || (!fit.given && !fit.smallest)) continue;
    const std::string platform = report.fits.size() > 1 ? title_of(fit) + ", " : "";
    const std::string layout = memory_layout_words(fit.main());
    facts.push_back({"Layout", fmt::format("{}{}{}", platform, gpus_words(fit.main().gpus),
                                           layout.empty() ? "" : ": " + layout)});
  }
  if (report.recomputes_by_habit) {
    facts.push_back(
        {"Recompute",
         "the least that fits. `trcost estimate` recomputes in full, as such recipes do "
         "(--recompute)"});
  }
  return facts;
}

std::vector<std::string> memory_warnings(const MemoryReport& report) {
  std::vector<std::string> lines = report.warnings;
  for (const MemoryFit& fit : report.fits) {
    if (!fit.problem.empty()) lines.push_back(title_of(fit) + ": " + fit.problem);
  }
  return lines;
}

// Share of the memory of each accelerator that its case takes.
Bars memory_bars(const MemoryReport& report) {
  Bars bars{.title = "Memory of the fullest GPU, as a share of the usable memory",
            .bars = {},
            .numbers = fits_table(report),
            .in_text = false,
            .axis = "of the usable memory"};
  for (const MemoryFit& fit : report.fits) {
    if (!fit.problem.empty()) continue;
    const MemoryCase& main = fit.main();
    const double full = std::max(main.use.capacity, main.use.total);
    bars.bars.push_back(
        {title_of(fit), full > 0 ? main.use.total / full : 0,
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
  page.titled = false;
  page.add(Paragraph{given ? given_sentence(report) : smallest_sentence(report), Ink::good});
  const Table fits = fits_table(report);
  page.add(Heading{given           ? "Platforms"
                   : report.listed ? "GPUs that fit"
                                   : "GPUs that fit, smallest cluster first",
                   given ? "" : "one GPU, or whole nodes"});
  page.add(Grid{.table = fits, .in_text_rows = kTextRows});
  page.add(Heading{given ? "Memory per GPU" : "Memory if one GPU held everything",
                   "at the peak of a step"});
  page.add(
      Grid{.table = given ? given_table(report) : parts_table(report), .in_text_rows = kTextRows});
  page.add(Heading{"How it was computed"});
  page.add(Facts{memory_question_facts(report)});
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
