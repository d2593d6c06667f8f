#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `trcost sweep` through the real program.

load program

sweep() {
  run_trcost sweep "$@"
}

# A grid of fixed layouts, $1 prices long; more flags may follow.
fixed() {
  local last=$1
  shift
  grid=(--params 7e9 --tokens 1e11 --accelerator "h100-sxm,b200" --tp 1 --pp 1 --cp 1
    --micro-batch 1 --global-batch 256 --sharding optimizer --recompute selective
    --vary "hardware.gpus=8..64:x2" --vary "cost.price_per_gpu_hour=1..$last:0.001"
    --select "performance.mfu,gpu_hours,cost.total" "$@")
}

@test "a row per scenario, the varied fields first" {
  sweep --vary model.params=1e9,3e9 --vary hardware.gpus=8,16 --tokens 1e11 \
    --accelerator h100-sxm --select cost.total,accelerator
  [ "$code" -eq 0 ]
  [ "$(head -1 out.txt)" = "model.params,hardware.gpus,cost.total,accelerator,error" ]
  [ "$(wc -l <out.txt)" -eq 5 ]
  [ "$(cut -d, -f1,2 out.txt | tail -4 | tr '\n' ' ')" = \
    "1000000000,8 1000000000,16 3000000000,8 3000000000,16 " ]
}

@test "every column of the contract stands in a full row" {
  sweep --vary hardware.gpus=8 --params 1e9 --tokens 1e10 --accelerator h100-sxm --format jsonl
  [ "$code" -eq 0 ]
  jq -e 'has("performance.mfu") and has("cost.total") and has("range.total_usd.p90")
    and has("memory.fits") and ."hardware.gpus" == 8 and .error == null' <<<"$out"
  [ "$(jq -r 'keys_unsorted[0]' <<<"$out")" = hardware.gpus ]
}

@test "a scenario without an answer is a row, and its count ends on stderr" {
  sweep --vary train.precision=bf16,fp8 --params 1e9 --tokens 1e10 --gpus 8 \
    --accelerator a100-sxm-80gb --select cost.total
  [ "$code" -eq 0 ]
  [ "$(wc -l <out.txt)" -eq 3 ]
  [[ $(tail -1 out.txt) == *fp8* ]]
  [[ $err == *"warning: 1 of 2 "* ]]
  sweep --strict --vary train.precision=bf16,fp8 --params 1e9 --tokens 1e10 --gpus 8 \
    --accelerator a100-sxm-80gb --select cost.total
  [ "$code" -eq 3 ]
  sweep --vary train.precision=fp8,mxfp8 --params 1e9 --tokens 1e10 --gpus 8 \
    --accelerator a100-sxm-80gb
  [ "$code" -eq 1 ]
}

@test "json is one document, the format follows the extension" {
  sweep --vary hardware.gpus=8,16 --params 1e9 --tokens 1e10 --accelerator h100-sxm \
    --select cost.total -o rows.json
  [ "$code" -eq 0 ]
  [ "$(jq '.rows | length' rows.json)" -eq 2 ]
  [ "$(jq -r .schema_version rows.json)" = 1.2 ]
  sweep --vary hardware.gpus=8,16 --params 1e9 --tokens 1e10 --accelerator h100-sxm \
    --where cost.total\>1e9 --format json
  [ "$(jq -c .rows <<<"$out")" = '[]' ]
}

@test "threads and parts give the same bytes" {
  fixed 2
  "$TRCOST" sweep "${grid[@]}" --threads 1 -o whole.csv
  "$TRCOST" sweep "${grid[@]}" --threads 4 -o four.csv
  cmp whole.csv four.csv
  [ "$(wc -l <whole.csv)" -eq $((1 + 4 * 1001 * 2)) ]
  for part in 1 2 3; do "$TRCOST" sweep "${grid[@]}" --shard $part/3 >>parts.csv; done
  cmp whole.csv parts.csv
}

