# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# What every test of the program from outside starts from: `load program`. TRCOST names the program;
# ctest sets it. Each test runs in a folder of its own.

# A build that links the program while the tests run does not change it under them: each file runs a
# copy of its own.
own_program() {
  : "${TRCOST:?set TRCOST to the program}"
  cp "$TRCOST" "$BATS_FILE_TMPDIR/trcost" || return 1
  export TRCOST="$BATS_FILE_TMPDIR/trcost"
}

# Whatever a user's own settings are, the tests see none of them.
own_settings() {
  local name
  for name in $(compgen -e TRCOST_); do
    [ "$name" = TRCOST ] || unset "$name"
  done
  export XDG_CONFIG_HOME="$BATS_FILE_TMPDIR/no-settings"
}

setup_file() {
  own_program
  own_settings
}

setup() {
  : "${TRCOST:?set TRCOST to the program}"
  cd "$BATS_TEST_TMPDIR" || return 1
}

# A test that failed says what the program last did.
teardown() {
  [ -n "${BATS_TEST_COMPLETED:-}" ] && return
  echo "last run: exit code ${code:-none}"
  for file in err.txt out.txt; do
    [ -s "$file" ] || continue
    echo "$file:"
    head -c 2000 "$file"
  done
}

# The warnings at the end of a screen of text, each in a line as on stderr.
warnings_of_screen() {
  awk '/^  ! /{ if (line) print line; line = "trcost: warning:" substr($0, 4); next }
       line && /^    [^ ]/{ line = line " " substr($0, 5); next }
       line { print line; line = "" }
       END { if (line) print line }' out.txt
}

# Runs the program; stdout goes to $out and out.txt, stderr and the warnings of a screen to $err and
# err.txt, the exit code to $code.
run_trcost() {
  code=0
  "$TRCOST" "$@" >out.txt 2>err.txt || code=$?
  if grep -q '^  ! ' out.txt; then warnings_of_screen >>err.txt; fi
  out=$(tr -d '\0' <out.txt)
  err=$(cat err.txt)
}

# Whether $1 (a jq expression on $out) holds.
holds() {
  jq -e "$1" <<<"$out" >/dev/null || {
    echo "not true: $1"
    return 1
  }
}

# Runs the program with the arguments after $1 (exit code) and $2 (words of the message), which have
# to be refused: one message on stderr, nothing on stdout.
refused() {
  local expected=$1 words=$2
  shift 2
  run_trcost "$@"
  was_refused "$expected" "$words" || {
    echo "arguments: $*"
    return 1
  }
}

# Whether the last run was refused with exit code $1 and the words $2.
was_refused() {
  [ "$code" -eq "$1" ] && [ ! -s out.txt ] && [ "$(grep -c 'trcost: error: ' err.txt)" -eq 1 ] &&
    grep -qF -- "$2" err.txt && return
  echo "exit code $code, stdout of $(wc -c <out.txt) bytes, stderr: $err"
  return 1
}

# Number of warnings of the last run.
warnings() {
  grep -c 'trcost: warning: ' err.txt || true
}

# Whether no line of out.txt is wider than 100 columns.
fits_the_page() {
  local widest
  widest=$(LC_ALL=C.UTF-8 wc -L <out.txt)
  [ "$widest" -le 100 ] || {
    echo "$widest columns"
    return 1
  }
}

# Whether the extended pattern $1 is nowhere in the file $2.
lacks() {
  if grep -nE -- "$1" "$2"; then
    echo "$2 should not have: $1"
    return 1
  fi
}

# CPU seconds, rounded up, that this machine takes for $1 plain estimates: a limit for `ulimit -t` that
# does not depend on the speed of the machine.
seconds_of_estimates() {
  local estimates=$1 measured=20 TIMEFORMAT='%U %S'
  {
    time for _ in $(seq "$measured"); do
      "$TRCOST" estimate --params 7e9 --accelerator h100-sxm --gpus 8 >reference.txt 2>&1
    done
  } 2>cpu.txt
  awk -v factor="$((estimates / measured))" '{ print int(($1 + $2) * factor) + 1 }' cpu.txt
  rm reference.txt cpu.txt
}
