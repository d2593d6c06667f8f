// SPDX-License-Identifier: Apache-2.0
#include "report/about/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "catalog/hardware/hardware.h"
#include "catalog/models/model.h"
#include "catalog/runs/runs.h"
#include "catalog/software/engine.h"
#include "catalog/software/stacks.h"
#include "catalog/software/tools.h"
#include "prices/market/price_quote.h"
#include "prices/market/price_table.h"
#include "prices/rows/price_book.h"
#include "prices/rows/regions.h"
#include "quantity/suggest.h"
#include "report/about/documents.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "report/table/text_width.h"
#include "trcost/error.h"
#include "workload/blocks/vision.h"
#include "workload/workload.h"

namespace trcost::report {
namespace {

// Returns a number of the catalog, divided by `unit`, or unknown.
Cell catalog_number(std::optional<double> value, fmt::format_string<double> format,
                    double unit = 1) {
  return value ? Cell::number(*value, fmt::format(format, *value / unit)) : Cell::unknown();
}

Cell teraflops(const Accelerator& chip, Precision precision) {
  return catalog_number(peak_flops(chip, precision), "{:g}", 1e12);
}

Table accelerators_table(const Catalog& catalog, std::string_view only) {
  Table table({{"name", "name"},
               {"title", "title", Align::left, Overflow::drop},
               number_column("bf16 TF/s", "bf16_flop_per_second"),
               number_column("fp16 TF/s", "fp16_flop_per_second", Overflow::drop),
               number_column("fp8 TF/s", "fp8_flop_per_second"),
               number_column("nvfp4 TF/s", "nvfp4_flop_per_second"),
               number_column("memory GB", "memory_bytes"),
               number_column("TB/s", "memory_bytes_per_second"),
               number_column("watts", "power_watts"),
               {"system", "system", Align::left, Overflow::drop},
               number_column("price", "price_usd", Overflow::drop),
               {"also", "aliases", Align::left, Overflow::drop}});
  for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
    if (!only.empty() && name != only) continue;
    const Accelerator& chip = catalog.accelerator(name);
    table.add_row({name, chip.title, teraflops(chip, Precision::bf16),
                   teraflops(chip, Precision::fp16), teraflops(chip, Precision::fp8),
                   teraflops(chip, Precision::nvfp4),
                   catalog_number(chip.memory_bytes, "{:.1f}", 1e9),
                   catalog_number(chip.memory_bandwidth, "{:g}", 1e12),
                   catalog_number(chip.power_watts, "{:g}"), chip.system,
                   catalog_number(chip.price_usd, "${:.0f}"),
                   fmt::format("{}", fmt::join(chip.aliases, " "))});
  }
  return table;
}

bool has_accelerator(const System& system, std::string_view accelerator) {
  return accelerator.empty() ||
         std::ranges::find(system.accelerators, accelerator) != system.accelerators.end();
}

Table systems_table(const Catalog& catalog, std::string_view only) {
  Table table({{"name", "name"},
               {"accelerators", "accelerators", Align::left, Overflow::wrap},
               number_column("node", "gpus_per_node"),
               number_column("domain", "gpus_per_domain"),
               number_column("domain GB/s", "domain_bytes_per_second"),
               number_column("network GB/s", "network_bytes_per_second"),
               number_column("watts/GPU", "power_per_gpu_watts", Overflow::drop),
               number_column("price", "price_usd", Overflow::drop),
               {"title", "title", Align::left, Overflow::drop}});
  for (const std::string& name : catalog.names(CatalogKind::systems)) {
    const System& system = catalog.system(name);
    if (!has_accelerator(system, only)) continue;
    const double inner = system.tiers.front().bandwidth;
    const double outer = system.tiers.back().bandwidth;
    table.add_row({name, fmt::format("{}", fmt::join(system.accelerators, " ")),
                   catalog_number(system.gpus_per_node, "{:.0f}"),
                   catalog_number(system.gpus_per_domain, "{:.0f}"),
                   catalog_number(inner, "{:.4g}", 1e9), catalog_number(outer, "{:.4g}", 1e9),
                   catalog_number(system.power_per_gpu_watts, "{:.0f}"),
                   catalog_number(system.price_usd, "${:.0f}"), system.title});
  }
  return table;
}

Table models_table(const Catalog& catalog) {
  Table table({{"name", "name"},
               number_column("parameters", "params_total"),
               number_column("active", "params_active"),
               number_column("vision", "params_vision"),
               number_column("layers", "layers"),
               number_column("hidden", "hidden"),
               number_column("vocab", "vocab", Overflow::drop),
               {"source", "source", Align::left, Overflow::cut}});
  for (const std::string& name : catalog.names(CatalogKind::models)) {
    const Model& model = catalog.model(name);
    const ParameterCounts counts = count_parameters(model);
    table.add_row({name, Cell::number(counts.total, NumberKind::count),
                   Cell::number(counts.active, NumberKind::count),
                   model.vision ? Cell::number(counts.encoder, NumberKind::count) : Cell("-"),
                   Cell::number(model.language.layers, fmt::format("{}", model.language.layers)),
                   Cell::number(model.language.hidden, fmt::format("{}", model.language.hidden)),
                   Cell::number(model.language.vocab, fmt::format("{}", model.language.vocab)),
                   model.source});
  }
  return table;
}

Table encoders_table(const Catalog& catalog) {
  Table table({{"name", "name"},
               number_column("parameters", "params"),
               number_column("layers", "layers"),
               number_column("hidden", "hidden"),
               number_column("patch", "patch"),
               number_column("image", "image"),
               number_column("tokens/image", "tokens_per_image"),
               {"title", "title", Align::left, Overflow::drop}});
  for (const std::string& name : catalog.names(CatalogKind::encoders)) {
    const Encoder& encoder = catalog.encoder(name);
    const auto plain_number = [](double value) {
      return value > 0 ? Cell::number(value, fmt::format("{}", value)) : Cell::unknown();
    };
    table.add_row({name, Cell::number(encoder_parameters(encoder), NumberKind::count),
                   plain_number(encoder.layers), plain_number(encoder.hidden),
                   plain_number(encoder.patch),
                   encoder.image > 0 ? plain_number(encoder.image) : Cell("native"),
                   plain_number(encoder.tokens_per_image), encoder.title});
  }
  return table;
}

// Calls `visit` with the names of each class and kind of price that the book has, and its price.
template <typename Visit>
void for_each_price(const PriceBook& book, std::string_view accelerator, const Visit& visit) {
  for (const auto& [seller, price_class] : kPriceClasses) {
    for (const auto& [promise, commitment] : kCommitments) {
      if (!class_sells(book, price_class, commitment)) continue;
      PriceQuery query{accelerator, commitment};
      query.price_class = price_class;
      visit(seller, promise, select_price(book, query));
    }
  }
}

// The rows that the price of their own class and kind is made of.
std::set<const PriceRow*> rows_in_use(const PriceBook& book, const std::set<std::string>& chips) {
  std::set<const PriceRow*> out;
  for (const std::string& chip : chips) {
    for_each_price(book, chip, [&](std::string_view, std::string_view, const PriceQuote& quote) {
      if (!quote.imputed) out.insert(quote.rows.begin(), quote.rows.end());
    });
  }
  return out;
}

Table prices_table(const Catalog& catalog, std::string_view only) {
  Table table({{"accelerator", "accelerator", Align::left,
                only.empty() ? Overflow::keep : Overflow::drop_first},
               {"provider", "provider", Align::left, Overflow::wrap},
               {"product", "product", Align::left, Overflow::cut},
               {"commitment", "commitment"},
               {"class", "provider_class"},
               number_column("low", "low", Overflow::drop),
               number_column("price", "median"),
               number_column("high", "high", Overflow::drop),
               {"used", "used"},
               {"date", "date"},
               number_column("age", "age_days", Overflow::drop),
               {"region", "region", Align::left, Overflow::drop},
               {"read", "verified", Align::left, Overflow::drop},
               {"secondary", "secondary", Align::left, Overflow::drop},
               {"source", "source", Align::left, Overflow::drop},
               {"note", "note", Align::left, Overflow::drop}});
  std::vector<const PriceRow*> rows;
  std::set<std::string> chips;
  for (const PriceRow& row : price_book(catalog).rows) {
    if (!only.empty() && row.accelerator != only) continue;
    rows.push_back(&row);
    chips.insert(row.accelerator);
  }
  const std::set<const PriceRow*> used = rows_in_use(price_book(catalog), chips);
  std::ranges::stable_sort(rows, [](const PriceRow* a, const PriceRow* b) {
    if (a->accelerator != b->accelerator) return a->accelerator < b->accelerator;
    if (a->commitment != b->commitment) return a->commitment < b->commitment;
    return a->median < b->median;
  });
  const auto usd = [](double price) { return Cell::number(price, unit_money(price)); };
  const auto age = [&](const PriceRow& row) {
    if (row.date.first.empty()) return Cell::unknown();
    const int days = std::max(0, days_between(row.date.first, price_book(catalog).date));
    return Cell::number(days, fmt::format("{}{} d", row.guessed ? "<" : "", days));
  };
  for (const PriceRow* row : rows) {
    table.add_row({row->accelerator, row->provider, row->product, commitment_name(row->commitment),
                   provider_class_name(row->provider_class), usd(row->low), usd(row->median),
                   usd(row->high), Cell::boolean(used.contains(row)),
                   row->date.text.empty() ? Cell::unknown() : Cell(row->date.text), age(*row),
                   row->region, Cell::boolean(row->verified), Cell::boolean(row->secondary),
                   row->source, row->note});
  }
  return table;
}

// A row per accelerator: what an estimate pays without further options.
Table price_levels_table(const Catalog& catalog) {
  constexpr Commitment kShown[] = {Commitment::on_demand, Commitment::reserved_1y,
                                   Commitment::reserved_3y, Commitment::spot};
  Table table({{"accelerator"},
               number_column("on demand"),
               number_column("1 year"),
               number_column("3 years"),
               number_column("spot"),
               number_column("quotes")});
  const PriceBook& book = price_book(catalog);
  for (const std::string& name : catalog.names(CatalogKind::accelerators)) {
    const auto quotes = std::ranges::count(book.rows, name, &PriceRow::accelerator);
    if (quotes == 0) continue;
    std::vector<Cell> row = {name};
    for (const Commitment commitment : kShown) {
      const PriceQuote quote = select_price(book, PriceQuery{name, commitment});
      row.push_back(
          quote.usd ? Cell::number(*quote.usd, mark_imputed(unit_money(*quote.usd), quote.imputed))
                    : Cell::unknown());
    }
    row.push_back(Cell::number(static_cast<double>(quotes), fmt::format("{}", quotes)));
    table.add_row(std::move(row));
  }
  return table;
}

Table named_table() {
  return Table({{"name", "name"},
                {"title", "title", Align::left, Overflow::cut},
                {"summary", "summary", Align::left, Overflow::wrap}});
}

// Stacks, with the tools whose names stand for each.
Table stacks_table(const Catalog& catalog) {
  Table table({{"name", "name"},
               {"title", "title", Align::left, Overflow::wrap},
               {"tools", "tools", Align::left, Overflow::wrap},
               {"summary", "summary", Align::left, Overflow::drop}});
  for (const std::string& name : catalog.names(CatalogKind::stacks)) {
    std::vector<std::string> tools;
    for (const catalog::Tool& tool : catalog::training_tools(catalog)) {
      if (tool.stack == name) tools.push_back(tool.names.front());
    }
    const Stack& stack = catalog.stack(name);
    table.add_row({name, stack.title, fmt::format("{}", fmt::join(tools, ", ")), stack.source});
  }
  return table;
}

Table engines_table(const Catalog& catalog) {
  Table table = named_table();
  for (const std::string& name : catalog.names(CatalogKind::engines)) {
    const Engine& engine = catalog.engine(name);
    table.add_row({name, engine.title, engine.source});
  }
  return table;
}

Table published_runs_table(const RunBook& runs) {
  Table table = named_table();
  for (const ThroughputRow& row : runs.throughput) {
    table.add_row(
        {row.id, fmt::format("{}, {}", row.model, word_of(kTasks, row.task)),
         fmt::format("{:g} x {}, {}, {:g} tokens/s/GPU; {}", row.gpus, row.accelerator,
                     precision_name(row.precision), row.tokens_per_second_per_gpu, row.source)});
  }
  for (const PublishedRun& run : runs.runs) {
    table.add_row({run.id, fmt::format("{}, {}", run.name, run.stage),
                   fmt::format("{}; {}", run.accelerator, run.source)});
  }
  return table;
}

}  // namespace

