#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs missing packages, builds trcost in `build`, and prints the main estimate. tests/run.sh
# goes on in the same folder. `cmake --preset release` builds with -O3, which long sweeps are worth.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=cmake/dependencies.sh
. cmake/dependencies.sh

# shellcheck disable=SC2086  # words on purpose
require_packages $build_packages
{
  cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
    -DTRCOST_TESTS=OFF
  cmake --build build
} >&2
./build/trcost estimate --params 10e9 --modality vl
