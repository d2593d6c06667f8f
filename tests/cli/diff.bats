#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `trcost diff` through the real program.

load program

estimate() {
  "$TRCOST" estimate --params 1B --accelerator h100-sxm --gpus 64 --format json "$@" 2>/dev/null
}

@test "a price twice as high doubles the total and moves no GPU-hour" {
  estimate --tokens 20B --price 2 >a.json
  estimate --tokens 20B --price 4 >b.json
  run_trcost diff a.json b.json --format json
  [ "$code" -eq 0 ]
  jq -e '.inputs == [{path: "cost.price_per_gpu_hour", unit: "USD/GPU-hour", before: 2, after: 4,
    change_share: 1}]' <<<"$out"
  jq -e '.platforms[0].total.change_share | (. - 1 | fabs) < 1e-12' <<<"$out"
  jq -e '[.platforms[0].figures[] | select(.path == "gpu_hours")] == []' <<<"$out"
  jq -e '.platforms[0].items | length > 0' <<<"$out"
  run_trcost diff a.json b.json
  grep -q '+100.0%' <<<"$out"
}

@test "--fail-above is a gate: exit 3 above, 0 at the share and below" {
  estimate --tokens 20B --price 2 >a.json
  estimate --tokens 20B --price 2.1 >b.json
  run_trcost diff a.json b.json --fail-above 10%
  [ "$code" -eq 0 ]
  run_trcost diff a.json b.json --fail-above 4%
  [ "$code" -eq 3 ]
  grep -q '5.0%' <<<"$err"
  run_trcost diff b.json a.json --fail-above 0%
  [ "$code" -eq 0 ]
}

@test "nothing differs" {
  estimate --tokens 20B >a.json
  run_trcost diff a.json a.json
  [ "$code" -eq 0 ]
  run_trcost diff a.json a.json --format csv
  [ "$(wc -l <out.txt)" -eq 1 ]
}

@test "an unknown total is n/a and null, never 0, and fails the gate" {
  estimate --tokens 20B >a.json
  jq '.estimates[0].cost |= (.total = null | .price_per_gpu_hour = null | .items[0].amount = null)' \
    a.json >b.json
  run_trcost diff a.json b.json
  [ "$code" -eq 0 ]
  grep -q 'n/a' <<<"$out"
  run_trcost diff a.json b.json --format json
  jq -e '.platforms[0].total | .after == null and .change_share == null' <<<"$out"
  run_trcost diff a.json b.json --fail-above 10%
  [ "$code" -eq 3 ]
}

@test "platforms of one result only are named" {
  "$TRCOST" estimate --params 1B --tokens 1B --accelerator h100-sxm,b200 --format json >a.json 2>/dev/null
  "$TRCOST" estimate --params 1B --tokens 1B --accelerator h100-sxm,h200 --format json >b.json 2>/dev/null
  run_trcost diff a.json b.json --format json
  jq -e '[.platforms[] | [.before, .after]] ==
    [["h100-sxm", "h100-sxm"], ["b200", null], [null, "h200"]]' <<<"$out"
}

@test "the gate is shut where nothing, or not everything, can be compared" {
  both() {
    "$TRCOST" estimate --params 1B --tokens 1B --accelerator "$1" --format json 2>/dev/null
  }
  both h100-sxm,b200 >a.json
  both h200,b300 >b.json
  both h100-sxm >one.json
  run_trcost diff a.json b.json --fail-above 50%
  [ "$code" -eq 3 ]
  [ "$(grep -c 'cannot be compared' err.txt)" -eq 4 ]
  run_trcost diff a.json one.json --fail-above 50%
  [ "$code" -eq 3 ]
  grep -q ' b200 ' err.txt
  run_trcost diff one.json a.json --fail-above 50% --format json
  [ "$code" -eq 3 ]
  holds '.failed == ["b200 cannot be compared: only the second result has it"]'
  jq '.estimates[1].cost.total = null' a.json >unknown.json
  run_trcost diff unknown.json a.json --fail-above 50%
  [ "$code" -eq 3 ]
  grep -q ' b200 ' err.txt
  run_trcost diff a.json a.json --fail-above 0%
  [ "$code" -eq 0 ]
  # Two platforms by themselves are compared as they are.
  both b200 >other.json
  run_trcost diff one.json other.json --fail-above 500%
  [ "$code" -eq 0 ]
}

@test "a share above one is a slip unless it is a percentage" {
  estimate --tokens 20B >a.json
  refused 2 10 diff a.json a.json --fail-above 10
  run_trcost diff a.json a.json --fail-above 1000%
  [ "$code" -eq 0 ]
}

