#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Help, completions and the man page, which are read from the tables of commands and fields.

load program

commands=(estimate sweep memory solve diff transfer experiments tokens validate calibrate prices list show
  config schema completions help)

@test "every command has help that leads with examples and fits 100 columns" {
  for command in "${commands[@]}"; do
    run_trcost "$command" --help
    [ "$code" -eq 0 ]
    [ -z "$err" ]
    grep -q "^trcost $command: " out.txt
    [ "$(sed -n 3p out.txt)" = Examples: ]
    grep -q "^  trcost $command" out.txt
    fits_the_page
    cp out.txt first.txt
    # `help prices` is the topic, which --help of the command has at its end.
    run_trcost help "$command"
    if [ "$command" = prices ]; then
      tail -n "$(wc -l <out.txt)" first.txt | cmp - out.txt
    else
      cmp first.txt out.txt
    fi
    # CLI11's own names for what has none here.
    lacks '^  (kind|name|topic) ' out.txt
  done
  run_trcost help fields
  [ "$code" -eq 0 ]
  fits_the_page
  lacks 'e\+[0-9]' out.txt
}

@test "bare trcost prints short help on stderr and exits 2" {
  run_trcost
  [ "$code" -eq 2 ]
  [ -z "$out" ]
  grep -q 'trcost estimate --params 10e9' err.txt
}

@test "each flag of a field is in the help, in every completion and in the man page" {
  for shell in bash zsh fish man; do
    run_trcost completions "$shell"
    [ "$code" -eq 0 ]
    sed 's/\\-/-/g' out.txt >"$shell.txt"
  done
  bash -n bash.txt
  run_trcost estimate --help
  cp out.txt help.txt
  for flag in $("$TRCOST" help fields | grep -oE '^[a-z_.]+  --[a-z-]+' | sed 's/.*--//'); do
    echo "$flag"
    grep -q -- "--$flag" help.txt
    grep -q -- "--$flag" bash.txt
    grep -q -- "--$flag=*\\[" zsh.txt
    grep -q -- "-l $flag " fish.txt
    grep -q -- "--$flag" man.txt
  done
}

@test "bash completes commands, kinds, catalog names and words" {
  "$TRCOST" completions bash >completion.bash
  completed() {
    (
      # shellcheck disable=SC1091
      source ./completion.bash
      COMP_WORDS=("$@")
      COMP_CWORD=$(($# - 1))
      _trcost
      echo "${COMPREPLY[*]}"
    )
  }
  [ "$(completed trcost esti)" = estimate ]
  [ "$(completed trcost list acc)" = accelerators ]
  [ "$(completed trcost estimate --accelerator gb200)" = gb200-nvl72 ]
  [ "$(completed trcost estimate --precision bf)" = bf16 ]
  [[ "$(completed trcost help fi)" == fields ]]
  # After a comma, after --flag=, a name of a kind, and what the data name beside the catalog.
  [ "$(completed trcost estimate --accelerator h200,gb200)" = h200,gb200-nvl72 ]
  [ "$(completed trcost estimate --precision = bf)" = bf16 ]
  [[ " $(completed trcost estimate --pricing =) " == *" spot "* ]]
  [ "$(completed trcost show accelerators gb300)" = gb300-nvl72 ]
  [ "$(completed trcost show models llama-3.1-40)" = llama-3.1-405b ]
  [[ " $(completed trcost estimate --provider La) " == *" Lambda "* ]]
  [[ " $(completed trcost estimate --region u) " == *" us "* ]]
  [[ " $(completed trcost tokens --family q) " == *qwen* ]]
  [[ " $(completed trcost sweep --vary data.tok) " == *" data.tokens= "* ]]
}

@test "fish and zsh complete what bash does" {
  "$TRCOST" completions fish >trcost.fish
  "$TRCOST" completions zsh >_trcost
  if command -v zsh >/dev/null; then zsh -n _trcost; fi
  grep -q '_sequence compadd - .*h100-sxm' _trcost
  command -v fish >/dev/null || skip "no fish"
  completed() { HOME=$PWD fish --no-config -c "source trcost.fish; complete -C '$1'" | cut -f1; }
  completed 'trcost estimate --accelerator h200,gb2' | grep -qx 'h200,gb200-nvl72'
  completed 'trcost estimate --precision=bf' | grep -qx -- '--precision=bf16'
  completed 'trcost show models llama-3.1-40' | grep -qx 'llama-3.1-405b'
  completed 'trcost sweep --vary data.tok' | grep -qx 'data.tokens='
  completed 'trcost tokens --family qwen2-' | grep -qx 'qwen2-vl'
  completed 'trcost estimate --region u' | grep -qx 'us'
  completed 'trcost help ran' | grep -qx 'ranges'
}

@test "help and completions list every field, whatever else is typed" {
  for field in params tokens tp sharding production-overhead; do
    "$TRCOST" estimate --help | grep -q -- "--$field "
    "$TRCOST" estimate --params 7e9 --help | grep -q -- "--$field "
    "$TRCOST" completions bash | grep -q -- "--$field "
  done
}
