#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `trcost experiments` through the real program.

load program

study=(--params 10B --tokens 200B --accelerator h100-sxm --price 2)

# A study whose runs take one GPU each, whatever idles beside them.
ones() {
  printf '{"model": {"params": 1e9}, "data": {"tokens": 1e10}, "cost": {"price_per_gpu_hour": 2},
    "hardware": {"accelerator": "h100-sxm"}, "experiments": [{"name": "ones", "repeats": %s,
    "params_fraction": 0.1, "tokens_fraction": 0.1, "hardware": {"gpus": 1}}]}' "$1" >ones.json
}

@test "20 runs of a tenth of the parameters and tokens are 0.2 of the final run" {
  run_trcost experiments "${study[@]}" --runs 20 --params-fraction 0.1 --tokens-fraction 0.1 --format json
  [ "$code" -eq 0 ]
  # 20 x 0.1 x 0.1 by 6 N D
  holds '.platforms[0].final_run.rule_6nd_share_of_experiments | (. - 0.2 | fabs) < 1e-12'
  holds '.platforms[0].total.runs == 20'
  holds '.platforms[0] | (.experiments[0].total_usd / 20 - .total.usd_per_run | fabs) < 1e-6'
}

@test "one run costs what its estimate does, 20 cost 20 times that" {
  run_trcost experiments "${study[@]}" --runs 20 --params-fraction 0.1 --tokens-fraction 0.1 --format json
  gpus=$(jq '.platforms[0].experiments[0].gpus' <<<"$out")
  used=$(jq '.platforms[0].experiments[0].used_usd' <<<"$out")
  run_trcost estimate --params 1B --tokens 20B --accelerator h100-sxm --price 2 --gpus "$gpus" --format json
  holds ".estimates[0].cost.total * 20 / $used - 1 | fabs < 1e-9"
}

@test "failed attempts are paid in full, early stopping saves its share" {
  # On one GPU, so that no run takes another size for what idles beside it.
  run_trcost experiments "${study[@]}" --gpus 1 --runs 8 --params-fraction 0.1 --tokens-fraction 0.1 --format json
  plain=$(jq '.platforms[0].experiments[0].gpu_hours' <<<"$out")
  run_trcost experiments "${study[@]}" --gpus 1 --runs 8 --params-fraction 0.1 --tokens-fraction 0.1 \
    --failure-share 0.2 --format json
  holds '.platforms[0].experiments[0].attempts == 10'
  holds ".platforms[0].experiments[0].gpu_hours / $plain - 1.25 | fabs < 1e-9"
  run_trcost experiments "${study[@]}" --gpus 1 --runs 8 --params-fraction 0.1 --tokens-fraction 0.1 \
    --early-stopping 0.25 --format json
  holds ".platforms[0].experiments[0].gpu_hours / $plain - 0.75 | fabs < 1e-9"
}

@test "runs smaller than a node leave idle accelerators, which are priced" {
  # Three attempts on one GPU each share a node of 8: five stand idle.
  ones 3
  run_trcost experiments ones.json --format json
  holds '.platforms[0].experiments[0].gpus == 1'
  holds '.platforms[0].experiments[0] | (.idle_gpu_hours / .gpu_hours - 5 / 3 | fabs) < 1e-9'
  holds '.platforms[0].experiments[0] | (.idle_usd - 2 * .idle_gpu_hours | fabs) < 1e-9'
  holds '.platforms[0].experiments[0] | (.used_usd + .idle_usd - .total_usd | fabs) < 1e-9'
  holds '.platforms[0].total | (.used_usd + .idle_usd - .total_usd | fabs) < 1e-9'
}

@test "who pays for the rest of a node too takes it: half of it is no cheaper than all of it" {
  # Given the choice the run takes all 8, and nothing of the node is paid for nothing.
  run_trcost experiments --params 1B --runs 1 --accelerator h100-sxm --format json
  cp out.txt free.json
  holds '.platforms[0] | .experiments[0].gpus == 8 and .total.idle_usd == 0'
  printf '%s' '{"model": {"params": 1e9}, "hardware": {"accelerator": "h100-sxm"},
    "experiments": [{"name": "half", "hardware": {"gpus": 4}}]}' >half.json
  run_trcost experiments half.json --format json
  # Half of the node stands idle as long as the run takes.
  holds '.platforms[0].total | (.idle_usd / .used_usd - 1 | fabs) < 1e-9'
  jq -s -e '.[0].platforms[0].total.total_usd < .[1].platforms[0].total.total_usd' free.json out.txt
}

@test "platforms stand by what is paid, and the text says that total" {
  file="$BATS_TEST_DIRNAME/../../examples/studies/ablation.json"
  # At one price for all, no platform's price is less certain than another's.
  run_trcost experiments "$file" --price 3 --format json
  least=$(jq -r '.platforms | min_by(.total.used_usd + .total.idle_usd).accelerator' <<<"$out")
  least=$("$TRCOST" show "$least" --format json | jq -r .title)
  run_trcost experiments "$file" --price 3
  grep -q "^Runs on $least" <<<"$out"
}

