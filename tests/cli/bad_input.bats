#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Bad input: one clear message on stderr, the right exit code, nothing on stdout.

load program

@test "numbers that are none" {
  refused 2 --params estimate --params -5
  refused 2 --params estimate --params nan
  refused 2 --params estimate --params inf
  refused 2 --params estimate --params 1e400
  refused 2 --params estimate --params 10Q
  refused 2 --params estimate --params 7,000,000,000
  refused 2 "hexadecimal" estimate --params 0x10
}

@test "names that are none, with the nearest" {
  refused 2 h100-sxm estimate --params 7e9 --accelerator h100-smx
  refused 2 --params estimate --parms 7e9
  refused 2 --train estimate --lora 16
  refused 2 --global-batch estimate --params 7e9 --batch-size 8
  refused 2 estimate estmate --params 7e9
  refused 2 --precision estimate --params 7e9 --precision bf61
}

# The options of a command that take a value.
valued() {
  "$TRCOST" "$1" --help | sed -nE 's/^  (-[a-z], )?(--[a-z0-9-]+) [^ ].*/\2/p'
}

@test "an option without its value is named, whatever follows it" {
  for command in estimate tokens calibrate validate list diff; do
    [ "$(valued "$command" | wc -l)" -gt 2 ]
    while read -r option; do
      refused 2 "$option needs a value" "$command" "$option=" --no-config
    done < <(valued "$command")
  done
  while read -r option; do
    refused 2 "$option needs a value" estimate "$option" '' --no-config
  done < <(valued estimate)
  refused 2 --overlap estimate --params 7e9 --overlap= --brief
  refused 2 --gpus estimate --params 7e9 --gpus= --brief
  refused 2 --verbose estimate --params 1e9 --verbose=
}

@test "scenario files that are broken" {
  printf '{"model": {"parms": 7e9}}' > misspelt.json
  refused 1 model.params estimate --scenario misspelt.json
  printf '{"model": {"params": 7e9, "params": 8e9}}' > duplicate.json
  refused 1 'params' estimate --scenario duplicate.json
  printf '{"model": {"params": 7e9' > truncated.json
  refused 1 'truncated.json' estimate --scenario truncated.json
  : > empty.json
  refused 1 'empty' estimate --scenario empty.json
  refused 1 'missing.json' estimate --scenario missing.json
  refused 1 'directory' estimate --scenario .
  head -c 100000000 /dev/zero > garbage.json
  refused 1 'garbage.json' estimate --scenario garbage.json
}

@test "whatever is wrong in a scenario file has one exit code" {
  wrong() {
    printf '%s' "$1" > wrong.json
    refused 1 "$2" estimate --scenario wrong.json
    refused 1 "$2" memory --scenario wrong.json
    refused 1 "$2" sweep --scenario wrong.json --vary hardware.gpus=8,16
  }
  wrong '{"model": {"params": -5}}' 'wrong.json#/model/params'
  wrong '{"model": {"params": "abc"}}' 'wrong.json#/model/params'
  wrong '{"model": {"params": 1e99}}' 'wrong.json#/model/params'
  wrong '{"model": 3}' 'wrong.json#/model'
  wrong '{"train": {"precision": "bf61"}}' bf16
  wrong '{"model": {"params": 5e9, "name": "llama-2-7b"}}' ''
  wrong '{"hardware": {"accelerator": ["b200", "b200"]}}' ''
  wrong '{"model": {"parms": 5e9}}' model.params
}

@test "an accelerator named twice is refused by every command" {
  twice=(--params 1e9 --tokens 1e9 --accelerator h100-sxm,h100-sxm)
  for command in estimate memory "solve --budget 1000" "sweep --vary hardware.gpus=8,16" \
    "experiments --runs 2"; do
    # shellcheck disable=SC2086
    refused 2 '' $command "${twice[@]}"
  done
  measured=(--params 1e9 --tokens 1e9 --from h100-sxm --from-gpus 8 --measured 2h)
  refused 2 --to transfer "${measured[@]}" --to h200,h200
  refused 2 '' transfer "${measured[@]}" --to h200,h200:8
  refused 2 --vary sweep --params 1e9 --vary hardware.accelerator=b200,b200
}

@test "outputs that cannot be written leave nothing behind" {
  refused 1 /nonexistent/folder/out.json estimate --params 7e9 -o /nonexistent/folder/out.json
  refused 1 'directory' estimate --params 7e9 -o "$BATS_TEST_TMPDIR"
  echo kept > "$BATS_TEST_TMPDIR/kept.json"
  refused 2 'negative' estimate --params -7 -o "$BATS_TEST_TMPDIR/kept.json"
  [ "$(cat "$BATS_TEST_TMPDIR/kept.json")" = kept ]
}

