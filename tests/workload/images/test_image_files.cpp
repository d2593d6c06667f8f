// SPDX-License-Identifier: Apache-2.0
// Image headers are written here byte by byte, as the formats' specifications lay them out.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "catch.h"
#include "trcost/error.h"
#include "workload/images/image_files.h"
#include "workload/images/image_sizes.h"

namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using trcost::ImageSize;

std::string big(std::uint32_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  return out;
}

std::string little(std::uint32_t value, int bytes) {
  const std::string turned = big(value, bytes);
  return {turned.rbegin(), turned.rend()};
}

std::string png(std::uint32_t width, std::uint32_t height) {
  return "\x89PNG\r\n\x1A\n"s + big(13, 4) + "IHDR" + big(width, 4) + big(height, 4) +
         "\x08\x02\0\0\0"s + big(0, 4);
}

std::string gif(std::uint32_t width, std::uint32_t height) {
  return "GIF89a" + little(width, 2) + little(height, 2) + "\0\0\0"s;
}

std::string bmp(std::uint32_t width, std::uint32_t height) {
  return "BM" + little(54, 4) + little(0, 4) + little(54, 4) + little(40, 4) + little(width, 4) +
         little(height, 4) + little(1, 2) + little(24, 2) + std::string(24, '\0');
}

// Extended WebP: the canvas is written minus one, in 24 bits.
std::string webp(std::uint32_t width, std::uint32_t height) {
  return "RIFF" + little(22, 4) + "WEBPVP8X" + little(10, 4) + little(0, 4) + little(width - 1, 3) +
         little(height - 1, 3);
}

std::string jpeg(std::uint32_t width, std::uint32_t height, const std::string& before = {}) {
  return "\xFF\xD8"s + before + "\xFF\xC0"s + big(17, 2) + "\x08" + big(height, 2) + big(width, 2) +
         "\x03\x01\x11\0\x02\x11\0\x03\x11\0"s;
}

// An EXIF segment whose only entry is the orientation, in either byte order.
std::string exif(std::uint32_t orientation, bool is_little) {
  const auto n = [&](std::uint32_t value, int bytes) {
    return is_little ? little(value, bytes) : big(value, bytes);
  };
  const std::string tiff = (is_little ? "II"s : "MM"s) + n(42, 2) + n(8, 4) + n(1, 2) +
                           n(0x0112, 2) + n(3, 2) + n(1, 4) + n(orientation, 2) + n(0, 2);
  const std::string body = "Exif\0\0"s + tiff;
  return "\xFF\xE1"s + big(static_cast<std::uint32_t>(body.size() + 2), 2) + body;
}

/// A folder that is gone when the test ends.
struct Folder {
  fs::path path = fs::temp_directory_path() / "trcost-test-images";
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string& name, const std::string& bytes) const {
    const fs::path file = path / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }
};

std::string reason(const std::string& path) {
  try {
    trcost::read_image_size(path);
  } catch (const trcost::Error& error) {
    CHECK(error.kind == trcost::ErrorKind::data);
    CHECK(error.location == path);
    return error.message;
  }
  return {};
}

struct Sizes {
  std::vector<trcost::SizesRow> rows;
  std::vector<trcost::BadRow> bad;
};

Sizes sizes_of(const std::string& path) {
  Sizes out;
  trcost::read_image_sizes(
      path, [&](const trcost::SizesRow& row) { out.rows.push_back(row); },
      [&](const trcost::BadRow& row) { out.bad.push_back(row); });
  return out;
}

