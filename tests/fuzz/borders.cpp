// SPDX-License-Identifier: Apache-2.0
#include "fuzz/borders.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace trcost::fuzz {
namespace {

constexpr std::array<Border, 15> kBorders = {{
    {"catalog", catalog},
    {"data_file", data_file},
    {"image", image},
    {"image_sizes", image_sizes},
    {"measured_rows", measured_rows},
    {"numbers", numbers},
    {"prices", prices},
    {"recipe", recipe},
    {"resume", resume},
    {"saved_result", saved_result},
    {"scenario", scenario},
    {"sweep", sweep},
    {"text", text},
    {"training_log", training_log},
    {"words", words},
}};

struct Scratch {
  std::string path;
  Scratch() {
    path = (std::filesystem::temp_directory_path() / "trcost-fuzz-XXXXXX").string();
    const int descriptor = mkstemp(path.data());
    require(descriptor >= 0);
    close(descriptor);
  }
  ~Scratch() { unlink(path.c_str()); }
};

}  // namespace

std::span<const Border> borders() {
  return kBorders;
}

const Border* find_border(std::string_view name) {
  const auto found = std::ranges::find(kBorders, name, &Border::name);
  return found == kBorders.end() ? nullptr : &*found;
}

const std::string& file_with(std::string_view bytes) {
  static const Scratch scratch;
  std::ofstream(scratch.path, std::ios::binary | std::ios::trunc) << bytes;
  return scratch.path;
}

}  // namespace trcost::fuzz
