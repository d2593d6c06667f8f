#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Classes of sellers, imputed prices and the age of prices, as they stand on the screen.

load program

@test "platforms are compared in one class, and an imputed price is marked in the table" {
  run_trcost estimate --params 10e9 --modality vl
  [ "$code" -eq 0 ]
  grep -qE "GB200 .*~[$].* estimated" out.txt
  run_trcost estimate --params 10e9 --modality vl --format json
  holds '[.estimates[].cost.price_class] | unique == ["specialist"]'
  holds '[.estimates[] | select(.cost.price_imputed).accelerator] | index("gb200-nvl72") != null'
  holds '[.estimates[] | select(.cost.price_imputed | not).accelerator] | index("b200") != null'
  run_trcost estimate --params 10e9 --price-class hyperscaler --format json
  holds '[.estimates[].cost.price_class] | unique == ["hyperscaler"]'
  holds '.estimates[-1].cost | .price_per_gpu_hour == 18 and (.price_imputed | not) and
    .provider == "Oracle" and .price_date == "2026-07-07"'
}

@test "--strict does not accept an imputed price, and says what avoids it" {
  run_trcost estimate --params 10e9 --accelerator gb200-nvl72 --strict --format json
  [ "$code" -eq 3 ]
  holds '.estimates[0].complete and .estimates[0].cost.price_imputed'
  grep -qF -- "--price" err.txt
  run_trcost estimate --params 10e9 --accelerator gb200-nvl72 --strict --provider CoreWeave
  [ "$code" -eq 0 ]
  run_trcost estimate --params 10e9 --accelerator gb200-nvl72 --strict --price 9
  [ "$code" -eq 0 ]
}

@test "a chip that its maker alone rents has the maker's price, and no other" {
  run_trcost estimate --params 8e9 --tokens 200e9 --gpus 64 --accelerator tpu-v6e,h100-sxm --format json
  [ "$code" -eq 0 ]
  holds '[.estimates[].cost.price_per_gpu_hour] == [2.7, 3.99]'
  grep -q 'warning: .*tpu-v6e' err.txt
  run_trcost estimate --params 8e9 --tokens 200e9 --gpus 64 --accelerator tpu-v6e --strict
  [ "$code" -eq 3 ]
  grep -qF -- "--price-class hyperscaler" err.txt
  run_trcost estimate --params 8e9 --tokens 200e9 --gpus 64 --accelerator trainium2 --pricing spot
  grep -q 'warning: .*trainium2' err.txt
  run_trcost estimate --params 8e9 --tokens 200e9 --gpus 64 --accelerator trainium3 --pricing own
  grep -q 'warning: .*trainium3' err.txt
}

@test "--strict does not accept a price of years ago" {
  run_trcost estimate --params 8e9 --tokens 200e9 --gpus 64 --accelerator trainium2 \
    --provider aws --strict
  [ "$code" -eq 3 ]
  run_trcost estimate --params 8e9 --tokens 200e9 --gpus 8 --accelerator h100-sxm \
    --as-of 2024-06-01 --format json
  holds '.estimates[0].cost.price_per_gpu_hour == null and (.estimates[0].complete | not)'
}

@test "a reserved price says its term and the dollars that it binds to" {
  run_trcost estimate --params 8e9 --tokens 1e12 --gpus 512 --accelerator h100-sxm \
    --pricing reserved-3y --format json
  # 512 x 3 x 8,766 h x the price.
  holds '.estimates[0].cost | .commitment_seconds == 94672800 and
    ((.commitment_usd / (512 * 3 * 8766 * .price_per_gpu_hour) - 1) | fabs) < 1e-9'
  run_trcost estimate --params 8e9 --tokens 1e12 --gpus 512 --accelerator h100-sxm --format json
  holds '.estimates[0].cost.commitment_usd == null'
}

@test "what follows from an imputed price is marked wherever people read it" {
  run_trcost estimate --params 8e9 --tokens 200e9 --gpus 64 --accelerator gb200-nvl72
  [ "$(grep -cE "~[$]" out.txt)" -ge 2 ]
  run_trcost estimate --params 8e9 --tokens 200e9 --accelerator gb200-nvl72,h100-sxm
  [ "$(grep -cE "~[$]" out.txt)" -ge 2 ]
  COLUMNS=100 run_trcost solve --for params --budget 100e3 --accelerator gb200-nvl72
  grep -qE "GB200 NVL72 .* ~[$]" out.txt
  run_trcost sweep --params 8e9 --tokens 200e9 --vary hardware.gpus=64,128 \
    --accelerator gb200-nvl72 --select gpu_hours,cost.total --format table
  [ "$(grep -cE "~[$]" out.txt)" -eq 3 ]
  run_trcost transfer --model llama-2-7b --train lora --tokens 2e9 --from a100-sxm-80gb \
    --from-gpus 8 --measured 18h..22h --to gb200-nvl72
  [ "$code" -eq 0 ]
  grep -qE "GB200 NVL72 .* ~[$]" out.txt
}

