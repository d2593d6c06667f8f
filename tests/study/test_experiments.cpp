// SPDX-License-Identifier: Apache-2.0
// An ablation study: its arithmetic, and schedules against bounds and by hand.
#include "study/experiments/experiments.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "catalog_fixture.h"
#include "catch.h"

using namespace trcost;

namespace {

Experiment named(const char* name, double params, double tokens, double repeats) {
  Experiment e;
  e.name = name;
  e.params_fraction = params;
  e.tokens_fraction = tokens;
  e.repeats = repeats;
  return e;
}

ExperimentStudy ablation_study() {
  ExperimentStudy s;
  s.base.set_number(Field::model_params, 7e9);
  s.base.set_number(Field::data_tokens, 2e11);
  s.base.set_text(Field::hardware_accelerator, "h100-sxm,b200");
  s.experiments = {named("rate", 0.1, 0.1, 5), named("data", 0.05, 0.2, 3)};
  s.experiments[0].seeds = 2;
  s.experiments[1].failure_share = 0.25;
  return s;
}

}  // namespace

TEST_CASE("attempts are runs over the share that succeeds", "[experiments]") {
  Experiment e = named("x", 1, 1, 6);
  e.seeds = 2;
  e.failure_share = 0.25;
  CHECK(e.runs() == 12);
  CHECK_THAT(e.attempts(), WithinRel(16.0, 1e-12));
}

TEST_CASE("a study is the sum of its experiments", "[experiments]") {
  const ExperimentStudy asked = ablation_study();
  const ExperimentReport report = run_experiments(asked, test_catalog());
  REQUIRE(report.platforms.size() == 2);
  for (const PlatformExperiments& platform : report.platforms) {
    INFO(platform.accelerator);
    double hours = 0, usd = 0, tokens = 0, runs = 0;
    for (const ExperimentResult& each : platform.experiments) {
      const Experiment& e = *each.experiment;
      INFO(e.name);
      CHECK_THAT(each.gpu_hours,
                 WithinRel(each.run.gpus * each.run_seconds / 3600 * e.attempts(), 1e-9));
      CHECK_THAT(*each.used_usd, WithinRel(each.gpu_hours * *platform.price_per_gpu_hour, 1e-9));
      CHECK_THAT(*each.idle_usd,
                 WithinRel(each.idle_gpu_hours * *platform.price_per_gpu_hour, 1e-9));
      CHECK_THAT(each.tokens, WithinRel(2e11 * e.tokens_fraction * e.attempts(), 1e-3));
      hours += each.gpu_hours;
      usd += *each.used_usd + *each.idle_usd;
      tokens += each.tokens;
      runs += e.runs();
    }
    CHECK_THAT(platform.gpu_hours, WithinRel(hours, 1e-12));
    CHECK_THAT(*platform.usd, WithinRel(usd, 1e-12));
    CHECK_THAT(platform.tokens, WithinRel(tokens, 1e-12));
    CHECK(platform.runs == runs);
    CHECK_THAT(*platform.usd_per_run, WithinRel(usd / runs, 1e-12));
    CHECK(platform.range.total_usd->p10 < usd);
    CHECK(platform.range.total_usd->p90 > usd);
  }
}

TEST_CASE("a share of a mixture is a dense model of that share of its active parameters",
          "[experiments]") {
  ExperimentStudy asked;
  asked.base.set_text(Field::model_name, "deepseek-v3");
  asked.base.set_number(Field::data_tokens, 1e12);
  asked.base.set_text(Field::hardware_accelerator, "h100-sxm");
  asked.experiments = {named("small", 0.05, 0.01, 1)};
  const PlatformExperiments small = run_experiments(asked, test_catalog()).platforms.front();
  // 37 billion of 671 are activated for each token (arXiv:2412.19437); trcost counts 37.6.
  CHECK_THAT(small.experiments.front().run.model.params_total, WithinRel(0.05 * 37.6e9, 0.01));
  CHECK_THAT(small.rule_share, WithinRel(0.05 * 0.01, 0.01));
  REQUIRE(small.assumptions.size() == 1);
  CHECK(small.assumptions.front().why.find("dense") != std::string::npos);
  asked.base.clear(Field::model_name);
  asked.base.set_number(Field::model_params, 7e9);
  CHECK(run_experiments(asked, test_catalog()).platforms.front().assumptions.empty());
}

