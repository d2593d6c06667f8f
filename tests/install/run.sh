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
"$work/prefix/bin/trcost" --version | grep -q "^trcost $(sed -n 's/^project(trcost VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")"
for file in share/man/man1/trcost.1 share/bash-completion/completions/trcost \
  share/zsh/site-functions/_trcost share/fish/vendor_completions.d/trcost.fish \
  share/doc/trcost/copyright; do
  [ -s "$work/prefix/$file" ] || { echo "not installed: $file" >&2; exit 1; }
done
# Copied alone to another distribution it starts: nothing of one distribution is needed.
if ldd "$work/prefix/bin/trcost" | grep -E 'fmt|spdlog|utf8proc|webp|stdc\+\+|xlsxwriter'; then
  grep -q '^TRCOST_SANITIZE:STRING=.' "$build/CMakeCache.txt" || {
    echo "the program needs these libraries" >&2
    exit 1
  }
fi
