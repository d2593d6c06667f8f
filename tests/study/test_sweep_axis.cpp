// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <string>
#include <vector>

#include "catch.h"
#include "study/sweep/axis.h"
#include "trcost/error.h"

namespace {

using trcost::ErrorKind;
using trcost::SweepAxis;

std::vector<double> numbers(const SweepAxis& axis) {
  std::vector<double> out;
  for (std::uint64_t i = 0; i < axis.size(); ++i) out.push_back(axis.number(i));
  return out;
}

std::vector<std::string> words(const SweepAxis& axis) {
  std::vector<std::string> out;
  for (std::uint64_t i = 0; i < axis.size(); ++i) out.push_back(axis.word(i));
  return out;
}

// What a wrong axis says: message and hint.
std::string refusal(const std::string& text) {
  try {
    SweepAxis::parse(text);
  } catch (const trcost::Error& error) {
    CHECK(error.kind == ErrorKind::usage);
    return std::string(error.what()) + " | " + error.hint;
  }
  return "accepted";
}

std::string file_of(const std::string& name, const std::string& text) {
  std::ofstream(name) << text;
  return name;
}

}  // namespace

TEST_CASE("values are read as people write them", "[sweep]") {
  using Numbers = std::vector<double>;
  CHECK(numbers(SweepAxis::parse("model.params=1e9,3B, 10e9")) == Numbers{1e9, 3e9, 10e9});
  CHECK(numbers(SweepAxis::parse("hardware.gpus=8..64:x2")) == Numbers{8, 16, 32, 64});
  CHECK(numbers(SweepAxis::parse("hardware.gpus=8..100:x2")) == Numbers{8, 16, 32, 64});
  CHECK(numbers(SweepAxis::parse("hardware.gpus=8..40:16")) == Numbers{8, 24, 40});
  CHECK(numbers(SweepAxis::parse("hardware.deadline=1d..3d:1d")) == Numbers{86400, 172800, 259200});
  CHECK(numbers(SweepAxis::parse("data.tokens=1e9..1e12:x10")) == Numbers{1e9, 1e10, 1e11, 1e12});
  CHECK(numbers(SweepAxis::parse("hardware.gpus=8,16..64:x2,100..300:100")) ==
        Numbers{8, 16, 32, 64, 100, 200, 300});
  CHECK(numbers(SweepAxis::parse("hardware.gpus=8..8:x2")) == Numbers{8});
  // The flag is the field's other name.
  CHECK(numbers(SweepAxis::parse("gpus=8,16")) == Numbers{8, 16});
  CHECK(SweepAxis::parse("--seq-length=4k").field().path == "data.seq_length");
}

TEST_CASE("steps of a decimal give the decimals", "[sweep]") {
  const SweepAxis axis = SweepAxis::parse("efficiency.mfu=10%..90%:10%");
  CHECK(numbers(axis) == std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9});
  const SweepAxis price = SweepAxis::parse("cost.price_per_gpu_hour=1.05..1.5:0.05");
  CHECK(price.size() == 10);
  CHECK(price.number(5) == 1.3);
  CHECK(price.number(9) == 1.5);
}

TEST_CASE("factors of a decimal give the decimals", "[sweep]") {
  using Numbers = std::vector<double>;
  CHECK(numbers(SweepAxis::parse("cost.price_per_gpu_hour=0.1..0.2:x1.1")) ==
        Numbers{0.1, 0.11, 0.121, 0.1331, 0.14641, 0.161051, 0.1771561, 0.19487171});
  CHECK(numbers(SweepAxis::parse("efficiency.mfu=0.3..0.6:x1.2")) ==
        Numbers{0.3, 0.36, 0.432, 0.5184});
  // Whole numbers stay exact beyond 14 digits: 3^33.
  const SweepAxis tokens = SweepAxis::parse("data.tokens=1..6e15:x3");
  CHECK(tokens.number(33) == 5559060566555523.0);
}

TEST_CASE("words are checked and normalised", "[sweep]") {
  using Words = std::vector<std::string>;
  CHECK(words(SweepAxis::parse("train.precision=bf16,fp8")) == Words{"bf16", "fp8"});
  CHECK(words(SweepAxis::parse("hardware.accelerator=h100-sxm, b200")) ==
        Words{"h100-sxm", "b200"});
  CHECK(words(SweepAxis::parse("layout.sequence_parallel=on,false")) == Words{"on", "off"});
  CHECK_THAT(refusal("train.precision=bf16,fp9"), Catch::Contains("fp9") && Catch::Contains("fp8"));
}