TEST_CASE("twice the repeats cost twice as much, and stopping early saves its share",
          "[experiments]") {
  ExperimentStudy once = ablation_study();
  // The same accelerators whatever is saved: those that idle beside the runs are packed anew.
  once.run_seconds = 1e9;
  for (Experiment& e : once.experiments) e.overrides.set_number(Field::hardware_gpus, 1);
  ExperimentStudy twice = once, stopped = once;
  for (Experiment& e : twice.experiments) e.repeats *= 2;
  for (Experiment& e : stopped.experiments) e.early_stopping = 0.4;
  const auto usd = [](const ExperimentStudy& s) {
    return *run_experiments(s, test_catalog()).platforms[0].used_usd;
  };
  CHECK_THAT(usd(twice), WithinRel(2 * usd(once), 1e-9));
  CHECK_THAT(usd(stopped), WithinRel(0.6 * usd(once), 1e-9));
}

TEST_CASE("an experiment takes the size with which least is paid, idle accelerators included",
          "[experiments]") {
  ExperimentStudy asked = ablation_study();
  asked.base.set_text(Field::hardware_accelerator, "h100-sxm");
  for (const double runs : {1.0, 3.0, 8.0, 20.0}) {
    asked.experiments = {named("one", 0.1, 0.1, runs)};
    const PlatformExperiments free = run_experiments(asked, test_catalog()).platforms[0];
    double least = 0;  // of the sizes within a node that end in time, each asked for
    for (const double gpus : {1.0, 2.0, 4.0, 8.0}) {
      ExperimentStudy fixed = asked;
      fixed.experiments[0].overrides.set_number(Field::hardware_gpus, gpus);
      const PlatformExperiments each = run_experiments(fixed, test_catalog()).platforms[0];
      if (each.experiments[0].run_seconds > asked.run_seconds) continue;
      if (least == 0 || *each.usd < least) least = *each.usd;
    }
    INFO(runs << " runs");
    REQUIRE(least > 0);
    CHECK_THAT(*free.usd, WithinRel(least, 1e-6));
  }
}

TEST_CASE("a single run leaves nothing of a node to pay for", "[experiments]") {
  // Beside one run of half a node the other half would be paid for; the whole takes about half the
  // time for the same money.
  ExperimentStudy asked;
  asked.base.set_number(Field::model_params, 1e9);
  asked.base.set_text(Field::hardware_accelerator, "h100-sxm");
  asked.experiments = {named("one", 1, 1, 1)};
  const PlatformExperiments platform = run_experiments(asked, test_catalog()).platforms[0];
  CHECK(platform.experiments[0].run.gpus == platform.node_gpus);
  CHECK(platform.idle_gpu_hours == 0);
}

TEST_CASE("a run that no node finishes in time gets the cluster that a deadline gets",
          "[experiments]") {
  ExperimentStudy asked = ablation_study();
  asked.base.set_text(Field::hardware_accelerator, "h100-sxm");
  asked.experiments = {named("final", 1, 1, 1)};
  Scenario timed = asked.base;
  timed.set_number(Field::hardware_deadline, asked.run_seconds);
  const double gpus = estimate(timed, test_catalog())[0].gpus;
  CHECK(run_experiments(asked, test_catalog()).platforms[0].experiments[0].run.gpus == gpus);
  // A cluster that has fewer: the fewest of its nodes that are in time, or the fastest of them.
  asked.base.set_number(Field::hardware_gpus, gpus + 8);
  CHECK(run_experiments(asked, test_catalog()).platforms[0].experiments[0].run.gpus == gpus);
  asked.base.set_number(Field::hardware_gpus, gpus - 16);
  const ExperimentResult late = run_experiments(asked, test_catalog()).platforms[0].experiments[0];
  CHECK_FALSE(late.in_time);
  CHECK(late.run.gpus <= gpus - 16);
  CHECK(late.run.gpus > gpus / 2);
}

TEST_CASE("what is packed is what is paid, also where attempts are no whole number",
          "[experiments][schedule]") {
  ExperimentStudy asked = ablation_study();
  asked.base.set_number(Field::hardware_gpus, 32);
  asked.experiments[0].failure_share = 0.15;
  REQUIRE(asked.experiments[0].attempts() != std::round(asked.experiments[0].attempts()));
  for (const PlatformExperiments& each : run_experiments(asked, test_catalog()).platforms) {
    const ExperimentSchedule& all = *each.schedule;
    CHECK_THAT(all.busy_share * all.gpus * all.seconds / 3600, WithinRel(each.gpu_hours, 1e-9));
    CHECK(each.gpu_hours + each.idle_gpu_hours <= all.gpus * all.seconds / 3600 * (1 + 1e-9));
  }
}

