// SPDX-License-Identifier: Apache-2.0
// Cluster sizes for a deadline: on made-up clusters whose answer is known, and on the real model.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/answer.h"
#include "estimate/cluster/deadline_search.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

constexpr double kDay = 86400;

/// A cluster whose speed per accelerator falls with size and jumps from size to size.
struct Ragged {
  std::uint64_t seed;
  double work;    // accelerator-seconds at full speed
  double halves;  // accelerators at which the speed has halved
  double seconds(double gpus) const {
    std::mt19937_64 dice(seed + static_cast<std::uint64_t>(gpus));
    const double ragged = std::uniform_real_distribution<>(0.5, 1)(dice);
    return work / (gpus * ragged / (1 + gpus / halves));
  }
};

/// Looks at every size of the grid.
double fewest_of_all(const ClusterSizes& sizes, const Ragged& cluster, double deadline) {
  for (double n = sizes.unit(); n <= kMostGpus; n = sizes.after(n)) {
    if (cluster.seconds(n) <= deadline) return n;
  }
  return 0;
}

Scenario question(double params, double days) {
  Scenario s;
  s.set_number(Field::model_params, params);
  s.set_number(Field::hardware_deadline, days * kDay);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  return s;
}

}  // namespace

TEST_CASE("sizes are units, then units of five binary digits", "[estimate][cluster]") {
  const ClusterSizes sizes(8);
  CHECK(sizes.at_least(1) == 8);
  CHECK(sizes.at_least(8) == 8);
  CHECK(sizes.at_least(9) == 16);
  CHECK(sizes.after(256) == 272);
  CHECK(sizes.round_at_least(8 * 4) == 8 * 4);
  CHECK(sizes.round_at_least(8 * 5) == 8 * 6);
  CHECK(sizes.round_after(8 * 6) == 8 * 8);
  CHECK(sizes.round_after(8 * 8) == 8 * 12);
  for (double n = 8; n < kMostGpus; n = sizes.after(n)) {
    const double next = sizes.after(n);
    CHECK(next > n);
    CHECK(sizes.at_least(next) == next);
    CHECK(sizes.at_least(n + 1) == next);
    CHECK(next <= std::max(n + 8, n * 1.07));
  }
}

TEST_CASE("ragged clusters: the fewest that meet the deadline, or a cheaper size",
          "[estimate][cluster][property]") {
  const ClusterSizes sizes(8);
  std::mt19937_64 dice(7);
  int met = 0;
  for (int i = 0; i < 400; ++i) {
    const double halves = std::exp2(std::uniform_real_distribution<>(8, 18)(dice));
    const double needed = std::exp2(std::uniform_real_distribution<>(4, 17)(dice));
    const Ragged cluster{dice(), needed * 30 * kDay, halves};
    std::set<double> looks;
    const WallClock wall = [&](double gpus, double) {
      looks.insert(gpus);
      return cluster.seconds(gpus);
    };
    const SizesTried found = size_for_deadline(sizes, wall, sizes.at_least(needed), 30 * kDay);
    const double fewest = fewest_of_all(sizes, cluster, 30 * kDay);
    INFO("needed " << needed << ", halves at " << halves << ", fewest " << fewest << ", found "
                   << found.fewest().value_or(0) << ", looks " << looks.size());
    CHECK(looks.size() <= kMostSizesTried);
    // Where the speed has fallen so far that luck decides, the search may give up, or find more.
    const bool luck = fewest == 0 || fewest > halves / 4;
    if (!found.fewest()) {
      CHECK(luck);
      REQUIRE(found.fastest().has_value());
      CHECK(cluster.seconds(*found.fastest()) > 30 * kDay);
      CHECK(cluster.seconds(*found.fastest()) == found.seconds.at(*found.fastest()));
      continue;
    }
    ++met;
    const double gpus = found.best().value(), least = found.fewest().value();
    CHECK(cluster.seconds(gpus) <= 30 * kDay);
    CHECK(cluster.seconds(least) <= 30 * kDay);
    CHECK((luck || least <= fewest ||
           fewest * cluster.seconds(fewest) < 1.07 * least * cluster.seconds(least)));
    CHECK((luck || least <= 1.5 * fewest));
    // None of those looked at, and neither of the next two round sizes, is clearly cheaper.
    const double work = gpus * cluster.seconds(gpus);
    for (const double n : looks) {
      if (cluster.seconds(n) <= 30 * kDay) CHECK(0.97 * work <= n * cluster.seconds(n));
    }
    if (looks.size() < kMostSizesTried && !luck) {
      const double next = sizes.round_after(least);
      for (const double n : {next, sizes.round_after(next)}) {
        CHECK(0.97 * work <= n * cluster.seconds(n));
      }
    }
  }
  CHECK(met > 100);
}

