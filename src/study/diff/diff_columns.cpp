// SPDX-License-Identifier: Apache-2.0
#include "study/diff/diff.h"

namespace trcost::study {

namespace {

using namespace column;
using column::json;
using column::text;
using DiffRowRef = const DiffRow&;
using PlatformRef = const DiffPlatform&;
using DiffAnswer = const DiffReport&;

Value value_of(const DiffValue& value) {
  if (!value.known) return {};
  return value.number ? Value(*value.number) : Value(std::string_view(value.text));
}

// Before, after, and by how much.
template <class F>
std::array<Column<SubjectOf<F>>, 3> change_columns(F) {
  using T = SubjectOf<F>;
  return {of_kind(
              ColumnKind::mixed, "before", [](const T& t) { return value_of(F{}(t).before); },
              "in the first result"),
          of_kind(
              ColumnKind::mixed, "after", [](const T& t) { return value_of(F{}(t).after); },
              "in the second"),
          number(
              "change_share", "", NumberKind::fraction, [](const T& t) { return F{}(t).change(); },
              "after / before - 1")};
}

Columns<DiffRow> rows_named(std::string_view name) {
  Columns<DiffRow> t = {
      text(
          name, [](DiffRowRef r) -> auto& { return r.path; }, "what differs", Rank::key),
      text(
          "unit", [](DiffRowRef r) -> auto& { return r.unit; }, "of the values")};
  t.add(change_columns([](DiffRowRef r) -> auto& { return r; }));
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

const Columns<DiffRow>& change_of_total() {
  static const Columns<DiffRow> table = [] {
    Columns<DiffRow> t;
    t.add(change_columns([](DiffRowRef r) -> auto& { return r; }));
    return t;
  }();
  return table;
}

const Columns<DiffPlatform>& diff_platform_columns() {
  static const Columns<DiffPlatform> table = [] {
    Columns<DiffPlatform> t = {
        text(
            "before", [](PlatformRef p) -> auto& { return p.before; }, "accelerator", Rank::key),
        text(
            "after", [](PlatformRef p) -> auto& { return p.after; }, "accelerator", Rank::key)};
    t.lift<[](PlatformRef p) { return &p.total; }, change_of_total>("total");
    t.add({list<diff_figure_columns>(
               "figures", [](PlatformRef p) -> auto& { return p.figures; }, "columns that differ"),
           list<item_columns>(
               "items", [](PlatformRef p) -> auto& { return p.items; }, "line items that differ")});
    return t;
  }();
  return table;
}

// One difference with what it belongs to.
struct Difference {
  std::string_view accelerator;
  std::string_view kind;
  const DiffRow* row = nullptr;
};

const Columns<Difference>& difference_columns() {
  using D = const Difference&;
  static const Columns<Difference> table = [] {
    Columns<Difference> t = {
        text(
            "accelerator", [](D d) { return d.accelerator; }, "of the platform", Rank::key),
        text(
            "kind", [](D d) { return d.kind; },
            "input, figure, item, or added and removed platforms", Rank::key),
        text(
            "path", [](D d) -> auto& { return d.row->path; }, "what differs", Rank::key),
        text(
            "unit", [](D d) -> auto& { return d.row->unit; }, "of the values")};
    t.add(change_columns([](D d) -> auto& { return *d.row; }));
    return t;
  }();
  return table;
}

std::vector<Difference> differences(DiffAnswer report) {
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

std::vector<std::string> failed(DiffAnswer report) {
  if (!report.fail_above) return {};
  return totals_above(report.result, *report.fail_above);
}

}  // namespace

const Columns<DiffReport>& diff_columns() {
  static const Columns<DiffReport> table = [] {
    Columns<DiffReport> t;
    t.add(versions<DiffReport>());
    t.add({text(
               "a", [](DiffAnswer r) -> auto& { return r.a; }, "file of the first result"),
           text(
               "b", [](DiffAnswer r) -> auto& { return r.b; }, "file of the second"),
           boolean(
               "same", [](DiffAnswer r) { return r.result.same(); }, "nothing differs"),
           list<difference_columns>(
               "differences", [](DiffAnswer r) { return differences(r); },
               "everything that differs, one per line"),
           list<diff_figure_columns>(
               "inputs", [](DiffAnswer r) -> auto& { return r.result.inputs; },
               "what was asked differently"),
           list<diff_platform_columns>(
               "platforms", [](DiffAnswer r) -> auto& { return r.result.platforms; },
               "the same by platform"),
           number(
               "fail_above", "", NumberKind::fraction, [](DiffAnswer r) { return r.fail_above; },
               "rise of a total that fails the comparison"),
           list<text_columns>(
               "failed", [](DiffAnswer r) { return failed(r); },
               "totals that rise by more, or cannot be compared")});
    return t;
  }();
  return table;
}

}  // namespace trcost::study
