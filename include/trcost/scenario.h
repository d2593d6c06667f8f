// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost {

/// Kind of a field's value: how it is written and checked.
enum class FieldKind : std::uint8_t {
  count,
  integer,
  bytes,
  duration,
  money,
  fraction,
  number,  // numbers, see NumberKind
  text,    ///< a name or path
  choice,  ///< one of `choices`
  list,    ///< names separated by commas
  size,    ///< WxH in pixels
  flag,    ///< on or off; also true, false
};

/// All scenario fields, one per row of fields.def.
enum class Field : std::uint8_t {
#define TRCOST_FIELD(id, ...) id,
#include "trcost/fields.def"
#undef TRCOST_FIELD
};

/// Groups of fields: the first part of their paths.
enum class FieldGroup : std::uint8_t {
  model,
  train,
  data,
  rollout,
  hardware,
  layout,
  efficiency,
  cost,
  range,
};

/// Cause of an input's uncertainty. It decides what a measurement makes certain, never the input's
/// name.
enum class Cause : std::uint8_t {
  mfu,          ///< how well the predicted speed of a step holds
  step,         ///< what the work of a step is: lengths, imbalance, batch
  model_size,   ///< parameters: the work of a step, and tokens that follow from them
  amount,       ///< tokens, samples, epochs
  useful_time,  ///< goodput and production overhead
  scope,        ///< what a bill includes beyond one clean run
  cluster,      ///< accelerators
  price,        ///< of hours, machines, electricity, storage, space
  experiments,  ///< compute beside the run
  platforms,    ///< ratio of two platforms' speeds
  measurement,  ///< of a speed or a time
};

/// One row of the table.
struct FieldInfo {
  Field field;
  FieldGroup group;
  std::string_view path;  ///< `model.params`
  std::string_view flag;  ///< `--params`
  FieldKind kind;
  std::string_view unit;
  double lowest;
  double highest;
  std::string_view choices;   ///< separated by |
  std::string_view fallback;  ///< literal default, empty where `rule` decides
  std::string_view rule;      ///< why that default
  std::string_view help;
};

inline constexpr std::size_t kFieldCount = 0
#define TRCOST_FIELD(id, ...) +1
#include "trcost/fields.def"
#undef TRCOST_FIELD
    ;

/// The table, in the order of fields.def.
const std::array<FieldInfo, kFieldCount>& fields();
/// The parts of the paths before the dot, such as `hardware`, in the table's order.
std::vector<std::string> field_groups();
const FieldInfo& field_info(Field field);
/// The table's literal default as a number; NaN where there is none.
double default_number(Field field);
/// The row with this JSON path, or null.
const FieldInfo* find_field(std::string_view path);
/// Further name of the flag --accelerator.
inline constexpr std::string_view kAcceleratorAlias = "--gpu";
/// The field of a flag, with or without its dashes. Null if there is none.
const FieldInfo* find_flag(std::string_view name);
/// The row with this JSON path. Throws Error (usage) with a did-you-mean for none.
const FieldInfo& require_field(std::string_view path);
/// `TRCOST_MODEL_PARAMS`.
std::string environment_variable(const FieldInfo& info);
/// The words of a choice field.
std::vector<std::string> field_choices(const FieldInfo& info);
bool is_numeric(FieldKind kind);

/// Pairs of fields of which a scenario has at most one. Setting one clears the other.
std::span<const std::pair<Field, Field>> exclusive_fields();

/// Distribution of an uncertain input.
struct Distribution {
  enum class Kind : std::uint8_t { lognormal, normal, uniform, triangular } kind = Kind::lognormal;
  double a = 0;  ///< lognormal: median; normal: mean; uniform, triangular: low end
  /// Lognormal: sigma of ln; normal: standard deviation; uniform, triangular: high end.
  double b = 0;
  double c = 0;  ///< triangular: mode
};

