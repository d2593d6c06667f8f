// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "catalog/software/choices.h"
#include "quantity/layers.h"
#include "quantity/suggest.h"
#include "scenario/choices.h"
#include "scenario/field_groups.h"
#include "trcost/error.h"
#include "trcost/scenario.h"

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
#define TRCOST_FIELD(id, path, flag_name, kind, unit, lowest, highest, choices, fallback, rule,    \
                     help, ...)                                                                    \
  FieldInfo{                                                                                       \
      Field::id, group_of(path), path, flag_name, FieldKind::kind,          unit, lowest, highest, \
      choices,   fallback,       rule, help,      FieldMeaning{__VA_ARGS__}},
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
  for (const FieldInfo& info : kFields) count += info.meaning.excludes.count;
  return count;
}();

constexpr auto kExclusive = [] {
  std::array<std::pair<Field, Field>, kPairs> pairs{};
  std::size_t i = 0;
  for (const FieldInfo& info : kFields) {
    for (const Field other : info.meaning.excludes) pairs[i++] = {other, info.field};
  }
  return pairs;
}();

}  // namespace

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

std::vector<Field> fields_that_move(Moves part) {
  std::vector<Field> out;
  for (const FieldInfo& info : kFields) {
    if (info.moves(part)) out.push_back(info.field);
  }
  return out;
}

const FieldInfo* find_field(std::string_view path) {
  const auto at =
      std::ranges::lower_bound(kByPath, path, {}, [](std::uint8_t i) { return kFields[i].path; });
  if (at == kByPath.end() || kFields[*at].path != path) return nullptr;
  return &kFields[*at];
}

const FieldInfo& require_field(std::string_view path) {
  if (const FieldInfo* info = find_field(path)) return *info;
  std::vector<std::string> known;
  for (const FieldInfo& info : kFields) known.emplace_back(info.path);
  std::string hint = did_you_mean(path, known);
  if (hint.empty()) hint = "`trcost help fields` lists all fields";
  constexpr std::size_t kQuotedLength = 80;
  throw Error(ErrorKind::usage,
              fmt::format("unknown scenario field \"{}\"", path.substr(0, kQuotedLength)), hint);
}

std::string environment_variable(const FieldInfo& info) {
  std::string name = "TRCOST_";
  for (char c : info.path) {
    if (c == '.') c = '_';
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    name += c;
  }
  return name;
}

std::vector<std::string> field_groups() {
  return words_in(kFieldGroups);
}

std::vector<std::string> field_choices(const FieldInfo& info) {
  std::vector<std::string> out;
  std::string_view rest = info.choices;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    out.emplace_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return out;
}

bool is_numeric(FieldKind kind) {
  switch (kind) {
    case FieldKind::count:
    case FieldKind::integer:
    case FieldKind::bytes:
    case FieldKind::duration:
    case FieldKind::money:
    case FieldKind::fraction:
    case FieldKind::number:
      return true;
    case FieldKind::text:
    case FieldKind::choice:
    case FieldKind::list:
    case FieldKind::size:
    case FieldKind::flag:
      break;
  }
  return false;
}

}  // namespace trcost