TEST_CASE("a file holds one value per line", "[sweep]") {
  const std::string path = file_of("sweep-axis.txt", "# sizes\n1B\n\n  3e9\r\n10B");
  CHECK(numbers(SweepAxis::parse("model.params=@" + path)) == std::vector<double>{1e9, 3e9, 10e9});
  // As editors on Windows write it.
  file_of(path,
          "\xEF\xBB\xBF"
          "1B\r\n3B\r\n");
  CHECK(numbers(SweepAxis::parse("model.params=@" + path)) == std::vector<double>{1e9, 3e9});
  file_of(path, "1B\nten\n");
  CHECK_THAT(refusal("model.params=@" + path), Catch::Contains(path + ":2"));
  file_of(path, "# nothing\n");
  CHECK_THAT(refusal("model.params=@" + path), Catch::Contains("no values"));
  file_of(path, "h100-sxm,b200\n");
  CHECK_THAT(refusal("hardware.accelerator=@" + path), Catch::Contains("one name per line"));
  std::remove(path.c_str());
  CHECK_THROWS_AS(SweepAxis::parse("model.params=@no-such-file"), trcost::Error);
}

TEST_CASE("what is no axis is refused with the next step", "[sweep]") {
  CHECK_THAT(refusal("hardware.gpu=8"), Catch::Contains("did you mean \"hardware.gpus\"?"));
  CHECK_THAT(refusal("hardware.gpus"), Catch::Contains("PATH=VALUES"));
  CHECK_THAT(refusal("hardware.gpus="), Catch::Contains("empty"));
  CHECK_THAT(refusal("hardware.gpus=8,,16"), Catch::Contains("empty value"));
  CHECK_THAT(refusal("hardware.gpus=8..64"), Catch::Contains("no step"));
  CHECK_THAT(refusal("hardware.gpus=8..64:0"), Catch::Contains("never ends"));
  CHECK_THAT(refusal("hardware.gpus=8..64:x1"), Catch::Contains("never ends"));
  CHECK_THAT(refusal("hardware.gpus=8..64:x0.5"), Catch::Contains("never ends"));
  CHECK_THAT(refusal("hardware.gpus=64..8:x2"), Catch::Contains("downwards"));
  CHECK_THAT(refusal("hardware.gpus=64..8:8"), Catch::Contains("8..64:8"));
  CHECK_THAT(refusal("hardware.gpus=32..8:x0.5"), Catch::Contains("8..32:x2"));
  CHECK_THAT(refusal("gpu=8"), Catch::Contains("did you mean \"gpus\"?"));
  CHECK_THAT(refusal("gpuss=8"), Catch::Contains("did you mean \"gpus\"?"));
  CHECK(refusal("gpu=h100,b200") == "accepted");
  CHECK_THAT(refusal("cost.spares=0..1:x2"), Catch::Contains("cannot start at 0"));
  CHECK_THAT(refusal("hardware.gpus=8,16,8"), Catch::Contains("twice"));
  CHECK_THAT(refusal("model.params=1e9,1B"), Catch::Contains("twice"));
  CHECK_THAT(refusal("hardware.gpus=8..100:x1.5"),
             Catch::Contains("the factor gives 40.5") && Catch::Contains("whole"));
  CHECK_THAT(refusal("hardware.gpus=0,8"), Catch::Contains("outside the allowed range"));
  CHECK_THAT(refusal("hardware.gpus=8..1e9:1"), Catch::Contains("outside the allowed range"));
  CHECK_THAT(refusal("cost.price_per_gpu_hour=1..2:1e-16"), Catch::Contains("larger step"));
  CHECK_THAT(refusal("hardware.gpus=8,1..10000000:1"), Catch::Contains("part of a list"));
  CHECK_THAT(refusal("hardware.gpus=-8"), Catch::Contains("negative"));
}

TEST_CASE("a long range is not listed, and its values are found again", "[sweep]") {
  const SweepAxis axis = SweepAxis::parse("cost.price_per_gpu_hour=1..11:0.000001");
  REQUIRE(axis.size() == 10'000'001);
  CHECK(axis.number(0) == 1);
  CHECK(axis.number(1'234'567) == 2.234567);
  CHECK(axis.number(10'000'000) == 11);
  CHECK(axis.find_number("2.234567") == 1'234'567U);
  CHECK(axis.find_number("11") == 10'000'000U);
  CHECK_FALSE(axis.find_number("2.2345675"));
  CHECK_FALSE(axis.find_number("12"));
  CHECK_FALSE(axis.find_number("h100"));
}

TEST_CASE("a condition shortens a long range without listing it", "[sweep]") {
  SweepAxis axis = SweepAxis::parse("cost.price_per_gpu_hour=1..11:0.000001");
  REQUIRE(axis.filter([&](std::uint64_t i) { return axis.number(i) >= 2; }, true));
  CHECK(axis.number(0) == 2);
  CHECK(axis.size() == 9'000'001);
  REQUIRE(axis.filter([&](std::uint64_t i) { return axis.number(i) < 3; }, true));
  CHECK(axis.number(0) == 2);
  CHECK(axis.size() == 1'000'000);
  CHECK_FALSE(axis.filter([](std::uint64_t) { return true; }, false));
}
