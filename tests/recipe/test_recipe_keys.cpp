// SPDX-License-Identifier: Apache-2.0
// Recipes with random changes: every key of a file that is still a recipe is accounted for.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catalog_fixture.h"
#include "catch.h"
#include "recipe/files/facts.h"
#include "recipe/read_recipe.h"
#include "repeats.h"
#include "trcost/error.h"

using namespace trcost;
using namespace trcost::recipe;
namespace fs = std::filesystem;

namespace {

struct Sample {
  std::string extension;
  std::vector<std::string> lines;
};

/// Recipes in YAML, TOML and JSON that stand alone.
std::vector<Sample> sample_recipes() {
  std::vector<fs::path> paths;
  const std::string folder = std::string(TRCOST_SOURCE_DIR) + "/tests/recipe/files";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    const bool configuration = extension == ".yaml" || extension == ".toml" || extension == ".json";
    if (configuration && entry.path().filename() != "expected.json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Sample> out;
  for (const fs::path& path : paths) {
    std::ifstream in(path);
    Sample sample{path.extension().string(), {}};
    for (std::string line; std::getline(in, line);) sample.lines.push_back(line);
    out.push_back(std::move(sample));
  }
  return out;
}

/// Drops, repeats or moves a line, or changes its value, and adds an unknown key to YAML and TOML.
std::string change(const Sample& sample, std::mt19937_64& random, const std::string& unknown) {
  std::vector<std::string> lines = sample.lines;
  for (auto changes = random() % 4; changes > 0 && lines.size() > 1; --changes) {
    const std::size_t at = random() % lines.size();
    const auto line = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 4) {
      case 0:
        lines.erase(line);
        break;
      case 1:
        lines.insert(line, std::string(*line));
        break;
      case 2:
        std::swap(lines[at], lines[random() % lines.size()]);
        break;
      default:
        if (const auto colon = line->find(": "); colon != std::string::npos) {
          constexpr const char* kValues[] = {"0", "true", "null", "1e9", "\"\"", "auto", "[1, 2]"};
          line->replace(colon + 2, std::string::npos, kValues[random() % std::size(kValues)]);
        }
    }
  }
  if (sample.extension == ".yaml") lines.push_back(unknown + ": 7");
  if (sample.extension == ".toml") lines.insert(lines.begin(), unknown + " = 7");
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

struct Tally {
  int read = 0;
  int keys = 0;
};

Tally check_recipe_keys(unsigned first, int number) {
  static const std::vector<Sample> samples = sample_recipes();
  REQUIRE(samples.size() > 20);
  const fs::path folder =
      fs::temp_directory_path() / ("trcost-recipe-keys-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  Tally out;
  for (int i = 0; i < number; ++i) {
    std::mt19937_64 random(first + static_cast<unsigned>(i));
    const Sample& sample = samples[random() % samples.size()];
    const std::string unknown = "zz_" + std::to_string(random() % 1000000);
    const std::string text = change(sample, random, unknown);
    const std::string path = (folder / ("changed" + sample.extension)).string();
    std::ofstream(path) << text;
    try {
      const RecipeReading reading =
          read_recipe(*open_recipe({path}, test_catalog()), {}, test_catalog());
      std::set<std::string> told;  // items of a list share their key
      bool found_unknown = false;
      for (const RecipeKey& key : reading.keys) {
        told.insert(key.key);
        found_unknown = found_unknown || (key.key.ends_with(unknown) && key.status == "reported");
      }
      ++out.read;
      INFO(text);
      if (sample.extension != ".json") CHECK(found_unknown);
      const Facts facts =
          sample.extension == ".toml" ? read_toml(text, path) : read_yaml(text, path);
      for (const Fact& fact : facts) {
        ++out.keys;
        if (!told.contains(fact.key)) FAIL_CHECK("dropped: " << fact.key);
      }
    } catch (const Error&) {
      continue;  // no longer a recipe
    }
  }
  fs::remove_all(folder);
  return out;
}

}  // namespace

TEST_CASE("no key of a changed recipe is dropped", "[recipe][property]") {
  const int number = repeats(5000);
  const Tally tally = check_recipe_keys(1, number);
  WARN(tally.read << " recipes read of " << number << ", " << tally.keys << " keys");
  CHECK(tally.read > number / 3);
}

TEST_CASE("no key of a changed recipe is dropped, a hundred thousand times", "[.][nightly]") {
  CHECK(check_recipe_keys(1'000'000, 100'000).read > 30'000);
}
