// SPDX-License-Identifier: Apache-2.0
// Output of `trcost tokens`.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.h"
#include "contains.h"
#include "report/about/documents.h"
#include "study/tokens/token_report.h"
#include "trcost/error.h"

namespace {

using Json = nlohmann::json;
using trcost::Format;
using trcost::TokenReport;
using trcost::TokenRequest;

Json as_json(const TokenRequest& request, bool items = true) {
  TokenReport report = trcost::count_tokens(request);
  if (!items) report.items.clear();
  return Json::parse(render(trcost::tokens_document(report), Format::json));
}

std::string message(const TokenRequest& request) {
  try {
    trcost::count_tokens(request);
  } catch (const trcost::Error& error) {
    return error.location + " " + error.message + " " + error.hint;
  }
  return {};
}

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "trcost-test-tokens";
  Folder() {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path / name, std::ios::binary) << bytes;
    return (path / name).string();
  }
};

// A GIF header: 640 x 480.
const std::string gif{"GIF89a\x80\x02\xE0\x01\x00\x00\x00", 13};

}  // namespace

TEST_CASE("JSON of tokens has the structure of the contract", "[tokens][report]") {
  const Json out = as_json({.family = "qwen2-vl", .images = {{1920, 1080}, {640, 480}}});
  CHECK(out["schema_version"] == "1.2");
  REQUIRE(out["items"].size() == 2);
  const Json& item = out["items"][0];
  CHECK(item["input"] == "1920x1080");
  CHECK(item["tokens"]["vision_encoder"] == 10764);
  CHECK(item["tokens"]["vision"] == 2691);
  CHECK(item["tiles"] == 1);
  CHECK(item["resized"] == Json::array({1932, 1092}));
  CHECK(item["rule"].is_string());
  CHECK(item["source"].is_string());
  CHECK(out["total"]["vision_encoder"] == 10764 + 1564);
  CHECK(out["total"]["vision"] == 2691 + 391);
}

TEST_CASE("unknown token counts are null", "[tokens][report]") {
  const Json out = as_json({.family = "gpt-4v", .images = {{512, 512}}});
  CHECK(out["items"][0]["tokens"]["vision_encoder"].is_null());
  CHECK(out["total"]["vision_encoder"].is_null());
  CHECK(out["total"]["vision"] == 255);
  const Json sound = as_json({.family = "whisper", .audio = true, .seconds = 30});
  CHECK(sound["items"][0]["resized"].is_null());
  CHECK(sound["total"]["vision"] == 1500);
}

TEST_CASE("a video is one item with its frames", "[tokens][report]") {
  const Json out =
      as_json({.family = "qwen2-vl", .videos = {{1280, 720}}, .seconds = 60, .fps = 2});
  CHECK(out["items"][0]["input"] == "1280x720 60 s 2 fps");
  CHECK(out["items"][0]["frames"] == 120);
  CHECK(out["total"]["vision"] == 43200);
}

TEST_CASE("without a family, all families that accept the input are compared", "[tokens][report]") {
  const TokenReport report = trcost::count_tokens({.images = {{640, 480}}});
  CHECK(report.items.size() == 33);
  CHECK(report.comparison);
  const Json out = as_json({.images = {{640, 480}}});
  CHECK(out["total"]["vision"].is_null());
  const std::string text = render(trcost::tokens_document(report), Format::table);
  CHECK(contains(text, "llava-next"));
  CHECK(contains(text, "2340"));
  // Qwen and GLM reject an aspect ratio above 200. The other families have an answer.
  const TokenReport thin = trcost::count_tokens({.images = {{3000, 10}}});
  CHECK(thin.skipped.size() == 8);
  CHECK(thin.items.size() == 25);
}

TEST_CASE("a table of sizes gives total and distribution", "[tokens][report]") {
  const Folder folder;
  const auto path = folder.write("sizes.csv", "width,height,count\n640,480,9\n1920,1080,1\n");
  const Json out = as_json({.family = "qwen2-vl", .image_sets = {path}});
  CHECK(out["items"].size() == 2);
  CHECK(out["items"][0]["count"] == 9);
  CHECK(out["inputs"] == 10);
  CHECK(out["total"]["vision"] == 9 * 391 + 2691);
  CHECK(out["distribution"]["vision"]["min"] == 391);
  CHECK(out["distribution"]["vision"]["median"] == 391);
  CHECK(out["distribution"]["vision"]["p90"] == 391);
  CHECK(out["distribution"]["vision"]["max"] == 2691);
  CHECK_THAT(out["distribution"]["vision"]["mean"].get<double>(), WithinAbs(621.0, 1e-9));
  CHECK(as_json({.family = "qwen2-vl", .image_sets = {path}}, false)["items"].empty());
}