@test "a chip that nobody prices says how else it could be" {
  run_trcost estimate --params 8e9 --tokens 200e9 --gpus 64 --accelerator l40
  grep -q -- '--price.*--purchase-price' err.txt
  run_trcost estimate --params 8e9 --tokens 200e9 --gpus 64 --accelerator gaudi3 --pricing own
  lacks 'not complete' err.txt
  grep -q 'warning: .*quote of 2024-06-13.*--node-price' err.txt
  run_trcost experiments --params 8e9 --tokens 200e9 --runs 4 --tokens-fraction 0.1 \
    --accelerator l40 --pricing own --strict
  [ "$code" -eq 3 ]
  grep -q -- '--strict' err.txt
}

@test "a class without the asked kind of pricing is refused by name" {
  refused 2 reserved-3y \
    estimate --params 1e9 --price-class marketplace --pricing reserved-3y
  refused 2 "hyperscaler" estimate --params 1e9 --price-class specialist --pricing block
  run_trcost estimate --params 1e9 --accelerator h100-sxm --pricing block --format json
  [ "$code" -eq 0 ]
  holds '.estimates[0].cost | .price_class == "hyperscaler" and .price_per_gpu_hour == 5.97'
  refused 2 --price-class estimate --params 1e9 --provider hyperscaler
}

@test "prices are aged to --as-of" {
  run_trcost estimate --params 1e9 --accelerator b200 --as-of 2025-12-31 --format json
  [ "$code" -eq 0 ]
  holds '.estimates[0].cost.price_date | test("2026") | not'
  # A machine is not bought at a quote that came later, and the book knows no later day than its own.
  run_trcost estimate --params 1e9 --accelerator gb300-nvl72 --pricing own --as-of 2025-01-01 --format json
  holds '.estimates[0].cost.total == null'
  refused 2 2026-11-09 estimate --params 1e9 --as-of 2027-03-01
  run_trcost estimate --params 1e9 --accelerator h100-sxm
  [ "$(warnings)" -eq 0 ]
  refused 2 --as-of estimate --params 1e9 --as-of 2026-11
  refused 2 --as-of estimate --params 1e9 --as-of yesterday
}

@test "prices are shown by chip and listed with their age" {
  COLUMNS=120 run_trcost show prices gb300-nvl72
  [ "$code" -eq 0 ]
  grep -qF "BM.GPU" out.txt
  grep -qE "~[$]" out.txt
  run_trcost list prices --format json
  holds '[.prices[] | select(.date == "2026-11-09") | .age_days] | unique == [0]'
}

@test "the price file of data/README is one" {
  sed -n '/^## A price file/,/^```$/p' "$BATS_TEST_DIRNAME/../../data/README.md" |
    sed -n '/^{/,/^}/p' > example.json
  run_trcost show prices ./example.json
  [ "$code" -eq 0 ]
  mkdir -p mine/prices
  cp example.json mine/prices/example.json
  run_trcost estimate --params 1e9 --accelerator h100-sxm --provider example --data-dir mine \
    --format json
  holds '.estimates[0].cost.price_per_gpu_hour == 3.5'
}

@test "quotes per accelerator: names as people write them, and only of platforms" {
  run_trcost estimate --params 70e9 --tokens 1T --gpus 512 --price h100:2.35,B200:4.10 --format json
  [ "$code" -eq 0 ]
  holds '.scenario.cost.prices == "h100-sxm:2.35,b200:4.1"'
  holds '[.estimates[] | [.accelerator, .cost.price_per_gpu_hour]] == [["h100-sxm", 2.35], ["b200", 4.1]]'
  cp out.txt first.json
  "$TRCOST" estimate --scenario first.json --format json >again.json
  cmp <(jq .estimates first.json) <(jq .estimates again.json)
  TRCOST_COST_PRICE_PER_GPU_HOUR=h100:2.35,b200:4.10 run_trcost estimate --params 70e9 --tokens 1T --gpus 512 --format json
  holds '.estimates | length == 2'
  refused 2 b200 estimate --params 7e9 --accelerator h100-sxm --price h100:2,b200:3
  refused 2 'two prices' estimate --params 7e9 --price h100:2,h100:3
  run_trcost sweep --params 7e9 --gpus 64 --price h100:2,b200:4 --vary hardware.accelerator=h100-sxm,b200 --format csv --select cost.price_per_gpu_hour -q
  [ "$(cut -d, -f2 out.txt | tail -2 | paste -sd' ')" = '2 4' ]
}

