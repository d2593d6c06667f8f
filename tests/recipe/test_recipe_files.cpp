// SPDX-License-Identifier: Apache-2.0
// Readers of YAML, TOML and shell scripts, without the tables of frameworks.
#include <string>

#include "catch.h"
#include "recipe/files/facts.h"
#include "recipe/files/script.h"
#include "recipe/framework.h"
#include "recipe/workings.h"
#include "trcost/error.h"

using namespace trcost;
using namespace trcost::recipe;

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

TEST_CASE("of a key that stands twice the last value counts", "[recipe]") {
  const Facts facts = read_yaml("a: 1\nb: 3\na: 2\n", "t.yaml");
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].given == Given::replaced);
  CHECK(facts[2].value == "2");
  CHECK(facts[2].given == Given::text);
}

TEST_CASE("hostile YAML is refused with its line", "[recipe]") {
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

TEST_CASE("TOML takes characters beyond ASCII only in strings and comments", "[recipe]") {
  for (const std::string_view text :
       {"a = 1\n  \u00e9 = 1\n", "a = 1\nb \u3001= 1\n", "[a]\n[\u00e9]\n", "a = 1\nb = \u00a0 1",
        "a = '''\n'''''\u00e9", "a = \"\"\"\\\n \u00e9\"\"\""}) {
    try {
      read_toml(text, "x.toml");
      FAIL_CHECK(text);
    } catch (const Error& error) {
      CHECK(error.message.find("line 2, column ") != std::string::npos);
    }
  }
  const Facts facts =
      read_toml("\uFEFF# \u00e9\na = \"\u00e9\"\nb = '''\\\n\u00e9'''\n\"\u00e9\" = 1\n", "x.toml");
  CHECK(value(facts, "a") == "\u00e9");
  CHECK(value(facts, "b") == "\\\n\u00e9");
  CHECK(value(facts, "\u00e9") == "1");
}

TEST_CASE("a TOML table without a name is refused with its line", "[recipe]") {
  for (const std::string_view text :
       {"a = 1\n[ = 1\n", "\n  [[ .b]]\n", "\n[\n", "\n[.a]\nb = 1\n"}) {
    try {
      read_toml(text, "x.toml");
      FAIL_CHECK(text);
    } catch (const Error& error) {
      CHECK(error.location == "x.toml:2");
    }
  }
  const Facts facts = read_toml("a = [\n  [ {b = 1} ],\n  [ +1 ]\n]\n[ \"c\" ]\nd = 1\n", "x.toml");
  CHECK(value(facts, "c.d") == "1");
}

namespace {

// The flags of the only command that has any.
Facts flags_of(std::string_view text) {
  for (const ShellCommand& command : read_script(text, "t.sh").commands) {
    if (!command.facts.empty()) return command.facts;
  }
  return {};
}

}  // namespace

TEST_CASE("hostile TOML is refused with its line", "[recipe]") {
  const auto repeated = [](std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  // Each part of a key is a table within the one before it.
  for (const std::string& key :
       {repeated("a.", 100000) + "a", repeated("\"a\" . ", 100000) + "a"}) {
    for (const std::string& text : {"b = 1\n" + key + " = 1\n", "b = 1\n[" + key + "]\n"}) {
      try {
        read_toml(text, "x.toml");
        FAIL_CHECK("read");
      } catch (const Error& error) {
        CHECK(error.location == "x.toml:2");
      }
    }
  }
  CHECK_THROWS_AS(read_toml("a = " + repeated("{a.a.a = ", 100) + "1" + repeated("}", 100), "x"),
                  Error);
  const Facts facts =
      read_toml("a.b = \"" + repeated("Dots. ", 100) + "\" # " + repeated(".", 100) +
                    "\nc = \"\"\"\n" + repeated(".\n", 100) + "\"\"\"\n",
                "x.toml");
  CHECK(facts.size() == 2);
}

TEST_CASE("scripts are followed without being run", "[recipe]") {
  constexpr std::string_view kText =
      "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gpus-per-node=8\nGPUS=8\n"
      "NODES=${NNODES:-2}\nN=$(nvidia-smi -L | wc -l)\nSEQ=$((1024 * 6))\n"
      "ARGS=(\n  --num-layers 32  # comment\n  --bf16\n  --seq-length $SEQ\n)\n"
      "torchrun --nproc_per_node=$GPUS --nnodes $NODES pretrain_gpt.py ${ARGS[@]} \\\n"
      "  --micro-batch-size 2 data.path=x a.b=c\n";
  const Facts facts = flags_of(kText);
  CHECK(value(facts, "--nproc_per_node") == "8");
  CHECK(value(facts, "--nnodes") == "2");
  CHECK(value(facts, "--num-layers") == "32");
  CHECK(value(facts, "--seq-length") == "6144");
  CHECK(value(facts, "--micro-batch-size") == "2");
  CHECK(value(facts, "a.b") == "c");
  CHECK(has_key(facts, "--bf16"));
  const Facts assigned = read_script(kText, "t.sh").facts;
  CHECK(value(assigned, "#SBATCH --nodes") == "4");
  CHECK(value(assigned, "$N").empty());
}

TEST_CASE("an empty array is no function", "[recipe]") {
  CHECK(value(flags_of("A=()\nA+=(\"--x 1\")\nrun.py ${A[@]}\n"), "--x") == "1");
}

TEST_CASE("functions of a script are called where they stand", "[recipe]") {
  CHECK(value(flags_of("f() {\n  run.py --x $X\n}\nX=3\nf\n"), "--x") == "3");
}

TEST_CASE("branches follow what the script knows", "[recipe]") {
  constexpr std::string_view kChoice =
      "if [ $S = small ]; then\n  N=1\nelif [[ $S == large ]]; then\n  N=2\nelse\n  N=3\nfi\n"
      "run.py --n $N\n";
  CHECK(value(flags_of("S=large\n" + std::string(kChoice)), "--n") == "2");
  CHECK(value(flags_of("S=other\n" + std::string(kChoice)), "--n") == "3");
  // Only the machine knows S, so no branch is certain.
  const Facts open = flags_of("S=$(hostname)\n" + std::string(kChoice));
  REQUIRE(has_key(open, "--n"));
  CHECK(open.front().given == Given::unknown);
}

TEST_CASE("a case of a variable is followed", "[recipe]") {
  CHECK(value(flags_of("M=7b\ncase $M in\n  13b) L=40;;\n  7b) L=32;;\n  *) L=1;;\nesac\n"
                       "run.py --layers $L\n"),
              "--layers") == "32");
}

TEST_CASE("flags of a program around a container stand apart", "[recipe]") {
  const Script script =
      read_script("docker run --gpus all image torchrun --nproc_per_node 4 t.py\n", "t.sh");
  REQUIRE(script.commands.size() == 1);
  CHECK(has_key(script.commands[0].wrapper, "--gpus"));
  CHECK(value(script.commands[0].facts, "--nproc_per_node") == "4");
}

TEST_CASE("a file that a script writes is kept with its variables filled in", "[recipe]") {
  const Script script = read_script("Z=2\ncat > ds.json <<EOF\n{\"stage\": $Z}\nEOF\n", "t.sh");
  REQUIRE(script.written.size() == 1);
  CHECK(script.written[0].path == "ds.json");
  CHECK(script.written[0].text == "{\"stage\": 2}\n");
}

TEST_CASE("a variable that is read from a here-document has its lines", "[recipe]") {
  const Facts facts = flags_of(
      "read -r -d '' C <<EOF\nrun.sft \\\n  --x 1 \\\n  --y 2\nEOF\n"
      "deepspeed --module $C\n");
  CHECK(value(facts, "--x") == "1");
  CHECK(value(facts, "--y") == "2");
}

TEST_CASE("what is known of a text with an unknown part stays known", "[recipe]") {
  const Facts facts = flags_of("D=$1\nO=\" --x 1 --data $D --y 2\"\nrun.py ${O}\n");
  CHECK(value(facts, "--x") == "1");
  CHECK(value(facts, "--y") == "2");
  CHECK(value(facts, "--data").empty());
}

TEST_CASE("a script within a script is followed", "[recipe]") {
  CHECK(value(flags_of("N=5\nbash -c \"run.py --n $N\"\n"), "--n") == "5");
}

TEST_CASE("quotes within double quotes stand for themselves", "[recipe]") {
  // A value in quotes does not end the command of a script within a script.
  const Facts nested = flags_of("A=\" --x 'b|c;d' --y 2\"\nbash -c \"run.py $A --z 3\"\n");
  CHECK(value(nested, "--x") == "b|c;d");
  CHECK(value(nested, "--y") == "2");
  CHECK(value(nested, "--z") == "3");
  const Facts plain = flags_of("A=\"--x 'b'\"\nrun.py $A --s \"a\\.b \\$1\"\n");
  CHECK(value(plain, "--x") == "b");
  CHECK(value(plain, "--s") == "a\\.b $1");
}

TEST_CASE("all numbers of a flag are its items", "[recipe]") {
  int items = 0;
  for (const Fact& fact : flags_of("run.py --ramp 192 16 9_765_625 --x 1\n")) {
    items += fact.key == "--ramp" ? 1 : 0;
  }
  CHECK(items == 3);
}

TEST_CASE("hostile scripts end with a message", "[recipe]") {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "if true; then\n";
  CHECK_THROWS_AS(read_script(deep, "t.sh"), Error);
  std::string calls = "f0() { a --x; }\n";
  for (int i = 1; i < 20; ++i) {
    const std::string before = std::to_string(i - 1);
    calls +=
        "f" + std::to_string(i) + "() { f" + before + "; f" + before + "; f" + before + "; }\n";
  }
  CHECK_THROWS_AS(read_script(calls + "f19\n", "t.sh"), Error);
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