TEST_CASE("what idles is borne by the runs that do not fill their node", "[experiments]") {
  ExperimentStudy asked = ablation_study();
  asked.base.set_text(Field::hardware_accelerator, "h100-sxm");
  asked.experiments = {named("whole", 0.1, 0.1, 3), named("part", 0.1, 0.01, 3)};
  asked.experiments[0].overrides.set_number(Field::hardware_gpus, 8);
  asked.experiments[1].overrides.set_number(Field::hardware_gpus, 2);
  const PlatformExperiments found = run_experiments(asked, test_catalog()).platforms[0];
  CHECK(found.experiments[0].idle_gpu_hours == 0);
  CHECK(*found.experiments[0].idle_usd == 0);
  // Three of two in a node of eight.
  CHECK_THAT(found.experiments[1].idle_gpu_hours,
             WithinRel(found.experiments[1].gpu_hours / 3, 1e-9));
  CHECK_THAT(found.idle_gpu_hours, WithinRel(found.experiments[1].idle_gpu_hours, 1e-9));
}

TEST_CASE("a schedule by hand", "[experiments][schedule]") {
  // Eight accelerators: the job of eight first, then two of four side by side, then one.
  const JobSchedule s = schedule_jobs({{4, 100, 3}, {8, 50, 1}}, 8, 8);
  CHECK_THAT(s.seconds, WithinRel(50.0 + 100 + 100, 1e-12));
  CHECK_THAT(s.idle_gpu_seconds, WithinRel(4.0 * 100, 1e-12));  // half a node beside the last
  REQUIRE(s.idle_of_job.size() == 2);
  CHECK_THAT(s.idle_of_job[0], WithinRel(4.0 * 100, 1e-12));
  CHECK(s.idle_of_job[1] == 0);
}

TEST_CASE("no schedule is shorter than its work, nor twice as long as list scheduling may be",
          "[experiments][schedule][property]") {
  std::mt19937 generator(20261124);
  const auto random = [&] { return static_cast<unsigned>(generator()); };
  for (int i = 0; i < 300; ++i) {
    const double gpus = 8.0 * (1 + random() % 16);
    std::vector<ScheduledJob> jobs;
    double work = 0, longest = 0;
    const int count = 1 + static_cast<int>(random() % 8);
    for (int j = 0; j < count; ++j) {
      ScheduledJob job;
      job.gpus = std::min(gpus, std::exp2(random() % 6));
      job.seconds = 10 + random() % 1000;
      job.count = 1 + random() % 9;
      work += job.gpus * job.seconds * job.count;
      longest = std::max(longest, job.seconds);
      jobs.push_back(job);
    }
    const JobSchedule s = schedule_jobs(jobs, gpus, 8);
    INFO("case " << i);
    CHECK(s.seconds >= longest * (1 - 1e-12));
    CHECK(s.seconds >= work / gpus * (1 - 1e-12));
    // Sizes are powers of two, largest first: while a job waits, more than half is busy.
    CHECK(s.seconds <= 2 * work / gpus + longest * (1 + 1e-9));
    CHECK(s.idle_gpu_seconds >= 0);
    CHECK(s.idle_gpu_seconds <= s.seconds * gpus - work + 1e-6 * work);
    double borne = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      borne += s.idle_of_job[j];
      if (std::fmod(jobs[j].gpus, 8) == 0) CHECK(s.idle_of_job[j] == 0);
    }
    CHECK_THAT(borne, WithinRel(s.idle_gpu_seconds, 1e-9) || WithinAbs(0.0, 1e-9));
  }
}

TEST_CASE("a price of any region is a warning of the study", "[experiments][region]") {
  ExperimentStudy study = ablation_study();
  study.base.set_text(Field::hardware_accelerator, "h100-sxm");
  const auto regional = [&] {
    const auto warnings = run_experiments(study, test_catalog()).warnings;
    return std::ranges::count_if(warnings, [](const std::string& line) {
      return line.find("any region") != std::string::npos;
    });
  };
  CHECK(regional() == 0);
  study.base.set_text(Field::cost_region, "cn");
  CHECK(regional() == 1);
}