# Waits until a file holds more than so many bytes or its writer has ended.
grown() {
  local file=$1 bytes=$2 writer=$3
  while kill -0 "$writer" 2>/dev/null; do
    [ ! -e "$file" ] || [ "$(wc -c <"$file")" -le "$bytes" ] || return 0
    sleep 0.005
  done
}

@test "cut off at any byte and resumed, the file is the same" {
  fixed 2
  "$TRCOST" sweep "${grid[@]}" -o whole.csv
  size=$(wc -c <whole.csv)
  header=$(head -1 whole.csv | wc -c)
  # The places where a cut differs in kind, then some in between.
  for bytes in 0 1 $((header - 1)) "$header" $((header + 1)) $((size - 1)) "$size" \
    $((size / 7)) $((size / 3)) $((size / 3 + 1)) $((size / 2)) $((size * 9 / 10)); do
    head -c "$bytes" whole.csv >part.csv
    "$TRCOST" sweep "${grid[@]}" --threads $((1 + bytes % 3)) --resume part.csv
    cmp whole.csv part.csv
  done
}

@test "killed again and again and resumed, the file is the same" {
  fixed 300
  "$TRCOST" sweep "${grid[@]}" -o whole.csv
  size=$(wc -c <whole.csv)
  for tenth in 0 1 2 4 6; do
    "$TRCOST" sweep "${grid[@]}" --threads $((1 + tenth % 3)) --resume part.csv 2>>log.txt &
    writer=$!
    grown part.csv $((size * tenth / 10)) "$writer"
    # A background job of a script ignores SIGINT, so TERM stands for it.
    if [ $((tenth % 4)) -eq 0 ]; then signal=KILL; else signal=TERM; fi
    kill -"$signal" "$writer" 2>/dev/null || true
    status=0
    wait "$writer" || status=$?
    case $status in
      0 | 130 | 137 | 143) ;; # 0: ended first; 143: before it had begun
      *) cat log.txt && return 1 ;;
    esac
  done
  "$TRCOST" sweep "${grid[@]}" --resume part.csv
  cmp whole.csv part.csv
  # Continuing what is complete changes nothing.
  "$TRCOST" sweep "${grid[@]}" --resume part.csv
  cmp whole.csv part.csv
}

@test "an interruption ends with 130 and a file of whole rows" {
  fixed 1000
  "$TRCOST" sweep "${grid[@]}" -o part.csv 2>err.txt &
  writer=$!
  grown part.csv 1000 "$writer"
  kill -TERM "$writer"
  status=0
  wait "$writer" || status=$?
  [ "$status" -eq 130 ]
  grep -q -- '--resume part.csv' err.txt
  [ "$(tail -c 1 part.csv | od -An -c | tr -d ' ')" = '\n' ]
  [ "$(wc -l <part.csv)" -gt 1 ]
}

@test "a file of another sweep is refused and left as it is" {
  fixed 2
  "$TRCOST" sweep "${grid[@]}" -o part.csv
  cp part.csv before.csv
  sweep "${grid[@]/1e11/2e11}" --resume part.csv
  [ "$code" -eq 1 ]
  [[ $err == *part.csv* ]]
  cmp part.csv before.csv
  echo "notes of mine" >part.csv
  cp part.csv before.csv
  sweep "${grid[@]}" --resume part.csv
  [ "$code" -eq 1 ]
  cmp part.csv before.csv
}

@test "a changed value in the middle of an axis is another sweep" {
  axes=(--params 7e9 --tokens 1e11 --accelerator h100-sxm --mfu 0.4 --tp 1 --pp 1
    --vary "cost.price_per_gpu_hour=1..2:0.01" --select cost.total)
  "$TRCOST" sweep --vary "hardware.gpus=8,16,24,32" "${axes[@]}" 2>log.txt | head -n 280 >part.csv
  cp part.csv before.csv
  sweep --vary "hardware.gpus=8,64,24,32" "${axes[@]}" --resume part.csv
  was_refused 1 part.csv
  cmp part.csv before.csv
}

