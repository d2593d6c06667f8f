#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016
# `trcost solve` through the real program.

load program

@test "a cluster for a time: gpus x peak x MFU x seconds, and its price" {
  run_trcost solve --gpus 20000 --duration 4mo --mfu 0.4 --price 2 --accelerator h100-sxm --format json
  [ "$code" -eq 0 ]
  # 20000 x 989.4e12 x 0.4 x 4 x 730.5 x 3600 = 8.3262e25; 20000 x 2922 h x $2 = $116.88M
  holds '.solutions[0].cluster | (.flops / 8.32616e25 - 1 | fabs) < 1e-4'
  holds '.solutions[0].cluster.cost_usd == 116880000'
  holds '.solutions[0].cluster.reference.ratio | (. - 2.0815 | fabs) < 1e-3'
  # What is lost to failures and overhead stands beside, and the run that it trains takes the time.
  holds '.solutions[0].cluster | (.realised_flops / (.flops * .goodput * .production_overhead) - 1 | fabs) < 1e-12'
  holds '.solutions[0] | (.achieved / (4 * 730.5 * 3600) - 1 | fabs) < 1e-6 and .achieved <= 4 * 730.5 * 3600'
  run_trcost solve --gpus 20000 --duration 4mo --mfu 0.4 --price 2 --accelerator h100-sxm
  grep -q '8.33e25 FLOP' <<<"$out"
  grep -q '\$117M' <<<"$out"
}

@test "tokens for a budget: the estimate agrees to the last token" {
  question=(--params 1B --accelerator h100-sxm --gpus 64 --price 2)
  run_trcost solve --for tokens --budget 20000 "${question[@]}" --format json
  [ "$code" -eq 0 ]
  tokens=$(jq '.solutions[0].value' <<<"$out")
  run_trcost estimate "${question[@]}" --tokens "$tokens" --format json
  holds '.estimates[0].cost.total <= 20000'
  run_trcost estimate "${question[@]}" --tokens "$((tokens + 1))" --format json
  holds '.estimates[0].cost.total > 20000'
}

@test "a price is solved exactly: the total is proportional to it" {
  question=(--params 1B --tokens 20B --accelerator h100-sxm --gpus 64)
  run_trcost estimate "${question[@]}" --price 3 --format json
  budget=$(jq '.estimates[0].cost.total' <<<"$out")
  run_trcost solve --for price --budget "$budget" "${question[@]}" --format json
  [ "$code" -eq 0 ]
  holds '(.solutions[0].value / 3 - 1 | fabs) < 1e-9'
}

@test "GPUs for a deadline: the fewest are found to the last one" {
  question=(--params 1B --tokens 20B --accelerator h100-sxm --mfu 0.4 --goodput 1
    --production-overhead 1 --price 2)
  run_trcost solve --for gpus --deadline 3h "${question[@]}" --format json
  [ "$code" -eq 0 ]
  # With a given MFU the time is FLOP / (gpus x peak x MFU) whatever the layout.
  holds '.solutions[0].result.estimates[0].flops.model as $f
    | (.solutions[0].choices[] | select(.choice == "fewest").value)
      == ($f / (989.4e12 * 0.4 * 10800) | ceil)'
  holds '.solutions[0].achieved <= 10800'
}

@test "the MFU at a budget" {
  question=(--params 1B --tokens 20B --accelerator h100-sxm --gpus 64 --price 2 --goodput 1
    --production-overhead 1)
  run_trcost solve --for mfu --budget 1000 "${question[@]}" --format json
  [ "$code" -eq 0 ]
  # $1000 are 500 GPU-hours.
  holds '.solutions[0] | .result.estimates[0].flops.model as $f
    | (.value / ($f / (989.4e12 * 500 * 3600)) - 1 | fabs) < 1e-6'
}

