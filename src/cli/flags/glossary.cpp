// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/glossary.h"

#include <algorithm>
#include <string>

#include "quantity/suggest.h"

namespace trcost::cli {
namespace {

constexpr Term kTerms[] = {
    {"MFU|model FLOPs utilization",
     "The share of a GPU's peak speed that goes into the model's own arithmetic. A well-tuned run "
     "of a dense model reaches 35 to 50%. Recomputed activations do not count. The peak is that of "
     "--precision, so a faster fp8 run can show a lower MFU.",
     "--mfu, --stack, --tuning"},
    {"throughput|tokens per second|tokens/s",
     "Tokens trained per second, of one GPU or of the cluster. It follows from MFU: tokens/s = MFU "
     "x "
     "peak FLOP/s / FLOPs per token.",
     "--mfu, `trcost calibrate`"},
    {"HFU|hardware FLOPs utilization",
     "Like MFU, but it also counts the arithmetic that recomputation repeats. HFU is therefore "
     "never below MFU.",
     "--recompute"},
    {"FLOP|FLOPs|flops",
     "One floating-point operation, an addition or a multiplication. Training takes about 6 FLOPs "
     "per parameter and token. FLOP/s is a speed.",
     "--params, --tokens"},
    {"GPU|GPUs|accelerator|chip|TPU",
     "The processor that trains: a GPU, a TPU or another accelerator. trcost compares five "
     "platforms if none is set.",
     "--accelerator, `trcost list accelerators`"},
    {"GPU-hour|GPU-hours",
     "One GPU for one hour. 64 GPUs for 10 hours are 640 GPU-hours. Clouds bill by it.",
     "--gpus, --price"},
    {"token|tokens",
     "A piece of text, about four characters of English, or a patch of an image. The number of "
     "training tokens and the number of parameters set most of the cost.",
     "--tokens, --samples, --image-size"},
    {"parameters|params|weights",
     "The numbers that training sets. 8B means eight billion of them. In a mixture of experts, a "
     "token uses only the active ones.",
     "--params, --model"},
    {"compute-optimal|Chinchilla|scaling law",
     "The number of tokens at which a given amount of compute gives the lowest loss, about 20 per "
     "parameter. Released models train much longer, because a small model that saw more is cheaper "
     "to serve.",
     "--tokens, --tokens-per-param"},
    {"P10/P90|P10|P90|P50|80% range|percentile|range",
     "P10 is a value that one run in ten stays below, and P90 one that one run in ten exceeds. "
     "Four "
     "runs in five lie between them: the 80% range. P50 is the middle.",
     "`trcost help ranges`"},
    {"goodput",
     "The share of the cluster's time that trains. The rest goes to failures, restarts from a "
     "checkpoint, and the steps that are lost with them.",
     "--goodput, --checkpoint-interval, --preemption-hours"},
    {"useful time",
     "The share of the paid time with training steps. Evaluations, ramp-up, manual restarts and "
     "waiting take the rest. Failures and interruptions come on top (goodput).",
     "--production-overhead, which takes the useful share"},
    {"cost|total|budget",
     "What the run costs at the price per GPU-hour, energy included. Data, their storage, egress "
     "and "
     "staff are not in it. With --experiments 0.5, experiments worth half of the run are added. "
     "The "
     "total is a median: half of such runs cost more.",
     "`trcost help ranges`, --experiments, --details"},
    {"median|sensitivity",
     "The median is the middle: half of such runs cost more. Sensitivity names the inputs that "
     "move "
     "the total most, with the total at P10 and at P90 of each alone.",
     "`trcost help ranges`"},
    {"compared|best quoted|old quote",
     "A column of the platforms. best quoted: the lowest cost at a current quoted price, with "
     "which "
     "the percentages compare. Less certain prices are not compared. one quote: only one seller "
     "quotes it. old quote: older than 90 days (of hyperscalers, a year). estimated: no usable "
     "quote.",
     "`trcost help prices`"},
    {"contract|term|block|capacity block",
     "A reserved price binds for 1 or 3 years, used or not: the answer states the contract. A "
     "block "
     "is a cluster for days or weeks, booked ahead.",
     "--pricing reserved-1y, reserved-3y, block"},
    {"staff|support",
     "Salaries and support of the machines are in no total, except with --support-rate for "
     "machines "
     "that you own.",
     "--support-rate"},
    {"production overhead|overhead|overheads",
     "The paid time without training steps: evaluations, ramp-up, manual restarts, "
     "waiting. "
     "Months on thousands of GPUs lose about a quarter of the time to it.",
     "--production-overhead"},
    {"HBM|high-bandwidth memory|memory|VRAM|GPU memory",
     "The memory on the GPU's package, which weights, gradients, optimizer states and activations "
     "share. A GB is 10^9 bytes: a GPU of \"80 GB\" has 85 of them, and 95% of those are usable.",
     "`trcost memory`"},
    {"OOM|out of memory|does not fit",
     "A run needs more memory than a GPU has. More GPUs, QLoRA, recomputation, sharding or offload "
     "help. The error names the smallest number of GPUs that fits.",
     "`trcost memory`, --train qlora, --offload, --sharding"},
    {"LoRA|low-rank adapter|adapter|PEFT",
     "Fine-tuning that trains two small matrices beside each frozen one. It needs a fraction of "
     "the "
     "memory for gradients and optimizer, and about two thirds of the arithmetic.",
     "--train lora, --lora-rank"},
    {"QLoRA",
     "LoRA on a base model stored in 4 bits. It fits a 70B model on two 48 GB GPUs, at the price "
     "of "
     "slower steps.",
     "--train qlora"},
    {"fine-tuning|finetuning|SFT|supervised fine-tuning",
     "Further training of a released model on your own examples. It takes hours on a few GPUs, "
     "where "
     "pre-training takes months on thousands.",
     "--train, --samples, --epochs"},
    {"pre-training|pretraining",
     "Training from random weights on trillions of tokens. It is the largest part of a released "
     "model's cost.",
     "--tokens"},
    {"tensor parallel|TP|tensor parallelism",
     "Each matrix is split over several GPUs, which exchange results twice per layer. It needs a "
     "fast "
     "link, so it stays within a node.",
     "--tp"},
    {"pipeline parallel|PP|pipeline parallelism",
     "Groups of layers stand on different GPUs, and batches pass through them in small parts. GPUs "
     "wait at the start and the end of a step: the pipeline bubble.",
     "--pp, --vp, --micro-batch"},
    {"data parallel|DP|DDP|data parallelism",
     "Every group of GPUs has a copy of the model and its own part of the batch. The copies "
     "exchange "
     "gradients once per step.",
     "--dp, --global-batch"},
    {"expert parallel|EP|expert parallelism",
     "The experts of a mixture stand on different GPUs. Each token travels to its experts and "
     "back.",
     "--ep"},
    {"context parallel|CP|context parallelism|ring attention|Ulysses",
     "One long sequence is split over several GPUs, which exchange keys and values.",
     "--cp, --context-kind"},
    {"sharding|ZeRO|ZeRO-1|ZeRO-2|ZeRO-3|FSDP",
     "Data-parallel GPUs split what they would otherwise each store: optimizer states (ZeRO-1), "
     "gradients too (ZeRO-2), parameters too (ZeRO-3, FSDP). Less memory, more exchange.",
     "--sharding"},
    {"recompute|recomputation|activation checkpointing|gradient checkpointing",
     "Activations are dropped in the forward pass and computed again in the backward pass. Full "
     "recomputation saves most of their memory and costs up to a third more arithmetic.",
     "--recompute, --recompute-layers"},
    {"activations",
     "Results of the forward pass that the backward pass needs. Their memory grows with the batch "
     "and "
     "the sequence length.",
     "--micro-batch, --seq-length, --recompute"},
    {"global batch|batch|batch size|global batch size",
     "Sequences of one optimizer step over all GPUs. A larger batch keeps more GPUs busy. Beyond a "
     "critical size, more tokens are needed for the same loss.",
     "--global-batch, --micro-batch"},
    {"context length|sequence length|context|seq length",
     "Tokens of a sequence. Attention costs grow with its square, and activations in proportion. "
     "Documents are packed into sequences of this length.",
     "--seq-length, --packing"},
    {"epoch|epochs",
     "One pass over the samples. Fine-tuning takes one to three. Cost is proportional to it.",
     "--epochs"},
    {"optimizer states|optimizer|Adam",
     "What the optimizer keeps per parameter. AdamW keeps two averages and a 32-bit copy, 12 bytes "
     "per trained parameter.",
     "--optimizer, --offload, --sharding"},
    {"micro-batch|microbatch|gradient accumulation",
     "Sequences that a GPU works on at once. Several micro-batches add up to the global batch "
     "before "
     "the weights change.",
     "--micro-batch, --global-batch"},
    {"bf16|fp8|mxfp8|nvfp4|precision",
     "The number format of the matrix products. fp8 halves the bits of bf16 and doubles the peak "
     "speed, of which training reaches a smaller share.",
     "--precision"},
    {"mixture of experts|MoE|active parameters|experts",
     "A model with many feed-forward blocks, of which each token uses a few. Cost follows the "
     "active "
     "parameters, memory all of them.",
     "--model"},
    {"vision encoder|ViT|image tokens",
     "The part that turns an image into vectors. A connector turns these into tokens of the "
     "language "
     "model. Larger images make more tokens.",
     "--vision-encoder, --image-size, `trcost tokens`"},
    {"cluster|node|rack|system",
     "A node is a machine with usually 8 GPUs, or 4 of a rack. A cluster is many of them and their "
     "network. Without --gpus, the cluster is sized to finish by the deadline.",
     "--gpus, --deadline, --system"},
    {"NVLink|NVL72|interconnect|InfiniBand",
     "Links between GPUs. NVLink joins 8 GPUs of a node, or 72 of an NVL72 rack. InfiniBand or "
     "Ethernet joins the nodes and is about ten times slower.",
     "--system"},
    {"RLHF|PPO|GRPO|reinforcement learning|RL|rollout",
     "Training on the model's own responses. A round generates responses, scores them, and learns "
     "from them. Generation is often the longest part.",
     "--method, `trcost help phases`"},
    {"DPO|KTO|preference training",
     "Training on pairs of a better and a worse answer. No responses are generated, but a frozen "
     "reference model scores each pair.",
     "--method dpo"},
    {"prefill|TTFT|time to first token",
     "When serving, the pass over the whole prompt. It is limited by arithmetic and sets the time "
     "to "
     "the first token.",
     "`trcost serve` --input-tokens"},
    {"decode|TPOT|tokens per second per user",
     "When serving, the steps that each add one token. They are limited by memory bandwidth. More "
     "concurrent requests make each slower and the total faster.",
     "`trcost serve` --concurrency"},
    {"KV cache",
     "Keys and values of all earlier tokens, which generation keeps in memory. It limits how many "
     "requests run at once.",
     "--kv-precision"},
    {"on-demand|reserved|spot|pricing",
     "On-demand is rented by the hour. Reserved binds for one or three years, for less per hour. "
     "Spot "
     "is cheap and can be taken away at any time. Owned hardware is bought.",
     "--pricing"},
    {"specialist|hyperscaler|marketplace|price class|neocloud",
     "Kinds of sellers. Hyperscalers are AWS, Azure, Google and Oracle. Specialists rent mainly "
     "GPUs. "
     "Marketplaces pass on other people's machines.",
     "--price-class, --provider"},
    {"FlashAttention|flash attention|flash-attn|attention kernel",
     "A kernel that computes attention in tiles and never stores its whole matrix, so that memory "
     "grows with the sequence length, not with its square. It is the default. --attention standard "
     "is the plain computation.",
     "--attention, --stack"},
    {"accuracy|median error|validation",
     "How far predicted GPU-hours lie from published ones. `trcost validate` replays the published "
     "measurements, and its --predicted-first lists sources that no constant was fitted to.",
     "`trcost validate`, docs/accuracy.md"},
    {"imputed price|estimated price|estimated|~",
     "A price that too few sellers of the class quote. It is estimated from a related chip or "
     "another "
     "class, marked with ~, and never decides which platform is named the cheapest.",
     "--price"},
    {"quote|one quote|quotes|median price",
     "The price of one seller on one day. The price of an answer is the median of the quotes of a "
     "class. With one quote, that quote is the price, and its range is wider.",
     "`trcost list prices`, --price, --provider"},
    {"tuning|showcase|usual|first-run|first run",
     "How well the software is tuned. showcase is a record or a vendor's recipe, usual is what "
     "most "
     "teams reach, first-run is a first attempt. Training assumes usual, serving "
     "something between showcase and usual.",
     "--tuning, `trcost help calibration`"},
    {"software stack|stack|Megatron|FSDP2",
     "The training software. The same model on the same GPUs can differ by a factor of two between "
     "stacks. If none is set, a typical one is used and the range is wider.",
     "--stack, `trcost list stacks`"},
    {"offload|CPU offload|offloading",
     "Optimizer states, activations or weights wait in the host's memory while the GPU does not "
     "need them. The run fits on fewer GPUs and takes longer.",
     "--offload, --offload-share, --host-bandwidth"},
    {"typical|typical stack",
     "The mean of the software that trcost knows, taken if none is set. The range is wider than "
     "with --stack.",
     "--stack, `trcost list stacks`"},
    {"element-wise work|element-wise|elementwise|kernel|kernels|matrix kernels",
     "GPUs work in kernels. Matrix kernels multiply and reach a share of the peak. Element-wise "
     "kernels (norms, activations, dropout) only move memory, so they cost time without counting "
     "for MFU.",
     "--stack, --loss, --attention"},
    {"depreciation|resale|resale value|residual value|amortization",
     "The value that owned machines lose. They fall by about a quarter a year, so after three "
     "years "
     "they sell for about 38% of their price.",
     "--depreciation, --hardware-age, `trcost tco`"},
    {"utilization|utilisation|busy hours|used hours",
     "The share of the hours in which a machine works. Owned and reserved machines are paid for "
     "when idle, too.",
     "--utilization, `trcost tco`"},
    {"colocation|data center|space",
     "Space, power connection and cooling for owned machines, paid per kW and month.",
     "--colocation, --electricity-price, --pue"},
    {"capital|capital cost|capital rate|cost of capital|WACC|discount rate",
     "The yearly cost of the money that owned machines tie up: a rate on their value.",
     "--capital-rate"},
    {"reserved|reserved price|term|commitment|reserved-1y|reserved-3y",
     "A lower price for a promise of one or three years. The whole term is paid, used or not. The "
     "answer states that amount.",
     "--pricing reserved-1y, `trcost tco`"},
    {"own|owned|buy|buying",
     "With --pricing own, an hour costs its share of the machines: depreciation, network, capital, "
     "space, energy. `trcost tco` compares buying with renting over years.",
     "--pricing own, --node-price, `trcost tco`"},
    {"energy|electricity|kWh",
     "The power of the cluster times its hours. The rental price covers it. Owned machines pay for "
     "it.",
     "--electricity-price, --pue, --region"},
    {"storage|checkpoint storage|data set storage",
     "Keeping the data set and the checkpoints. It is not included unless --storage is on.",
     "--storage, --storage-price"},
    {"region|regions",
     "A country or a region of a cloud. It decides electricity, carbon, and which sellers are "
     "asked.",
     "--region, `trcost list regions`"},
    {"ablation|experiments",
     "Small runs that compare choices before the final run. They often use a tenth of its size and "
     "tokens. --experiments 2 adds twice the cost of the final run for them.",
     "`trcost experiments` for a number of runs, --experiments for a multiple"},
    {"TCO|total cost of ownership|rent or buy",
     "The cost of GPUs over years. Rented ones cost their rent. Owned ones cost the purchase, "
     "capital, space and energy, less the resale value.",
     "`trcost tco`, --years"},
    {"first month|cash|upfront|capex",
     "The money due in the first month: the whole purchase of owned machines with a month of space "
     "and energy, or a month of rent.",
     "`trcost tco`"},
    {"break-even|break-even utilization",
     "The utilization above which buying costs less than renting over the same years.",
     "`trcost tco`"},
};

}  // namespace

std::span<const Term> glossary() {
  return kTerms;
}

const Term* find_term(std::string_view typed) {
  for (const Term& term : kTerms) {
    std::string_view rest = term.names;
    while (!rest.empty()) {
      const std::size_t bar = std::min(rest.find('|'), rest.size());
      const std::string_view name = rest.substr(0, bar);
      const bool symbol = quantity::folded(name).empty();
      if (symbol ? name == typed : quantity::same_folded(name, typed)) return &term;
      rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
  }
  return nullptr;
}

}  // namespace trcost::cli
