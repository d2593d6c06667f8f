// SPDX-License-Identifier: Apache-2.0
// Calibration to a few measured steps: what must hold whatever the constants.
#include <cmath>
#include <sstream>

#include "catalog/software/stacks.h"
#include "catalog_fixture.h"
#include "catch.h"
#include "json/strict_json.h"
#include "study/calibrate/calibrate.h"
#include "study/calibrate/training_log.h"
#include "trcost/error.h"
#include "trcost/estimate.h"

using namespace trcost;

namespace {

constexpr std::string_view kHeader =
    "id,model,accelerator,gpus,tp,pp,dp,micro_batch,global_batch,seq_length,sharding,recompute,"
    "tokens_per_second_per_gpu\n";

// Rows of llama-3.1-8b on H100 that are `times` slower than predicted.
Measurements rows(const std::vector<double>& times, std::string_view chip = "h100-sxm") {
  Measurements out;
  std::string csv(kHeader);
  int number = 0;
  for (const double each : times) {
    const int gpus = 8 << (number % 3);
    csv += "r" + std::to_string(++number) + ",llama-3.1-8b," + std::string(chip) + "," +
           std::to_string(gpus) + ",1,1," + std::to_string(gpus) + ",1," +
           std::to_string(4 * gpus) + ",8192,parameters,none,1\n";
    (void)each;
  }
  Scenario asked;
  asked.set_text(Field::efficiency_stack, "fsdp");
  read_measured_rows(test_catalog(), csv, "rows.csv", asked, out);
  for (std::size_t i = 0; i < times.size(); ++i) {
    out.steps[i].seconds = times[i] * std::exp(log_seconds(out.steps[i], {}));
  }
  return out;
}

LogSteps read(const std::string& text) {
  std::istringstream in(text);
  return read_training_log(in, "train.log");
}

std::string message_of(const std::string& log) {
  try {
    read(log);
  } catch (const Error& error) {
    return error.message;
  }
  return {};
}

}  // namespace

TEST_CASE("the more steps say the same, the nearer the prediction comes", "[calibrate]") {
  for (const double slower : {0.8, 1.3, 2.0}) {
    double before = std::abs(std::log(slower));
    for (const std::size_t count : {1U, 3U, 10U}) {
      INFO(slower << " with " << count);
      const CalibrationResult result =
          calibrate(test_catalog(), rows(std::vector<double>(count, slower)));
      const double left = std::abs(std::log(1 + result.error_after));
      // Steps that differ in their network leave a little that no further one says more about: far
      // less than steps of one source scatter by, 0.1.
      CHECK((left < (count == 1 ? 0.95 : 0.75) * before || left < 0.02));
      CHECK((left < before || left < 0.02));
      before = left;
    }
    CHECK(before < 0.1 * std::abs(std::log(slower)));
  }
}

TEST_CASE("steps as predicted change nothing, and narrow the range", "[calibrate]") {
  const CalibrationResult one = calibrate(test_catalog(), rows({1}));
  const CalibrationResult three = calibrate(test_catalog(), rows({1, 1, 1}));
  for (const CalibrationResult::Factor& factor : three.factors) {
    CHECK_THAT(factor.factor, Catch::Matchers::WithinAbs(1, 1e-6));
  }
  CHECK(one.sigma < one.fit.sigma_before);
  CHECK(three.sigma < one.sigma);
  CHECK(three.sigma_elsewhere > three.sigma);
}

TEST_CASE("steps that contradict each other leave the range wide and say so", "[calibrate]") {
  const CalibrationResult agree = calibrate(test_catalog(), rows({1.3, 1.3, 1.3, 1.3}));
  const CalibrationResult differ = calibrate(test_catalog(), rows({0.7, 1.3, 1.3, 2.2}));
  CHECK(differ.sigma > 1.5 * agree.sigma);
  CHECK(agree.warnings.empty());
  REQUIRE_FALSE(differ.warnings.empty());
  CHECK(differ.warnings[0].find("r1 and r4") != std::string::npos);
}

TEST_CASE("a task that nobody knows is refused where it stands", "[calibrate]") {
  std::string csv(kHeader);
  csv.insert(csv.size() - 1, ",task");
  csv += "r1,llama-3.1-8b,h100-sxm,8,1,1,8,1,32,8192,parameters,none,1,";
  Measurements read;
  CHECK_NOTHROW(read_measured_rows(test_catalog(), csv + "qlora\n", "rows.csv", {}, read));
  try {
    read_measured_rows(test_catalog(), csv + "pretraining\n", "rows.csv", {}, read);
    FAIL("an unknown task was taken");
  } catch (const Error& error) {
    CHECK(error.message.find("none of pretrain, sft, lora") != std::string::npos);
  }
}

