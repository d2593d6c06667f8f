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
