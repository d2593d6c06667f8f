#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every example runs and gives what it says.

load program

examples="$BATS_TEST_DIRNAME/../../examples"

@test "sweep_params.sh gives one header and six rows" {
  run sh -c "sh '$examples/sweep_params.sh' 2> err.txt"  # which names imputed prices
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 7 ]
  [[ "${lines[0]}" == accelerator,* ]]
  [[ "${lines[6]}" == gb200-nvl72,* ]]
}

@test "to_spreadsheet.sh gives a row per platform with as many cells as the header" {
  run sh -c "sh '$examples/to_spreadsheet.sh' 2> err.txt"
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 6 ]
  for line in "${lines[@]}"; do
    [ "$(printf '%s' "$line" | tr -cd '\t' | wc -c)" -eq 7 ]
  done
}

@test "shards.sh gives the rows of the whole sweep" {
  sh "$examples/shards.sh" > "$BATS_TEST_TMPDIR/parts.csv"
  "$TRCOST" sweep --params 7e9 --vary hardware.gpus=8..1024:x2 \
    --vary hardware.accelerator=h100-sxm,b200 --format csv > "$BATS_TEST_TMPDIR/whole.csv"
  cmp "$BATS_TEST_TMPDIR/parts.csv" "$BATS_TEST_TMPDIR/whole.csv"
}

@test "every scenario answers, and its output replays to the same bytes" {
  for file in "$examples"/scenarios/*.json; do
    "$TRCOST" estimate --scenario "$file" --format json > "$BATS_TEST_TMPDIR/first.json"
    jq '.scenario' "$BATS_TEST_TMPDIR/first.json" |
      "$TRCOST" estimate --scenario - --format json > "$BATS_TEST_TMPDIR/second.json"
    cmp "$BATS_TEST_TMPDIR/first.json" "$BATS_TEST_TMPDIR/second.json"
  done
}

@test "an accelerator of one's own is shown and estimated" {
  "$TRCOST" show accelerators "$examples/accelerators/my-chip.json" > /dev/null
  run "$TRCOST" estimate --params 7e9 --accelerator "$examples/accelerators/my-chip.json" \
    --price 2.5 --format json
  [ "$status" -eq 0 ]
  [ "$(printf '%s' "$output" | jq -r '.estimates[0].accelerator')" = my-chip ]
}

@test "recipes of many stages have one sum and one range, and hold what was published" {
  for recipe in llava-two-stages tulu-3-8b olmo-2-7b smollm3-3b deepseek-r1; do
    run_trcost estimate --scenario "$examples/scenarios/$recipe.json" --format json
    [ "$code" -eq 0 ] || { echo "$recipe: $err"; return 1; }
    holds '.estimates[0] | (.stages | map(.gpu_hours) | add) / .gpu_hours - 1 | fabs < 1e-9'
    holds '.estimates[0] | .range.gpu_hours.p10 < .gpu_hours and .gpu_hours < .range.gpu_hours.p90'
  done
  # 80 hours on 512 accelerators, as published; 24 days on 384.
  run_trcost estimate --scenario "$examples/scenarios/deepseek-r1.json" --format json
  holds '.estimates[0].range.gpu_hours | .p10 < 80 * 512 and 80 * 512 < .p90'
  run_trcost estimate --scenario "$examples/scenarios/smollm3-3b.json" --format json
  holds '.estimates[0].range.gpu_hours | .p10 < 24 * 24 * 384 and 24 * 24 * 384 < .p90'
}

@test "ci/compare.sh: a comment with a headline, exit 3 above the budget or the rise" {
  cp "$examples/recipes/axolotl.yaml" before.yaml
  sed 's/sequence_len: 4096/sequence_len: 8192/; s/num_epochs: .*/num_epochs: 9/' before.yaml >after.yaml
  flags=(--samples 50000 --accelerator h100-sxm --gpus 8)
  sh "$examples/ci/compare.sh" before.yaml before.yaml "${flags[@]}" 2>err.txt
  grep -q '^# Nothing differs' cost.md
  run sh "$examples/ci/compare.sh" before.yaml after.yaml "${flags[@]}"
  [ "$status" -eq 3 ]
  grep -q '^# Training cost rises by' cost.md
  RISE=10000% run sh "$examples/ci/compare.sh" before.yaml after.yaml "${flags[@]}"
  [ "$status" -eq 0 ]
  RISE=10000% BUDGET=1 run sh "$examples/ci/compare.sh" before.yaml after.yaml "${flags[@]}"
  [ "$status" -eq 3 ]
  grep -qF 'The budget of 1 is exceeded' cost.md
  grep -qF 'above the limit of $1' cost.md
  RISE=10000% BUDGET=1M run sh "$examples/ci/compare.sh" before.yaml after.yaml "${flags[@]}"
  [ "$status" -eq 0 ]
  [ "$(grep -c 'budget' cost.md)" -eq 0 ]
  [ "$(grep -cF "${TMPDIR:-/tmp}/" cost.md)" -eq 0 ]
  # The workflow calls what is here.
  python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$examples/ci/training-cost.yml" ||
    skip "needs PyYAML"
}
