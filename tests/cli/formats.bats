#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every command in every format: the same names, the same values, and no other number for people.

load program

# The list that the command is about, then the command.
same() {
  echo "$*"
  python3 "$BATS_TEST_DIRNAME/formats.py" "$TRCOST" "$@"
}

@test "tokens in every format" {
  same items tokens --image 1920x1080
  same items tokens --family qwen2-vl --image 1920x1080 --image 640x480
  same items tokens --image 640x480
  same items tokens --family qwen2-vl --video 1280x720 --seconds 60 --fps 2
  printf 'width,height,count\n640,480,9\n1920,1080,1\n' >sizes.csv
  same items tokens --family qwen2-vl --images sizes.csv
  same families tokens --families
}

@test "memory in every format" {
  same items memory --params 7e9
  same items memory --model mixtral-8x7b --accelerator h100-sxm,rtx-4090 --gpus 64 --tp 4 --ep 4
  same items memory --params 1e9 --precision fp8 --accelerator v100-sxm-32gb,h100-sxm
}

@test "the catalog in every format" {
  same kinds list
  for kind in accelerators systems stacks models encoders runs; do
    same "$kind" list "$kind"
  done
  same prices list prices --accelerator h100-sxm
}

@test "transfer in every format" {
  same targets transfer --model llama-2-7b --train lora --tokens 2e9 --from a100-sxm-80gb --from-gpus 8 \
    --measured 20h --to h200,b200
  same targets transfer --model llama-3.1-8b --tokens 1B --train lora --seq-length 2048 \
    --from a100-sxm-80gb --from-gpus 8 --measured 20h --to h200,gb200-nvl72:4
  same targets transfer --params 7B --tokens 50B..200B --from h100-sxm --from-gpus 64 \
    --measured-tokens-per-second 600k --to b200
}

@test "diff in every format" {
  for tokens in 1B 2B; do
    "$TRCOST" estimate --params 1B --tokens $tokens --accelerator h100-sxm,b200 --format json \
      >$tokens.json 2>err.txt
  done
  "$TRCOST" estimate --params 1B --tokens 1B --accelerator h200 --format json >other.json 2>err.txt
  same differences diff 1B.json 2B.json
  same differences diff 1B.json 1B.json
  same differences diff 1B.json other.json --fail-above 1%
}

@test "experiments in every format" {
  same platforms/experiments experiments \
    "$BATS_TEST_DIRNAME/../../examples/studies/ablation.json" --gpus 256 --accelerator h100-sxm,b200
  same platforms/experiments experiments --params 10B --tokens 200B --runs 20 \
    --params-fraction 0.1 --tokens-fraction 0.1
}

@test "solve in every format" {
  same solutions solve --budget 100k --accelerator h100-sxm
  same solutions solve --for gpus --deadline 30d --params 7e9 --tokens 1e12 --accelerator h100-sxm
  same solutions solve --for gpus --budget 3B --duration 6mo --price 2 --mfu 0.4 --accelerator h100-sxm
  same solutions solve --break-even b200,h100-sxm --params 1B --tokens 20B --gpus 64
  same solutions solve --for tokens --budget 1M --params 7e9
  same solutions solve --for gpus --duration 20d --params 7e9 --tokens 5e11 --accelerator h100-sxm
}

@test "serve in every format" {
  same serving serve --model llama-3.1-70b
  same serving serve --model llama-3.1-8b --accelerator h100-sxm --gpus 2 --prefill-gpus 0
  same serving serve --model llama-3.1-8b --accelerator h100-sxm,v100-sxm-32gb \
    --tokens-per-second-per-user 50 --load 0.6
}

@test "calibrate in every format" {
  same rows calibrate --measured "$BATS_TEST_DIRNAME/../../examples/calibrate/rows.csv" \
    --stack fsdp-compiled
}

@test "validate in every format" {
  same rows validate --stack fsdp
  same rows validate --accelerator h100-sxm
  same summaries validate --stack fsdp --summary
  same runs validate --runs
  same rows validate --vision
  same rows validate --memory
  same rows validate --memory --rows
  same rows validate --posttraining
  same rows validate --posttraining --rows
  same rows validate --serving --model llama-2-7b
  same rows validate --serving --model llama-2-7b --rows
  same sources validate --calibrated --source IBM
}

@test "estimate in every format" {
  same estimates estimate --params 10e9 --modality vl
  same estimates estimate --params 70e9 --tokens 2e12 --pricing own --accelerator h100-sxm,b200
  same estimates estimate --method grpo --model llama-3.1-8b --gpus 32 --accelerator h100-sxm,b200
  same estimates estimate --model mixtral-8x7b --tokens 1e11 --accelerator h100-sxm,b200 --gpus 64 --explain
  same estimates estimate --scenario "$BATS_TEST_DIRNAME/../../examples/scenarios/llava-two-stages.json"
}

@test "sweep in every format" {
  same rows sweep --params 7e9 --accelerator h100-sxm --vary hardware.gpus=8..64:x2 \
    --vary data.tokens=1e10,2e10
  same rows sweep --params 1e9 --tokens 1e9 --vary hardware.gpus=8,16,32 --accelerator h100-sxm,b200
  same rows sweep --params 1e9 --tokens 1e9 --vary hardware.gpus=8,16 \
    --vary train.precision=bf16,fp8 --accelerator a100-sxm-80gb --select cost.total,performance.mfu
}
