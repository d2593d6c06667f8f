// SPDX-License-Identifier: Apache-2.0
// What the build packs is what the texts say, by a second parser.
#include "json/flat_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "catalog/data/data_file.h"
#include "catch.h"

using namespace trcost;

namespace {

using Json = nlohmann::json;

Json scalar(const FlatJson& packed, FlatJson::Index at) {
  switch (packed.node(at).kind) {
    case FlatNode::Kind::boolean:
      return packed.node(at).value != 0;
    case FlatNode::Kind::text:
      return packed.text(at);
    default:
      return nullptr;
  }
}

void check_same(const FlatJson& packed, FlatJson::Index at, const Json& json) {
  const FlatNode::Kind kind = packed.node(at).kind;
  if (json.is_structured()) {
    CHECK(kind == (json.is_array() ? FlatNode::Kind::array : FlatNode::Kind::object));
  } else if (json.is_number()) {
    CHECK(kind == FlatNode::Kind::number);
    CHECK(packed.number(at) == json.get<double>());
  } else {
    CHECK(scalar(packed, at) == json);
  }
}

// The members of `at`, in order, are those of `json`, and pointers lead to them.
void check_members(const FlatJson& packed, FlatJson::Index at, const Json& json, const Json& root) {
  REQUIRE(packed.node(at).size == json.size());
  FlatJson::Index child = at + 1;
  for (std::size_t i = 0; i < json.size(); ++i, child = packed.next(child)) {
    const Json& value = json.is_object() ? json.at(std::string(packed.key(child))) : json.at(i);
    CHECK(&root.at(Json::json_pointer(packed.pointer(child))) == &value);
    check_same(packed, child, value);
    if (value.is_structured()) check_members(packed, child, value, root);
  }
  CHECK(child == packed.next(at));
}

void check_document(const FlatJson& packed, std::string_view text) {
  const Json root = Json::parse(text);
  check_same(packed, 0, root);
  if (root.is_structured()) check_members(packed, 0, root, root);
}

std::string_view text_of(const EmbeddedFile& file) {
  return {file.begin, static_cast<std::size_t>(file.end - file.begin)};
}

}  // namespace

TEST_CASE("every packed file says what its text says") {
  int documents = 0;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.path.ends_with(".json")) continue;
    INFO(file.path);
    check_document(packed_document(embedded_pack(), file.document), text_of(file));
    ++documents;
  }
  CHECK(documents > 100);
}

TEST_CASE("packing keeps several documents apart, whatever their size") {
  const std::vector<std::string> texts = {
      R"({"": 1, "a": {"": [], "a": {}}, "b": "", "c~/d": [null, true, false, -0.5, "x\ny"]})",
      "[]", R"("text")", R"([[1e300, 18446744073709551615, -9223372036854775808], {"k": [{}]}])"};
  std::vector<FlatDocument> documents;
  for (const std::string& text : texts) documents.push_back(parse_flat_json(text, "test"));
  const std::string pack = pack_documents(documents);
  // As aligned as the build places it.
  std::vector<FlatNode> storage(pack.size() / sizeof(FlatNode) + 1);
  char* bytes = reinterpret_cast<char*>(storage.data());
  std::copy(pack.begin(), pack.end(), bytes);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO(texts[i]);
    check_document(packed_document(bytes, i), texts[i]);
  }
}

TEST_CASE("only the built-in text is read in place") {
  const EmbeddedFile* file = find_embedded_file("prices/book.json");
  REQUIRE(file != nullptr);
  const std::string own = R"({"date": "2020-01-02"})";
  const JsonValue given = parse_data_file(own, file->path, "mine.json");
  CHECK(given.object().required_text("date") == "2020-01-02");
  CHECK(given.location() == "mine.json");
  const JsonValue built_in = parse_data_file(text_of(*file), file->path, file->path);
  CHECK(built_in.object().required_text("date") ==
        Json::parse(text_of(*file)).at("date").get<std::string>());
  CHECK(find_embedded_file("prices/boo") == nullptr);
}
