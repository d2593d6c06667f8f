#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154
# Post-training: --method.

load program

@test "the question as people put it answers, phase by phase" {
  run_trcost estimate --method ppo --model llama-3.1-70b --accelerator h100-sxm,gb200-nvl72
  [ "$code" -eq 0 ]
  grep -q 'generate' out.txt
  run_trcost estimate --method ppo --model llama-3.1-70b --accelerator h100-sxm,gb200-nvl72 --format json
  holds '[.estimates[] | (.phases | map(.gpu_hours) | add) / .gpu_hours - 1 | fabs < 1e-9] | all'
  holds '[.estimates[] | .phases | map(.name) | index("train_critic") != null] | all'
  holds '[.estimates[].rollout | .generation_share > 0 and .generation_share < 1] | all'
}

@test "everything that is given is what is answered, and it replays" {
  run_trcost estimate --method grpo --model qwen3-32b --prompts 256 --samples-per-prompt 16 \
    --prompt-tokens 512 --response-tokens 4000 --response-limit 16384 --steps 500 \
    --accelerator h100-sxm --gpus 64 --format json
  [ "$code" -eq 0 ]
  holds '.estimates[0].rollout | .rounds == 500 and .generated_tokens == 500 * 256 * 16 * 4000'
  holds '.estimates[0].steps == 500'
  cp out.txt first.json
  jq .scenario first.json >scenario.json
  run_trcost estimate --scenario scenario.json --format json
  [ "$(jq -c '.estimates' first.json)" = "$(jq -c '.estimates' <<<"$out")" ]
}

@test "packed batches change neither the rounds nor their responses" {
  for packing in packed padded padding-free; do
    run_trcost estimate --method grpo --model qwen2.5-1.5b --accelerator a100-sxm-80gb --gpus 8 --steps 105 \
      --packing "$packing" --format json
    [ "$code" -eq 0 ]
    holds '.estimates[0].steps == 105 and .estimates[0].rollout.rounds == 105'
  done
}

@test "a micro-batch of one sample has no padding" {
  flags=(estimate --model llama-3.1-8b --train lora --method sft --samples 50000 --text-tokens-per-sample 790
    --accelerator h100-sxm --gpus 8 --global-batch 64 --stack hf-trainer --format json)
  hours() {
    run_trcost "${flags[@]}" "$@"
    [ "$code" -eq 0 ]
    jq '.estimates[0].gpu_hours' out.txt
  }
  [ "$(hours --micro-batch 1 --packing padded)" = "$(hours --micro-batch 1 --packing padding-free)" ]
  # Of two samples the shorter one is padded: 0.6 of the tokens are useful.
  padded=$(hours --micro-batch 2 --packing padded)
  jq -ne "$padded * 0.6 / $(hours --micro-batch 2 --packing padding-free) | . > 0.99 and . < 1.01"
}

@test "a short question is answered with everything assumed and said" {
  run_trcost estimate --method grpo --model llama-3.1-8b --details
  [ "$code" -eq 0 ]
  for words in rollout.steps rollout.prompts rollout.samples_per_prompt rollout.response_tokens \
    rollout.response_limit rollout.engine train.global_batch; do
    grep -q "$words" out.txt
  done
}

@test "what cannot be is refused with one message" {
  refused 2 --prompts estimate --model llama-3.1-8b --prompts 16
  refused 2 --response-limit estimate --method grpo --model llama-3.1-8b \
    --response-tokens 9000 --response-limit 4000
  refused 2 --method estimate --method ppo --model llama-3.1-8b --tokens 1e9
  refused 2 --generation-gpus estimate --method grpo --model llama-3.1-8b --gpus 16 \
    --generation-gpus 4
  refused 2 --method transfer --method grpo --model qwen3-8b --from h100-sxm --from-gpus 16 \
    --measured 20h --to b200
  refused 2 --draft-tokens estimate --method grpo --model llama-3.1-8b --draft-tokens 2
  refused 2 --method estimate --method ppo --model llama-3.1-8b \
    --teacher-model llama-3.1-70b
  refused 2 --gpus estimate --method grpo --model llama-3.1-8b --gpus 16 \
    --placement split --generation-gpus 16
  refused 2 clip-vit-l-14 estimate --method grpo --model clip-vit-l-14
  refused 2 --reference estimate --method sft --model llama-3.1-8b --reference on
  refused 2 --prompt-tokens estimate --method grpo --model llama-3.1-8b \
    --prompt-tokens 200000
  grep -q -- '--prompt-tokens' <<<"$err"
}

@test "a recipe of several methods has one sum and one range" {
  run_trcost estimate --scenario "$BATS_TEST_DIRNAME/../../examples/scenarios/tulu-3-8b.json" --format json
  [ "$code" -eq 0 ]
  holds '.estimates[0] | (.phases | map(.gpu_hours) | add) / .gpu_hours - 1 | fabs < 1e-9'
  holds '[.estimates[0].phases[].stage] | unique == ["fine-tuning", "preferences", "reward model", "verifiable rewards"]'
}

