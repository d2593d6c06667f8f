// SPDX-License-Identifier: Apache-2.0
// How much data a question asks for, and how much of it an optimizer step takes.
#include <algorithm>
#include <cmath>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/question/data/resolve_amounts.h"
#include "estimate/question/data/resolve_work.h"
#include "trcost/catalog.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

Scenario sized(double params, const char* modality) {
  Scenario s;
  s.set_number(Field::model_params, params);
  s.set_text(Field::model_modality, modality);
  return s;
}

struct Resolved : ResolvedWork, Amounts {};

Resolved resolved(const Scenario& s) {
  Notes silent(false);
  const ResolvedWork work = resolve_work(s, test_catalog(), silent);
  return {work, resolve_amounts(s, work, silent)};
}

bool warns(const Scenario& s, const std::string& part) {
  Notes notes(true);
  resolve_work(s, test_catalog(), notes);
  return std::ranges::any_of(notes.warnings, [&](const std::string& text) {
    return text.find(part) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("tokens may be asked for by parameter", "[estimate][amounts]") {
  Scenario s = sized(10e9, "vl");
  CHECK(resolved(s).tokens.compute_optimal);
  s.set_number(Field::data_tokens_per_param, 20);
  CHECK(resolved(s).tokens.total == 200e9);
  CHECK_FALSE(resolved(s).tokens.compute_optimal);
  // Llama 3.1 8B: 15e12 tokens of 8e9 parameters.
  Scenario llama = sized(8e9, "text");
  llama.set_number(Field::data_tokens_per_param, 1875);
  CHECK(resolved(llama).tokens.total == 15e12);
  s.set_number(Field::data_samples, 1e6);
  CHECK_THROWS_AS(resolved(s), Error);
}

TEST_CASE("a released model defaults to the tokens that it was trained on", "[estimate][amounts]") {
  struct Published {
    const char* name;
    double tokens;
  };
  // Model cards and reports: arXiv:2407.21783, 2412.19437, 2505.09388, 2005.14165, 2501.00656,
  // 2307.09288, 2503.19786, 2412.15115; huggingface.co/blog/smollm3.
  const auto [name, tokens] = GENERATE(values<Published>({{"llama-3.1-8b", 15e12},
                                                          {"deepseek-v3", 14.8e12},
                                                          {"qwen3-32b", 36e12},
                                                          {"gpt-3", 300e9},
                                                          {"olmo-2-7b", 4e12},
                                                          {"llama-2-70b", 2e12},
                                                          {"gemma-3-27b", 14e12},
                                                          {"qwen2.5-72b", 18e12},
                                                          {"smollm3-3b", 11.2e12}}));
  Scenario s;
  s.set_text(Field::model_name, name);
  const Resolved found = resolved(s);
  CHECK(found.tokens.total == Approx(tokens).epsilon(0.06));
  CHECK(found.tokens.published);
  CHECK_FALSE(found.tokens.compute_optimal);
}

// Llama 2's model card: 1,720,320 A100-hours of pre-training.
TEST_CASE("published GPU-hours belong to the model's own tokens", "[estimate][amounts]") {
  Scenario s;
  s.set_text(Field::model_name, "llama-2-70b");
  s.set_text(Field::hardware_accelerator, "a100-sxm-80gb");
  const auto published = published_hours(test_catalog(), estimate(s, test_catalog()).front());
  REQUIRE(published);
  CHECK(published->gpu_hours == 1720320);
  CHECK(published->accelerator == "A100 SXM 80GB");
  s.set_number(Field::data_tokens, 1e12);
  CHECK_FALSE(published_hours(test_catalog(), estimate(s, test_catalog()).front()));
}

TEST_CASE("a text model with an encoder added is no released model", "[estimate][amounts]") {
  Scenario s;
  s.set_text(Field::model_name, "llama-3.1-8b");
  s.set_text(Field::model_modality, "vl");
  CHECK(resolved(s).tokens.compute_optimal);
  CHECK_FALSE(resolved(s).tokens.published);
}

TEST_CASE("deepseek-r1 is said to be its base model", "[estimate][amounts]") {
  Scenario s;
  s.set_text(Field::model_name, "DeepSeek-R1");
  CHECK(warns(s, "has the shape of deepseek-v3"));
  s.set_text(Field::model_name, "deepseek-v3");
  CHECK_FALSE(warns(s, "pre-training DeepSeek-V3"));
}

TEST_CASE("an interleaved mix may be asked for by tokens", "[estimate][amounts][vision]") {
  Scenario s = sized(10e9, "vl");
  s.set_number(Field::data_tokens, 2e12);
  s.set_number(Field::data_images_per_sample, 4);
  const Resolved work = resolved(s);
  CHECK(work.tokens.total == 2e12);
  // Half of the documents carry images, however many.
  const double samples = 2e12 / (512 + 2 * work.workload.vision_tokens_per_image);
  CHECK_THAT(work.images, WithinRel(2 * samples, 1e-12));
  CHECK_THAT(work.tokens.vision + work.tokens.text, WithinRel(2e12, 1e-12));
  s.set_number(Field::data_image_share, 0.25);
  CHECK(resolved(s).images < work.images);
}

TEST_CASE("a default that is said changes nothing", "[estimate][amounts][property]") {
  std::vector<Scenario> asked;
  for (const char* modality : {"text", "vl"}) {
    Scenario s = sized(8e9, modality);
    s.set_text(Field::hardware_accelerator, "h100-sxm");
    s.set_number(Field::hardware_gpus, 64);
    asked.push_back(s);
    s.set_number(Field::data_tokens, 1e11);
    asked.push_back(s);
    s.clear(Field::data_tokens);
    s.set_number(Field::data_samples, 1e6);
    asked.push_back(s);
  }
  const Catalog catalog;
  for (const Scenario& s : asked) {
    const Estimate plain = estimate(s, catalog).front();
    for (const Assumption& each : plain.assumptions) {
      const FieldInfo* info = find_field(each.path);
      if (info == nullptr) continue;
      INFO(each.path << " = " << each.value << ": " << each.why);
      Scenario said = s;
      said.set(*info, each.value, info->flag);
      CHECK_THAT(*estimate(said, catalog).front().cost.total, WithinRel(*plain.cost.total, 1e-3));
    }
  }
}

TEST_CASE("text alone waits for no images", "[estimate][amounts][vision]") {
  Scenario s = sized(8e9, "vl");
  CHECK(resolved(s).workload.imbalance == 1.1);
  s.set_number(Field::data_image_share, 0);
  CHECK(resolved(s).workload.imbalance == 1.0);
  CHECK(resolved(s).workload.padding_efficiency == 1.0);
}

TEST_CASE("more samples take larger steps, whatever is frozen", "[estimate][amounts]") {
  Scenario s;
  s.set_text(Field::model_name, "llama-3.2-11b-vision");
  s.set_text(Field::train_language, "frozen");
  double batch = 0;
  double steps = 0;
  for (double samples = 1e5; samples <= 1e11; samples *= 1.5) {
    INFO(samples);
    s.set_number(Field::data_samples, samples);
    const Resolved work = resolved(s);
    // Where adapting ends and pre-training begins the two rules are a factor of two apart at most.
    CHECK(work.global_batch >= batch / 2);
    const double now = work.tokens.total / work.seq_length / work.global_batch;
    CHECK(now < 2e6);
    if (steps > 0) CHECK(now < 4 * steps);
    batch = work.global_batch;
    steps = now;
  }
  // 16,384 of 6e9 pairs (Llama 3, arXiv:2407.21783, section 7), within a factor of two.
  s.set_number(Field::data_samples, 6e9);
  CHECK(resolved(s).global_batch >= 8192);
  CHECK(resolved(s).global_batch <= 32768);
  // LLaVA-1.5 (arXiv:2310.03744): 256 of 558e3 pairs for the projector, 128 of 665e3 instructions.
  Scenario llava;
  llava.set_text(Field::model_name, "llava-1.5-7b");
  llava.set_number(Field::data_samples, 665e3);
  CHECK(resolved(llava).global_batch == 128);
  llava.set_text(Field::train_recipe, "projector");
  llava.set_number(Field::data_samples, 558e3);
  CHECK(resolved(llava).global_batch == 256);
}

// A few may idle where three stages hold the layers better than two; before it were 152.
TEST_CASE("samples on many accelerators leave none idle for want of a sequence",
          "[estimate][amounts]") {
  Scenario s = sized(10e9, "vl");
  s.set_number(Field::data_samples, 1e6);
  s.set_number(Field::hardware_gpus, 512);
  s.set_text(Field::hardware_accelerator, "h100-sxm");
  // Where a host issues kernels one by one, a step of 640 sequences takes no longer than one of
  // 512, and 320 accelerators do it: what is asked of here is software that nothing waits for.
  s.set_text(Field::efficiency_stack, "mlperf");
  const Estimate e = estimate(s, test_catalog()).front();
  CHECK(e.layout.gpus() >= 0.99 * 512);
  CHECK(e.layout.global_batch >= 0.99 * 512);
}

TEST_CASE("the size of an image moves its tokens, or a warning says why not",
          "[estimate][amounts][vision]") {
  const auto tokens = [](Scenario s, const char* size) {
    s.set(field_info(Field::data_image_size), size, "--image-size");
    return resolved(s).workload.vision_tokens_per_image;
  };
  const auto with_size = [](Scenario s, const char* size) {
    s.set(field_info(Field::data_image_size), size, "--image-size");
    return s;
  };
  for (const double params : {3e8, 2e9, 10e9, 70e9, 400e9}) {
    INFO(params);
    const Scenario s = sized(params, "vl");
    const bool follows = tokens(s, "448x448") < tokens(s, "1920x1080");
    CHECK(follows != warns(with_size(s, "1920x1080"), "takes every image in"));
    CHECK(follows == (params >= 1e9));
  }
  // 1920x1080 in 32-pixel squares: 60 x 34 (Qwen3-VL's smart_resize).
  CHECK(tokens(sized(10e9, "vl"), "1920x1080") == 60 * 34);
  for (const std::string& name : test_catalog().names(CatalogKind::encoders)) {
    INFO(name);
    if (test_catalog().encoder(name).patch <= 0) continue;
    Scenario s = sized(70e9, "vl");
    s.set_text(Field::model_vision_encoder, name);
    const bool moves = tokens(s, "448x448") != tokens(s, "1344x896") ||
                       resolved(with_size(s, "448x448")).workload.encoder_tokens_per_image !=
                           resolved(with_size(s, "1344x896")).workload.encoder_tokens_per_image;
    CHECK(moves != warns(with_size(s, "1344x896"), "takes every image in"));
  }
}

TEST_CASE("packed samples say what a sequence is then", "[estimate][amounts]") {
  Scenario s = sized(10e9, "vl");
  s.set_number(Field::data_samples, 1e6);
  CHECK_FALSE(warns(s, "counts sequences"));
  s.set_text(Field::data_packing, "packed");
  CHECK(warns(s, "counts sequences"));
  s.set_number(Field::data_seq_length, 8192);
  CHECK_FALSE(warns(s, "counts sequences"));
}

// Rule of thumb: 10M pairs are 5 to 20 TB of originals (data/model.md 7).
TEST_CASE("images of no given size are stored as their originals",
          "[estimate][amounts][pipeline]") {
  for (const char* encoder : {"clip-vit-l-14-336", "qwen3-vl-vit"}) {
    Scenario s = sized(8e9, "vl");
    s.set_text(Field::model_vision_encoder, encoder);
    s.set_number(Field::data_samples, 10e6);
    s.set_text(Field::hardware_accelerator, "h100-sxm");
    const double tb = estimate(s, test_catalog()).front().pipeline->dataset_bytes / 1e12;
    CHECK(tb > 5);
    CHECK(tb < 20);
  }
}

TEST_CASE("what published models' tokens cost stands beside the compute-optimal ones",
          "[estimate][amounts]") {
  Scenario s = sized(10e9, "vl");
  s.set_text(Field::hardware_accelerator, "b200");
  const Estimate optimal = estimate(s, test_catalog()).front();
  const auto found = token_alternatives(s, test_catalog(), optimal);
  REQUIRE(found.size() == 2);
  for (const TokenAlternative& each : found) {
    Scenario asked = s;
    asked.set_number(Field::data_tokens, each.tokens);
    const Estimate e = estimate(asked, test_catalog()).front();
    CHECK(each.gpus == e.gpus);
    CHECK(each.gpu_hours == e.gpu_hours);
    CHECK(each.total_usd == e.cost.total);
    CHECK_FALSE(each.example.source.empty());
  }
  CHECK(found[0].example.name == "Qwen3-VL 8B");
  CHECK(found[1].example.name == "Llama 3.1 8B");
  CHECK(token_example(s, test_catalog(), optimal)->name == found[0].example.name);
  s.set_number(Field::data_tokens, 2e12);
  CHECK(token_alternatives(s, test_catalog(), estimate(s, test_catalog()).front()).empty());
}

TEST_CASE("what is computed grows with the share of images without a jump",
          "[estimate][property]") {
  struct Share {
    double computed, imbalance;
  };
  const auto at = [](bool samples, const char* packing, double share) {
    Scenario s = sized(10e9, "vl");
    if (samples) s.set_number(Field::data_samples, 1e6);
    s.set_text(Field::data_packing, packing);
    s.set_number(Field::data_image_share, share);
    Notes silent(false);
    const ResolvedWork work = resolve_work(s, test_catalog(), silent);
    // A corpus has as many whatever they are.
    const double tokens = samples ? work.sample_tokens : 1;
    return Share{tokens / work.workload.padding_efficiency, work.workload.imbalance};
  };
  for (const bool samples : {false, true}) {
    for (const char* packing : {"packed", "grouped", "padded", "padding-free"}) {
      if (!samples && std::string_view(packing) != "packed") continue;
      INFO((samples ? "samples, " : "corpus, ") << packing);
      const Share text = at(samples, packing, 0);
      CHECK_THAT(at(samples, packing, 1e-6).computed, WithinRel(text.computed, 1e-4));
      CHECK_THAT(at(samples, packing, 1e-6).imbalance, WithinRel(text.imbalance, 1e-4));
      Share before = text;
      for (const double share : {1e-4, 1e-3, 1e-2, 0.1, 0.2, 0.4, 0.8, 1.0}) {
        INFO(share);
        const Share now = at(samples, packing, share);
        CHECK(now.computed >= before.computed * (1 - 1e-9));
        CHECK(now.imbalance >= before.imbalance);
        before = now;
      }
    }
  }
}