@test "runs are packed onto the cluster" {
  # Ten runs of one GPU on four GPUs: three waves.
  ones 10
  run_trcost experiments ones.json --gpus 4 --format json
  [ "$code" -eq 0 ]
  holds '.platforms[0] | (.cluster.wall_clock_seconds / (3 * .experiments[0].run_seconds) - 1 | fabs) < 1e-9'
  holds '.platforms[0].cluster.busy_share | (. - 10 / 12 | fabs) < 1e-9'
  holds '.platforms[0].cluster | (.total_usd - 4 * .wall_clock_seconds / 3600 * 2 | fabs) < 1e-6'
}

@test "a given cluster is paid for until its last run ends" {
  # Ten runs of one GPU on four GPUs: three waves, so 2 of 12 GPU-times are idle.
  ones 10
  run_trcost experiments ones.json --gpus 4 --format json
  holds '.platforms[0] | (.total.total_usd - .cluster.total_usd | fabs) < 1e-6'
  holds '.platforms[0].total | (.used_usd + .idle_usd - .total_usd | fabs) < 1e-6'
  holds '.platforms[0].total | (.idle_usd / .total_usd - 2 / 12 | fabs) < 1e-9'
}

@test "a study file: platforms side by side, every experiment in CSV" {
  file="$BATS_TEST_DIRNAME/../../examples/studies/ablation.json"
  run_trcost experiments "$file" --gpus 256
  [ "$code" -eq 0 ]
  for name in "A100 SXM" "H100 SXM" "B200 SXM" "GB200 NVL72" "GB300 NVL72"; do grep -q "$name" <<<"$out"; done
  run_trcost experiments "$file" --gpus 256 --accelerator h100-sxm,b200 --format csv
  [ "$(wc -l <out.txt)" -eq 9 ]
  cp out.txt first.txt
  run_trcost experiments --scenario "$file" --gpus 256 --accelerator h100-sxm,b200 --format csv
  cmp first.txt out.txt
}

@test "bad studies: one message with its place, nothing written" {
  echo keep >out.json
  write() { printf '{"model": {"params": 1e9}, "data": {"tokens": 1e9}, "experiments": [%s]}' "$1" >study.json; }
  while IFS='|' read -r entry words; do
    write "$entry"
    run_trcost experiments study.json -o out.json
    echo "$entry -> $code: $err"
    [ "$code" -eq 1 ]
    [ "$(grep -c 'error:' <<<"$err")" -eq 1 ]
    grep -q "$words" <<<"$err"
    [ "$(cat out.json)" = keep ]
  done <<'END'
{"name": "a", "repeat": 2}|did you mean "repeats"
{"name": "a", "params_fraction": 0}|params_fraction
{"name": "a", "seeds": 1.5}|seeds
{"name": "a", "failure_share": 1}|failure_share
{"params_fraction": 0.1}|name
{"name": "a", "train": {"precison": "fp8"}}|did you mean "train.precision"
END
  run_trcost experiments --params 1B --tokens 1B
  [ "$code" -eq 2 ]
  run_trcost experiments --params 1B --tokens 1B --runs 0
  [ "$code" -eq 2 ]
  run_trcost estimate --scenario study.json
  [ "$code" -eq 1 ]
}

@test "a cluster: what is rented and idle is the schedule's, the whole cluster's" {
  study='{"model":{"params":8e9},"data":{"tokens":20e9},"efficiency":{"mfu":0.4},
    "cost":{"price_per_gpu_hour":2},"hardware":{"accelerator":"h100-sxm"},"experiments":[
    {"name":"tiny","params_fraction":0.01,"repeats":40},
    {"name":"mid","params_fraction":0.1,"repeats":9,"failure_share":0.1},
    {"name":"big","params_fraction":0.5}]}'
  printf '%s' "$study" >study.json
  for gpus in 1 8 12; do
    run_trcost experiments --scenario study.json --gpus "$gpus" --format json
    [ "$code" -eq 0 ]
    holds '.platforms[0] | .total.gpu_hours + .total.idle_gpu_hours
      <= .cluster.gpus * .cluster.wall_clock_seconds / 3600 * (1 + 1e-9)'
    holds '.platforms[0] | (.total.total_usd - .cluster.total_usd | fabs) < 1e-6 * .cluster.total_usd'
  done
  holds '[.platforms[0].experiments[] | select(.name == "mid").attempts] == [10]'
}

