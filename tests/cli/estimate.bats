#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The main command from outside: figures that can be checked by hand.

load program

estimate() {
  "$TRCOST" estimate --format json "$@" 2> /dev/null
}

number() {
  jq -e "$1" > /dev/null
}

@test "7e9 x 2e12 at a given MFU: 6ND is 8.4e22 and dollars are GPU-hours x price" {
  given="--params 7e9 --tokens 2e12 --accelerator h100-sxm --mfu 0.4 --goodput 1 \
    --production-overhead 1 --price 2"
  estimate $given > "$BATS_TEST_TMPDIR/a.json"
  number '.estimates[0].flops.rule_6nd == 8.4e22' < "$BATS_TEST_TMPDIR/a.json"
  # GPU-hours = FLOP / (peak x MFU x 3600)
  number '.estimates[0] | (.gpu_hours / (.flops.model / (989.4e12 * 0.4 * 3600)) - 1 | fabs) < 1e-9' \
    < "$BATS_TEST_TMPDIR/a.json"
  number '.estimates[0] | (.gpu_hours * 2 - .cost.total | fabs) < 0.005' < "$BATS_TEST_TMPDIR/a.json"
  for gpus in 1 1024; do
    estimate $given --gpus "$gpus" > "$BATS_TEST_TMPDIR/b.json"
    jq -es '(.[0].estimates[0].gpu_hours / .[1].estimates[0].gpu_hours - 1 | fabs) < 1e-9' \
      "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/b.json" > /dev/null
  done
}

@test "a platform without an answer stands in every answer that people read, with the reason" {
  question=(--params 70e9 --tokens 1e9 --gpus 8 --accelerator h100-sxm,b300,b200)
  run_trcost estimate "${question[@]}" --brief
  [ "$code" -eq 0 ]
  [ "$(grep -c '^h100-sxm ' out.txt)" -eq 2 ] # its row, and the reason
  for format in table md html; do
    run_trcost estimate "${question[@]}" --format "$format"
    [ "$code" -eq 0 ]
    [ "$(grep -c h100-sxm out.txt)" -ge 2 ]
    grep -q 'h100-sxm has no answer' out.txt || grep -q 'warning: .*h100-sxm' err.txt
  done
  # Where one alone has an answer, too.
  run_trcost estimate "${question[@]::${#question[@]}-1}" h100-sxm,b300
  [ "$(grep -c h100-sxm out.txt)" -ge 1 ]
  run_trcost estimate "${question[@]}" --format json
  holds '[.failures[].accelerator] == ["h100-sxm"] and (.failures[0].message | length) > 20'
}

@test "a layout that does not fit is answered, with a warning, and --strict exits 3" {
  run "$TRCOST" estimate --params 7e9 --tokens 2e12 --accelerator h100-sxm --mfu 0.4 --gpus 1 \
    --format csv --strict
  [ "$status" -eq 3 ]
  run "$TRCOST" estimate --params 7e9 --tokens 2e12 --accelerator h100-sxm --mfu 0.4 --gpus 1 \
    --format csv
  [ "$status" -eq 0 ]
  [[ "$output" == *"warning"* ]]
}

@test "20,000 H100 for 4 months at 40 % MFU are 8.33e25 FLOP and 116.9 million dollars at 2" {
  # tokens whose training takes exactly that long: hours = 20000 x 4 x 730.5
  estimate --model llama-3.1-405b --tokens 1e12 --seq-length 8192 --accelerator h100-sxm \
    --gpus 20000 --mfu 0.4 --goodput 1 --production-overhead 1 --price 2 > "$BATS_TEST_TMPDIR/c.json"
  # dollars per FLOP do not depend on the model: scale to the cluster's 4 months
  number '.estimates[0] | (.flops.model / .gpu_hours * 20000 * 4 * 730.5 / 8.326157184e25 - 1 | fabs) < 1e-9' \
    < "$BATS_TEST_TMPDIR/c.json"
  number '.estimates[0] | (.cost.total / .gpu_hours * 20000 * 4 * 730.5 - 116880000 | fabs) < 1' \
    < "$BATS_TEST_TMPDIR/c.json"
}

