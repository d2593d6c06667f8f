#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Faults of the machine and hostile files: one message with a next step, soon, in little memory.

load program

answer=(estimate --params 7e9 --accelerator h100-sxm --gpus 64)
sizes=(tokens --family vit --images)

# Runs the program with at most $1 KiB of memory.
limited() {
  local memory=$1
  shift
  code=0
  (ulimit -v "$memory" && exec "$TRCOST" "$@") >out.txt 2>err.txt || code=$?
  err=$(cat err.txt)
}

not_a_bug() {
  lacks "internal error|this is a bug" err.txt
}

@test "bytes that are no text are refused where they come in, with line and column" {
  name=$'\xff\xe9.json'
  "$TRCOST" show models llama-2-7b -o plain.json && mv plain.json "$name"
  refused 2 '\xff\xe9.json' estimate --model "$name" --format json
  refused 2 '\xca' estimate --params 7e9 --price 2 --provider $'x\xca' --format json
  refused 2 model.name sweep --gpus 64 --accelerator h100-sxm --vary model.name="$name" --format csv
  refused 2 '\x0d' estimate --gpus $'64\r'
  refused 2 '\x1b' estimate --accelerator $'a\x1b[31m'
  printf 'InstanceType,AcceleratorName,AcceleratorCount,Price,Region\nx,H100,8,20,S\xe3o\n' >latin1.csv
  refused 1 0xe3 prices import latin1.csv --date 2026-10-01 -o p.json
  [ ! -e p.json ]
  TRCOST_MODEL_NAME=$'\xff' refused 2 "TRCOST_MODEL_NAME" estimate
}

@test "UTF-16, byte order marks and Windows line ends are read as what they say" {
  printf '{"model": {"params": 7e9}, "hardware": {"gpus": 64, "accelerator": "h100-sxm"}}' >plain.json
  "$TRCOST" estimate --scenario plain.json >expected
  (printf '\xef\xbb\xbf' && cat plain.json) >mark.json
  (printf '\xff\xfe' && iconv -f UTF-8 -t UTF-16LE plain.json) >windows.json
  sed 's/,/,\r\n/' plain.json >crlf.json
  for file in mark windows crlf; do
    "$TRCOST" estimate --scenario $file.json | cmp - expected
    "$TRCOST" estimate --scenario - <$file.json | cmp - expected
  done
  printf '\xef\xbb\xbf32\r\n64\r\n' >values.csv
  "$TRCOST" sweep --scenario plain.json --vary gpus=@values.csv --select cost.total --format csv >a.csv
  "$TRCOST" sweep --scenario plain.json --vary gpus=32,64 --select cost.total --format csv >b.csv
  cmp a.csv b.csv
}

@test "what is hidden in a file is found, and nothing of it reaches the terminal" {
  printf '{"model":{"params":7e9}}\0garbage {' >nul.json
  refused 1 'column 25' estimate --scenario nul.json
  printf '{"model": {"name": "a\xc2\x9b2Jb"}}' >c1.json
  refused 1 c1.json estimate --scenario c1.json
  printf '{"model": {"name": "\xe2\x80\xaegnp"}}' >bidi.json
  refused 1 bidi.json estimate --scenario bidi.json
  printf '{"model": {"name": "a\xef\xbf\xbf"}}' >nonchar.json
  refused 1 nonchar.json estimate --scenario nonchar.json -o x.xlsx
  lacks $'\xc2\x9b|\xe2\x80\xae' err.txt
}

@test "hostile files end soon and in 200 MB" {
  head -c 300000 /dev/zero | tr '\0' '[' >deep.json
  head -c 17000000 /dev/zero >large.json
  (echo 'width,height' && yes x | head -n 200000) >bad.csv
  for file in deep.json large.json /dev/zero .; do
    limited 200000 estimate --scenario $file
    [ "$code" -eq 1 ]
    not_a_bug
  done
  for file in /dev/zero bad.csv deep.json; do
    limited 200000 "${sizes[@]}" $file
    [ "$code" -eq 1 ]
    not_a_bug
  done
  code=0
  "$TRCOST" estimate --scenario - <. >out.txt 2>err.txt || code=$?
  was_refused 1 ""
}

@test "300,000 sizes are written as JSON in 120 MB" {
  (echo 'width,height' && yes 640,480 | head -n 300000) >sizes.csv
  limited 120000 "${sizes[@]}" sizes.csv --format json -o all.json
  [ "$code" -eq 0 ]
  [ "$(jq '.items | length' all.json)" -eq 300000 ]
  limited 120000 "${sizes[@]}" sizes.csv --format csv -o all.csv
  [ "$code" -eq 0 ]
  [ "$(wc -l <all.csv)" -eq 300001 ]
}

@test "without a temporary folder, memory or threads there is a next step" {
  TMPDIR=/nonexistent refused 1 /nonexistent "${answer[@]}" -o x.xlsx
  limited 60000 sweep --params 7e9 --accelerator h100-sxm --gpus 8 --vary data.tokens=1e9..1e12:1e6 --sort cost.total
  [ "$code" -eq 1 ]
  not_a_bug
  limited 300000 sweep --params 7e9 --accelerator h100-sxm --vary gpus=8..4096:8 --threads 4096 --format csv
  # As many threads as the limit allows, or what to do about it.
  not_a_bug
  if [ "$code" -eq 0 ]; then
    [ "$(wc -l <out.txt)" -eq 513 ]
  else
    grep -q "fewer --threads" err.txt
  fi
}

