// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <algorithm>

namespace trcost::cli {
namespace {

constexpr Command kCommands[] = {
    {"estimate", "what one training costs, on one or more platforms", "[OPTIONS]",
     "trcost estimate --params 10e9 --modality vl\n"
     "trcost estimate --model llama-3.1-8b --tokens 1T --accelerator h100-sxm --gpus 512\n"
     "trcost estimate --scenario run.json --format json -o run-estimate.json\n",
     define_estimate},
    {"tokens", "tokens that an image, a video or an audio clip becomes",
     "[--family NAME] --image WxH (or --images, --video, --audio) [options]",
     "trcost tokens --image 1920x1080\n"
     "trcost tokens --family qwen2-vl --image 1920x1080 --image 640x480 --max-pixels 1003520\n"
     "trcost tokens --family qwen2-vl --video 1280x720 --seconds 60 --fps 2 --format json\n"
     "trcost tokens --family internvl --images sizes.csv\n",
     define_tokens},
    {"help", "help on a command, or the table of scenario fields", "[COMMAND|fields]",
     "trcost help estimate\ntrcost help fields\n", define_help},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  const auto at = std::ranges::find(kCommands, name, &Command::name);
  return at == std::end(kCommands) ? nullptr : &*at;
}

}  // namespace trcost::cli
