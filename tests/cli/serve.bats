#!/usr/bin/env bats
# shellcheck disable=SC2154
# What `trcost serve` prints.

load program

@test "five platforms by default, the contract's names in JSON" {
  run "$TRCOST" serve --model llama-3.1-70b --format json -q
  [ "$status" -eq 0 ]
  echo "$output" | jq -e '.serving | length == 5 and all(
    (.output_tokens_per_second_per_gpu > 0) and (.total_tokens_per_second_per_gpu > .output_tokens_per_second_per_gpu)
    and has("accelerator") and has("gpus") and has("layout") and has("engine") and has("precision")
    and has("concurrency") and has("tokens_per_second_per_user") and has("ttft_seconds") and has("tpot_seconds")
    and has("kv_bytes_per_token") and has("max_concurrency") and has("tokens_per_second_per_megawatt")
    and has("range") and has("quality")
    and (.cost | has("per_million_output_tokens") and has("per_million_input_tokens")
         and has("per_million_total_tokens") and has("price_per_gpu_hour") and has("load")))'
}

@test "dollars per million tokens are the price over the tokens sold" {
  run "$TRCOST" serve --model llama-3.1-8b --accelerator h100-sxm --concurrency 32 --price 2 --load 0.5 --format json -q
  [ "$status" -eq 0 ]
  echo "$output" | jq -e '.serving[0] | .cost.per_million_output_tokens as $usd
    | (2 / 3600 / (.output_tokens_per_second_per_gpu * 0.5) * 1e6 - $usd) | fabs < 1e-9'
}

@test "CSV holds what JSON holds" {
  csv=$("$TRCOST" serve --model qwen3-32b --accelerator b200 --concurrency 16 --format csv -q)
  json=$("$TRCOST" serve --model qwen3-32b --accelerator b200 --concurrency 16 --format json -q)
  for path in output_tokens_per_second_per_gpu cost.per_million_output_tokens tpot_seconds max_concurrency; do
    column=$(echo "$csv" | head -1 | tr , '\n' | grep -nx "$path" | cut -d: -f1)
    [ "$(echo "$csv" | tail -1 | cut -d, -f"$column")" = "$(echo "$json" | jq ".serving[0].$path")" ]
  done
}

@test "a claim without a unit, an unknown engine and a load above 1 are refused by name" {
  run "$TRCOST" serve --model llama-3.1-8b --claim 0.02
  [ "$status" -eq 2 ]
  [[ "$output" == *"--claim"* ]]
  run "$TRCOST" serve --model llama-3.1-8b --engine vlm
  [ "$status" -eq 2 ]
  [[ "$output" == *"vllm"* ]]
  run "$TRCOST" serve --model llama-3.1-8b --load 1.5
  [ "$status" -eq 2 ]
  [[ "$output" == *"--load"* ]]
  run "$TRCOST" serve --model llama-3.1-8b --concurrency -4
  [ "$status" -eq 2 ]
  run "$TRCOST" serve
  [ "$status" -eq 2 ]
  [[ "$output" == *"--model"* ]]
}

@test "the five claims of examples/claims are judged" {
  run sh "$BATS_TEST_DIRNAME/../../examples/claims/judge.sh"
  [ "$status" -eq 0 ]
  [ "$(echo "$output" | grep -c '^==')" -eq 5 ]
  # $0.02 of output tokens at an on-demand price is out of reach.
  [ "$(echo "$output" | grep -c ': not_plausible')" -ge 2 ]
}

@test "weights are as released where nobody says" {
  run "$TRCOST" serve --model gpt-oss-120b --accelerator h100-sxm --format json -q
  [ "$status" -eq 0 ] && echo "$output" | jq -e '.serving[0].precision == "mxfp4"'
  run "$TRCOST" serve --model deepseek-v3 --accelerator h200 --format json -q
  [ "$status" -eq 0 ] && echo "$output" | jq -e '.serving[0].precision == "fp8"'
  run "$TRCOST" serve --model llama-3.1-8b --accelerator a100-sxm-80gb --format json -q
  [ "$status" -eq 0 ] && echo "$output" | jq -e '.serving[0].precision == "bf16"'
}

@test "prompts may be read on accelerators of their own" {
  ask() { "$TRCOST" serve --model llama-3.1-70b --accelerator h100-sxm --gpus 8 --tp 8 --price 2 --format json -q "$@"; }
  apart=$(ask --prefill-gpus 0)
  echo "$apart" | jq -e '.serving[0] | .prefill_gpus % 8 == 0 and .prefill_gpus >= 8 and .gpus == 8'
  ask | jq -e '.serving[0].prefill_gpus == null'
  # Few readers set the pace: half as many give half the tokens of the whole.
  one=$(ask --prefill-gpus 1 --input-tokens 8000 | jq '.serving[0] | .output_tokens_per_second_per_gpu * 9')
  two=$(ask --prefill-gpus 2 --input-tokens 8000 | jq '.serving[0] | .output_tokens_per_second_per_gpu * 10')
  jq -en "$two / $one | . > 1.95 and . < 2.05"
  # Answers are not held up by other prompts.
  jq -en "$(echo "$apart" | jq '.serving[0].tpot_seconds') < $(ask | jq '.serving[0].tpot_seconds')"
}

