#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `trcost memory` through the real program.

load program

memory() {
  run_trcost memory "$@"
}

@test "GPUs that fit stand in the order of number and price" {
  memory --params 7e9
  [ "$code" -eq 0 ]
  [ -z "$err" ]
  fits_the_page
  memory --params 7e9 --format json
  # [GPUs, no quoted price, price] of each that fits never falls, and those that never fit come last.
  jq -e '[.items[] | select(.problem == "" and .smallest != null)
          | [.smallest.gpus, (.price_per_gpu_hour == null or .price_imputed), .price_per_gpu_hour // 0]]
         | . == sort' <<<"$out"
  jq -e '[.items[] | .problem == "" and .smallest != null] | . == (sort | reverse)' <<<"$out"
}

@test "components add up in the JSON document" {
  memory --params 7e9 --accelerator h100-sxm --format json
  [ "$code" -eq 0 ]
  jq -e '.schema_version == "1.2"' <<<"$out"
  jq -e '[.one_device[] | .weights_bytes + .gradients_bytes + .optimizer_bytes + .activations_bytes
          + .logits_bytes + .overhead_bytes - .total_bytes | fabs < 1] | all' <<<"$out"
  jq -e '.items[0].one.fits == false' <<<"$out"
  jq -e '.items[0].smallest | .fits and .memory.total_bytes <= .memory.capacity_bytes' <<<"$out"
  jq -e '.items[0].smallest | .gpus == .layout.tp * .layout.pp * .layout.cp * .layout.dp' <<<"$out"
}

@test "LoRA: 7B on 24 GB, 13B on 40 GB, 34B on 80 GB at a small rank only" {
  fits() {
    memory --train lora --format json "$@"
    jq -r '.items[0].one.fits' <<<"$out"
  }
  [ "$(fits --model llava-1.5-7b --lora-rank 128 --accelerator rtx-4090)" = true ]
  [ "$(fits --model llava-1.5-13b --lora-rank 128 --accelerator a100-sxm-40gb)" = true ]
  [ "$(fits --model llava-next-34b --lora-rank 16 --accelerator a100-sxm-80gb)" = true ]
  [ "$(fits --model llava-next-34b --lora-rank 128 --accelerator a100-sxm-80gb)" = false ]
}

@test "a cluster and degrees that are given" {
  memory --params 70e9 --accelerator h100-sxm --gpus 64 --tp 8 --format json
  [ "$code" -eq 0 ]
  jq -e '.items[0].given | .gpus == 64 and .layout.tp == 8' <<<"$out"
  memory --params 70e9 --accelerator h100-sxm --gpus 8 --strict
  [ "$code" -eq 3 ]
  memory --params 70e9 --accelerator h100-sxm --gpus 12 --tp 8
  [ "$code" -eq 2 ]
  grep -q '12 GPUs' err.txt
}

@test "one row per accelerator as CSV and JSON Lines" {
  memory --params 7e9 --accelerator rtx-4090,h100-sxm --format csv
  [ "$(wc -l <out.txt)" -eq 3 ]
  head -1 out.txt | grep -q '^accelerator,precision,capacity_bytes,gpus,memory.weights_bytes,'
  memory --params 7e9 --accelerator rtx-4090,h100-sxm --format jsonl
  [ "$(jq -r '.accelerator' out.txt | paste -sd,)" = rtx-4090,h100-sxm ]
  memory --params 7e9 --accelerator rtx-4090 --format md
  grep -q '^| platform' out.txt
}

@test "a format that a chip lacks is said in its row" {
  memory --params 1e9 --precision fp8 --accelerator v100-sxm-32gb,h100-sxm --format json
  [ "$code" -eq 0 ]
  jq -e '.items[0].problem | contains("fp8")' <<<"$out"
  jq -e '.items[1].problem == null' <<<"$out"
}

@test "bad input: one clear message and nothing on stdout" {
  memory --params 7e9 --accelerator h100-sxmm
  [ "$code" -ne 0 ]
  [ -z "$out" ]
  grep -q 'h100-sxm' err.txt
  memory
  [ "$code" -eq 2 ]
  [ -z "$out" ]
}

