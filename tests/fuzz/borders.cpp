// SPDX-License-Identifier: Apache-2.0
#include "fuzz/borders.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>

namespace trcost::fuzz {
namespace {

constexpr std::array<Border, 16> kBorders = {{
    {"catalog", catalog},
    {"data_file", data_file},
    {"hugging_face", hugging_face},
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
  std::map<std::string, std::string> of_ending;
  Scratch() {
    path = (std::filesystem::temp_directory_path() / "trcost-fuzz-XXXXXX").string();
    const int descriptor = mkstemp(path.data());
    require(descriptor >= 0);
    close(descriptor);
  }
  ~Scratch() {
    unlink(path.c_str());
    for (const auto& [ending, name] : of_ending) unlink(name.c_str());
  }
};

}  // namespace

std::span<const Border> borders() {
  return kBorders;
}

const Border* find_border(std::string_view name) {
  const auto found = std::ranges::find(kBorders, name, &Border::name);
  return found == kBorders.end() ? nullptr : &*found;
}

const std::string& file_with(std::string_view bytes, const std::string& ending) {
  static Scratch scratch;
  const std::string& path =
      ending.empty() ? scratch.path
                     : scratch.of_ending.try_emplace(ending, scratch.path + ending).first->second;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  return path;
}

}  // namespace trcost::fuzz