@test "five platforms in the contract's order, in every format" {
  estimate --params 10e9 --modality vl > "$BATS_TEST_TMPDIR/d.json"
  [ "$(jq -r '[.estimates[].accelerator] | join(" ")' "$BATS_TEST_TMPDIR/d.json")" = \
    "a100-sxm-80gb h100-sxm b200 gb200-nvl72 gb300-nvl72" ]
  for format in table jsonl csv md html; do
    "$TRCOST" estimate --params 10e9 --modality vl --format "$format" > "$BATS_TEST_TMPDIR/out"
    [ -s "$BATS_TEST_TMPDIR/out" ]
  done
}

@test "the waterfall multiplies to the realised MFU, memory and items add up" {
  estimate --params 10e9 --modality vl > "$BATS_TEST_TMPDIR/e.json"
  number '[.estimates[] | ([.waterfall[].share] | reduce .[] as $s (1; . * $s)) /
    (.performance.mfu * .performance.goodput * .performance.production_overhead) - 1 | fabs]
    | max < 1e-9' < "$BATS_TEST_TMPDIR/e.json"
  number '[.estimates[] | (.memory | .weights_bytes + .gradients_bytes + .optimizer_bytes +
    .activations_bytes + .logits_bytes + .overhead_bytes) / .memory.total_bytes - 1 | fabs]
    | max < 1e-9' < "$BATS_TEST_TMPDIR/e.json"
  number '[.estimates[] | ([.cost.items[].amount] | add) / .cost.total - 1
    | fabs] | max < 1e-9' < "$BATS_TEST_TMPDIR/e.json"
}

@test "doubling tokens doubles FLOPs and tokens beside it" {
  estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --gpus 512 > "$BATS_TEST_TMPDIR/f.json"
  estimate --params 7e9 --tokens 2e12 --accelerator h100-sxm --gpus 512 --global-batch 1024 \
    > "$BATS_TEST_TMPDIR/g.json"
  jq -es '(.[1].estimates[0].flops.model / .[0].estimates[0].flops.model - 2 | fabs) < 1e-12' \
    "$BATS_TEST_TMPDIR/f.json" "$BATS_TEST_TMPDIR/g.json" > /dev/null
}

@test "environment below flags, unknown environment is ignored" {
  run env TRCOST_MODEL_PARAMS=3e9 "$TRCOST" estimate --accelerator h100-sxm --format json
  [ "$(printf '%s' "$output" | jq '.scenario.model.params')" = 3000000000 ]
  run env TRCOST_MODEL_PARAMS=3e9 "$TRCOST" estimate --params 5e9 --accelerator h100-sxm --format json
  [ "$(printf '%s' "$output" | jq '.scenario.model.params')" = 5000000000 ]
}

@test "published contrastive runs of OpenCLIP are within a factor of 1.5" {
  # GPU-hours of the README of github.com/mlfoundations/open_clip: 12.8e9 pairs on A100 40GB
  while read -r model gpus hours; do
    estimate --model "$model" --samples 12.8e9 --accelerator a100-sxm-40gb --gpus "$gpus" |
      jq -e ".estimates[0].gpu_hours / $hours | . > 1 / 1.5 and . < 1.5" > /dev/null
  done <<< "clip-vit-b-32 128 4600
clip-vit-b-16 176 10700
clip-vit-l-14 400 50800"
}

@test "less than one optimizer step is one step, with a warning" {
  run_trcost estimate --params 7e9 --tokens 1 --accelerator h100-sxm --format json
  [ "$code" -eq 0 ]
  holds '.estimates[0] | .wall_clock_seconds >= .performance.step_seconds'
  holds '.estimates[0] | (.gpu_hours * 3600 / .gpus / .wall_clock_seconds - 1 | fabs) < 1e-9'
  [ "$(warnings)" -eq 3 ] # beside those of the scale and of a run of seconds
  # From one step on time follows the tokens.
  run_trcost estimate --params 7e9 --tokens 1e9 --accelerator h100-sxm --format json
  [ "$(warnings)" -eq 1 ]
}

