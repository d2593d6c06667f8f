// SPDX-License-Identifier: Apache-2.0
// The cache of an Estimator follows from each field's meaning: a field that moves
// more than its row says would give stale answers.
#include <algorithm>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/columns/estimate_columns.h"
#include "estimate/question/work/field_names.h"
#include "scenario/fields.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

namespace {

using namespace trcost;

Scenario base() {
  Scenario s;
  s.set_number(Field::model_params, 7e9);
  s.set_text(Field::model_modality, "vl");
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 64);
  s.set_number(Field::data_tokens, 2e10);
  s.set_number(Field::cost_experiments, 1);
  return s;
}

// A rollout's fields need rollouts, a run on samples has no tokens given.
Scenario rounds() {
  Scenario s;
  s.set_text(Field::model_name, "llama-3.1-8b");
  s.set_text(Field::train_method, "ppo");
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 64);
  return s;
}

// Words that a field may have beside the one that it has, or numbers within its range.
std::vector<std::string> other_values(const FieldInfo& info) {
  switch (info.kind) {
    case FieldKind::choice:
      return field_choices(info);
    case FieldKind::flag:
      return {"on", "off"};
    case FieldKind::size:
      return {"800x600", "1920x1080"};
    case FieldKind::text:
    case FieldKind::list: {
      if (info.field == Field::cost_as_of) return {"2026-11-01", "2026-06-01"};
      if (info.field == Field::efficiency_overlap) return {"on", "off", "dp,tp", "cp"};
      std::vector<std::string> names = known_names(test_catalog(), field_meaning(info.field).names);
      if (names.size() > 6) names = {names[0], names[names.size() / 2], names.back()};
      return names;
    }
    default:
      break;
  }
  std::vector<std::string> out;
  for (const double value : {0.3, 1.0, 2.0, 8.0, 300.0, 5e3, 2e10}) {
    if (value >= info.lowest && value <= info.highest) out.push_back(format_exact(value));
  }
  return out;
}

// Every figure, or what is said where there is none.
std::string written_answer(Estimator& estimator, const Scenario& scenario) {
  std::string out;
  try {
    const Estimate estimate = estimator.run(scenario).front();
    for (const EstimateColumn* column : all_columns()) {
      const auto number = column->number(estimate);
      out += number ? format_exact(*number) : std::string(column->text(estimate));
      out += '\n';
    }
  } catch (const Error& error) {
    out = error.message;
  }
  return out;
}

void check(const Scenario& start, const FieldInfo& info) {
  Estimator reused(test_catalog());
  written_answer(reused, start);
  for (const std::string& value : other_values(info)) {
    Scenario other = start;
    try {
      other.clear_excluded_by(info.field);
      other.set(info, value, info.flag);
    } catch (const Error&) {
      continue;  // not a value that the field takes
    }
    INFO(info.path << " = " << value);
    Estimator fresh(test_catalog());
    const std::string expected = written_answer(fresh, other);
    CHECK((written_answer(reused, other) == expected));
  }
  Estimator fresh(test_catalog());
  CHECK((written_answer(reused, start) == written_answer(fresh, start)));
}

}  // namespace

TEST_CASE("an estimator that answered before answers as a fresh one, whichever field differs",
          "[estimate][reuse]") {
  for (const FieldInfo& info : fields()) check(base(), info);
}

TEST_CASE("the same of rounds of reinforcement learning", "[estimate][reuse]") {
  for (const FieldInfo& info : fields()) check(rounds(), info);
}

TEST_CASE("every field's resolved value is a column, and no field excludes itself",
          "[estimate][reuse]") {
  for (const FieldInfo& info : fields()) {
    INFO(info.path);
    const FieldMeaning& meaning = field_meaning(info.field);
    if (!meaning.answer.empty()) CHECK(find_column(meaning.answer) != nullptr);
    for (const Field other : meaning.excludes) CHECK(other != info.field);
    if (const auto& needs = meaning.only_with) {
      const auto words = field_choices(field_info(needs->field));
      CHECK(std::ranges::find(words, needs->word) != words.end());
    }
  }
}
