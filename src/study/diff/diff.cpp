// SPDX-License-Identifier: Apache-2.0
#include "study/diff/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "estimate/columns/estimate_columns.h"
#include "quantity/currency.h"
#include "scenario/fields.h"
#include "study/diff/saved_result.h"
#include "trcost/error.h"
#include "trcost/scenario.h"

namespace trcost::study {

namespace {

using Json = nlohmann::json;

void add_row(std::vector<DiffRow>& rows, DiffRow row) {
  if (!(row.before == row.after)) rows.push_back(std::move(row));
}

std::vector<DiffRow> diff_inputs(const SavedResult& a, const SavedResult& b) {
  std::map<std::string, std::pair<DiffValue, DiffValue>> all;
  for (const auto& [path, value] : a.inputs()) all[path].first = value;
  for (const auto& [path, value] : b.inputs()) all[path].second = value;
  std::vector<DiffRow> rows;
  for (auto& [path, values] : all) {
    DiffRow row;
    row.path = path;
    row.before = values.first.known ? std::move(values.first) : a.default_of(path);
    row.after = values.second.known ? std::move(values.second) : b.default_of(path);
    if (const FieldInfo* info = find_field(path)) {
      row.unit = std::string(info->unit);
      if (is_numeric(info->kind)) row.display = number_kind(info->kind);
    }
    add_row(rows, std::move(row));
  }
  return rows;
}

// The first of the paths that a row has, or an unknown value.
DiffValue first_value(const Json& row, std::initializer_list<std::string_view> paths) {
  for (const std::string_view path : paths) {
    if (const DiffValue value = diff_value(value_at(row, path)); value.known) return value;
  }
  return {};
}

// Evidence behind the price of a saved row: of an estimate, or of a row of `tco`.
PriceEvidence saved_evidence(const Json* row) {
  if (row == nullptr) return PriceEvidence::quotes;
  const auto is_set = [&](std::initializer_list<std::string_view> paths) {
    return first_value(*row, paths).text == "yes";
  };
  const bool own =
      first_value(*row, {"pricing"}).text == "own" || first_value(*row, {"cost.capital_usd"}).known;
  const PriceDoubts doubts{.imputed = is_set({"cost.price_imputed", "price_imputed"}),
                           .other_class = is_set({"cost.price_other_class"}),
                           .stale = !own && is_set({"cost.price_stale", "price_stale"})};
  return price_evidence(doubts, first_value(*row, {"cost.provider", "provider"}).text);
}

std::optional<RowRank> saved_rank(const Json* row, const DiffValue& total) {
  if (row == nullptr || !total.number) return std::nullopt;
  const bool unfit = first_value(*row, {"memory.fits"}).text == "no";
  return RowRank{unfit, saved_evidence(row), *total.number};
}

// Marks the values of a row that follows from the prices of `a` and `b`.
void mark_estimated(const Json* a, const Json* b, DiffRow& row) {
  row.before.is_estimated = saved_evidence(a) == PriceEvidence::estimated;
  row.after.is_estimated = saved_evidence(b) == PriceEvidence::estimated;
}

// A value of both objects, each of which may be null.
DiffRow diff_key(const Json* a, const Json* b, std::string_view key) {
  DiffRow row;
  row.before = diff_value(a == nullptr ? nullptr : value_at(*a, key));
  row.after = diff_value(b == nullptr ? nullptr : value_at(*b, key));
  return row;
}

DiffRow column_row(const EstimateColumn& column, const Json* a, const Json* b) {
  DiffRow row = diff_key(a, b, column.path);
  row.path = std::string(column.path);
  row.unit = std::string(column.unit);
  row.display = column.display;
  row.main = column.rank == Rank::first || column.rank == Rank::main;
  if (column.priced) mark_estimated(a, b, row);
  return row;
}

// A row of a saved bill.
struct SavedItem {
  ItemKey id;
  int nth = 1;  // among rows with that identity, which hand-written files may repeat
  std::string name;
  const Json* json = nullptr;
};

std::string text_at(const Json& item, std::string_view key) {
  return diff_value(value_at(item, key)).text;
}

// Rows in the order of the bill.
std::vector<SavedItem> saved_items(const Json* estimate) {
  std::vector<SavedItem> out;
  const Json* items = estimate == nullptr ? nullptr : value_at(*estimate, "cost.items");
  if (items == nullptr || !items->is_array()) return out;
  std::map<ItemKey, int> seen;
  for (const Json& item : *items) {
    SavedItem row{{text_at(item, "part"), text_at(item, "stage")}, 1, text_at(item, "item"), &item};
    if (row.name.empty()) continue;
    if (row.id.part.empty()) row.id = parse_item_name(row.name);
    row.nth = ++seen[row.id];
    if (row.nth > 1) row.name += fmt::format(" ({})", row.nth);
    out.push_back(std::move(row));
  }
  return out;
}

const SavedItem* find_row(const std::vector<SavedItem>& items, const SavedItem& row) {
  const auto at = std::ranges::find_if(
      items, [&](const SavedItem& each) { return each.id == row.id && each.nth == row.nth; });
  return at == items.end() ? nullptr : &*at;
}

// Adds the differences between a row and its counterpart in the other bill, one of which may be
// null.
void diff_item(const SavedItem* a, const SavedItem* b, const Json* before, const Json* after,
               std::vector<DiffRow>& rows) {
  const SavedItem& named = a != nullptr ? *a : *b;
  const bool rent = named.id.part == kPartWords[static_cast<std::size_t>(Part::compute)].key;
  const std::string unit = text_at(*named.json, "unit");
  const auto add = [&](const char* key, std::string path, std::string of, NumberKind kind) {
    DiffRow row = diff_key(a == nullptr ? nullptr : a->json, b == nullptr ? nullptr : b->json, key);
    row.path = std::move(path);
    row.unit = std::move(of);
    row.display = kind;
    if (rent && kind == NumberKind::money) mark_estimated(before, after, row);
    add_row(rows, std::move(row));
  };
  add("amount", named.name, "USD", NumberKind::money);
  add("quantity", named.name + ": quantity", unit, NumberKind::count);
  add("unit_price", named.name + ": unit price", "USD/" + unit, NumberKind::money);
}

std::vector<DiffRow> diff_items(const Json* a, const Json* b) {
  const std::vector<SavedItem> before = saved_items(a), after = saved_items(b);
  std::vector<DiffRow> rows;
  for (const SavedItem& row : before) diff_item(&row, find_row(after, row), a, b, rows);
  for (const SavedItem& row : after) {
    if (find_row(before, row) == nullptr) diff_item(nullptr, &row, a, b, rows);
  }
  return rows;
}

// Display of a figure of a result other than an estimate, by the words of its path.
NumberKind display_of(std::string_view path) {
  const auto ends = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return path.ends_with(word); });
  };
  if (ends({"_seconds"})) return NumberKind::duration;
  if (ends({"_bytes"})) return NumberKind::bytes;
  if (ends({"mfu", "share", "utilization", "load", "error"})) return NumberKind::fraction;
  if (ends({"_usd", "cost.total", "_per_gpu_hour", "_tokens", "cash", "resale"}) &&
      !ends({"input_tokens", "output_tokens"})) {
    return NumberKind::money;
  }
  if (path.find("cost.") != path.npos || path.find("usd") != path.npos) return NumberKind::money;
  return NumberKind::count;
}