std::optional<CatalogKind> find_catalog_kind(std::string_view name) {
  static constexpr std::pair<std::string_view, CatalogKind> kSynonyms[] = {
      {"gpu", CatalogKind::accelerators},      {"gpus", CatalogKind::accelerators},
      {"tpus", CatalogKind::accelerators},     {"chips", CatalogKind::accelerators},
      {"hardware", CatalogKind::accelerators}, {"devices", CatalogKind::accelerators},
      {"nodes", CatalogKind::systems},         {"racks", CatalogKind::systems},
      {"frameworks", CatalogKind::stacks},     {"software", CatalogKind::stacks},
      {"llms", CatalogKind::models},           {"vlms", CatalogKind::models}};
  for (const CatalogKindInfo& info : catalog_kinds()) {
    const std::string_view one = info.name.substr(0, info.name.size() - 1);
    if (same_folded(info.name, name) || same_folded(one, name)) return info.kind;
  }
  for (const auto& [word, kind] : kSynonyms) {
    if (same_folded(word, name)) return kind;
  }
  return std::nullopt;
}

CatalogKind catalog_kind(std::string_view name) {
  if (const auto kind = find_catalog_kind(name)) return *kind;
  std::vector<std::string> names;
  for (const CatalogKindInfo& info : catalog_kinds()) names.emplace_back(info.name);
  names.emplace_back("regions");
  std::string hint = did_you_mean(name, names);
  hint += fmt::format("{}kinds are {}", hint.empty() ? "" : " ", fmt::join(names, ", "));
  throw Error(ErrorKind::usage,
              fmt::format("the catalog has no kind \"{}\"", std::string(name.substr(0, 60))),
              std::move(hint));
}

