# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: Apache-2.0
# Sourced by examples/quickstart.sh and tests/run.sh: makes sure that the packages named in "$@" are
# there. As root (or with passwordless sudo) on Debian or Ubuntu it installs what is missing, else it
# says what to install and stops.

require_packages() {
  command -v dpkg-query >/dev/null 2>&1 || {
    echo "Not a Debian or Ubuntu system. trcost builds with a C++20 compiler and CMake 3.22; it" >&2
    echo "looks for CLI11, nlohmann-json, fmt, spdlog, utf8proc and Catch2, and fetches those that it" >&2
    echo "misses." >&2
    return 0
  }
  missing=""
  for package in "$@"; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -eq 0 ]; then
    as_root=""
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo"
  else
    echo "Please install:  sudo apt-get install$missing" >&2
    return 1
  fi
  echo "Installing:$missing" >&2
  # shellcheck disable=SC2086  # words on purpose
  $as_root apt-get update -qq >&2 &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
}

build_packages="g++ cmake ninja-build pkg-config libcli11-dev nlohmann-json3-dev libfmt-dev libspdlog-dev libutf8proc-dev libxlsxwriter-dev libstb-dev libwebp-dev libyaml-cpp-dev libtomlplusplus-dev"