@test "break-even: at that price both platforms cost the same" {
  question=(--params 1B --tokens 20B --gpus 64)
  run_trcost solve --break-even b200,h100-sxm "${question[@]}" --format json
  [ "$code" -eq 0 ]
  price=$(jq '.solutions[0].value' <<<"$out")
  total=$(jq '.solutions[0].achieved' <<<"$out")
  holds '.solutions[0].accelerator == "b200"'
  # A column that is the unknown stands once.
  run_trcost solve --break-even b200,h100-sxm "${question[@]}" --format csv
  [ "$(head -1 out.txt | tr , '\n' | sort | uniq -d | wc -l)" -eq 0 ]
  run_trcost estimate "${question[@]}" --accelerator h100-sxm --format json
  holds "(.estimates[0].cost.total / $total - 1 | fabs) < 1e-9"
  run_trcost estimate "${question[@]}" --accelerator b200 --price "$price" --format json
  holds "(.estimates[0].cost.total / $total - 1 | fabs) < 1e-9"
}

@test "a budget alone gives the compute-optimal pair" {
  run_trcost solve --budget 100k --accelerator h100-sxm --format json
  [ "$code" -eq 0 ]
  holds '.solutions[0].unknowns | map(.path) == ["model.params", "data.tokens"]'
  holds '.solutions[0] | .achieved <= 100000 and .achieved > 99999'
  # alpha and beta of the law are close, so tokens per parameter stay near 20 to 30.
  holds '.solutions[0].unknowns | .[1].value / .[0].value | . > 10 and . < 40'
}

@test "FLOP as the target; tokens are exact" {
  run_trcost solve --for tokens --flops 1e21 --params 1B --accelerator h100-sxm --gpus 64 --format json
  holds '.solutions[0] | .achieved <= 1e21 and .one_unit_further.achieved > 1e21
    and .one_unit_further.value == .value + 1'
}

@test "several platforms get one solution each" {
  run_trcost solve --for tokens --budget 50k --params 1B --accelerator h100-sxm,b200 --format csv
  [ "$code" -eq 0 ]
  [ "$(wc -l <out.txt)" -eq 3 ]
  head -1 out.txt | grep -q '^accelerator,solved,data.tokens,cost.total,'
}

@test "a target out of reach is said, with the nearest that exists" {
  run_trcost solve --for mfu --budget 1 --params 8B --tokens 1T --accelerator h100-sxm --gpus 64
  [ "$code" -eq 1 ]
  grep -q 'efficiency.mfu = 1 ' <<<"$err"
}

@test "what stops short of the target, for want of memory or accelerators, is no solution" {
  run_trcost solve --budget 1e15 --accelerator h100-sxm
  [ "$code" -eq 1 ]
  run_trcost solve --for params --budget 1e9 --tokens 1B --accelerator h100-sxm --gpus 8 --format json
  [ "$code" -eq 1 ]
  holds '.solutions[0] | .solved == false and .achieved < 1e9 and .value > 1e9'
}

@test "tokens that days or dollars buy are called adaptation scale, with the numbers" {
  question=(--gpus 8 --accelerator a100-sxm-80gb --params 8e9 --vision-encoder 1B)
  run_trcost solve --for tokens --budget 860 "${question[@]}" --format json
  holds '.solutions[0].result.estimates[0].warnings | length == 1'
  holds '.solutions[0].result.estimates[0].assumptions
    | any(.path == "data.scale" and (.value | startswith("adaptation")))'
  # And back: the tokens take three days, and dollars to match.
  run_trcost solve --for tokens --duration 3d "${question[@]}" --format json
  tokens=$(jq '.solutions[0].value' <<<"$out")
  run_trcost estimate "${question[@]}" --tokens "$tokens" --format json
  holds '.estimates[0] | (.wall_clock_seconds / 259200 - 1 | fabs) < 1e-6'
  holds '.estimates[0].range.total_usd | .p10 < 860 and .p90 > 860'
}

