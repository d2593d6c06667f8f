// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.h"
#include "fuzz/borders.h"

using trcost::fuzz::Border;

namespace {

const std::string corpus = std::string(TRCOST_SOURCE_DIR) + "/tests/fuzz/corpus/";

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("the fuzz corpora neither crash nor escape as another exception", "[fuzz]") {
  for (const Border& border : trcost::fuzz::borders()) {
    INFO(border.name);
    int files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(corpus + std::string(border.name))) {
      INFO(entry.path());
      border.run(bytes_of(entry.path()));
      ++files;
    }
    CHECK(files >= 3);
  }
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    INFO(entry.path());
    CHECK(trcost::fuzz::find_border(entry.path().filename().string()) != nullptr);
  }
}

TEST_CASE("every beginning and every single-byte damage of an accelerator file is survived",
          "[fuzz]") {
  const std::string good = bytes_of(corpus + "catalog/accelerator.json");
  REQUIRE(good.size() > 100);
  for (std::size_t length = 0; length < good.size(); ++length) {
    trcost::fuzz::catalog(good.substr(0, length));
    std::string damaged = good;
    for (const char c : {'\0', '"', '9', '{', '\xff'}) {
      damaged[length] = c;
      trcost::fuzz::catalog(damaged);
    }
  }
}
