// SPDX-License-Identifier: Apache-2.0
#include "contains.h"
#include "json/strict_json.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "catch.h"
#include "text/files.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

// The error that `call` throws; fails the test when there is none.
template <class Call>
Error data_error(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.kind == ErrorKind::data);
    return error;
  }
  FAIL("no error was thrown");
  return Error(ErrorKind::data, "");
}

Error parse_error(std::string_view text) {
  return data_error([&] { parse_strict_json(text, "mine.json"); });
}

}  // namespace

TEST_CASE("malformed JSON is refused with its place") {
  CHECK(contains(parse_error("{\"a\": 1,\n \"b\": }").message, "line 2, column"));
  CHECK(contains(parse_error("{\"a\": [1, 2").message, "ends in the middle"));
  CHECK(contains(parse_error("{\"a\": \"tex").message, "line 1"));
  CHECK(contains(parse_error("{} {}").message, "line 1, column 4"));
  CHECK(contains(parse_error("{\"a\": 1e400}").message, "range of a double"));
  CHECK(contains(parse_error("{\"a\": -1e400}").message, "range of a double"));
  CHECK(contains(parse_error("{\"a\": NaN}").message, "line 1"));
  CHECK(contains(parse_error("{\"a\": Infinity}").message, "line 1"));
  CHECK(contains(parse_error("{\"a\": 1,}").message, "line 1"));
  CHECK(contains(parse_error("").message, "empty"));
  CHECK(contains(parse_error(" \n\t").message, "empty"));
  CHECK(parse_error("{} x").location == "mine.json");
}

TEST_CASE("a key that stands twice is refused at any depth") {
  const Error error = parse_error(R"({"a": [{"deep": {"x": 1, "y": 2, "x": 3}}]})");
  CHECK(contains(error.message, "\"x\" stands twice"));
  CHECK(contains(parse_error(R"({"a": {"a": 1}, "a": 2})").message, "\"a\" stands twice"));
  CHECK(contains(parse_error(R"({"": 1, "": 2})").message, "stands twice"));
  CHECK_NOTHROW(parse_strict_json(R"({"a": {"x": 1}, "b": {"x": 1}})", "mine.json"));
  CHECK_NOTHROW(parse_strict_json(R"({"": 1, "a": {"": 2, "a": 3}})", "mine.json"));
}

TEST_CASE("nesting and size are limited") {
  CHECK_NOTHROW(parse_strict_json(std::string(64, '[') + std::string(64, ']'), "mine.json"));
  CHECK(contains(parse_error(std::string(65, '[') + std::string(65, ']')).message, "64 levels"));
  CHECK(contains(parse_error(std::string(1'000'000, '[')).message, "64 levels"));
  CHECK(contains(parse_error(std::string(kLargestFile + 1, ' ')).message, "16 MiB"));
}

