#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One sweep split over four processes; the parts in order are the whole. The same elsewhere:
#   seq 4 | parallel -k "trcost sweep ... --shard {}/4" > all.csv
#   #SBATCH --array=1-4
#   trcost sweep ... --shard "$SLURM_ARRAY_TASK_ID/4" -o "part-$SLURM_ARRAY_TASK_ID.csv"
set -eu
trcost=${TRCOST:-trcost}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for part in 1 2 3 4; do
  "$trcost" sweep --params 7e9 --vary hardware.gpus=8..1024:x2 \
    --vary hardware.accelerator=h100-sxm,b200 --shard "$part/4" --format csv \
    -o "$folder/part-$part.csv" &
done
wait
cat "$folder/part-1.csv" "$folder/part-2.csv" "$folder/part-3.csv" "$folder/part-4.csv"
