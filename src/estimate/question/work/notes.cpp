// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/work/notes.h"

#include <algorithm>
#include <iterator>

#include "scenario/fields.h"

namespace trcost::estimation {
namespace {

// A value as the command line takes it: exact, since defaults can be given back as flags.
std::string flag_value(Field field, double value) {
  const FieldInfo& info = field_info(field);
  if (info.kind == FieldKind::flag) return value == 1 ? "on" : "off";
  return format_exact(value);
}

}  // namespace

void Notes::fallback(Field field, double value) {
  if (!wanted_) return;
  const FieldInfo& info = field_info(field);
  add(field, value, std::string(info.rule), "trcost default");
}

void Notes::fallback(Field field, std::string_view value) {
  if (!wanted_) return;
  add(field, value, std::string(field_info(field).rule), "trcost default");
}

void Notes::add(Field field, double value, std::string why, std::string source) {
  if (!wanted_) return;
  add(field, std::string_view(flag_value(field, value)), std::move(why), std::move(source));
}

void Notes::add(Field field, std::string_view value, std::string why, std::string source) {
  if (!wanted_) return;
  const FieldInfo& info = field_info(field);
  add({std::string(info.path), std::string(value), std::string(info.unit), std::move(why),
       std::move(source)});
}

void Notes::add(Assumption assumption) {
  if (wanted_) assumptions.push_back(std::move(assumption));
}

void Notes::warn(std::string text) {
  if (wanted_) warnings.push_back(std::move(text));
}

void Notes::append(Notes&& other) {
  std::ranges::move(other.assumptions, std::back_inserter(assumptions));
  std::ranges::move(other.warnings, std::back_inserter(warnings));
}

}  // namespace trcost::estimation
