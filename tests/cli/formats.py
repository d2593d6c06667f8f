#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every format of a command says the same.

  formats.py TRCOST ROWS COMMAND...

Asks COMMAND in every format. The JSON's rows (list ROWS; `platforms/experiments` where it is within
another) with the scalars around them, names joined with dots, have to be the lines of CSV and JSON
Lines and of the workbook's sheet: no column more, none less, the same values. Pages for people have
to be whole: Markdown tables of equal width, HTML that is well formed, runs no script and loads
nothing, with a table of numbers for every figure. No number of a page or of the text differs from the
JSON (page_numbers.py).
"""

import csv
import html.parser
import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile

import page_numbers

SHEETS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
# Known when the last row has been written; they stand after the rows of the JSON.
AFTER_ROWS = {"tokens": ("total.", "inputs", "distribution")}
# Documents within the document.
WHOLE = ("scenario", "request", "result")
ROWS_ALONE = False
VOID = {"meta", "br", "hr", "img", "link", "input", "wbr"}


def fail(words, *what):
    sys.exit(" ".join([" ".join(words), ":", *map(str, what)]))


def run(program, words, form):
    try:
        return page_numbers.run(program, words, form)
    except subprocess.CalledProcessError as error:
        fail(words, form, "exit code", error.returncode, error.stderr.decode())


def scalars(value, prefix=""):
    """The leaves of an object but for lists of it; a list of two numbers is one value."""
    for key, each in value.items():
        if key in WHOLE:
            continue
        path = prefix + key
        if isinstance(each, dict):
            yield from scalars(each, path + ".")
        elif isinstance(each, list):
            if len(each) == 2 and all(isinstance(x, (int, float)) for x in each):
                yield path, each
        else:
            yield path, each


def rows_of(document, path):
    """Each row's scalars, the nearest first, and those of what is around it."""
    name, _, rest = path.partition("/")
    if ROWS_ALONE and "schema_version" in document:
        document = {name: document[name]}
    around = {k: v for k, v in document.items() if not (isinstance(v, list) and k == name)}
    for row in document[name]:
        inner = rows_of(row, rest) if rest else [dict(scalars(row))]
        for each in inner:
            yield {**dict(scalars(around)), **each}


def text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "x".join(text(each) for each in value)
    return value if isinstance(value, str) else repr(value)


