// SPDX-License-Identifier: Apache-2.0
// Demand on the data pipeline, against arithmetic on published sizes and rates.
#include <algorithm>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/answer.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

Scenario pairs(const char* image_size) {
  Scenario s;
  s.set_text(Field::model_name, "llava-1.5-7b");
  s.set_text(Field::train_recipe, "projector");
  s.set_number(Field::data_samples, 10e6);
  s.set(field_info(Field::data_image_size), image_size, "--image-size");
  s.set_text(Field::hardware_accelerator, "a100-sxm-80gb");
  s.set_number(Field::hardware_gpus, 8);
  return s;
}

}  // namespace

// Rule of thumb: 10M pairs are 5 to 20 TB. It holds for originals; resized they are 0.25 to 1.6 TB.
TEST_CASE("storage of ten million pairs", "[estimate][pipeline]") {
  for (const char* original : {"1024x1024", "2048x1536", "2000x2000"}) {
    INFO(original);
    const double tb = answer(pairs(original)).pipeline->dataset_bytes / 1e12;
    CHECK(tb > 5);
    CHECK(tb < 20.1);
  }
  for (const char* resized : {"256x256", "336x336", "500x375", "640x480"}) {
    INFO(resized);
    const double tb = answer(pairs(resized)).pipeline->dataset_bytes / 1e12;
    CHECK(tb > 0.25);
    CHECK(tb < 1.6);
  }
  // COCO: 18 GB for 118,287 images of about 640 x 480 (cocodataset.org): 152 kB each.
  const double coco = answer(pairs("640x480")).pipeline->dataset_bytes / 10e6;
  CHECK_THAT(coco, WithinRel(152e3, 0.05));
  Scenario given = pairs("640x480");
  given.set_number(Field::data_image_bytes, 1e6);
  CHECK_THAT(answer(given).pipeline->dataset_bytes, WithinRel(10e12, 1e-3));
}

TEST_CASE("rates follow from the step", "[estimate][pipeline]") {
  const Estimate e = answer(pairs("1024x768"));
  const double seconds = e.wall_clock_seconds * e.performance.goodput *
                         e.performance.production_overhead;  // of steps, the last a part of one
  const PipelineResult& p = *e.pipeline;
  // Every image once in the time of all steps.
  CHECK_THAT(p.images_per_second * seconds, WithinRel(10e6, 1e-9));
  CHECK_THAT(p.bytes_per_second * seconds, WithinRel(p.dataset_bytes, 1e-9));
  // Pillow decodes, resizes and normalises 71 images of 1024 x 768 a second on one core.
  CHECK_THAT(p.decode_cores_per_gpu, WithinRel(p.images_per_second / 8 / 71, 0.15));
}

TEST_CASE("passes read the same data again", "[estimate][pipeline]") {
  Scenario s = pairs("640x480");
  const double once = answer(s).pipeline->dataset_bytes;
  s.set_number(Field::data_epochs, 3);
  CHECK_THAT(answer(s).pipeline->dataset_bytes, WithinRel(once, 1e-9));
  // CLIP saw 400M pairs 32 times.
  Scenario clip;
  clip.set_text(Field::model_name, "clip-vit-b-32");
  clip.set_text(Field::hardware_accelerator, "h100-sxm");
  clip.set_number(Field::hardware_gpus, 64);
  clip.set(field_info(Field::data_image_size), "256x256", "--image-size");
  const Estimate e = answer(clip);
  CHECK_THAT(e.tokens.total, WithinRel(400e6 * 32 * 77, 1e-12));
  // LAION-400M at 256 pixels is 10 TB, 25 kB an image.
  CHECK_THAT(e.pipeline->dataset_bytes, WithinRel(10e12, 0.4));
}

TEST_CASE("the verdict names the slower side", "[estimate][pipeline]") {
  CHECK(answer(pairs("336x336")).pipeline->gpu_bound);
  // A small model on photographs of 12 megapixels: thousands of decodings a second.
  Scenario small;
  small.set_text(Field::model_name, "clip-vit-b-32");
  small.set(field_info(Field::data_image_size), "4000x3000", "--image-size");
  small.set_text(Field::hardware_accelerator, "h100-sxm");
  small.set_number(Field::hardware_gpus, 8);
  const PipelineResult p = *answer(small).pipeline;
  CHECK_FALSE(p.gpu_bound);
  CHECK(p.decode_cores_per_gpu > 14);
  CHECK(p.verdict.find("decoding is the bottleneck") != std::string::npos);
}