@test "questions that contradict themselves" {
  refused 2 --tokens-per-param estimate --params 7e9 --tokens 1e9 --tokens-per-param 20
  refused 2 --tokens-per-param estimate --params 7e9 --samples 1e6 --tokens-per-param 20
  refused 2 'pixels' estimate --params 7e9 --modality vl --image-size 0x0
  refused 2 --model estimate --params 7e9 --model llama-2-7b
  refused 2 --seq-length estimate --model llava-1.5-7b --samples 5e4 \
    --images-per-sample 500 --seq-length 4096
  refused 2 '' estimate
  refused 2 --train-language estimate --params 7e9 --train-language frozen
}

@test "values outside of the contract's ranges" {
  refused 2 --params estimate --params 1
  refused 2 --params estimate --params 1e17
  refused 2 --tokens estimate --params 7e9 --tokens 1e21
  refused 2 --gpus estimate --params 7e9 --gpus 1e8
  refused 2 --mfu estimate --params 7e9 --mfu 1.5
  refused 2 --mfu estimate --params 7e9 --mfu 0
  refused 2 'negative' estimate --params 7e9 --price -2
  refused 2 --price estimate --params 7e9 --price 0
}

@test "degrees that do not multiply to the GPUs" {
  refused 2 --tp estimate --params 7e9 --accelerator h100-sxm --gpus 8 --tp 3
  refused 2 16 estimate --params 7e9 --accelerator h100-sxm --gpus 8 \
    --tp 2 --pp 2 --dp 4 --cp 1
  # Also where a degree is open that cannot take the rest.
  refused 2 64 estimate --params 7e9 --gpus 128 --tp 8 --pp 4 --dp 2
}

@test "a question beyond every cluster says how far, and offers only what flags accept" {
  refused 1 10,000,000 estimate --params 1e16
  refused 1 10,000,000 estimate --params 20e9 --deadline 1s --accelerator h100-sxm
  # No hint names more accelerators than --gpus takes.
  refused 1 10,000,000 estimate --params 1e16 --tokens 1e9 --gpus 1e7 --precision fp32 \
    --goodput 1 --accelerator v100-sxm-32gb
  lacks '[0-9]{9}' err.txt
}

@test "a format that the chip lacks is said, not replaced" {
  refused 1 --precision estimate --params 7e9 --accelerator a100-sxm-80gb --precision fp8
}

@test "a closed pipe ends quietly" {
  for format in table json csv; do
    status=0
    { "$TRCOST" estimate --params 7e9 --format "$format" 2> err.txt || status=$?
      echo "$status" > status.txt; } | head -c 1 > /dev/null
    [ "$(cat status.txt)" -eq 0 ]
    lacks error err.txt
  done
}

@test "a full disk is an error" {
  [ -e /dev/full ] || skip
  status=0
  "$TRCOST" estimate --params 7e9 > /dev/full 2> err.txt || status=$?
  [ "$status" -eq 1 ]
  grep -q 'error: stdout' err.txt
}

@test "vision-language questions that cannot be" {
  refused 2 4096 estimate \
    --model llava-1.5-7b --samples 5e4 --images-per-sample 500
  refused 2 --images-per-sample estimate --params 7e9 --modality vl \
    --samples 5e4 --images-per-sample 500
  refused 2 --connector estimate --params 7e9 \
    --vision-encoder clip-vit-b-32 --connector pixel-shuffle
  refused 2 27 estimate --model llama-2-7b --vision-encoder siglip-so400m-14-384 \
    --connector pixel-shuffle
  refused 2 --connector estimate --model clip-vit-l-14 --connector mlp
  refused 2 --modality estimate --params 7e9 --modality text --vision-encoder 1B
  refused 2 31623x31623 estimate --params 7e9 --modality vl --image-size 31623x31623
  refused 2 --image tokens --family vit --image 1000000000x1
  refused 2 --train-connector estimate --params 7e9 --modality vl --train projector \
    --train-connector frozen
  refused 2 --train estimate --params 7e9 --train projector
  refused 2 --vision-encoder estimate --params 70e9 --vision-encoder 3.5B
}

@test "a model file whose connector does not fit its encoder" {
  cd "$BATS_TEST_TMPDIR"
  local language='"language":{"layers":2,"hidden":64,"heads":4,"ffn":128,"vocab":100}'
  printf '{"name":"x",%s,"vision":{"encoder":"clip-vit-l-14-336","connector":%s}}' "$language" \
    '{"kind":"mlp","input_width":1152}' > width.json
  refused 1 1152 estimate --model ./width.json
  printf '{"name":"x",%s,"vision":{"encoder":"siglip-so400m-14-384","connector":"pixel-shuffle"}}' \
    "$language" > grid.json
  refused 1 27 estimate --model ./grid.json
}

