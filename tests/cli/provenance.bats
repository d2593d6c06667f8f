#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016
# Whose price an answer is made from, of which day, by which program: in every command and format.

load program

# The provider, class and date that `estimate` names are those that the other commands name.
setup_file() {
  own_program
  own_settings
  "$TRCOST" estimate --params 7e9 --tokens 1e11 --accelerator h100-sxm --gpus 64 --format json \
    >"$BATS_FILE_TMPDIR/estimate.json"
}
said() { jq -r "$1" "$BATS_FILE_TMPDIR/estimate.json"; }

@test "rows of a sweep carry provider, class, date, price book and version" {
  question=(sweep --params 7e9 --tokens 1e11 --vary hardware.gpus=64,128 --accelerator h100-sxm)
  run_trcost "${question[@]}" --format json
  holds ".price_data_date == \"$(said .price_data_date)\" and .trcost_version == \"$(said .trcost_version)\""
  run_trcost "${question[@]}" --format jsonl
  row=$(head -1 out.txt)
  for column in cost.provider cost.price_class cost.price_date; do
    [ "$(jq -r ".\"$column\"" <<<"$row")" = "$(said ".estimates[0].$column")" ]
  done
  jq -e ".price_data_date == \"$(said .price_data_date)\" and .trcost_version == \"$(said .trcost_version)\"" <<<"$row"
  run_trcost "${question[@]}" --format csv
  head -1 out.txt | tr , '\n' | grep -cxE 'cost.provider|cost.price_class|cost.price_date|cost.price_imputed|price_data_date|trcost_version' | grep -qx 6
  for format in table md; do
    run_trcost "${question[@]}" --format $format
    grep -q "trcost $(said .trcost_version), price book of $(said .price_data_date)" <<<"$out"
  done
}

@test "solve and transfer name provider, class and date of the price in every format" {
  solve=(solve --for tokens --budget 50k --params 7e9 --gpus 64 --accelerator h100-sxm)
  transfer=(transfer --params 7e9 --tokens 1e11 --from h200 --from-gpus 64 --measured 30h --to h100-sxm)
  provider=$(said '.estimates[0].cost.provider')
  for question in solve transfer; do
    declare -n words=$question
    run_trcost "${words[@]}" --format jsonl
    row=$(grep '"accelerator":"h100-sxm"' <<<"$out")
    [ "$(jq -r '."cost.provider"' <<<"$row")" = "$provider" ]
    [ "$(jq -r '."cost.price_class"' <<<"$row")" = "$(said '.estimates[0].cost.price_class')" ]
    [ "$(jq -r '."cost.price_date"' <<<"$row")" = "$(said '.estimates[0].cost.price_date')" ]
    [ "$(jq -r '.price_data_date' <<<"$row")" = "$(said .price_data_date)" ]
    run_trcost "${words[@]}" --format csv
    head -1 out.txt | tr , '\n' | grep -cxE 'cost.provider|cost.price_class|cost.price_date|cost.price_imputed|price_data_date|trcost_version' | grep -qx 6
    run_trcost "${words[@]}"
    grep -q "Newest price: $(said .price_data_date)" <<<"$out"
    tr -s '\n ' ' ' <<<"$out" | grep -q "trcost list prices"
    run_trcost "${words[@]}" --format md
    grep -q 'per GPU-hour: ' <<<"$out"
    grep -q "price book of $(said .price_data_date)" <<<"$out"
  done
  run_trcost "${transfer[@]}" --format json
  holds ".targets[0].cost | .provider == \"$provider\" and .price_imputed == false and .price_class != null"
}

@test "the workbook says what made it: version, price book, command, scenario" {
  run_trcost estimate --params 7e9 --tokens 1e11 --accelerator h100-sxm -o book.xlsx
  [ "$code" -eq 0 ] || skip "built without libxlsxwriter: $err"
  python3 - "$(said .price_data_date)" "$(said .trcost_version)" <<'PY'
import sys, zipfile
book = zipfile.ZipFile("book.xlsx")
text = "".join(book.read(name).decode() for name in book.namelist() if name.endswith(".xml"))
for wanted in (sys.argv[1], sys.argv[2], 'name="Origin"',
               "trcost estimate --params 7e9 --tokens 1e11 --accelerator h100-sxm -o book.xlsx"):
    assert wanted in text, wanted
PY
}

@test "what padding costs samples is said with its source, and corpora pay nothing" {
  run_trcost estimate --model llava-1.5-7b --samples 665000 --accelerator h100-sxm --format json
  holds '.estimates[0] as $e | [$e.assumptions[] | select(.path == "data.useful_share")][0] |
    .value > 0.7 and .value < 0.9 and (.source | test("LLaVA"))'
  run_trcost estimate --model llama-3.1-8b --tokens 1e9 --accelerator h100-sxm --format json
  holds '[.estimates[0].assumptions[].path] | index("data.useful_share") == null'
}
