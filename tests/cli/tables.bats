#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Tables for people: at most 100 columns, said once, for the five default platforms.

load program

@test "every table fits 100 columns" {
  while read -r arguments; do
    # shellcheck disable=SC2086
    run_trcost $arguments
    echo "$arguments"
    [ "$code" -eq 0 ]
    fits_the_page
  done <<'END'
estimate --params 10e9 --modality vl
estimate --params 1e12 --tokens 50T --deadline 6mo
estimate --model deepseek-v3 --tokens 14.8T --gpus 2048 --precision best --explain
memory --params 70e9
memory --model llava-1.5-7b --train lora --gpus 8 --tp 8
solve --budget 100k
solve --budget 3.3M --modality vl
solve --for gpus --deadline 30d --params 7e9 --tokens 1e12
solve --gpus 20000 --duration 4mo --mfu 0.4
transfer --params 7e9 --tokens 1e12 --from a100-sxm-80gb --from-gpus 1024 --measured 7d --to a100-sxm-40gb,h100-sxm,b200,gb200-nvl72,gb300-nvl72
transfer --params 1e9 --tokens 1e9 --from a100-sxm-80gb --from-gpus 1 --measured-tokens-per-second 9000 --to a100-sxm-40gb,h100-sxm,b200,gb200-nvl72,gb300-nvl72
experiments --params 10B --tokens 200B --runs 20 --params-fraction 0.1 --tokens-fraction 0.1
experiments --params 1T --tokens 20T --runs 2000 --params-fraction 0.1 --tokens-fraction 0.1 --gpus 100000 --run-time 60d
sweep --params 1e9 --vary hardware.gpus=8,16 --vary train.precision=bf16,fp8 --format table
tokens --image 1920x1080
list accelerators
list systems
list stacks
list models
list encoders
list prices
list runs
show accelerators h100-sxm
show models llava-1.5-7b
END
}

@test "a warning is said once: in the answer, and in documents that are handed on" {
  question=(estimate --params 7e9 --tokens 2e12 --mfu 0.4 --gpus 1 --price 2 --accelerator a100-sxm-80gb)
  run_trcost "${question[@]}"
  [ "$(warnings)" -ge 1 ]
  [ "$(sort err.txt | uniq -d | wc -l)" -eq 0 ]
  warning=$(sed -n 's/^trcost: warning: //p' err.txt | head -1)
  run_trcost "${question[@]}" --format md
  grep -qF "$warning" out.txt
  [ "$(sort err.txt | uniq -d | wc -l)" -eq 0 ]
  # What all platforms share is one line.
  run_trcost estimate --params 7e9 --tokens 1 --gpus 8
  [ -z "$(sort err.txt | uniq -d)" ]
}

@test "solve's table and its choices show different values differently" {
  run_trcost solve --for gpus --deadline 30d --params 7e9 --tokens 1e12 --accelerator h100-sxm,b200 \
    --details
  [ "$code" -eq 0 ]
  # The choices: what is the same answer shares a row, so all totals differ.
  totals=$(sed -n '/other clusters/,$p' out.txt | grep -E '^  (default|cheapest|smallest)' | awk '{ print $NF }')
  [ -n "$totals" ]
  [ -z "$(sort <<<"$totals" | uniq -d)" ]
}

@test "every document of a command has the same head" {
  ask() {
    "$TRCOST" "$@" --format json 2>/dev/null | jq -r 'keys_unsorted[:2] | join(",")'
  }
  for arguments in 'estimate --params 1e9' 'memory --params 1e9' 'solve --budget 1000' \
    'experiments --params 1e9 --tokens 1e9 --runs 2' 'tokens --image 10x10' 'list stacks' \
    'sweep --params 1e9 --vary hardware.gpus=8,16' \
    'transfer --params 1e9 --tokens 1e9 --from b200 --from-gpus 8 --measured 1h --to h200'; do
    echo "$arguments"
    # shellcheck disable=SC2086
    [ "$(ask $arguments)" = schema_version,trcost_version ]
  done
}
