// SPDX-License-Identifier: Apache-2.0
#include "json/json_writer.h"

#include "json/json_string.h"
#include "text/cells.h"

namespace trcost::json {

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(filled_.size() * 2, ' ');
}

void JsonWriter::separate() {
  if (filled_.empty()) return;
  if (filled_.back()) out_ += ',';
  filled_.back() = true;
  new_line();
}

void JsonWriter::write_key(std::string_view key) {
  separate();
  append_json_string(out_, key);
  out_ += ": ";
}

void JsonWriter::begin(char bracket) {
  separate();
  open(bracket);
}

void JsonWriter::open(char bracket) {
  out_ += bracket;
  filled_.push_back(false);
}

void JsonWriter::end(char bracket) {
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled) new_line();
  out_ += bracket;
}

void JsonWriter::member(std::string_view key, std::string_view text) {
  write_key(key);
  append_json_string(out_, text);
}

void JsonWriter::member(std::string_view key, double value) {
  write_key(key);
  append_json_number(out_, value, key);
}

void JsonWriter::member(std::string_view key, std::optional<double> value) {
  if (value) {
    member(key, *value);
  } else {
    null(key);
  }
}

void JsonWriter::boolean(std::string_view key, bool value) {
  write_key(key);
  out_ += value ? "true" : "false";
}

void JsonWriter::null(std::string_view key) {
  write_key(key);
  out_ += "null";
}

void JsonWriter::element(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonWriter::raw(std::string_view key, std::string_view json) {
  write_key(key);
  while (!json.empty() && (json.back() == '\n' || json.back() == ' ')) json.remove_suffix(1);
  for (const char c : json) {
    if (c == '\n') {
      new_line();
    } else {
      out_ += c;
    }
  }
}

}  // namespace trcost::json
