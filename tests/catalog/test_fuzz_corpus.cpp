// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

TEST_CASE("the fuzz corpus neither crashes nor escapes as another exception") {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TRCOST_SOURCE_DIR) + "/tests/fuzz/corpus")) {
    INFO(entry.path());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    CHECK(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                 bytes.size()) == 0);
    ++files;
  }
  CHECK(files >= 20);
}

TEST_CASE("every beginning and every single-byte damage of an accelerator file is survived") {
  std::ifstream in(std::string(TRCOST_SOURCE_DIR) + "/tests/fuzz/corpus/accelerator.json",
                   std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  REQUIRE(good.size() > 100);
  const auto run = [](const std::string& text) {
    return LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  for (std::size_t length = 0; length < good.size(); ++length) {
    CHECK(run(good.substr(0, length)) == 0);
    std::string damaged = good;
    for (const char c : {'\0', '"', '9', '{', '\xff'}) {
      damaged[length] = c;
      CHECK(run(damaged) == 0);
    }
  }
}