Table catalog_kinds_table(const Catalog& catalog) {
  Table table({{"kind", "kind"},
               number_column("entries", "entries"),
               {.title = "contains", .key = "what", .overflow = Overflow::wrap}});
  for (const CatalogKindInfo& info : catalog_kinds()) {
    const std::size_t entries = catalog.names(info.kind).size();
    table.add_row({info.name,
                   Cell::number(static_cast<double>(entries), fmt::format("{}", entries)),
                   info.what});
  }
  const std::size_t regions = known_regions(catalog).rows.size();
  table.add_row({"regions", Cell::number(static_cast<double>(regions), fmt::format("{}", regions)),
                 "electricity, carbon and sellers of countries and cloud regions"});
  return table;
}

Table catalog_table(const Catalog& catalog, CatalogKind kind, std::string_view accelerator) {
  const bool has_filter = kind == CatalogKind::accelerators || kind == CatalogKind::systems ||
                          kind == CatalogKind::prices;
  if (!accelerator.empty() && !has_filter) {
    throw Error(ErrorKind::usage, "--accelerator does not narrow this kind",
                "it narrows accelerators, systems and prices");
  }
  if (!accelerator.empty()) (void)catalog.accelerator(accelerator);  // throws for unknown names
  switch (kind) {
    case CatalogKind::accelerators:
      return accelerators_table(catalog, accelerator);
    case CatalogKind::systems:
      return systems_table(catalog, accelerator);
    case CatalogKind::models:
      return models_table(catalog);
    case CatalogKind::encoders:
      return encoders_table(catalog);
    case CatalogKind::prices:
      return prices_table(catalog, accelerator);
    case CatalogKind::runs:
      return published_runs_table(catalog.runs());
    case CatalogKind::stacks:
      return stacks_table(catalog);
    case CatalogKind::engines:
      break;
  }
  return engines_table(catalog);
}

