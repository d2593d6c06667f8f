#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A hostile file of any kind, wherever a file is taken, ends with one message, in the CPU time of 200
# estimates and 200 MB.

load program

run7=(estimate --params 7e9 --accelerator h100-sxm --gpus 8)

# Files that are none of what is read: bytes, nesting, lengths, numbers of things. With a share of 4,
# they have a quarter of the largest size that is read.
hostile_files() {
  local share=$1
  mkdir -p hostile
  : >hostile/empty
  printf '{"model":{"params":7e9}}\0garbage {' >hostile/nul
  head -c 200000 /dev/zero | tr '\0' '[' >hostile/deep
  (printf '{"a":%.0s' $(seq 20000)) >hostile/objects
  head -c 17000000 /dev/zero >hostile/large
  head -c $((15000000 / share)) /dev/zero | tr '\0' 'x' >hostile/long_line
  (printf '{"name": "' && head -c $((15000000 / share)) /dev/zero | tr '\0' 'x' && printf '"}') >hostile/long_text
  (printf '{' && seq -f '"k%.0f":1,' $((600000 / share)) && printf '"z":1}') >hostile/many_keys
  (printf '[' && yes '1e308,' | head -n $((900000 / share)) && printf '1]') >hostile/many_numbers
  (yes , | head -c $((14000000 / share)) | tr -d '\n') >hostile/many_columns
  (printf 'a,"' && head -c $((14000000 / share)) /dev/zero | tr '\0' 'y') >hostile/open_quote
  (echo width,height,count && yes 1,2,3,4,5 | head -n $((500000 / share))) >hostile/wide_rows
  (printf '{"model":{"params":7e9},"stages":[' && yes '{"name":"s","data":{"tokens":1e9}},' |
    head -n $((300000 / share)) && printf '{"name":"z"}]}') >hostile/many_stages
  (printf '{"model":{"params":7e9},"experiments":[' && yes '{"name":"s"},' | head -n $((100000 / share)) &&
    printf '{"name":"z"}]}') >hostile/many_experiments
  printf '\xff\xfe\x00' >hostile/half_utf16
  head -c 100000 /dev/urandom >hostile/noise
  printf '{"schema_version": "99.0", "params": 1e400}' >hostile/version
  ln -s /dev/zero hostile/zero
  mkdir hostile/folder
}

# Runs one question about $file with its limits; appends what is wrong to failures.
ask() {
  local code=0
  (ulimit -v 204800 -t "$seconds" && exec "$TRCOST" "$@") >out.txt 2>err.txt || code=$?
  asked=$((asked + 1))
  local messages
  messages=$(grep -c 'trcost: error: ' err.txt) || true
  if [ "$code" -gt 2 ] || grep -q 'internal error\|this is a bug' err.txt ||
    { [ "$code" -ne 0 ] && [ "$messages" -ne 1 ]; } || { [ "$code" -ne 0 ] && [ -s out.txt ]; } ||
    [ "$(wc -c <err.txt)" -gt 4000 ] || LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' err.txt; then
    echo "exit code $code, $messages messages: $* ($file): $(head -c 300 err.txt)" >>failures
  fi
  [ "$code" -ne 0 ] || echo "$* ($file)" >>accepted
}

@test "every place that takes a file, with every hostile file" {
  hostile_files 1
  seconds=$(seconds_of_estimates 200)
  asked=0
  "$TRCOST" "${run7[@]}" -o good.json
  for file in hostile/*; do
    cp -r "$file" named.json 2>/dev/null || true
    [ "$file" = hostile/zero ] && rm -f named.json && ln -s /dev/zero named.json
    ask estimate --scenario "$file"
    ask estimate --scenario - <"$file"
    ask "${run7[@]}" --config "$file"
    ask estimate --model named.json --accelerator h100-sxm --gpus 8
    ask estimate --params 7e9 --accelerator named.json --gpus 8
    ask "${run7[@]}" --system named.json
    ask "${run7[@]}" --stack named.json
    ask "${run7[@]}" --modality vl --vision-encoder named.json
    ask serve --model llama-3-8b --accelerator h100-sxm --engine named.json
    ask diff "$file" good.json
    ask diff good.json "$file"
    ask experiments "$file"
    ask sweep --params 7e9 --accelerator h100-sxm --vary "gpus=@$file" --format csv -o rows.csv
    ask tokens --family vit --images "$file"
    ask tokens --family vit --image "$file"
    ask prices import "$file" --date 2026-10-01
    for kind in accelerators systems stacks models encoders engines; do
      ask show $kind named.json
    done
    cp -r "$file" part.csv 2>/dev/null || true
    [ -f part.csv ] && [ "$file" != hostile/empty ] &&
      ask sweep --params 7e9 --accelerator h100-sxm --vary gpus=8,16 --format csv --resume part.csv
    rm -rf named.json part.csv
  done
  [ ! -e failures ] || { cat failures; false; }
  echo "$asked questions; accepted: $(cat accepted)"
  [ "$asked" -gt 350 ]
  # Nothing of this is an answer but an empty table of prices or sizes, which says so itself.
  [ "$(grep -c . accepted || true)" -le 3 ] || { cat accepted; false; }
}

@test "a data folder with any of its files hostile" {
  hostile_files 4
  seconds=$(seconds_of_estimates 200)
  asked=0
  mkdir -p folder/prices folder/runs folder/serving folder/efficiency folder/accelerators
  for place in prices/book.json prices/mine.json prices/regions.json prices/storage.json \
    runs/throughput.csv runs/runs.csv runs/vision.csv runs/memory.csv runs/token_budgets.json \
    runs/unseen_errors.json serving/architectures.json serving/rounds.json serving/spread.json serving/measurements.csv \
    efficiency/h100-sxm.json efficiency/residuals.csv accelerators/h100-sxm.json; do
    for file in hostile/*; do
      # What is no regular file is no file of the folder: the built-in one is taken.
      [ -f "$(readlink -f "$file")" ] || continue
      rm -f "folder/$place"
      cp "$file" "folder/$place"
      case $place in
        prices/regions.json) ask "${run7[@]}" --region us --pricing own --data-dir folder ;;
        prices/*) ask "${run7[@]}" --data-dir folder ;;
        runs/token_budgets.json | runs/unseen_errors.json) ask estimate --params 7e9 --data-dir folder ;;
        runs/vision.csv) ask validate --vision --data-dir folder ;;
        runs/memory.csv) ask validate --memory --data-dir folder ;;
        runs/runs.csv) ask validate --runs --data-dir folder ;;
        runs/*) ask validate --data-dir folder ;;
        serving/rounds.json) ask "${run7[@]}" --method grpo --data-dir folder ;;
        serving/measurements.csv) ask validate --serving --data-dir folder ;;
        serving/*) ask serve --model llama-3-8b --accelerator h100-sxm --data-dir folder ;;
        *) ask "${run7[@]}" --data-dir folder ;;
      esac
    done
    rm -f "folder/$place"
  done
  [ ! -e failures ] || { cat failures; false; }
  [ "$asked" -gt 200 ]
  [ ! -s accepted ] || { cat accepted; false; }
}
