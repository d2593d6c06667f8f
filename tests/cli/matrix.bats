#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every command in every format: it works, or one line says why not.

load program

formats=(table json jsonl csv md html xlsx)

# One question for every command; what it needs is made here.
questions() {
  "$TRCOST" estimate --params 1e9 --price 2 --format json >a.json
  "$TRCOST" estimate --params 1e9 --price 3 --format json >b.json
  printf 'InstanceType,AcceleratorName,AcceleratorCount,Price,Region,GpuInfo,SpotPrice\n%s\n' \
    'gpu_8x,H100,8,26.32,us-east-1,,' >vms.csv
  cp "$BATS_TEST_DIRNAME/../../examples/calibrate/rows.csv" .
  cat <<'END'
estimate --params 1e9 --accelerator h100-sxm,b200
memory --params 7e9 --accelerator h100-sxm
sweep --params 1e9 --tokens 1e9 --accelerator h100-sxm --vary hardware.gpus=8,16
solve --for gpus --duration 5d --params 1e9 --tokens 20e9 --accelerator h100-sxm
diff a.json b.json
transfer --params 1e9 --tokens 1e9 --from a100-sxm-80gb --from-gpus 8 --measured 20h --to h200
experiments --params 10B --tokens 200B --runs 2 --params-fraction 0.1 --tokens-fraction 0.1 --accelerator h100-sxm
serve --model llama-3.1-8b --accelerator h100-sxm
tokens --image 1920x1080
tokens --families
validate --accelerator v100-sxm-32gb
validate --accelerator v100-sxm-32gb --rows
validate --accelerator v100-sxm-32gb --summary
validate --runs
validate --vision
validate --memory
validate --memory --rows
validate --posttraining
validate --posttraining --rows
validate --serving --model llama-2-7b
validate --serving --model llama-2-7b --rows
validate --calibrated --source IBM
calibrate --measured rows.csv --stack fsdp-compiled
prices import vms.csv --provider lambda --date 2026-11-20
list
list systems
list prices --accelerator h100-sxm
show models llama-3.1-8b
show prices h100-sxm
config show
config path
schema
schema memory
completions bash
help
help ranges
--version
END
}

# The last run gave an answer, or one line that says why not.
answered() {
  case $code in
    0 | 3) [ -s "$1" ] || { echo "nothing written: $2"; return 1; } ;;
    *) { [ "$code" -eq 2 ] && [ ! -s "$1" ] && [ "$(grep -c 'error: ' err.txt)" -eq 1 ]; } || {
      echo "exit code $code: $2: $err"
      return 1
    } ;;
  esac
}

# Commands that answer a question, which have every format.
answers_a_question() {
  case $1 in
    prices* | show* | config* | schema* | completions* | help* | --version) return 1 ;;
  esac
}

@test "every command prints every format, or one line that says why not" {
  questions >questions.txt
  while read -r question; do
    for format in "${formats[@]}"; do
      # shellcheck disable=SC2086  # words on purpose
      run_trcost $question --format "$format"
      answered out.txt "$question --format $format"
      if answers_a_question "$question" && [ "$code" -ne 0 ]; then
        echo "$question --format $format: $err"
        return 1
      fi
    done
  done <questions.txt
}

@test "every command writes a file of every extension, or one line that says why not" {
  questions >questions.txt
  while read -r question; do
    for format in json jsonl csv md html xlsx; do
      rm -f "answer.$format"
      # shellcheck disable=SC2086  # words on purpose
      run_trcost $question -o "answer.$format"
      touch "answer.$format"
      answered "answer.$format" "$question -o answer.$format"
    done
  done <questions.txt
}
