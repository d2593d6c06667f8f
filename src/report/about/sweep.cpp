// SPDX-License-Identifier: Apache-2.0
#include "report/about/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "estimate/columns/estimate_columns.h"
#include "quantity/currency.h"
#include "report/about/sweep_figures.h"
#include "report/format/format.h"
#include "report/page/money_facts.h"
#include "report/page/page.h"
#include "report/page/wording.h"
#include "scenario/fields.h"
#include "study/sweep/price_doubts.h"
#include "trcost/error.h"

namespace trcost::report {
namespace {

// The stored rows of a sweep with their document.
struct StoredSweep {
  StoredSweep(SweepHead sweep, HeldRows stored, std::shared_ptr<const SweepTable> columns_of_rows)
      : table(std::move(columns_of_rows)),
        rows(std::move(stored)),
        columns(sweep_columns(rows)),
        head(std::move(sweep)) {
    head.rows = [this](RowSink& sink) { rows.each(sink); };
  }
  StoredSweep(const StoredSweep&) = delete;
  StoredSweep& operator=(const StoredSweep&) = delete;

  std::shared_ptr<const SweepTable> table;
  HeldRows rows;
  Columns<SweepHead> columns;
  SweepHead head;

  [[nodiscard]] Record record() const { return record_of(columns, head); }
};

// Returns the columns for people: all before the error.
std::vector<const ColumnInfo*> shown_columns(const HeldRows& rows) {
  std::vector<const ColumnInfo*> out;
  for (std::size_t i = 0; rows.info(i).path != kErrorColumn; ++i) out.push_back(&rows.info(i));
  return out;
}

// Columns of a row for people after the error: what to say about its price.
enum PriceColumn : std::size_t {
  kEvidence,
  kOtherRegion,
  kStale,
  kPriceDate,
  kTermHours,
  kTermUsd
};
constexpr std::size_t kPriceColumns = kTermUsd + 1;

const CostResult* cost_of(const SweepRow& row) {
  return row.estimate != nullptr ? &row.estimate->cost : nullptr;
}

void add_price_columns(Columns<SweepRow>& rows) {
  using namespace column;
  rows.add({integer(
                "evidence",
                [](const SweepRow& row) -> std::optional<double> {
                  if (cost_of(row) == nullptr) return std::nullopt;
                  return static_cast<double>(price_evidence(*cost_of(row)));
                },
                "behind the price"),
            boolean(
                "other_region",
                [](const SweepRow& row) {
                  return cost_of(row) != nullptr && cost_of(row)->doubts.other_region;
                },
                "price of any region"),
            boolean(
                "stale",
                [](const SweepRow& row) {
                  return cost_of(row) != nullptr && cost_of(row)->doubts.stale;
                },
                "old price"),
            string(
                "date",
                [](const SweepRow& row) {
                  return cost_of(row) != nullptr ? std::string_view(cost_of(row)->price_date)
                                                 : std::string_view();
                },
                "of the price"),
            number(
                "term_hours", "h", NumberKind::number,
                [](const SweepRow& row) -> std::optional<double> {
                  if (cost_of(row) == nullptr || !cost_of(row)->obligation) return std::nullopt;
                  return cost_of(row)->obligation->hours;
                },
                "of a reserved price"),
            number(
                "term_usd", "USD", NumberKind::money,
                [](const SweepRow& row) -> std::optional<double> {
                  if (cost_of(row) == nullptr || !cost_of(row)->obligation) return std::nullopt;
                  return cost_of(row)->obligation->usd;
                },
                "of a reserved price")});
}

SweepPrice read_price(const Record& row, std::size_t first) {
  SweepPrice out;
  const Value evidence = row.value(first + kEvidence);
  if (evidence.known()) out.evidence = static_cast<PriceEvidence>(evidence.number);
  if (row.value(first + kOtherRegion).number != 0) out.doubt = "of any region";
  if (row.value(first + kStale).number != 0) {
    const std::string of = "of " + months_words(row.value(first + kPriceDate).text);
    out.doubt += (out.doubt.empty() ? "" : ", ") + of;
  }
  const Value hours = row.value(first + kTermHours), usd = row.value(first + kTermUsd);
  if (hours.known() && usd.known()) out.term = term_sentence(hours.number, usd.number, "in all");
  return out;
}

// The evidence behind a price, from the columns of a workbook's rows if it has them.
SweepPrice read_price(const Record& row, const std::vector<const ColumnInfo*>& columns) {
  const auto value = [&](std::string_view path) {
    const auto at = std::ranges::find(columns, path, &ColumnInfo::path);
    return at == columns.end() ? Value()
                               : row.value(static_cast<std::size_t>(at - columns.begin()));
  };
  SweepPrice out;
  out.evidence = price_evidence({.imputed = value("cost.price_imputed").number != 0,
                                 .stale = value("cost.price_stale").number != 0},
                                value("cost.provider").text);
  return out;
}

Cell sweep_cell(const Value& value, const ColumnInfo& column, bool imputed) {
  switch (value.kind) {
    case Value::Kind::number:
      if (!imputed || !column.priced) return Cell::number(value.number, column.display);
      return Cell::number(value.number, "~" + format_number(value.number, column.display),
                          column.display);
    case Value::Kind::boolean:
      return Cell::boolean(value.number != 0);
    case Value::Kind::text:
      return Cell(value.text);
    default:
      return Cell::unknown();
  }
}

// Returns the titles. A narrow page keeps the axes, the first figure and the total.
std::vector<TableColumn> row_titles(const SweepPlan& plan,
                                    const std::vector<const ColumnInfo*>& columns) {
  std::vector<TableColumn> heads;
  for (const ColumnInfo* column : columns) {
    const bool axis = heads.size() < plan.named_axes();
    const bool keep = heads.size() <= plan.named_axes() || column->role == ColumnRole::total;
    heads.push_back({title_words(column->path, column->heading()), std::string(column->path),
                     column->kind == ColumnKind::number ? Align::right : Align::left,
                     keep ? Overflow::keep : Overflow::drop, axis});
  }
  return heads;
}

// The rows as cells, and what to say about their prices.
struct PricedRows {
  Table table;
  std::vector<SweepPrice> prices;
};

// Returns the rows. Doubts about prices and errors have last columns, if there are any.
PricedRows priced_rows(const SweepPlan& plan, const StoredSweep& kept) {
  const std::vector<const ColumnInfo*> columns = shown_columns(kept.rows);
  const std::size_t error = columns.size();
  const bool priced = error + 1 + kPriceColumns <= kept.rows.size();
  const bool shows_price = std::ranges::any_of(columns, &ColumnInfo::priced);
  bool doubts = false, errors = false;
  std::vector<std::vector<Cell>> rows;
  std::vector<SweepPrice> prices;
  RowTaker take([&](const Record& row) {
    const SweepPrice& price =
        prices.emplace_back(priced ? read_price(row, error + 1) : read_price(row, columns));
    std::vector<Cell>& cells = rows.emplace_back();
    for (std::size_t i = 0; i < error; ++i) {
      cells.push_back(
          sweep_cell(row.value(i), *columns[i], price.evidence == PriceEvidence::estimated));
    }
    doubts |= shows_price && !price.doubt.empty();
    cells.emplace_back(price.doubt);
    const Value why = row.value(error);
    errors |= why.known();
    cells.emplace_back(why.text);
  });
  kept.rows.each(take);
  std::vector<TableColumn> heads = row_titles(plan, columns);
  if (doubts) heads.push_back({.title = "price", .key = "price"});
  if (errors) {
    const std::string name(kErrorColumn);
    heads.push_back({.title = name, .key = name, .overflow = Overflow::wrap});
  }
  Table table(std::move(heads));
  for (std::vector<Cell>& cells : rows) {
    if (!errors) cells.pop_back();
    if (!doubts) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(error));
    table.add_row(std::move(cells));
  }
  return {std::move(table), std::move(prices)};
}

// Returns the axes with their values.
Facts varied_facts(const SweepPlan& plan, const Table& table) {
  constexpr std::uint64_t kMostNamed = 8;
  Facts facts;
  for (std::size_t i = 0; i < plan.named_axes(); ++i) {
    const SweepAxis& axis = plan.axes()[i];
    const NumberKind kind = number_kind(axis.field().kind);
    std::string values = fmt::format("{} values", grouped(static_cast<double>(axis.size()), 0));
    if (axis.numeric()) {
      values += fmt::format(", {} to {}", format_number(axis.number(0), kind),
                            format_number(axis.number(axis.size() - 1), kind));
    } else if (axis.size() <= kMostNamed) {
      for (std::uint64_t at = 0; at < axis.size(); ++at)
        values += (at == 0 ? ": " : ", ") + axis.word(at);
    }
    facts.facts.push_back({table.columns()[i].title, std::move(values)});
  }
  facts.facts.push_back({"Rows", grouped(static_cast<double>(table.rows().size()), 0)});
  return facts;
}

// Returns the model that all rows share, or nothing.
std::string model_of(const SweepPlan& plan) {
  const Scenario& base = plan.base();
  for (const SweepAxis& axis : plan.axes()) {
    if (axis.field().path.starts_with("model.")) return {};
  }
  if (base.has(Field::model_name)) return std::string(base.text(Field::model_name));
  const double params = base.number_or(Field::model_params, 0);
  return params > 0 ? format_number(params, NumberKind::count, 2) + " model" : std::string();
}

// Returns the selected columns, or the main ones and those the rows are sorted by, without those
// that repeat an axis.
std::vector<const EstimateColumn*> columns_for_people(const SweepPlan& plan) {
  if (plan.selected()) return plan.columns();
  std::vector<const EstimateColumn*> out;
  for (const EstimateColumn& column : columns()) {
    if (column.rank == Rank::key || column.rank == Rank::first) out.push_back(&column);
  }
  const auto axes = std::span(plan.axes()).first(plan.named_axes());
  std::erase_if(out, [&](const EstimateColumn* column) {
    return std::ranges::any_of(axes, [&](const SweepAxis& axis) {
      return field_meaning(axis.field().field).answer == column->path;
    });
  });
  for (const auto& keys : {plan.sort(), plan.pareto()}) {
    for (const SweepKey& key : keys) {
      const bool shown = key.column == nullptr || std::ranges::find(out, key.column) != out.end();
      if (!shown) out.insert(out.begin(), key.column);
    }
  }
  return out;
}

// Returns the columns of a format: all, or for people the columns_for_people() and, after the
// error, PriceColumn.
std::shared_ptr<const SweepTable> sweep_table(const SweepPlan& plan, Format format) {
  const bool for_people = format_info(format).form == Form::page;
  Columns<SweepRow> rows =
      sweep_row_columns(plan, for_people ? columns_for_people(plan) : plan.columns());
  if (for_people) add_price_columns(rows);
  return std::make_shared<const SweepTable>(std::move(rows));
}

// The rows for text, where the reasons of rows without an answer stand below the table.
struct TextRows {
  Table table;
  std::vector<std::string> reasons;
};

TextRows text_rows(const Table& rows) {
  std::vector<TableColumn> heads = rows.columns();
  if (heads.back().key != kErrorColumn) return {rows, {}};
  heads.back().overflow = Overflow::keep;
  TextRows out{Table(std::move(heads)), {}};
  std::map<std::string_view, std::size_t> numbers;
  for (const std::vector<Cell>& row : rows.rows()) {
    std::vector<Cell> cells = row;
    if (const std::string& why = row.back().text(); !why.empty()) {
      const auto [at, is_new] = numbers.try_emplace(why, out.reasons.size() + 1);
      if (is_new) out.reasons.push_back(why);
      cells.back() = Cell(fmt::format("no answer ({})", at->second));
    }
    out.table.add_row(std::move(cells));
  }
  return out;
}

// Returns stored rows as a page or a workbook: a figure over the first numeric axis, and the rows.
Document sweep_document(const SweepPlan& plan, std::shared_ptr<const SweepTable> table,
                        HeldRows rows, const SweepHead& head, const Style& style) {
  const auto kept = std::make_shared<const StoredSweep>(head, std::move(rows), std::move(table));
  PricedRows priced = priced_rows(plan, *kept);
  const auto shown = std::make_shared<const Table>(std::move(priced.table));
  const SweepView view{plan, shown_columns(kept->rows), *shown, std::move(priced.prices)};
  Page page{"Sweep", made_by(head.price_data_date)};
  page.subject = model_of(plan);
  const std::string answer = sweep_sentence(view);
  if (!answer.empty()) page.add(Paragraph{answer, Ink::good});
  add_sweep_figure(page, view);
  page.add(Heading{"Varied"}).add(varied_facts(plan, *shown));
  Document document{kept->record(), kSweepRows, [page, shown, kept] {
                      Page with_rows = page;
                      with_rows.add(Heading{"Rows"}).add(Grid{.table = *shown, .sorts = true});
                      return with_rows.add(Warnings{kept->head.warnings});
                    }};
  document.owned = kept;
  document.summary = [page] { return page; };
  const auto text = [ shown, made = std::make_shared<std::optional<TextRows>>() ]() -> const auto& {
    if (!*made) *made = text_rows(*shown);
    return **made;
  };
  document.text_page = [text] {
    Page rows_alone;
    rows_alone.bare = true;
    return rows_alone.add(Grid{text().table});
  };
  document.below = [kept, text, answer, style] {
    constexpr std::size_t kMostReasons = 3;
    std::vector<std::string> notes;
    if (!answer.empty()) notes.push_back(answer);
    const std::vector<std::string>& reasons = text().reasons;
    for (std::size_t i = 0; i < std::min(kMostReasons, reasons.size()); ++i) {
      notes.push_back(fmt::format("({}) {}.", i + 1, reasons[i]));
    }
    if (reasons.size() > kMostReasons) {
      notes.push_back(
          fmt::format("{} more reasons in --format csv.", reasons.size() - kMostReasons));
    }
    for (const std::string& warning : first_warnings(kept->head.warnings))
      notes.push_back("! " + warning);
    std::string out = "\n";
    for (const std::string& note : notes) {
      for (const std::string& line : wrap_to_width(note, style.width - 2))
        out += "  " + line + "\n";
    }
    return out + fmt::format("  {}\n", made_by(kept->head.price_data_date));
  };
  document.chart = sweep_chart(view);
  document.scalars_in_rows = false;  // rows are the selected columns and no more
  return document;
}

}  // namespace

