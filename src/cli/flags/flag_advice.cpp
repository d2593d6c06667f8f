// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/flag_advice.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "quantity/suggest.h"

namespace trcost::cli {
namespace {

struct Advice {
  std::string_view words;  // flags without dashes, separated by spaces
  std::string_view instead;
};

// Flags of other tools, and words that people try first.
constexpr Advice kAdvice[] = {
    {"lora peft adapter", "write --train lora --samples N"},
    {"qlora load-in-4bit", "write --train qlora --samples N"},
    {"rank r lora-r", "write --lora-rank N"},
    {"full full-finetune finetune fine-tune sft", "write --train full --samples N"},
    {"fp8 bf16 fp16 fp32 mxfp8 nvfp4 dtype torch-dtype mixed-precision",
     "write --precision bf16, fp16, fp8, mxfp8 or nvfp4"},
    {"vl vlm vision multimodal", "write --modality vl"},
    {"text llm", "write --modality text, which is the default"},
    {"fsdp zero zero-stage zero1 zero2 zero3 deepspeed ddp",
     "write --sharding none (DDP), optimizer (ZeRO-1), gradients (ZeRO-2) or parameters (ZeRO-3, "
     "FSDP)"},
    {"days hours weeks months time max-time",
     "write --deadline 30d, or trcost solve --deadline 30d"},
    {"cost dollars usd money",
     "the cost is the answer; for a given budget: trcost solve --budget USD"},
    {"budget", "a budget is a target of solve: trcost solve --budget USD"},
    {"resolution image-resolution pixels img-size", "write --image-size WxH"},
    {"images num-images", "write --images-per-sample N"},
    {"cloud vendor seller", "write --provider NAME, as `trcost list prices` names it"},
    {"spot preemptible", "write --pricing spot"},
    {"reserved committed", "write --pricing reserved-1y or --pricing reserved-3y"},
    {"own on-prem onprem buy", "write --pricing own"},
    {"json csv md html xlsx markdown", "write --format json, csv, md, html or xlsx"},
    {"num-gpus n-gpus ngpus gpu-count devices num-devices nproc-per-node world-size",
     "write --gpus N"},
    {"nodes num-nodes nnodes", "write --gpus N, the GPUs of all nodes together"},
    {"hardware device chip gpu-type", "write --accelerator NAME (`trcost list accelerators`)"},
    {"max-seq-len max-seq-length max-length context context-length ctx sequence-length cutoff-len",
     "write --seq-length N"},
    {"grad-accum gradient-accumulation gradient-accumulation-steps accumulate",
     "write --global-batch N: micro-batch x accumulation steps x data-parallel GPUs"},
    {"batch-size batch bs", "write --global-batch N, in sequences; --micro-batch N is per GPU"},
    {"per-device-train-batch-size mbs", "write --micro-batch N"},
    {"gradient-checkpointing activation-checkpointing checkpointing",
     "write --recompute full, selective or none"},
    {"flash-attention flash-attn attn-implementation", "write --attention flash or standard"},
    {"method-rlhf rlhf rl", "write --method ppo (with a reward model) or --method grpo"},
    {"moe experts num-experts experts-per-token active active-params",
     "a mixture of experts is a model: --model NAME, or --model with a config.json"},
    {"size model-size parameters", "write --params N"},
    {"dataset data dataset-size examples num-samples",
     "write --samples N, or --tokens N for pre-training"},
    {"tensor-parallel tensor-parallel-size tensor-model-parallel-size", "write --tp N"},
    {"pipeline-parallel pipeline-parallel-size pipeline-model-parallel-size", "write --pp N"},
    {"expert-parallel expert-model-parallel-size", "write --ep N"},
    {"context-parallel context-parallel-size", "write --cp N"},
    {"data-parallel", "write --dp N"},
    {"utilization flops-utilization efficiency", "write --mfu F"},
    {"version", "`trcost --version` prints it"},
};

}  // namespace

std::string_view advice_on_flag(std::string_view flag) {
  std::string wanted(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
  std::ranges::replace(wanted, '_', '-');
  wanted = quantity::lower_case(wanted);
  for (const Advice& each : kAdvice) {
    std::string_view rest = each.words;
    while (!rest.empty()) {
      const std::size_t space = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, space) == wanted) return each.instead;
      rest.remove_prefix(std::min(space + 1, rest.size()));
    }
  }
  return {};
}

}  // namespace trcost::cli
