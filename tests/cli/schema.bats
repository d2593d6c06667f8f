#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# JSON Schemas: those shipped are those that the tables make, and answers are what they say.

load program

schemas="$BATS_TEST_DIRNAME/../../data/schemas"

needs_validator() {
  /usr/bin/python3 -c 'import jsonschema' 2>/dev/null || skip "needs python3-jsonschema"
}

# NAME COMMAND...: the answer of the command against the schema.
valid() {
  local name=$1 how=
  shift
  case $name in sweep | solve) how=open ;; esac
  "$TRCOST" "$@" --format json >answer.json 2>err.txt || [ $? -eq 3 ] || {
    cat err.txt
    return 1
  }
  /usr/bin/python3 "$BATS_TEST_DIRNAME/schema.py" "$schemas/$name.schema.json" answer.json $how || {
    echo "$*"
    return 1
  }
}

@test "the schemas that are shipped are those that the tables make" {
  "$TRCOST" schema --format json | jq -r '.schemas[].name' >names.txt
  [ "$(wc -l <names.txt)" -ge 9 ]
  while read -r name; do
    "$TRCOST" schema "$name" | cmp - "$schemas/$name.schema.json" || {
      echo "trcost schema $name > data/schemas/$name.schema.json"
      return 1
    }
  done <names.txt
  [ "$(find "$schemas" -name '*.json' | wc -l)" -eq "$(wc -l <names.txt)" ]
  refused 2 schema schema estimat
  grep -q estimate err.txt
}

@test "answers of estimate are what the schema says" {
  needs_validator
  valid estimate estimate --params 10e9 --modality vl
  valid estimate estimate --params 10e9 --details --explain --accelerator h100-sxm,v100-sxm-32gb --precision fp8
  valid estimate estimate --method grpo --model llama-3.1-8b --gpus 32 --accelerator h100-sxm
  valid estimate estimate --params 7e9 --tokens 1e12 --pricing own
  valid estimate estimate --model mixtral-8x7b --tokens 1e11 --accelerator tpu-v5e
  for file in "$BATS_TEST_DIRNAME"/../../examples/scenarios/*.json; do
    valid estimate estimate --scenario "$file"
  done
  TRCOST_COST_PRICE_CLASS=hyperscaler valid estimate estimate --params 1e9
}

@test "answers of the other commands are what their schemas say" {
  needs_validator
  valid memory memory --params 7e9
  valid memory memory --params 1e9 --precision fp8 --accelerator v100-sxm-32gb,h100-sxm
  valid sweep sweep --params 7e9 --vary hardware.gpus=1,8,64 --vary train.precision=bf16,fp8
  valid sweep sweep --params 7e9 --vary hardware.gpus=8 --select cost.total,performance.mfu
  valid solve solve --for tokens --budget 1M --params 7e9
  valid solve solve --for gpus --duration 10d --params 7e9 --tokens 1e11 --accelerator h100-sxm
  valid solve solve --gpus 20000 --duration 4mo --mfu 0.4 --price 2 --accelerator h100-sxm
  "$TRCOST" estimate --params 1e9 --format json >a.json 2>err.txt
  "$TRCOST" estimate --params 2e9 --format json >b.json 2>err.txt
  valid diff diff a.json b.json
  valid diff diff a.json a.json
  valid transfer transfer --model llama-2-7b --train lora --tokens 2e9 --from a100-sxm-80gb \
    --from-gpus 8 --measured 20h --to h200,b200
  valid experiments experiments --params 10B --tokens 200B --runs 20 --params-fraction 0.1 \
    --tokens-fraction 0.1
  valid serve serve --model llama-3.1-70b
  valid serve serve --model gpt-oss-120b --accelerator b200 --precision mxfp4 --claim "0.02 USD/Mtok"
  valid tokens tokens --image 1920x1080
  valid tokens tokens --family qwen2-vl --video 1280x720 --seconds 60 --fps 2
}

@test "answers of validate are what its schemas say" {
  needs_validator
  valid validate validate --accelerator h100-sxm --stack megatron
  valid validate-runs validate --runs
  valid validate-vision validate --vision
  valid validate-memory validate --memory
  valid validate-posttraining validate --posttraining
  valid validate-calibrated validate --calibrated --source IBM
  valid calibrate calibrate --measured "$BATS_TEST_DIRNAME/../../examples/calibrate/rows.csv" --stack fsdp-compiled
  valid validate-serving validate --serving --model llama-3.1-70b
}
