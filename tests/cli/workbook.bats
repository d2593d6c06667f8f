# SPDX-License-Identifier: Apache-2.0
# A workbook is a budget to go on with: formulas over marked inputs, recomputed by LibreOffice.
load program

recomputed() {
  run_trcost estimate --params 1e9 --tokens 1e9 --accelerator h100-sxm -o try.xlsx
  [ "$code" -eq 0 ] || skip "built without libxlsxwriter: $err"
  command -v soffice >/dev/null || skip "soffice is not here: apt install libreoffice-calc-nogui"
  python3 "$BATS_TEST_DIRNAME/workbook.py" "$TRCOST" \
    "$BATS_TEST_DIRNAME/../../examples/scenarios/llava-two-stages.json" "$@"
}

@test "a price, MFU, goodput or token count changed in the sheet gives what the program gives" {
  recomputed estimate
}

@test "what a reserved price binds to moves with the price" {
  recomputed obligation
}

@test "the totals of owned machines, stages, solve and transfer are the program's" {
  recomputed platforms
}

@test "a price that nobody knows is n/a until it is filled in" {
  recomputed unknown_price
}

@test "serve and experiments compute in the sheet too" {
  recomputed serve experiments
}

@test "rent, machines and rates of tco changed in the sheet give what the program gives" {
  recomputed tco
}

@test "the budget and the rows have frozen headers, charts and a filter" {
  run_trcost estimate --params 1e9 --tokens 1e9 --accelerator h100-sxm,b200 -o book.xlsx
  [ "$code" -eq 0 ] || skip "built without libxlsxwriter: $err"
  run_trcost sweep --params 1e9 --tokens 1e9 --vary hardware.gpus=8,16,32 -o rows.xlsx
  python3 - <<'PY'
import re, zipfile
def sheet(book, name):
    names = re.findall(r'<sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())
    return book.read(f"xl/worksheets/sheet{names.index(name) + 1}.xml").decode()
book = zipfile.ZipFile("book.xlsx")
budget = sheet(book, "Budget")
assert "<f>" in budget and "<pane " in budget and "<drawing " in budget
assert sum(n.startswith("xl/charts/chart") for n in book.namelist()) == 2
assert "source of " in book.read("xl/sharedStrings.xml").decode()
rows = zipfile.ZipFile("rows.xlsx")
text = sheet(rows, "Rows")
assert "<autoFilter " in text and "<pane " in text and "<drawing " in sheet(rows, "Chart")
assert "scatterChart" in rows.read("xl/charts/chart1.xml").decode()
PY
}
