#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What was saved is a question again.

load program

@test "a saved result of a later schema is refused, an earlier one replays" {
  "$TRCOST" estimate --params 7e9 --accelerator h100-sxm -o now.json
  jq '.schema_version = "1.0"' now.json >early.json
  "$TRCOST" estimate --scenario early.json -o again.json
  cmp now.json again.json
  for version in 1.9 2.0 99.0 '1.' 1.x ''; do
    jq --arg version "$version" '.schema_version = $version' now.json >late.json
    refused 1 schema_version estimate --scenario late.json
    refused 1 schema_version diff now.json late.json
  done
}

@test "a saved result of serve, solve, sweep and experiments replays from its scenario" {
  same() { # same COMMAND WORDS-THAT-STAY -- QUESTION
    local stays=()
    while [ "$1" != -- ]; do stays+=("$1"); shift; done
    shift
    "$TRCOST" "${stays[@]}" "$@" -o first.json 2>err.txt
    "$TRCOST" "${stays[@]}" --scenario first.json -o second.json 2>err.txt
    cmp first.json second.json
  }
  same serve -- --model llama-3.1-8b --accelerator h100-sxm,b200 --input-tokens 2000 --concurrency 32 --load 0.5
  same serve -- --model deepseek-v3 --accelerator h200 --gpus 8 --tp 8 --engine vllm --tokens-per-second-per-user 20
  same solve --for gpus -- --params 7e9 --tokens 1T --deadline 30d --accelerator h100-sxm
  same sweep --vary hardware.gpus=8,16 -- --params 7e9 --tokens 1e9 --accelerator h100-sxm
  same experiments --runs 3 -- --params 7e9 --tokens 1e9
  same memory -- --params 7e9 --seq-length 8192
}
