// SPDX-License-Identifier: Apache-2.0
#include "json/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantity/suggest.h"
#include "text/unicode.h"
#include "trcost/error.h"

namespace trcost::json {
namespace {

constexpr std::size_t kQuotedNames = 160;  // bytes of a file's text in a message

constexpr std::size_t kBits = 64;          // of asked_members_
constexpr std::size_t kUsuallyAbsent = 8;  // optional keys that an object does not have

}  // namespace

JsonValue parse_strict_json(std::string_view text, std::string_view origin) {
  return {std::make_shared<JsonValue::Document>(parse_flat_json(text, origin), origin), 0};
}

JsonValue read_in_place(FlatJson json, std::string_view origin) {
  return {std::make_shared<JsonValue::Document>(json, origin), 0};
}

std::string JsonValue::location() const {
  if (at_ == 0) return document_->origin;
  return document_->origin + "#" + printable(json().pointer(at_).substr(0, kQuotedNames));
}

void JsonValue::fail(std::string message, std::string hint) const {
  throw Error(ErrorKind::data, printable(message, "\n"), printable(hint, "\n"), location());
}

void JsonValue::fail_type(std::string_view expected) const {
  constexpr std::string_view kKinds[] = {"null",   "true or false", "a number",
                                         "a text", "an array",      "an object"};
  fail(fmt::format("{} is expected, not {}", expected,
                   kKinds[static_cast<std::size_t>(node().kind)]));
}

double JsonValue::number(double lowest, double highest) const {
  if (!is_number()) fail_type("a number");
  const double value = json().number(at_);
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

std::string_view JsonValue::checked_text() const {
  if (!is_text()) fail_type("a text");
  if (node().controls != 0) {
    fail("the text holds characters that are not for show: control characters, marks of direction",
         "write it on one line, in plain characters");
  }
  return json().text(at_);
}

std::string JsonValue::text() const {
  return std::string(checked_text());
}

bool JsonValue::boolean() const {
  if (!is_boolean()) fail_type("true or false");
  return node().value != 0;
}

std::vector<JsonValue> JsonValue::array() const {
  if (!is_array()) fail_type("an array");
  std::vector<JsonValue> values;
  values.reserve(node().size);
  const FlatJson::Index end = json().next(at_);
  for (FlatJson::Index at = at_ + 1; at < end; at = json().next(at)) {
    values.push_back(JsonValue(document_, at));
  }
  return values;
}

ObjectReader JsonValue::object() const {
  return ObjectReader(*this);
}

std::size_t JsonValue::choice(const std::vector<std::string>& words) const {
  const std::string_view word = checked_text();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    fail(fmt::format("\"{}\" is not one of: {}", printable(word.substr(0, kQuotedNames)),
                     fmt::join(words, ", ")),
         did_you_mean(word, words));
  }
  return static_cast<std::size_t>(found - words.begin());
}

ObjectReader::ObjectReader(JsonValue value) : value_(std::move(value)) {
  if (!value_.is_object()) value_.fail_type("an object");
}

FlatJson::Index ObjectReader::find(std::string_view key, std::size_t& position) const {
  const FlatJson& json = value_.json();
  const FlatJson::Index end = json.next(value_.at_);
  const auto find_between = [&](FlatJson::Index at, FlatJson::Index stop) {
    for (; at < stop; at = json.next(at), ++position) {
      if (json.key(at) == key) return at;
    }
    return FlatJson::kNone;
  };
  const bool fresh = read_at_ == FlatJson::kNone;
  const FlatJson::Index next = fresh ? value_.at_ + 1 : json.next(read_at_);
  position = fresh ? 0 : read_ + 1;
  const FlatJson::Index behind = find_between(next, end);
  if (behind != FlatJson::kNone) return behind;
  position = 0;
  return find_between(value_.at_ + 1, next);
}

bool ObjectReader::has(std::string_view key) const {
  std::size_t position = 0;
  const FlatJson::Index at = find(key, position);
  return at != FlatJson::kNone && value_.json().node(at).kind != FlatNode::Kind::null;
}

bool ObjectReader::holds_null(std::string_view key) const {
  std::size_t position = 0;
  const FlatJson::Index at = find(key, position);
  return at != FlatJson::kNone && value_.json().node(at).kind == FlatNode::Kind::null;
}

std::optional<JsonValue> ObjectReader::optional_value(std::string_view key) {
  std::size_t position = 0;
  const FlatJson::Index at = find(key, position);
  const bool there = at != FlatJson::kNone;
  if (reads_ != nullptr) reads_->push_back(prefix_ + std::string(key));
  if (there) {
    read_ = position;
    read_at_ = at;
  }
  if (there && position < kBits) {
    asked_members_ |= std::uint64_t{1} << position;
  } else {
    if (asked_names_.empty()) asked_names_.reserve(kUsuallyAbsent);
    asked_names_.emplace_back(key);
  }
  if (!there || value_.json().node(at).kind == FlatNode::Kind::null) return std::nullopt;
  return JsonValue(value_.document_, at);
}

JsonValue ObjectReader::required_value(std::string_view key) {
  std::optional<JsonValue> found = optional_value(key);
  if (!found) fail_missing(key);
  return *std::move(found);
}

void ObjectReader::fail_missing(std::string_view key) const {
  const std::string mistyped = nearest_name(key, keys(false));
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
  const std::optional<double> found = optional_number(key, lowest, highest);
  if (!found && log_ != nullptr) log_default(key, fmt::format("{}", fallback));
  return found.value_or(fallback);
}

double ObjectReader::required_whole(std::string_view key, double lowest, double highest) {
  return required_value(key).whole(lowest, highest);
}

double ObjectReader::whole_or(std::string_view key, double fallback, double lowest,
                              double highest) {
  const std::optional<JsonValue> found = optional_value(key);
  if (!found && log_ != nullptr) log_default(key, fmt::format("{}", fallback));
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
  if (!found && log_ != nullptr) log_default(key, std::string(fallback));
  return found ? found->text() : std::string(fallback);
}

bool ObjectReader::boolean_or(std::string_view key, bool fallback) {
  const std::optional<JsonValue> found = optional_value(key);
  if (!found && log_ != nullptr) log_default(key, fallback ? "true" : "false");
  return found ? found->boolean() : fallback;
}

std::size_t ObjectReader::required_choice(std::string_view key,
                                          const std::vector<std::string>& words) {
  return required_value(key).choice(words);
}

ObjectReader ObjectReader::required_object(std::string_view key) {
  return logging(ObjectReader(required_value(key)), key);
}

std::optional<ObjectReader> ObjectReader::optional_object(std::string_view key) {
  std::optional<JsonValue> found = optional_value(key);
  if (!found) return std::nullopt;
  return logging(ObjectReader(*std::move(found)), key);
}

ObjectReader ObjectReader::object_or_empty(std::string_view key) {
  if (std::optional<ObjectReader> object = optional_object(key)) return *std::move(object);
  return logging(parse_strict_json("{}", key).object(), key);
}

ObjectReader ObjectReader::logging(ObjectReader object, std::string_view key) const {
  const std::string prefix = fmt::format("{}{}.", prefix_, key);
  if (log_ != nullptr) object.log_fallbacks(log_, prefix);
  if (reads_ != nullptr) object.log_reads(reads_, prefix);
  return object;
}

void ObjectReader::log_fallbacks(std::vector<Fallback>* log, std::string prefix) {
  log_ = log;
  prefix_ = std::move(prefix);
}

void ObjectReader::log_reads(std::vector<std::string>* paths, std::string prefix) {
  reads_ = paths;
  prefix_ = std::move(prefix);
}

void ObjectReader::log_default(std::string_view key, std::string value) {
  std::string path = prefix_ + std::string(key);
  if (std::ranges::find(*log_, path, &Fallback::key) == log_->end()) {
    log_->push_back({std::move(path), std::move(value)});
  }
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

std::vector<std::string> ObjectReader::keys(std::optional<bool> asked) const {
  std::vector<std::string> names;
  std::size_t position = 0;
  const FlatJson& json = value_.json();
  const FlatJson::Index end = json.next(value_.at_);
  for (FlatJson::Index at = value_.at_ + 1; at < end; at = json.next(at), ++position) {
    const bool wanted = !asked || was_asked(json.key(at), position) == *asked;
    if (wanted) names.emplace_back(json.key(at));
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool ObjectReader::was_asked(std::string_view key, std::size_t position) const {
  if (position < kBits) return (asked_members_ >> position & 1) != 0;
  return std::find(asked_names_.begin(), asked_names_.end(), key) != asked_names_.end();
}

void ObjectReader::accept(std::string_view key) {
  (void)optional_value(key);
}

void ObjectReader::finish() const {
  const FlatJson& json = value_.json();
  const FlatJson::Index end = json.next(value_.at_);
  std::size_t position = 0;
  for (FlatJson::Index at = value_.at_ + 1; at < end; at = json.next(at), ++position) {
    if (!was_asked(json.key(at), position)) fail_unknown();
  }
}

void ObjectReader::fail_unknown() const {
  const std::string name = keys(false).front();
  std::vector<std::string> allowed = keys(true);
  allowed.insert(allowed.end(), asked_names_.begin(), asked_names_.end());
  std::sort(allowed.begin(), allowed.end());
  allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
  const std::string guess = did_you_mean(name, allowed);
  std::size_t position = 0;
  JsonValue(value_.document_, find(name, position))
      .fail(fmt::format("unknown key \"{}\"; allowed here: {}", printable(name),
                        fmt::join(allowed, ", ")),
            guess.empty() ? "remove it, or look at the schema in data/README.md" : guess);
}

}  // namespace trcost::json
