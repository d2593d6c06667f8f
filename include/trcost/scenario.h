// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost {

/// How a field's value is written and checked.
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

/// The objects that fields stand in: the first parts of their paths.
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

/// Which parts of an answer a field moves: what may be kept where only other fields differ.
enum class Moves : std::uint16_t {
  platform = 1,      ///< which accelerator
  prepared = 2,      ///< the model, its data and how they are trained; system and software
  amount = 4,        ///< how much data, and how much of it at a time
  size = 8,          ///< cluster and layout
  useful_time = 16,  ///< of the hours paid for
  rates = 32,        ///< what an hour, a kWh and a gigabyte cost
  price = 64,        ///< an hour's price as given, in the place of the one found
  bill = 128,        ///< which items there are, and how much of each
  range = 256,
};
constexpr Moves operator|(Moves a, Moves b) {
  return static_cast<Moves>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}

/// How time and dollars follow a number, each law evaluated by known_exponents() of
/// cost/uncertain_inputs.h; `trial` is measured by estimates at two values, and `steps` has no
/// slope.
enum class Law : std::uint8_t {
  trial,
  steps,
  none,
  time,
  inverse_time,
  tokens,
  params,
  text,
  images,
  image_tokens,
  accelerators,
  rent,
  capital,
  utilization,
  colocation,
  electricity,
  storage,
  egress,
  experiments,
  evaluation,
};

/// Why an input is uncertain: what a measurement can make certain is decided by this, never by the
/// input's name.
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

/// How `solve` looks for a value: results follow it in one direction, or it has to be tried.
enum class SolveBy : std::uint8_t { bracket, scan };

/// What the names that a field takes are names of.
enum class Names : std::uint8_t {
  none,
  accelerators,
  systems,
  stacks,
  engines,
  models,
  encoders,
  regions,
  providers,
};

/// A few fields.
struct FieldList {
  static constexpr std::size_t kMost = 3;
  std::array<Field, kMost> list{};
  std::size_t count = 0;
  constexpr FieldList() = default;
  constexpr FieldList(std::initializer_list<Field> fields) : count(fields.size()) {
    std::size_t i = 0;
    for (const Field field : fields) list[i++] = field;
  }
  [[nodiscard]] constexpr const Field* begin() const { return list.data(); }
  [[nodiscard]] constexpr const Field* end() const { return list.data() + count; }
};

/// A word of a choice field, without which, or with which, another field says nothing.
struct FieldWord {
  Field field;
  std::string_view word;
};

/// What a question has to have for a field to say anything of it, where that is no other field's
/// word: it follows from several fields, or is found.
enum class Needs : std::uint8_t {
  nothing,
  adapters,  ///< something learns by parameters beside its own
  vision,    ///< a model that takes images or clips in
  context,   ///< ranks that share a sequence
};

/// What follows from a field being set.
struct FieldMeaning {
  Moves moves;
  Law law = Law::trial;       ///< of a range
  Cause cause = Cause::step;  ///< of a range
  SolveBy solve_by = SolveBy::bracket;
  bool zero = false;  ///< a fraction or price of 0 is an amount, not a mistake
  Names names = Names::none;
  std::string_view answer{};  ///< the column with its resolved value, where that has another path
  FieldList excludes{};       ///< setting either takes the place of the other
  std::optional<FieldWord> only_with{};  ///< says nothing with another word there
  std::optional<FieldWord> not_with{};   ///< says nothing with that word there
  std::optional<Field> settled_by{};     ///< says nothing where that is given
  std::optional<Field> belongs_to{};     ///< says nothing unless that is given
  Needs needs = Needs::nothing;          ///< says nothing without it
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
  FieldMeaning meaning;

  [[nodiscard]] bool moves(Moves part) const {
    return (static_cast<std::uint16_t>(meaning.moves) & static_cast<std::uint16_t>(part)) != 0;
  }
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
/// As find_field; throws Error (usage) with a did-you-mean where there is none.
const FieldInfo& require_field(std::string_view path);
/// `TRCOST_MODEL_PARAMS`.
std::string environment_variable(const FieldInfo& info);
/// The words of a choice field.
std::vector<std::string> field_choices(const FieldInfo& info);
bool is_numeric(FieldKind kind);

/// Pairs of which a scenario has at most one: setting either takes the place of the other.
std::span<const std::pair<Field, Field>> exclusive_fields();
/// The fields that move a part of an answer, in the table's order.
std::vector<Field> fields_that_move(Moves part);

/// What an uncertain input is drawn from.
struct Distribution {
  enum class Kind : std::uint8_t { lognormal, normal, uniform, triangular } kind = Kind::lognormal;
  double a = 0;  ///< lognormal: median; normal: mean; uniform, triangular: low end
  /// Lognormal: sigma of ln; normal: standard deviation; uniform, triangular: high end.
  double b = 0;
  double c = 0;  ///< triangular: mode
};

/// A training question: a value for some fields, nothing for the rest, and possibly several stages.
/// Values are checked against the table when they are set.
class Scenario {
 public:
  /// Sets from text as a person writes it; a numeric field also takes a range `1.9..3.2` (P10 to
  /// P90 of a lognormal). Throws Error (usage) naming `location` (a flag or a JSON pointer).
  void set(const FieldInfo& info, std::string_view text, std::string_view location);
  /// Sets a number in base units; same checks.
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
  /// The distribution that the user gave, or null.
  [[nodiscard]] const Distribution* distribution(Field field) const;
  [[nodiscard]] const std::vector<std::pair<Field, Distribution>>& distributions() const {
    return distributions_;
  }

  /// Whether these fields are set alike in both, to equal values.
  [[nodiscard]] bool equal(const Scenario& other, std::span<const Field> fields) const;
  /// A number that is the same where equal() is true, and rarely where it is not.
  [[nodiscard]] std::uint64_t digest(std::span<const Field> fields) const;

  /// Later stages inherit every field that they do not set; `name` labels the stage.
  struct Stage;
  std::vector<Stage> stages;

 private:
  struct Value {
    bool set = false;
    double number = 0;
    std::string text;
  };
  std::array<Value, kFieldCount> values_;
  std::vector<std::pair<Field, Distribution>> distributions_;
};

struct Scenario::Stage {
  std::string name;
  Scenario overrides;
};

/// Throws Error of this kind where fields that exclude each other are both set; `where` names the
/// file or flag.
void refuse_exclusive(const Scenario& scenario, ErrorKind kind = ErrorKind::usage,
                      std::string_view where = {});
/// What is said of fields that are set and say nothing here: an input that is not used without a
/// word misleads.
std::vector<std::string> unused_fields(const Scenario& scenario);
/// What is said of one whose FieldMeaning::needs is not there.
std::string unused_text(const FieldInfo& info);
/// The same of all fields that are set and need what is `missing`.
std::vector<std::string> unused_without(const Scenario& scenario, Needs missing);

/// The scenario of one stage: the base with the stage's fields over it, without stages.
Scenario stage_scenario(const Scenario& base, const Scenario::Stage& stage);

/// Reads the JSON form: an object of objects by path, unknown and duplicate keys refused with
/// did-you-mean; `schema_version`, `name` and `stages` are the only other keys. `origin` names the
/// file in messages. Throws Error (data).
Scenario scenario_from_json(std::string_view json, std::string_view origin);
/// Writes every set field; reading it back gives the same scenario.
std::string scenario_to_json(const Scenario& scenario);

}  // namespace trcost