std::string price_spread_text(const Catalog& catalog, std::string_view accelerator) {
  std::string text;
  const auto add = [&](std::string_view seller, std::string_view promise, const PriceQuote& quote) {
    std::string rule = quote.rule;
    constexpr std::string_view kImputed = "imputed: ";
    if (rule.starts_with(kImputed)) rule.replace(0, kImputed.size(), "estimated: ");
    const std::string price =
        quote.usd ? mark_imputed(unit_money(*quote.usd), quote.imputed) : std::string("none");
    constexpr int kTextWidth = 78;
    const std::string line = fmt::format("{} {}: {}, {}", seller, promise, price, rule);
    for (const std::string& part : wrap_to_width(line, kTextWidth)) {
      text += fmt::format("{}{}\n", line.starts_with(part) ? "" : "  ", part);
    }
  };
  for_each_price(price_book(catalog), accelerator, add);
  return text;
}

Document prices_document(const Catalog& catalog, std::string_view accelerator,
                         std::string_view sort) {
  Table table = catalog_table(catalog, CatalogKind::prices, accelerator);
  if (!sort.empty()) sort_table(table, sort);
  Document out = table_document(std::move(table), "prices");
  if (accelerator.empty()) {
    out.text_page = [&catalog] {
      Page page{"Prices", made_by(), {}};
      page.bare = true;
      page.add(Grid{price_levels_table(catalog)});
      page.add(
          Paragraph{"USD per GPU-hour of specialists, the class of an estimate. ~ Estimated "
                    "price. `trcost list prices CHIP` lists its quotes."});
      return page;
    };
    return out;
  }
  out.below = [&catalog, name = std::string(accelerator)] {
    std::string rate = currency_words();
    rate.erase(rate.find_last_not_of(' ') + 1);
    return "\n" + price_spread_text(catalog, name) + (rate.empty() ? "" : rate + "\n");
  };
  return out;
}

}  // namespace trcost::report
