#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The questions that take longest, as an attacker found them: CPU seconds and peak memory of each.
# Fails where a platform's estimate takes more than 0.5 s or a solve more than 1 s of CPU. What a
# search may try is bounded whatever is asked: kMostLayoutsOfEstimate, kMostEstimates.
#   sh tests/bench/worst.sh [TRCOST]
set -u
trcost=${1:-build/trcost}
failed=0

# within SECONDS COMMAND...
within() {
  limit=$1
  shift
  used=$(/usr/bin/time -f '%U %M' "$trcost" "$@" 2>&1 >/dev/null | tail -n 1)
  printf '%6s s of %s  %4d MB  %s\n' "${used% *}" "$limit" "$((${used#* } / 1024))" "$*"
  awk "BEGIN { exit !(${used% *} <= $limit) }" || failed=1
}

on="--accelerator h100-sxm"
# shellcheck disable=SC2086  # words on purpose
{
  within 0.5 estimate --params 7e9 $on --gpus 87 --global-batch 1e9
  within 0.5 estimate --params 7e9 $on --gpus 87 --global-batch 1e9 --seq-length 1e6
  within 0.5 estimate --params 7e9 $on --gpus 12510 --global-batch 1e9 \
    --text-tokens-per-sample 1e9 --packing grouped
  within 0.5 estimate --params 646e9 --vocab 44303074 $on
  within 0.5 estimate --model deepseek-v2 --accelerator h800 --gpus 16384 --global-batch 2584870
  within 0.5 estimate --model deepseek-v3 --accelerator gb200-nvl72 --gpus 300000 --tokens 14.8T
  within 0.5 estimate --params 405e9 --tokens 15.6T $on --deadline 60d
  within 1 solve --params 7e9 --deadline 10y --flops 1e30 $on
  within 1 solve --params 7e9 --flops 1e26 $on
  within 1 solve --params 1e13 --for samples --budget 1e6 --price 1e6 $on
  within 1 solve --for gpus --deadline 30d --params 405e9 --tokens 15.6T $on
}
exit "$failed"