@test "files that are no results: one message, exit 1, nothing written" {
  estimate --tokens 20B >a.json
  echo keep >out.csv
  echo '{"schema_version": "1.0"}' >empty.json
  echo '{"schema_version": "2.0", "estimates": [], "scenario": {}}' >new.json
  echo 'hello' >text.json
  echo '{"schema_version": "1.0", "scenario": {}, "estimates": [1]}' >odd.json
  jq '.estimates[0].cost.total = -5' a.json >negative.json
  for file in empty.json new.json text.json odd.json missing.json negative.json; do
    run_trcost diff a.json "$file" -o out.csv
    echo "$file -> $code: $err"
    [ "$code" -eq 1 ]
    [ "$(grep -c 'error:' <<<"$err")" -eq 1 ]
    grep -q "$file" <<<"$err"
    [ "$(cat out.csv)" = keep ]
  done
  run_trcost diff a.json
  [ "$code" -eq 2 ]
  run_trcost diff a.json a.json --fail-above many
  [ "$code" -eq 2 ]
}

# LLaMA-2 7B takes 42,863,689,728 FLOPs per token at 4,096 tokens (test_money.cpp has the sum). 100B
# tokens at an MFU of 0.4 of 989.4 TFLOP/s, without losses, are 3,008.54 GPU-hours: $6,017.07 at $2,
# $6,498.44 at $2.16, and $481.37 or 8% between them.
@test "a change that raises the cost by 8% says so first, in dollars and as a share" {
  llama() {
    "$TRCOST" estimate --model llama-2-7b --tokens 100B --seq-length 4096 --accelerator h100-sxm \
      --gpus 64 --mfu 0.4 --goodput 1 --production-overhead 1 --format json "$@" 2>/dev/null
  }
  llama --price 2 >a.json
  llama --price 2.16 >b.json
  run_trcost diff a.json b.json
  sentence=$(paste -sd' ' out.txt | tr -s ' ')
  [[ "$sentence" = *"Training cost rises by \$481 (+8.0%) on h100-sxm, from \$6,017 to \$6,498"* ]]
  run_trcost diff a.json b.json --format json
  holds '.platforms[0].total | (.before - 6017.07 | fabs < 0.01) and (.after - 6498.44 | fabs < 0.01)'
  rise=481.37
  # Dollars and shares as limits, on both sides of the change.
  for limit in 7% 0.07 "\$$(jq -n "$rise - 1")"; do
    run_trcost diff a.json b.json --fail-above "$limit"
    [ "$code" -eq 3 ]
  done
  for limit in 9% 0.09 "\$$(jq -n "$rise + 1")" 100k; do
    run_trcost diff a.json b.json --fail-above "$limit"
    [ "$code" -eq 0 ]
  done
  run_trcost diff a.json b.json --fail-above 100k --format json
  holds '.fail_above_usd == 100000 and .fail_above == null'
}

@test "Markdown for a pull request: a headline, a row per platform, and the rest folded" {
  "$TRCOST" estimate --params 1B --tokens 20B --accelerator h100-sxm,b200 --format json >a.json 2>/dev/null
  "$TRCOST" estimate --params 1B --tokens 22B --accelerator h100-sxm,b200 --format json >b.json 2>/dev/null
  run_trcost diff a.json b.json --format md
  head -1 out.txt | grep -q '^# Training cost of the cheapest platform rises by [$]'
  [ "$(grep -c '^<details>$' out.txt)" -eq 4 ]
  [ "$(grep -c '^</details>$' out.txt)" -eq 4 ]
  [ "$(sed '/<details>/,$d' out.txt | grep -c '^| \(h100-sxm\|b200\) |')" -eq 2 ]
  lacks '\\>|n/a' out.txt
}

@test "defaults stand where a setting was left out" {
  estimate --tokens 20B >a.json
  estimate --tokens 20B --seq-length 8192 >b.json
  run_trcost diff a.json b.json
  grep -qE -- '--seq-length +4096 \(default\) +8192' out.txt
  run_trcost diff a.json b.json --format json
  holds '.inputs == [{path: "data.seq_length", unit: "tokens", before: 4096, after: 8192, change_share: 1}]'
}

@test "results of every command are compared, and only of one" {
  same() {
    "$TRCOST" "$@" --format json >"$1.json" 2>/dev/null
    run_trcost diff "$1.json" "$1.json" --format json
    [ "$code" -eq 0 ] && holds '.same and (.platforms | length > 0)'
  }
  estimate --tokens 20B >estimate.json
  same sweep --params 1e9 --tokens 1e9 --vary hardware.gpus=8,16 --accelerator h100-sxm,b200
  holds '[.platforms[].before] | unique | length == 4'
  same solve --params 7e9 --budget 50k
  same serve --model llama-3.1-8b --accelerator h100-sxm,b200
  same experiments --params 7e9 --runs 4
  same memory --params 7e9
  same transfer --params 7e9 --tokens 1e10 --from h100-sxm --from-gpus 64 --measured 18h --to b200:64
  same tco --accelerator h100-sxm,b200
  same tokens --family qwen2-vl --image 1920x1080
  refused 1 'one command' diff estimate.json sweep.json
  "$TRCOST" tco --accelerator h100-sxm,b200 --years 4 --format json >four.json
  run_trcost diff tco.json four.json
  grep -q 'Cost of ownership.*rises' <(paste -sd' ' out.txt)
}
