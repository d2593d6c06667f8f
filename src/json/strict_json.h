// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/flat_json.h"
#include "quantity/choice.h"
#include "quantity/layers.h"

namespace trcost::json {

class ObjectReader;

/// One value of a parsed document with its place, for messages. Cheap to copy. Keeps the document
/// alive. Every accessor throws Error (data) that names file, JSON pointer, the value and what is
/// allowed.
class JsonValue {
 public:
  [[nodiscard]] bool is_null() const { return node().kind == FlatNode::Kind::null; }
  [[nodiscard]] bool is_number() const { return node().kind == FlatNode::Kind::number; }
  [[nodiscard]] bool is_text() const { return node().kind == FlatNode::Kind::text; }
  [[nodiscard]] bool is_boolean() const { return node().kind == FlatNode::Kind::boolean; }
  [[nodiscard]] bool is_array() const { return node().kind == FlatNode::Kind::array; }
  [[nodiscard]] bool is_object() const { return node().kind == FlatNode::Kind::object; }

  /// A finite number within [lowest, highest].
  [[nodiscard]] double number(double lowest, double highest) const;
  /// As number, and whole.
  [[nodiscard]] double whole(double lowest, double highest) const;
  /// A text of one line. Refuses unprintable characters (is_unprintable() in text/unicode.h),
  /// because texts are shown on terminals.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::vector<JsonValue> array() const;
  [[nodiscard]] ObjectReader object() const;
  /// Position of the text within `words`. Throws Error (data) with the nearest word for an unknown
  /// one.
  [[nodiscard]] std::size_t choice(const std::vector<std::string>& words) const;
  /// The value of the text in a table of words.
  template <class T, std::size_t kCount>
  [[nodiscard]] T choice(const Choice<T> (&table)[kCount]) const {
    if (const std::optional<T> value = find_value(table, checked_text())) return *value;
    return table[choice(words_in(table))].value;  // fails, with the nearest word
  }

  /// The file's name, as given to the parser.
  [[nodiscard]] const std::string& origin() const { return document_->origin; }
  /// Place of this value: `h100.json#/peak/bf16`.
  [[nodiscard]] std::string location() const;
  /// Throws an Error about this value.
  [[noreturn]] void fail(std::string message, std::string hint = {}) const;

 private:
  friend JsonValue parse_strict_json(std::string_view text, std::string_view origin);
  friend JsonValue read_in_place(FlatJson json, std::string_view origin);
  friend class ObjectReader;
  struct Document {
    Document(FlatJson json_, std::string_view origin_) : json(json_), origin(origin_) {}
    Document(FlatDocument own_, std::string_view origin_)
        : own(std::move(own_)), json(own.view()), origin(origin_) {}

    FlatDocument own;  // empty where the document lives elsewhere
    FlatJson json;
    std::string origin;
  };
  JsonValue(std::shared_ptr<const Document> document, FlatJson::Index at)
      : document_(std::move(document)), at_(at) {}
  [[nodiscard]] const FlatJson& json() const { return document_->json; }
  [[nodiscard]] const FlatNode& node() const { return json().node(at_); }
  [[nodiscard]] std::string_view checked_text() const;
  [[noreturn]] void fail_type(std::string_view expected) const;

  std::shared_ptr<const Document> document_;
  FlatJson::Index at_;
};

/// Parses all of `text`. Refuses duplicate keys, trailing text, truncated input (with line and
/// column), numbers outside the range of a double, nesting deeper than kDeepestJson and input
/// larger than kLargestFile with an Error (kind data). `origin` names the file in messages.
JsonValue parse_strict_json(std::string_view text, std::string_view origin);

/// The root of a document that lives as long as the program.
JsonValue read_in_place(FlatJson json, std::string_view origin);

/// Reads an object key by key. finish() refuses every key that was not read. A `null` value counts
/// as absent for the optional accessors.
class ObjectReader {
 public:
  explicit ObjectReader(JsonValue value);

