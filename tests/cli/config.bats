#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A user's own defaults: where they are looked for, what wins, and that an answer says so.

load program

write_config() {
  export XDG_CONFIG_HOME="$PWD/home"
  mkdir -p home/trcost
  printf '%s\n' "$1" >home/trcost/config.json
}

question=(estimate --params 1e9 --tokens 1e9 --accelerator h100-sxm --format json)

@test "fields by their place, their path and their flag; flags and the environment win" {
  write_config '{ "cost": { "price_class": "hyperscaler" }, "cost.region": "us", "stack": "megatron" }'
  run_trcost config show --region de --format json
  [ "$code" -eq 0 ]
  holds '.settings | map(select(.path == "cost.price_class"))[0] |
    .value == "hyperscaler" and (.from | startswith("config file") and endswith("home/trcost/config.json"))'
  holds '.settings | map(select(.path == "cost.region"))[0] | .value == "de" and .from == "flag --region"'
  holds '.settings | map(select(.path == "efficiency.stack"))[0].value == "megatron"'
  holds '.settings | map(select(.path == "train.precision"))[0].from == "default"'
  TRCOST_EFFICIENCY_STACK=fsdp run_trcost config show --format csv
  grep -q '^efficiency.stack,.*fsdp.*,environment TRCOST_EFFICIENCY_STACK' out.txt
  run_trcost config show
  [ "$(grep -c . out.txt)" -lt 20 ]
  grep -q 'config.json' out.txt
}

@test "a setting is a value in JSON: a number, yes or no, or a distribution" {
  run_trcost config show --price 1.9..3.2 --format json
  of() { jq -c ".settings[] | select(.path == \"$1\").value" out.txt; }
  [ "$(of cost.utilization)" = 0.8 ]
  [ "$(of train.lora_rank)" = 16 ]
  [ "$(of hardware.deadline)" = 2592000 ]
  [ "$(of layout.sequence_parallel)" = true ]
  of cost.price_per_gpu_hour | jq -e '.distribution == "lognormal" and (.sigma | . > 0.2 and . < 0.21)'
}

@test "an answer that a config file moved says so, in every place" {
  run_trcost "${question[@]}"
  cp out.txt without.json
  holds '.settings == []'
  write_config '{ "price": 2.5 }'
  run_trcost "${question[@]}"
  holds '.settings | length == 1 and .[0].path == "cost.price_per_gpu_hour" and (.[0].from | endswith("config.json"))'
  holds '.scenario.cost.price_per_gpu_hour == 2.5'
  grep -q 'note: cost.price_per_gpu_hour = 2.5 from .*--no-config' err.txt
  run_trcost estimate --params 1e9 --tokens 1e9 --accelerator h100-sxm
  grep -q 'cost.price_per_gpu_hour = 2.5' out.txt
  run_trcost solve --for gpus --duration 10d --params 1e9 --tokens 20e9 --accelerator h100-sxm -o x.html
  grep -q 'cost.price_per_gpu_hour = 2.5 from' err.txt
  grep -q '# cost.price_per_gpu_hour = 2.5 from' x.html
  run_trcost "${question[@]}" --no-config
  cmp out.txt without.json
  run_trcost "${question[@]}" -q
  [ ! -s err.txt ]
}

@test "what the flags decide is not laid at the file's door" {
  write_config '{ "price": 2.5 }'
  run_trcost "${question[@]}" --price 3
  holds '.settings == [] and .estimates[0].cost.price_per_gpu_hour == 3'
}

@test "TRCOST_CONFIG and --config name another file" {
  write_config '{ "price": 2.5 }'
  echo '{ "price": 4 }' >other.json
  TRCOST_CONFIG=other.json run_trcost "${question[@]}"
  holds '.estimates[0].cost.price_per_gpu_hour == 4'
  run_trcost "${question[@]}" --config other.json
  holds '.estimates[0].cost.price_per_gpu_hour == 4'
  refused 2 --no-config "${question[@]}" --config other.json --no-config
  run_trcost config path
  [ "$out" = "$PWD/home/trcost/config.json" ]
}

@test "a broken config file gets one message, which says how to do without it" {
  for text in '{ "price": 2' '[]' '{ "prize": 2 }' '{ "price": -1 }' '{ "pricing": "cheap" }' \
    '{ "cost.region": "us", "region": "de" }' '{ "stages": [] }' '{ "params": 1e9, "model": "llama-3.1-8b" }'; do
    write_config "$text"
    refused 1 'config.json' "${question[@]}"
    grep -q -- '--no-config' err.txt || [[ $text == *model* ]]
  done
  write_config '{ "prize": 2 }'
  run_trcost "${question[@]}"
  grep -q 'did you mean' err.txt
}

@test "-v says what was read, tried and taken, on stderr, and changes no answer" {
  write_config '{ "price_class": "specialist" }'
  run_trcost "${question[@]}" -q
  cp out.txt quiet.json
  run_trcost "${question[@]}" -v
  cmp out.txt quiet.json
  grep -qE 'h100-sxm: [0-9]+ ' err.txt
  grep -q 'read .*config.json' err.txt
  run_trcost estimate --params 1e9 --tokens 1e9 --accelerator gb200-nvl72 -v
  grep -q 'imputed' err.txt
}

@test "a config that is no file is an error, and an unreadable folder a warning" {
  export XDG_CONFIG_HOME="$PWD/home"
  mkdir -p home/trcost/config.json
  refused 1 directory "${question[@]}"
  rmdir home/trcost/config.json
  ln -s nowhere home/trcost/config.json
  refused 1 'no such file' "${question[@]}"
  run_trcost "${question[@]}" --no-config
  [ "$code" -eq 0 ]
  rm home/trcost/config.json
  run_trcost "${question[@]}"
  [ "$code" -eq 0 ] && lacks config err.txt
  [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || skip "needs root and setpriv"
  chmod 755 . && chmod 000 home && cp "$TRCOST" program && chmod 755 program
  setpriv --reuid=65534 --regid=65534 --clear-groups ./program "${question[@]}" >out.txt 2>err.txt
  grep -q 'warning: .*config.json is not read' err.txt
  chmod 755 home
}