TEST_CASE("a start that is too large is walked down, sizes that do not run are passed",
          "[estimate][cluster]") {
  const ClusterSizes sizes(8);
  const auto even = [](double gpus, double = 0) { return 8000 * kDay / gpus; };
  CHECK(size_for_deadline(sizes, even, 4096, 100 * kDay).best() == 80);
  const auto holds = [&](double gpus, double) {
    return gpus < 1000 ? std::numeric_limits<double>::infinity() : even(gpus);
  };
  CHECK(size_for_deadline(sizes, holds, 800, 100 * kDay).best() == 1000);
  const auto only_below = [&](double gpus, double) {
    return gpus < 2000 ? even(gpus) : 200 * kDay;
  };
  CHECK(size_for_deadline(sizes, only_below, 4096, 100 * kDay).best() == 80);
  const auto never = [](double, double) { return std::numeric_limits<double>::infinity(); };
  const SizesTried none = size_for_deadline(sizes, never, 80, 100 * kDay);
  CHECK_FALSE(none.best().has_value());
  CHECK_FALSE(none.fastest().has_value());
}

TEST_CASE("a longer deadline costs no more than a few per cent more, and is met",
          "[estimate][cluster][property]") {
  for (const double params : {7e9, 70e9, 178e9, 300e9}) {
    double least = std::numeric_limits<double>::infinity();
    for (double days = 15; days <= 240; days *= 1.25) {
      const Scenario s = question(params, days);
      INFO(params << " parameters in " << days << " d");
      Estimate e;
      try {
        e = answer(s);
      } catch (const Error& error) {
        CHECK(error.kind == ErrorKind::no_answer);
        CHECK(least == std::numeric_limits<double>::infinity());  // not after a shorter one was met
        continue;
      }
      CHECK(e.wall_clock_seconds <= days * kDay * (1 + 1e-9));
      CHECK(e.gpu_hours <= 1.05 * least);
      least = std::min(least, e.gpu_hours);
    }
  }
}

namespace {

struct Listed {
  double gpus, seconds, gpu_hours;
};

/// Answers of `--gpus` for round counts, if the same loss takes less than twice the tokens.
std::vector<Listed> listed(Scenario s, double unit, double most) {
  std::vector<Listed> out;
  s.clear(Field::hardware_deadline);
  for (double n = unit; n <= most; n *= 2) {
    s.set_number(Field::hardware_gpus, n);
    try {
      const Estimate e = answer(s);
      if (e.performance.batch_token_cost.value_or(0) > 1) continue;
      out.push_back({n, e.wall_clock_seconds, e.gpu_hours});
    } catch (const Error& error) {
      CHECK(error.kind == ErrorKind::no_answer);
    }
  }
  return out;
}

/// The shortest time that a refusal names is reached by the count that it names.
void check_refusal(Scenario s, const Error& error) {
  INFO(error.message);
  REQUIRE(error.kind == ErrorKind::no_answer);
  const std::size_t on = error.message.rfind(", on ");
  if (on == std::string::npos) {
    const auto says = [&](const char* words) {
      return error.message.find(words) != std::string::npos;
    };
    CHECK((says("The limit is 10,000,000") || says("twice the tokens")));
    return;
  }
  s.clear(Field::hardware_deadline);
  std::string count = error.message.substr(on + 5);
  std::erase(count, ',');
  s.set_number(Field::hardware_gpus, std::stod(count));
  const std::string time = format_number(answer(s).wall_clock_seconds, NumberKind::duration);
  CHECK(error.message.find("The shortest time found is " + time + ",") != std::string::npos);
}

void check_sizing(const Scenario& base, double unit, double most) {
  const std::vector<Listed> counts = listed(base, unit, most);
  REQUIRE_FALSE(counts.empty());
  double least = std::numeric_limits<double>::infinity();
  for (const double days : {0.25, 1., 3., 7., 14., 20., 30., 40., 50., 65., 90., 120., 200.}) {
    INFO(days << " d");
    Scenario s = base;
    s.set_number(Field::hardware_deadline, days * kDay);
    double cheapest = std::numeric_limits<double>::infinity();
    for (const Listed& each : counts) {
      if (each.seconds <= days * kDay) cheapest = std::min(cheapest, each.gpu_hours);
    }
    try {
      const Estimate e = answer(s);
      CHECK(e.wall_clock_seconds <= days * kDay * (1 + 1e-9));
      // Fewer accelerators are taken where they cost at most 3 % more.
      CHECK(0.97 * e.gpu_hours <= cheapest * (1 + 1e-9));
      CHECK(e.gpu_hours <= 1.04 * least);
      least = std::min(least, e.gpu_hours);
    } catch (const Error& error) {
      CHECK(cheapest == std::numeric_limits<double>::infinity());
      check_refusal(base, error);
    }
  }
}

}  // namespace

