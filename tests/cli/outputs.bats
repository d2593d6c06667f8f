#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What -o promises: nothing half-written, nothing lost, nothing touched that was not named.

load program

answer=(estimate --params 7e9 --accelerator h100-sxm --gpus 64)

# Runs the command as nobody, in this test's folder; skips where that cannot be done.
as_nobody() {
  [ "$(id -u)" -eq 0 ] || {
    "$@"
    return
  }
  command -v setpriv >/dev/null || skip "needs setpriv"
  cp "$TRCOST" ./program && chmod 755 . program
  setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

@test "of two writers of one file, the last one's stands whole, and neither fails" {
  "$TRCOST" "${answer[@]}" --format json >one.json
  "$TRCOST" "${answer[@]}" --tokens 2T --format json >two.json
  for _ in $(seq 100); do
    "$TRCOST" "${answer[@]}" -o both.json &
    first=$!
    "$TRCOST" "${answer[@]}" --tokens 2T -o both.json &
    wait "$first"
    wait $!
    cmp -s both.json one.json || cmp both.json two.json
  done
  [ "$(find . -type f | wc -l)" -eq 3 ] # no rest of a writer
}

@test "two writers of a file with two names keep each other's bytes apart" {
  "$TRCOST" "${answer[@]}" --format json >one.json
  "$TRCOST" "${answer[@]}" --tokens 2T --format json >two.json
  echo old >both.json && ln both.json other.json
  for _ in $(seq 20); do
    "$TRCOST" "${answer[@]}" -o both.json &
    first=$!
    "$TRCOST" "${answer[@]}" --tokens 2T -o both.json &
    wait "$first"
    wait $!
    cmp -s both.json one.json || cmp both.json two.json
  done
  [ "$(stat -c %h both.json)" -eq 2 ]
  cmp both.json other.json
}

@test "files that were not named stay as they are" {
  echo keep >a.json.partial
  echo precious >precious && ln -s precious b.json.partial
  for name in a b; do
    run_trcost "${answer[@]}" -o $name.json
    [ "$code" -eq 0 ]
    [ ! -L $name.json ]
  done
  [ "$(cat a.json.partial)" = keep ]
  [ "$(cat precious)" = precious ]
}

@test "a link stays a link, permissions stay permissions, several names stay one file" {
  echo old >target.json && ln -s target.json link.json && ln -s later.json dangling.json
  mkdir sub && ln -s ../target.json sub/up.json
  (umask 077 && echo old >secret.json)
  echo old >name1.json && ln name1.json name2.json
  for name in link dangling secret name1 sub/up; do
    run_trcost "${answer[@]}" -o $name.json
    [ "$code" -eq 0 ]
  done
  [ -L link.json ]
  [ -L dangling.json ]
  [ -L sub/up.json ]
  jq -e .estimates target.json later.json secret.json name1.json >/dev/null
  cmp name1.json name2.json
  [ "$(stat -c %a secret.json)" = 600 ]
  ln -s round1.json round2.json && ln -s round2.json round1.json
  refused 1 round1.json "${answer[@]}" -o round1.json
}

@test "a writable file in a folder that takes no others is written, a read-only one is not" {
  mkdir closed && echo old >closed/open.json && echo old >closed/shut.json
  chmod 666 closed/open.json && chmod 444 closed/shut.json && chmod 555 closed
  cp "$TRCOST" program && chmod 755 . program
  as_nobody ./program "${answer[@]}" -o closed/open.json
  jq -e .estimates closed/open.json >/dev/null
  run as_nobody ./program "${answer[@]}" -o closed/shut.json
  [ "$status" -eq 1 ]
  [ "$(cat closed/shut.json)" = old ]
  run as_nobody ./program "${answer[@]}" -o closed/new.json
  [ "$status" -eq 1 ]
  [[ $output == *"Permission denied"* ]]
  chmod 755 closed
  [ "$(find closed -type f | wc -l)" -eq 2 ]
}

@test "a result does not replace what it is made of, whichever way that is named" {
  echo '{"model": {"params": 7e9}, "hardware": {"gpus": 64, "accelerator": "h100-sxm"}}' >sc.json
  "$TRCOST" show models llama-2-7b -o m.json
  "$TRCOST" show accelerators h100-sxm -o chip.json
  "$TRCOST" show systems dgx-h100 -o box.json
  "$TRCOST" show stacks megatron -o stack.json
  printf '32\n64\n' >values.csv
  printf 'width,height\n640,480\n' >sizes.csv
  "$TRCOST" "${answer[@]}" -o a.json
  "$TRCOST" "${answer[@]}" --tokens 2T -o b.json
  printf 'InstanceType,AcceleratorName,AcceleratorCount,Price\nx,H100,8,20\n' >prices.csv
  ln -s sc.json alias.json
  mkdir before && cp ./*.json ./*.csv before
  words="replace a file that it is made of"
  refused 2 "$words" estimate --scenario sc.json -o sc.json
  refused 2 "$words" estimate --scenario sc.json -o alias.json
  refused 2 "$words" estimate --scenario sc.json -o ./before/../sc.json
  refused 2 "$words" estimate --config sc.json -o sc.json
  refused 2 "$words" estimate --model m.json --accelerator h100-sxm --gpus 64 -o m.json
  refused 2 "$words" estimate --params 7e9 --accelerator chip.json --gpus 64 -o chip.json
  refused 2 "$words" "${answer[@]}" --system box.json -o box.json
  refused 2 "$words" "${answer[@]}" --stack stack.json -o stack.json
  refused 2 "$words" sweep --params 7e9 --accelerator h100-sxm --vary gpus=@values.csv -o values.csv
  refused 2 "$words" sweep --accelerator h100-sxm --gpus 64 --vary model.name=llama-2-7b,m.json -o m.json --format csv
  refused 2 "$words" sweep --model m.json --accelerator h100-sxm --vary gpus=8,16 -o m.json --format csv
  refused 2 "$words" tokens --family vit --images sizes.csv -o sizes.csv
  refused 2 "$words" diff a.json b.json -o a.json
  refused 2 "$words" diff a.json b.json -o b.json
  refused 2 "$words" prices import prices.csv --date 2026-10-01 -o prices.csv
  refused 2 "$words" show models m.json -o m.json
  code=0
  "$TRCOST" estimate --scenario - -o sc.json <sc.json >out.txt 2>err.txt || code=$?
  was_refused 2 "$words"
  for file in before/*; do cmp "$file" "$(basename "$file")"; done
}

@test "a writer that is ended leaves the old file alone, one that is killed the old file whole" {
  mkdir here && echo old >here/rows.json
  for signal in TERM KILL; do
    "$TRCOST" sweep --params 7e9 --accelerator h100-sxm --vary gpus=1..2000000:1 --format json \
      -o here/rows.json 2>err.txt &
    sleep 0.2
    kill -s $signal $!
    wait $! || true
    [ "$(cat here/rows.json)" = old ]
    [ "$(ls here)" = rows.json ]
    [ "$signal" = KILL ] || [ "$(ls -A here)" = rows.json ] # no temporary file
  done
}

@test "a new file has the permissions of the umask, a folder that is not there is named" {
  (umask 027 && "$TRCOST" "${answer[@]}" -o new.json)
  [ "$(stat -c %a new.json)" = 640 ]
  refused 1 nowhere/new.json "${answer[@]}" -o nowhere/new.json
}

@test "-o of what stdout is goes to stdout, devices are written as they are" {
  "$TRCOST" "${answer[@]}" --format csv >plain.csv
  echo before >log && "$TRCOST" "${answer[@]}" --format csv -o /dev/stdout >>log
  (echo before && cat plain.csv) | cmp - log
  "$TRCOST" "${answer[@]}" --format csv -o /dev/null
  refused 1 /dev/full "${answer[@]}" -o /dev/full
  mkfifo pipe
  "$TRCOST" "${answer[@]}" --format csv -o pipe &
  cmp plain.csv pipe
}

@test "no network, and no files but those that are named" {
  command -v nm >/dev/null || skip "needs nm"
  [ "$(nm -D "$TRCOST" | grep -cwE 'open|openat|fopen')" -ge 1 ] # the list is one of imports
  ! nm -D "$TRCOST" | grep -wE 'socket|connect|getaddrinfo|sendto|fork|vfork|execv|execve|system|popen' || return 1
  mkdir home tmp work && cd work
  export HOME=$PWD/../home TMPDIR=$PWD/../tmp
  "$TRCOST" "${answer[@]}" -o a.json
  "$TRCOST" "${answer[@]}" -o a.html
  "$TRCOST" "${answer[@]}" -o a.xlsx
  "$TRCOST" sweep --params 7e9 --accelerator h100-sxm --vary gpus=8,16 --resume rows.csv
  for command in "solve --budget 1M --accelerator h100-sxm" "serve --model llama-3-8b" \
    "memory --params 7e9" "tokens --image 640x480" "validate" "list models" "help"; do
    # shellcheck disable=SC2086 # words on purpose
    "$TRCOST" $command >/dev/null 2>&1
  done
  [ "$(find . ../home ../tmp -type f | sort | tr '\n' ' ')" = "./a.html ./a.json ./a.xlsx ./rows.csv " ]
}

@test "no file of the data folder in use is replaced, read or not" {
  mkdir -p mine/models
  echo '{"name": "tiny", "language": {"layers": 2, "hidden": 256, "heads": 4, "ffn": 512, "vocab": 1000}}' >mine/models/tiny.json
  cp mine/models/tiny.json before.json
  refused 2 'name another file' "${answer[@]}" --data-dir mine --format json -o mine/models/tiny.json
  TRCOST_DATA_DIR=mine refused 2 'name another file' "${answer[@]}" -o mine/models/tiny.json
  cmp before.json mine/models/tiny.json
  run_trcost "${answer[@]}" --data-dir mine -o answer.json
  [ "$code" -eq 0 ]
}