TEST_CASE("a slow loader's rate is what the steps take, and the flag named is the least that does",
          "[estimate][pipeline]") {
  Scenario s = pairs("4000x3000");
  s.set_number(Field::data_loader_workers, 1);
  const Estimate slow = answer(s);
  const double seconds =
      slow.wall_clock_seconds * slow.performance.goodput * slow.performance.production_overhead;
  REQUIRE(slow.pipeline->bound_by == kBoundByLoader);
  CHECK_THAT(slow.pipeline->images_reached_per_second * seconds, WithinRel(10e6, 1e-9));
  CHECK(slow.pipeline->images_per_second > slow.pipeline->images_reached_per_second);
  const std::string flag = "--loader-workers ";
  const std::size_t at = slow.pipeline->verdict.find(flag);
  REQUIRE(at != std::string::npos);
  const double enough = std::stod(slow.pipeline->verdict.substr(at + flag.size()));
  s.set_number(Field::data_loader_workers, enough);
  CHECK(answer(s).pipeline->bound_by != kBoundByLoader);
  s.set_number(Field::data_loader_workers, enough - 1);
  CHECK(answer(s).pipeline->bound_by == kBoundByLoader);
}

TEST_CASE("stored features are read in place of images", "[estimate][pipeline]") {
  Scenario s = pairs("640x480");
  const PipelineResult online = *answer(s).pipeline;
  s.set_number(Field::train_cached_features, 1);
  const Estimate e = answer(s);
  const PipelineResult& cached = *e.pipeline;
  CHECK(cached.images_per_second == 0);
  CHECK(cached.decode_cores_per_gpu == 0);
  // 577 features of 1024 in bf16 an image, kept beside the originals.
  CHECK_THAT(cached.dataset_bytes - online.dataset_bytes, WithinRel(10e6 * 577 * 1024 * 2, 1e-9));
  const double seconds = e.wall_clock_seconds * e.performance.goodput *
                         e.performance.production_overhead;  // of steps, the last a part of one
  CHECK_THAT(cached.bytes_per_second * seconds,
             WithinRel(10e6 * (577 * 1024 * 2 + 44 * 4.0), 1e-9));
}

// Pillow on libjpeg-turbo decodes 43 to 66 million pixels a second on one core, 14 cores beside
// each accelerator: 60 images of 12 megapixels, whatever the model.
TEST_CASE("decoding that does not keep up is what training waits for", "[estimate][pipeline]") {
  Scenario s;
  s.set_text(Field::model_name, "nanovlm-222m");
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  s.set_number(Field::hardware_gpus, 1);
  s.set_number(Field::data_samples, 1.7e6);
  s.set_number(Field::data_loader_workers, 14);
  const auto sized = [&](const char* size) {
    s.set(field_info(Field::data_image_size), size, "--image-size");
    return answer(s);
  };
  const Estimate small = sized("224x224"), large = sized("4000x3000");
  CHECK(small.pipeline->gpu_bound);
  CHECK_FALSE(large.pipeline->gpu_bound);
  const double rate = 1.7e6 / (large.steps * large.performance.step_seconds);
  CHECK(rate > 14 * 43e6 / 12e6);
  CHECK(rate < 14 * 66e6 / 12e6);
  // Its authors take 6 hours for as many samples (huggingface/nanoVLM README).
  CHECK_THAT(small.gpu_hours, WithinRel(6.0, 0.4));
  CHECK(large.gpu_hours > 1.7e6 / (14 * 66e6 / 12e6) / 3600);
  CHECK_THAT(*large.cost.total / *small.cost.total,
             WithinRel(large.gpu_hours / small.gpu_hours, 0.01));
  double waiting = 1, others = 1;
  for (const WaterfallTerm& term : large.waterfall) {
    (term.term == "data_wait" ? waiting : others) *= term.share;
  }
  CHECK_THAT(waiting, WithinRel(14 / large.pipeline->decode_cores_per_gpu, 1e-9));
  const bool warned = std::ranges::any_of(large.warnings, [](const std::string& text) {
    return text.find("decoding is the bottleneck") != std::string::npos;
  });
  CHECK(warned);
  CHECK(small.warnings.empty());
  // More images on a larger cluster find more cores.
  s.set_number(Field::hardware_gpus, 8);
  CHECK_THAT(sized("4000x3000").gpu_hours, WithinRel(large.gpu_hours, 0.1));
  // A measured MFU has the waiting in it.
  s.set_number(Field::efficiency_mfu, 0.2);
  CHECK(sized("4000x3000").gpu_hours == sized("4000x3000").gpu_hours);
  CHECK_THAT(answer(s).performance.mfu, WithinRel(0.2, 1e-12));
}
