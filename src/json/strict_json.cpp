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

std::string_view type_in_words(FlatNode::Kind kind) {
  switch (kind) {
    case FlatNode::Kind::null:
      return "null";
    case FlatNode::Kind::object:
      return "an object";
    case FlatNode::Kind::array:
      return "an array";
    case FlatNode::Kind::text:
      return "a text";
    case FlatNode::Kind::boolean:
      return "true or false";
    case FlatNode::Kind::number:
      break;
  }
  return "a number";
}

}  // namespace

JsonValue parse_strict_json(std::string_view text, std::string_view origin) {
  return {std::make_shared<JsonValue::Document>(parse_flat_json(text, origin), origin), 0};
}

JsonValue read_in_place(FlatJson json, std::string_view origin) {
  return {std::make_shared<JsonValue::Document>(json, origin), 0};
}

std::string JsonValue::location() const {
  return at_ == 0
             ? document_->origin
             : document_->origin + "#" + printable(json().pointer(at_).substr(0, kQuotedNames));
}

void JsonValue::fail(std::string message, std::string hint) const {
  throw Error(ErrorKind::data, printable(message, "\n"), printable(hint, "\n"), location());
}

void JsonValue::fail_type(std::string_view expected) const {
  fail(fmt::format("{} is expected, not {}", expected, type_in_words(node().kind)));
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

}  // namespace trcost::json
