// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/hardware/machines.h"
#include "cli/flags/settings.h"
#include "recipe/read_recipe.h"
#include "trcost/catalog.h"
#include "trcost/scenario.h"

namespace trcost::cli {

class Flags;
class Session;

/// Typed values of the scenario's fields and of --scenario.
class ScenarioOptions {
 public:
  /// Adds --scenario, and an option for each field (that is `wanted`) whose flag the session
  /// defines.
  void add(Flags& flags, const Session& session, bool (*wanted)(const FieldInfo&) = nullptr);
  /// The fields whose flags were typed.
  [[nodiscard]] std::vector<Field> typed() const;
  /// Flags over --scenario over environment over the config file. Throws Error (usage) for pairs
  /// that exclude each other.
  [[nodiscard]] Scenario read(Session& session) const { return read(session, {}); }
  /// read() for a command that shows the warnings of --recipe itself.
  [[nodiscard]] Scenario read(Session& session, std::vector<std::string>& warnings) const;
  /// Makes the scenario of a row of a sweep from the values of its axes.
  using Derive = std::function<Scenario(const Scenario& axes)>;
  /// read() with the values of a sweep's first row, which complete --recipe as flags do. With a
  /// recipe, `derive` is set for the other rows.
  [[nodiscard]] Scenario read_row(Session& session, const Scenario& axes, Derive& derive) const;
  /// Warns of amounts that the recipe lacks in rows after the first alone.
  void note_rows(Session& session) const;
  /// Takes what is not the scenario's out of the text of --scenario, given its origin.
  using Prepare = std::function<std::string(std::string text, const std::string& origin)>;
  [[nodiscard]] Scenario read(Session& session, const Prepare& prepare) const;
  /// Flags over --recipe over --scenario over environment over the config file. `reading` receives
  /// the keys of --recipe. If it is null, the session notes them.
  [[nodiscard]] std::vector<Layer> layers(Session& session, const Prepare& prepare = {},
                                          recipe::RecipeReading* reading = nullptr,
                                          const Scenario& axes = {}) const;
  /// Lets --recipe leave the amount of data open, for a command that does without it.
  void accept_no_amount() { amount_needed_ = false; }
  /// A file given in another way than by --scenario; Error (usage) where both are.
  void set_file(const std::string& path);
  [[nodiscard]] const std::vector<std::string>& recipes() const { return recipes_; }
  /// Replaces the files of --recipe, for a command that reads several recipes in turn.
  void set_recipes(std::vector<std::string> files) { recipes_ = std::move(files); }

 private:
  struct Typed {
    const FieldInfo* info;
    std::optional<std::string> text;
  };
  /// --scenario over environment over the config file.
  [[nodiscard]] std::vector<Layer> untyped_layers(Session& session, const Prepare& prepare) const;
  [[nodiscard]] Layer typed_layer(Session& session) const;
  /// Reads --recipe. The flags win over its fields, and `beneath` completes them.
  [[nodiscard]] static recipe::RecipeReading read_recipes(const recipe::OpenedRecipe& opened,
                                                          const Catalog& catalog,
                                                          const std::vector<Layer>& beneath,
                                                          const Layer& flags);
  /// Throws Error (usage) for a recipe whose steps give no amount of data that is needed.
  void check_amount(const recipe::RecipeReading& found) const;
  /// Notes how many keys were used. Returns the warnings of amounts that the files lack.
  std::vector<std::string> note_recipe(const recipe::RecipeReading& found, Session& session) const;

  // Fields that the recipe lacks, of the first row and of others, whose threads share it.
  struct RowGaps {
    std::mutex lock;
    std::map<std::string, std::string> first, later;  // reasons by path
  };

  std::string file_;
  std::vector<std::string> recipes_;
  std::shared_ptr<RowGaps> row_gaps_ = std::make_shared<RowGaps>();
  bool amount_needed_ = true;
  std::vector<std::unique_ptr<Typed>> typed_;
};

/// Returns the catalog's accelerator of a typed name, alias or cloud machine, and its count if it
/// has one: `8xa100`, `a100:8`. A name that the catalog lacks stays as typed.
catalog::CountedAccelerator read_accelerator(const std::string& typed, const Catalog& catalog);

/// The text of a file, or of stdin for `-`; at most 16 MB.
std::string read_input(const std::string& path);

}  // namespace trcost::cli