TEST_CASE(
    "sizing finds no dearer cluster than counts that are listed, and a longer deadline costs "
    "no more",
    "[estimate][cluster][property]") {
  Scenario s;
  double unit = 8, most = 16384;
  SECTION("70B, a million tokens a sequence") {
    s.set_number(Field::model_params, 70e9);
    s.set_number(Field::data_seq_length, 1e6);
    s.set_number(Field::data_tokens, 100e9);
    s.set_text(Field::hardware_accelerator, "gb200-nvl72");
    unit = 4;
  }
  SECTION("7B, a million tokens a sequence") {
    s.set_number(Field::model_params, 7e9);
    s.set_number(Field::data_seq_length, 1e6);
    s.set_number(Field::data_tokens, 100e9);
    s.set_text(Field::hardware_accelerator, "h100-sxm");
  }
  SECTION("30B, 128 thousand tokens a sequence") {
    s.set_number(Field::model_params, 30e9);
    s.set_number(Field::data_seq_length, 128e3);
    s.set_number(Field::data_tokens, 200e9);
    s.set_text(Field::hardware_accelerator, "h200");
  }
  SECTION("experts on few accelerators") {
    s.set_text(Field::model_name, "qwen3-30b-a3b");
    s.set_number(Field::data_tokens, 1e12);
    s.set_text(Field::hardware_accelerator, "h100-sxm");
  }
  SECTION("rounds of generation") {
    s.set_text(Field::train_method, "grpo");
    s.set_text(Field::model_name, "deepseek-v3");
    s.set_text(Field::hardware_accelerator, "b200");
  }
  SECTION("interrupted often") {
    s.set_number(Field::model_params, 1e12);
    s.set_number(Field::data_tokens, 20e12);
    s.set_text(Field::hardware_accelerator, "a100-sxm-80gb");
    most = 200000;
  }
  check_sizing(s, unit, most);
}

TEST_CASE("a cluster that misses the deadline says so, and what meets it", "[estimate][cluster]") {
  Scenario s = question(7e9, 3);
  s.set_number(Field::data_tokens, 1e12);
  s.set_number(Field::hardware_gpus, 64);
  const auto missed = [&](const Estimate& e) {
    return std::ranges::count_if(e.warnings, [](const std::string& each) {
      return each.find("longer than the --deadline") != std::string::npos;
    });
  };
  const Estimate late = answer(s);
  CHECK(late.wall_clock_seconds > 3 * kDay);
  REQUIRE(missed(late) == 1);
  Scenario sized = s;
  sized.clear(Field::hardware_gpus);
  const std::string enough = format_exact(answer(sized).gpus) + " would meet it";
  CHECK(std::ranges::any_of(late.warnings, [&](const std::string& each) {
    return each.find(enough) != std::string::npos;
  }));
  s.set_number(Field::hardware_deadline, late.wall_clock_seconds);
  CHECK(missed(answer(s)) == 0);
  s.clear(Field::hardware_deadline);
  CHECK(missed(answer(s)) == 0);
}