@test "the stack is named as estimate names it" {
  memory --params 7e9 --accelerator h100-sxm
  grep -qw typical out.txt
  memory --params 7e9 --accelerator h100-sxm --stack megatron
  grep -qw megatron out.txt
}

@test "a training that fits as it is needs no recomputation" {
  memory --model llama-3.1-8b --train qlora --accelerator h100-sxm --format json
  jq -e '.one_device.none.total_bytes < .items[0].capacity_bytes' <<<"$out"
  jq -e '.items[0].one | .fits and .layout.recompute == "none" and .layout.recompute_layers == 0' <<<"$out"
  memory --model llama-3.1-8b --train qlora --accelerator h100-sxm
  tr '\n' ' ' <out.txt | grep -qE '1 +GPU +of +H100 +SXM +80GB'
}

@test "which length the memory is of" {
  memory --params 7e9 --accelerator h100-sxm
  grep -q '4,096 tokens' out.txt
  memory --model llava-1.5-7b --train lora --samples 50e3 --accelerator rtx-4090
  grep -q '900 tokens' out.txt
  memory --model llava-1.5-7b --train lora --seq-length 2048 --accelerator rtx-4090
  grep -q '2,048 tokens' out.txt
}

@test "what the host holds is a column of its own, and needs its bandwidth" {
  memory --params 7e9 --accelerator rtx-4090 --offload all --format json
  [ "$code" -eq 0 ]
  jq -e '.items[0].one | .fits and .memory.host_bytes > 1e11 and .memory.optimizer_bytes == 0' <<<"$out"
  memory --params 7e9 --accelerator rtx-4090 --format json
  jq -e '.items[0].one.memory.host_bytes == 0' <<<"$out"
  run_trcost estimate --params 7e9 --tokens 1e9 --accelerator tpu-v5p --gpus 8 --offload all
  [ "$code" -eq 1 ]
  grep -q -- '--host-bandwidth' err.txt
}

@test "a loss in chunks holds no logits to speak of" {
  memory --params 7e9 --accelerator h100-sxm --seq-length 131072 --loss eager --format json
  eager=$(jq '.one_device.none.logits_bytes' <<<"$out")
  memory --params 7e9 --accelerator h100-sxm --seq-length 131072 --loss chunked --format json
  jq -e --argjson eager "$eager" '.one_device.none.logits_bytes * 20 < $eager' <<<"$out"
}

@test "what a recipe recomputes by habit is no answer to what fits: the least is shown, and why" {
  run_trcost memory --model llava-1.5-7b --train lora --accelerator h100-sxm --format json
  holds '.items[0] | [.one, .smallest | .layout.recompute] == ["none", "none"]'
  # Of the cluster asked for as estimate plans it, and what was asked for stays.
  run_trcost memory --model llava-1.5-7b --train lora --accelerator h100-sxm --gpus 8 --format json
  holds '.items[0] | .given.layout.recompute == "full" and .one.layout.recompute == "none"'
  run_trcost memory --model llava-1.5-7b --train lora --recompute full --accelerator h100-sxm --format json
  holds '.items[0].one.layout.recompute == "full"'
}

@test "the smallest cluster is one over which the given batch splits" {
  flags=(--model llama-3.1-8b --accelerator h100-sxm --global-batch 8 --micro-batch 1 --sharding parameters
    --stack fsdp-compiled --tp 1 --pp 1 --cp 1 --seq-length 8192 --format json)
  run_trcost memory "${flags[@]}" --gpus 8
  [ "$code" -eq 0 ]
  holds '.items[0].smallest.gpus == 4 and .items[0].given.gpus == 8'
  run_trcost memory "${flags[@]}"
  [ "$code" -eq 0 ]
  # A batch that does not split over the given GPUs is still refused.
  run_trcost memory "${flags[@]}" --gpus 3
  [ "$code" -eq 2 ]
  grep -q 'does not split' err.txt
}
