// SPDX-License-Identifier: Apache-2.0
// Values on their way from the keys of a recipe to the fields of a scenario.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantity/layers.h"
#include "recipe/framework.h"
#include "recipe/read_recipe.h"

namespace trcost::recipe {

/// A number as people write it in configurations (`2e-5`, `1_000`, `"8"`), nothing for other text.
std::optional<double> number_of(std::string_view text);

/// The text of a number without underscores between its digits. Other text stays.
std::string plain_number(std::string_view text);

/// Values by name, with the user's own fields before them.
class Workings {
 public:
  Workings(const FrameworkTable& table, const Scenario& given, const Catalog& catalog)
      : table_(table), given_(given), catalog_(catalog) {}

  [[nodiscard]] const FrameworkTable& table() const { return table_; }
  [[nodiscard]] bool is_group(std::string_view group) const { return table_.group == group; }
  [[nodiscard]] const Scenario& given() const { return given_; }
  [[nodiscard]] const Catalog& catalog() const { return catalog_; }

  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] bool is(std::string_view name, std::string_view value) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  /// The user's field, else the recipe's.
  [[nodiscard]] std::optional<double> number(Field field) const;
  [[nodiscard]] std::string text(Field field) const;
  /// A degree of parallelism, 1 if it is open.
  [[nodiscard]] double degree(Field field) const;
  [[nodiscard]] bool is_unknown(std::string_view name) const { return unknown_.contains(name); }

  void set(std::string_view name, std::string value);
  void set(std::string_view name, double value);
  /// Sets a value that no key gives, unless a key sets it on some machines. It is told as a default
  /// with its reason.
  void assume(std::string_view name, std::string value, std::string why = {});
  void erase(std::string_view name);
  /// Marks a value that only the machine of the run has.
  void set_unknown(const std::string& name);

  /// Notes a field that the files do not tell, unless the user gives it.
  void ask(Field field, std::string why);
  void ask(std::string_view path, std::string why);
  /// Notes that steps of the optimizer give no amount of data.
  void leave_steps_uncounted(std::string why) { uncounted_steps_ = std::move(why); }
  /// Notes a key of the files that sets a variable.
  void note_key(const std::string& name, const std::string& key) { keys_[name].insert(key); }
  [[nodiscard]] const std::set<std::string>& keys_of(const std::string& name) {
    return keys_[name];
  }
  /// Reports the keys that set a variable after all.
  void report(std::string_view name, std::string why);

  [[nodiscard]] const Variables& values() const { return values_; }
  [[nodiscard]] const std::vector<RecipeGap>& gaps() const { return gaps_; }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& reports() const {
    return reports_;
  }
  [[nodiscard]] const std::string& uncounted_steps() const { return uncounted_steps_; }
  /// Reason of an assumed value, or null.
  [[nodiscard]] const std::string* assumed(std::string_view name) const;

 private:
  const FrameworkTable& table_;
  const Scenario& given_;
  const Catalog& catalog_;
  Variables values_;
  Variables assumed_;
  std::map<std::string, std::set<std::string>, std::less<>> keys_;
  std::set<std::string, std::less<>> unknown_;
  std::vector<RecipeGap> gaps_;
  std::string uncounted_steps_;
  std::vector<std::pair<std::string, std::string>> reports_;
};

}  // namespace trcost::recipe