SweepRenderer sweep_renderer(const SweepPlan& plan, Format format) {
  const RowWriter* writer = format_writer(format).rows;
  std::shared_ptr<const SweepTable> table = sweep_table(plan, format);
  if (writer == nullptr) {
    return [table](const SweepRow& row, std::string& out) {
      store_row(out, record_of(table->rows(), row));
    };
  }
  static const SweepHead kNone;
  return [table, writer](const SweepRow& row, std::string& out) {
    const std::array<Record, 2> row_path = {record_of(table->document(), kNone),
                                            record_of(table->rows(), row)};
    out += writer->between;
    writer->row(out, table->plan(), row_path);
  };
}

SweepFile sweep_file(const SweepPlan& plan, Format format) {
  SweepFile out;
  out.lines = format_writer(format).rows;
  SweepDocument(plan, format, {}, [&](std::string_view text) { out.opening += text; }).open();
  out.row = sweep_renderer(plan, format);
  return out;
}

SweepDocument::SweepDocument(const SweepPlan& plan, Format format, const Style& style, Write write,
                             std::string price_data_date, std::string command,
                             std::vector<std::string> warnings)
    : plan_(&plan),
      format_(format),
      writer_(&format_writer(format)),
      table_(sweep_table(plan, format)),
      style_(style),
      head_{std::move(price_data_date), scenario_to_json(plan.base()), std::move(warnings)},
      command_(std::move(command)),
      write_(std::move(write)),
      held_(table_->rows()) {}