/// A training question: values of some fields, and possibly several stages. Values are checked
/// against the table when they are set.
class Scenario {
 public:
  /// Sets from text as written by a person. A numeric field also takes a range `1.9..3.2` (P10 to
  /// P90 of a lognormal). Throws Error (usage) naming `location` (a flag or a JSON pointer).
  void set(const FieldInfo& info, std::string_view text, std::string_view location);
  /// Sets a number in base units, with the same checks.
  void set_number(const FieldInfo& info, double value, std::string_view location);
  void set_number(Field field, double value);
  void set_text(Field field, std::string_view text);
  void set_distribution(const FieldInfo& info, const Distribution& distribution,
                        std::string_view location);
  void clear(Field field);
  /// Clears the fields that exclusive_fields() pairs with this one.
  void clear_excluded_by(Field field);

  [[nodiscard]] bool has(Field field) const;
  [[nodiscard]] std::optional<double> number(Field field) const;
  /// The number, or the table's literal default.
  [[nodiscard]] double number_or_default(Field field) const;
  [[nodiscard]] double number_or(Field field, double otherwise) const;
  /// The text as set, or the table's literal default, or empty.
  [[nodiscard]] std::string_view text(Field field) const;
  [[nodiscard]] bool flag(Field field) const;
  [[nodiscard]] std::vector<std::string> names(Field field) const;
  [[nodiscard]] std::optional<PixelSize> size(Field field) const;
  /// The distribution set by the user, or null.
  [[nodiscard]] const Distribution* distribution(Field field) const;
  [[nodiscard]] const std::vector<std::pair<Field, Distribution>>& distributions() const {
    return distributions_;
  }

  /// True if both scenarios have the same values of these fields.
  [[nodiscard]] bool equal(const Scenario& other, std::span<const Field> fields) const;
  /// A hash of the values of these fields.
  [[nodiscard]] std::uint64_t digest(std::span<const Field> fields) const;

  /// True if both scenarios set the same fields to the same values, and neither sets a
  /// distribution. Stages do not count.
  [[nodiscard]] bool same_values(const Scenario& other) const;

  /// A later stage inherits every field that it does not set. `name` labels the stage.
  struct Stage;
  std::vector<Stage> stages;

  /// A copy of all fields, without the stages.
  [[nodiscard]] Scenario without_stages() const;

 private:
  struct Value {
    bool set = false;
    double number = 0;
    std::string text;
    bool operator==(const Value& other) const {
      return set == other.set && (!set || (number == other.number && text == other.text));
    }
  };
  std::array<Value, kFieldCount> values_;
  std::vector<std::pair<Field, Distribution>> distributions_;
};

struct Scenario::Stage {
  std::string name;
  Scenario overrides;
};
/// Upper bound of the stages in a file.
inline constexpr std::size_t kMostTrainingStages = 2000;

/// A price of one accelerator.
struct NamedPrice {
  std::string name;  ///< of the accelerator
  double usd = 0;    ///< per accelerator and hour
};
/// Reads `h100-sxm:2.35,b200:4.10`. Throws Error (usage) for another text, a price out of range or
/// two prices of one name.
std::vector<NamedPrice> parse_named_prices(std::string_view text);

/// Throws Error of this kind if fields that exclude each other are both set. `where` names the file
/// or flag.
void refuse_exclusive(const Scenario& scenario, ErrorKind kind = ErrorKind::usage,
                      std::string_view where = {});
/// Warnings about fields that are set and have no effect here.
std::vector<std::string> unused_fields(const Scenario& scenario);
/// The scenario of one stage: the base overridden by the stage's fields, without stages.
Scenario stage_scenario(const Scenario& base, const Scenario::Stage& stage);

/// Reads the JSON form: an object of objects by path, unknown and duplicate keys refused with
/// did-you-mean; `schema_version`, `name` and `stages` are the only other keys. `origin` names the
/// file in messages. Throws Error (data).
Scenario scenario_from_json(std::string_view json, std::string_view origin);
/// Writes every set field. Reading it back gives the same scenario.
std::string scenario_to_json(const Scenario& scenario);

}  // namespace trcost