@test "an interruption of the check ends with 130 and how to go on" {
  fixed 1 --where "cost.total>1e12"
  "$TRCOST" sweep "${grid[@]}" -o part.csv 2>log.txt
  printf 8 >>part.csv
  cp part.csv before.csv
  # Millions of rows that --where leaves out could come before the row that was cut off.
  fixed 300 --where "cost.total>1e12"
  for seconds in 0.3 1 3 10; do
    "$TRCOST" sweep "${grid[@]}" --resume part.csv 2>err.txt &
    writer=$!
    sleep $seconds
    kill -TERM "$writer"
    status=0
    wait "$writer" || status=$?
    [ "$status" -eq 143 ] || break # 143: before it had begun
  done
  [ "$status" -eq 130 ]
  grep -q -- '--resume part.csv' err.txt
  cmp part.csv before.csv
}

@test "wherever a file was cut, going on ends with the same exit code" {
  # The last of the rows have no answer: alone, they would be a failure.
  mixed=(--params 1e9 --tokens 1e10 --gpus 8 --accelerator a100-sxm-80gb --select cost.total
    --vary "train.precision=bf16,fp8,mxfp8")
  "$TRCOST" sweep "${mixed[@]}" -o whole.csv
  for lines in 0 1 2 3 4; do
    head -n "$lines" whole.csv >part.csv
    sweep "${mixed[@]}" --resume part.csv
    [ "$code" -eq 0 ]
    cmp part.csv whole.csv
    head -n "$lines" whole.csv >part.csv
    sweep "${mixed[@]}" --strict --resume part.csv
    [ "$code" -eq 3 ]
  done
  none=("${mixed[@]/bf16,/}")
  sweep "${none[@]}" -o whole.csv
  [ "$code" -eq 1 ]
  for lines in 1 2 3; do
    head -n "$lines" whole.csv >part.csv
    sweep "${none[@]}" --resume part.csv
    [ "$code" -eq 1 ]
  done
  # What --where left out before has been forgotten.
  sweep "${mixed[@]}" --strict --where 'cost.total>0' --resume part.csv
  was_refused 2 "--strict"
}

@test "parts that would not be the whole one after another are refused" {
  fixed 2
  for flags in "--sort cost.total" "--pareto wall_clock_seconds,cost.total" "--format json" \
    "--format md" "--format table" "-o part.json"; do
    # shellcheck disable=SC2086
    sweep "${grid[@]}" --shard 1/2 $flags
    was_refused 2 "--shard"
  done
  # One part is the whole.
  sweep "${grid[@]}" --shard 1/1 --sort cost.total --top 3 --format json
  [ "$code" -eq 0 ]
  holds '.rows | length == 3'
}

@test "the name of a file asks for its format; another one may be wanted all the same" {
  sweep --params 1e9 --tokens 1e9 --vary hardware.gpus=8,16 -o rows.html
  [ "$code" -eq 0 ]
  head -1 rows.html | grep -q '<!DOCTYPE html>'
  sweep --params 1e9 --tokens 1e9 --vary hardware.gpus=8,16 -o rows.xlsx --format csv
  [ "$code" -eq 0 ]
  sweep --params 1e9 --tokens 1e9 --vary hardware.gpus=8,16 -o rows.data
  [ "$code" -eq 0 ]
  [ "$(wc -l <rows.data)" -eq 11 ]
}

@test "that --where keeps no row is said" {
  sweep --params 1e9 --tokens 1e10 --vary hardware.gpus=8,16 --accelerator h100-sxm \
    --select cost.total --where 'cost.total<1'
  [ "$code" -eq 0 ]
  [ "$(wc -l <out.txt)" -eq 1 ]
  [[ $err == *--where* ]]
  sweep --params 1e9 --tokens 1e10 --vary hardware.gpus=8,16 --accelerator h100-sxm \
    --select cost.total --where 'cost.total>1'
  [ ! -s err.txt ]
}

