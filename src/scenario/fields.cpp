// SPDX-License-Identifier: Apache-2.0
#include "scenario/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "catalog/hardware/hardware.h"
#include "catalog/models/model.h"
#include "catalog/runs/runs.h"
#include "catalog/software/stacks.h"
#include "quantity/suggest.h"
#include "scenario/choices.h"
#include "trcost/error.h"

namespace trcost::scenario {
namespace {

constexpr std::string_view kBarredMethods =
#define TRCOST_METHOD(id, word, ...) "|" word
#include "catalog/software/methods.def"
#undef TRCOST_METHOD
    ;
constexpr std::string_view kMethodWords = kBarredMethods.substr(1);

constexpr std::string_view kPricingWords =
#define TRCOST_COMMITMENT(id, word, years) word "|"
#define TRCOST_OWNED(word) word
#include "scenario/commitments.def"
#undef TRCOST_OWNED
#undef TRCOST_COMMITMENT
    ;

// A path of no group does not compile.
constexpr FieldGroup group_of(std::string_view path) {
  return value_of(kFieldGroups, path.substr(0, path.find('.')));
}

constexpr std::array<FieldInfo, kFieldCount> kFields = {{
#define TRCOST_FIELD(id, path, flag_name, kind, unit, lowest, highest, choices, fallback, rule, \
                     help, ...)                                                                 \
  FieldInfo{Field::id, group_of(path), path, flag_name, FieldKind::kind, unit, lowest, highest, \
            choices,   fallback,       rule, help},
#include "trcost/fields.def"
#undef TRCOST_FIELD
}};

constexpr std::array<FieldMeaning, kFieldCount> kMeanings = {{
#define TRCOST_FIELD(id, path, flag_name, kind, unit, lowest, highest, choices, fallback, rule, \
                     help, ...)                                                                 \
  FieldMeaning{__VA_ARGS__},
#include "trcost/fields.def"
#undef TRCOST_FIELD
}};

// Table positions of the paths in alphabetical order, so that a look-up is a binary search.
constexpr auto kByPath = [] {
  std::array<std::uint8_t, kFieldCount> order{};
  for (std::size_t i = 0; i < kFieldCount; ++i) order[i] = static_cast<std::uint8_t>(i);
  std::ranges::sort(order, {}, [](std::uint8_t i) { return kFields[i].path; });
  return order;
}();

constexpr std::size_t kPairs = [] {
  std::size_t count = 0;
  for (const FieldMeaning& meaning : kMeanings) count += meaning.excludes.count;
  return count;
}();

constexpr auto kExclusive = [] {
  std::array<std::pair<Field, Field>, kPairs> pairs{};
  std::size_t i = 0;
  for (const FieldInfo& info : kFields) {
    const FieldMeaning& meaning = kMeanings[static_cast<std::size_t>(info.field)];
    for (const Field other : meaning.excludes) pairs[i++] = {other, info.field};
  }
  return pairs;
}();

}  // namespace

const FieldMeaning& field_meaning(Field field) {
  return kMeanings[static_cast<std::size_t>(field)];
}

std::string_view answer_path(const FieldInfo& info) {
  const std::string_view answer = field_meaning(info.field).answer;
  return answer.empty() ? info.path : answer;
}

bool affects(Field field, AffectedStage stage) {
  const auto stages = static_cast<std::uint16_t>(field_meaning(field).affects);
  return (stages & static_cast<std::uint16_t>(stage)) != 0;
}

std::vector<Field> fields_affecting(AffectedStage stage) {
  std::vector<Field> out;
  for (const FieldInfo& info : kFields) {
    if (affects(info.field, stage)) out.push_back(info.field);
  }
  return out;
}

bool excludes_zero(const FieldInfo& info) {
  const bool part = info.kind == FieldKind::fraction || info.kind == FieldKind::money;
  return part && info.lowest == 0 && !field_meaning(info.field).zero;
}

std::string allowed_range(const FieldInfo& info) {
  const std::string unit = info.unit.empty() ? "" : " " + std::string(info.unit);
  const auto plain = [](double v) {
    if (v < 1e6) return format_exact(v);
    std::string text = fmt::format("{:g}", v);  // 1e+06
    if (const std::size_t sign = text.find('+'); sign != std::string::npos) {
      text.erase(sign, text[sign + 1] == '0' ? 2 : 1);
    }
    return text;
  };
  if (excludes_zero(info)) {
    return fmt::format("above 0 and at most {}{}", plain(info.highest), unit);
  }
  return fmt::format("from {} to {}{}", plain(info.lowest), plain(info.highest), unit);
}

std::string unused_text(const FieldInfo& info) {
  static constexpr std::string_view kWhy[] = {
      "",
      "nothing learns by adapters here (--train lora, qlora or adapter)",
      "the model takes in no images or clips",
      "no accelerators share a sequence here (--cp)",
  };
  return fmt::format("{} is not used: {}", info.flag,
                     kWhy[static_cast<std::size_t>(field_meaning(info.field).needs)]);
}

