#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What validate replays, and which flags go with which of it.

load program

@test "what does not go together is refused with one message" {
  while IFS='|' read -r says flags; do
    read -ra words <<<"$flags"
    refused 2 "$says" validate "${words[@]}"
  done <<'END'
--runs and --serving are replayed apart|--runs --serving
--vision and --memory and --calibrated are replayed apart|--calibrated --memory --vision
does not take --task|--calibrated --task lora
does not take --rows|--runs --rows
does not take --summary|--runs --summary
does not take --accelerator, --stack, --source, --task, --model|--runs --accelerator b200 --stack fsdp --source a --task sft --model b
does not take --default-tuning|--serving --default-tuning
does not take --task|--serving --task lora
does not take --rows|--vision --rows
exclude each other|--rows --summary
END
}

@test "a judgement names the command that shows what it is of" {
  while IFS='|' read -r flags shows; do
    read -ra words <<<"$flags"
    run_trcost validate "${words[@]}" --max-error 0.1%
    [ "$code" -eq 3 ]
    grep -q "\`trcost validate$shows\`" err.txt || return 1
  done <<'END'
--accelerator v100-sxm-32gb| --rows
--runs| --runs
--vision| --vision
--memory| --memory --rows
END
  run_trcost validate --vision --max-error 0.1%
  left=$(grep -o 'on sources left out of the fit is [0-9.]*' err.txt | grep -o '[0-9.]*$')
  factor=$(tr '\n' ' ' <out.txt | grep -o 'by a factor of [0-9.]*' | head -1 | grep -o '[0-9.]*$')
  awk "BEGIN { exit !(($factor - 1 - $left / 100) ^ 2 <= 0.006 ^ 2) }"  # both are rounded
}

@test "sources are read in a line or two, and columns without a value are left out" {
  COLUMNS=100 run_trcost validate --details
  [ "$code" -eq 0 ]
  fits_the_page
  sed -n '/^Errors by source/,$p' out.txt | grep -q 'MosaicML llm-foundry benchmarking'
  for subject in --memory --serving; do
    run_trcost validate "$subject"
    ! grep -q 'left out  ' out.txt || return 1
  done
}