@test "bad input: one message, exit code 2, nothing written" {
  echo keep >out.json
  for arguments in '--for tokns --budget 1000 --params 1B' '--budget abc' '--budget 0' '' \
    '--for tokens --budget 1 --flops 1e20 --params 1B' '--target cost.totl=1 --params 1B' \
    '--target cost.total --params 1B' '--for precision --budget 1000 --params 1B' \
    '--duration 4mo --mfu 0.4' '--break-even h100-sxm --params 1B --tokens 1B' \
    '--for tokens --deadline 3d --params 1B' '--budget 1000 --params 1B --tokens 1B' \
    '--compute-optimal --params 1B --budget 100' '--budget 1000 --format htm'; do
    # shellcheck disable=SC2086
    run_trcost solve $arguments -o out.json
    echo "$arguments -> $code: $err"
    [ "$code" -eq 2 ]
    [ -z "$out" ]
    [ "$(grep -c 'error:' <<<"$err")" -eq 1 ]
    [ "$(cat out.json)" = keep ]
  done
  run_trcost solve --for tokns --budget 1000 --params 1B
  grep -q 'did you mean "tokens"' <<<"$err"
}

@test "what a cluster computes in its time stands in every machine format" {
  run_trcost solve --gpus 20000 --duration 4mo --mfu 0.4 --accelerator h100-sxm --format json
  flops=$(jq '.solutions[0].cluster.flops' <<<"$out")
  # GPUs x dense bf16 peak x MFU x seconds.
  jq -n -e --argjson flops "$flops" '$flops / (20000 * 989.4e12 * 0.4 * 4 * 730.5 * 3600) - 1 |
    fabs < 1e-3'
  run_trcost solve --gpus 20000 --duration 4mo --mfu 0.4 --accelerator h100-sxm --format jsonl
  jq -e --argjson flops "$flops" '."cluster.flops" == $flops and ."cluster.realised_flops" < $flops' \
    <<<"$out"
  run_trcost solve --gpus 20000 --duration 4mo --mfu 0.4 --accelerator h100-sxm --format csv
  head -1 out.txt | grep -q ',cluster.flops,cluster.realised_flops,'
}

@test "columns of one name, and values that read alike, are told apart" {
  COLUMNS=120 run_trcost solve --target tokens.total=1e9 --params 8B --for tokens --gpus 8 \
    --accelerator h100-sxm
  [ "$(grep -o 'total' <<<"$(grep platform <<<"$out")" | wc -l)" -eq 2 ]
  grep -q 'tokens.total ' <<<"$(grep platform <<<"$out")"
  run_trcost solve --for tokens --duration 3d --gpus 8 --accelerator a100-sxm-80gb --params 8e9 \
    --vision-encoder 1B
  ! grep -q 'would give 3.00000 d' <<<"$out" || return 1
}

@test "money has one form in an answer: three digits and k from a thousand on, cents below" {
  COLUMNS=120 run_trcost solve --for gpus --deadline 7d --params 1e9 --tokens 2e10 --accelerator h100-sxm
  [ "$code" -eq 0 ]
  cp out.txt small.txt
  run_trcost solve --for tokens --budget 9000 --params 7e9 --accelerator h100-sxm,b200
  cat small.txt out.txt >both.txt
  run_trcost solve --gpus 20000 --duration 4mo --mfu 0.4 --price 2 --accelerator h100-sxm
  sed '/^Prices/,$d' out.txt >>both.txt
  run_trcost solve --break-even gb200-nvl72,h100-sxm --params 7e9
  sed '/^Prices/,$d' out.txt >>both.txt
  lacks '[$][0-9]{4}' both.txt
  # Cents end at a hundred dollars.
  lacks '[$][0-9]{3}[.][0-9]' both.txt
}

@test "GPUs for a time are those that estimate gives a deadline, or neither has an answer" {
  question=(--params 7e9 --tokens 1e12 --accelerator h100-sxm)
  for time in 1h 6h 3d 30d; do
    run_trcost estimate --deadline "$time" "${question[@]}" --format json
    sized=$(jq '.estimates[0] | [.gpus, .wall_clock_seconds, .cost.total]' <<<"$out")
    run_trcost solve --for gpus --duration "$time" "${question[@]}" --format json
    solved=$(jq '.solutions[0] | [.value, .wall_clock_seconds, .cost.total]' <<<"$out")
    echo "$time: $sized, $solved"
    [ "$solved" = "$sized" ]
  done
  refused 1 h100-sxm \
    solve --for gpus --duration 1h "${question[@]}"
  # The hint names what this question can change.
  [[ "$err" != *--deadline* ]]
}