@test "compute of failed attempts counts, in FLOP and as a share of the final run" {
  runs=(--params 10B --tokens 200B --runs 20 --params-fraction 0.1 --tokens-fraction 0.1
    --accelerator h100-sxm)
  run_trcost experiments "${runs[@]}" --failure-share 0.5 --format json
  # 40 attempts of a hundredth each. Attention and the vocabulary weigh more in a small model.
  holds '.platforms[0] | .total.flops / .final_run.flops | . > 0.4 and . < 0.5'
  share=$(jq '.platforms[0] | .total.flops / .final_run.flops * 100 | round' <<<"$out")
  run_trcost experiments "${runs[@]}" --failure-share 0.5
  grep -q "FLOP, $share% of that of the final run" <<<"$out"
}

@test "an experiment at fault is named, with one pointer" {
  printf '%s' '{"model":{"params":8e9},"data":{"tokens":1e9},"experiments":[
    {"name":"one","params_fraction":1e-9},{"name":"two"}]}' >study.json
  run_trcost experiments --scenario study.json --accelerator h100-sxm
  [ "$code" -ne 0 ]
  grep -q 'experiment "one"' <<<"$err"
  printf '%s' '{"experiments":[{"name":"one","model":{"params":-1}}]}' >study.json
  run_trcost experiments --scenario study.json --accelerator h100-sxm
  grep -q 'study.json#/experiments/0/model/params' <<<"$err"
}

@test "what is used costs its GPU-hours times the price on any cluster, what is paid the rest of nodes too" {
  # Sizes below a node, not of whole nodes, and of whole nodes; one GPU, where memory decides. The
  # total is no longer the same on every cluster: what stays unfilled is paid, so that runs take
  # other sizes and another platform may be the cheapest.
  file="$BATS_TEST_DIRNAME/../../examples/studies/ablation.json"
  for gpus in none 1 4 7 12 36 64 1000; do
    cluster=(--gpus "$gpus")
    [ "$gpus" != none ] || cluster=()
    run_trcost experiments "$file" "${cluster[@]}" --format json
    holds '[.platforms[] | .cost.price_per_gpu_hour as $price | .experiments[] |
      (.used_usd / (.gpu_hours * $price) - 1 | fabs) < 1e-9] | all'
    holds '[.platforms[] | .cost.price_per_gpu_hour as $price | .total |
      (.total_usd / ((.gpu_hours + .idle_gpu_hours) * $price) - 1 | fabs) < 1e-9] | all'
    [ "$gpus" = none ] || holds '[.platforms[] | .total.total_usd <= .cluster.total_usd * (1 + 1e-9)] | all'
  done
}

@test "JSON is the CSV nested by its paths, totals and range included" {
  file="$BATS_TEST_DIRNAME/../../examples/studies/ablation.json"
  run_trcost experiments "$file" --accelerator h100 --gpus 64 --format json
  cp out.txt study.json
  run_trcost experiments "$file" --accelerator h100 --gpus 64 --format csv
  head -1 out.txt | tr ',' '\n' | sort >columns.txt
  jq -r '.platforms[0] as $p | $p.experiments[0] as $e |
    ([$e | paths(type != "object") | join(".")] + [$p | del(.experiments) | paths(type != "object") | join(".")]
      + [del(.platforms, .failures, .warnings, .scenario) | paths(type != "object") | join(".")])
    | unique[]' study.json | sort >paths.txt
  diff columns.txt paths.txt
  for column in range.total_usd.p90 cost.price_per_gpu_hour total.tokens_per_second_per_megawatt energy.kwh; do
    grep -qx "$column" columns.txt
  done
}

@test "the range of a study is one draw over all runs: as wide as one run's, not narrower" {
  # Twenty equal runs share price and method, so the spread of the sum is that of one of them. A stack
  # that is not stated makes the spread follow the GPUs of a run, of which one alone takes more.
  study=(--params 10B --tokens 200B --accelerator h100-sxm --params-fraction 0.1 --tokens-fraction 0.1 --stack megatron)
  run_trcost experiments "${study[@]}" --runs 1 --gpus 8 --format json
  one=$(jq '.platforms[0].range.gpu_hours | .p90 / .p10' <<<"$out")
  run_trcost experiments "${study[@]}" --runs 20 --gpus 8 --format json
  holds ".platforms[0].range.gpu_hours | .p90 / .p10 / $one - 1 | fabs < 1e-6"
  holds '.platforms[0] | .range.total_usd.p10 < .total.total_usd and .total.total_usd < .range.total_usd.p90'
}

@test "accelerators that idle in rented nodes draw less than those in use, and are counted" {
  # Three attempts on one GPU each share a node of 8: five idle at 0.3 of the system's power, which
  # in training draws 0.75 of it.
  ones 3
  run_trcost experiments ones.json --format json
  holds '.platforms[0].experiments[0].energy | (.idle_kwh / .kwh - 5 / 3 * 0.3 / 0.75 | fabs) < 1e-9'
  holds '.platforms[0] | .total.kwh == .experiments[0].energy.kwh and
    .total.idle_kwh == .experiments[0].energy.idle_kwh'
}