@test "a cluster beyond the largest known one is answered with a warning and what fewer would do" {
  run_trcost estimate --params 14e9 --deadline 4m --mfu 0.4 --goodput 1 --accelerator h100-sxm --format json
  [ "$code" -eq 0 ]
  holds '.estimates[0] | .gpus > 200000 and .wall_clock_seconds <= 240'
  grep -q 'warning: .*200,000' err.txt
  run_trcost estimate --params 14e9 --accelerator h100-sxm --format json
  [ -z "$err" ]
}

@test "degrees that are given size the cluster in multiples of theirs" {
  run_trcost estimate --params 7e9 --tp 8 --pp 4 --accelerator h100-sxm --format json
  [ "$code" -eq 0 ]
  holds '.estimates[0] | .gpus % 32 == 0 and .layout.tp == 8 and .layout.pp == 4'
}

@test "tables stay readable for absurd numbers" {
  for question in '--mfu 1e-300 --gpus 8' '--gpus 10000000 --mfu 0.4 --goodput 1 --tokens 1e20' \
    '--tokens 1e20 --gpus 1000 --mfu 0.4' '--tokens 1'; do
    # shellcheck disable=SC2086
    run_trcost estimate --params 7e9 $question
    echo "$question"
    [ "$code" -eq 0 ]
    fits_the_page
    lacks '[0-9]{16}' out.txt
    lacks '(inf|nan)\b' out.txt
  done
}

@test "a deadline that nothing meets is refused with the shortest time and its size" {
  refused 1 '--deadline' estimate --params 20e9 --deadline 1h --accelerator h100-sxm
  refused 1 10,000,000 estimate --params 20e9 --deadline 1s --accelerator h100-sxm
}

@test "a longer deadline is met and takes no more GPU-hours" {
  local hours before=1e30 deadline
  for deadline in 50d 60d 70d 80d 90d 120d; do
    run_trcost estimate --model llama-3.1-405b --tokens 15.6T --accelerator h100-sxm \
      --deadline $deadline --format json
    [ "$code" -eq 0 ]
    holds ".estimates[0].wall_clock_seconds <= ${deadline%d} * 86400"
    hours=$(jq .estimates[0].gpu_hours <<<"$out")
    echo "$deadline: $hours GPU-hours, before $before"
    jq -en "$hours <= 1.05 * $before" >/dev/null
    before=$hours
  done
}

@test "an awkward number of GPUs: some stay idle, all are paid for, and that is said" {
  run_trcost estimate --model llama-3.1-405b --tokens 1e12 --accelerator h100-sxm --gpus 1001 --format json
  [ "$code" -eq 0 ]
  # A few are the model's own error; from 5 % on they are a warning.
  lacks 'warning: [0-9]+ of 1001 ' err.txt
  holds '.estimates[0] | .gpus == 1001'
  holds '.estimates[0].layout | .tp * .pp * .cp * .dp | . < 1001 and . > 900'
  holds '.estimates[0] | .assumptions | any(.path == "layout.gpus")'
  holds '.estimates[0] | .waterfall | any(.term == "idle_accelerators")'
  # MFU and GPU-hours are of all that are paid for.
  holds '.estimates[0] | (.gpu_hours * 3600 / .wall_clock_seconds / 1001 - 1 | fabs) < 1e-9'
  holds '.estimates[0] | (.performance.mfu * 989e12 * .performance.goodput
    * .performance.production_overhead * .gpu_hours * 3600
    / .flops.model - 1 | fabs) < 0.01'
  local odd
  odd=$(jq .estimates[0].cost.total <<<"$out")
  run_trcost estimate --model llama-3.1-405b --tokens 1e12 --accelerator h100-sxm --gpus 1008 --format json
  lacks 'warning: [0-9]+ of 1008 ' err.txt
  holds ".estimates[0].cost.total | . > $odd / 1.1 and . < $odd * 1.1"
  run_trcost estimate --model llama-3.1-405b --tokens 15e12 --accelerator h100-sxm --gpus 136
  grep -q 'warning: 8 of 136 .*128' err.txt
}

