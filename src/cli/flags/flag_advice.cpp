// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/flag_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "quantity/suggest.h"
#include "trcost/scenario.h"

namespace trcost::cli {
namespace {

struct Advice {
  std::string_view words;  // flags without dashes, or commands, separated by spaces
  std::string_view instead;
};

// Flags of other tools, and words that people try first.
constexpr Advice kAdvice[] = {
    {"lora peft adapter dora", "write --train lora, with --samples N or --tokens N"},
    {"qlora load-in-4bit quantization quantize bits",
     "write --train qlora --samples N for a base model in 4 bits, or `trcost serve --precision "
     "FORMAT` for serving"},
    {"load-in-8bit", "an 8-bit base model is not supported: write --train lora or --train qlora"},
    {"rank r lora-r", "write --lora-rank N"},
    {"full full-finetune full-finetuning finetune finetuning fine-tune fine-tuning sft",
     "write --train full --samples N"},
    {"freeze freeze-vision freeze-vision-tower freeze-vit freeze-encoder freeze-vision-encoder "
     "freeze-backbone",
     "write --train frozen-vision, or --train projector if the language model is frozen too"},
    {"freeze-llm freeze-language freeze-language-model tune-mm-mlp-adapter",
     "write --train projector"},
    {"pretrain pretraining pre-train pre-training from-scratch scratch random-init",
     "training from random weights is the default: set --params or --model, and --tokens"},
    {"ppo", "write --method ppo"},
    {"grpo dapo rloo reinforce rlvr gspo", "write --method grpo"},
    {"dpo orpo simpo ipo preference preferences", "write --method dpo"},
    {"kto", "write --method kto"},
    {"reward-modeling rm reward", "write --method reward"},
    {"distillation distil teacher", "write --method distill --teacher-model NAME"},
    {"method-rlhf rlhf rl", "write --method ppo (with a reward model) or --method grpo"},
    {"fp8 bf16 fp16 fp32 mxfp8 nvfp4 dtype torch-dtype mixed-precision",
     "write --precision bf16, fp16, fp8, mxfp8 or nvfp4"},
    {"vl vlm vision multimodal", "write --modality vl"},
    {"text llm", "write --modality text, which is the default"},
    {"fsdp zero zero-stage zero1 zero2 zero3 deepspeed ddp",
     "write --sharding none (DDP), optimizer (ZeRO-1), gradients (ZeRO-2) or parameters (ZeRO-3, "
     "FSDP)"},
    {"days hours weeks months time max-time",
     "write --deadline 30d for a run that finishes in time. `trcost solve --gpus N --duration 30d` "
     "says what a cluster trains in that time"},
    {"cost dollars usd money",
     "the cost is the answer. For a given budget: trcost solve --budget USD"},
    {"budget max-cost", "a budget is a target of solve: trcost solve --budget USD"},
    {"resolution image-resolution pixels img-size", "write --image-size WxH"},
    {"images num-images", "write --samples N for all of them, or --images-per-sample N"},
    {"vary grid", "`trcost sweep --vary FIELD=VALUES` computes a grid"},
    {"cloud vendor seller aws azure gcp google oracle oci coreweave lambda runpod",
     "write --provider NAME, as `trcost list prices` names it, or --price-class hyperscaler"},
    {"rent renting rental lease leasing",
     "renting is the default: write --pricing on-demand, reserved-1y, reserved-3y or spot. `trcost "
     "tco` compares it with buying"},
    {"date price-date today asof", "write --as-of YYYY-MM-DD for prices as known on that day"},
    {"discount rebate negotiated markup margin contingency buffer",
     "put it into the price: --price USD is what you pay for a GPU-hour"},
    {"tax taxes vat sales-tax", "prices are without tax: add it to the answer"},
    {"interest interest-rate wacc discount-rate hurdle-rate", "write --capital-rate F"},
    {"residual residual-value resale resale-value salvage amortization amortisation",
     "write --depreciation F, the loss of value per year"},
    {"capex purchase", "write --purchase-price USD, or --node-price USD for a whole machine"},
    {"opex", "write --colocation, --electricity-price and --support-rate"},
    {"utilisation usage load-factor", "write --utilization F"},
    {"eur euro euros gbp chf", "write --currency EUR --rate 0.92 for answers in euros"},
    {"spot preemptible", "write --pricing spot"},
    {"reserved committed", "write --pricing reserved-1y or --pricing reserved-3y"},
    {"own on-prem onprem buy", "write --pricing own"},
    {"json csv md html xlsx markdown", "write --format json, csv, md, html or xlsx"},
    {"num-gpus n-gpus ngpus gpu-count devices num-devices nproc-per-node world-size",
     "write --gpus N"},
    {"nodes num-nodes nnodes", "write --gpus N, the GPUs of all nodes together"},
    {"hardware device chip gpu-type gpu-name platform",
     "write --accelerator NAME (`trcost list accelerators`)"},
    {"tpu trainium gaudi amd nvidia h100 h200 a100 b200 b300 gb200 4090 rtx4090",
     "write --accelerator NAME, such as h100-sxm or tpu-v5p (`trcost list accelerators`)"},
    {"max-seq-len max-seq-length max-length context context-length ctx sequence-length cutoff-len "
     "seq-len seqlen sequence-len block-size model-max-length",
     "write --seq-length N"},
    {"grad-accum gradient-accumulation gradient-accumulation-steps accumulate gas",
     "write --global-batch N: micro-batch x accumulation steps x data-parallel GPUs"},
    {"batch-size batch bs train-batch-size gbs total-batch-size global-batch-size "
     "effective-batch-size",
     "write --global-batch N, in sequences. --micro-batch N is per GPU"},
    {"per-device-train-batch-size mbs", "write --micro-batch N"},
    {"gradient-checkpointing activation-checkpointing checkpointing",
     "write --recompute full, selective or none"},
    {"flash-attention flash-attn attn-implementation", "write --attention flash or standard"},
    {"optim", "write --optimizer NAME"},
    {"lr learning-rate lr-scheduler lr-scheduler-type warmup warmup-steps warmup-ratio "
     "weight-decay",
     "the cost does not depend on it: leave it out"},
    {"moe experts num-experts experts-per-token active active-params",
     "a mixture of experts needs its shape: --model NAME (`trcost list models`), or --model "
     "config.json"},
    {"size model-size parameters", "write --params N"},
    {"dataset data dataset-size examples num-samples",
     "write --samples N, or --tokens N for pre-training"},
    {"num-tokens train-tokens total-tokens training-tokens token", "write --tokens N"},
    {"max-steps train-iters train-steps num-steps iterations iters",
     "write --tokens N: steps x sequences per step x tokens per sequence"},
    {"num-train-epochs num-epochs epoch", "write --epochs N"},
    {"tensor-parallel tensor-parallel-size tensor-model-parallel-size", "write --tp N"},
    {"pipeline-parallel pipeline-parallel-size pipeline-model-parallel-size", "write --pp N"},
    {"expert-parallel expert-model-parallel-size", "write --ep N"},
    {"context-parallel context-parallel-size", "write --cp N"},
    {"data-parallel", "write --dp N"},
    {"torch-compile compile", "write --stack fsdp-compiled"},
    {"framework software library", "write --stack NAME (`trcost list stacks`)"},
    {"flops-utilization efficiency", "write --mfu F"},
    {"version", "`trcost --version` prints it"},
};

// Words that mean something else in `tco`, which covers years and not a run.
constexpr Advice kAdviceOfTco[] = {
    {"months days weeks hours time duration term period horizon lifetime",
     "write --years Y: 36 months are --years 3"},
    {"rent renting rental lease leasing own on-prem onprem buy spot preemptible reserved committed",
     "tco compares buying with rent on demand and in terms: leave it out"},
    {"pricing",
     "tco compares buying with rent on demand and in terms of 1 and 3 years. --price sets another "
     "rent, such as spot"},
};

// A list has filters of its own.
constexpr Advice kAdviceOfList[] = {
    {"provider pricing price-class region",
     "`trcost list prices CHIP --format csv` has a column of each"},
};

// Words that mean something else in `serve`, which trains nothing.
constexpr Advice kAdviceOfServe[] = {
    {"qlora load-in-4bit load-in-8bit quantization quantize bits awq gptq",
     "write --precision with the format of the weights, such as fp8 or int4"},
};

// One image, of which `tokens` counts the tokens.
constexpr Advice kAdviceOfTokens[] = {{"image-size resolution", "write --image WxH"}};

// First words of a command line that are no command.
constexpr Advice kCommandAdvice[] = {
    {"train training pretrain finetune fine-tune cost calculate calc compute predict quote run how "
     "what much",
     "trcost estimate --model llama-3.1-8b --tokens 1T --gpus 64"},
    {"compare comparison vs versus which best recommend gpu",
     "`trcost estimate --params 7e9 --accelerator h100-sxm,b200` compares platforms. Without "
     "--accelerator it compares five"},
    {"infer inference deploy host generate", "trcost serve --model llama-3.1-8b"},
    {"budget afford", "trcost solve --budget 1M"},
    {"buy own lease rent reserve", "trcost tco --accelerator b200 --gpus 64"},
    {"vram fit fits ram mem", "trcost memory --model llama-3.1-8b"},
    {"gpus accelerators models stacks systems encoders engines",
     "`trcost list KIND` prints a part of the catalog: trcost list accelerators"},
    {"price", "trcost list prices h100-sxm"},
    {"explain define term terms topics fields glossary", "trcost help TERM, or trcost help terms"},
    {"man manual", "trcost completions man | man -l -"},
    {"version", "trcost --version"},
    {"convert migrate", "trcost transfer carries a measured run over to other GPUs"},
    {"import", "trcost prices import FILE"},
};

std::string_view find_advice(std::span<const Advice> table, std::string_view wanted) {
  for (const Advice& each : table) {
    std::string_view rest = each.words;
    while (!rest.empty()) {
      const std::size_t space = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, space) == wanted) return each.instead;
      rest.remove_prefix(std::min(space + 1, rest.size()));
    }
  }
  return {};
}