@test "more rows than can be sorted are refused before the first" {
  code=0
  (ulimit -t "$(seconds_of_estimates 200)" && exec "$TRCOST" sweep --params 7e9 --accelerator h100-sxm \
    --gpus 64 --vary data.tokens=1e9..10000000e9:1e9 --sort cost.total) >out.txt 2>err.txt || code=$?
  was_refused 1 10000000
}

@test "a frontier of two columns is that of its definition" {
  grid=(sweep --params 7e9 --accelerator h100-sxm --vary gpus=8..512:8 --vary train.precision=bf16,fp8
    --select cost.total,wall_clock_seconds --format csv)
  "$TRCOST" "${grid[@]}" >all.csv
  "$TRCOST" "${grid[@]}" --pareto cost.total,wall_clock_seconds >frontier.csv
  awk -F, 'NR > 1 { line[NR] = $0; a[NR] = $3; b[NR] = $4 }
    END { for (i in line) { keep = 1
      for (j in line) if (a[j] <= a[i] && b[j] <= b[i] && (a[j] < a[i] || b[j] < b[i])) keep = 0
      if (keep) print line[i] } }' all.csv | sort >expected
  [ -s expected ]
  tail -n +2 frontier.csv | sort | cmp - expected
}

@test "a pipe is a model, a saved result is a scenario" {
  "$TRCOST" show models llama-2-7b -o m.json
  "$TRCOST" estimate --model <(cat m.json) --accelerator h100-sxm --gpus 64 --format csv >/dev/null
  "$TRCOST" "${answer[@]}" --tokens 2T --format json >result.json
  "$TRCOST" estimate --scenario result.json --format json | cmp - result.json
}

@test "one subfolder that cannot be read is named, the others are counted" {
  [ "$(id -u)" -ne 0 ] || command -v setpriv >/dev/null || skip "needs setpriv"
  cp "$TRCOST" program && mkdir -p images/shut && chmod 755 . program
  printf 'GIF89a\x03\x00\x05\x00\x80\x00\x00' >images/a.gif
  cp images/a.gif images/shut/b.gif && chmod 000 images/shut
  as=(env)
  [ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  run "${as[@]}" ./program "${sizes[@]}" images
  chmod 755 images/shut
  [ "$status" -eq 1 ]
  [[ $output == *"images/shut: the folder cannot be read"* ]]
  [[ $output == *"1 image"* ]]
}

@test "a disk that is full leaves the old file, and says so" {
  mkdir disk && unshare -rm true 2>/dev/null || skip "needs a mount of its own"
  cat >full.sh <<'SCRIPT'
mount -t tmpfs -o size=256k tmpfs disk || exit 99
echo old >disk/a.json
head -c 256000 /dev/zero >disk/rest
"$TRCOST" estimate --params 7e9 -o disk/a.json 2>err.txt && exit 1
[ "$(cat disk/a.json)" = old ] && [ "$(ls disk | wc -l)" -eq 2 ] || exit 2
"$TRCOST" estimate --params 7e9 -o disk/b.xlsx 2>>err.txt && exit 3
[ ! -e disk/b.xlsx ] || exit 4
rm disk/rest
"$TRCOST" sweep --params 7e9 --accelerator h100-sxm --vary gpus=1..1000:1 --format csv \
  -o disk/rows.csv 2>>err.txt && exit 5
rm disk/a.json
tail -c 1 disk/rows.csv | cmp -s - <(echo) || exit 6
SCRIPT
  code=0
  unshare -rm bash full.sh || code=$?
  [ "$code" -ne 99 ] || skip "needs a mount of its own"
  [ "$code" -eq 0 ]
  [ "$(grep -c 'No space left on device' err.txt)" -eq 3 ]
  grep -q -- "--resume disk/rows.csv" err.txt
  not_a_bug
}

@test "without HOME, in any locale or time zone, with closed streams: the same answer or one reason" {
  "$TRCOST" "${answer[@]}" --format json >expected
  env -i "$TRCOST" "${answer[@]}" --format json | cmp - expected
  for locale in $(locale -a) de_DE.UTF-8 tr_TR.UTF-8; do
    LC_ALL=$locale TZ=Asia/Kathmandu "$TRCOST" "${answer[@]}" --format json | cmp - expected
  done
  "$TRCOST" "${answer[@]}" --format json -o here.json <&- 2>&-
  cmp here.json expected
  code=0
  "$TRCOST" "${answer[@]}" >&- 2>err.txt || code=$?
  [ "$code" -eq 1 ]
  grep -q "stdout: cannot write" err.txt
  not_a_bug
}

@test "a name that promises another format is refused, not filled with text" {
  for name in answer.pdf answer.tsv answer.docx; do
    run_trcost estimate --params 7e9 --accelerator h100-sxm -o "$name"
    [ "$code" -eq 2 ]
    [ ! -e "$name" ]
    grep -q '\.xlsx' err.txt
  done
  for name in answer answer.txt answer.2026 ANSWER.JSON; do
    "$TRCOST" estimate --params 7e9 --accelerator h100-sxm -o "$name" 2>err.txt
  done
  jq -e '.estimates' ANSWER.JSON >/dev/null
  run_trcost calibrate --measured "$BATS_TEST_DIRNAME/../../examples/calibrate/rows.csv" -o mine.html
  [ "$code" -eq 2 ]
  [ ! -e mine.html ]
}
