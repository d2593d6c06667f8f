#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds trcost, and prints the main estimate.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=cmake/dependencies.sh
. cmake/dependencies.sh

# shellcheck disable=SC2086  # words on purpose
require_packages $build_packages
{
  cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTRCOST_TESTS=OFF
  cmake --build build
} >&2
./build/trcost estimate --params 10e9 --modality vl