@test "the contract's names of a round stand in JSON" {
  run_trcost estimate --method ppo --model llama-3.1-8b --accelerator h100-sxm --gpus 32 --format json
  holds '[.estimates[0].phases[] | has("name") and has("kind") and .method == "ppo" and has("gpus")
    and has("layout") and has("step_seconds") and has("tokens") and has("gpu_hours") and has("cost")] | all'
  holds '.estimates[0].memory | .kv_cache_bytes > 0 and .resident_bytes > 0'
  holds '.estimates[0].layout | has("etp") and has("sequence_parallel") and has("recompute_layers") and has("idle_gpus")'
  holds '.estimates[0].cost | has("price_class") and has("price_imputed") and has("price_date") and has("provider")'
  run_trcost estimate --model llama-3.1-8b --samples 1000 --accelerator h100-sxm --format json
  holds '.estimates[0] | .phases[0].method == "sft" and .memory.kv_cache_bytes == null'
}

@test "responses that grow cost what lies between their start and their end" {
  question=(--method grpo --model llama-3.1-8b --accelerator h100-sxm --gpus 16 --response-limit 16384
    --format json)
  run_trcost estimate "${question[@]}" --response-tokens 2000
  short=$(jq '.estimates[0].gpu_hours' <<<"$out")
  run_trcost estimate "${question[@]}" --response-tokens 8000
  long=$(jq '.estimates[0].gpu_hours' <<<"$out")
  run_trcost estimate "${question[@]}" --response-tokens 2000 --response-tokens-end 8000
  holds ".estimates[0] | .gpu_hours > $short and .gpu_hours < $long"
  holds '.estimates[0].rollout | .generated_tokens == .rounds * 256 * 16 * 5000'
  refused 2 '' estimate "${question[@]}" --response-tokens-end 20000
}

@test "the length of responses may be a range, which widens the answer" {
  question=(--method grpo --model llama-3.1-8b --accelerator h100-sxm --gpus 32 --response-limit 16384
    --format json)
  run_trcost estimate "${question[@]}" --response-tokens 4000
  [ "$code" -eq 0 ]
  narrow=$(jq '.estimates[0].range.total_usd | .p90 / .p10' <<<"$out")
  run_trcost estimate "${question[@]}" --response-tokens 2000..8000
  [ "$code" -eq 0 ]
  holds ".estimates[0].range.total_usd | .p90 / .p10 > 1.2 * $narrow"
}

@test "accelerators that generate are not idle" {
  run_trcost estimate --method grpo --model llama-3.1-8b --placement async --gpus 16 \
    --accelerator h100-sxm --format json
  [ "$code" -eq 0 ]
  holds '.estimates[0] | (.phases[] | select(.kind == "generate") | .gpus) + .layout.dp * .layout.tp
    * .layout.pp * .layout.cp + .layout.idle_gpus == .gpus'
  [ "$(warnings)" -eq 0 ]
}

@test "published rounds and whole runs are replayed" {
  run_trcost validate --posttraining --format json
  [ "$code" -eq 0 ]
  holds '.runs.rows >= 6 and .runs.coverage > 0.6 and .all.left_out.rows >= 49'
  holds '[.rows[] | select(.error == null) | .problem != ""] | all'
  run_trcost validate --posttraining --stack early-2025
  [ "$code" -eq 0 ]
  refused 2 '' validate --posttraining --model nothing-of-the-kind
  run_trcost validate --posttraining --max-error 0.1%
  [ "$code" -eq 3 ]
}

@test "partial rollouts wait for nobody, cached prompts are not read again" {
  question=(--method grpo --model qwen3-8b --accelerator h100-sxm --gpus 16 --format json)
  run_trcost estimate "${question[@]}"
  [ "$code" -eq 0 ]
  whole=$(jq '.estimates[0].performance.step_seconds' <<<"$out")
  run_trcost estimate "${question[@]}" --partial-rollouts on
  holds ".estimates[0] | .performance.step_seconds < $whole and .rollout.idle_share == 0"
  run_trcost estimate "${question[@]}" --prefix-hits 0.9
  holds ".estimates[0].performance.step_seconds < $whole"
  run_trcost estimate "${question[@]}" --generation-tp 4
  holds '.estimates[0].phases[0].engine.tp == 4'
  refused 2 32 estimate --method grpo --model qwen3-8b \
    --generation-tp 3
}

@test "trainers of early 2025 take longer than those of today" {
  question=(--method grpo --model qwen3-8b --accelerator h100-sxm --gpus 16 --format json)
  run_trcost estimate "${question[@]}" --rollout-framework modern
  today=$(jq '.estimates[0].performance.step_seconds' <<<"$out")
  run_trcost estimate "${question[@]}" --rollout-framework early-2025
  holds ".estimates[0].performance.step_seconds | . > 1.5 * $today and . < 4 * $today"
}

@test "the parts of memory sum to the total of the moment that they are of, as its schema says" {
  for question in "--gpus 8" "--gpus 64" "--gpus 64 --placement split" "--gpus 8 --response-limit 32768"; do
    # shellcheck disable=SC2086
    run_trcost estimate --method grpo --model llama-3.1-8b --accelerator h100-sxm $question --format json
    [ "$code" -eq 0 ]
    holds '.estimates[0].memory | [.weights_bytes, .gradients_bytes, .optimizer_bytes, .activations_bytes,
      .logits_bytes, .overhead_bytes, .resident_bytes, .engine_bytes // 0,
      (if .engine_bytes == null then 0 else .kv_cache_bytes end)] as $parts
      | ($parts | add) / .total_bytes - 1 | fabs < 1e-9'
    holds '.estimates[0].memory.kv_cache_bytes > 0'
  done
}
