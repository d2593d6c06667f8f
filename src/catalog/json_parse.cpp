// SPDX-License-Identifier: Apache-2.0
// Text to document: everything that nlohmann_json would let pass or report without a place.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "catalog/json_document.h"
#include "catalog/strict_json.h"
#include "trcost/error.h"

namespace trcost {
namespace {

using nlohmann::json;

constexpr std::string_view kSizeHint =
    "trcost reads models, scenarios and catalog entries; is this the right file?";

// Builds the document and refuses what JSON leaves open: repeated keys and unlimited depth.
class StrictBuilder : public nlohmann::json_sax<json> {
 public:
  StrictBuilder(json& root, std::string_view text, std::string_view origin)
      : root_(root), text_(text), origin_(origin) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    if (open_.back()->contains(name)) {
      throw Error(ErrorKind::data,
                  fmt::format("the key \"{}\" stands twice in the same object", printable(name)),
                  "remove one of the two; which one counts would be a guess", std::string(origin_));
    }
    key_ = name;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const json::exception& error) override {
    std::string why = error.what();
    if (error.id == 406) {
      why = "a number is outside the range of a double (about 1.8e308)";
    } else if (const std::size_t detail = why.find("syntax error"); detail != std::string::npos) {
      why = why.substr(detail);
    }
    if (why.find("unexpected end of input") != std::string::npos) {
      why = "the file ends in the middle of a value";
    }
    throw Error(
        ErrorKind::data,
        fmt::format("not valid JSON at {}: {}", line_and_column(text_, position), printable(why)),
        "check the file with a JSON editor; comments and trailing commas are not allowed",
        std::string(origin_));
  }

 private:
  template <class Value>
  bool add(Value&& value) {
    place(json(std::forward<Value>(value)));
    return true;
  }

  json* place(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    json& slot = parent[key_];
    slot = std::move(value);
    return &slot;
  }

  bool open(json container) {
    if (open_.size() >= kDeepestJson) {
      throw Error(ErrorKind::data, fmt::format("nested deeper than {} levels", kDeepestJson),
                  std::string(kSizeHint), std::string(origin_));
    }
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  static std::string line_and_column(std::string_view text, std::size_t position) {
    const std::string_view before = text.substr(0, std::min(position, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t start = before.rfind('\n');
    const std::size_t column =
        start == std::string_view::npos ? before.size() : before.size() - start - 1;
    return fmt::format("line {}, column {}", line, column);
  }

  json& root_;
  std::string_view text_;
  std::string_view origin_;
  std::string key_;
  std::vector<json*> open_;
};

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 160;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    out += (c >= 0x20 && c < 0x7f) ? c : '?';
  }
  return text.size() > kLongest ? out + "..." : out;
}

JsonValue parse_strict_json(std::string_view text, std::string_view origin) {
  if (text.size() > kLargestJsonFile) {
    throw Error(ErrorKind::data,
                fmt::format("{} bytes are more than the {} MiB that a file may have", text.size(),
                            kLargestJsonFile >> 20),
                std::string(kSizeHint), std::string(origin));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Error(ErrorKind::data, "the file is empty", "it has to hold one JSON object",
                std::string(origin));
  }
  auto document = std::make_shared<JsonValue::Document>();
  document->origin = origin;
  StrictBuilder builder(document->root, text, origin);
  json::sax_parse(text.begin(), text.end(), &builder);
  const json* root = &document->root;
  return JsonValue(std::move(document), root, "");
}

std::string read_text_file(const std::string& path) {
  const auto refuse = [&](std::string message, std::string hint) {
    throw Error(ErrorKind::data, std::move(message), std::move(hint), path);
  };
  std::error_code status;
  const auto kind = std::filesystem::status(path, status).type();
  if (kind == std::filesystem::file_type::not_found) {
    refuse("there is no such file", "check the path; catalog names are written without .json");
  }
  if (kind == std::filesystem::file_type::directory) {
    refuse("this is a directory, not a file", "name one .json file within it");
  }
  const bool regular = kind == std::filesystem::file_type::regular;
  if (regular && std::filesystem::file_size(path, status) > kLargestJsonFile && !status) {
    refuse(fmt::format("larger than the {} MiB that a file may have", kLargestJsonFile >> 20),
           std::string(kSizeHint));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse("the file cannot be opened", "check its permissions");
  std::string text;
  std::vector<char> block(std::size_t{64} << 10);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestJsonFile) {
      refuse(fmt::format("larger than the {} MiB that a file may have", kLargestJsonFile >> 20),
             std::string(kSizeHint));
    }
  }
  if (in.bad()) refuse("the file cannot be read", "check the disk and the permissions");
  if (text.empty()) refuse("the file is empty", "it has to hold one JSON object");
  return text;
}

}  // namespace trcost
