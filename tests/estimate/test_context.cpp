// SPDX-License-Identifier: Apache-2.0
// Images and samples against what a sequence can hold.
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/question/data/resolve_work.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

Scenario image_samples(const char* model, double images) {
  Scenario s;
  s.set_text(Field::model_name, model);
  s.set_number(Field::data_samples, 1e4);
  if (images > 0) s.set_number(Field::data_images_per_sample, images);
  return s;
}

ResolvedWork resolve_context(const Scenario& s) {
  Notes notes(false);
  return resolve_work(s, test_catalog(), notes);
}

// The reason why the scenario is refused, else empty.
std::string context_error(const Scenario& s) {
  try {
    resolve_context(s);
  } catch (const Error& error) {
    CHECK(error.kind == ErrorKind::usage);
    CHECK_FALSE(error.hint.empty());
    return error.message;
  }
  return {};
}

}  // namespace

TEST_CASE("more images than the model's context holds are refused", "[estimate][vision][errors]") {
  // LLaVA-1.5: 576 tokens an image, 324 of text, a context of 4096: (4096 - 324) / 576 = 6.5.
  CHECK(context_error(image_samples("llava-1.5-7b", 6)).empty());
  const std::string message = context_error(image_samples("llava-1.5-7b", 7));
  CHECK(message.find("7 images of 576 tokens and 324 text tokens") != std::string::npos);
  CHECK(message.find("llava-1.5-7b, 4096 tokens") != std::string::npos);
  CHECK_FALSE(context_error(image_samples("llava-1.5-7b", 500)).empty());
  // Packed with others, a sample's text can be cut, its images cannot: 7 x 576 = 4032.
  Scenario packed = image_samples("llava-1.5-7b", 7);
  packed.set_text(Field::data_packing, "packed");
  CHECK(context_error(packed).empty());
  CHECK(resolve_context(packed).seq_length == 4096);
  packed.set_number(Field::data_images_per_sample, 8);
  CHECK_FALSE(context_error(packed).empty());
}

TEST_CASE("a context that is said to be longer holds more images", "[estimate][vision]") {
  Scenario s = image_samples("llava-1.5-7b", 40);
  s.set_number(Field::data_seq_length, 32768);
  CHECK(context_error(s).empty());
  s.set_number(Field::data_seq_length, 20000);  // 40 x 576 = 23,040
  CHECK(context_error(s).find("--seq-length 20000") != std::string::npos);
}

TEST_CASE("large images by their rule count as they are", "[estimate][vision][errors]") {
  // Qwen2-VL at 1920x1080: 2691 tokens an image; 32768 - 324 hold 12 of them.
  Scenario s = image_samples("qwen2-vl-7b", 12);
  s.set(field_info(Field::data_image_size), "1920x1080", "--image-size");
  CHECK(context_error(s).empty());
  s.set_number(Field::data_images_per_sample, 13);
  CHECK(context_error(s).find("13 images of 2691 tokens") != std::string::npos);
}

TEST_CASE("without a context that is known the longest usual one counts", "[estimate][vision]") {
  Scenario s;
  s.set_number(Field::model_params, 7e9);
  s.set_text(Field::model_modality, "vl");
  s.set_number(Field::data_samples, 1e4);
  s.set_number(Field::data_images_per_sample, 110);  // of 1,024 tokens: 112,640 of 131,072
  CHECK(context_error(s).empty());
  s.set_number(Field::data_images_per_sample, 500);
  CHECK(context_error(s).find("131072") != std::string::npos);
  s.set_number(Field::data_seq_length, 600000);
  CHECK(context_error(s).empty());
}

TEST_CASE("images that cross-attention reads take no room", "[estimate][vision]") {
  CHECK(context_error(image_samples("llama-3.2-11b-vision", 100)).empty());
}

TEST_CASE("a text sample longer than the context", "[estimate][errors]") {
  Scenario s = image_samples("llama-2-7b", 0);
  s.set_number(Field::data_text_tokens_per_sample, 5000);
  CHECK(context_error(s).find("5000 text tokens does not fit") != std::string::npos);
  s.set_text(Field::data_packing, "packed");  // cuts texts
  CHECK(context_error(s).empty());
}

TEST_CASE("the usual sequence is no longer than the context", "[estimate]") {
  Scenario s;
  s.set_text(Field::model_name, "gpt2");  // 1024 positions
  CHECK(resolve_context(s).seq_length == 1024);
  s.set_text(Field::model_name, "gpt-neox-20b");  // max_position_embeddings 2048
  CHECK(resolve_context(s).seq_length == 2048);
  s.set_text(Field::model_name, "qwen3-8b");
  CHECK(resolve_context(s).seq_length == 4096);
}

TEST_CASE("a model trained as its makers did has their sequences", "[estimate]") {
  Scenario s;
  s.set_text(Field::model_name, "llama-3.1-8b");  // arXiv:2407.21783, section 3.4.1
  CHECK(resolve_context(s).seq_length == 8192);
  s.set_number(Field::data_tokens, 1e9);  // adapts it
  CHECK(resolve_context(s).seq_length == 4096);
  s.set_number(Field::data_tokens, 20e12);
  CHECK(resolve_context(s).seq_length == 8192);
  s.set_text(Field::train_recipe, "lora");
  CHECK(resolve_context(s).seq_length == 4096);
}