@test "a batch has a price in tokens, and a bad one a better neighbour" {
  run_trcost estimate --model llama-3.1-405b --tokens 15.6T --accelerator h100-sxm --gpus 262144 --format json
  [ "$code" -eq 0 ]
  [ "$(warnings)" -eq 1 ]
  holds '.estimates[0].performance | .batch_token_cost > 0.5 and .mfu > 0.25'
  holds '.estimates[0].tokens.total == 15.6e12'
  run_trcost estimate --params 70e9 --tokens 15T --accelerator h100-sxm --gpus 512 --stack megatron \
    --seq-length 8192 --global-batch 1023
  grep -q 'warning: .*1024.*1023' err.txt
}

@test "a default batch is said as the layout has it, and replays" {
  run_trcost estimate --params 7e9 --tokens 2e12 --accelerator h100-sxm --gpus 1001 --format json
  [ "$code" -eq 0 ]
  local batch hours
  batch=$(jq .estimates[0].layout.global_batch <<<"$out")
  holds ".estimates[0].assumptions | any(.path == \"train.global_batch\" and (.value | tonumber) == $batch)"
  hours=$(jq .estimates[0].gpu_hours <<<"$out")
  run_trcost estimate --params 7e9 --tokens 2e12 --accelerator h100-sxm --gpus 1001 --global-batch "$batch" \
    --format json
  holds ".estimates[0].gpu_hours / $hours | . > 0.98 and . < 1.02"
}

@test "layers that attend to images: every recipe and length multiplies to its MFU" {
  for recipe in full frozen-vision projector lora qlora; do
    for length in 4096 16384 65536; do
      "$TRCOST" estimate --model llama-3.2-11b-vision --tokens 1e12 --accelerator h100-sxm --gpus 64 \
        --train "$recipe" --seq-length "$length" --stack megatron --format json >out.json
      jq -e '.estimates[0] | .performance.mfu > 0 and .performance.mfu <= 1' out.json
    done
  done
}

@test "a release of a stack: NAME@YYYY-MM" {
  hours() {
    "$TRCOST" estimate --model llama-3.1-8b --tokens 1e12 --accelerator h100-sxm --gpus 64 \
      --stack "$1" --format json | jq '.estimates[0].gpu_hours'
  }
  [ "$(jq -n "$(hours megatron@2024-03) > $(hours megatron@2025-10)")" = true ]
  code=0
  "$TRCOST" estimate --model llama-3.1-8b --stack megatron@1999-01 >out.txt 2>err.txt || code=$?
  [ "$code" -eq 2 ]
  [ ! -s out.txt ]
  grep -q "2023" err.txt
}

@test "--strict says what is not known, and an input that is not used is named" {
  question=(estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --gpus 64 --mfu 0.4)
  run_trcost "${question[@]}" --region ca --strict
  [ "$code" -eq 3 ]
  grep -q -- '--strict: h100-sxm' err.txt
  run_trcost "${question[@]}" --goodput 0.95 --spares 0.2
  [ "$code" -eq 0 ]
  grep -q -- 'warning: --spares .*--goodput' err.txt
}

@test "a field that says nothing of this question is named, and of another it is not" {
  question=(estimate --tokens 1e9 --accelerator h100-sxm --gpus 8 --model llama-3.1-8b)
  lora=(--train lora)
  vision=(--vision-encoder clip-vit-l-14-336)
  draws=(--draws 100)
  mfu=(--mfu 0.4)
  ring=(--cp 1)
  cp=(--cp 2)
  none=()
  while IFS='|' read -r without field with; do
    read -ra words <<<"$field"
    declare -n added=$with removed=$without
    run_trcost "${question[@]}" "${removed[@]}" "${words[@]}"
    [ "$code" -eq 0 ]
    grep -q -- "warning: ${words[0]} " err.txt || return 1
    run_trcost "${question[@]}" "${added[@]}" "${words[@]}"
    [ "$code" -eq 0 ]
    ! grep -q -- "warning: ${words[0]} " err.txt || return 1
  done <<'END'
none|--lora-rank 8|lora
none|--lora-embeddings|lora
none|--loader-workers 4|vision
none|--image-share 0.3|vision
none|--train-connector full|vision
none|--image-bytes 500000|vision
none|--seed 3|draws
mfu|--overlap all|none
ring|--context-kind ring|cp
END
}

