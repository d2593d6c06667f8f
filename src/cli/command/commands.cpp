// SPDX-License-Identifier: Apache-2.0
#include "cli/command/commands.h"

#include <algorithm>

namespace trcost::cli {

// One function per command, each in its own file.
Action define_estimate(Flags& flags, Session& session);
Action define_memory(Flags& flags, Session& session);
Action define_tokens(Flags& flags, Session& session);
Action define_sweep(Flags& flags, Session& session);
Action define_calibrate(Flags& flags, Session& session);
Action define_validate(Flags& flags, Session& session);
Action define_prices(Flags& flags, Session& session);
Action define_list(Flags& flags, Session& session);
Action define_show(Flags& flags, Session& session);
Action define_completions(Flags& flags, Session& session);
Action define_solve(Flags& flags, Session& session);
Action define_diff(Flags& flags, Session& session);
Action define_experiments(Flags& flags, Session& session);
Action define_transfer(Flags& flags, Session& session);
Action define_serve(Flags& flags, Session& session);
Action define_tco(Flags& flags, Session& session);
Action define_recipe(Flags& flags, Session& session);
Action define_config(Flags& flags, Session& session);
Action define_schema(Flags& flags, Session& session);
Action define_help(Flags& flags, Session& session);

namespace {

constexpr Command kCommands[] = {
    {"estimate", "cost of a training run on one or more platforms", "[OPTIONS]",
     "trcost estimate --params 10e9 --modality vl\n"
     "trcost estimate --model llama-3.1-8b --tokens 1T --gpu 512xh100-sxm\n"
     "trcost estimate --model qwen2.5-vl-7b --train lora --samples 50k --gpu 1xl40s\n"
     "trcost estimate --recipe examples/recipes/axolotl.yaml --samples 52k \\\n"
     "                --gpu 8xh100\n"
     "trcost estimate --scenario run.json --format json -o run-estimate.json\n",
     define_estimate},
    {"sweep", "a grid of scenarios, one row each", "--vary PATH=VALUES [--vary ...] [OPTIONS]",
     "trcost sweep --vary params=1e9,3e9,10e9 --vary gpus=8..512:x2 --tokens 200B\n"
     "trcost sweep --model llama-3.1-8b --vary hardware.accelerator=h100-sxm,b200 \\\n"
     "             --vary train.precision=bf16,fp8 --sort cost.total --format table\n"
     "trcost sweep --params 10e9 --vary hardware.gpus=8..4096:x2 \\\n"
     "             --pareto wall_clock_seconds,cost.total\n"
     "trcost sweep --vary model.params=@sizes.txt --vary data.tokens=1e9..1e12:x10 \\\n"
     "             --shard 1/8 --resume part-1.csv\n",
     define_sweep},
    {"memory", "GPU memory that training needs, and which GPUs fit", "[OPTIONS]",
     "trcost memory --params 7e9\n"
     "trcost memory --model llava-1.5-7b --train lora --lora-rank 128 --gpu l40s\n"
     "trcost memory --params 70e9 --gpu h100-sxm,gb200-nvl72 --gpus 64 --tp 8\n",
     define_memory},
    {"solve", "what a budget, a deadline or a cluster can train",
     "[--for FIELD] --budget USD (or another target) [OPTIONS]",
     "trcost solve --budget 1M --accelerator h100-sxm\n"
     "trcost solve --for tokens --budget 250k --params 8B --gpu h100-sxm,b200\n"
     "trcost solve --for gpus --deadline 30d --params 8B --tokens 1T --gpu h100-sxm\n"
     "trcost solve --break-even gb200-nvl72,h100-sxm --params 70B --tokens 1T\n"
     "trcost solve --gpu 20000xh100-sxm --duration 4mo --mfu 0.4 --price 2\n",
     define_solve},
    {"diff", "changes between two saved results or recipes",
     "A.json B.json [--fail-above SHARE] [OPTIONS]",
     "trcost diff before.json after.json\n"
     "trcost diff before.json after.json --fail-above 10% --format md\n"
     "trcost diff --recipe examples/recipes/axolotl.yaml \\\n"
     "            examples/recipes/axolotl-next.yaml --samples 52k --gpu 8xh100\n",
     define_diff},
    {"transfer", "time and cost of a measured run on other platforms",
     "--from NAME --from-gpus N --measured TIME --to NAMES",
     "trcost transfer --model llama-3.1-8b --tokens 1B --train lora \\\n"
     "                --from a100-sxm-80gb --from-gpus 8 --measured 20h \\\n"
     "                --to h200,gb200-nvl72:4\n"
     "trcost transfer --params 7B --tokens 100B --from h100-sxm --from-gpus 64 \\\n"
     "                --measured-tokens-per-second 600k --to b200 --to-gpus 32\n",
     define_transfer},
    {"experiments", "cost of an ablation study of many runs",
     "[STUDY.json] [--runs N --params-fraction F] [OPTIONS]",
     "trcost experiments study.json --gpus 256 --accelerator h100-sxm,gb200-nvl72\n"
     "trcost experiments --params 10B --tokens 200B --runs 20 \\\n"
     "                   --params-fraction 0.1 --tokens-fraction 0.1\n",
     define_experiments},
    {"serve", "cost of serving a model, per million tokens", "--model NAME|FILE [OPTIONS]",
     "trcost serve --model llama-3.1-70b\n"
     "trcost serve --model gpt-oss-120b --gpu h200,b200 --concurrency 64\n"
     "trcost serve --model deepseek-v3 --tokens-per-second-per-user 50 --load 0.6\n"
     "trcost serve --model gpt-oss-120b --gpu b200 --claim \"0.02 USD/Mtok\"\n",
     define_serve},
    {"tco", "rent or buy GPUs over years", "--accelerator NAMES --gpus N [--years Y] [OPTIONS]",
     "trcost tco --accelerator b200 --gpus 1024 --years 3\n"
     "trcost tco --accelerator h100-sxm,b200,mi355x --gpus 512 --utilization 0.6\n"
     "trcost tco --gpu h200,b200 --gpus 64 --serve llama-3.1-70b --api-price 0.6\n",
     define_tco},
    {"recipe", "what trcost reads from another tool's configuration", "FILE... [OPTIONS]",
     "trcost recipe examples/recipes/axolotl.yaml\n"
     "trcost recipe examples/recipes/axolotl.yaml --gpu 8xh100-sxm --format json\n"
     "trcost estimate --recipe examples/recipes/axolotl.yaml --samples 52k \\\n"
     "                --gpu 8xh100\n",
     define_recipe},
    {"tokens", "tokens of an image, a video or an audio clip",
     "[--family NAME] --image WxH|--video WxH|--audio [OPTIONS]",
     "trcost tokens --image 1920x1080\n"
     "trcost tokens --family qwen2-vl --image 1920x1080 --max-pixels 1003520\n"
     "trcost tokens --family qwen2-vl --video 1280x720 --seconds 60 --fps 2\n"
     "trcost tokens --family internvl --images sizes.csv\n",
     define_tokens},
    {"validate", "compare predictions with published measurements", "[OPTIONS]",
     "trcost validate\n"
     "trcost validate --accelerator h100-sxm --stack megatron --rows\n"
     "trcost validate --format csv -o errors.csv\n"
     "trcost validate --task pretrain --max-error 20%\n"
     "trcost validate --runs\n"
     "trcost validate --calibrated\n"
     "trcost validate --serving --model llama-3.1-70b\n",
     define_validate},
    {"calibrate", "a stack file from your own measurements or logs",
     "--measured ROWS.csv|--log FILE -o STACK.json [OPTIONS]",
     "trcost calibrate --measured rows.csv -o my-stack.json\n"
     "trcost calibrate --log train.log --model llama-3.1-8b --gpu 64xh100-sxm \\\n"
     "                 --tp 2 --stack megatron -o my-stack.json\n"
     "trcost estimate --model llama-3.1-8b --tokens 1T --stack my-stack.json\n",
     define_calibrate},
    {"prices", "turn a SkyPilot or gpuhunt catalog into a price file", "import FILE [OPTIONS]",
     "trcost prices import lambda/vms.csv --date 2026-10-20 -o lambda-2026-10.json\n"
     "trcost prices import gpuhunt.csv --date 2026-10-20 \\\n"
     "                     --source github.com/dstackai/gpuhunt\n",
     define_prices},
    {"list", "catalog entries of a kind: models, accelerators, prices", "[KIND] [NAME] [OPTIONS]",
     "trcost list accelerators\n"
     "trcost list prices h100-sxm\n"
     "trcost list systems --format csv\n",
     define_list},
    {"show", "a catalog entry with its sources, or a file of your own",
     "[KIND] NAME|FILE [OPTIONS]",
     "trcost show h100-sxm\n"
     "trcost show models mixtral-8x7b --format json\n"
     "trcost show accelerators ./mine.json\n",
     define_show},
    {"config", "your own defaults, and where each value comes from", "[show|path] [OPTIONS]",
     "trcost config show\n"
     "trcost config show --all --region us\n"
     "trcost config path\n",
     define_config},
    {"schema", "JSON Schema of a command's output", "[COMMAND]",
     "trcost schema\n"
     "trcost schema estimate > estimate.schema.json\n",
     define_schema},
    {"completions", "shell completions or the man page", "bash|zsh|fish|man",
     "trcost completions bash > /etc/bash_completion.d/trcost\n"
     "trcost completions man | man -l -\n",
     define_completions},
    {"help", "help on a command, a term or a topic", "[COMMAND|TERM|TOPIC|fields]",
     "trcost help estimate\ntrcost help MFU\ntrcost help ranges\ntrcost help fields\n",
     define_help},
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
