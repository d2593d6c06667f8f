// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include "catch.h"
#include "quantity/suggest.h"
#include "scenario/words.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

std::string set(Field field, const char* word) {
  Scenario s;
  s.set_text(field, word);
  return std::string(s.text(field));
}

std::string hint_for(Field field, const char* word) {
  try {
    set(field, word);
  } catch (const Error& error) {
    return error.hint;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("choices are read in any case and by their other names", "[scenario][words]") {
  CHECK(set(Field::model_modality, "VL") == "vl");
  CHECK(set(Field::model_modality, "multimodal") == "vl");
  CHECK(set(Field::model_modality, "Vision-Language") == "vl");
  CHECK(set(Field::train_precision, "BF16") == "bf16");
  CHECK(set(Field::train_precision, "bfloat16") == "bf16");
  CHECK(set(Field::cost_pricing, "on_demand") == "on-demand");
  CHECK(set(Field::layout_sharding, "ZeRO-3") == "parameters");
  CHECK(set(Field::layout_sequence_parallel, "ON") == "on");
}

TEST_CASE("a word that is no choice leads to one", "[scenario][words]") {
  CHECK(hint_for(Field::train_precision, "fp4").find("nvfp4") != std::string::npos);
  CHECK(hint_for(Field::train_recipe, "SFT").find("--samples") != std::string::npos);
  CHECK(hint_for(Field::cost_pricing, "reserved").find("reserved-1y") != std::string::npos);
  CHECK(hint_for(Field::model_modality, "smell").find("allowed: text, vl") != std::string::npos);
}

TEST_CASE("no two choices of a field are spelled alike", "[scenario][words]") {
  for (const FieldInfo& info : fields()) {
    std::set<std::string> seen;
    for (const std::string& choice : field_choices(info)) {
      INFO(info.path << " " << choice);
      CHECK(seen.insert(folded(choice)).second);
      CHECK(choice_of_word(info, choice) == choice);
      CHECK(advice_on_word(info.field, choice).empty());
    }
  }
}

TEST_CASE("durations and sizes as people write them", "[scenario][words]") {
  constexpr double kMonth = 730.5 * 3600;
  const auto seconds = [](const char* text) {
    Scenario s;
    s.set_text(Field::hardware_deadline, text);
    return *s.number(Field::hardware_deadline);
  };
  CHECK(seconds("1month") == kMonth);
  CHECK(seconds("2 months") == 2 * kMonth);
  CHECK(seconds("1 year") == 12 * kMonth);
  CHECK(seconds("1week") == 7 * 86400);
  CHECK(seconds("90 minutes") == 5400);
  CHECK(set(Field::data_image_size, "336") == "336x336");
  CHECK(set(Field::data_image_size, "1920X1080") == "1920x1080");
}