// Figures and texts of a row that are no list, in alphabetical order.
void add_plain_values(const Json& row, const std::string& path,
                      std::map<std::string, const Json*>& out) {
  for (const auto& [key, value] : row.items()) {
    const std::string here = path.empty() ? key : path + "." + key;
    if (value.is_object()) {
      add_plain_values(value, here, out);
    } else if (!value.is_array()) {
      out[here] = &value;
    }
  }
}

void diff_plain_values(const SavedKind& kind, const Json& a, const Json& b,
                       std::vector<DiffRow>& rows) {
  std::map<std::string, const Json*> before, after;
  add_plain_values(a, "", before);
  add_plain_values(b, "", after);
  for (const auto& [path, value] : after) before.try_emplace(path, nullptr);
  for (const auto& [path, value] : before) {
    if (path.ends_with("price_data_date") || path.ends_with("trcost_version")) continue;
    DiffRow row;
    row.path = path;
    row.display = path == kind.total ? NumberKind::money : display_of(path);
    row.before = diff_value(value);
    row.after = diff_value(after.contains(path) ? after.at(path) : nullptr);
    row.main = path == kind.total || row.before.number.has_value();
    if (row.display == NumberKind::money) mark_estimated(&a, &b, row);
    add_row(rows, std::move(row));
  }
}