std::vector<std::string> unused_without(const Scenario& scenario, Precondition missing) {
  std::vector<std::string> out;
  for (const FieldInfo& info : fields()) {
    if (field_meaning(info.field).needs == missing && scenario.has(info.field)) {
      out.push_back(unused_text(info));
    }
  }
  return out;
}

}  // namespace trcost::scenario

namespace trcost {

const std::array<FieldInfo, kFieldCount>& fields() {
  return kFields;
}

const FieldInfo& field_info(Field field) {
  return kFields[static_cast<std::size_t>(field)];
}

std::span<const std::pair<Field, Field>> exclusive_fields() {
  return kExclusive;
}

const FieldInfo* find_field(std::string_view path) {
  const auto at =
      std::ranges::lower_bound(kByPath, path, {}, [](std::uint8_t i) { return kFields[i].path; });
  if (at == kByPath.end() || kFields[*at].path != path) return nullptr;
  return &kFields[*at];
}

const FieldInfo* find_flag(std::string_view name) {
  if (name.starts_with("--")) name.remove_prefix(2);
  for (const FieldInfo& info : kFields) {
    if (name == info.flag.substr(2)) return &info;
  }
  const bool chip = name == kAcceleratorAlias.substr(2);
  return chip ? &field_info(Field::hardware_accelerator) : nullptr;
}

const FieldInfo& require_field(std::string_view path) {
  if (const FieldInfo* info = find_field(path)) return *info;
  std::vector<std::string> known;
  for (const FieldInfo& info : kFields) known.emplace_back(info.path);
  std::string hint = did_you_mean(path, known);
  const std::string member = fmt::format(".{}", path.substr(path.rfind('.') + 1));
  const auto* same = std::ranges::find_if(kFields, [&](const FieldInfo& info) {
    return info.path.ends_with(member) || info.flag.substr(2) == member.substr(1);
  });
  if (hint.empty() && same != std::end(kFields)) {
    hint = fmt::format("did you mean \"{}\"?", same->path);
  }
  if (hint.empty()) hint = "`trcost help fields` lists all fields";
  constexpr std::size_t kQuotedLength = 80;
  throw Error(ErrorKind::usage,
              fmt::format("unknown scenario field \"{}\"", path.substr(0, kQuotedLength)), hint);
}

std::string environment_variable(const FieldInfo& info) {
  std::string name = "TRCOST_";
  for (const char c : info.path) {
    name += c == '.' ? '_' : upper_case(c);
  }
  return name;
}

std::vector<std::string> field_groups() {
  return words_in(kFieldGroups);
}

std::vector<std::string> field_choices(const FieldInfo& info) {
  if (info.choices.empty()) return {};
  const auto words = split_text(info.choices, "|");
  return {words.begin(), words.end()};
}

bool is_numeric(FieldKind kind) {
  switch (kind) {
    case FieldKind::text:
    case FieldKind::choice:
    case FieldKind::list:
    case FieldKind::size:
    case FieldKind::flag:
      return false;
    default:
      return true;
  }
}

double default_number(Field field) {
  static const std::array<double, kFieldCount> defaults = [] {
    std::array<double, kFieldCount> out{};
    for (const FieldInfo& info : kFields) {
      const bool literal = is_numeric(info.kind) && !info.fallback.empty();
      out[static_cast<std::size_t>(info.field)] =
          literal ? parse_number(info.fallback, number_kind(info.kind))
                  : std::numeric_limits<double>::quiet_NaN();
    }
    return out;
  }();
  return defaults[static_cast<std::size_t>(field)];
}

std::vector<std::string> unused_fields(const Scenario& scenario) {
  std::vector<std::string> out;
  for (const FieldInfo& info : fields()) {
    if (!scenario.has(info.field)) continue;
    const FieldMeaning& meaning = field_meaning(info.field);
    const auto& [only_with, not_with] = std::tie(meaning.only_with, meaning.not_with);
    const auto& [owner, settled] = std::tie(meaning.belongs_to, meaning.settled_by);
    const auto warn = [&](const std::string& why) {
      out.push_back(fmt::format("{} is not used: {}", info.flag, why));
    };
    if (only_with && scenario.text(only_with->field) != only_with->word) {
      warn(fmt::format("it belongs to {} {}", field_info(only_with->field).flag, only_with->word));
    }
    if (not_with && scenario.text(not_with->field) == not_with->word) {
      warn(fmt::format("{} is {}", field_info(not_with->field).flag, not_with->word));
    }
    if (owner && !scenario.has(*owner)) {
      warn(fmt::format("it belongs to {}", field_info(*owner).flag));
    }
    if (settled && scenario.has(*settled)) {
      warn(fmt::format("{} already says what it leads to", field_info(*settled).flag));
    }
  }
  return out;
}

}  // namespace trcost
