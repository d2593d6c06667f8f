// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantity/layers.h"

namespace trcost::json {

/// Appends text as a JSON string with its quotes. Escapes unprintable characters. Bytes that are
/// not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
/// Text as a JSON string with its quotes.
std::string json_string(std::string_view text);

/// Writes JSON straight into a string, indented by two spaces, keys in the order of the calls.
/// A non-finite number is an Error; a value that is absent becomes null.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}
  /// Goes on within brackets that another writer opened: for each, whether something stands in it.
  JsonWriter(std::string& out, std::vector<bool> filled) : out_(out), filled_(std::move(filled)) {}

  /// Inside an array, or the document itself.
  void begin_object() { begin('{'); }
  void begin_array(std::string_view key) {
    write_key(key);
    open('[');
  }
  void begin_object(std::string_view key) {
    write_key(key);
    open('{');
  }
  void end_object() { end('}'); }
  void end_array() { end(']'); }

  void member(std::string_view key, std::string_view text);
  void member(std::string_view key, const char* text) { member(key, std::string_view(text)); }
  void member(std::string_view key, double value);
  void member(std::string_view key, std::optional<double> value);
  void boolean(std::string_view key, bool value);
  void null(std::string_view key);
  /// An element of an array.
  void element(std::string_view text);
  /// The place to append an element that is JSON already, on one line.
  std::string& raw_element() {
    separate();
    return out_;
  }
  /// Writes text that is JSON already, its further lines indented.
  void raw(std::string_view key, std::string_view json);

 private:
  void separate();
  void write_key(std::string_view key);
  void begin(char bracket);
  void open(char bracket);
  void end(char bracket);
  void new_line();

  std::string& out_;
  std::vector<bool> filled_;  ///< per open bracket: whether something stands in it
};

}  // namespace trcost::json
