#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds trcost, and prints the main estimate. Built to be there soon: for
# long sweeps, cmake -S . -B build -DCMAKE_CXX_FLAGS_RELEASE=-O3 and cmake --build build are faster.
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
