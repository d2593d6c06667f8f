#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One CSV over sizes and platforms, one `trcost estimate` each: what a script does without `sweep`.
#   sh examples/sweep_params.sh > costs.csv
set -eu
trcost=${TRCOST:-trcost}
header=1
for params in 1e9 3e9 10e9; do
  for accelerator in h100-sxm gb200-nvl72; do
    "$trcost" estimate --params "$params" --accelerator "$accelerator" --format csv |
      tail -n +"$((2 - header))"
    header=0
  done
done