// What the table is refused for, or its bad rows.
std::string csv_error(const Folder& folder, const std::string& text) {
  try {
    std::string bad;
    for (const trcost::BadRow& row : sizes_of(folder.write("sizes.csv", text)).bad) {
      bad += "sizes.csv:" + std::to_string(row.line) + " " + row.reason + "; ";
    }
    return bad;
  } catch (const trcost::Error& error) {
    return error.location + " " + error.message;
  }
  return {};
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("sizes come from the headers of five formats", "[images]") {
  const Folder folder;
  CHECK(trcost::read_image_size(folder.write("a.png", png(1920, 1080))) == ImageSize{1920, 1080});
  CHECK(trcost::read_image_size(folder.write("a.gif", gif(320, 200))) == ImageSize{320, 200});
  CHECK(trcost::read_image_size(folder.write("a.bmp", bmp(64, 48))) == ImageSize{64, 48});
  CHECK(trcost::read_image_size(folder.write("a.webp", webp(800, 600))) == ImageSize{800, 600});
  CHECK(trcost::read_image_size(folder.write("a.jpg", jpeg(640, 427))) == ImageSize{640, 427});
  // The name does not matter.
  CHECK(trcost::read_image_size(folder.write("png-in-disguise", png(7, 9))) == ImageSize{7, 9});
}

TEST_CASE("a JPEG is turned as its EXIF orientation says", "[images]") {
  const Folder folder;
  for (std::uint32_t orientation = 1; orientation <= 8; ++orientation) {
    const ImageSize want = orientation >= 5 ? ImageSize{427, 640} : ImageSize{640, 427};
    for (const bool is_little : {true, false}) {
      INFO("orientation " << orientation << (is_little ? " II" : " MM"));
      const auto path = folder.write("turned.jpg", jpeg(640, 427, exif(orientation, is_little)));
      CHECK(trcost::read_image_size(path) == want);
    }
  }
}

TEST_CASE("EXIF data cut short or pointing nowhere leaves the size as it is", "[images]") {
  const Folder folder;
  for (std::uint32_t offset : {0U, 9U, 1000U, 0xFFFFFFFFU}) {
    const std::string body = "Exif\0\0II\x2A\0"s + little(offset, 4) + little(0xFFFF, 2);
    const std::string segment =
        "\xFF\xE1"s + big(static_cast<std::uint32_t>(body.size() + 2), 2) + body;
    CHECK(trcost::read_image_size(folder.write("odd.jpg", jpeg(640, 427, segment))) ==
          ImageSize{640, 427});
  }
}

TEST_CASE("segments before the frame header are skipped unread", "[images]") {
  const Folder folder;
  // A Huffman table that claims 16 x 255 codes, stray bytes, and fill bytes before the marker.
  const std::string table = "\xFF\xC4"s + big(19, 2) + "\0"s + std::string(16, '\xFF');
  CHECK(trcost::read_image_size(folder.write("t.jpg", jpeg(640, 427, table))) ==
        ImageSize{640, 427});
  const std::string stray = "\x12\x34\xFF\xFF"s;
  CHECK(trcost::read_image_size(folder.write("s.jpg", jpeg(64, 32, table + stray))) ==
        ImageSize{64, 32});
  // A table longer than the file.
  const std::string endless = "\xFF\xC4\xFF\xFF"s;
  CHECK(mentions(reason(folder.write("e.jpg", jpeg(640, 427, endless))), "damaged JPEG"));
}

TEST_CASE("files that are no images say why", "[images][errors]") {
  const Folder folder;
  CHECK(mentions(reason(folder.write("empty.png", "")), "empty"));
  CHECK(mentions(reason(folder.write("text.jpg", "hello, world")), "is not a JPEG"));
  CHECK(mentions(reason(folder.write("cut.jpg", jpeg(640, 427).substr(0, 9))), "damaged JPEG"));
  CHECK(mentions(reason(folder.write("cut.png", png(640, 427).substr(0, 18))), "damaged PNG"));
  CHECK(mentions(reason(folder.write("zero.png", png(0, 480))), "damaged PNG"));
  CHECK(mentions(reason(folder.write("cut.webp", webp(9, 9).substr(0, 20))), "damaged WebP"));
  CHECK(mentions(reason((folder.path / "absent.png").string()), "cannot be read"));
  CHECK(mentions(reason(folder.path.string()), "folder"));
}

TEST_CASE("a folder is listed in order, with its subfolders", "[images]") {
  const Folder folder;
  for (const char* name : {"b.jpg", "a/z.PNG", "a/b.webp", "c.tiff", "notes.txt", "a/.hidden"}) {
    folder.write(name, "x");
  }
  const auto listing = trcost::list_image_folder(folder.path.string());
  CHECK(listing.others == 2);
  REQUIRE(listing.images.size() == 4);
  CHECK(listing.images[0] == (folder.path / "a/b.webp").string());
  CHECK(listing.images[1] == (folder.path / "a/z.PNG").string());
  CHECK(listing.images[3] == (folder.path / "c.tiff").string());
  CHECK_THROWS_AS(trcost::list_image_folder((folder.path / "absent").string()), trcost::Error);
}

TEST_CASE("a table of sizes is read by its header", "[images][csv]") {
  const Folder folder;
  const std::string path = folder.write("sizes.csv",
                                        "\xEF\xBB\xBFurl,height,width,count\r\n"
                                        "\"a, b\",480,640,10\r\n"
                                        "\r\n"
                                        "\"two\nlines \"\"x\"\"\", 1080 ,1920,1");
  const auto rows = sizes_of(path).rows;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].size == ImageSize{640, 480});
  CHECK(rows[0].count == 10);
  CHECK(rows[0].line == 2);
  CHECK(rows[1].size == ImageSize{1920, 1080});
  CHECK(rows[1].line == 4);
  CHECK(sizes_of(folder.write("short.csv", "width,height\n1,2\n")).rows[0].count == 1);
}

