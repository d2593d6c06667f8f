#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# find_package(trcost) works from an install prefix: installs BUILD into WORK/prefix, then builds and
# runs examples/cpp against it and nothing else.
set -eu
build=$1
work=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S "$source/examples/cpp" -B "$work/example" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release
cmake --build "$work/example"
"$work/example/break_even" | grep -q '^cheapest: '
"$work/prefix/bin/trcost" --version
