#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `prices import` from end to end: the file that it writes, and what it leaves alone when it fails.

load program

table() {
  cat > vms.csv <<'CSV'
InstanceType,AcceleratorName,AcceleratorCount,Price,Region,GpuInfo,SpotPrice
gpu_8x_h100,H100,8,26.32,us-east-1,,
gpu_1x_h100,H100,1,0,us-east-1,,
cpu_4x,,,0.2,us-east-1,,
gpu_1x_odd,Quantum9000,1,3.00,us-east-1,,
CSV
}

@test "an imported table becomes prices of an estimate" {
  table
  mkdir -p mine/prices
  run_trcost prices import vms.csv --provider lambdalabs --date 2026-11-20 -o mine/prices/new.json
  [ "$code" -eq 0 ]
  [ ! -s out.txt ]
  grep -q 'warning: line 3: gpu_1x_h100 ' err.txt
  grep -q 'warning: line 5: gpu_1x_odd .*Quantum9000' err.txt
  jq -e '.prices[0].provider == "Lambda" and .prices[0].usd_per_gpu_hour == 3.29' mine/prices/new.json
  run_trcost estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --gpus 8 --provider lambda \
    --data-dir mine --format json
  [ "$code" -eq 0 ]
  holds '.price_data_date == "2026-11-20"'
  holds '.estimates[0].cost.items[0].unit_price == 3.29'
  # A provider counts once: no seventh seller beside Lambda's own; and the newer offer moves the
  # median, of 3.20, 3.29, 3.90, 3.99, 4.50 and 6.155 instead of Lambda's 3.99.
  run_trcost estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --gpus 8 --data-dir mine \
    --format json
  holds '.estimates[0].cost | .price_per_gpu_hour == 3.945 and .price_class == "specialist" and
    (.price_imputed | not) and (.price_date | endswith("to 2026-11-09") or endswith("2026-11-20"))'
}

@test "what an import writes is read again" {
  mkdir -p mine/prices
  imported() {
    rm -f mine/prices/new.json
    printf 'InstanceType,AcceleratorName,AcceleratorCount,Price,Region,GpuInfo,SpotPrice\n%b\n' "$1" >vms.csv
    run_trcost prices import vms.csv --provider X --date 2026-11-01 -o mine/prices/new.json
  }
  # C1, marks of direction and line separators are no names.
  imported 'gpu\xc2\x9b,H100,8,26.32,us,,\ngpu\xe2\x80\xae,H100,8,26.32,us,,\ngpu,H100,8,26.32,us\xe2\x80\xa8,,\ngood,H100,8,26.32,us,,'
  [ "$code" -eq 0 ] && [ "$(jq '.prices | length' mine/prices/new.json)" -eq 1 ]
  run_trcost list prices --data-dir mine
  [ "$code" -eq 0 ]
  # Too large for a price file, and rows that the book has.
  imported "$(head -c 17000000 /dev/zero | tr '\0' x),H100,8,26.32,us,,"
  [ "$code" -eq 1 ] && [ ! -e mine/prices/new.json ]
  grep -q '16 MiB' err.txt
  imported '"a, b",H100,8,26.32,us,,'
  [ "$code" -eq 0 ]
}

@test "two columns of one name are refused" {
  printf 'InstanceType,AcceleratorName,AcceleratorCount,Price,Price,Region\na,H100,8,26,27,us\n' >vms.csv
  refused 1 Price prices import vms.csv --provider X --date 2026-11-01
}

@test "the shipped data folder is a data folder" {
  run_trcost estimate --params 7e9 --format json
  cp out.txt built-in.json
  run_trcost estimate --params 7e9 --format json --data-dir "$BATS_TEST_DIRNAME/../../data"
  [ "$code" -eq 0 ]
  cmp out.txt built-in.json
}

@test "nothing half-written stands where the disk is full" {
  table
  [ -e /dev/full ] || skip "no /dev/full"
  code=0
  "$TRCOST" prices import vms.csv --provider x --date 2026-10-20 > /dev/full 2> err.txt || code=$?
  [ "$code" -eq 1 ]
  grep -qF "trcost: error: " err.txt
}

@test "an output that cannot be written, or an import that fails, keeps the file that is there" {
  table
  echo old > prices.json
  refused 1 missing/prices.json prices import vms.csv --provider x --date 2026-10-20 -o missing/prices.json
  head -1 vms.csv > empty.csv
  run_trcost prices import empty.csv --provider x --date 2026-10-20 -o prices.json
  [ "$code" -eq 1 ]
  printf 'a,b\n1,2\n' > other.csv
  refused 1 other.csv prices import other.csv --provider x --date 2026-10-20 -o prices.json
  [ "$(cat prices.json)" = old ]
  [ "$(find . -name 'prices.json*' | wc -l)" -eq 1 ]
}

@test "dates and paths that cannot be meant" {
  table
  refused 2 --date prices import vms.csv --provider x --date 2062-11-20
  refused 2 --date prices import vms.csv --provider x --date yesterday
  refused 1 '' prices import . --provider x --date 2026-10-20
  touch -d 2026-09-04T12:00:00Z vms.csv # a table without dates is as old as its file
  run_trcost prices import vms.csv --provider x -o prices.json
  [ "$code" -eq 0 ]
  grep -qF -- --date err.txt
  jq -e '[.prices[].date] | unique == ["2026-09-04"]' prices.json
}

@test "price files of one's own are read strictly" {
  table
  mkdir -p mine/prices
  run_trcost prices import vms.csv --provider x --date 2026-10-20 -o good.json
  [ "$code" -eq 0 ]
  wrong() {
    sed "$1" good.json > mine/prices/x.json
    refused 1 "$2" list prices --data-dir mine
  }
  wrong 's/h100-sxm/h100sxm/' h100-sxm
  wrong 's/3.29/null/' 'null'
  wrong 's/3.29/-1/' mine/prices/x.json
  wrong 's/3.29/1e9/' 'x.json'
  wrong 's/"date": "2026-10-20"/"date": "2026-12-01"/' 2026-12-01
  wrong 's/, "date": "2026-10-20"//' date
  wrong 's/2026-10-20/2062-10-20/' 2062-10-20
}

@test "regions as clouds spell them" {
  price() {
    run_trcost estimate --params 7e9 --tokens 1e12 --accelerator h100-sxm --gpus 8 --format json "$@"
    [ "$code" -eq 0 ]
  }
  price --provider verda --region fi
  holds '.estimates[0].cost.items[0].unit_price > 0'
  price --provider GCP --region us-east4
  holds '.estimates[0].cost.items[0].unit_price == 10.98'
  price --region us-east-1
  price --region FIN
  refused 2 '"fr"' estimate --params 7e9 --tokens 1e12 --region france
  refused 2 'fr, ie' estimate --params 7e9 --tokens 1e12 --region eu
}

@test "a spot price beside a refused on-demand price is refused too" {
  cat > vms.csv <<'CSV'
InstanceType,AcceleratorName,AcceleratorCount,Price,Region,GpuInfo,SpotPrice
gpu_8x_h100,H100,8,700,us-east-1,,2
gpu_8x_h200,H200,8,32,us-east-1,,9.6
CSV
  run_trcost prices import vms.csv --provider lambda --date 2026-10-20 -o new.json
  [ "$code" -eq 0 ]
  [ "$(warnings)" -ge 2 ]
  jq -e '[.prices[].accelerator] | unique == ["h200"]' new.json
}
