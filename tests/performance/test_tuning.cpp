// SPDX-License-Identifier: Apache-2.0
// How well tuned the software is: what it moves, and in which direction.
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "catalog/hardware/hardware.h"
#include "catalog/software/stacks.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "performance/training/step_model.h"
#include "study/validate/validate.h"

using namespace trcost;
using Catch::Matchers::WithinRel;

namespace {

Platform platform_of(const std::string& accelerator, const std::string& stack,
                     Precision precision = Precision::bf16) {
  Platform out;
  out.accelerator = &test_catalog().accelerator(accelerator);
  out.system = &test_catalog().system(out.accelerator->system);
  out.efficiency = &test_catalog().efficiency(*out.accelerator);
  out.stack = &test_catalog().stack(stack);
  out.precision = precision;
  return out;
}

StepTime step_of(const std::string& model, const Platform& platform, const Layout& layout) {
  Workload workload;
  workload.language = test_catalog().model(model).language;
  workload.seq_length = workload.attention_length = 4096;
  return StepModel(workload, platform).step(layout);
}

Layout dense_layout() {
  Layout layout;
  layout.tp = 4;
  layout.pp = 2;
  layout.dp = 8;
  layout.global_batch = 128;
  layout.sharding = Sharding::optimizer;
  return layout;
}

Layout mixture_layout() {
  Layout layout;
  layout.pp = 8;
  layout.ep = 8;
  layout.dp = 32;
  layout.global_batch = 2048;
  layout.sharding = Sharding::optimizer;
  return layout;
}

double seconds_at(Platform platform, Tuning tuning) {
  set_tuning(platform, tuning);
  return step_of("llama-3.1-70b", platform, dense_layout()).seconds;
}

}  // namespace

TEST_CASE("less tuned software is never faster", "[tuning]") {
  for (const std::string& stack : test_catalog().names(CatalogKind::stacks)) {
    for (const char* chip : {"a100-sxm-80gb", "h100-sxm", "b200", "gb200-nvl72", "mi300x"}) {
      const Platform platform = platform_of(chip, stack);
      const double shown = seconds_at(platform, Tuning::showcase);
      const double usual = seconds_at(platform, Tuning::usual);
      INFO(stack << " on " << chip);
      CHECK(usual > shown);
      // AWS, Ant, Swiss AI and users reached 0.71 to 1.07 of what the makers print, median 0.86 to
      // 0.91 (the pairs of data/runs/throughput.csv). Young chips lose more.
      CHECK(usual < 1.45 * shown);
      const double first = seconds_at(platform, Tuning::first_run);
      CHECK(first > 1.3 * usual);  // 0.5, 0.5 and 0.44 of the vendor's in three issues
      CHECK(first < 3 * usual);
    }
  }
}

TEST_CASE("tuning is a term of the step, which sums to it", "[tuning]") {
  Platform platform = platform_of("gb200-nvl72", "megatron");
  set_tuning(platform, Tuning::usual);
  const StepTime usual = step_of("llama-3.1-70b", platform, dense_layout());
  const double lost = usual.terms[static_cast<std::size_t>(StepTerm::tuning)];
  double sum = 0;
  for (const double term : usual.terms) sum += term;
  CHECK_THAT(sum, WithinRel(usual.seconds, 1e-12));
  CHECK_THAT(lost, WithinRel((usual.seconds - lost) * (platform.slowdown - 1), 1e-9));
}

TEST_CASE("exchange that nothing hides takes longer", "[tuning]") {
  Platform open = platform_of("h100-sxm", "megatron");
  open.overlap = {};
  const Platform hiding = platform_of("h100-sxm", "megatron");
  const StepTime slow = step_of("llama-3.1-70b", open, dense_layout());
  const StepTime fast = step_of("llama-3.1-70b", hiding, dense_layout());
  for (const StepTerm term :
       {StepTerm::tensor_parallel, StepTerm::data_parallel, StepTerm::pipeline_transfer}) {
    CHECK(slow.terms[static_cast<std::size_t>(term)] > fast.terms[static_cast<std::size_t>(term)]);
  }
}