@test "every command refuses every kind of bad input with one message and writes nothing" {
  printf '{"model": {"params": 7e9' > truncated.json
  printf '{"model": {"params": 7e9, "params": 8e9}}' > duplicate.json
  printf '{"model": {"parms": 7e9}}' > misspelt.json
  printf '[]' > list.json
  : > empty.json
  echo kept > kept.json
  for command in estimate memory "sweep --vary hardware.gpus=8,16" "solve --budget 1000" \
    "experiments --runs 2" "transfer --from b200 --from-gpus 8 --measured 2h --to h200"; do
    while IFS='|' read -r expected arguments; do
      # shellcheck disable=SC2086
      refused "$expected" '' $command $arguments -o kept.json
      [ "$(cat kept.json)" = kept ]
      [ "$(wc -l <err.txt)" -le 2 ]
    done <<'END'
2|--params -5
2|--params nan
2|--params 1e400
2|--params 10Q
2|--params 0x10
2|--params 1e17
2|--params
2|--params 7e9 --params 8e9
2|--parms 7e9
2|--params 7e9 --tokens 0
2|--params 7e9 --seq-length 1e9
2|--params 7e9 --price -1
2|--params 7e9 --price 0
2|--params 7e9 --price 3..1
2|--params 7e9 --modality vl --image-size 0x0
2|--params 7e9 --model llama-2-7b
2|--params 7e9 --tokens 1e9 --stack foo
2|--params 7e9 --tokens 1e9 --system foo
2|--params 7e9 --vision-encoder foo
2|--params 7e9 --tokens 1e9 --format foo
2|--params 7e9 --tokens 1e9 --color purple
1|--scenario truncated.json
1|--scenario duplicate.json
1|--scenario misspelt.json
1|--scenario list.json
1|--scenario empty.json
1|--scenario missing.json
1|--scenario .
1|--params 7e9 --data-dir missing
1|--params 7e9 --config missing.json
END
  done
}

@test "what is said of an option is said in this program's words" {
  refused 2 --params estimate --params
  refused 2 --params estimate --params --tokens 1e9
  refused 2 --gpus estimate --params 7e9 --gpus 8 --gpus 16
  refused 2 --strict estimate --params 7e9 --strict=foo
  refused 2 purple estimate --params 7e9 --color purple
  refused 2 --deadline estimate --params 7e9 --deadline 3x
  refused 2 --accelerator estimate --params 7e9 --accelerator ,
  refused 2 '' -q
  refused 2 prices prices
  # The nearest that exists is the answer; the message is one all the same.
  run_trcost solve --budget 1e-9 --accelerator h100-sxm,b200
  [ "$code" -eq 1 ]
  [ "$(grep -c error: err.txt)" -eq 1 ]
}

@test "a degree that does not divide is named, not the GPUs" {
  refused 2 --tp estimate --params 7e9 --accelerator h100-sxm --gpus 8 --tp 3
  refused 2 --etp estimate --model mixtral-8x7b --accelerator h100-sxm --gpus 16 --ep 8 --etp 4
  refused 2 --etp estimate --params 7e9 --accelerator h100-sxm --gpus 8 --etp 2
}

@test "a system that does not exist leads to those of the accelerator" {
  for name in ethernet infiniband 400g; do
    refused 2 "" estimate --params 7e9 --accelerator h100-sxm --system "$name"
    grep -q 'hint: .*dgx-h100' err.txt
    grep -q 'hgx-h100-800g' err.txt
  done
  sed 's/"system": *"[^"]*"/"system": "dgx-none"/' "$BATS_TEST_DIRNAME/../../examples/accelerators/my-chip.json" >mine.json
  refused 1 'mine.json#/system' estimate --params 7e9 --accelerator ./mine.json
}

@test "a percentage without its sign" {
  refused 2 45 estimate --params 7e9 --mfu 45
  grep -qF '0.45' err.txt
}

@test "samples that are not packed and the length of a sequence" {
  refused 2 --seq-length \
    estimate --model llava-1.5-7b --samples 5e4 --text-tokens-per-sample 324 --seq-length 700 \
    --accelerator h100-sxm --gpus 8
  run_trcost estimate --model llava-1.5-7b --samples 5e4 --text-tokens-per-sample 324 --seq-length 4096 \
    --accelerator h100-sxm --gpus 8
  [ "$code" -eq 0 ]
  grep -q -- 'warning: samples have 900 tokens .*4,096' err.txt
  run_trcost estimate --model llava-1.5-7b --samples 5e4 --seq-length 700 --packing packed \
    --accelerator h100-sxm --gpus 8
  [ "$code" -eq 0 ]
}

@test "rounds of a method that there is none of, and of none at all" {
  mkdir -p folder/assumed
  rounds() {
    sed "$1" "$BATS_TEST_DIRNAME/../../data/assumed/scenario.json" >folder/assumed/scenario.json
    run_trcost estimate --method grpo --model llama-3.1-8b --accelerator h100-sxm --data-dir folder
  }
  rounds 's/"method": "grpo"/"method": "grpa"/'
  was_refused 1 '"grpa"'
  rounds 's/"method": "ppo"/"method": "dpo"/'
  was_refused 1 ''
  rounds 's/"method": "distill"/"method": "ppo"/'
  was_refused 1 ''
}
