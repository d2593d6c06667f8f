#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the training cost of two versions of a recipe, as a check of a pull request.
#
#   compare.sh BEFORE AFTER [estimate flags]
#
# Writes cost.md, the comment for the pull request. Environment: BUDGET, the most that the new
# version may cost with nine chances in ten (default: no limit), RISE, the most that the cost may
# rise (default 10%), TRCOST, the program. Exits 3 if a limit is broken.
set -eu
TRCOST=${TRCOST:-trcost}
before=$1 after=$2
shift 2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
"$TRCOST" estimate --recipe "$before" "$@" -o "$work/before.json"
code=0
if [ -n "${BUDGET:-}" ]; then
  "$TRCOST" estimate --recipe "$after" "$@" -o "$work/after.json" \
    --fail-above "$BUDGET" --confidence 0.9 2>"$work/budget.txt" || code=$?
  cat "$work/budget.txt" >&2
else
  "$TRCOST" estimate --recipe "$after" "$@" -o "$work/after.json"
fi
[ "$code" -eq 0 ] || [ "$code" -eq 3 ] || exit "$code"
rise=0
"$TRCOST" diff "$work/before.json" "$work/after.json" --format md -o "$work/cost.md" \
  --fail-above "${RISE:-10%}" || rise=$?
[ -f "$work/cost.md" ] || exit "$rise"

# The headline, the budget if it is broken, and the rest without the temporary folder.
{
  head -n 1 "$work/cost.md"
  if [ "$code" -eq 3 ]; then
    printf '\n**The budget of %s is exceeded.**' "$BUDGET"
    sed -n 's/^trcost: error: \(.* limit of .*\)/ \1./p' "$work/budget.txt"
  fi
  tail -n +2 "$work/cost.md" | sed "s|$work/||g"
} >cost.md
[ "$rise" -eq 0 ] && exit "$code"
exit "$rise"
