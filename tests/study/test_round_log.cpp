// SPDX-License-Identifier: Apache-2.0
// Logs of rounds of reinforcement learning: the time of a round and of its parts.
#include <sstream>

#include "catalog_fixture.h"
#include "catch.h"
#include "study/calibrate/calibrate.h"
#include "study/calibrate/training_log.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

constexpr const char* kVerl =
    "step:1 - actor/pg_loss:0.01 - timing_s/gen:119.0 - timing_s/old_log_prob:20.0 - "
    "timing_s/ref:18.0 - timing_s/adv:0.5 - timing_s/update_actor:60.0 - timing_s/step:220.0\n"
    "step:2 - actor/pg_loss:0.02 - timing_s/gen:119.0 - timing_s/old_log_prob:20.0 - "
    "timing_s/ref:18.0 - timing_s/adv:0.5 - timing_s/update_actor:60.0 - timing_s/step:220.0\n"
    "step:3 - actor/pg_loss:0.01 - timing_s/gen:119.0 - timing_s/old_log_prob:20.0 - "
    "timing_s/ref:18.0 - timing_s/adv:0.5 - timing_s/update_actor:60.0 - timing_s/step:220.0\n";

Scenario round_of(const char* method) {
  Scenario s;
  s.set_text(Field::train_method, method);
  s.set_text(Field::model_name, "qwen3-8b");
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 8);
  if (std::string(method) != "grpo") return s;
  s.set_number(Field::rollout_prompts, 128);
  s.set_number(Field::rollout_samples_per_prompt, 8);
  s.set_number(Field::rollout_response_tokens, 1500);
  return s;
}

}  // namespace

TEST_CASE("a round's parts are read beside its time", "[calibrate][log]") {
  std::istringstream in(kVerl);
  const LogSteps log = read_training_log(in, "verl.log");
  CHECK(log.unit == LogUnit::round_seconds);
  CHECK(log.value == Approx(220));
  const auto part = [&](RoundPart which) { return log.parts[static_cast<std::size_t>(which)]; };
  CHECK(part(RoundPart::generation) == Approx(119));
  CHECK(part(RoundPart::scoring) == Approx(20 + 18));
  CHECK(part(RoundPart::learning) == Approx(60));
  CHECK(part(RoundPart::rest) == Approx(0.5));
}

TEST_CASE("a measured round stands beside the predicted one, and no stack is fitted to it",
          "[calibrate][log]") {
  std::istringstream in(kVerl);
  Measurements measured;
  read_measured_log(test_catalog(), in, "verl.log", round_of("grpo"), measured);
  REQUIRE(measured.rounds.size() == 1);
  const StepExplanation& round = measured.rounds.front();
  CHECK(round.measured_seconds == Approx(220));
  double predicted = 0, told = 0;
  for (const ExplainedTerm& term : round.terms) {
    predicted += term.predicted_seconds;
    if (term.factor) told += *term.factor * term.predicted_seconds;
  }
  CHECK(predicted == Approx(round.predicted_seconds));
  CHECK(told == Approx(220));
  const CalibrationResult result = calibrate(test_catalog(), measured);
  CHECK(result.stack_json.empty());
  CHECK(result.explained.size() == 1);
}

TEST_CASE("a log of rounds needs a question with rounds", "[calibrate][log]") {
  std::istringstream in(kVerl);
  Measurements measured;
  CHECK_THROWS_AS(read_measured_log(test_catalog(), in, "verl.log", round_of("sft"), measured),
                  Error);
}
