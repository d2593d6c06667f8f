#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What people type first, and the hint for flags of other tools.

load program

@test "numbers, names and machines are read as people write them" {
  run_trcost estimate --params 7b --tokens "2 trillion" --gpu 8xh100 --format json
  [ "$code" -eq 0 ]
  [ "$(jq '.estimates[0].gpus' out.txt)" = 8 ]
  [ "$(jq '.estimates[0].tokens.total' out.txt)" = 2000000000000 ]
  run_trcost estimate --params 7b --tokens 2t --gpu p5.48xlarge --format json
  [ "$(jq -r '.estimates[0] | "\(.accelerator) \(.gpus)"' out.txt)" = "h100-sxm 8" ]
  run_trcost estimate --model Qwen/Qwen2.5-VL-7B-Instruct --train lora --samples 10k --gpu a100:2 --format json
  [ "$(jq -r '.estimates[0].gpus' out.txt)" = 2 ]
  jq -e '.estimates[0].assumptions[] | select(.path == "model.name" and .value == "qwen2.5-vl-7b")' out.txt
}

@test "flags of other tools get the right hint" {
  while IFS='|' read -r flag hint; do
    run_trcost estimate --params 7b "--$flag" 8
    echo "$flag: $(cat err.txt)"
    [ "$code" -eq 2 ]
    grep -qF -- "$hint" err.txt
  done <<'ROWS'
lora|--train lora
qlora|--train qlora
fp8|--precision
vl|--modality vl
fsdp|--sharding
zero|--sharding
days|--deadline
cost|solve --budget
resolution|--image-size
budget|solve --budget
cloud|--provider
spot|--pricing spot
json|--format json
num-gpus|--gpus
max-seq-len|--seq-length
grad-accum|--global-batch
gradient-checkpointing|--recompute
moe|config.json
ppo|--method ppo
dpo|--method dpo
grpo|--method grpo
lr|does not depend
optim|--optimizer
seq-len|--seq-length
seqlen|--seq-length
num-tokens|--tokens
train-tokens|--tokens
num-train-epochs|--epochs
gbs|--global-batch
gas|--global-batch
freeze|--train frozen-vision
freeze-vision-tower|--train frozen-vision
quantization|--train qlora
tpu|--accelerator
aws|--provider
from-scratch|default
pretrain|default
ROWS
  run_trcost estimate --method rlhf --params 7b
  grep -q 'ppo (with a reward model) or grpo' err.txt
  run_trcost estimate -- --params
  ! grep -q 'did you mean' err.txt
}

@test "numbers with a unit after a blank, synonyms of kinds, counts in transfer" {
  run_trcost estimate --params 70 billion --tokens=2 trillion --gpu h100 --gpus 64 --deadline 90 days --format json
  [ "$(jq '.estimates[0].tokens.total' out.txt)" = 2000000000000 ]
  [ "$(jq -r '.scenario.hardware.deadline' out.txt)" = 7776000 ]
  run_trcost list gpus
  grep -q '^h100-sxm' out.txt
  run_trcost show gpu h100
  [ "$code" -eq 0 ]
  run_trcost transfer --params 7B --tokens 10B --from 8xa100 --measured 20d --to h200,4xgb200-nvl72 --format json
  [ "$(jq -c '[.targets[].gpus]' out.txt)" = "[8,4]" ]
  run_trcost transfer --params 7B --tokens 10B --from 8xa100 --from-gpus 4 --measured 20d --to h200
  [ "$code" -eq 2 ]
  run_trcost solve --budget 10k --model qwen3-8b --method grpo --gpu h100 --format json
  [ "$code" -eq 0 ]
  [ "$(jq -r '.solutions[0].path' out.txt)" = rollout.steps ]
}

@test "hints for stacks, commands and options of other commands" {
  while IFS='|' read -r words hint; do
    # shellcheck disable=SC2086
    run_trcost $words
    echo "$words: $(cat err.txt)"
    [ "$code" -ne 0 ]
    grep -qF -- "$hint" err.txt
  done <<'ROWS'
estimate --params 7b --stack vllm|trcost serve --engine
estimate --params 7b --stack axolotll|axolotl
estimate --params 7b --tokens 2TB|write 2T
serve --model llama-3.1-8b --modality vl|not of `trcost serve`
serve --model llama-3.1-8b --lora|With `trcost estimate`
sweep --params 7b --vary hardware.gpus=8,16 --sort cost|cost.total
solve --budget 50k --params 7b --tokens 1T|--fail-above 50k
train --params 7b|trcost estimate
compare h100 b200|--accelerator
how much|trcost estimate
ROWS
  run_trcost how much
  ! grep -q 'did you mean' err.txt
}

@test "a bare duration and an unknown variable are said" {
  run_trcost solve --for gpus --params 1b --tokens 1B --gpu h100 --deadline 3600
  grep -q 'read as 3600 seconds' err.txt
  TRCOST_DATA_TOKEN=5 run_trcost estimate --params 1b --gpu h100 --format json
  grep -q 'did you mean TRCOST_DATA_TOKENS' err.txt
}

@test "-h is one screen, help explains terms, show finds a name of any kind" {
  for command in estimate sweep solve serve memory; do
    run_trcost "$command" -h
    [ "$code" -eq 0 ]
    [ "$(wc -l <out.txt)" -le 50 ]
  done
  for term in MFU HBM GPU-hour LoRA "tensor parallel" P10 goodput prefill; do
    run_trcost help "$term"
    [ "$code" -eq 0 ]
    [ "$(wc -l <out.txt)" -le 6 ]
  done
  run_trcost show llama3-8b
  grep -q 'llama-3.1-8b' out.txt
  run_trcost -V
  grep -q '^trcost ' out.txt
}

@test "configurations as Python writes them are read, and doubtful ones say so" {
  hf="$BATS_TEST_DIRNAME/../data/hf"
  sed '1,/{/ s/{/{ "time_step_limit": [0.0, Infinity], "other": NaN, "text": "Infinity",/' "$hf/qwen2.5-7b.json" >qwen-70B.json
  run_trcost estimate --model qwen-70B.json --tokens 1B --gpu 8xh100
  [ "$code" -eq 0 ]
  grep -q 'says 70.0B parameters, but its shape has 7.62B' out.txt err.txt
  # Keys that a file leaves to its class are named, and --strict exits with 3.
  run_trcost estimate --model "$hf/llama-2-7b.json" --tokens 1B --gpu 8xh100 --price 2 --strict
  [ "$code" -eq 3 ]
  grep -q 'leaves out' out.txt err.txt
  # So are sizes of experts, and key heads that the class takes from the heads.
  echo '{"model_type": "mixtral", "hidden_size": 1024, "num_hidden_layers": 8, "intermediate_size": 2816,
    "num_attention_heads": 16, "vocab_size": 32000, "num_key_value_heads": 8, "num_local_experts": 8}' >moe.json
  run_trcost estimate --model moe.json --tokens 1B --gpu 8xh100 --price 2 --strict
  [ "$code" -eq 3 ]
  grep -q 'leaves out num_experts_per_tok (2)' err.txt
  echo '{"model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 8, "intermediate_size": 2816,
    "num_attention_heads": 16, "vocab_size": 32000}' >dense.json
  run_trcost estimate --model dense.json --tokens 1B --gpu 8xh100 --price 2 --strict
  [ "$code" -eq 3 ]
  grep -q 'leaves out num_key_value_heads. As transformers, trcost takes as many as num_attention_heads, 16' err.txt
}