DiffRow total_row(const SavedKind& kind, const Json* a, const Json* b) {
  if (kind.list == "estimates") return column_row(column_for(ColumnRole::total), a, b);
  DiffRow row = diff_key(a, b, kind.total);
  row.path = std::string(kind.total);
  row.unit = std::string(kind.unit);
  row.display = kind.unit == "USD"     ? NumberKind::money
                : kind.unit == "bytes" ? NumberKind::bytes
                                       : NumberKind::count;
  if (row.display == NumberKind::money) mark_estimated(a, b, row);
  return row;
}

DiffPlatform diff_platform(const SavedKind& kind, const SavedResult::Row* a,
                           const SavedResult::Row* b) {
  DiffPlatform out;
  if (a != nullptr) out.before = a->name;
  if (b != nullptr) out.after = b->name;
  const Json* before = a == nullptr ? nullptr : a->json;
  const Json* after = b == nullptr ? nullptr : b->json;
  out.total = total_row(kind, before, after);
  out.before_rank = saved_rank(before, out.total.before);
  out.after_rank = saved_rank(after, out.total.after);
  if (a == nullptr || b == nullptr) return out;
  if (kind.list != "estimates") {
    diff_plain_values(kind, *before, *after, out.figures);
    return out;
  }
  for (const EstimateColumn& column : columns()) {
    if (column.rank == Rank::key) continue;  // it identifies the platforms
    add_row(out.figures, column_row(column, before, after));
  }
  out.items = diff_items(before, after);
  return out;
}

}  // namespace

std::optional<double> DiffRow::change() const {
  if (!before.number || !after.number || *before.number == 0) return std::nullopt;
  return *after.number / *before.number - 1;
}

bool DiffResult::same() const {
  return inputs.empty() && std::ranges::all_of(platforms, [](const DiffPlatform& each) {
           return each.before == each.after && each.figures.empty() && each.items.empty();
         });
}

DiffResult diff_results(std::string_view a, std::string_view a_origin, std::string_view b,
                        std::string_view b_origin) {
  const SavedResult first(a, a_origin);
  const SavedResult second(b, b_origin);
  if (&first.kind() != &second.kind()) {
    throw Error(ErrorKind::data,
                fmt::format("one result has \"{}\", the other \"{}\"", first.kind().list,
                            second.kind().list),
                "compare two results of one command", std::string(b_origin));
  }
  const SavedKind& kind = first.kind();
  DiffResult out;
  out.subject = kind.subject;
  out.inputs = diff_inputs(first, second);
  if (first.rows().size() == 1 && second.rows().size() == 1) {
    out.platforms.push_back(diff_platform(kind, &first.rows()[0], &second.rows()[0]));
    return out;
  }
  std::map<std::string_view, const SavedResult::Row*> others;
  for (const SavedResult::Row& row : second.rows()) others[row.name] = &row;
  for (const SavedResult::Row& row : first.rows()) {
    const auto found = others.find(row.name);
    out.platforms.push_back(
        diff_platform(kind, &row, found == others.end() ? nullptr : found->second));
    if (found != others.end()) others.erase(found);
  }
  for (const SavedResult::Row& row : second.rows()) {
    if (others.contains(row.name)) out.platforms.push_back(diff_platform(kind, nullptr, &row));
  }
  return out;
}

std::vector<std::string> totals_above(const DiffResult& result, const DiffLimit& most) {
  std::vector<std::string> out;
  for (const DiffPlatform& platform : result.platforms) {
    const std::string& name = platform.after.empty() ? platform.before : platform.after;
    if (platform.before.empty() || platform.after.empty()) {
      out.push_back(fmt::format("{} cannot be compared: only the {} result has it", name,
                                platform.after.empty() ? "first" : "second"));
      continue;
    }
    const DiffRow& total = platform.total;
    if (!total.before.number || !total.after.number) {
      out.push_back(fmt::format("{} cannot be compared: a total is not known", name));
      continue;
    }
    const double rise = *total.after.number - *total.before.number;
    if (most.usd) {
      if (rise > *most.usd) {
        out.push_back(fmt::format("{}: the total rises by {}, more than {}", name,
                                  dollars_words(rise), dollars_words(*most.usd)));
      }
      continue;
    }
    const std::optional<double> change = total.change();
    if (change && *change > most.share) {
      out.push_back(fmt::format("{}: the total rises by {:.1f}%", name, 100 * *change));
    } else if (!change && *total.after.number > 0) {
      out.push_back(fmt::format("{}: the total rises from 0", name));
    }
  }
  return out;
}

}  // namespace trcost::study