TEST_CASE("bad rows of a table leave the good ones", "[images][csv][errors]") {
  const Folder folder;
  const auto table =
      sizes_of(folder.write("sizes.csv", "width,height\n1,2\n0,5\n3,4\nx\n5,6\n\"7,8\n9,10\n"));
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[2].size == ImageSize{5, 6});
  REQUIRE(table.bad.size() == 3);
  CHECK(table.bad[0].line == 3);
  CHECK(table.bad[1].line == 5);
  CHECK(table.bad[2].line == 7);  // the quote that opens there swallows the rest
}

TEST_CASE("a bad table names the line and what is wrong", "[images][csv][errors]") {
  const Folder folder;
  CHECK(mentions(csv_error(folder, "width,h\n1,2\n"), "sizes.csv:1 no column \"height\""));
  CHECK(mentions(csv_error(folder, "width,height\n1,2\n3,abc\n"), "sizes.csv:3 height \"abc\""));
  CHECK(mentions(csv_error(folder, "width,height\n1,2\n3\n"), "sizes.csv:3 height is missing"));
  CHECK(mentions(csv_error(folder, "width,height\n0,2\n"), "sizes.csv:2 width \"0\""));
  CHECK(mentions(csv_error(folder, "width,height\n1.5,2\n"), "width \"1.5\""));
  CHECK(mentions(csv_error(folder, "width,height,count\n1,2,-3\n"), "count \"-3\""));
  CHECK(mentions(csv_error(folder, "width,height\n\"1,2\n"), "does not end"));
  CHECK(mentions(csv_error(folder, "width,height\n"), "no rows"));
  CHECK(mentions(csv_error(folder, ""), "empty"));
  CHECK_THROWS_AS(sizes_of("/nonexistent/sizes.csv"), trcost::Error);
}

TEST_CASE("a file without lines, or without a good one, is left early", "[images][csv][errors]") {
  const Folder folder;
  CHECK(mentions(csv_error(folder, std::string(1 << 20, '\0')), "longer than 64 KiB"));
  CHECK(mentions(csv_error(folder, "width,height\n\"" + std::string(1 << 20, '1')),
                 "longer than 64 KiB"));
  std::string bad = "width,height\n";
  for (int i = 0; i < 100'001; ++i) bad += "x\n";
  CHECK(mentions(csv_error(folder, bad), "more than 100,000 bad rows"));
}

TEST_CASE("a folder that cannot be read is named, and the others are read", "[images]") {
  const Folder folder;
  folder.write("a.jpg", "x");
  folder.write("shut/b.jpg", "x");
  const auto shut = folder.path / "shut";
  std::filesystem::permissions(shut, std::filesystem::perms::none);
  std::error_code failed;
  std::filesystem::directory_iterator probe(shut, failed);  // who may read everything sees no fault
  const auto listing = trcost::list_image_folder(folder.path.string());
  std::filesystem::permissions(shut, std::filesystem::perms::owner_all);
  CHECK(listing.images.size() == (failed ? 1 : 2));
  REQUIRE(listing.unread.size() == (failed ? 1 : 0));
  if (failed) CHECK(listing.unread[0].first == shut.string());
}
