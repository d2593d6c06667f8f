#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every command in every format: the same names, the same values.

load program

# The list that the command is about, then the command.
same() {
  echo "$*"
  python3 "$BATS_TEST_DIRNAME/formats.py" "$TRCOST" "$@"
}

@test "tokens in every format" {
  same items tokens --family qwen2-vl --image 1920x1080 --image 640x480
  same items tokens --image 640x480
  same items tokens --family qwen2-vl --video 1280x720 --seconds 60 --fps 2
  printf 'width,height,count\n640,480,9\n1920,1080,1\n' >sizes.csv
  same items tokens --family qwen2-vl --images sizes.csv
  same families tokens --families
}

@test "memory in every format" {
  same items memory --params 7e9
  same items memory --model mixtral-8x7b --accelerator h100-sxm,rtx-4090 --gpus 64 --tp 4 --ep 4
  same items memory --params 1e9 --precision fp8 --accelerator v100-sxm-32gb,h100-sxm
}

@test "the catalog in every format" {
  same kinds list
  for kind in accelerators systems stacks models encoders prices runs; do
    same "$kind" list "$kind"
  done
  same prices list prices --accelerator h100-sxm
}
