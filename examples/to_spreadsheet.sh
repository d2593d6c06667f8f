#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The platforms side by side, a few columns, tab-separated: opens in any spreadsheet. Needs jq.
#   sh examples/to_spreadsheet.sh > platforms.tsv
set -eu
command -v jq >/dev/null 2>&1 || {
  echo "to_spreadsheet.sh needs jq (Debian, Ubuntu: apt install jq); without it,"\
    "trcost estimate -o platforms.xlsx makes a workbook" >&2
  exit 1
}
trcost=${TRCOST:-trcost}
"$trcost" estimate --params 10e9 --modality vl --format json "$@" |
  jq -r '(["accelerator", "gpus", "days", "gpu_hours", "usd", "usd_p10", "usd_p90", "mfu"],
          (.estimates[] | [.accelerator, .gpus, .wall_clock_seconds / 86400, .gpu_hours,
                           .cost.total, .range.total_usd.p10, .range.total_usd.p90,
                           .performance.mfu])) | @tsv'
