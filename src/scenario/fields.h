// SPDX-License-Identifier: Apache-2.0
// The rows of fields.def beyond what the API shows: what follows from a field being set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/layout/layout.h"
#include "quantity/choice.h"
#include "quantity/layers.h"
#include "trcost/numbers.h"
#include "trcost/scenario.h"

namespace trcost::scenario {

/// The words of the groups of fields, in the order of the table.
inline constexpr Choice<FieldGroup> kFieldGroups[] = {{"model", FieldGroup::model},
                                                      {"train", FieldGroup::train},
                                                      {"data", FieldGroup::data},
                                                      {"rollout", FieldGroup::rollout},
                                                      {"hardware", FieldGroup::hardware},
                                                      {"layout", FieldGroup::layout},
                                                      {"efficiency", FieldGroup::efficiency},
                                                      {"cost", FieldGroup::cost},
                                                      {"range", FieldGroup::range}};

/// Stages of an answer that a field affects. A stage is kept if only fields of other stages differ.
enum class AffectedStage : std::uint16_t {
  platform = 1,      ///< the accelerator
  prepared = 2,      ///< the model, its data and how they are trained; system and software
  amount = 4,        ///< tokens, samples and batches
  size = 8,          ///< cluster and layout
  useful_time = 16,  ///< share of the paid hours in which steps run
  rates = 32,        ///< prices of an hour, a kWh and a gigabyte
  price = 64,        ///< a set price per hour, in place of the price book's
  bill = 128,        ///< line items and their quantities
  range = 256,
};
constexpr AffectedStage operator|(AffectedStage a, AffectedStage b) {
  return static_cast<AffectedStage>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}

/// Dependence of time and dollars on a number. known_exponents() in cost/uncertain_inputs.h
/// evaluates each law. Estimates at two values measure `trial`, and `steps` has no slope.
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

/// Search of `solve`: a bracket if results follow the value in one direction, else trials.
enum class SolveBy : std::uint8_t { bracket, scan };

/// Kind of the names that a field takes.
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

/// A list of at most three fields.
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

/// A word of a choice field that decides whether another field has an effect.
struct FieldWord {
  Field field;
  std::string_view word;
};

/// Condition under which a field has an effect, if it is not another field's word: it follows from
/// several fields, or is found.
enum class Precondition : std::uint8_t {
  nothing,
  adapters,  ///< adapters learn
  vision,    ///< a model that takes images or clips
  context,   ///< ranks that share a sequence
};

/// Effects of setting a field.
struct FieldMeaning {
  AffectedStage affects;
  Law law = Law::trial;       ///< of a range
  Cause cause = Cause::step;  ///< of a range
  SolveBy solve_by = SolveBy::bracket;
  bool zero = false;  ///< a fraction or price of 0 is allowed
  Names names = Names::none;
  std::string_view answer{};  ///< path of the column with the resolved value, if it has another one
  FieldList excludes{};       ///< fields that setting this one clears
  std::optional<FieldWord> only_with{};  ///< no effect with another word
  std::optional<FieldWord> not_with{};   ///< no effect with this word
  std::optional<Field> settled_by{};     ///< no effect if that field is set
  std::optional<Field> belongs_to{};     ///< no effect unless that field is set
  Precondition needs = Precondition::nothing;
};

/// The effects of a field, from its row of the table.
const FieldMeaning& field_meaning(Field field);
/// The path of the column with the field's resolved value.
std::string_view answer_path(const FieldInfo& info);
/// True if the field affects a stage of the answer.
bool affects(Field field, AffectedStage stage);
/// The fields that affect a stage of the answer, in the table's order.
std::vector<Field> fields_affecting(AffectedStage stage);

/// A warning that the field is not used because FieldMeaning::needs is not met.
std::string unused_text(const FieldInfo& info);
/// These warnings for all fields that are set and need what is `missing`.
std::vector<std::string> unused_without(const Scenario& scenario, Precondition missing);

/// The parser of a numeric field's kind.
constexpr NumberKind number_kind(FieldKind kind) {
  switch (kind) {
    case FieldKind::count:
      return NumberKind::count;
    case FieldKind::integer:
      return NumberKind::integer;
    case FieldKind::bytes:
      return NumberKind::bytes;
    case FieldKind::duration:
      return NumberKind::duration;
    case FieldKind::money:
      return NumberKind::money;
    case FieldKind::fraction:
      return NumberKind::fraction;
    default:
      return NumberKind::number;
  }
}

/// True if the lower end 0 of the range is excluded: a fraction or price of 0 is a mistake, except
/// for fields that allow it.
bool excludes_zero(const FieldInfo& info);
/// `from 1 to 1e20 tokens`, `above 0 and at most 1`.
std::string allowed_range(const FieldInfo& info);

/// The field `layout.NAME` of each of kDimensions. A dimension without its row does not compile.
inline constexpr std::array<Field, kDimensionCount> kDimensionFields = [] {
  constexpr std::string_view kGroup = "layout.";
  std::array<Field, kDimensionCount> out{};
  for (std::size_t i = 0; i < kDimensionCount; ++i) {
    bool found = false;
#define TRCOST_FIELD(id, path, ...)                                                \
  if (const std::string_view at = path;                                            \
      at.starts_with(kGroup) && at.substr(kGroup.size()) == kDimensions[i].name) { \
    out[i] = Field::id;                                                            \
    found = true;                                                                  \
  }
#include "trcost/fields.def"
#undef TRCOST_FIELD
    if (!found) throw "a dimension has no row in fields.def";
  }
  return out;
}();

}  // namespace trcost::scenario
