#!/bin/sh
# Judges five published claims; what each says is in README.md.
set -eu
trcost=${TRCOST:-trcost}
judge() {
  echo "== $1"
  shift
  "$trcost" serve "$@" --quiet --format json --no-curve |
    jq -r '.claim.verdict, (.claims[] | "   \(.accelerator) \(.pricing // "") \(.price // "" | tostring) sold \(.load // "" | tostring) \(.tokens): claimed \(.claimed), predicted \(.predicted) at \(.at_tokens_per_second_per_user) tokens/s per user: \(.verdict)")'
}
judge '$0.02 per million tokens' --model gpt-oss-120b --precision mxfp4 --accelerator b200 --engine trtllm \
  --claim '0.02 USD/Mtok'
judge '15x below Hopper' --model gpt-oss-120b --precision mxfp4 --accelerator b200 --engine trtllm \
  --claim '15x over h200'
judge '35x below Hopper' --model deepseek-v3 --precision best --accelerator gb300-nvl72 --engine trtllm \
  --draft-tokens 3 --acceptance 0.8 --price 2.65 --claim '35x over h200' \
  --claim-reference 'h200 gpus=8 price=1.41 precision=fp8'
judge '50x per megawatt' --model deepseek-v3 --precision best --accelerator gb300-nvl72 --engine trtllm \
  --draft-tokens 3 --acceptance 0.8 --claim '50x per MW over h200' \
  --claim-reference 'h200 gpus=8 precision=fp8'
judge '$5M into $75M' --model deepseek-v3 --precision best --accelerator gb200-nvl72 --engine trtllm \
  --claim '$5M into $75M'
