// SPDX-License-Identifier: Apache-2.0
#include "recipe/workings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "trcost/numbers.h"

namespace trcost::recipe {

std::string plain_number(std::string_view text) {
  std::string out(trim(text));
  if (out.starts_with('+')) out.erase(0, 1);
  const bool digits = !out.empty() && out.front() >= '0' && out.front() <= '9';
  if (digits) std::erase(out, '_');
  return out;
}

std::optional<double> number_of(std::string_view text) {
  const std::optional<double> value = number_in<double>(plain_number(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool Workings::has(std::string_view name) const {
  return !text(name).empty();
}

bool Workings::is(std::string_view name, std::string_view value) const {
  return text(name) == value;
}

std::string Workings::text(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::string() : at->second;
}

std::optional<double> Workings::number(std::string_view name) const {
  return number_of(text(name));
}

std::optional<double> Workings::number(Field field) const {
  if (const auto value = given_.number(field)) return value;
  return number(field_info(field).path);
}

std::string Workings::text(Field field) const {
  if (given_.has(field)) return std::string(given_.text(field));
  return text(field_info(field).path);
}

double Workings::degree(Field field) const {
  return std::max(1.0, number(field).value_or(1));
}

void Workings::set(std::string_view name, std::string value) {
  values_[std::string(name)] = std::move(value);
  if (const auto at = unknown_.find(name); at != unknown_.end()) unknown_.erase(at);
  if (const auto at = assumed_.find(name); at != assumed_.end()) assumed_.erase(at);
}

void Workings::set(std::string_view name, double value) {
  set(name, format_exact(value));
}

void Workings::assume(std::string_view name, std::string value, std::string why) {
  if (is_unknown(name)) return;
  set(name, std::move(value));
  assumed_[std::string(name)] =
      why.empty() ? fmt::format("{}'s default", table_.name) : std::move(why);
}

void Workings::erase(std::string_view name) {
  if (const auto at = values_.find(name); at != values_.end()) values_.erase(at);
  if (const auto at = assumed_.find(name); at != assumed_.end()) assumed_.erase(at);
}

void Workings::set_unknown(const std::string& name) {
  erase(name);
  unknown_.insert(name);
}

void Workings::ask(Field field, std::string why) {
  if (!has(field_info(field).path) && !given_.has(field)) {
    ask(field_info(field).path, std::move(why));
  }
}

void Workings::ask(std::string_view path, std::string why) {
  if (std::ranges::find(gaps_, path, &RecipeGap::path) != gaps_.end()) return;
  gaps_.push_back({std::string(path), std::move(why)});
}

void Workings::report(std::string_view name, std::string why) {
  reports_.emplace_back(name, std::move(why));
}

const std::string* Workings::assumed(std::string_view name) const {
  const auto at = assumed_.find(name);
  return at == assumed_.end() ? nullptr : &at->second;
}

}  // namespace trcost::recipe