TEST_CASE("beyond the largest known cluster, what that one would take", "[estimate][cluster]") {
  Scenario s = question(1e12, 30);
  s.set_number(Field::data_tokens, 20e12);
  const Estimate large = answer(s);
  REQUIRE(large.gpus > 200'000);
  s.clear(Field::hardware_deadline);
  s.set_number(Field::hardware_gpus, 200'000);
  const std::string expected = "200,000 GPUs take about " +
                               format_number(answer(s).wall_clock_seconds, NumberKind::duration, 2);
  CHECK(std::ranges::any_of(large.warnings, [&](const std::string& each) {
    return each.find(expected) != std::string::npos;
  }));
}

TEST_CASE(
    "Llama 3.1 405B in two months takes what it takes: published, 16,384 H100 for 1.5e25 FLOP "
    "in 54 days at 0.40",
    "[estimate][cluster]") {
  Scenario s = question(405e9, 60);
  s.set_number(Field::data_tokens, 15.6e12);
  const Estimate e = answer(s);
  // arXiv:2407.21783, section 3.3.4: 54 days of the run at 90 % effective time on up to 16,384
  // GPUs; the model card's 30.84M GPU-hours are all of it.
  CHECK(e.gpu_hours > 0.7 * 30.84e6);
  CHECK(e.gpu_hours < 1.5 * 30.84e6);
}

TEST_CASE("DeepSeek-V3's pre-training lies in the range, its layout given or not",
          "[estimate][published]") {
  // arXiv:2412.19437, table 1: 2,664 thousand GPU-hours; section 3.2: PP 16, EP 64, DualPipe.
  constexpr double kReported = 2.664e6;
  Scenario s;
  s.set_text(Field::model_name, "deepseek-v3-mtp");
  s.set_number(Field::data_tokens, 14.8e12);
  s.set_number(Field::hardware_gpus, 2048);
  s.set_text(Field::hardware_accelerator, "h800");
  s.set_text(Field::train_precision, "fp8");
  s.set_text(Field::efficiency_tuning, "showcase");
  const auto holds = [&] {
    const Estimate e = answer(s);
    CHECK(e.range.gpu_hours.p10 < kReported);
    CHECK(e.range.gpu_hours.p90 > kReported);
  };
  for (const char* stack : {"megatron", "typical"}) {
    s.set_text(Field::efficiency_stack, stack);
    holds();
  }
  s.set_text(Field::efficiency_stack, "megatron");
  s.set_number(Field::layout_pp, 16);
  s.set_number(Field::layout_ep, 64);
  s.set_number(Field::layout_tp, 1);
  s.set_number(Field::train_global_batch, 15360);
  s.set_text(Field::efficiency_overlap, "ep,pp,dp");
  holds();
}

TEST_CASE("a deadline that nothing meets: the shortest time and its size are said",
          "[estimate][cluster]") {
  Scenario s = question(405e9, 5);
  s.set_number(Field::data_tokens, 15.6e12);
  s.set_number(Field::train_global_batch, 2048);
  try {
    answer(s);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind == ErrorKind::no_answer);
    CHECK(error.message.find("The shortest time found is") != std::string::npos);
    CHECK(error.hint.find("--global-batch") != std::string::npos);
  }
}

TEST_CASE("accelerators that stand idle interrupt no job: more of them take no longer",
          "[estimate][cluster][property]") {
  // All but some 164,000 of these stay idle: no layout divides steps of 5,120 sequences further.
  const Catalog catalog;
  Estimator estimator(catalog);
  Scenario scenario;
  scenario.set_text(Field::model_name, "deepseek-v3");
  scenario.set_number(Field::data_tokens, 14.8e12);
  scenario.set_text(Field::efficiency_stack, "megatron");
  double before = 0;
  for (const double gpus : {200000.0, 262144.0, 300000.0}) {
    scenario.set_number(Field::hardware_gpus, gpus);
    Estimate estimate;
    estimator.run_one(scenario, "gb200-nvl72", estimate);
    INFO(gpus << " with " << estimate.layout.gpus() << " at work");
    if (before > 0) CHECK(estimate.wall_clock_seconds <= before * 1.02);
    before = estimate.wall_clock_seconds;
  }
}

TEST_CASE("a small model on a huge cluster works on as few accelerators as finish soonest",
          "[estimate][cluster][property]") {
  // The exchange of gradients takes longer on all of them than the rest of a step.
  Scenario s;
  s.set_text(Field::model_name, "clip-vit-l-14-336");
  s.set_text(Field::model_modality, "text");
  s.set_text(Field::hardware_accelerator, "h200");
  s.set_number(Field::data_tokens, 1.1e13);
  s.set_number(Field::hardware_gpus, 424925);
  const Estimate all = answer(s);
  s.set_number(Field::hardware_gpus, 16384);
  CHECK(all.wall_clock_seconds <= answer(s).wall_clock_seconds * 1.02);
}

TEST_CASE("given degrees and a given MFU are kept", "[estimate][cluster]") {
  Scenario s = question(70e9, 60);
  s.set_number(Field::layout_tp, 8);
  s.set_number(Field::layout_pp, 5);
  const Estimate layout = answer(s);
  CHECK(layout.layout.pp == 5);
  CHECK(std::fmod(layout.gpus, 40) == 0);
  Scenario given = question(70e9, 60);
  given.set_number(Field::efficiency_mfu, 0.4);
  const Estimate fast = answer(given);
  CHECK(fast.wall_clock_seconds <= 60 * kDay);
  given.set_number(Field::hardware_gpus, std::floor(fast.gpus / 8 / 1.07) * 8);
  CHECK(answer(given).wall_clock_seconds > 60 * kDay);
}

TEST_CASE("a deadline: the fewest whole nodes to the last one", "[estimate]") {
  // 1,000,000 accelerator-seconds: 100 s take 10,000 accelerators, 1,250 nodes of 8, which has more
  // than five binary digits.
  const ClusterSizes sizes(8);
  const WallClock work = [](double gpus, double) { return 1e6 / gpus; };
  CHECK(size_for_deadline(sizes, work, 8, 100).fewest() == 10000);
  CHECK(size_for_deadline(sizes, work, 8, 97).fewest() == 10312);  // 10,309.3
}