@test "a release later than those that were measured is taken as the newest, and said" {
  run_trcost estimate --model llama-3.1-8b --tokens 1e9 --accelerator h100-sxm --gpus 8 --stack megatron@2030-01
  [ "$code" -eq 0 ]
  grep -q 'warning: megatron@2030-01 .*2025-10' err.txt
  run_trcost estimate --model llama-3.1-8b --tokens 1e9 --accelerator h100-sxm --gpus 8 --stack megatron@2025-03
  ! grep -q 'warning: megatron@' err.txt || return 1
}

@test "the default region is no region of prices" {
  question=(estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --gpus 64 --format json)
  run_trcost "${question[@]}"
  [ "$(jq '[.estimates[].assumptions[].path] | index("cost.region")' out.txt)" = null ]
}

@test "a job one of whose stages does not fit does not fit, and --strict says so" {
  cat >stages.json <<'JSON'
{ "model": { "params": 7e9 },
  "hardware": { "accelerator": "h100-sxm", "gpus": 8 },
  "layout": { "tp": 1, "pp": 1, "dp": 8, "recompute": "none" },
  "stages": [ { "name": "long", "data": { "tokens": 1e12 } },
              { "name": "short", "data": { "tokens": 1e9, "seq_length": 131072 } } ] }
JSON
  run_trcost estimate --scenario stages.json --format json
  [ "$code" -eq 0 ]
  holds '.estimates[0].memory | .fits == false and .total_bytes > .capacity_bytes'
  holds '.estimates[0] | .stages | map(.memory.fits) == [true, false]'
  holds '.estimates[0] | .seq_length == null and .waterfall == [] and .complete'
  run_trcost estimate --scenario stages.json --strict
  [ "$code" -eq 3 ]
}

@test "an owned machine in stages is owned" {
  scenario=$BATS_TEST_DIRNAME/../../examples/scenarios/llava-two-stages.json
  run_trcost estimate --scenario "$scenario" --pricing own --format json
  holds '.estimates[0].cost.items | length >= 5'
  run_trcost estimate --scenario "$scenario" --pricing own --accelerator l40
  grep -q 'warning: .*--purchase-price' <<<"$err"
}

@test "support is a row of an owned machine where a rate is given" {
  run_trcost estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --gpus 64 --mfu 0.4 \
    --pricing own --purchase-price 30000 --support-rate 5% --format json
  # $30,000 x 1.64 for the server x 5 % / 8,766 h.
  holds '.estimates[0].cost.items | map(select(.item == "support"))[0].unit_price
    | (. / (30000 * 1.64 * 0.05 / 8766) - 1) | fabs < 1e-9'
  holds '.estimates[0].cost | ([.items[].amount] | add) as $sum
    | ($sum / .total - 1) | fabs < 1e-9'
  run_trcost estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --gpus 64 --mfu 0.4 \
    --pricing own --format json
  holds '.estimates[0].cost.items | all(.item != "support")'
}

@test "counts are whole numbers, and text and vision are the total" {
  run_trcost estimate --params 10e9 --modality vl --format json
  holds '.estimates | all((.steps | . == floor) and (.tokens | [.[]] | all(. == floor))
    and .tokens.text + .tokens.vision == .tokens.total and (.gpus | . == floor)
    and (.model | [.[] | numbers] | all(. == floor)))'
}

