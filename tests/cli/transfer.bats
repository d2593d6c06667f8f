#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016
# `trcost transfer` through the real program.

load program

work=(--model llama-3.1-8b --tokens 1B --train lora --seq-length 2048)

@test "20 h on 8 A100: the measured platform keeps its 20 h, the others follow the model's ratio" {
  run_trcost transfer "${work[@]}" --from a100-sxm-80gb --from-gpus 8 --measured 20h \
    --to h200,gb200-nvl72:4 --format json
  [ "$code" -eq 0 ]
  holds '.measured.wall_clock_seconds / 72000 - 1 | fabs < 1e-9'
  holds '[.targets[] | [.accelerator, .gpus]] == [["h200", 8], ["gb200-nvl72", 4]]'
  holds '.measured.factor as $f | .targets | all((.wall_clock_seconds
    / (.predicted_wall_clock_seconds * $f) - 1 | fabs) < 1e-9)'
  holds '.targets | all((.gpu_hours / (.gpus * .wall_clock_seconds / 3600) - 1 | fabs) < 1e-9)'
}

@test "the range is narrower than without the measurement, its residual has a reason" {
  run_trcost transfer "${work[@]}" --from a100-sxm-80gb --from-gpus 8 --measured 20h \
    --to h200,b200 --format json
  holds '.targets | all((.range.gpu_hours.p90 / .range.gpu_hours.p10)
    < (.unanchored_range.gpu_hours.p90 / .unanchored_range.gpu_hours.p10))'
  holds '.targets | all((.range.total_usd.p90 / .range.total_usd.p10)
    < (.unanchored_range.total_usd.p90 / .unanchored_range.total_usd.p10))'
  holds '.targets | all(.residual.pairs > 20 and .residual.sigma > 0.02 and .residual.sigma < 0.3)'
}

@test "a measured throughput that equals the prediction changes nothing" {
  question=(--params 7B --tokens 10B)
  run_trcost estimate "${question[@]}" --accelerator h100-sxm --gpus 64 --format json
  rate=$(jq '.estimates[0].performance.tokens_per_second_per_gpu * 64' <<<"$out")
  run_trcost estimate "${question[@]}" --accelerator b200 --gpus 32 --format json
  seconds=$(jq '.estimates[0].wall_clock_seconds' <<<"$out")
  run_trcost transfer "${question[@]}" --from h100-sxm --from-gpus 64 \
    --measured-tokens-per-second "$rate" --to b200 --to-gpus 32 --format json
  [ "$code" -eq 0 ]
  holds '.measured.factor - 1 | fabs < 1e-9'
  holds ".targets[0].wall_clock_seconds / $seconds - 1 | fabs < 1e-9"
}

@test "twice the time is twice the GPU-hours and twice the dollars" {
  question=(--params 7B --tokens 10B --price 2 --from h100-sxm --from-gpus 64 --to b200)
  run_trcost transfer "${question[@]}" --measured 100h --format json
  first=$(jq -c '[.targets[0] | .gpu_hours, .cost.total]' <<<"$out")
  run_trcost transfer "${question[@]}" --measured 200h --format json
  holds "[.targets[0] | .gpu_hours, .cost.total] as [\$h, \$d]
    | $first as [\$h1, \$d1] | (\$h / \$h1 - 2 | fabs) < 1e-9 and (\$d / \$d1 - 2 | fabs) < 1e-6"
}

@test "formats: a header and a row for each target, the measured platform beside" {
  run_trcost transfer "${work[@]}" --from a100-sxm-80gb --from-gpus 8 --measured 20h --to h200,b200 \
    --format csv
  [ "$(wc -l <out.txt)" -eq 3 ]
  run_trcost transfer "${work[@]}" --from a100-sxm-80gb --from-gpus 8 --measured 20h --to h200 \
    --details
  grep -q 'sigma' <<<"$out"
}

@test "a measurement above the peak is refused" {
  run_trcost transfer --params 7B --tokens 1T --from h100-sxm --from-gpus 8 --measured 1h --to h200
  [ "$code" -eq 1 ]
  grep -q 'MFU' <<<"$err"
}

@test "a measurement that no published run reached is warned of, of the targets too" {
  run=(--model llama-2-7b --train lora --tokens 2e9 --from a100-sxm-80gb --from-gpus 8 --to h200)
  run_trcost transfer "${run[@]}" --measured 20h
  [ "$code" -eq 0 ]
  [ ! -s err.txt ]
  run_trcost transfer "${run[@]}" --measured 8h --format md
  [ "$code" -eq 0 ]
  grep -q 'warning: .*9[0-9]% on a100-sxm-80gb' err.txt
  grep -q -- '--measured .*8.00 h' err.txt
  refused 1 MFU transfer "${run[@]}" --measured 7h
}

@test "bad input: one message, exit code 2, nothing written" {
  echo keep >out.json
  for arguments in '--to h200' '--from h100-sxm --to h200 --measured 2h' \
    '--from h100-sxm --from-gpus 8 --to h200' '--from h100-sxm --from-gpus 8 --measured 2h' \
    '--from h100-sxm --from-gpus 8 --measured 2h --measured-tokens-per-second 5 --to h200' \
    '--from h100-sxm --from-gpus 8 --measured 2h --to h200:x' \
    '--from h100-sxm --from-gpus 8 --measured 0h --to h200' \
    '--from h100-sxm --from-gpus 8 --measured 2h --to h200 --gpus 8' \
    '--from h100-sxm --from-gpus 8 --measured 2h --to h200 --mfu 0.4'; do
    # shellcheck disable=SC2086
    run_trcost transfer --params 7B --tokens 1B $arguments -o out.json
    echo "$arguments -> $code: $err"
    [ "$code" -eq 2 ]
    [ "$(grep -c 'error:' <<<"$err")" -eq 1 ]
    [ "$(cat out.json)" = keep ]
  done
  run_trcost transfer --params 7B --tokens 1B --from h10-sxm --from-gpus 8 --measured 2h --to h200
  [ "$code" -ne 0 ]
  grep -q 'did you mean "h100-sxm"' <<<"$err"
}

