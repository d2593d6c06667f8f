#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `trcost tokens` through the real program.

load program

# Writes a GIF header of $2 x $3 pixels (both below 65536) to $1.
# shellcheck disable=SC2059
gif() {
  printf 'GIF89a' >"$1"
  printf "\\x$(printf '%02x' $(($2 % 256)))\\x$(printf '%02x' $(($2 / 256)))" >>"$1"
  printf "\\x$(printf '%02x' $(($3 % 256)))\\x$(printf '%02x' $(($3 / 256)))\0\0\0" >>"$1"
}

tokens() {
  run_trcost tokens "$@"
}

@test "one image as JSON" {
  tokens --family qwen2-vl --image 1920x1080 --format json
  [ "$code" -eq 0 ]
  [ "$(jq -c '.items[0].tokens' <<<"$out")" = '{"vision_encoder":10764,"vision":2691,"text":null}' ]
  [ "$(jq -c '.items[0].resized' <<<"$out")" = '[1932,1092]' ]
  [ "$(jq -c '.items[0].tiles' <<<"$out")" = 1 ]
  [ "$(jq -r '.items[0].input' <<<"$out")" = 1920x1080 ]
  [ "$(jq -r '.schema_version' <<<"$out")" = 1.2 ]
  jq -e '.items[0].rule and .items[0].source' <<<"$out"
}

@test "several images give a row each and a total" {
  tokens --family llava-next --image 640x480 --image 672x336 --format json
  [ "$(jq -c '[.items[].tokens.vision]' <<<"$out")" = '[2340,1752]' ]
  [ "$(jq '.total.vision' <<<"$out")" = 4092 ]
}

@test "video and audio" {
  tokens --family qwen2-vl --video 1280x720 --seconds 60 --fps 2 --format json
  [ "$(jq -c '.total' <<<"$out")" = '{"vision_encoder":172800,"vision":43200}' ]
  [ "$(jq '.items[0].frames' <<<"$out")" = 120 ]
  tokens --family qwen2-audio --audio --seconds 10 --format json
  [ "$(jq -c '.total' <<<"$out")" = '{"vision_encoder":1500,"vision":250}' ]
}

@test "each option reaches its rule" {
  tokens --family qwen2-vl --image 1920x1080 --max-pixels 1003520 --format json
  [ "$(jq '.total.vision' <<<"$out")" = 1222 ]
  tokens --family qwen2-vl --image 20x20 --min-pixels 12544 --format json
  [ "$(jq '.total.vision' <<<"$out")" = 16 ]
  tokens --family internvl --image 640x480 --max-tiles 1 --format json
  [ "$(jq '.total.vision' <<<"$out")" = 256 ]
  tokens --family vit --image 224x224 --patch 16 --format json
  [ "$(jq -c '.total' <<<"$out")" = '{"vision_encoder":197,"vision":196}' ]
  tokens --family gpt-4v --image 4096x8192 --detail low --format json
  [ "$(jq -c '.total' <<<"$out")" = '{"vision_encoder":null,"vision":85}' ]
}

@test "without a family all stand side by side" {
  tokens --image 640x480
  [ "$code" -eq 0 ]
  [ "$(grep -c 640x480 <<<"$out")" -eq 33 ]
  tokens --image 640x480 --format csv
  [ "$(wc -l <out.txt)" -eq 34 ]
}

@test "families are listed" {
  tokens --families --format json
  [ "$(jq '.families | length' <<<"$out")" = 35 ]
}

@test "a table of sizes: total and distribution" {
  printf 'width,height,count\n640,480,9\n1920,1080,1\n' >sizes.csv
  tokens --family qwen2-vl --images sizes.csv --format json
  [ "$code" -eq 0 ]
  [ "$(jq '.total.vision' <<<"$out")" = 6210 ]
  [ "$(jq -c '.distribution.vision' <<<"$out")" = \
    '{"min":391,"median":391,"p90":391,"max":2691,"mean":621}' ]
  tokens --family qwen2-vl --images sizes.csv --summary --format json
  [ "$(jq -c '.items' <<<"$out")" = '[]' ]
}

@test "a folder: the good images count, the bad ones are named, exit code 1" {
  mkdir -p photos/more
  gif photos/a.gif 640 480
  gif photos/more/b.gif 1920 1080
  echo 'no image' >photos/c.jpg
  : >photos/d.png
  echo text >photos/notes.txt
  tokens --family qwen2-vl --images photos --format json
  [ "$code" -eq 1 ]
  [ "$(jq '.total.vision' <<<"$out")" = 3082 ]
  [ "$(jq '.items | length' <<<"$out")" = 2 ]
  [ "$(jq -c '[.skipped[].input]' <<<"$out")" = '["photos/c.jpg","photos/d.png"]' ]
  grep -q 'photos/c.jpg' <<<"$err"
  grep -q 'photos/d.png' <<<"$err"
  grep -q '2 of 4 ' <<<"$err"
}

