// SPDX-License-Identifier: Apache-2.0
// Lines that begin with `  trcost ` are commands that work as they stand: tests/docs runs them.
#include "cli/flags/help_topics.h"

#include <fmt/format.h>

#include "trcost/report.h"

namespace trcost::cli {
namespace {

constexpr std::string_view kPrices =
    R"(Whose price an estimate takes, how old it is, and how to bring your own.

Every platform of an answer is priced in one class of sellers, so that the platforms are compared
and not the sellers: specialist (default), marketplace, hyperscaler or index (--price-class). The
price is the median of what the class asks on the day of the price book, one vote per seller; the
table names how many sellers and of which months.

  trcost show prices h100-sxm
  trcost list prices --accelerator b200
  trcost estimate --params 7e9 --accelerator h100-sxm --price-class hyperscaler

~ before a price: nobody of the class asks it. It is made from the ratio that other sellers ask
for two chips, or from the class's level; a warning says how, and --strict exits with 3.

--pricing on-demand (default), reserved-1y, reserved-3y, spot, block, own. A reserved price binds
to its term: the answer says what that costs in all. own buys the machines.

  trcost estimate --params 7e9 --accelerator h100-sxm --pricing own

Your own price: --price 2.10, or a range of P10 to P90 that replaces the price's spread:

  trcost estimate --params 7e9 --accelerator h100-sxm --price 1.9..3.2

--provider and --region take one seller's or one place's. `trcost prices import` makes a file of
your own from a public catalog, without a build: `trcost prices --help`. --as-of DATE says how old
prices are on that day; it moves none.
)";

constexpr std::string_view kRanges =
    R"(What the 80 % range of an answer is, and how to read it.

P10 and P90 leave one chance in ten on either side. Each uncertain input is drawn from its own
spread: the step's time from what published rows of the same family missed by, whole sources left
out of the fit; the overheads of a run from how far published hours lie from clean steps; the price
from what sellers of the class ask. Tokens that you state are a plan, and what is run in the end
lies about 10 % around it (one standard deviation); where nobody said how many it is 25 %.

  trcost estimate --params 7e9 --tokens 1T --accelerator h100-sxm --details

"Driven by" names the inputs by their share of the range. Say one, and the range narrows:

  trcost estimate --params 7e9 --tokens 1T --accelerator h100-sxm --mfu 0.42 --price 2.2

Any amount may be uncertain, and your range replaces the program's: LOW..HIGH is P10 to P90 of a lognormal. In a scenario file
{"distribution": "normal", "mean": .., "sd": ..}, uniform, triangular and lognormal do the same.

  trcost estimate --params 7e9 --tokens 1T..3T --accelerator h100-sxm

Draws are the same for the same question: the answer's bytes do not change from run to run.
)";

constexpr std::string_view kCalibration =
    R"(What the predictions are fitted to, how far off they are, and how to measure your own.

A step's time is physics with constants: how much of a matmul's peak a chip reaches by size, how
much of a link a collective reaches, what software loses. The constants are fitted to published
measurements, which stand with their addresses in the catalog; `validate` replays them all:

  trcost validate
  trcost validate --accelerator h100-sxm --stack megatron --rows
  trcost validate --runs
  trcost validate --vision
  trcost validate --memory
  trcost validate --serving

"left out" is the error of rows whose source was left out of the fit: what to expect of a run that
nobody fitted. "inside" is how many of them the 80 % range holds.

How well software is tuned moves the answer more than the model does: --tuning showcase (a
vendor's or record table), usual (what its users get), first-run; --stack names the software.

  trcost estimate --model llama-3.1-8b --tokens 1T --gpus 64 --accelerator h100-sxm --stack megatron --tuning showcase

Steps that you measured beat every fit: `calibrate` makes a stack file of three to thirty of them,
which every command takes as --stack my-stack.json (`validate --calibrated` shows what that is
worth); --mfu takes a speed as it is, and `transfer` carries a measured run over to another platform.

  trcost calibrate --measured examples/calibrate/rows.csv --stack fsdp-compiled -o my-stack.json

  trcost transfer --model llama-2-7b --train lora --tokens 2e9 --from a100-sxm-80gb --from-gpus 8 --measured 20h --to h200
)";

constexpr std::string_view kPhases =
    R"(Post-training: a job as rounds of phases.

--method makes of a training its rounds (`trcost estimate --help` lists them, from sft and dpo to ppo
and grpo): what generates (prefill, then a token at a time), what scores (forward only: reference,
reward, teacher), what learns (forward, backward, update). Phases of one pool of accelerators take
turns; pools run beside each other; who waits is paid and shown.

  trcost estimate --method grpo --model llama-3.1-8b --gpus 32 --accelerator h100-sxm

The answer has time, GPU-hours and dollars of every phase, the tail of the longest responses, and
the memory of the other models. What the question leaves open is assumed and said; to say it:
--prompts and --samples-per-prompt of a round, --prompt-tokens, --response-tokens, --response-limit,
--steps (rounds), --placement colocated|split|async with --generation-gpus, --reward-model,
--critic-model, --teacher-model, --reference on|off.

  trcost estimate --method grpo --model llama-3.1-8b --gpus 32 --accelerator h100-sxm --steps 500 --prompts 256 --samples-per-prompt 8 --response-tokens 4000
  trcost estimate --method ppo --model llama-3.1-8b --gpus 32 --accelerator h100-sxm --placement split

Stages of several methods are one scenario file with "stages"; a job's cost is their sum.
)";

constexpr std::string_view kFormats =
    R"(How an answer is written: every command takes --format, and -o by the ending of its name.

  trcost estimate --params 7e9 --tokens 1T --accelerator h100-sxm --format json
  trcost sweep --params 7e9 --vary hardware.gpus=64..512:x2 --accelerator h100-sxm --format csv

)";

std::string formats_text() {
  std::string text(kFormats);
  for (const FormatInfo& info : formats()) {
    std::string endings = fmt::format(".{}", info.extensions);
    for (std::size_t bar = 0; (bar = endings.find('|')) != std::string::npos;) {
      endings.replace(bar, 1, ", .");
    }
    text += fmt::format("{:<8}{:<16}{}\n", info.name, endings, info.what);
  }
  return text + fmt::format(
                    "\nThe names of {} are those of the JSON, joined by dots; `trcost schema` "
                    "has what they mean.\n",
                    format_names(Form::lines));
}

template <const std::string_view& kText>
std::string text_of() {
  return std::string(kText);
}

constexpr HelpTopic kTopics[] = {
    {"formats", "how an answer is written, and where to", formats_text},
    {"prices", "whose price is taken, how old it is, your own", text_of<kPrices>},
    {"ranges", "what P10 to P90 is made of", text_of<kRanges>},
    {"calibration", "what is fitted, how far off it is, your own measurements",
     text_of<kCalibration>},
    {"phases", "post-training as rounds of phases", text_of<kPhases>},
};

}  // namespace

std::span<const HelpTopic> help_topics() {
  return kTopics;
}

}  // namespace trcost::cli
