#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Flags that the command line does not name are known all the same.

load program

@test "help and completions list every field, whatever else is typed" {
  for field in params tokens tp sharding production-overhead; do
    "$TRCOST" estimate --help | grep -q -- "--$field "
    "$TRCOST" estimate --params 7e9 --help | grep -q -- "--$field "
    "$TRCOST" completions bash | grep -q -- "--$field "
  done
}