@test "image files one by one" {
  gif a.gif 640 480
  tokens --family llava-next --images a.gif --images a.gif --format json
  [ "$code" -eq 0 ]
  [ "$(jq '.total.vision' <<<"$out")" = 4680 ]
  printf '\xff\xd8\xff\xe0damaged' >b.jpg
  tokens --family llava-next --images b.jpg
  [ "$code" -eq 1 ]
  [ -z "$out" ]
  grep -q 'b.jpg' <<<"$err"
  # Bytes that are no text do not reach the terminal.
  mv b.jpg picture.csv
  tokens --family llava-next --images picture.csv
  [ "$code" -eq 1 ]
  ! LC_ALL=C grep -q '[^ -~]' err.txt || return 1
}

@test "a table with a missing column is one message with its line" {
  printf 'width,tall\n640,480\n' >sizes.csv
  tokens --family qwen2-vl --images sizes.csv
  [ "$code" -eq 1 ]
  [ -z "$out" ]
  grep -q 'sizes.csv:1.*height' <<<"$err"
  [ "$(grep -c 'error:' <<<"$err")" -eq 1 ]
}

@test "a table with bad rows: the good ones count, the bad ones are named, exit code 1" {
  printf 'width,height\n640,480\n640,\n1920,1080\n-3,5\n' >sizes.csv
  tokens --family qwen2-vl --images sizes.csv --format json
  [ "$code" -eq 1 ]
  [ "$(jq '.total.vision' <<<"$out")" = 3082 ]
  [ "$(jq -c '[.skipped[].input]' <<<"$out")" = '["sizes.csv:3","sizes.csv:5"]' ]
  grep -q 'sizes.csv:3.*height' <<<"$err"
  grep -q '2 of 4 ' <<<"$err"
  # Without one good row there is nothing to show.
  printf 'width,height\n640,\n' >sizes.csv
  tokens --family qwen2-vl --images sizes.csv
  [ "$code" -eq 1 ]
  [ -z "$out" ]
  grep -q 'sizes.csv:2' <<<"$err"
}

@test "a table with very many bad rows does not flood the terminal" {
  { printf 'width,height\n1,1\n'; yes 'x,y' | head -1000; } >sizes.csv
  tokens --family vit --images sizes.csv
  [ "$code" -eq 1 ]
  [ "$(wc -l <err.txt)" -lt 110 ]
  grep -qw 900 <<<"$err"
}

@test "bad input: one clear message and exit code 2" {
  for arguments in '--image 0x480' '--image 640x' '--image 1000000000x1000000000' \
    '--image 40000x25000 --family vit' '--family qwen3-vl --image 2001x10 --max-pixels 1' \
    '--family whisper --image 640x480' '--family mllama --image 4x4 --detail low' \
    '--family vit --audio --seconds 1' '--video 1280x720' '--family qwen2-vl' '' \
    '--image 4x4 --fps 2' '--image 4x4 --max-tiles 2' '--family vit --model x --image 4x4' \
    '--image 4x4 --detail medium' '--image 4x4 --seconds 1' \
    '--image 4x4 --nonsense' '--family vit --image 4x4 --patch nan'; do
    # shellcheck disable=SC2086
    tokens $arguments
    echo "$arguments -> $code: $err"
    [ "$code" -eq 2 ]
    [ -z "$out" ]
    [ "$(grep -c 'error:' <<<"$err")" -eq 1 ]
  done
}

@test "an aspect ratio that Qwen refuses is exit code 1" {
  tokens --family qwen2-vl --image 2001x10
  [ "$code" -eq 1 ]
  grep -qw 200 <<<"$err"
}

@test "a mistyped family gets the nearest name and the list" {
  tokens --family qwen2vl --image 640x480
  [ "$code" -eq 2 ]
  grep -q 'did you mean "qwen2-vl"' <<<"$err"
  grep -q 'gemma3' <<<"$err"
}

@test "-o chooses the format by its extension and leaves nothing behind on error" {
  tokens --family vit --image 224x224 -o counts.csv
  [ "$code" -eq 0 ]
  [ "$(wc -l <counts.csv)" -eq 2 ]
  tokens --family vit --image 0x0 -o none.csv
  [ "$code" -eq 2 ]
  [ ! -e none.csv ]
}

@test "the same input gives the same bytes" {
  tokens --image 1920x1080 --format json
  first=$out
  LC_ALL=C TZ=Asia/Tokyo tokens --image 1920x1080 --format json
  [ "$first" = "$out" ]
}
