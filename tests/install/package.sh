#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian package installs on a bare system, answers, and leaves nothing behind: packs BUILD and
# tries it in a chroot of each SUITE. Needs root, debootstrap and a mirror.
#   sudo MIRROR=http://deb.debian.org/debian sh tests/install/package.sh build bookworm trixie
set -eu
build=$1
shift
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "needs root and debootstrap" >&2
  exit 77
fi
mirror=${MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$build" && cpack -B "$work" >/dev/null)
package=$(basename "$work"/trcost_*.deb)
for suite in "$@"; do
  root=$work/$suite
  debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" 2>&1 || {
    tail -5 "$work/log" >&2
    exit 1
  }
  # The program alone, before anything is installed.
  cp "$build/trcost" "$root/tmp/"
  chroot "$root" /tmp/trcost --version
  cp "$work/$package" "$root/"
  chroot "$root" dpkg -i "/$package" >/dev/null
  chroot "$root" trcost estimate --params 1e9 --tokens 1e10 --brief -q | tail -1
  chroot "$root" dpkg --purge trcost >/dev/null
  left=$(chroot "$root" find / -xdev -name '*trcost*' -not -path '/proc/*' -not -path '/tmp/*' \
    -not -name "$package" -not -path '/var/log/*')
  [ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
  echo "$suite: installs, answers, removes"
done