TEST_CASE("a wrong unit is refused, and so is no step at all", "[calibrate]") {
  CHECK_THROWS_AS(calibrate(test_catalog(), rows({300})), Error);
  // Waiting makes a step 30 times slower, and is no property of the software.
  CHECK(calibrate(test_catalog(), rows({30})).stack_json.empty());
  CHECK_THROWS_AS(calibrate(test_catalog(), Measurements{}), Error);
}

TEST_CASE("the calibrated file predicts as the fit does, at its own spread", "[calibrate]") {
  const CalibrationResult result = calibrate(test_catalog(), rows({1.4, 1.4, 1.4}));
  const auto own =
      load_stack(parse_strict_json(result.stack_json, "my-stack.json"), test_catalog());
  CHECK(own->name == "fsdp-calibrated");
  CHECK(own->measured.rows == 3);
  const MeasuredStep step = rows({1.4}).steps[0];
  Platform platform = step.platform;
  platform.stack = own.get();
  CHECK_THAT(StepModel(step.workload, platform).step(step.layout).seconds,
             Catch::Matchers::WithinRel(result.rows[0].predicted_after, 1e-9));
}

// The promise of README, on every published source by constants that never saw it.
TEST_CASE("three rows bring the others of their source closer", "[calibrate]") {
  const CalibrationCurve wrong = calibration_curve(test_catalog(), "IBM fms-fsdp");
  REQUIRE(wrong.wrong.sources == 1);
  CHECK(wrong.wrong.after[0] < 0.85 * wrong.wrong.error);
  CHECK(wrong.wrong.after[1] < 0.7 * wrong.wrong.error);
  const CalibrationCurve right = calibration_curve(test_catalog(), "torchtitan benchmarks");
  REQUIRE(right.right.sources >= 1);
  CHECK(right.right.after[1] < 1.02 * right.right.error);  // right before: not made worse
}

TEST_CASE("three rows of a source help its others where it was wrong, and do not hurt elsewhere",
          "[calibrate]") {
  const CalibrationCurve curve = calibration_curve(test_catalog());
  REQUIRE(curve.wrong.sources >= 5);
  REQUIRE(curve.right.sources >= 20);
  CHECK(curve.wrong.after[0] < 0.85 * curve.wrong.error);
  CHECK(curve.wrong.after[1] < 0.7 * curve.wrong.error);
  CHECK(curve.right.after[0] < 1.03 * curve.right.error);
  CHECK(curve.right.after[1] < curve.right.error);
  CHECK(curve.wrong.inside > 0.55);
  CHECK(curve.right.inside > 0.7);
}

