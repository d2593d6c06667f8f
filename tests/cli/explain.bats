#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --explain says enough to add a step up by hand.

load program

by_hand='.estimates[0] as $e | $e.step[0] as $s |
  def exposed(per): [$s.exchanges[] | select(.per == per) | .times * .each_seconds - .hidden_seconds + .crowding_seconds] | add // 0;
  ([$s.kernels[] | .layers * (.forward_seconds + .input_gradients_seconds + .weight_gradients_seconds)] | add) as $kernels |
  ($kernels + exposed("micro-batch") + $s.repeated_seconds + $s.waiting_seconds + $s.connector_seconds) as $replica |
  exposed("micro-batch of a rank") as $each |
  (($s.stages - 1) / $s.virtual_stages * ($s.mean_stage_seconds + $s.transfer_seconds + $each) +
    $s.micro_batches * $s.stage_imbalance * ($s.slowest_stage_seconds - $s.mean_stage_seconds)) as $bubble |
  ($s.micro_batches * ($replica / $s.stages + $s.transfer_seconds + $each) + $bubble + exposed("step") +
    $s.update_bytes / $s.memory_rate + $s.fixed_seconds) as $step |
  ($step * (1 + $s.imbalance) * $s.slowdown / $s.padding_efficiency) as $t |
  def near(x; y): ((x) - (y) | fabs) <= 1e-9 * ((y) | fabs) + 1e-15;
  def least(x; y): if (x) < (y) then (x) else (y) end;
  def issued(d; h): d * d * d * d + h * h * h * h | sqrt | sqrt;
  ([$s.kernels[] | .layers * .forward_seconds] | add) as $forward |
  ([$s.kernels[] | .layers * (.input_gradients_seconds + .weight_gradients_seconds)] | add) as $backward |
  near($t; $e.performance.step_seconds) and
  ([$s.exchanges[] | near(least(.hideable_share * .times * .each_seconds; .window_seconds); .hidden_seconds)
    or .behind == null] | all) and
  ([$s.kernels[] | select(.kind == "element-wise") | near(.elementwise.bytes / $s.elementwise_rate +
    .elementwise.plain_bytes / $s.memory_rate + .elementwise.kernels * $s.gap_seconds; .forward_seconds)] | all) and
  near((1 + $s.straggler * ($s.hosts | log2)) * $s.uneven - 1; $s.imbalance) and
  (($s.exchanges | any(.per == "micro-batch")) or near(
    issued($forward; $s.host_forward_seconds) - $forward +
    (($backward + $s.repeated_seconds) as $d |
      if $d > 0 then issued($d; $s.host_backward_seconds) - $d else 0 end); $s.waiting_seconds))'

@test "a step is added up by hand from what --explain gives machines" {
  while read -r question; do
    # shellcheck disable=SC2086
    "$TRCOST" estimate $question --explain --format json >out.json 2>err.txt
    echo "$question"
    jq -e "$by_hand" out.json
  done <<'QUESTIONS'
--model llama-3.1-70b --tokens 1T --accelerator h100-sxm --gpus 512 --stack megatron --tp 8 --pp 4 --vp 2
--model llama-3.1-8b --tokens 1T --accelerator a100-sxm-80gb --gpus 64 --stack fsdp
--model mixtral-8x7b --tokens 1T --accelerator h100-sxm --gpus 128 --stack megatron --ep 8
--model llama-3.1-8b --tokens 1e9 --train lora --accelerator a100-sxm-80gb --gpus 8 --stack hf-trainer
--params 10e9 --modality vl --accelerator b200 --gpus 32
--model llama-3.1-8b --tokens 1e11 --seq-length 131072 --cp 8 --accelerator h100-sxm --gpus 64
--model llama-3.1-8b --tokens 1e9 --accelerator a100-sxm-40gb --gpus 2 --offload all --stack hf-trainer
--model llama-3.1-8b --tokens 1e9 --accelerator h100-sxm --gpus 16 --pp 4 --offload all --host-bandwidth 2e9
QUESTIONS
}

