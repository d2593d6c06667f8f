// SPDX-License-Identifier: Apache-2.0
#include "catalog/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalog/json_document.h"
#include "trcost/error.h"
#include "trcost/suggest.h"

namespace trcost {
namespace {

using nlohmann::json;

// RFC 6901: ~ and / are escaped within a token.
std::string pointer_token(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string join(const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return fmt::format("{}", fmt::join(sorted, ", "));
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Quoted parts of a file may hold bytes that a terminal acts on.
std::string without_controls(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

std::string_view type_in_words(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "an array";
    case json::value_t::string:
      return "a text";
    case json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

}  // namespace

JsonValue::JsonValue(std::shared_ptr<const Document> document, const json* value,
                     std::string pointer)
    : document_(std::move(document)), json_(value), pointer_(std::move(pointer)) {}

bool JsonValue::is_null() const {
  return json_->is_null();
}
bool JsonValue::is_number() const {
  return json_->is_number();
}
bool JsonValue::is_text() const {
  return json_->is_string();
}
bool JsonValue::is_boolean() const {
  return json_->is_boolean();
}
bool JsonValue::is_array() const {
  return json_->is_array();
}
bool JsonValue::is_object() const {
  return json_->is_object();
}

std::string JsonValue::location() const {
  return pointer_.empty() ? document_->origin : document_->origin + "#" + printable(pointer_);
}

void JsonValue::fail(std::string message, std::string hint) const {
  throw Error(ErrorKind::data, without_controls(std::move(message)),
              without_controls(std::move(hint)), location());
}

void JsonValue::fail_type(std::string_view expected) const {
  fail(fmt::format("{} is expected, not {}", expected, type_in_words(*json_)));
}

JsonValue JsonValue::child(const json& value, std::string_view token) const {
  return JsonValue(document_, &value, pointer_ + "/" + pointer_token(token));
}

double JsonValue::number(double lowest, double highest) const {
  if (!is_number()) fail_type("a number");
  const double value = json_->get<double>();
  if (!std::isfinite(value)) fail("the number is not finite");
  if (value < lowest || value > highest) {
    fail(fmt::format("{} is outside the allowed range", value),
         fmt::format("allowed is {} to {}", lowest, highest));
  }
  return value;
}

double JsonValue::whole(double lowest, double highest) const {
  const double value = number(lowest, highest);
  if (value != std::floor(value)) fail(fmt::format("{} has to be a whole number", value));
  return value;
}

std::string JsonValue::text() const {
  if (!is_text()) fail_type("a text");
  std::string text = json_->get<std::string>();
  if (std::any_of(text.begin(), text.end(), is_control)) {
    fail("the text holds control characters", "write it on one line, in plain characters");
  }
  return text;
}

bool JsonValue::boolean() const {
  if (!is_boolean()) fail_type("true or false");
  return json_->get<bool>();
}

std::vector<JsonValue> JsonValue::array() const {
  if (!is_array()) fail_type("an array");
  std::vector<JsonValue> values;
  values.reserve(json_->size());
  for (std::size_t i = 0; i < json_->size(); ++i) {
    values.push_back(child((*json_)[i], std::to_string(i)));
  }
  return values;
}

ObjectReader JsonValue::object() const {
  return ObjectReader(*this);
}

std::size_t JsonValue::choice(const std::vector<std::string>& words) const {
  const std::string word = text();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    fail(fmt::format("\"{}\" is not one of: {}", printable(word), fmt::join(words, ", ")),
         did_you_mean(word, words));
  }
  return static_cast<std::size_t>(found - words.begin());
}

ObjectReader::ObjectReader(JsonValue value) : value_(std::move(value)) {
  if (!value_.is_object()) value_.fail_type("an object");
}

bool ObjectReader::has(std::string_view key) const {
  const auto found = value_.json_->find(key);
  return found != value_.json_->end() && !found->is_null();
}

std::optional<JsonValue> ObjectReader::optional_value(std::string_view key) {
  accept(key);
  const auto found = value_.json_->find(key);
  if (found == value_.json_->end() || found->is_null()) return std::nullopt;
  return value_.child(*found, key);
}

JsonValue ObjectReader::required_value(std::string_view key) {
  std::optional<JsonValue> found = optional_value(key);
  if (!found) fail_missing(key);
  return *std::move(found);
}

void ObjectReader::fail_missing(std::string_view key) const {
  std::vector<std::string> unread;
  for (const std::string& name : keys()) {
    if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) unread.push_back(name);
  }
  const std::string mistyped = nearest_name(key, unread);
  value_.fail(fmt::format("the key \"{}\" is missing", key),
              mistyped.empty() ? std::string()
                               : fmt::format("\"{}\" is there: is it meant?", printable(mistyped)));
}

double ObjectReader::required_number(std::string_view key, double lowest, double highest) {
  return required_value(key).number(lowest, highest);
}

std::optional<double> ObjectReader::optional_number(std::string_view key, double lowest,
                                                    double highest) {
  const std::optional<JsonValue> found = optional_value(key);
  if (!found) return std::nullopt;
  return found->number(lowest, highest);
}

double ObjectReader::number_or(std::string_view key, double fallback, double lowest,
                               double highest) {
  return optional_number(key, lowest, highest).value_or(fallback);
}

double ObjectReader::required_whole(std::string_view key, double lowest, double highest) {
  return required_value(key).whole(lowest, highest);
}

double ObjectReader::whole_or(std::string_view key, double fallback, double lowest,
                              double highest) {
  const std::optional<JsonValue> found = optional_value(key);
  return found ? found->whole(lowest, highest) : fallback;
}

std::string ObjectReader::required_text(std::string_view key) {
  const JsonValue found = required_value(key);
  std::string text = found.text();
  if (text.empty()) found.fail("the text is empty");
  return text;
}

std::string ObjectReader::text_or(std::string_view key, std::string_view fallback) {
  const std::optional<JsonValue> found = optional_value(key);
  return found ? found->text() : std::string(fallback);
}

bool ObjectReader::boolean_or(std::string_view key, bool fallback) {
  const std::optional<JsonValue> found = optional_value(key);
  return found ? found->boolean() : fallback;
}

std::size_t ObjectReader::required_choice(std::string_view key,
                                          const std::vector<std::string>& words) {
  return required_value(key).choice(words);
}

std::size_t ObjectReader::choice_or(std::string_view key, std::size_t fallback,
                                    const std::vector<std::string>& words) {
  const std::optional<JsonValue> found = optional_value(key);
  return found ? found->choice(words) : fallback;
}

ObjectReader ObjectReader::required_object(std::string_view key) {
  return ObjectReader(required_value(key));
}

std::optional<ObjectReader> ObjectReader::optional_object(std::string_view key) {
  std::optional<JsonValue> found = optional_value(key);
  if (!found) return std::nullopt;
  return ObjectReader(*std::move(found));
}

std::vector<JsonValue> ObjectReader::array_or_empty(std::string_view key) {
  const std::optional<JsonValue> found = optional_value(key);
  return found ? found->array() : std::vector<JsonValue>();
}

std::vector<std::string> ObjectReader::texts_or_empty(std::string_view key) {
  std::vector<std::string> texts;
  for (const JsonValue& value : array_or_empty(key)) texts.push_back(value.text());
  return texts;
}

std::vector<std::string> ObjectReader::keys() const {
  std::vector<std::string> names;
  for (const auto& [name, unused] : value_.json_->items()) names.push_back(name);
  return names;
}

void ObjectReader::accept(std::string_view key) {
  asked_.emplace_back(key);
}

void ObjectReader::finish() const {
  for (const std::string& name : keys()) {
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
    const std::string guess = did_you_mean(name, asked_);
    value_.child((*value_.json_)[name], name)
        .fail(fmt::format("unknown key \"{}\"; allowed here: {}", printable(name), join(asked_)),
              guess.empty() ? "remove it, or look at the schema in data/README.md" : guess);
  }
}

}  // namespace trcost