TEST_CASE("a folder with unreadable images counts the others and names these", "[tokens][report]") {
  const Folder folder;
  folder.write("a.gif", gif);
  folder.write("b.gif", gif);
  folder.write("c.jpg", "no image");
  folder.write("readme.txt", "text");
  const Json out = as_json({.family = "llava-next", .image_sets = {folder.path.string()}});
  CHECK(out["items"].size() == 2);
  CHECK(out["total"]["vision"] == 2 * 2340);
  REQUIRE(out["skipped"].size() == 1);
  CHECK(contains(out["skipped"][0]["input"], "c.jpg"));
  CHECK(contains(out["skipped"][0]["reason"], "not a JPEG"));
}

TEST_CASE("an incomplete request names the missing option", "[tokens][report][errors]") {
  CHECK(contains(message({}), "--image"));
  CHECK(contains(message({.family = "qwen2-vl", .videos = {{1280, 720}}}), "--seconds"));
  CHECK(contains(message({.images = {{640, 480}}, .options = {.max_tiles = 4}}), "--family"));
  CHECK(contains(message({.image_sets = {"sizes.csv"}}), "--family"));
  CHECK(contains(message({.family = "nonsense", .images = {{640, 480}}}), "unknown token family"));
  CHECK(contains(message({.family = "vit", .image_sets = {"/nonexistent.csv"}}), "cannot be read"));
  CHECK(contains(message({.family = "vit", .images = {{640, 480}}, .fps = 2}), "--fps"));
  const Folder folder;
  CHECK(contains(message({.family = "vit", .image_sets = {folder.path.string()}}), "no image"));
  folder.write("a.jpg", "bad");
  CHECK(
      contains(message({.family = "vit", .image_sets = {folder.path.string()}}), "none of the 1"));
  const auto none = folder.write("none.csv", "width,height\n640,\n1000000,1000000\n");
  const std::string refused = message({.family = "vit", .image_sets = {none}});
  CHECK(contains(refused, "none.csv:2"));
  CHECK(contains(refused, "none of the 2"));
}

TEST_CASE("a table with invalid rows counts the others and names these", "[tokens][report]") {
  const Folder folder;
  // Bad: a word, more pixels than an image can have, an aspect ratio that Qwen rejects.
  const auto path = folder.write(
      "sizes.csv", "width,height,count\n640,480,2\nwide,480,1\n1000000,1000000,1\n3000,10,1\n");
  const Json out = as_json({.family = "qwen2-vl", .image_sets = {path}});
  CHECK(out["total"]["vision"] == 2 * 391);
  REQUIRE(out["skipped"].size() == 3);
  CHECK(out["skipped"][0]["input"] == path + ":3");
  CHECK(contains(out["skipped"][0]["reason"], "width \"wide\" is not a whole number"));
  CHECK(out["skipped"][1]["input"] == path + ":4");
  CHECK(out["skipped"][2]["input"] == path + ":5");
}

TEST_CASE("CSV rows have every column", "[tokens][report]") {
  const TokenReport report = trcost::count_tokens({.family = "mllama", .images = {{640, 480}}});
  const std::string csv = render(trcost::tokens_document(report), Format::csv);
  CHECK(csv.starts_with(
      "input,family,count,tokens.vision_encoder,tokens.vision,tokens.text,tiles,frames,"));
  CHECK(contains(csv, "640x480,mllama,1,6432,3202,,2,,1120x560,"));
  const Json row = Json::parse(render(trcost::tokens_document(report), Format::jsonl));
  CHECK(row["tokens.vision"] == 3202);
  CHECK(row["frames"].is_null());
  CHECK(contains(render(trcost::tokens_document(report), Format::md), "| 640x480 |"));
}

TEST_CASE("the families are listed with rule and source", "[tokens][report]") {
  const Json out = Json::parse(render(trcost::token_families_document(), Format::json));
  CHECK(out["families"].size() == 35);
  CHECK(out["families"][4]["name"] == "qwen2-vl");
  CHECK(out["families"][4]["kinds"] == "image, video");
}