TEST_CASE("logs of four programs say the time of a step", "[calibrate][log]") {
  std::string megatron, titan, trainer, lightning;
  for (int i = 1; i <= 20; ++i) {
    const std::string n = std::to_string(i);
    megatron += " [2024-05-01 10:00:00] iteration " + n +
                "/ 100 | consumed samples: 64 | elapsed time per "
                "iteration (ms): " +
                std::string(i < 3 ? "91234.5" : "8654.2") +
                " | learning rate: 1E-06 | "
                "global batch size:   256 | lm loss: 2.5E+00 |\r\n";
    titan +=
        "\x1b[32m[rank0]:[titan] 2025-06-16 22:30:50,322 - root - INFO - step: " + n +
        "  loss:  6.1384  memory: 49.66GiB(52.28%)  tps: " + std::string(i == 1 ? "112" : "5,856") +
        "  tflops: 339.16  mfu: 34.29%\n";
    const std::string clock = (i * 10 / 60 < 10 ? "0" : "") + std::to_string(i * 10 / 60) + ":" +
                              (i * 10 % 60 < 10 ? "0" : "") + std::to_string(i * 10 % 60);
    const std::string bar =
        " " + std::to_string(i * 5) + "%|####      | " + n + "/20 [" + clock + "<01:00, 10.02s/it";
    trainer += bar + "]\r";
    lightning += "Epoch 0: " + bar + ", loss=2.1, v_num=3]\r";
  }
  const LogSteps one = read(
      "  seq_length ............................ 4096\n"
      "  tensor_model_parallel_size ............ 8\n" +
      megatron);
  CHECK(one.program == LogProgram::megatron);
  CHECK_THAT(one.value, Catch::Matchers::WithinRel(8.6542, 1e-12));
  CHECK(one.facts == std::vector<std::pair<Field, double>>{{Field::data_seq_length, 4096},
                                                           {Field::layout_tp, 8},
                                                           {Field::train_global_batch, 256}});
  const LogSteps two = read(titan);
  CHECK(two.program == LogProgram::torchtitan);
  CHECK(two.value == 5856);
  const LogSteps three =
      read("  Total train batch size (w. parallel, distributed & accumulation) = 64\n" + trainer);
  CHECK(three.program == LogProgram::hugging_face);
  CHECK_THAT(three.value, Catch::Matchers::WithinRel(10, 1e-12));
  CHECK(three.facts == std::vector<std::pair<Field, double>>{{Field::train_global_batch, 64}});
  const LogSteps four = read(lightning);
  CHECK(four.program == LogProgram::lightning);
  CHECK_THAT(four.value, Catch::Matchers::WithinRel(10, 1e-12));
  // The run's own time, where that is all.
  const LogSteps five = read(
      "{'train_runtime': 1000.0, 'train_samples_per_second': 6.4, "
      "'train_steps_per_second': 0.1, 'train_loss': 1.0, 'epoch': 1.0}\n");
  CHECK(five.whole_run);
  CHECK_THAT(five.value, Catch::Matchers::WithinRel(10, 1e-12));
}

TEST_CASE("a step of eight times the prediction is a finding", "[calibrate]") {
  const CalibrationResult alone = calibrate(test_catalog(), rows({9}));
  CHECK(alone.stack_json.empty());
  CHECK(alone.fit.log == std::array<double, kStackFactors>{});
  REQUIRE_FALSE(alone.warnings.empty());
  CHECK(alone.warnings.front().find("9.0 times") != std::string::npos);
  // Beside ordinary steps it is left out.
  const CalibrationResult with = calibrate(test_catalog(), rows({1.2, 9, 1.2}));
  CHECK(with.rows.size() == 2);
  CHECK_FALSE(with.stack_json.empty());
  CHECK(with.fit.log == calibrate(test_catalog(), rows({1.2, 9, 1.2})).fit.log);
}

TEST_CASE("an explanation names the part that was slower", "[calibrate]") {
  Measurements measured = rows({1});
  // Exchange that takes five times as long.
  std::array<double, kStackFactors> moved{};
  std::size_t exchange = 0;
  while (stack_factors()[exchange].name != "exchange") ++exchange;
  moved[exchange] = std::log(5);
  measured.steps[0].seconds = std::exp(log_seconds(measured.steps[0], moved));
  const CalibrationResult result = calibrate(test_catalog(), measured, true);
  REQUIRE(result.explained.size() == 1);
  const StepExplanation& explained = result.explained.front();
  double predicted = 0;
  for (const ExplainedTerm& term : explained.terms) {
    if (term.name != "exchange") continue;
    REQUIRE(term.factor);
    CHECK_THAT(*term.factor, WithinRel(5.0, 1e-3));
    predicted = term.predicted_seconds;
  }
  CHECK(predicted > 0);
  CHECK(predicted < explained.predicted_seconds);
  CHECK(calibrate(test_catalog(), rows({1})).explained.empty());
}

