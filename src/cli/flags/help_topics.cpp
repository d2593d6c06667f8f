// SPDX-License-Identifier: Apache-2.0
// tests/docs runs each line that begins with `  trcost `.
#include "cli/flags/help_topics.h"

#include <fmt/format.h>

#include "trcost/report.h"

namespace trcost::cli {
namespace {

constexpr std::string_view kPrices =
    R"(Prices: which one is used, how old it is, and how to set your own.

All platforms of an answer are priced in one class of sellers: specialist (the default),
marketplace, hyperscaler or index (--price-class). The price is the median of the quotes of that
class, with one quote per seller: of a whole machine, from the seller's own page, of the last 3 to
12 months. "used" in the list marks them. "Newest price" is the date of the newest quote in the
price book. The quotes behind an answer have their own dates. A price older than 90 days (of
hyperscalers, a year) ranks behind newer ones.

Most quotes are of one machine. A cluster with a fast network can cost more or, under a contract,
less: the list has the products.

  trcost list prices h100-sxm
  trcost estimate --params 7e9 --accelerator h100-sxm --price-class hyperscaler

~ marks an estimated price: too few sellers of the class quote this chip. It follows from the ratio
of two chips at other sellers, or from the level of the class. A warning says which. With --strict,
an estimated price exits with 3.

--pricing is on-demand (the default), reserved-1y, reserved-3y, spot, block or own. A reserved price
binds for its whole term, and the answer states the cost of the term. own buys the machines.

  trcost estimate --params 7e9 --accelerator h100-sxm --pricing own

Set your own price with --price 2.10. A range from P10 to P90 replaces the spread of the quotes:

  trcost estimate --params 7e9 --accelerator h100-sxm --price 1.9..3.2

--provider uses one seller, --region one place. `trcost prices import` turns a public catalog into a
price file (`trcost prices --help`). --as-of DATE uses the prices known on that date.
)";

constexpr std::string_view kRanges =
    R"(Ranges: what the 80% range of an answer contains.

One run in ten costs less than P10, and one in ten more than P90. Every uncertain input has its own
spread. The spread of the step time is the error on published rows whose source was left out of the
fit. The spread of overheads is the distance between published GPU-hours and clean steps. The spread
of the price comes from the quotes. Tokens that you set are a plan with a standard deviation of 10%.
Default tokens have 25%.

  trcost estimate --params 7e9 --tokens 1T --accelerator h100-sxm --details

"Sensitivity" in the answer names the inputs with the largest part of the range. If you set one of
them, the range narrows:

  trcost estimate --params 7e9 --tokens 1T --gpu h100-sxm --mfu 0.42 --price 2.2

Any amount may be a range. LOW..HIGH is P10 to P90 of a lognormal distribution. A scenario file also
takes {"distribution": "normal", "mean": .., "sd": ..}, and uniform, triangular and lognormal.

  trcost estimate --params 7e9 --tokens 1T..3T --accelerator h100-sxm

The same question always gives the same range.
)";

constexpr std::string_view kCalibration =
    R"(Calibration: what the predictions are fitted to, their error, and your own measurements.

The time of a step is computed from peak speeds, bandwidths and the share of each that software
reaches. These shares are fitted to published measurements. `validate` replays all of them:

  trcost validate
  trcost validate --accelerator h100-sxm --stack megatron --rows
  trcost validate --runs
  trcost validate --vision
  trcost validate --memory
  trcost validate --serving

"left out" is the error on rows whose source was not used in the fit. Expect this error for your own
run. "inside" is the share of rows within the 80% range.

Tuning moves the answer most. --tuning showcase is a vendor's or record table, usual what its users
get, first-run a first attempt. --stack names the software.

  trcost estimate --model llama-3.1-8b --tokens 1T --gpu 64xh100-sxm \
                  --stack megatron --tuning showcase

Your own measurements are better than any fit. `calibrate` turns three to thirty measured steps into
a stack file for --stack. --mfu sets the speed directly. `transfer` converts a measured run to another
platform.

  trcost calibrate --measured examples/calibrate/rows.csv \
                   --stack fsdp-compiled -o my-stack.json

  trcost transfer --model llama-2-7b --train lora --tokens 2e9 \
                  --from a100-sxm-80gb --from-gpus 8 --measured 20h --to h200
)";

constexpr std::string_view kPhases =
    R"(Phases: post-training as rounds.

With --method ppo, grpo or distill, a job is a number of rounds. A round generates responses, scores
them (reference, reward and teacher models, forward only), and trains on them. Phases on the same GPUs
take turns. Groups of GPUs work at the same time, and idle GPUs are part of the cost.

  trcost estimate --method grpo --model llama-3.1-8b --gpu 32xh100-sxm

The answer has time, GPU-hours and dollars of each phase. These flags replace the defaults:
--prompts and --samples-per-prompt of a round, --prompt-tokens, --response-tokens, --response-limit,
--steps (rounds), --placement colocated|split|async with --generation-gpus, --reward-model,
--critic-model, --teacher-model, --reference on|off.

  trcost estimate --method grpo --model llama-3.1-8b --gpu 32xh100 --steps 500 \
                  --prompts 256 --samples-per-prompt 8 --response-tokens 4000
  trcost estimate --method ppo --model llama-3.1-8b --gpu 32xh100 --placement split

A scenario file with "stages" describes a job of several methods. Its cost is the sum of the stages.
)";

constexpr std::string_view kFormats =
    R"(Formats: every command takes --format. With -o FILE, the ending of the name sets the format.

  trcost estimate --params 7e9 --tokens 1T --accelerator h100-sxm --format json
  trcost sweep --params 7e9 --vary gpus=64..512:x2 --gpu h100-sxm --format csv

)";

std::string formats_text() {
  std::string text(kFormats);
  for (const FormatInfo& info : formats()) {
    std::string endings = fmt::format(".{}", info.extensions);
    for (std::size_t bar = 0; (bar = endings.find('|')) != std::string::npos;) {
      endings.replace(bar, 1, ", .");
    }
    text += fmt::format("  {:<8}{:<16}{}\n", info.name, endings, info.what);
  }
  return text + fmt::format(
                    "\nColumns of {} are the names of the JSON, joined by dots. `trcost schema` "
                    "describes them.\n",
                    format_names(Form::lines));
}

template <const std::string_view& kText>
std::string text_of() {
  return std::string(kText);
}

constexpr HelpTopic kTopics[] = {
    {"formats", "table, JSON, CSV, HTML, workbook", formats_text},
    {"prices", "which price is used, its age, your own", text_of<kPrices>},
    {"ranges", "what P10 and P90 contain", text_of<kRanges>},
    {"calibration", "what is fitted, its error, your own measurements", text_of<kCalibration>},
    {"phases", "reinforcement learning and other post-training", text_of<kPhases>},
};

}  // namespace

std::span<const HelpTopic> help_topics() {
  return kTopics;
}

}  // namespace trcost::cli
