#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The questions that take longest, as an attacker found them: billions of instructions of each, which do
# not depend on the machine's speed (half a second is about 2.5). Fails where a platform's estimate takes
# more than 2.5 or a solve more than 6. What a search may try is bounded whatever is asked:
# kMostLayoutsOfEstimate, kMostEstimates.
#   sh tests/bench/worst.sh [TRCOST]
# Counts with perf where the processor's counters can be read, else with valgrind, 50 times slower.
set -u
trcost=${1:-build/trcost}
failed=0
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT

# instructions COMMAND...: user instructions that it takes.
instructions() {
  if perf stat -x, -e instructions:u -o "$counts" "$@" >/dev/null 2>&1 &&
    grep -q '^[0-9]' "$counts"; then
    grep '^[0-9]' "$counts" | cut -d, -f1
  else
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
      sed -n 's/.*Collected : //p'
  fi
}

# within BILLIONS COMMAND...
within() {
  limit=$1
  shift
  used=$(instructions "$trcost" "$@")
  awk -v used="${used:-0}" -v limit="$limit" -v command="$*" 'BEGIN {
    printf "%6.2f of %s billion  %s\n", used / 1e9, limit, command
    exit !(used > 0 && used <= limit * 1e9) }' || failed=1
}

on="--accelerator h100-sxm"
# shellcheck disable=SC2086  # words on purpose
{
  within 2.5 estimate --params 7e9 $on --gpus 87 --global-batch 1e9
  within 2.5 estimate --params 7e9 $on --gpus 87 --global-batch 1e9 --seq-length 1e6
  within 2.5 estimate --params 7e9 $on --gpus 12510 --global-batch 1e9 \
    --text-tokens-per-sample 1e9 --packing grouped
  within 2.5 estimate --params 646e9 --vocab 44303074 $on
  within 2.5 estimate --model deepseek-v2 --accelerator h800 --gpus 16384 --global-batch 2584870
  within 2.5 estimate --model deepseek-v3 --accelerator gb200-nvl72 --gpus 300000 --tokens 14.8T
  within 2.5 estimate --params 405e9 --tokens 15.6T $on --deadline 60d
  within 6 solve --params 7e9 --deadline 10y --flops 1e30 $on
  within 6 solve --params 7e9 --flops 1e26 $on
  within 6 solve --params 1e13 --for samples --budget 1e6 --price 1e6 $on
  within 6 solve --for gpus --deadline 30d --params 405e9 --tokens 15.6T $on
}
exit "$failed"