// Unknown software against a stack with its makers' own measurements.
TEST_CASE("typical software is never faster than a tuned stack", "[tuning]") {
  for (const char* chip : {"h100-sxm", "h800", "b200", "gb200-nvl72", "gb300-nvl72"}) {
    for (const Precision precision : {Precision::bf16, Precision::fp8, Precision::mxfp8}) {
      if (!peak_flops(test_catalog().accelerator(chip), precision)) continue;
      for (const char* model : {"qwen3-235b-a22b", "deepseek-v3", "llama-3.1-70b"}) {
        Layout layout = mixture_layout();
        if (!test_catalog().model(model).language.moe) layout.ep = 1;
        const Platform typical = platform_of(chip, "typical", precision);
        Platform tuned = platform_of(chip, "megatron", precision);
        set_tuning(tuned, Tuning::showcase);
        INFO(model << " on " << chip << " in " << precision_name(precision));
        CHECK(step_of(model, typical, layout).seconds > step_of(model, tuned, layout).seconds);
      }
    }
  }
}

namespace {

Layout random_layout(std::mt19937& random, bool mixture) {
  const auto one_of = [&](std::initializer_list<int> values) {
    return values.begin()[random() % values.size()];
  };
  Layout layout;
  layout.tp = one_of({1, 1, 2, 4, 8});
  layout.pp = one_of({1, 1, 2, 4, 8});
  layout.dp = one_of({8, 16, 64, 128});
  layout.ep = mixture ? one_of({1, 4, 8}) : 1;
  layout.micro_batch = one_of({1, 2, 4});
  layout.global_batch = layout.dp * layout.micro_batch * one_of({1, 4, 16});
  layout.sharding = one_of({0, 1}) == 0 ? Sharding::optimizer
                    : layout.pp == 1    ? Sharding::parameters
                                        : Sharding::none;
  layout.recompute = one_of({0, 1}) == 0 ? Recompute::none : Recompute::full;
  return layout;
}

}  // namespace

TEST_CASE("typical software is no faster than Megatron's showcases whatever is asked",
          "[tuning][property]") {
  std::mt19937 random(12);
  const std::vector<std::string> chips = {"a100-sxm-80gb", "h100-sxm",    "h800",
                                          "b200",          "gb200-nvl72", "mi300x"};
  const std::vector<std::string> models = {"smollm2-135m",  "llama-3.2-1b",  "llama-3.1-8b",
                                           "llama-3.1-70b", "qwen3-30b-a3b", "qwen3-235b-a22b",
                                           "deepseek-v3",   "mixtral-8x7b"};
  for (int i = 0; i < 600; ++i) {
    const std::string& chip = chips[random() % chips.size()];
    const std::string& model = models[random() % models.size()];
    const Layout layout =
        random_layout(random, test_catalog().model(model).language.moe.has_value());
    INFO(model << " on " << chip << ": tp " << layout.tp << " pp " << layout.pp << " ep "
               << layout.ep << " dp " << layout.dp << " micro-batch " << layout.micro_batch
               << " global batch " << layout.global_batch);
    Platform shown = platform_of(chip, "megatron");
    set_tuning(shown, Tuning::showcase);
    CHECK(step_of(model, platform_of(chip, "typical"), layout).seconds >
          step_of(model, shown, layout).seconds);
  }
}

TEST_CASE("ranges of rows from left-out sources are neither too narrow nor too wide",
          "[tuning][measured]") {
  const ValidationResult result = validate(test_catalog());
  REQUIRE(result.all.left_out);
  const LeftOut& left = *result.all.left_out;
  CHECK(left.rows > 1300);
  CHECK(left.inside > 0.7);
  // Two of three rows are showcases, which lie closer together than the least spread of a range:
  // that of users of one stack and chip, 0.2. Of the rows that users ran 81 to 86 % are inside.
  CHECK(left.inside < 0.91);
  // 0.69 of the 1,395 rows before those of 68 origins more (ids N1001 and up), which lie further
  // apart: theirs alone is 1.5, and nearer means predictions that are better between sources, not
  // wider ranges.
  CHECK(left.score < 0.9);
  CHECK(left.width < 2.2);
  for (const ValidationSummary& summary : result.summaries) {
    if (!summary.left_out || summary.dimension != "stack") continue;
    INFO(summary.value);
    // Two of three rows of FSDP are one source's showcases, which lie a fifth below the others.
    CHECK(summary.left_out->inside >= (summary.value == "fsdp" ? 0.55 : 0.6));
  }
}