@test "an interrupted JSON document can be read, and says that it is one" {
  fixed 1000
  "$TRCOST" sweep "${grid[@]}" --format json >part.json 2>err.txt &
  writer=$!
  grown part.json 10000 "$writer"
  kill -TERM "$writer"
  status=0
  wait "$writer" || status=$?
  [ "$status" -eq 130 ]
  jq -e '.interrupted and (.rows | length > 0)' part.json
  grep -q interrupted err.txt
}

@test "what cannot be resumed says so" {
  fixed 2
  sweep "${grid[@]}" --resume part.csv --sort cost.total
  was_refused 2 "--sort"
  sweep "${grid[@]}" --resume part.json
  was_refused 2 csv
  sweep "${grid[@]}" --resume part.csv -o other.csv
  was_refused 2 ''
  sweep "${grid[@]}" --resume -
  was_refused 2 "stdout"
  [ ! -e part.csv ]
}

@test "wrong grids are usage errors before a file is touched" {
  echo precious >rows.csv
  for wrong in hardware.gpu=8 hardware.gpus= hardware.gpus=8..64:0 hardware.gpus=8..64:x1 \
    hardware.gpus=64..8:x2 hardware.gpus=8,8 train.precision=bf17 \
    hardware.accelerator=h100-smx model.params=ten; do
    sweep --params 1e9 --vary "$wrong" -o rows.csv
    was_refused 2 "$( [ "$wrong" = hardware.gpu=8 ] && echo 'hardware.gpus' )"
  done
  sweep --params 1e9 -o rows.csv
  was_refused 2 --vary
  sweep --params 1e9 --vary data.tokens=1e9..2e9:1 --vary cost.price_per_gpu_hour=1..2:0.0001 \
    -o rows.csv
  was_refused 2 "--shard"
  sweep --params 1e9 --vary hardware.gpus=8 --shard 3/2 -o rows.csv
  was_refused 2 "--shard"
  sweep --params 1e9 --vary hardware.gpus=8 --select cost.totl -o rows.csv
  was_refused 2 cost.total
  sweep --params 1e9 --vary hardware.gpus=8 --threads 0 -o rows.csv
  was_refused 2 "--threads"
  sweep --params 1e9 --vary hardware.gpus=8 --format docx -o rows.csv
  was_refused 2 "docx"
  [ "$(cat rows.csv)" = precious ]
}

@test "a full disk is an error" {
  [ -e /dev/full ] || skip "no /dev/full"
  fixed 2
  sweep "${grid[@]}" -o /dev/full
  [ "$code" -eq 1 ]
  [[ $err == *"No space left"* ]]
}

@test "a limit on the file's size leaves whole rows that go on" {
  fixed 4
  "$TRCOST" sweep "${grid[@]}" -o whole.csv
  code=0
  (ulimit -f 200; exec "$TRCOST" sweep "${grid[@]}" -o part.csv) 2>err.txt || code=$?
  [ "$code" -eq 1 ]
  grep -q -- '--resume part.csv' err.txt
  [ "$(tail -c 1 part.csv | od -An -c | tr -d ' ')" = '\n' ]
  "$TRCOST" sweep "${grid[@]}" --resume part.csv
  cmp whole.csv part.csv
}

@test "a closed pipe ends quietly" {
  fixed 4
  "$TRCOST" sweep "${grid[@]}" 2>err.txt | head -2 >out.txt
  [ "$(wc -l <out.txt)" -eq 2 ]
  [ ! -s err.txt ]
}