TEST_CASE("logs of other programs", "[calibrate][log]") {
  struct Line {
    const char* text;
    LogUnit unit;
    double value;
  };
  using enum LogUnit;
  // Lines as the programs print them: their repositories, and public reports of their users.
  for (const Line& line : {
           Line{"iter 10: loss 3.2202, time 893.76ms, mfu 16.68%\n", step_seconds, 0.89376},
           Line{"step 00010/21400 (0.05%) | loss: 9.1 | lrm: 1.00 | dt: 1234.50ms | tok/sec: "
                "412,345 | mfu: 45.3\n",
                step_seconds, 1.2345},
           Line{"step   20/19560 | loss 7.4 (+nanz)| norm 1.3 (+nanz)| lr 1.71e-05 | 3025.88 ms | "
                "60.4% bf16 MFU | 173112 tok/s\n",
                step_seconds, 3.02588},
           Line{"[timer.py:197:stop] 0/17, RunningAvgSamplesPerSec=158.31, "
                "CurrSamplesPerSec=159.6288, MemAllocated=1.75GB\n",
                samples_per_second, 159.6288},
           Line{"steps: 10 loss: 8.2 iter time (s): 1.234 samples/sec: 12.9\n", step_seconds,
                1.234},
           Line{"completed step: 5, seconds: 12.345, TFLOP/s/device: 123.4, Tokens/s/device: "
                "1327.1, total_weights: 65536, loss: 10.1\n",
                step_seconds, 12.345},
           Line{"Training epoch 0, iteration 10/99 | lr: 3e-05 | global_batch_size: 128 | "
                "global_step: 10 | train_step_timing in s: 6.63 | consumed_samples: 1408\n",
                step_seconds, 6.63},
           Line{"v_num=0, global_step=9.000, consumed_samples=640.0, train_step_timing in "
                "s=2.34]\n",
                step_seconds, 2.34},
           Line{"Step 10 | loss:1.23 lr:2e-05 tokens_per_second_per_gpu:1234.5 "
                "peak_memory_active:20.1\n",
                tokens_per_second_per_gpu, 1234.5},
           Line{"\t Train throughput/batches_per_sec: 0.5000\n", step_seconds, 2},
           Line{"    throughput/device/TPS=12,345\n", tokens_per_second_per_gpu, 12345},
           Line{"iteration: 10 / 100 | consumed_tokens: 1.3M | elapsed_time_per_iteration_ms: 5.2K "
                "| tokens_per_sec: 12.3K | global_batch_size: 64 |\n",
                step_seconds, 5.2},
           Line{"{'loss': 1.2, 'epoch': 1.0, 'step_tokens_per_second': 18801.85}\n",
                tokens_per_second, 18801.85},
           Line{"{\"step\": 22, \"loss\": 0.0839, \"step_time\": 2.98}\n", step_seconds, 2.98},
           Line{"{\"train/tokens_per_second\": 51200.0, \"train/loss\": 2.1}\n", tokens_per_second,
                51200},
           Line{"step:10 - actor/pg_loss:0.1 - timing_s/gen:80.1 - timing_s/step:123.4 - "
                "perf/throughput:1234.5\n",
                round_seconds, 123.4},
           Line{"Epoch 1 | iter 16 step 1 | loss train: 1.5 | iter time: 234.5 ms (step)\n",
                batch_seconds, 0.2345},
           Line{"{'loss': '0.7', 'train_speed(s/it)': '8.31'}\n", step_seconds, 8.31},
           Line{"step 9 | epoch 0 | loss 0.69 | mem 24.90 GiB | tps 11278.56(1409.82/gpu) | "
                "num_label_tokens 21541\n",
                tokens_per_second, 11278.56},
           Line{"step:5050/20000 train_loss:2.0232 train_time:219627ms step_avg:43.49ms\n",
                step_seconds, 0.04349},
           Line{"| epoch 010  2000 / 8223 loss=1.27 (1.50), wps=962, wpb=908, bsz=32, lr=0.001\n",
                tokens_per_second, 962},
           Line{"    3 7.34 s run, 11.8750 loss, 0.000000000002 LR, 1454.57 GB used, 236258.78 "
                "GFLOPS\n",
                step_seconds, 7.34},
           Line{"Epoch 0:   1%|  | 795/77225 [9:07:58<878:01:48, 41.36s/it, loss=3.1, "
                "global_step=794.0]\n",
                step_seconds, 41.36},
           Line{"Epoch 0:   1%|  | 795/77225 [9:07:58<878:01:48, 41.36s/it, loss=3.1, "
                "global_step=99.0]\n",
                batch_seconds, 41.36},
       }) {
    INFO(line.text);
    std::istringstream in(line.text);
    const LogSteps steps = read_training_log(in, "train.log");
    CHECK(steps.unit == line.unit);
    CHECK_THAT(steps.value, WithinRel(line.value, 1e-9));
  }
}