  /// True if the key is there and not null. Does not count as reading it.
  [[nodiscard]] bool has(std::string_view key) const;
  /// True if the key is there with a null.
  [[nodiscard]] bool holds_null(std::string_view key) const;

  double required_number(std::string_view key, double lowest, double highest);
  std::optional<double> optional_number(std::string_view key, double lowest, double highest);
  double number_or(std::string_view key, double fallback, double lowest, double highest);
  double required_whole(std::string_view key, double lowest, double highest);
  double whole_or(std::string_view key, double fallback, double lowest, double highest);

  std::string required_text(std::string_view key);
  std::string text_or(std::string_view key, std::string_view fallback);
  bool boolean_or(std::string_view key, bool fallback);
  /// Position within `words`.
  std::size_t required_choice(std::string_view key, const std::vector<std::string>& words);
  template <class T, std::size_t kCount>
  T required_choice(std::string_view key, const Choice<T> (&table)[kCount]) {
    return required_value(key).choice(table);
  }
  template <class T, std::size_t kCount>
  T choice_or(std::string_view key, T fallback, const Choice<T> (&table)[kCount]) {
    const std::optional<JsonValue> found = optional_value(key);
    return found ? found->choice(table) : fallback;
  }

  JsonValue required_value(std::string_view key);
  std::optional<JsonValue> optional_value(std::string_view key);
  ObjectReader required_object(std::string_view key);
  std::optional<ObjectReader> optional_object(std::string_view key);
  /// Empty when absent.
  std::vector<JsonValue> array_or_empty(std::string_view key);
  std::vector<std::string> texts_or_empty(std::string_view key);

  /// The keys that are there, sorted: all, for objects whose keys are names, or those that were
  /// read, or that were not.
  [[nodiscard]] std::vector<std::string> keys(std::optional<bool> asked = {}) const;
  /// Accepts a key without reading it.
  void accept(std::string_view key);
  /// Throws that the key is missing, naming a key that may have been meant.
  [[noreturn]] void fail_missing(std::string_view key) const;
  /// Throws Error (data) for the first key that was not read, with the nearest known key and all
  /// known ones.
  void finish() const;

  /// A fallback that an accessor returned for a missing key.
  struct Fallback {
    std::string key;  ///< from the document's root: `text_config.hidden_size`
    std::string value;
  };
  /// Adds further fallbacks of number_or, whole_or, boolean_or and text_or to `log`, also those of
  /// objects read from this one.
  void log_fallbacks(std::vector<Fallback>* log, std::string prefix = {});
  /// Adds the path of every further key that is read to `paths`, also those of objects read from
  /// this one.
  void log_reads(std::vector<std::string>* paths, std::string prefix = {});
  /// The object `key`, or an empty one in its place whose fallbacks are logged alike.
  ObjectReader object_or_empty(std::string_view key);

  [[nodiscard]] const JsonValue& value() const { return value_; }

 private:
  // The node of a member, or kNone; `position` is its place among the members.
  [[nodiscard]] FlatJson::Index find(std::string_view key, std::size_t& position) const;
  [[nodiscard]] bool was_asked(std::string_view key, std::size_t position) const;
  [[noreturn]] void fail_unknown() const;
  void log_default(std::string_view key, std::string value);
  // `object` stands under `key` and logs as this one does.
  [[nodiscard]] ObjectReader logging(ObjectReader object, std::string_view key) const;

  JsonValue value_;
  // The member read last, and its place. Members are mostly read in their order.
  FlatJson::Index read_at_ = FlatJson::kNone;
  std::size_t read_ = 0;
  std::uint64_t asked_members_ = 0;       // bit i: the i-th member was read
  std::vector<std::string> asked_names_;  // names read without a bit: absent, or beyond the 64th
  std::vector<Fallback>* log_ = nullptr;
  std::vector<std::string>* reads_ = nullptr;
  std::string prefix_;
};

}  // namespace trcost::json
