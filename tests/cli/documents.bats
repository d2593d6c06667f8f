#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the documents and the help say, and the pages in a browser.

load program

@test "every command in every document runs and prints what the document shows" {
  python3 "$BATS_TEST_DIRNAME/../docs/documents.py" "$TRCOST"
}

@test "the what-if strip of a page has the figures of the program" {
  code=0
  python3 "$BATS_TEST_DIRNAME/../pages/what_if.py" "$TRCOST" 20 || code=$?
  [ "$code" -ne 77 ] || skip "no Chromium; tests/nightly.sh tries 200 settings where there is one"
  [ "$code" -eq 0 ]
}

@test "a browser finds the figures of the pages" {
  code=0
  python3 "$BATS_TEST_DIRNAME/../pages/pages.py" "$TRCOST" --only estimate,sweep-heat,solve-tokens,serve || code=$?
  [ "$code" -ne 77 ] || skip "no Chromium; tests/nightly.sh opens all pages where there is one"
  [ "$code" -eq 0 ]
}
