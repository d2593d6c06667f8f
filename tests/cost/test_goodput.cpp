// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "catch.h"
#include "cost/goodput.h"
#include "cost/vector_file.h"
#include "trcost/error.h"

using namespace trcost;

TEST_CASE("failures: Llama 3's published interruptions", "[cost][goodput]") {
  const auto rate = test_vector("gpu_hours_per_failure/llama3");
  CHECK_THAT(gpu_hours_per_failure(16384, 54 * 24.0, 419),
             WithinRel(rate["expected"].get<double>(), 1e-12));
  const auto mtbf = test_vector("mtbf/llama3");
  FailureInputs job;
  job.gpus = 16384;
  job.gpu_hours_per_failure = gpu_hours_per_failure(16384, 54 * 24.0, 419);
  job.busy_seconds = 54 * 86400.0;
  CHECK_THAT(plan_goodput(job).mtbf_seconds / 3600,
             WithinRel(mtbf["expected"].get<double>(), 1e-12));
}

TEST_CASE("checkpoint intervals by Young and Daly", "[cost][goodput]") {
  for (const char* name : {"young/delta60s MTBF3.093h", "daly/delta60s MTBF3.093h"}) {
    const auto row = test_vector(name);
    const double delta = row["inputs"]["delta"];
    const double mtbf = row["inputs"]["M"];
    const double got = name[0] == 'y' ? young_interval(delta, mtbf) : daly_interval(delta, mtbf);
    CHECK_THAT(got, WithinRel(row["expected"].get<double>(), 1e-12));
  }
  // A checkpoint that takes longer than the job survives: no interval helps, Daly's limit is M.
  CHECK(daly_interval(1000, 400) == 400);
}

TEST_CASE("goodput by the exponential form", "[cost][goodput]") {
  for (const char* name : {"goodput/llama3 delta30 R300", "goodput/delta60 R600 16K"}) {
    const auto row = test_vector(name);
    const double delta = row["inputs"]["delta"];
    const double mtbf = row["inputs"]["M"];
    const double restart = row["inputs"]["R"];
    const double tau = young_interval(delta, mtbf);
    CHECK_THAT(exponential_goodput(tau, delta, restart, mtbf),
               WithinRel(row["expected"].get<double>(), row["rel_tol"].get<double>()));
    // Daly's interval is the better one, if only just.
    CHECK(exponential_goodput(daly_interval(delta, mtbf), delta, restart, mtbf) >=
          exponential_goodput(tau, delta, restart, mtbf));
  }
  // To first order 1 - delta/tau - (tau/2 + R)/M, where all of it is small.
  const double mtbf = 1e7;
  const double first =
      1 - 10 / young_interval(10, mtbf) - (young_interval(10, mtbf) / 2 + 60) / mtbf;
  CHECK_THAT(exponential_goodput(young_interval(10, mtbf), 10, 60, mtbf), WithinAbs(first, 1e-5));
}

TEST_CASE("a fixed stall and restart give the published goodput at every scale",
          "[cost][goodput]") {
  // model.md 6: delta 60 s, R 600 s, Llama 3's failure rate.
  const std::pair<double, double> rows[] = {
      {1000, .971}, {4000, .936}, {32000, .772}, {100000, .550}, {300000, .230}};
  for (const auto& [gpus, expected] : rows) {
    const double mtbf = 3600 * FailureInputs().gpu_hours_per_failure / gpus;
    CHECK_THAT(exponential_goodput(young_interval(60, mtbf), 60, 600, mtbf),
               WithinAbs(expected, 0.012));
  }
}

TEST_CASE("goodput falls slowly from 8 to 300,000 accelerators", "[cost][goodput]") {
  double last = 1;
  for (const double gpus :
       {8., 64., 512., 4096., 16384., 20000., 30000., 45000., 65536., 100000., 200000., 300000.}) {
    FailureInputs inputs;
    inputs.gpus = gpus;
    inputs.checkpoint_bytes = 14.0 * 405e9 * std::min(1.0, gpus / 16384);
    const GoodputResult result = plan_goodput(inputs);
    INFO(gpus << " accelerators: " << result.goodput);
    CHECK(result.goodput < last);  // more machines never fail less
    CHECK(result.goodput > 0.7);
    CHECK((gpus <= 16384) == (result.async_share == 0));
    last = result.goodput;
  }
  FailureInputs llama;
  llama.gpus = 16384;
  llama.checkpoint_bytes = 14 * 405.85e9;
  CHECK(plan_goodput(llama).goodput > 0.90);  // "higher than 90 % effective training time"
}

TEST_CASE("hot spares are listed as an assumption", "[cost][goodput]") {
  FailureInputs inputs;
  inputs.gpus = 100000;
  const auto notes = goodput_notes(inputs, plan_goodput(inputs));
  const bool said = std::any_of(notes.begin(), notes.end(), [](const GoodputNote& note) {
    return note.path == "cost.spares" && note.value > 0;
  });
  CHECK(said);
}

TEST_CASE("spot loses more work", "[cost][goodput]") {
  FailureInputs inputs;
  inputs.gpus = 64;
  inputs.checkpoint_bytes = 14 * 8e9;
  const double steady = plan_goodput(inputs).goodput;
  inputs.spot = true;
  const GoodputResult spot = plan_goodput(inputs);
  CHECK(spot.goodput < steady);
  CHECK(spot.mtbf_seconds < 3600 * 24);
  inputs.gpus = 300000;
  CHECK_THROWS_AS(plan_goodput(inputs), Error);
}

