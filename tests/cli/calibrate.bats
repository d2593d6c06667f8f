#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A stack file of one's own from measured steps, and estimates with it.

load program

rows="$BATS_TEST_DIRNAME/../../examples/calibrate/rows.csv"
megatron_log() {  # seconds, batch
  for i in 1 2 3 4 5 6 7 8; do
    printf ' iteration %d/ 100 | elapsed time per iteration (ms): %s | global batch size: %s | lm loss: 2.0 |\n' \
      "$i" "$1" "$2"
  done
}

@test "estimates follow the steps that a stack was calibrated to, with a narrower range" {
  run_trcost calibrate --measured "$rows" --stack fsdp-compiled -o my-stack.json
  [ "$code" -eq 0 ]
  [ -z "$err" ]
  question=(estimate --model llama-2-7b --accelerator h100-sxm --system hgx-h100-800g --gpus 96 --tp 1 --pp 1 --dp 96
    --sharding hybrid --micro-batch 2 --global-batch 192 --recompute none --tokens 1e11 --format json)
  "$TRCOST" "${question[@]}" --stack fsdp-compiled >before.json 2>err.txt
  "$TRCOST" "${question[@]}" --stack my-stack.json >after.json 2>err.txt
  jq -s -e '.[0].estimates[0].performance.tokens_per_second_per_gpu < 8700 and
    (.[1].estimates[0].performance.tokens_per_second_per_gpu | . > 9200 and . < 10000) and
    .[1].estimates[0].performance.quality.sigma < .[0].estimates[0].performance.quality.sigma and
    .[1].estimates[0].performance.quality.rows == 3' before.json after.json
}

@test "any command takes the file, and its own name stands for no catalog entry" {
  run_trcost calibrate --measured "$rows" --stack fsdp-compiled -o my-stack.json
  COLUMNS=120 "$TRCOST" show stacks my-stack.json | grep -q fsdp-compiled-calibrated
  "$TRCOST" memory --params 7e9 --stack my-stack.json >out.txt
  "$TRCOST" sweep --params 7e9 --vary hardware.gpus=8..32:x2 --tokens 1e10 --stack my-stack.json \
    --accelerator h100-sxm --format csv | grep -c ok || true
  # Calibrated once more, it still knows where it came from.
  run_trcost calibrate --measured "$rows" --stack my-stack.json -o again.json
  [ "$(jq -r .measured.base again.json)" = fsdp-compiled ]
  run_trcost estimate --model llama-2-7b --tokens 1e9 --accelerator h200 --gpus 8 --stack my-stack.json
  [[ "$err" == *"a100-sxm-80gb, h100-sxm"* ]]
}

@test "a log says its time, flags the rest; no path of it is in the file" {
  mkdir -p secret/place
  { echo "save ......................... /home/me/secret/checkpoints"; megatron_log 9000.0 512; } >secret/place/train.log
  run_trcost calibrate --log secret/place/train.log --model llama-3.1-8b --accelerator h100-sxm --gpus 64 \
    --tp 1 --pp 1 --dp 64 --seq-length 8192 --stack megatron -o my-stack.json --format json
  [ "$code" -eq 0 ]
  jq -e '.rows[0] | .name == "train.log" and .measured_seconds == 9 and .layout.global_batch == 512' out.txt
  lacks "secret|/home" my-stack.json
}

@test "a clear answer to logs that say too little" {
  megatron_log 9000.0 512 >train.log
  question=(--model llama-3.1-8b --accelerator h100-sxm)
  refused 2 train.log calibrate --log train.log "${question[@]}"
  refused 2 train.log calibrate --log train.log --accelerator h100-sxm --gpus 64
  refused 2 'accelerator' calibrate --log train.log --model llama-3.1-8b --gpus 64
  refused 1 calibrate calibrate --log "$rows" "${question[@]}" --gpus 8
  refused 1 nothing.log calibrate --log nothing.log "${question[@]}" --gpus 8
  refused 1 'directory' calibrate --log . "${question[@]}" --gpus 8
  refused 2 calibrate calibrate --model llama-3.1-8b
  refused 2 train.log calibrate --log train.log --model llama-3.2-1b --accelerator h100-sxm \
    --gpus 8 --global-batch 8 --micro-batch 1 --seq-length 512
  refused 2 --mfu calibrate --log train.log "${question[@]}" --gpus 64 --mfu 0.4
}