TEST_CASE("the Trainer's final table, quoted numbers and its state", "[calibrate][log]") {
  const char* const table =
      "***** train metrics *****\n  epoch                    =        3.0\n"
      "  train_runtime            = 0:36:58.55\n  train_samples_per_second =      1.474\n"
      "  train_steps_per_second   =      0.185\n";
  const char* const quoted =
      "{'train_runtime': '2219', 'train_samples_per_second': '1.474', "
      "'train_steps_per_second': '0.185', 'train_loss': '0.7228'}\n";
  const char* const state =
      "{\n  \"log_history\": [\n    {\n      \"train_runtime\": 2219.0,\n"
      "      \"train_samples_per_second\": 1.474,\n      \"train_steps_per_second\": 0.185\n"
      "    }\n  ],\n  \"max_steps\": 410\n}\n";
  for (const char* text : {table, quoted, state}) {
    INFO(text);
    std::istringstream in(text);
    const LogSteps steps = read_training_log(in, "train.log");
    CHECK(steps.whole_run);
    CHECK_THAT(steps.value, WithinRel(5.41, 0.005));
    // Samples per second over steps per second.
    REQUIRE(steps.facts.size() == 1);
    CHECK(steps.facts.front() == std::pair(Field::train_global_batch, 8.0));
  }
}

TEST_CASE("several ranks that print the same step count once", "[calibrate][log]") {
  std::string text;
  for (int step = 1; step <= 10; ++step) {
    for (int rank = 0; rank < 8; ++rank) {
      text += "[rank" + std::to_string(rank) + "]: step: " + std::to_string(step) +
              " loss: 7.1 memory: 40.1GiB tps: 5,123 mfu: 41.2%\n";
    }
  }
  std::istringstream in(text);
  const LogSteps steps = read_training_log(in, "train.log");
  CHECK(steps.steps == 10);
  CHECK(steps.value == 5123);
}

TEST_CASE("the first steps are left out only if the log has them", "[calibrate][log]") {
  const auto rate = [](int first, std::initializer_list<double> rates) {
    std::string text;
    int step = first;
    for (const double each : rates) {
      text += "[timer.py:197:stop] 0/" + std::to_string(step++) +
              ", RunningAvgSamplesPerSec=100, CurrSamplesPerSec=" + std::to_string(each) +
              ", MemAllocated=1.75GB\n";
    }
    std::istringstream in(text);
    return read_training_log(in, "train.log").value;
  };
  CHECK_THAT(rate(17, {160, 150}), WithinRel(155, 1e-9));
  CHECK(rate(1, {50, 150}) == 150);
  // Lines of every tenth step begin with the tenth.
  std::istringstream in(
      "{\"step\": 100, \"tokens_per_second\": 50}\n{\"step\": 200, \"tokens_per_second\": 90}\n");
  CHECK(read_training_log(in, "train.log").value == 90);
}

TEST_CASE("the time since the start beside a step gives its seconds", "[calibrate][log]") {
  std::istringstream in(
      R"({"current_steps": 10, "total_steps": 156, "elapsed_time": "0:01:20"}
{"current_steps": 20, "total_steps": 156, "elapsed_time": "0:02:40"}
{"current_steps": 30, "total_steps": 156, "elapsed_time": "0:04:00"}
)");
  CHECK(read_training_log(in, "trainer_log.jsonl").value == 8);
}

TEST_CASE("logs that are cut off, not finite or something else", "[calibrate][log]") {
  const std::string line =
      "iteration 5/ 9 | elapsed time per iteration (ms): 2000.0 | global batch size: 8 |\n";
  // The number in which a log ends is not whole.
  const LogSteps cut = read(line + line + "iteration 7/ 9 | elapsed time per iteration (ms): 20");
  CHECK(cut.value == 2);
  CHECK(cut.unreadable == 1);
  const LogSteps nan = read(line + "iteration 6/ 9 | elapsed time per iteration (ms): nan | \n");
  CHECK(nan.value == 2);
  CHECK(nan.unreadable == 1);
  CHECK(message_of("iteration 6/ 9 | elapsed time per iteration (ms): inf | \n")
            .find("none of the 1") == 0);
  CHECK(message_of("").find("empty") != std::string::npos);
  CHECK(message_of("hello\n").find("no step") == 0);
  CHECK(message_of("\xFF\xFEi\0t\0").find("UTF-16") != std::string::npos);
  CHECK(message_of("\x1F\x8B\x08").find("compressed") != std::string::npos);
  // Other bytes beside the steps do no harm, and bars of other work do not count.
  CHECK(read("\xE9\xFF caf\xE9\n" + line).value == 2);
  CHECK(message_of("Loading checkpoint shards: 100%|##| 4/4 [00:40<00:00, 10.0s/it]\n")
            .find("no step") == 0);
}