TEST_CASE("the user's stall, restart, interval and spares replace the defaults",
          "[cost][goodput]") {
  FailureInputs inputs;
  inputs.gpus = 16384;
  inputs.stall_seconds = 30;
  inputs.restart_seconds = 300;
  inputs.interval_seconds = 817;
  inputs.spare_share = 0;
  const auto row = test_vector("goodput/llama3 delta30 R300");
  CHECK_THAT(plan_goodput(inputs).goodput, WithinRel(row["expected"].get<double>(), 1e-4));
  inputs.spare_share = 0.1;
  CHECK_THAT(plan_goodput(inputs).goodput, WithinRel(0.9 * row["expected"].get<double>(), 1e-4));
}

TEST_CASE("spot preempts a part of a node like a whole one", "[cost][goodput]") {
  FailureInputs inputs;
  inputs.spot = true;
  inputs.gpu_hours_per_failure = 1e12;  // preemptions alone
  for (const double gpus : {1., 3., 8.}) {
    inputs.gpus = gpus;
    CHECK_THAT(plan_goodput(inputs).mtbf_seconds, WithinRel(24 * 3600.0, 1e-6));
  }
  inputs.gpus = 9;
  CHECK_THAT(plan_goodput(inputs).mtbf_seconds, WithinRel(12 * 3600.0, 1e-6));
  inputs.preemption_hours = 6;
  const GoodputResult result = plan_goodput(inputs);
  CHECK_THAT(result.mtbf_seconds, WithinRel(3 * 3600.0, 1e-6));
  // The assumption stands under its own field, as a value that can be given back.
  const auto notes = goodput_notes(inputs, result);
  CHECK(std::any_of(notes.begin(), notes.end(), [](const GoodputNote& note) {
    return note.path == "efficiency.preemption_hours" && note.value == 6;
  }));
  CHECK(std::none_of(notes.begin(), notes.end(), [](const GoodputNote& note) {
    return note.path == "efficiency.failure_gpu_hours";
  }));
}

namespace {

Error refusal(const FailureInputs& inputs) {
  try {
    plan_goodput(inputs);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::no_answer, "nothing was refused");
}

}  // namespace

TEST_CASE("a job without progress fails with the flag that helps", "[cost][goodput]") {
  FailureInputs spot;
  spot.gpus = 300000;
  spot.spot = true;
  CHECK(refusal(spot).message.find("interrupted every") != std::string::npos);
  CHECK(refusal(spot).hint.starts_with("take fewer accelerators"));
  spot.gpus = 1000000;
  CHECK(refusal(spot).hint.starts_with("take fewer accelerators"));

  FailureInputs idle;
  idle.gpus = 64;
  idle.spare_share = 1;
  CHECK(refusal(idle).message ==
        "a job of 64 accelerators keeps 100% of them as spares: none is "
        "left to work");
  CHECK(refusal(idle).hint == "use fewer --spares");

  FailureInputs rare;
  rare.gpus = 4096;
  rare.interval_seconds = 1000 * 86400.0;
  CHECK(refusal(rare).hint.starts_with("use a shorter --checkpoint-interval"));
}

TEST_CASE("an interval is at most the run", "[cost][goodput]") {
  FailureInputs inputs;
  inputs.gpus = 64;
  inputs.interval_seconds = 1000 * 86400.0;
  inputs.busy_seconds = 3600;
  const GoodputResult result = plan_goodput(inputs);
  CHECK(result.interval_seconds == 3600);
  const double mtbf = 3600 * FailureInputs().gpu_hours_per_failure / 64;
  CHECK_THAT(result.goodput, WithinRel(exponential_goodput(3600, 0, 300, mtbf), 1e-12));
  // Hardly shorter than a run in one piece: its last hour is not lost again.
  inputs.busy_seconds = 2000 * 86400.0;
  inputs.interval_seconds = 600;
  CHECK(plan_goodput(inputs).interval_seconds == 600);
}

TEST_CASE("the explanation rebuilds the checkpoint stall", "[cost][goodput]") {
  FailureInputs inputs;
  inputs.checkpoint_bytes = 14 * 405e9;
  for (const double gpus : {1024., 20000., 100000.}) {
    inputs.gpus = gpus;
    const GoodputResult result = plan_goodput(inputs);
    const double a = std::clamp(std::log2(gpus / 16384) / 2, 0.0, 1.0);
    const double written = 5 + inputs.checkpoint_bytes / (0.12207e9 * gpus);
    CHECK_THAT(result.stall_seconds, WithinRel(std::pow(written, 1 - a) * std::pow(5, a), 1e-4));
    const std::string formula = derive_goodput(inputs, result)[1].formula;
    CHECK((formula.find("5^a") != std::string::npos) == (gpus > 16384));
    CHECK(formula.find("0.122 GB/s") != std::string::npos);
  }
  inputs.stall_seconds = 60;
  const auto steps = derive_goodput(inputs, plan_goodput(inputs));
  CHECK(steps[1].formula == "given");
  CHECK(steps[1].result == "60 s");
}

TEST_CASE("less than half an accelerator is no spare", "[cost][goodput]") {
  FailureInputs inputs;
  inputs.gpus = 16392;
  CHECK(plan_goodput(inputs).spare_share == 0);
  inputs.gpus = 30000;
  CHECK(plan_goodput(inputs).spare_share * 30000 > 1);
}
