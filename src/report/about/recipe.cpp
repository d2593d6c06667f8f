// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "recipe/read_recipe.h"
#include "report/about/documents.h"
#include "report/about/recipe.h"
#include "report/page/page.h"
#include "report/table/table.h"
#include "text/column.h"
#include "workload/method.h"

namespace trcost::report {
namespace {

using namespace column;

const Columns<RecipeKey>& key_columns() {
  using K = RecipeKey;
  static const Columns<RecipeKey> table = {
      string("key", member<&K::key>, "key, flag or environment variable", Rank::key),
      string("value", member<&K::value>, "as written"),
      string("status", member<&K::status>, "used, harmless or reported"),
      string("path", member<&K::path>, "fields that it sets"),
      string("why", member<&K::why>, "reason for a report")};
  return table;
}

const Columns<RecipeGap>& gap_columns() {
  using G = RecipeGap;
  static const Columns<RecipeGap> table = {string("path", member<&G::path>, "field", Rank::key),
                                           string("why", member<&G::why>, "why it is missing")};
  return table;
}

const Columns<RecipeDefault>& default_columns() {
  using D = RecipeDefault;
  static const Columns<RecipeDefault> table = {
      string("path", member<&D::path>, "field", Rank::key),
      string("value", member<&D::value>, "of the framework"),
      string("why", member<&D::why>, "whose default")};
  return table;
}

const Columns<RecipeSetting>& user_field_columns() {
  using S = RecipeSetting;
  static const Columns<RecipeSetting> table = {
      string("path", member<&S::path>, "field", Rank::key),
      string("value", member<&S::value>, "as set"),
      string("origin", member<&S::origin>, "flag, variable or file that sets it")};
  return table;
}

const Columns<std::string>& file_columns() {
  static const Columns<std::string> table = {string(
      "file", [](const std::string& file) -> const std::string& { return file; }, "path")};
  return table;
}

std::size_t count_of(const RecipeReading& recipe, std::string_view status) {
  return static_cast<std::size_t>(std::ranges::count(recipe.keys, status, &RecipeKey::status));
}

std::string recipe_sentence(const RecipeReading& recipe) {
  const std::size_t open = count_of(recipe, "reported");
  std::string text = fmt::format(
      "{} {} a recipe of {}. {} of its keys are used, {} do not affect the cost, {} your "
      "attention.",
      fmt::join(recipe.files, ", "), recipe.files.size() == 1 ? "is" : "are", recipe.framework,
      count_of(recipe, "used"), count_of(recipe, "harmless"),
      open == 0   ? "none needs"
      : open == 1 ? "1 needs"
                  : fmt::format("{} need", open));
  if (!recipe.missing.empty()) {
    std::string flags;
    for (const RecipeGap& gap : recipe.missing) {
      const auto info = std::ranges::find(fields(), gap.path, &FieldInfo::path);
      if (info == fields().end()) continue;
      flags += (flags.empty() ? "" : ", ") + std::string(info->flag);
    }
    text += fmt::format(" Not in the files: {}.", flags);
  }
  return text;
}

// A shape is long: JSON has it.
std::string shown_value(const Scenario& scenario, const FieldInfo& info) {
  if (is_numeric(info.kind)) return format_exact(*scenario.number(info.field));
  const std::string text(scenario.text(info.field));
  return text.starts_with('{') ? "the sizes in the recipe" : text;
}

// Where the value of a field comes from: the user, keys of the recipe, or a default of its
// framework.
std::string origin_words(const RecipeReport& report, std::string_view path) {
  const RecipeReading& recipe = report.recipe;
  const auto set = std::ranges::find(report.given, path, &RecipeSetting::path);
  if (set != report.given.end()) return set->origin;
  const std::string_view method = recipe.scenario.text(Field::train_method);
  const bool in_pairs =
      path == field_info(Field::train_micro_batch).path && !method.empty() &&
      workload::method_row(workload::method_named(method)).sequences_per_sample == 2;
  std::string keys;
  for (const RecipeKey& key : recipe.keys) {
    const std::string sets = "," + key.path + ",";
    if (sets.find(fmt::format(",{},", path)) == sets.npos) continue;
    keys += (keys.empty() ? "" : ", ") + key.key;
    if (in_pairs) keys += fmt::format(" {} (pairs)", key.value);
  }
  if (!keys.empty()) return keys;
  const auto by_default = std::ranges::find(recipe.defaults, path, &RecipeDefault::path);
  return by_default == recipe.defaults.end() ? "the recipe" : by_default->why;
}

Page recipe_page(const RecipeReport& report) {
  const RecipeReading& recipe = report.recipe;
  Page page{"Recipe", {}, {}};
  page.titled = false;
  page.add(Paragraph{recipe_sentence(recipe), Ink::good});
  Table missing({{"flag"}, {.title = "why", .overflow = Overflow::wrap}});
  for (const RecipeGap& gap : recipe.missing) {
    const FieldInfo* const info = find_field(gap.path);
    missing.add_row({info == nullptr ? gap.path : std::string(info->flag), gap.why});
  }
  if (!recipe.missing.empty()) page.add(Heading{"Not in the files"}).add(Grid{std::move(missing)});
  Table reported({{"key"},
                  {.title = "value", .overflow = Overflow::wrap},
                  {.title = "why", .overflow = Overflow::wrap}});
  for (const RecipeKey& key : recipe.keys) {
    if (key.status == "reported") reported.add_row({key.key, key.value, key.why});
  }
  if (!reported.rows().empty())
    page.add(Heading{"Keys that need your attention"}).add(Grid{std::move(reported)});
  Table values({{"flag"},
                {.title = "value", .overflow = Overflow::wrap},
                {.title = "from", .overflow = Overflow::wrap}});
  for (const FieldInfo& info : fields()) {
    if (!recipe.scenario.has(info.field)) continue;
    values.add_row({std::string(info.flag), shown_value(recipe.scenario, info),
                    origin_words(report, info.path)});
  }
  return page.add(Heading{"Understood"}).add(Grid{std::move(values)});
}

}  // namespace

const Columns<RecipeReport>& recipe_columns() {
  using R = RecipeReport;
  static const Columns<RecipeReport> table = {
      versions<R>(),
      string("framework", member<&R::recipe, &RecipeReading::framework>,
             "whose configuration it is"),
      string("version", member<&R::recipe, &RecipeReading::version>, "source of the table of keys"),
      raw_json("scenario", member<&R::scenario>,
               "the files with the user's own fields, replayable with --scenario"),
      list<file_columns>("files", member<&R::recipe, &RecipeReading::files>, "that were read"),
      list<key_columns>("keys", member<&R::recipe, &RecipeReading::keys>, "every key of the files"),
      list<gap_columns>("missing", member<&R::recipe, &RecipeReading::missing>,
                        "fields that the files do not tell"),
      list<default_columns>("defaults", member<&R::recipe, &RecipeReading::defaults>,
                            "fields by the framework's defaults"),
      list<user_field_columns>("given", member<&R::given>, "fields that the user sets")};
  return table;
}

Document recipe_document(const RecipeReport& report) {
  Document document = document_of(kRecipe, report, [&report] { return recipe_page(report); });
  document.scenario = report.scenario;
  return document;
}

}  // namespace trcost::report