def same(cell, value):
    """Whether a CSV cell is this JSON value. A null object has no members: all their cells are empty."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return cell != "" and float(cell) == float(value)
    want = text(value)
    return cell == want or cell == "'" + want  # what a spreadsheet would run is quoted


def check_rows(words, rows, table, where):
    if len(rows) != len(table):
        fail(words, where, len(table), "rows instead of", len(rows))
    for number, (row, line) in enumerate(zip(rows, table)):
        for name, cell in line.items():
            if name in row:
                if not same(cell, row[name]):
                    fail(words, where, "row", number, name, cell, "is", row[name], "in JSON")
            elif cell != "" or not any(row.get(name[:dot], 0) is None for dot in dots(name)):
                fail(words, where, name, "is not in the JSON")
        for name, value in row.items():
            if name.startswith(AFTER_ROWS.get(words[0], ("\0",))):
                continue
            if name not in line and (value is not None or not any(n.startswith(name + ".") for n in line)):
                fail(words, where, name, "is missing")


def dots(name):
    return [m.start() for m in re.finditer(r"\.", name)]


def sheet_rows(words, data, header):
    """The rows of the sheet whose first row holds the names of the CSV."""
    book = zipfile.ZipFile(io.BytesIO(data))
    strings = []
    if "xl/sharedStrings.xml" in book.namelist():
        for item in ET.fromstring(book.read("xl/sharedStrings.xml")):
            strings.append("".join(t.text or "" for t in item.iter(SHEETS + "t")))
    for name in sorted(book.namelist()):
        if not name.startswith("xl/worksheets/sheet"):
            continue
        table = []
        for row in ET.fromstring(book.read(name)).iter(SHEETS + "row"):
            cells = {}
            for cell in row:
                column = re.match(r"[A-Z]+", cell.get("r")).group()
                value = cell.find(SHEETS + "v")
                if value is None:
                    continue
                kind = cell.get("t")
                cells[column] = (strings[int(value.text)] if kind == "s" else
                                 ("true" if value.text == "1" else "false") if kind == "b" else value.text)
            table.append(cells)
        if table and list(table[0].values()) == header:
            columns = list(table[0])
            return [{h: row.get(c, "") for h, c in zip(header, columns)} for row in table[1:]]
    fail(words, "the workbook has no sheet of rows")


def close(cell, other):
    try:
        return abs(float(cell) - float(other)) <= 1e-14 * abs(float(other))
    except ValueError:
        cell, other = " ".join(cell.split()), " ".join(other.split())  # a cell is one line
        return other in (cell, "'" + cell)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.figures, self.tables, self.problems, self.words = [], 0, 0, [], []

    def handle_starttag(self, tag, attrs):
        if any(k.startswith("on") for k, _ in attrs):
            self.problems.append("a script in an attribute")
        if any(k == "src" or (k == "href" and not v.startswith("#")) for k, v in attrs):
            self.problems.append(f"{tag} loads something")
        if dict(attrs).get("role") == "img":
            self.figures += 1
            if not dict(attrs).get("aria-label"):
                self.problems.append("a figure without a name")
        self.tables += tag == "table"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        if tag == "use":
            self.handle_starttag(tag, attrs)
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        self.words.append(data)


def check_pages(program, words):
    page = Page()
    page.feed(run(program, words, "html"))
    if page.open or page.problems:
        fail(words, "html", page.open, page.problems)
    if page.tables < page.figures:
        fail(words, "html has", page.tables, "tables and", page.figures, "figures")
    markdown = run(program, words, "md")
    if not markdown.startswith("# "):
        fail(words, "md has no title")
    width = None
    for line in markdown.splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
        if cells is not None and width is not None and cells != width:
            fail(words, "md", "a row of another width:", line)
        width = cells


def check_numbers(program, words, rows):
    """Where the rows have numbers, every form for people has some, and none that the JSON lacks."""
    known = page_numbers.known_numbers(program, words)
    figures = any(isinstance(value, (int, float)) and not isinstance(value, bool)
                  for row in rows for value in row.values())
    for form in page_numbers.CELLS:
        checked, wrong = page_numbers.check(program, words, form, known)
        if wrong or (figures and checked == 0):
            fail(words, form, checked, "numbers, of which the JSON lacks", wrong[:20])


def main():
    global ROWS_ALONE
    program, path, *words = sys.argv[1:]
    ROWS_ALONE = words[0] == "sweep"  # its rows say what was selected, and no more
    document = json.loads(run(program, words, "json"))
    rows = list(rows_of(document, path))
    written = list(csv.reader(io.StringIO(run(program, words, "csv"))))
    header = written[0]
    if len(set(header)) != len(header):
        fail(words, "csv names a column twice")
    table = [dict(zip(header, line)) for line in written[1:]]
    check_rows(words, rows, table, "csv")
    lines = [json.loads(line) for line in run(program, words, "jsonl").splitlines()]
    if [list(line) for line in lines] != [header] * len(lines):
        fail(words, "jsonl has other names than csv")
    check_rows(words, rows, [{k: text(v) for k, v in line.items()} for line in lines], "jsonl")
    if rows:
        sheet = sheet_rows(words, page_numbers.run_bytes(program, words, "xlsx"), header)
        for number, (line, other) in enumerate(zip(table, sheet)):
            for name, cell in line.items():
                if not close(other[name], cell):
                    fail(words, "xlsx row", number, name, other[name], "is", cell, "in csv")
        if len(sheet) != len(table):
            fail(words, "xlsx has", len(sheet), "rows, csv", len(table))
    check_pages(program, words)
    check_numbers(program, words, rows)


if __name__ == "__main__":
    main()