@test "GPUs for a deadline: a sweep of every size agrees on the fewest and the least cost" {
  question=(--params 8B --tokens 1T --accelerator h100-sxm)
  run_trcost solve --for gpus --deadline 12h "${question[@]}" --format json
  [ "$code" -eq 0 ]
  fewest=$(jq '.solutions[0].choices[] | select(.choice | startswith("fewest")) | .value' <<<"$out" |
    head -1)
  cheapest=$(jq '[.solutions[0].choices[] | select(.choice | startswith("least cost")).value][0]' <<<"$out")
  # Every size from well below the fewest to well above the cheapest.
  most=$((fewest > cheapest ? fewest : cheapest))
  "$TRCOST" sweep "${question[@]}" --vary "hardware.gpus=$((fewest - 800))..$((most + 400)):1" \
    --where 'wall_clock_seconds<=12h' --sort cost.total --select cost.total --format csv |
    tail -n +2 | cut -d, -f1 >sizes.txt
  [ "$(head -1 sizes.txt)" = "$cheapest" ]
  [ "$(sort -n sizes.txt | head -1)" = "$fewest" ]
}

@test "a field without effect is said to have none" {
  run_trcost solve --for lora-rank --budget 50000 --params 8B --tokens 1T --gpus 64 \
    --accelerator h100-sxm
  [ "$code" -eq 1 ]
  grep -q 'train.lora_rank .*cost.total' <<<"$err"
  run_trcost solve --for price --target wall_clock_seconds=1d --params 8B --tokens 1T --gpus 64 \
    --accelerator h100-sxm
  grep -q 'cost.price_per_gpu_hour .*wall_clock_seconds' <<<"$err"
}

@test "two targets of one cluster, and a break-even in steps, are refused" {
  question=(--params 8B --tokens 1T)
  run_trcost solve --for gpus --deadline 30d --budget 105k "${question[@]}" --accelerator h100-sxm
  [ "$code" -eq 2 ]
  run_trcost solve --break-even b200,h100-sxm --for gpus "${question[@]}"
  [ "$code" -eq 2 ]
}

@test "three of cluster, time, price and dollars give the fourth" {
  # 3e9 / (6 x 730.5 h x $2) = 342,231.3 accelerators; 3e9 / (300,000 x 4,383 h) = $2.28154;
  # 3e9 / (300,000 x $2) = 5,000 h.
  h100=(--accelerator h100-sxm --mfu 0.4 --format json)
  run_trcost solve --for gpus --budget 3B --duration 6mo --price 2 "${h100[@]}"
  [ "$code" -eq 0 ]
  holds '.solutions[0] | .path == "hardware.gpus" and .value == 342231 and .achieved <= 3e9
    and .one_unit_further.value == 342232 and .one_unit_further.achieved > 3e9'
  holds '.solutions[0].choices[1].value == 342224'
  # What that computes: GPUs x peak x MFU x seconds, and the pair that it trains in that time.
  holds '.solutions[0].cluster | (.flops / (342231 * 989.4e12 * 0.4 * 15778800) - 1 | fabs) < 1e-9
    and .compute_optimal.tokens > 1e13 and .cost_usd <= 3e9'
  holds '.solutions[0].result.estimates[0] | .gpus == 342231
    and (.wall_clock_seconds / 15778800 - 1 | fabs) < 1e-6'
  run_trcost solve --for price --gpus 300K --duration 6mo --budget 3B "${h100[@]}"
  [ "$code" -eq 0 ]
  holds '.solutions[0] | .path == "cost.price_per_gpu_hour"
    and (.value / (3e9 / (300000 * 4383)) - 1 | fabs) < 1e-12'
  for word in duration deadline; do
    run_trcost solve --for $word --gpus 300K --budget 3B --price 2 "${h100[@]}"
    [ "$code" -eq 0 ]
    holds '.solutions[0] | .path == "hardware.deadline" and .value == 5000 * 3600
      and .cluster.seconds == 5000 * 3600'
  done
  # A deadline is a time too, and the price book has prices.
  run_trcost solve --for gpus --deadline 6mo --budget 3B "${h100[@]}"
  [ "$code" -eq 0 ]
  holds '.solutions[0] | .cluster.price_per_gpu_hour as $p
    | .value == (3e9 / (4383 * $p) | floor) and .result.estimates[0].cost.price_per_gpu_hour == $p'
}

