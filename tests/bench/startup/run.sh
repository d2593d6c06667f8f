#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wall time of the default estimate beside the bare program's: sh tests/bench/startup/run.sh BUILD
set -eu
build=${1:-build-bench}
hyperfine -N --warmup 20 --runs 300 --export-json "$build/startup.json" \
  "$build/tests/bench/bare --params 10e9" \
  "$build/trcost estimate --params 10e9 --modality vl --format json" >/dev/null 2>&1
jq -r '.results | "bare \(.[0].median * 1e3) ms, estimate \(.[1].median * 1e3) ms, ratio \(.[1].median / .[0].median)"' \
  "$build/startup.json"
