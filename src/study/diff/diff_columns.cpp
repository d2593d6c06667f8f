// SPDX-License-Identifier: Apache-2.0
#include "study/diff/diff.h"

namespace trcost::study {
namespace {

using namespace column;

Value value_of(const DiffValue& value) {
  if (!value.known) return {};
  return value.number ? Value(*value.number) : Value(std::string_view(value.text));
}

const Columns<DiffRow>& change_columns() {
  using R = DiffRow;
  static const Columns<DiffRow> table = {
      of_kind(ColumnKind::mixed, "before", member<&R::before, value_of>, "in the first result"),
      of_kind(ColumnKind::mixed, "after", member<&R::after, value_of>, "in the second"),
      share("change_share", member<&R::change>, "after / before - 1")};
  return table;
}

Columns<DiffRow> rows_named(std::string_view name) {
  Columns<DiffRow> t = {string(name, member<&DiffRow::path>, "what differs", Rank::key),
                        string("unit", member<&DiffRow::unit>, "of the values")};
  t.add(std::span(change_columns().begin(), change_columns().end()));
  return t;
}

const Columns<DiffRow>& diff_figure_columns() {
  static const Columns<DiffRow> table = rows_named("path");
  return table;
}

const Columns<DiffRow>& item_columns() {
  static const Columns<DiffRow> table = rows_named("item");
  return table;
}

const Columns<DiffPlatform>& diff_platform_columns() {
  using P = DiffPlatform;
  static const Columns<DiffPlatform> table = {
      string("before", member<&P::before>, "accelerator", Rank::key),
      string("after", member<&P::after>, "accelerator", Rank::key),
      part<change_columns, &P::total>("total"),
      list<diff_figure_columns>("figures", member<&P::figures>, "columns that differ"),
      list<item_columns>("items", member<&P::items>, "line items that differ")};
  return table;
}

// One difference with what it belongs to.
struct Difference {
  std::string_view accelerator;
  std::string_view kind;
  const DiffRow* row = nullptr;
};

const Columns<Difference>& difference_columns() {
  using D = Difference;
  static const Columns<Difference> table = [] {
    Columns<Difference> t = {
        string("accelerator", member<&D::accelerator>, "of the platform", Rank::key),
        string("kind", member<&D::kind>, "input, figure, item, or added and removed platforms",
               Rank::key)};
    t.pick<diff_figure_columns, &D::row>([](const ColumnInfo&) { return true; });
    return t;
  }();
  return table;
}

std::vector<Difference> differences(const DiffReport& report) {
  std::vector<Difference> out;
  const auto add = [&](std::string_view name, std::string_view kind,
                       const std::vector<DiffRow>& rows) {
    for (const DiffRow& row : rows) out.push_back({name, kind, &row});
  };
  add("", "input", report.result.inputs);
  for (const DiffPlatform& platform : report.result.platforms) {
    const std::string_view name = platform.after.empty() ? platform.before : platform.after;
    if (platform.before.empty()) out.push_back({name, "added", &platform.total});
    if (platform.after.empty()) out.push_back({name, "removed", &platform.total});
    add(name, "figure", platform.figures);
    add(name, "item", platform.items);
  }
  return out;
}

std::optional<double> fail_above_share(const DiffReport& report) {
  if (!report.fail_above || report.fail_above->usd) return std::nullopt;
  return report.fail_above->share;
}

std::optional<double> fail_above_usd(const DiffReport& report) {
  return report.fail_above ? report.fail_above->usd : std::nullopt;
}

std::vector<std::string> failed(const DiffReport& report) {
  if (!report.fail_above) return {};
  return totals_above(report.result, *report.fail_above);
}

}  // namespace

const Columns<DiffReport>& diff_columns() {
  using R = DiffReport;
  static const Columns<DiffReport> table = {
      versions<R>(),
      string("a", member<&R::a>, "file of the first result"),
      string("b", member<&R::b>, "file of the second"),
      boolean("same", member<&R::result, &DiffResult::same>, "nothing differs"),
      list<difference_columns>("differences", member<differences>,
                               "everything that differs, one per line"),
      list<diff_figure_columns>("inputs", member<&R::result, &DiffResult::inputs>,
                                "what was asked differently"),
      list<diff_platform_columns>("platforms", member<&R::result, &DiffResult::platforms>,
                                  "the same by platform"),
      share("fail_above", member<fail_above_share>, "rise of a total that fails the comparison"),
      number("fail_above_usd", "USD", NumberKind::money, member<fail_above_usd>,
             "the same in dollars"),
      list<text_columns>("failed", member<failed>,
                         "totals that rise by more, or cannot be compared")};
  return table;
}

}  // namespace trcost::study