@test "--strict refuses the price of a machine that is older than a year" {
  run_trcost estimate --params 7e9 --accelerator b200 --pricing own --strict
  [ "$code" -eq 3 ]
  run_trcost estimate --params 7e9 --accelerator b200 --pricing own --node-price 400000 --strict
  [ "$code" -eq 0 ]
}

@test "a region without a seller of the chip says so, and --strict refuses it" {
  run_trcost estimate --params 7e9 --accelerator h100-sxm --region cn --format json
  [ "$code" -eq 0 ] && grep -q 'no on-demand price of specialists in cn, so that of any region is used' err.txt
  run_trcost estimate --params 7e9 --accelerator h100-sxm --region cn --strict
  [ "$code" -eq 3 ]
  run_trcost estimate --params 7e9 --accelerator h100-sxm --region us --strict
  [ "$code" -eq 0 ]
  run_trcost list regions --format json
  holds '.regions | length > 100 and (map(select(.name == "us"))[0] |
    .title == "United States" and .usd_per_kwh == 0.0826 and (.sellers | contains("Lambda")))'
  holds '.regions | map(select(.name == "cn"))[0].sellers | contains("Lambda") | not'
}

@test "lists are sorted by any column, unknown cells last" {
  run_trcost list prices --accelerator h100-sxm --sort price --format json
  holds '.prices | map(.median) | . == sort'
  run_trcost list prices --accelerator h100-sxm --sort age:desc --format json
  holds '.prices | map(.age_days) | map(select(. != null)) == (map(select(. != null)) | sort | reverse)'
  holds '.prices | map(.age_days) | .[-1] == null'
  run_trcost list accelerators --sort watts:desc --format json
  holds '.accelerators | map(.power_watts) | map(select(. != null)) == (map(select(. != null)) | sort | reverse)'
  refused 2 price list prices --sort nothing
  refused 2 desc list prices --sort price:up
}

@test "a spot run that cannot finish says why, and which flag holds the cause" {
  refused 1 --preemption-hours estimate --params 70B --tokens 2T --pricing spot --accelerator h100-sxm
  grep -q 'taken back every 24 h' err.txt
  run_trcost estimate --params 70B --tokens 2T --pricing spot --accelerator h100-sxm --preemption-hours 1000
  [ "$code" -eq 0 ]
}

@test "a run of seconds says what it leaves out, a run of days does not" {
  run_trcost estimate --model llama-3.1-8b --samples 500 --train lora --gpus 8 --accelerator h100 --format json
  grep -q 'downloads are not included' err.txt
  run_trcost estimate --params 7e9 --accelerator h100-sxm --format json
  lacks 'Start-up' err.txt
}

@test "another currency in text and pages, dollars with the rate beside for machines" {
  question=(estimate --params 7e9 --tokens 1e12 --gpus 64 --accelerator h100-sxm)
  run_trcost "${question[@]}" --format json
  total=$(jq '.estimates[0].cost.total' out.txt)
  run_trcost "${question[@]}" --currency EUR --rate 0.5 --format json
  holds ".estimates[0].cost.total == $total and .display_currency == \"EUR\" and .rate == 0.5"
  run_trcost "${question[@]}" --currency EUR --rate 0.5 --format csv
  head -1 out.txt | grep -q ',display_currency,rate$'
  sed -n 2p out.txt | grep -q ',EUR,0.5$'
  run_trcost "${question[@]}" --currency EUR --rate 0.5 --format jsonl
  jq -e '.display_currency == "EUR" and .rate == 0.5' out.txt
  "$TRCOST" "${question[@]}" --price 2 --details >dollars.txt
  "$TRCOST" "${question[@]}" --price 2 --currency EUR --rate 1 --details >euros.txt
  cmp <(grep -oE '[$][0-9.,]+[kMB]?' dollars.txt) <(grep -oE '€[0-9.,]+[kMB]?' euros.txt | sed 's/€/$/')
  run_trcost "${question[@]}" --price 2 --currency EUR --rate 0.5 --details
  [ "$(grep -oE '^ *compute .*' out.txt | grep -oE '€[0-9,.]+$')" = "$(grep -E '^ *Total ' out.txt | grep -oE '€[0-9,.]+' | head -1)" ]
  run_trcost "${question[@]}" --currency EUR --rate 0.5 --format md
  lacks '[$][0-9]' out.txt
  refused 2 --rate "${question[@]}" --currency EUR
  refused 2 --currency "${question[@]}" --rate 0.9
  refused 2 ISO "${question[@]}" --currency euros --rate 0.9
  refused 2 --rate "${question[@]}" --currency EUR --rate -1
}