void SweepDocument::open() {
  const bool later_shard = format_info(format_).form == Form::lines && !plan_->first_shard();
  if (writer_->rows == nullptr || later_shard) return;
  std::string out;
  writer_->rows->open(out, table_->plan(), record_of(table_->document(), head_));
  if (!out.empty()) write_(out);
}

void SweepDocument::add(std::string_view rows) {
  if (rows.empty()) return;
  if (writer_->rows == nullptr) {
    held_.add(rows);
    if (held_.count() <= writer_->most_rows) return;
    throw Error(ErrorKind::usage,
                fmt::format("more than {} rows for a {}", writer_->most_rows, writer_->container),
                "use --format csv, or keep fewer rows with --where or --sort and --top");
  }
  if (!std::exchange(has_rows_, true)) rows.remove_prefix(writer_->rows->between.size());
  write_(rows);
}

void SweepDocument::close(bool interrupted) {
  head_.interrupted = interrupted;
  if (writer_->rows == nullptr) {
    Document document = sweep_document(*plan_, table_, std::move(held_), head_, style_);
    document.command = command_;
    return write_(writer_->document(document, style_));
  }
  if (writer_->rows->close == nullptr) return;
  std::string out;
  writer_->rows->close(out, table_->plan(), record_of(table_->document(), head_), has_rows_);
  write_(out);
}

}  // namespace trcost::report
