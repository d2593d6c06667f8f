#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs missing packages, builds the tests beside what examples/quickstart.sh built in `build`, and
# runs them all. Arguments go to CMake, e.g. `sh tests/run.sh -DTRCOST_WERROR=ON`. BUILD_DIR names
# another build folder.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=cmake/dependencies.sh
. cmake/dependencies.sh

# shellcheck disable=SC2086  # words on purpose
require_packages $build_packages catch2 librapidcheck-dev libbenchmark-dev bats jq shellcheck python3 \
  python3-jsonschema clang-format
build=${BUILD_DIR:-build}
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
  -DTRCOST_TESTS=ON "$@"
cmake --build "$build"
ctest --test-dir "$build" --output-on-failure -j "$(nproc)"
