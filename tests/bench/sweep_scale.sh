#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ten million rows through the program: rows per second of CPU time, and the resident memory.
#   sh tests/bench/sweep_scale.sh build/trcost
set -eu
trcost=${1:-trcost}
last=${2:-209.333}  # 208,334 prices x 48 layouts: ten million rows
/usr/bin/time -f '%U s user, %S s system, %e s elapsed, %M kB resident at most' \
  "$trcost" sweep --params 8e9 --tokens 1e12 --accelerator h100-sxm \
  --pp 1 --vp 1 --cp 1 --ep 1 --micro-batch 1 --sharding optimizer --recompute none \
  --vary "cost.price_per_gpu_hour=1..$last:0.001" --vary train.global_batch=2048,4096 \
  --vary layout.tp=1..8:x2 --vary hardware.gpus=32..1024:x2 \
  --select performance.mfu,memory.total_bytes,memory.fits,wall_clock_seconds,gpu_hours,cost.total \
  --format csv | wc -lc
