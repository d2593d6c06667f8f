// SPDX-License-Identifier: Apache-2.0
// What a question is made of: text, numbers, scenarios, saved results, images.
#include <cmath>

#include "fuzz/borders.h"
#include "json/json_writer.h"
#include "recipe/files/facts.h"
#include "recipe/files/script.h"
#include "recipe/framework.h"
#include "recipe/read_recipe.h"
#include "scenario/scenario_json.h"
#include "study/diff/diff.h"
#include "study/experiments/experiments.h"
#include "text/unicode.h"
#include "trcost/numbers.h"
#include "trcost/scenario.h"
#include "workload/images/image_files.h"
#include "workload/images/image_sizes.h"

namespace trcost::fuzz {

void text(std::string_view bytes) {
  require(!first_unprintable(printable(bytes)));
  require(!first_unprintable(json_string(bytes)));
  attempt([&] {
    const std::string decoded = decode_text(std::string(bytes), "fuzz");
    require(!first_bad_byte(decoded));
    require(decode_text(decoded, "fuzz") == decoded || decoded.starts_with("\xEF\xBB\xBF"));
  });
}

void numbers(std::string_view bytes) {
  for (int kind = 0; kind <= static_cast<int>(NumberKind::number); ++kind) {
    attempt([&] {
      const double value = parse_number(bytes, static_cast<NumberKind>(kind));
      require(std::isfinite(value) && value >= 0);
      require(parse_number(format_exact(value), NumberKind::number) == value);
    });
  }
  for (const FieldInfo& info : fields()) {
    attempt([&] {
      Scenario scenario;
      scenario.set(info, bytes, info.flag);
    });
  }
}

// What is accepted is written so that it is read as the same.
void scenario(std::string_view bytes) {
  attempt([&] {
    std::vector<Experiment> experiments;
    const std::string rest = extract_experiments(bytes, "fuzz.json", experiments);
    const std::string written = scenario_to_json(scenario_from_json(rest, "fuzz.json"));
    require(scenario_to_json(scenario_from_json(written, "again.json")) == written);
  });
  attempt([&] {
    const std::string written = scenario_to_json(defaults_from_json(bytes, "config.json"));
    require(scenario_to_json(defaults_from_json(written, "again.json")) == written);
  });
}

// Every reader ends, whatever it reads, and a recipe of any framework accounts for every key.
void recipe(std::string_view bytes) {
  using namespace trcost::recipe;
  static const Catalog catalog;
  static const Frameworks frameworks(catalog);
  for (const auto read : {read_yaml, read_toml}) {
    attempt([&] {
      const Facts facts = read(bytes, "fuzz");
      require(facts.size() <= kMostFacts + 1);
      static_cast<void>(frameworks.recognise(facts));
    });
  }
  attempt([&] { static_cast<void>(read_script(bytes, "fuzz")); });
  // Loading a framework's table takes longer than the reading, so one ending is tried.
  constexpr const char* kEndings[] = {".yaml", ".toml", ".sh"};
  const std::string ending = kEndings[bytes.size() % std::size(kEndings)];
  attempt([&] {
    const auto opened = open_recipe({file_with(bytes, ending)}, catalog);
    const RecipeReading reading = read_recipe(*opened, {}, catalog);
    for (const RecipeKey& key : reading.keys) require(!key.status.empty());
  });
}

void saved_result(std::string_view bytes) {
  attempt([&] { require(diff_results(bytes, "a.json", bytes, "b.json").same()); });
}

void image(std::string_view bytes) {
  attempt([&] {
    const ImageSize size = read_image_size(file_with(bytes));
    require(size.width >= 1 && size.height >= 1);
  });
}

void image_sizes(std::string_view bytes) {
  attempt([&] {
    read_image_sizes(
        file_with(bytes),
        [](const SizesRow& row) {
          require(row.size.width >= 1 && row.size.height >= 1 && row.count >= 1);
        },
        [](const BadRow& row) { require(!row.reason.empty() && row.line >= 1); });
  });
}

}  // namespace trcost::fuzz
