#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes every border for MINUTES each (default 1) with clang's address and undefined-behaviour
# sanitizers, from its corpus. What is found is written to tests/fuzz/found/BORDER: mend it, move the
# file into corpus/BORDER, and it is an ordinary test from then on.
#   sh tests/fuzz/run.sh [MINUTES [BORDER...]]
set -eu
cd "$(dirname "$0")/../.."

minutes=${1:-1}
[ $# -gt 0 ] && shift
clang=${CLANGXX:-clang++}
build=${FUZZ_BUILD:-build-fuzz}

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_CXX_FLAGS="-fsanitize=fuzzer-no-link" \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DTRCOST_SANITIZE=address,undefined \
  -DTRCOST_TESTS=ON -DTRCOST_FUZZ=ON
cmake --build "$build" --target trcost_fuzz

[ $# -gt 0 ] || set -- tests/fuzz/corpus/*/
failed=""
for border in "$@"; do
  border=$(basename "$border")
  mkdir -p "tests/fuzz/found/$border" "$build/corpus/$border"
  echo "== $border, $minutes min"
  TRCOST_BORDER=$border UBSAN_OPTIONS=halt_on_error=1 "$build/tests/trcost_fuzz" \
    -max_total_time="$((minutes * 60))" -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
    -print_final_stats=1 -artifact_prefix="tests/fuzz/found/$border/" \
    "$build/corpus/$border" "tests/fuzz/corpus/$border" 2>"$build/$border.log" ||
    failed="$failed $border"
  grep -aE "stat::(number_of_executed_units|peak_rss_mb)|^SUMMARY" "$build/$border.log" || true
done
[ -z "$failed" ] || {
  echo "findings in:$failed (tests/fuzz/found)" >&2
  exit 1
}
