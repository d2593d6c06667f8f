// SPDX-License-Identifier: Apache-2.0
// What a scenario holds: its fields' bounds, pairs of which it has one, stages, and its JSON.
#include "trcost/scenario.h"

#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "contains.h"
#include "error_message.h"

using namespace trcost;

namespace {

std::string refusal(const FieldInfo& info, std::string_view text) {
  try {
    Scenario().set(info, text, info.flag);
  } catch (const Error& error) {
    CHECK(error.kind == ErrorKind::usage);
    return error.location + ": " + error.message;
  }
  return {};
}

// A value of the field's kind, somewhere within its bounds.
void set_any(Scenario& s, const FieldInfo& info, std::mt19937& random) {
  if (is_numeric(info.kind)) {
    const double share = static_cast<double>(random() % 1000 + 1) / 1001;
    const double low = info.lowest, high = std::min(info.highest, low + 1e6);
    const double value = low + share * (high - low);
    s.set_number(info.field, info.kind == FieldKind::integer || info.kind == FieldKind::count
                                 ? std::max(std::ceil(low), std::floor(value))
                                 : value);
  } else if (info.kind == FieldKind::choice) {
    const std::vector<std::string> words = field_choices(info);
    s.set_text(info.field, words[random() % words.size()]);
  } else if (info.kind == FieldKind::flag) {
    s.set_text(info.field, random() % 2 == 0 ? "on" : "off");
  } else if (info.kind == FieldKind::size) {
    s.set_text(info.field, "640x480");
  }
}

}  // namespace

TEST_CASE("a number outside of its field's bounds is refused, and its bounds are not",
          "[scenario]") {
  for (const FieldInfo& info : fields()) {
    if (!is_numeric(info.kind)) continue;
    INFO(info.path);
    Scenario s;
    if (info.highest < 1e300) {
      CHECK_THROWS_AS(s.set_number(info.field, info.highest * 2 + 1), Error);
      CHECK_NOTHROW(s.set_number(info.field, info.highest));
    }
    if (info.lowest > 0) {
      CHECK_THROWS_AS(s.set_number(info.field, info.lowest / 2 - 1), Error);
      CHECK_NOTHROW(s.set_number(info.field, info.lowest));
    }
    CHECK_THROWS_AS(s.set_number(info.field, std::numeric_limits<double>::quiet_NaN()), Error);
  }
}

TEST_CASE("a refusal names the flag", "[scenario]") {
  for (const FieldInfo& info : fields()) {
    if (!is_numeric(info.kind)) continue;
    INFO(info.path);
    CHECK(refusal(info, "much").find(info.flag) != std::string::npos);
  }
}

TEST_CASE("every scenario is read back from its JSON as it was", "[scenario][property]") {
  std::mt19937 random(20261124);
  for (int i = 0; i < 200; ++i) {
    Scenario s;
    for (const FieldInfo& info : fields()) {
      if (random() % 4 != 0) continue;
      s.clear_excluded_by(info.field);
      set_any(s, info, random);
    }
    const Scenario again = scenario_from_json(scenario_to_json(s), "test");
    for (const FieldInfo& info : fields()) {
      INFO(info.path);
      REQUIRE(again.has(info.field) == s.has(info.field));
      const Field one[] = {info.field};
      CHECK(again.equal(s, one));
      CHECK(again.digest(one) == s.digest(one));
    }
  }
}

TEST_CASE("of fields that exclude each other a scenario keeps the last, or is refused",
          "[scenario]") {
  REQUIRE_FALSE(exclusive_fields().empty());
  std::mt19937 random(7);
  for (const auto& [a, b] : exclusive_fields()) {
    INFO(field_info(a).path << " and " << field_info(b).path);
    Scenario s;
    set_any(s, field_info(a), random);
    set_any(s, field_info(b), random);
    if (s.has(a) && s.has(b)) CHECK_THROWS_AS(refuse_exclusive(s), Error);
    s.clear_excluded_by(b);
    CHECK_FALSE(s.has(a));
    CHECK_NOTHROW(refuse_exclusive(s));
  }
}

TEST_CASE("a range is its median and its spread", "[scenario]") {
  Scenario s;
  s.set(field_info(Field::cost_price_per_gpu_hour), "2..8", "--price");
  CHECK_THAT(*s.number(Field::cost_price_per_gpu_hour), WithinRel(4.0, 1e-12));
  const Distribution* range = s.distribution(Field::cost_price_per_gpu_hour);
  REQUIRE(range != nullptr);
  CHECK_THAT(range->a * std::exp(1.2815515655446004 * range->b), WithinRel(8.0, 1e-9));
  CHECK_THROWS_AS(s.set(field_info(Field::cost_price_per_gpu_hour), "8..2", "--price"), Error);
  s.set_number(Field::cost_price_per_gpu_hour, 3);
  CHECK(s.distribution(Field::cost_price_per_gpu_hour) == nullptr);
}

TEST_CASE("a stage has what the base has, but for what it says itself", "[scenario]") {
  Scenario base;
  base.set_number(Field::model_params, 7e9);
  base.set_number(Field::data_tokens, 1e12);
  Scenario::Stage stage{"long", {}};
  stage.overrides.set_number(Field::data_tokens, 1e10);
  base.stages.push_back(stage);
  const Scenario of_stage = stage_scenario(base, base.stages.front());
  CHECK(of_stage.number(Field::model_params) == 7e9);
  CHECK(of_stage.number(Field::data_tokens) == 1e10);
  CHECK(of_stage.stages.empty());
}

TEST_CASE("JSON with a key that nothing has is refused, with what comes nearest", "[scenario]") {
  const auto refused = [](std::string_view json) {
    try {
      scenario_from_json(json, "mine.json");
    } catch (const Error& error) {
      CHECK(error.kind == ErrorKind::data);
      return error.message + " " + error.hint + " " + error.location;
    }
    return std::string("read");
  };
  CHECK(refused(R"({"model": {"parms": 1e9}})").find("params") != std::string::npos);
  CHECK(refused(R"({"model": {"parms": 1e9}})").find("mine.json") != std::string::npos);
  CHECK(refused(R"({"model": {"params": 1e9, "params": 2e9}})") != "read");
  CHECK(refused(R"({"model": 3})") != "read");
  CHECK(refused("[]") != "read");
}

TEST_CASE("rejects a file of more stages than a training may have", "[scenario]") {
  const auto file = [](std::size_t stages) {
    std::string text = R"({"stages": [)";
    for (std::size_t i = 0; i < stages; ++i)
      text += std::string(i > 0 ? "," : "") + R"({"name": "a"})";
    return text + "]}";
  };
  CHECK(scenario_from_json(file(kMostTrainingStages), "f").stages.size() == kMostTrainingStages);
  CHECK(contains(message_of([&] { (void)scenario_from_json(file(kMostTrainingStages + 1), "f"); }),
                 "2001 stages, of which a file may have 2000"));
}

TEST_CASE("scenarios of the same values are told from others", "[scenario]") {
  Scenario a, b;
  a.set_number(Field::data_tokens, 1e9);
  b.set_number(Field::data_tokens, 1e9);
  CHECK(a.same_values(b));
  b.set_text(Field::model_name, "llama-3.1-8b");
  CHECK_FALSE(a.same_values(b));
  b.clear(Field::model_name);
  CHECK(a.same_values(b));
  const FieldInfo& tokens = field_info(Field::data_tokens);
  b.set(tokens, "1e9..2e9", "--tokens");
  CHECK_FALSE(b.same_values(b));
}