@test "sort, top and the frontier" {
  sweep --params 7e9 --tokens 1e11 --vary hardware.gpus=8..512:x2 --accelerator h100-sxm \
    --select cost.total,wall_clock_seconds --sort wall_clock_seconds --top 2
  [ "$code" -eq 0 ]
  [ "$(cut -d, -f1 out.txt | tail -2 | tr '\n' ' ')" = "512 256 " ]
  sweep --params 7e9 --tokens 1e11 --vary hardware.gpus=8..512:x2 --accelerator h100-sxm \
    --vary cost.price_per_gpu_hour=2,3 --select cost.total --pareto wall_clock_seconds,cost.total
  [ "$code" -eq 0 ]
  # The dearer price is beaten everywhere.
  [ "$(cut -d, -f2 out.txt | sed 1d | sort -u)" = 2 ]
}

@test "the job array of the examples gives the parts of one sweep" {
  example=$BATS_TEST_DIRNAME/../../examples/sweep_array.sbatch
  sh "$example"
  mv part-1.csv whole.csv
  for part in 1 2 3; do
    SLURM_ARRAY_TASK_ID=$part SLURM_ARRAY_TASK_COUNT=3 sh "$example"
  done
  cat part-1.csv part-2.csv part-3.csv >parts.csv
  cmp whole.csv parts.csv
}

@test "the column of errors may be selected" {
  sweep --params 1e9 --tokens 1e9 --vary hardware.accelerator=v100-sxm-32gb,b200 --precision fp8 \
    --gpus 8 --select error,gpus --format csv
  [ "$code" -eq 0 ]
  [ "$(head -1 out.txt)" = "hardware.accelerator,gpus,error" ]
  grep -q '^v100-sxm-32gb,,.*fp8' out.txt
  grep -q '^b200,8,$' out.txt
}

@test "rows may be kept by their error" {
  rows=(--params 1e9 --tokens 1e9 --vary hardware.accelerator=v100-sxm-32gb,b200 --precision fp8
    --gpus 8 --select gpus)
  sweep "${rows[@]}" --where error=
  [ "$(sed 1d out.txt)" = "b200,8," ]
  sweep "${rows[@]}" --where 'error!=' --format jsonl
  holds '."hardware.accelerator" == "v100-sxm-32gb" and (.error | test("has no fp8"))'
  sweep "${rows[@]}" --where 'error>'
  was_refused 2 --where
}

@test "an error in csv is text as it is, although a spreadsheet reads it" {
  sweep --params 7e9 --tokens 1e11 --vary gpus=1,8 --tp 3 --accelerator h100-sxm --select cost.total
  [ "$code" -eq 1 ]
  grep -q '^1,,at --tp: ' out.txt
  lacks "'" out.txt
}

@test "an axis and a flag that exclude each other are refused, a file's value is replaced" {
  sweep --params 7e9 --tokens 1e9 --gpus 8 --vary model.name=llama-2-7b
  was_refused 2 --params
  sweep --params 7e9 --tokens 1e9 --gpus 8 --vary samples=1e6
  was_refused 2 --tokens
  echo '{"model": {"params": 7e9}, "data": {"tokens": 1e9}}' >base.json
  sweep --scenario base.json --gpus 8 --vary model.name=llama-2-7b --select model.params_total \
    --accelerator h100-sxm
  [ "$code" -eq 0 ]
  grep -q '^llama-2-7b,6738415616,$' out.txt
}

@test "what a file of values holds does not reach the terminal raw" {
  printf '8\n\033[31m16\n' >values.txt
  sweep --params 7e9 --vary gpus=@values.txt
  was_refused 2 '\x1b[31m16'
  [ "$(tr -d '[:print:]\n' <err.txt | wc -c)" -eq 0 ]
  mkdir folder
  sweep --params 7e9 --vary gpus=@folder
  was_refused 1 ''
  lacks json err.txt
}

@test "the bytes are the same where the C library uses other instructions" {
  command=("$TRCOST" sweep --params 7e9 --tokens 1e12 --accelerator h100-sxm --mfu 0.4
           --vary hardware.gpus=16384..65536:64 --format csv)
  "${command[@]}" > usual.csv
  GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4,-AVX2_Usable,-FMA_Usable "${command[@]}" > plain.csv
  cmp usual.csv plain.csv
}
