// SPDX-License-Identifier: Apache-2.0
// Readers of YAML, TOML and shell scripts, without the tables of frameworks.
#include <string>

#include "catch.h"
#include "recipe/arithmetic.h"
#include "recipe/facts.h"
#include "recipe/framework.h"
#include "trcost/error.h"

using namespace trcost;

namespace {

std::string value(const Facts& facts, std::string_view key) {
  return std::string(value_of(facts, key));
}

}  // namespace

TEST_CASE("YAML becomes dotted keys, with lists under their own key", "[recipe]") {
  const Facts facts = read_yaml(
      "a: 1\nb:\n  c: x\n  d: [p, q]\ne:\n  - f: 1\n  - f: 2\ng: null\nh: {i: 2e-5}\n", "t.yaml");
  CHECK(value(facts, "a") == "1");
  CHECK(value(facts, "b.c") == "x");
  CHECK(value(facts, "h.i") == "2e-5");
  CHECK(value(facts, "g").empty());
  CHECK(has_key(facts, "g"));
  int items = 0;
  for (const Fact& fact : facts) items += fact.key == "e.f" || fact.key == "b.d" ? 1 : 0;
  CHECK(items == 4);
  CHECK(facts.front().line == 1);
}

TEST_CASE("YAML anchors, aliases and merge keys are followed", "[recipe]") {
  const Facts facts =
      read_yaml("base: &b\n  lr: 1\n  opt: {name: adam}\nrun:\n  <<: *b\n  n: 2\n", "t.yaml");
  CHECK(value(facts, "run.lr") == "1");
  CHECK(value(facts, "run.opt.name") == "adam");
  CHECK(value(facts, "run.n") == "2");
}

TEST_CASE("hostile YAML is refused with its line", "[recipe]") {
  CHECK_THROWS_AS(read_yaml("a: 1\na: 2\n", "t.yaml"), Error);
  CHECK_THROWS_AS(read_yaml("a: [1\n", "t.yaml"), Error);
  CHECK_THROWS_AS(read_yaml(std::string(200, '['), "t.yaml"), Error);
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) {
      bomb += (j > 0 ? ", *a" : "*a") + std::to_string(i - 1);
    }
    bomb += "]\n";
  }
  CHECK_THROWS_AS(read_yaml(bomb, "t.yaml"), Error);
}

TEST_CASE("TOML becomes dotted keys", "[recipe]") {
  const Facts facts = read_toml(
      "[training]\nseq_len = 8_192\nsteps = 1000\n[model]\nflavor = \"8B\"\nlist = [1, 2]\n",
      "t.toml");
  CHECK(value(facts, "training.seq_len") == "8192");
  CHECK(value(facts, "model.flavor") == "8B");
  CHECK_THROWS_AS(read_toml("a = \n", "t.toml"), Error);
}

TEST_CASE("scripts are followed without being run", "[recipe]") {
  const Facts facts = read_script(
      "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gpus-per-node=8\nGPUS=8\n"
      "NODES=${NNODES:-2}\nN=$(nvidia-smi -L | wc -l)\nSEQ=$((1024 * 6))\n"
      "ARGS=(\n  --num-layers 32  # comment\n  --bf16\n  --seq-length $SEQ\n)\n"
      "torchrun --nproc_per_node=$GPUS --nnodes $NODES pretrain_gpt.py ${ARGS[@]} \\\n"
      "  --micro-batch-size 2 data.path=x a.b=c\n",
      "t.sh");
  CHECK(value(facts, "#SBATCH --nodes") == "4");
  CHECK(value(facts, "--nproc_per_node") == "8");
  CHECK(value(facts, "--nnodes") == "2");
  CHECK(value(facts, "--num-layers") == "32");
  CHECK(value(facts, "--seq-length") == "6144");
  CHECK(value(facts, "--micro-batch-size") == "2");
  CHECK(value(facts, "a.b") == "c");
  CHECK(has_key(facts, "--bf16"));
  CHECK(value(facts, "$N").empty());
}

TEST_CASE("numbers are read as configurations write them", "[recipe]") {
  CHECK(number_of("2e-5") == 2e-5);
  CHECK(number_of("1_000") == 1000.0);
  CHECK(number_of(" 8 ") == 8.0);
  CHECK_FALSE(number_of("auto"));
  CHECK_FALSE(number_of(""));
  CHECK_FALSE(number_of("8x"));
}

TEST_CASE("a star in a pattern stands for any text", "[recipe]") {
  CHECK(fits_pattern("fsdp_config.*", "fsdp_config.offload"));
  CHECK(fits_pattern("*.sh", "train.sh"));
  CHECK(fits_pattern("a*b*c", "a1b2c"));
  CHECK_FALSE(fits_pattern("a*b", "ac"));
  CHECK_FALSE(fits_pattern("abc", "abcd"));
}