@test "owning says cash, megawatts and the cost of capital" {
  run_trcost estimate --model llama-3.1-405b --tokens 15.6T --accelerator h100-sxm --gpus 16384 \
    --pricing own --format json
  [ "$code" -eq 0 ]
  # 16,384 x 1.275 kW x PUE 1.25.
  holds '.estimates[0].energy.site_megawatts - 26.112 | fabs < 1e-9'
  # Capital at 10 % a year of what depreciates at 0.14 ln 10 = 32.236 %: 0.10 / 0.32236 of the rest.
  holds '.estimates[0].cost.items | (map(select(.item == "cost of capital"))[0].amount) as $c
    | (map(select(.item | endswith("depreciation")).amount) | add) as $d
    | $c / $d - 0.1 / 0.3223619 | fabs < 1e-6'
  holds '.estimates[0].cost.capital_usd > 1e8'
  free=$(jq '.estimates[0].cost.total' out.txt)
  run_trcost estimate --model llama-3.1-405b --tokens 15.6T --accelerator h100-sxm --gpus 16384 \
    --pricing own --capital-rate 0 --format json
  holds ".estimates[0].cost.total < $free"
}

@test "a cluster that hardly holds the model names a slightly larger one" {
  # On 64 GPUs so little memory is left that weights are gathered in every micro-batch.
  run_trcost estimate --model deepseek-v3 --accelerator h100-sxm --gpus 64 --optimizer adamw-8bit --tokens 1T
  [ "$code" -eq 0 ]
  grep -q 'warning: 72 accelerators take [0-9]*% fewer.*difference is data_parallel' <<<"$err"
  run_trcost estimate --model deepseek-v3 --accelerator h100-sxm --gpus 256 --tokens 1T
  [ "$(warnings)" -eq 0 ]
}

@test "an answer is one screen, which begins with the answer" {
  questions=("--params 10e9 --modality vl" "--model llama-3.1-405b --tokens 15.6T --gpus 16384"
    "--params 7e9 --accelerator h100-sxm" "--model qwen2.5-vl-7b --samples 1e6 --train lora"
    "--params 7e9 --pricing own --gpus 64")
  for question in "${questions[@]}"; do
    # shellcheck disable=SC2086
    run_trcost estimate $question
    [ "$code" -eq 0 ]
    [ "$(wc -l <out.txt)" -le 36 ]
    head -3 out.txt | tr -s ' \n' ' ' >first.txt
    grep -qE '[$][0-9.]+[kMB]? .*(hours|days)' first.txt
    # shellcheck disable=SC2086
    run_trcost estimate $question --details
    [ "$(wc -l <out.txt)" -ge 70 ]
    grep -qF "$(cut -c1-60 first.txt)" <<<"$(tr -s ' \n' '  ' <out.txt)"
    # shellcheck disable=SC2086
    run_trcost estimate $question --format json
    gpus=$(jq -r '[.estimates[] | select(.memory.fits and .cost.price_imputed == false and
      (.cost.provider == null or (.cost.provider | contains(","))))] | min_by(.cost.total) | .gpus' <<<"$out")
    tr -d ',' <first.txt | grep -qF ": $gpus GPU"
  done
}

@test "--brief is a line per platform, --details everything, and both together neither" {
  COLUMNS=100 run_trcost estimate --params 7e9 --gpus 8 --brief
  [ "$code" -eq 0 ]
  [ "$(wc -l <out.txt)" -eq 7 ]
  [ "$(grep -cE 'compared|best quoted' out.txt)" -eq 2 ]
  run_trcost estimate --params 7e9 --gpus 8 --brief --details
  [ "$code" -eq 2 ]
  [ ! -s out.txt ]
  # Documents that are handed on hold everything, so --brief is refused for them.
  refused 2 brief estimate --params 7e9 --gpus 8 --format md --brief
}

@test "shares of different peaks say which precision they are of" {
  run_trcost estimate --params 7e9 --precision best --gpus 8
  grep -q 'A100 .*% bf16' out.txt
  grep -q 'B200 .*% nvfp4' out.txt
  COLUMNS=100 run_trcost estimate --params 7e9 --precision best --gpus 8 --brief
  grep -q '^a100-sxm-80gb.*% bf16' out.txt
  grep -q '^b200.*% nvfp4' out.txt
  COLUMNS=100 run_trcost estimate --params 7e9 --gpus 8 --brief
  ! grep -q 'bf16' out.txt || return 1
}