@test "a rented cluster stands in every format of solve" {
  question=(--for gpus --budget 3B --duration 6mo --price 2 --mfu 0.4 --accelerator h100-sxm)
  run_trcost solve "${question[@]}"
  grep -q '342,231' <<<"$out"
  run_trcost solve "${question[@]}" --format md
  grep -q '342,231' <<<"$out"
  run_trcost solve "${question[@]}" --format csv
  head -1 out.txt | grep -q ',cluster.compute_optimal.tokens,'
  [ "$(head -1 out.txt | tr , '\n' | sort | uniq -d | wc -l)" -eq 0 ]
  run_trcost solve "${question[@]}" --format jsonl
  jq -e '."hardware.gpus" == 342231 and ."cluster.cost_usd" == 342231 * 4383 * 2' <<<"$out"
}

@test "what contradicts itself about a rented cluster is refused, with the numbers" {
  h100=(--accelerator h100-sxm)
  run_trcost solve --gpus 300K --duration 6mo --price 2 --budget 3B "${h100[@]}"
  [ "$code" -eq 2 ]
  grep -q '300000 .*4383 .*--budget' <<<"$err"
  for arguments in '--for gpus --gpus 300K --duration 6mo --budget 3B' \
    '--for price --duration 6mo --budget 3B' '--for duration --budget 3B --price 2' \
    '--for duration --gpus 8' '--for gpus --duration 6mo --budget 3B --params 8B --tokens 1T' \
    '--for gpus --deadline 3mo --duration 6mo --budget 3B' '--for price --price 2 --gpus 8
     --duration 6mo --budget 3B' '--for duration --duration 6mo --gpus 8 --budget 3B' \
    '--for price --gpus 8 --duration 6mo --budget 3B --pricing own'; do
    # shellcheck disable=SC2086
    run_trcost solve $arguments "${h100[@]}"
    echo "$arguments -> $code: $err"
    [ "$code" -eq 2 ]
    [ -z "$out" ]
  done
  run_trcost solve --for gpus --duration 6mo --budget 3 "${h100[@]}"
  [ "$code" -eq 1 ]
  grep -q 'hardware.gpus' <<<"$err"
}

@test "what comes out is no unknown, and the message says where it is said" {
  refused 2 budget solve --for budget --gpus 1000 --duration 30d
  refused 2 --for solve --for cost.total --params 7e9 --budget 1M
}

@test "a price that is a range gives the rent at both ends, and the total its range" {
  # 1,000 x 720 h x 1.9 and x 2.6; the median between them is their geometric mean.
  run_trcost solve --gpus 1000 --duration 30d --price 1.9..2.6 --accelerator h100-sxm
  [ "$code" -eq 0 ]
  grep -qF '$1.37M' out.txt && grep -qF '$1.87M' out.txt
  run_trcost solve --for gpus --deadline 30d --params 7e9 --tokens 100e9 --price 1.9..2.6 \
    --accelerator h100-sxm --format md
  grep -qF '| 80% range |' out.txt
}

@test "a deadline alone asks for the cluster" {
  run_trcost solve --params 10e9 --modality vl --deadline 30d --accelerator h100-sxm --format json
  [ "$code" -eq 0 ]
  [ "$(jq -r '.solutions[0].path' out.txt)" = hardware.gpus ]
}