@test "a clear answer to rows that say too little or nonsense" {
  head -1 "$rows" >empty.csv
  refused 1 empty.csv calibrate --measured empty.csv
  printf 'model,accelerator,gpus,seq_length,tokens_per_second_per_gpu\nllama-3.1-8b,h100-sxm,8,4096,nan\n' >nan.csv
  refused 1 nan.csv calibrate --measured nan.csv
  printf 'model,accelerator,gpus,seq_length,tokens_per_second_per_gpu,stack\nllama-3.1-8b,h100,8,4096,9000,fsdp\nllama-3.1-8b,h100,8,4096,9000,megatron\n' >two.csv
  refused 2 --measured calibrate --measured two.csv
  printf 'model,accelerator,gpus,seq_length\nllama-3.1-8b,h100,8,4096\n' >none.csv
  refused 1 none.csv calibrate --measured none.csv
  printf 'model,accelerator,seq_length,step_seconds,global_batch\nllama-3.1-8b,h100,4096,1,8\n' >gpus.csv
  refused 1 gpus.csv calibrate --measured gpus.csv
  printf 'modle,accelerator,gpus,seq_length,tokens_per_second_per_gpu\nllama-3.1-8b,h100,8,4096,9000\n' >typo.csv
  refused 1 typo.csv calibrate --measured typo.csv
  # 6 x 8.03e9 FLOP a token and more: an H100 of 989 TFLOP/s cannot do 25,000 of them a second.
  printf 'model,accelerator,gpus,seq_length,tokens_per_second_per_gpu\nllama-3.1-8b,h100,8,4096,25000\n' >fast.csv
  refused 2 8 calibrate --measured fast.csv
}

@test "a step far off moves the file little alone, and says so" {
  printf 'model,accelerator,gpus,seq_length,tokens_per_second_per_gpu\nllama-3.1-8b,h100,8,4096,3000\n' >slow.csv
  run "$TRCOST" calibrate --measured slow.csv
  [ "$status" -eq 0 ]
  [[ $output != *"the steps scatter"* ]]
}

@test "rows that contradict each other widen the range and are named" {
  printf 'id,model,accelerator,gpus,tp,pp,dp,micro_batch,global_batch,seq_length,recompute,sharding,tokens_per_second_per_gpu\n' >rows.csv
  printf 'one,llama-3.1-8b,h100-sxm,64,1,1,64,1,512,8192,full,parameters,9000\r\n' >>rows.csv
  printf 'two,llama-3.1-8b,h100-sxm,64,1,1,64,1,512,8192,full,parameters,4500\r\n' >>rows.csv
  run_trcost calibrate --measured rows.csv --stack fsdp -o my-stack.json --accelerator h200
  [ "$code" -eq 0 ]
  [[ "$err" == *"one and two "* ]]
  [[ "$err" == *h200* ]]
}

@test "the file goes to stdout, and never over what was read" {
  "$TRCOST" calibrate --measured "$rows" --stack fsdp-compiled -o - 2>err.txt | jq -e '.measured.rows == 3'
  cp "$rows" mine.csv
  refused 2 mine.csv calibrate --measured mine.csv --stack fsdp-compiled -o mine.csv
  cmp "$rows" mine.csv
}

@test "the report and the curve of validate in every format" {
  for question in "rows calibrate --measured $rows --stack fsdp-compiled" \
    'sources validate --calibrated --source IBM'; do
    # shellcheck disable=SC2086
    python3 "$BATS_TEST_DIRNAME/formats.py" "$TRCOST" $question
  done
}