@test "the measured platform stands once, whether it is a target or not" {
  measured=("${work[@]}" --from a100-sxm-80gb --from-gpus 8 --measured 20h --format csv)
  run_trcost transfer "${measured[@]}" --to a100-sxm-80gb,h200
  [ "$(grep -c '^a100-sxm-80gb,' out.txt)" -eq 0 ]
  run_trcost transfer "${measured[@]}" --to a100-sxm-80gb:4,h200
  [ "$(grep -c '^a100-sxm-80gb,' out.txt)" -eq 1 ]
  refused 2 --to transfer "${measured[@]}" --to a100-sxm-80gb
}

@test "a measurement elsewhere never makes a target less certain than no measurement" {
  run_trcost transfer --model llama-2-7b --train lora --tokens 2e9 --from a100-pcie-80gb \
    --from-gpus 8 --measured-tokens-per-second 20k --to h100-sxm,h200,b200 --format json
  [ "$code" -eq 0 ]
  holds '.targets | all((.range.gpu_hours | .p90 / .p10)
    <= (.unanchored_range.gpu_hours | .p90 / .p10) * (1 + 1e-9))'
}

@test "two numbers of one accelerator can be told apart, and the time stands as it was given" {
  run_trcost transfer --model llama-2-7b --tokens 2e9 --from a100-sxm-80gb --from-gpus 8 \
    --measured 20h --to h200:4,h200:8 --details
  [ "$(grep -c '^  [48] x h200 ' <<<"$out")" -ge 2 ]
  run_trcost transfer --model llama-2-7b --tokens 2e9 --from a100-sxm-80gb --from-gpus 8 \
    --measured 20h --to h200 --format jsonl
  jq -e '."measured.accelerator" == "a100-sxm-80gb" and ."measured.gpus" == 8
    and ."measured.wall_clock_seconds" == 72000' <<<"$out"
}

@test "a time without its unit is said as it was read, and a hopeless one is warned of" {
  run=(--model llama-2-7b --tokens 2e9 --from a100-sxm-80gb --from-gpus 8 --to h200)
  run_trcost transfer "${run[@]}" --measured 20
  [ "$code" -eq 1 ]
  grep -q 'measured .*20.0 s' <<<"$err"
  run_trcost transfer "${run[@]}" --measured 90y
  grep -q 'warning: .*MFU' <<<"$err"
}

# `.targets[0].range`: ln(P90 / P10), squared, of the time and of the dollars.
squares() {
  run_trcost transfer --params 7B --from h100-sxm --from-gpus 64 --to b200 --format json "$@"
  [ "$code" -eq 0 ]
  jq -c '.targets[0].range | [.wall_clock_seconds // .gpu_hours, .total_usd]
    | map((.p90 / .p10 | log) * (.p90 / .p10 | log))' <<<"$out"
}
# Variances of a product add: ln(4)^2 of a range over a factor of 4 stands in for the default spread
# of tokens, sigma 0.10 (model.md 10), P10 to P90 of which is 2 x 1.28155 sigma.
apart() { jq -n -e --argjson a "$1" --argjson b "$2" "$3"; }

@test "a range of tokens is in the time and in the dollars of a carried throughput" {
  plain=$(squares --tokens 100B --measured-tokens-per-second 600k)
  range=$(squares --tokens 50B..200B --measured-tokens-per-second 600k)
  for i in 0 1; do
    apart "$plain" "$range" "((4 | log) as \$l | \$b[$i] - \$a[$i] - \$l * \$l + 0.2563 * 0.2563)
      | fabs < 1e-3"
  done
}

@test "a measured time leaves nothing of the tokens and of the goodput to be uncertain" {
  plain=$(squares --tokens 100B --measured 200h)
  for range in '--tokens 50B..200B' '--tokens 100B --goodput 0.5..0.95'; do
    # shellcheck disable=SC2086
    apart "$plain" "$(squares $range --measured 200h)" '[$a, $b] | transpose
      | all(.[0] / .[1] - 1 | fabs < 1e-9)'
  done
}

@test "a range of the goodput is in the time of a carried throughput, one of the price is not" {
  plain=$(squares --tokens 100B --measured-tokens-per-second 600k)
  goodput=$(squares --tokens 100B --goodput 0.5..0.95 --measured-tokens-per-second 600k)
  apart "$plain" "$goodput" '$b[0] > $a[0] * 1.2 and $b[1] > $a[1] * 1.2'
  price=$(squares --tokens 100B --price 2..4 --measured-tokens-per-second 600k)
  apart "$plain" "$price" '($b[0] / $a[0] - 1 | fabs) < 1e-9 and $b[1] > $b[0]
    and ((2 | log) as $l | $b[1] - $b[0] - $l * $l | fabs) < 1e-3'
}

@test "a recipe's accelerators are those of the measured run" {
  recipe="$BATS_TEST_DIRNAME/../recipe/files/megatron-llama3-8b-fp8"
  script=$(find "$recipe" -name '*.sh' | head -1)
  run_trcost transfer --recipe "$script" --model llama-3-8b --precision bf16 --from 8xh100-sxm --measured 3d --to b200 \
    --tokens 10B --format json
  [ "$code" -eq 0 ]
}
