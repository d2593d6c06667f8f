#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The range of an estimate: what moves it, and what does not.

load program

# The quantiles of the total of the first estimate, as `p10 p50 p90`.
quantiles() {
  jq -r '.estimates[0].range.total_usd | "\(.p10) \(.p50) \(.p90)"' out.txt
}

inputs() {
  jq -r '.estimates[0].range.contributions[].input' out.txt
}

between() {  # $1 lies between $2 and $3
  jq -n -e "$1 | . > $2 and . < $3" >/dev/null || {
    echo "$1 does not lie between $2 and $3"
    return 1
  }
}

base=(estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --gpus 64 --mfu 0.4 --goodput 0.95
      --production-overhead 0.9 --format json)

@test "bytes that leave cost the same in every draw" {
  run_trcost "${base[@]}" --price 2 --egress 500TB
  egress=$(jq '.estimates[0].cost.items[] | select(.item == "egress").amount' out.txt)
  read -r p10 _ p90 <<<"$(quantiles)"
  between "$p10" "$egress" 1e9
  run_trcost "${base[@]}" --price 2
  read -r low _ high <<<"$(quantiles)"
  between "($p10 - $egress) / $low" 0.98 1.02
  between "($p90 - $egress) / $high" 0.98 1.02
}

@test "a range of the user replaces the default spread of the same thing" {
  run_trcost "${base[@]}" --price 2 --experiments 1.99..2.01
  ! inputs | grep -qx experiments || return 1
  read -r p10 _ p90 <<<"$(quantiles)"
  run_trcost "${base[@]}" --price 2
  read -r low _ high <<<"$(quantiles)"
  between "($p90 / $p10) / ($high / $low)" 0.98 1.02
}

@test "a bill lies between those of the ends of its experiments" {
  run_trcost "${base[@]}" --price 2 --experiments 1..8 --draws 20000
  read -r p10 _ p90 <<<"$(quantiles)"
  run_trcost "${base[@]}" --price 2 --experiments 1
  least=$(jq '.estimates[0].cost.total' out.txt)
  run_trcost "${base[@]}" --price 2 --experiments 8
  most=$(jq '.estimates[0].cost.total' out.txt)
  # Tokens are uncertain by 10 % besides.
  between "$p10 / $least" 0.9 1.1
  between "$p90 / $most" 0.9 1.1
}

@test "what plays no part in the bill moves nothing" {
  run_trcost "${base[@]}" --price 2
  read -r low _ high <<<"$(quantiles)"
  run_trcost "${base[@]}" --price 2 --utilization 0.5..0.9 --purchase-price 10000..40000
  [ "$(quantiles)" = "$low $(jq '.estimates[0].cost.total' out.txt) $high" ]
}

@test "a price that was paid is certain" {
  run_trcost "${base[@]}" --pricing own
  inputs | grep -qx 'purchase price'
  run_trcost "${base[@]}" --pricing own --purchase-price 30000
  ! inputs | grep -qx 'purchase price' || return 1
}

@test "any amount may be a range, also where its effect has to be measured" {
  run_trcost estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --gpus 1024 --format json \
    --seq-length 2048..65536 --restart 1min..60min
  [ "$code" -eq 0 ]
  inputs | grep -qx data.seq_length
  inputs | grep -qx efficiency.restart
}

@test "a choice of the layout is no range" {
  refused 2 --tp "${base[@]}" --tp 1..4
  grep -q 'sweep --vary layout.tp' err.txt
}

@test "the ends of a range are checked, and named" {
  refused 2 '1.5' estimate --params 7e9 --mfu 0.5..1.5
  refused 2 --price estimate --params 7e9 --price 2..2
  refused 2 '2..3' estimate --params 7e9 --price 3..2
  refused 2 --experiments estimate --params 7e9 --experiments 0..3
}

@test "distributions of a scenario file are drawn, and refused by name" {
  scenario() {
    printf '{"model": {"params": 7e9}, "hardware": {"accelerator": "h100-sxm", "gpus": 64},
             "cost": {"price_per_gpu_hour": %s}}' "$1" >scenario.json
    run_trcost estimate --scenario scenario.json --format json
  }
  for good in '{"distribution": "uniform", "low": 1, "high": 3}' \
              '{"distribution": "triangular", "low": 1, "high": 3, "mode": 1.5}' \
              '{"distribution": "normal", "mean": 2, "sd": 0.3}' \
              '{"distribution": "lognormal", "median": 2, "sigma": 0.2}'; do
    scenario "$good"
    [ "$code" -eq 0 ]
    inputs | grep -qx cost.price_per_gpu_hour
  done
  for bad in '{"distribution": "normal", "mean": 2, "sd": 1}' \
             '{"distribution": "lognormal", "median": 2, "sigma": 50}' \
             '{"distribution": "uniform", "low": 0, "high": 3}' \
             '{"distribution": "uniform", "low": 3, "high": 1}'; do
    scenario "$bad"
    [ "$code" -ne 0 ]
    grep -q 'cost.price_per_gpu_hour' err.txt
  done
}

@test "--explain says where each spread comes from" {
  run_trcost estimate --params 7e9 --accelerator h100-sxm --explain
  grep -q 'MFU' out.txt
}

@test "the range of published runs holds seven to nine of ten, and Llama 3.1 405B" {
  run_trcost validate --runs --format json
  between "$(jq '[.runs[].inside | values] | (map(select(. == "yes")) | length) / length' out.txt)" \
    0.7 0.9
  run_trcost estimate --model llama-3.1-405b --tokens 15.6e12 --accelerator h100-sxm --gpus 16384 \
    --global-batch 2048 --seq-length 8192 --format json
  holds '.estimates[0].range.gpu_hours | .p10 < 30.84e6 and .p90 > 30.84e6'
}