@test "hybrid models are served, and keep a state beside their cache" {
  run "$TRCOST" serve --model nemotron-h-8b --accelerator h100-sxm --precision bf16 --format json -q
  [ "$status" -eq 0 ]
  # 4 layers of attention, 8 key-value heads of 128, keys and values in 16 bit.
  echo "$output" | jq -e '.serving[0].kv_bytes_per_token == 4 * 2 * 8 * 128 * 2'
  run "$TRCOST" serve --model qwen3-next-80b-a3b --accelerator h200 --kv-precision bf16 --format json -q
  [ "$status" -eq 0 ]
  # 12 of 48 layers, 2 heads of 256.
  echo "$output" | jq -e '.serving[0].kv_bytes_per_token == 12 * 2 * 2 * 256 * 2'
  run "$TRCOST" serve --model deepseek-v3.2 --accelerator h200 --kv-precision fp8 --format json -q
  [ "$status" -eq 0 ]
  # 61 layers of a latent of 512, a key of 64 and an indexer's key of 128.
  echo "$output" | jq -e '.serving[0] | .kv_bytes_per_token == 61 * (512 + 64 + 128) and .quality.measured == false'
}

@test "every step of --explain is its own numbers computed again" {
  for question in "llama-3.1-8b --accelerator h100-sxm --concurrency 32" \
    "deepseek-v3 --accelerator gb200-nvl72 --engine trtllm --gpus 32 --tp 4 --dp 8" \
    "deepseek-v3.2 --accelerator h200 --input-tokens 65536" \
    "deepseek-v3 --accelerator h200 --draft-tokens 2 --acceptance 0.8" \
    "gemma-2-27b --accelerator b200 --prefix-hits 0.5" \
    "nemotron-h-8b --accelerator h100-sxm" \
    "llama-3.1-70b --accelerator h100-sxm --tp 8 --gpus 8 --prefill-gpus 8"; do
    # shellcheck disable=SC2086
    run "$TRCOST" serve --model $question --price 2 --explain --no-curve -q
    [ "$status" -eq 0 ]
    echo "$output" | python3 "$BATS_TEST_DIRNAME/explained_steps.py"
  done
}

@test "what cannot be served is refused with one message, its hint and its code" {
  refused 1 100000 \
    serve --model llama-3.1-70b --accelerator h100-sxm --gpus 2 --concurrency 100000
  grep -q -- '--concurrency 299' <<<"$err"
  refused 1 h100-sxm serve --model deepseek-v3 --accelerator h100-sxm --gpus 4
  grep -q -- '--gpus 16' <<<"$err"
  refused 2 vlm serve --model llama-3.1-8b --engine vlm
  refused 2 --load serve --model llama-3.1-8b --load -0.5
  refused 2 --load serve --model llama-3.1-8b --load 0
  refused 2 131k serve --model llama-3.1-8b --input-tokens 200000
  refused 2 --tp serve --model qwen2.5-7b --tp 7
  refused 2 64 serve --model qwen3-32b --tp 3
  refused 2 --claim serve --model llama-3.1-8b --claim 0.02
  grep -q 'USD/Mtok' <<<"$err"
  refused 2 --claim serve --model llama-3.1-8b --claim 15x
  refused 2 clip-vit-l-14-336 serve --model clip-vit-l-14-336
  refused 2 --tokens-per-second-per-user serve --model llama-3.1-8b --concurrency 4 --tokens-per-second-per-user 9
  refused 1 --tokens-per-second-per-user serve --model llama-3.1-8b --accelerator h100-sxm --tokens-per-second-per-user 50000
  refused 2 --ep serve --model llama-3.1-8b --ep 4
  refused 2 --draft-tokens serve --model llama-3.1-8b --draft-tokens 2
}

@test "the smallest replica that a refusal names does hold the model" {
  run_trcost serve --model deepseek-v3 --accelerator h100-sxm --gpus 4
  [ "$code" -eq 1 ]
  gpus=$(grep -o -- '--gpus [0-9]*' <<<"$err" | head -1)
  # shellcheck disable=SC2086
  run_trcost serve --model deepseek-v3 --accelerator h100-sxm $gpus --no-curve
  [ "$code" -eq 0 ]
}

@test "a format that a chip does not compute in is said" {
  run_trcost serve --model llama-3.1-8b --accelerator a100-sxm-80gb,b200 --precision nvfp4 --no-curve
  [ "$code" -eq 0 ]
  grep -q 'warning: a100-sxm-80gb .*nvfp4' <<<"$err"
  ! grep -q 'warning: b200' <<<"$err" || return 1
}

@test "the platforms stand within 100 columns, and one without an answer widens none" {
  run_trcost serve --model llama-3.1-70b --no-curve
  [ "$code" -eq 0 ]
  [ "$(wc -L <out.txt)" -le 100 ]
  run_trcost serve --model llama-3.1-70b --accelerator h200,b200 --no-curve --tokens-per-second-per-user 120
  [ "$code" -eq 0 ]
  [ "$(wc -L <out.txt)" -le 100 ]
  grep -q 'H200 SXM 141GB *no answer' out.txt
  # What is said to be reached is less than what was asked for.
  [ "$(grep -o 'at most [0-9.]*' <<<"$err" | awk '{print ($3 < 120)}')" -eq 1 ]
}