// The first flag in an advice, empty for none.
std::string_view flag_in(std::string_view advice) {
  const std::size_t at = advice.find("--");
  if (at == advice.npos) return {};
  const std::string_view flag = advice.substr(at);
  return flag.substr(0, flag.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"));
}

bool is_field_flag(std::string_view flag) {
  return std::ranges::find(fields(), flag, &FieldInfo::flag) != fields().end();
}

}  // namespace

std::string advice_on_flag(std::string_view flag, std::string_view command,
                           const std::vector<std::string>& known) {
  std::string wanted(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
  std::ranges::replace(wanted, '_', '-');
  wanted = quantity::lower_case(wanted);
  for (const auto& [name, table] :
       {std::pair<std::string_view, std::span<const Advice>>{"tco", kAdviceOfTco},
        {"serve", kAdviceOfServe},
        {"tokens", kAdviceOfTokens},
        {"list", kAdviceOfList}}) {
    const std::string_view own = command == name ? find_advice(table, wanted) : std::string_view();
    if (!own.empty()) return std::string(own);
  }
  if (is_field_flag(flag)) {
    return fmt::format("{} is an option of `trcost estimate`, not of `trcost {}`", flag, command);
  }
  const std::string_view advice = find_advice(kAdvice, wanted);
  const std::string_view named = flag_in(advice);
  if (is_field_flag(named) && std::ranges::find(known, named) == known.end()) {
    return fmt::format("`trcost {}` has no {}. With `trcost estimate`, {}", command, named, advice);
  }
  return std::string(advice);
}

std::string_view advice_on_command(std::string_view word) {
  return find_advice(kCommandAdvice, quantity::lower_case(word));
}

}  // namespace trcost::cli