@test "collectives, attention and activations are computed again from what --explain gives machines" {
  while read -r question; do
    # shellcheck disable=SC2086
    "$TRCOST" estimate $question --tokens 1e11 --explain --format json >out.json 2>err.txt
    echo "$question"
    python3 "$BATS_TEST_DIRNAME/explained_collectives.py" <out.json >>kinds.txt
  done <<'QUESTIONS'
--model llama-3.1-70b --accelerator h100-sxm --gpus 512 --stack megatron --tp 8 --pp 4 --vp 2
--model llama-3.1-70b --accelerator gb200-nvl72 --gpus 1024 --tp 8 --pp 1 --cp 1 --dp 128
--model llama-3.1-8b --accelerator a100-sxm-80gb --gpus 64 --stack fsdp
--model llama-3.1-8b --accelerator a100-sxm-80gb --gpus 64 --stack fsdp --sharding hybrid --recompute full
--model llama-3.1-8b --accelerator h100-sxm --gpus 64 --tp 2 --sharding none --sequence-parallel off
--model deepseek-v3 --accelerator h100-sxm --gpus 2048 --stack megatron --pp 16 --ep 64 --tp 1
--model mixtral-8x7b --accelerator h100-sxm --gpus 64 --tp 4 --pp 2 --ep 4 --etp 2 --recompute-layers 3 --sharding optimizer
--model llama-3.1-8b --seq-length 131072 --cp 8 --context-kind ring --accelerator h100-sxm --gpus 64
--model llama-3.1-8b --seq-length 131072 --cp 8 --context-kind ulysses --accelerator h100-sxm --gpus 64
--model llama-3.1-8b --attention standard --accelerator a100-sxm-40gb --gpus 16 --offload all
QUESTIONS
  for kind in gather all-reduce all-to-all transfer; do grep -qw -- "$kind" kinds.txt; done
}

@test "what is told of one collective and of attention is its formula in numbers" {
  run_trcost estimate --model mixtral-8x7b --tokens 1e11 --accelerator h100-sxm --gpus 128 --stack megatron \
    --tp 2 --pp 2 --ep 8 --explain
  [ "$code" -eq 0 ]
  python3 "$BATS_TEST_DIRNAME/explained_numbers.py" <out.txt
}

@test "for people it names kernels by shape, exchanges with what hides them, the bubble and activations" {
  run_trcost estimate --model llama-3.1-70b --tokens 1T --accelerator h100-sxm --gpus 512 --stack megatron \
    --tp 8 --pp 4 --vp 2 --explain
  [ "$code" -eq 0 ]
  tr -s '[:space:]' ' ' <out.txt >flat.txt  # wherever lines end
  for words in 'layers: matmul 8192 x 1280 x 8192' 'exchange: tensor parallel gathers, forward' 'bytes over NVLink' \
    'pipeline bubble' 'activations kept' 'one step' 'hide behind' 'byte/s'; do
    grep -qF -- "$words" flat.txt || { echo "lacks: $words"; return 1; }
  done
}

@test "without --explain machines get no more than before" {
  "$TRCOST" estimate --model llama-3.1-8b --tokens 1T --accelerator h100-sxm --gpus 64 --format json >out.json 2>err.txt
  jq -e '.estimates[0] | .step == [] and .derivations == []' out.json
}

@test "the steps of the hours and those that are counted differ by the last one alone" {
  run_trcost estimate --params 10e9 --tokens 1e12 --accelerator h100-sxm --gpus 64 --explain \
    --global-batch 1024 --seq-length 4096 --format json
  holds '.estimates[0] as $e | ($e.derivations[] | select(.name == "GPU-hours") | .numbers |
    capture("^(?<steps>[0-9.]+) x ").steps | tonumber) as $steps |
    ($steps | ceil) == $e.steps and ($steps * 1024 * 4096 / 1e12 - 1 | fabs) < 1e-8'
}
