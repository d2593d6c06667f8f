#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No number that people read differs from the JSON.

  page_numbers.py TRCOST COMMAND...

Writes the text, the Markdown and the page of a command, and its JSON; every number in a table of them
(figures' tables too), and every amount of a heading, has to be one of the JSON's, to the digits shown: as it is, as a percentage, in
another unit of time or memory, or as the difference or quotient of two that stand beside each other
there ("+19%" of the cheapest)."""

import bisect
import functools
import html
import json
import os
import re
import subprocess
import sys

SUFFIX = {"": 1, "k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "Q": 1e15, "%": 0.01, "ms": 1e-3,
          "us": 1e-6, "µs": 1e-6, "s": 1, "min": 60, "h": 3600, "d": 86400, "yr": 31557600, "mo": 2629800,
          "y": 31557600,
          "GB": 1e9, "MB": 1e6, "TB": 1e12, "kB": 1e3, "PB": 1e15, "GB-month": 1, "kWh": 1, "MWh": 1e3, "GWh": 1e6,
          "t": 1e3, "kg": 1, "GPU-hour": 1, "MW": 1e6, "W": 1, "FLOP": 1}
NUMBER = re.compile(r"^[~+]?(-?)\$?(-?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*(\S*)$")


def numbers(value, out):
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        out.append(float(value))
    elif isinstance(value, dict):
        for each in value.values():
            numbers(each, out)
    elif isinstance(value, list):
        for each in value:
            numbers(each, out)
    elif isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value):
        out.append(float(value))


def shown(text):
    """(value, half a unit of the last digit) or None."""
    match = NUMBER.match(text)
    if not match or match[3] not in SUFFIX:
        return None
    digits = match[2].replace(",", "")
    mantissa = digits.split("e")[0]
    places = len(mantissa.split(".")[1]) if "." in mantissa else 0
    scale = SUFFIX[match[3]] * (10 ** float(digits.split("e")[1]) if "e" in digits else 1)
    value = float(mantissa) * scale
    # Whole numbers of more than three digits may be rounded to three.
    unit = 10.0 ** -places * scale
    return (-value if match[1] else value), unit * 0.5000001


def known_numbers(program, words):
    """What the JSON has, and what follows from two of its numbers where a page says that."""
    details = ["--details"] if words[0] == "estimate" else []
    document = json.loads(run(program, [*words, *details], "json"))
    known = []
    numbers(document, known)
    known = [abs(value) for value in known]
    for row in document.get("rows", []):  # a prediction by constants that have not seen the row
        if row.get("left_out") and row.get("measured"):
            known.append(abs(row["left_out"] / row["measured"] - 1))
    if words[0] == "serve":  # shares of a decode step
        for row in document["serving"]:
            parts = [value for value in (row.get("step") or {}).values() if value]
            known += [part / sum(parts) for part in parts]
    if words[0] == "estimate":
        totals = [e["cost"]["total"] for e in document["estimates"] if e["cost"]["total"]]
        known += [abs(a / b - 1) for a in totals for b in totals]
        for unit in (3600, 86400):  # a unit that stands in a heading
            known += [e["wall_clock_seconds"] / unit for e in document["estimates"]]
        for each in document["estimates"]:  # what is left of the peak after each step
            left = 1
            for step in each["waterfall"]:
                left *= step["share"]
                known.append(left)
    return sorted(set(known))


def includes(known, value, half):
    """Whether a value of the sorted list is this one, half a unit of its last digit aside."""
    slack = max(half, 1e-9 * value)
    at = bisect.bisect_left(known, value - slack)
    return at < len(known) and known[at] <= value + slack


def run_bytes(program, words, form):
    """Output of a command in a format; each is run once."""
    return run_once(program, (*words, "--format", form))


@functools.lru_cache(maxsize=None)
def run_once(program, words):
    wide = {**os.environ, "COLUMNS": "200"}  # tables, not records
    done = subprocess.run([program, *words], capture_output=True, check=False, env=wide)
    if done.returncode not in (0, 3):
        done.check_returncode()
    return done.stdout


def run(program, words, form):
    return run_bytes(program, words, form).decode("utf-8")


def dollars(heading):
    return re.findall(r"\$[\d,]*\.?\d+[kMB]?", re.sub(r"\\(.)", r"\1", heading))


def html_cells(page):
    cells = []
    for classes, rows in re.findall(r"<table class=\"([^\"]*)\">(.*?)</table>", page, re.DOTALL):
        numbers = [int(column) for column in re.findall(r"\bn(\d+)", classes)]
        for row in re.findall(r"<tr>(.*?)</tr>", rows.split("<tbody>")[-1]):
            texts = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
            cells += [html.unescape(re.sub(r"<[^>]*>", "", texts[column - 1])) for column in numbers if column > 1]
    return cells + dollars(html.unescape(" ".join(re.findall(r"<h2>(.*?)</h2>", page))))


def markdown_cells(page):
    """Those of columns that stand to the right, which are numbers."""
    out, right, heading = [], [], False
    for line in page.splitlines():
        cells = [re.sub(r"\\(.)", r"\1", cell).strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            right = []
            out += dollars(line) if heading and not line.startswith("-") else []
            heading = line.startswith("#") or (heading and line == "")  # and what stands beside it
        elif all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            right = [cell.endswith(":") for cell in cells]
        elif right:
            out += [cell for cell, number in zip(cells, right) if number]
    return out


def text_cells(page):
    """What ends where its title ends, in the lines below a rule, down to an empty one."""
    out, ends, before = [], set(), ""
    for line in page.splitlines():
        pieces = [(match[0], match.end()) for match in re.finditer(r"\S+(?: \S+)*", line)]
        if re.fullmatch(r"\s*\u2500+", line):
            ends = ends or {match.end() for match in re.finditer(r"\S+(?: \S+)*", before)}
        elif not pieces:
            ends = set()
        if len(pieces) > 1:  # else the rest of a wrapped text
            out += [piece for piece, end in pieces if end in ends]
        if not ends and re.match(r"\S.*  ", line):  # a heading and what stands beside it
            out += dollars(line)
        before = line
    return out


CELLS = {"html": html_cells, "md": markdown_cells, "table": text_cells}


def check(program, words, form, known):
    """How many numbers of the format were looked at, and those that the JSON does not have."""
    checked, wrong = 0, []
    more = (1e-9, 1e-12, 86400) if words[0] == "list" else ()  # units that stand in a heading or a name
    for cell in CELLS[form](run(program, words, form)):
        parts = re.split(r"\.\.|/", cell)
        # Dollars of a bill are so rounded that the rows shown add up to the total shown.
        slack = 2 if words[0] == "estimate" and "$" in cell else 1
        reads = [shown(part.strip() + (" GB" if part != parts[-1] and cell.endswith("GB") else ""))
                 for part in parts]
        for value, half in reads if None not in reads else []:
            checked += 1
            scales = (1, 1e-3, 1e3, 3600, 1 / 3600, 1e6, 1e-6, *more)
            if not any(includes(known, abs(value) / scale, half * slack / scale) for scale in scales):
                wrong.append(cell)
    return checked, wrong


def main():
    program, words = sys.argv[1], sys.argv[2:]
    known = known_numbers(program, words)
    for form in CELLS:
        checked, wrong = check(program, words, form, known)
        if wrong or (checked == 0 and form != "table"):
            sys.exit(f"{' '.join(words)}: {form}: {checked} numbers, not in the JSON: {wrong[:20]}")
        print(form, checked, "numbers")


if __name__ == "__main__":
    main()
