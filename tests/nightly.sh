#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that are too long for the gate: an object per source, clang, the thread sanitizer, the Python
# module, the package on bare systems, the fit of the constants, the long properties ([.nightly]: hours),
# and every border fuzzed for MINUTES (default 10). The last line names what failed.
#   sh tests/nightly.sh [MINUTES]
set -u
cd "$(dirname "$0")/.." || exit

minutes=${1:-10}
clang=${CLANGXX:-clang++}
failed=""

# step NAME COMMAND...
step() {
  name=$1
  shift
  echo "== $name"
  "$@" || failed="$failed, $name"
}

build() {
  folder=$1
  shift
  cmake -S . -B "$folder" -G Ninja -DTRCOST_WERROR=ON -DTRCOST_TESTS=ON "$@" &&
    cmake --build "$folder"
}

# skippable COMMAND...: 77 says what is missing here, and is no failure.
skippable() {
  "$@" || [ $? -eq 77 ]
}

# The constants of data/ are what the fit gives, and so are the predictions of left-out sources.
fit() {
  python3 -c "import numpy, scipy" || return 77
  python3 tests/calibration/refit.py --program "$1" --data data --leave-one-out --check
}
other_fits() {
  python3 tests/calibration/repeat.py --program "$1/trcost" --bench "$1/tests/trcost_calibrate" --data data
}

step "an object per source" build build-dev -DTRCOST_UNITY=OFF -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O1
step "more rounds of the random tests" env TRCOST_TEST_REPEATS=10 build-dev/tests/trcost_tests
step "all documents and calibrations" python3 tests/docs/documents.py build-dev/trcost --all
step "clang" build build-clang -DCMAKE_CXX_COMPILER="$clang"
step "tests of clang's build" ctest --test-dir build-clang --output-on-failure -L unit
step "thread sanitizer" build build-thread -DTRCOST_SANITIZE=thread
step "sweeps under the thread sanitizer" build-thread/tests/trcost_tests "[sweep]"
step "solve under the thread sanitizer" \
  build-thread/trcost solve --budget 1e6 -o build-thread/solve.txt
step "long properties" build-clang/tests/trcost_tests "[.nightly]"
step "fit of the constants" skippable fit build-clang/tests/trcost_calibrate
step "fits of vision, serving, rounds and sources" skippable other_fits build-clang
step "pages in Chromium" skippable python3 tests/pages/pages.py build-clang/trcost
step "what-if strips in Chromium" skippable python3 tests/pages/what_if.py build-clang/trcost
step "python" build build-python -DTRCOST_PYTHON=ON
step "python says what the program says" ctest --test-dir build-python --output-on-failure -L python
step "release" build build-release -DTRCOST_TESTS=OFF
step "bare Debian 12 and 13" skippable sh tests/install/package.sh build-release bookworm trixie
step "fuzzing" sh tests/fuzz/run.sh "$minutes"

[ -z "$failed" ] || {
  echo "failed: ${failed#, }" >&2
  exit 1
}
echo "all passed"