TEST_CASE("bytes that a terminal might act on do not reach the message") {
  const Error error = parse_error("{\"\x1b[31m\": 1, \"\x1b[31m\": 2}");
  CHECK(error.message.find('\x1b') == std::string::npos);
  for (const char c : parse_error("{\"a\": \xff\xfe}").message) CHECK((c >= 0x20 && c < 0x7f));
  const JsonValue root = parse_strict_json(R"({"a": "\u001b[2J", "\u0007": 1})", "m.json");
  ObjectReader reader = root.object();
  CHECK(contains(data_error([&] { (void)reader.required_text("a"); }).message, "control"));
  const Error unknown = data_error([&] { reader.finish(); });
  CHECK(unknown.message.find('\x07') == std::string::npos);
  CHECK(unknown.location.find('\x07') == std::string::npos);
}

TEST_CASE("an unknown key is named with file, pointer, allowed keys and the nearest one") {
  const JsonValue root =
      parse_strict_json(R"({"language": {"hiden": 4096, "layers": 32}})", "m.json");
  ObjectReader reader = root.object();
  ObjectReader language = reader.required_object("language");
  CHECK(language.required_number("layers", 1, 1e6) == 32);
  CHECK(language.number_or("hidden", 64, 1, 1e6) == 64);
  const Error error = data_error([&] { language.finish(); });
  CHECK(error.location == "m.json#/language/hiden");
  CHECK(contains(error.message, "unknown key \"hiden\""));
  CHECK(contains(error.message, "hidden, layers"));
  CHECK(contains(error.hint, "\"hidden\""));
  CHECK_NOTHROW(reader.finish());
}

TEST_CASE("a missing key names the key that may have been meant") {
  const JsonValue root = parse_strict_json(R"({"hiden": 4096})", "m.json");
  ObjectReader reader = root.object();
  const Error error = data_error([&] { (void)reader.required_number("hidden", 1, 1e6); });
  CHECK(contains(error.message, "\"hidden\" is missing"));
  CHECK(contains(error.hint, "\"hiden\""));
}

TEST_CASE("types and ranges are checked where the value stands") {
  const JsonValue root = parse_strict_json(
      R"({"n": -1, "t": "x", "b": 1, "a": [1, {"k/~": "y"}], "w": 1.5, "c": "bf61"})", "m.json");
  ObjectReader reader = root.object();
  const Error range = data_error([&] { (void)reader.required_number("n", 0, 10); });
  CHECK(contains(range.message, "-1"));
  CHECK(contains(range.hint, "0 to 10"));
  CHECK(range.location == "m.json#/n");
  CHECK(contains(data_error([&] { (void)reader.required_number("t", 0, 1); }).message, "a text"));
  CHECK(contains(data_error([&] { (void)reader.boolean_or("b", true); }).message, "true or false"));
  CHECK(contains(data_error([&] { (void)reader.required_whole("w", 0, 9); }).message, "whole"));
  CHECK(contains(data_error([&] { (void)reader.required_object("a"); }).message, "an array"));
  const Error choice = data_error([&] { (void)reader.required_choice("c", {"bf16", "fp8"}); });
  CHECK(contains(choice.message, "bf16, fp8"));
  CHECK(contains(choice.hint, "\"bf16\""));
  const std::vector<JsonValue> array = reader.array_or_empty("a");
  REQUIRE(array.size() == 2);
  CHECK(array[1].object().required_value("k/~").location() == "m.json#/a/1/k~1~0");
}

TEST_CASE("objects with many members are read and checked like small ones") {
  std::string text = "{\"first\": 0";
  for (int i = 0; i < 200; ++i) text += ", \"k" + std::to_string(i) + "\": " + std::to_string(i);
  const JsonValue root = parse_strict_json(text + "}", "m.json");
  ObjectReader reader = root.object();
  reader.accept("first");
  CHECK(reader.keys().size() == 201);
  for (int i = 0; i < 199; ++i) {
    CHECK(reader.required_number("k" + std::to_string(i), 0, 1000) == i);
  }
  CHECK(data_error([&] { reader.finish(); }).location == "m.json#/k199");
  reader.accept("k199");
  CHECK_NOTHROW(reader.finish());
  CHECK(contains(data_error([&] { reader.fail_missing("k2000"); }).message, "missing"));
}

TEST_CASE("of several unknown keys the first by name is refused") {
  const JsonValue root = parse_strict_json(R"({"zeta": 1, "known": 2, "alpha": 3})", "m.json");
  ObjectReader reader = root.object();
  reader.accept("known");
  reader.accept("absent");
  const Error error = data_error([&] { reader.finish(); });
  CHECK(error.location == "m.json#/alpha");
  CHECK(contains(error.message, "allowed here: absent, known"));
}

TEST_CASE("null counts as absent for what is optional") {
  const JsonValue root = parse_strict_json(R"({"a": null})", "m.json");
  ObjectReader reader = root.object();
  CHECK_FALSE(reader.optional_number("a", 0, 1).has_value());
  CHECK_THROWS_AS(reader.required_number("a", 0, 1), Error);
  CHECK_NOTHROW(reader.finish());
}

TEST_CASE("files that cannot be read say why") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "trcost_strict_json";
  fs::create_directories(folder);
  const auto message = [](const fs::path& path) {
    return data_error([&] { read_text_file(path.string()); }).message;
  };
  CHECK(contains(message(folder / "missing.json"), "no such file"));
  CHECK(contains(message(folder), "directory"));
  std::ofstream(folder / "empty.json").close();
  CHECK(contains(message(folder / "empty.json"), "empty"));
  std::ofstream(folder / "huge.json").close();
  fs::resize_file(folder / "huge.json", 100'000'000);
  CHECK(contains(message(folder / "huge.json"), "16 MiB"));
  std::ofstream(folder / "good.json") << "{}";
  CHECK(read_text_file((folder / "good.json").string()) == "{}");
  fs::remove_all(folder);
}