@test "an MFU beyond what matmuls alone reach is said to be so" {
  run_trcost estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --mfu 0.9
  [ "$code" -eq 0 ]
  [ "$(warnings)" -eq 1 ]
  run_trcost estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --mfu 0.45
  [ "$(warnings)" -eq 0 ]
}

@test "--fail-above: every platform that is named, else the cheapest, at the asked confidence" {
  question=(--params 7e9 --tokens 1e12 --gpus 256)
  run_trcost estimate "${question[@]}" --accelerator h100-sxm,b200 --format json
  cp out.txt answer.json
  lower=$(jq '[.estimates[].cost.total] | min' answer.json)
  higher=$(jq '[.estimates[].cost.total] | max' answer.json)
  between=$(jq -n "($lower + $higher) / 2")
  run_trcost estimate "${question[@]}" --accelerator h100-sxm,b200 --fail-above "$between"
  [ "$code" -eq 3 ] && [ "$(grep -c 'error: .*--fail-above' err.txt)" -eq 1 ]
  run_trcost estimate "${question[@]}" --accelerator h100-sxm,b200 --fail-above "$(jq -n "$higher * 1.001")"
  [ "$code" -eq 0 ] && grep -q 'half of such runs' err.txt
  run_trcost estimate "${question[@]}" --fail-above "$between"
  [ "$code" -eq 0 ]
  # At 90% the limit is P90.
  p90=$(jq '.estimates[0].range.total_usd.p90' answer.json)
  run_trcost estimate "${question[@]}" --accelerator h100-sxm --confidence 0.9 --fail-above "$(jq -n "$p90 * 1.001")"
  [ "$code" -eq 0 ]
  run_trcost estimate "${question[@]}" --accelerator h100-sxm --confidence 90% --fail-above "$(jq -n "$p90 * 0.999")" -q
  [ "$code" -eq 3 ] && grep -q 'error: ' err.txt
  # A platform without an answer keeps no limit.
  run_trcost estimate --params 70e9 --gpus 16 --accelerator rtx-4090,h200 --fail-above 1B
  [ "$code" -eq 3 ]
  refused 2 fail-above estimate "${question[@]}" --confidence 0.9
  refused 2 confidence estimate "${question[@]}" --fail-above 1k --confidence 0.2
}

@test "CSV and JSON Lines keep a row for a platform without an answer" {
  question=(--params 70e9 --tokens 1e12 --gpus 16 --accelerator rtx-4090,h200 -q)
  "$TRCOST" estimate "${question[@]}" --format jsonl >rows.jsonl
  jq -se '[.[] | [.accelerator, (.["cost.total"] == null), (.error == null)]] ==
    [["h200", false, true], ["rtx-4090", true, false]]' rows.jsonl
  "$TRCOST" estimate "${question[@]}" --format csv >rows.csv
  [ "$(wc -l <rows.csv)" -eq 3 ]
  head -1 rows.csv | grep -q ',error'
  "$TRCOST" estimate "${question[@]}" --format json | jq -e '(.estimates | length == 1) and (.failures | length == 1)'
}

@test "CSV keeps a row with its error if no platform has an answer, and the reason of a missing total" {
  run_trcost estimate --params 70e9 --gpus 16 --accelerator rtx-4090 --format csv
  [ "$code" -eq 1 ]
  [ "$(wc -l <out.txt)" -eq 2 ]
  grep -q '^rtx-4090,.*does not fit' out.txt
  run_trcost estimate --params 7e9 --tokens 1e10 --accelerator h800,h100-sxm --format jsonl
  [ "$code" -eq 0 ]
  jq -se '.[0] | .accelerator == "h800" and .complete == false and (.error | contains("price"))' out.txt
  jq -se '.[1] | .accelerator == "h100-sxm" and .error == null' out.txt
}
