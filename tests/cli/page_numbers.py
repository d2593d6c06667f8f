#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No number of a page differs from the JSON.

  page_numbers.py TRCOST COMMAND...

Writes the page of a command and its JSON; every number in a table of the page (figures' tables too)
has to be one of the JSON's, to the digits shown: as it is, as a percentage, in another unit of
time or memory, or as the difference or quotient of two that stand beside each other there ("+19%" of
the cheapest, a sum of a few rows)."""

import html
import json
import math
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


def main():
    program, words = sys.argv[1], sys.argv[2:]
    page = subprocess.run([program, *words, "--format", "html"], capture_output=True, text=True, check=False).stdout
    document = subprocess.run([program, *words, *(["--details"] if words[0] == "estimate" else []), "--format", "json"],
                              capture_output=True, text=True, check=False).stdout
    known = []
    numbers(json.loads(document), known)
    known = sorted(set(abs(value) for value in known))
    if words[0] == "serve":  # shares of a decode step
        for row in json.loads(document)["serving"]:
            parts = [value for value in (row.get("step") or {}).values() if value]
            known += [part / sum(parts) for part in parts]
    if words[0] == "estimate":
        totals = [e["cost"]["total"] for e in json.loads(document)["estimates"] if e["cost"]["total"]]
        known += [abs(a / b - 1) for a in totals for b in totals]
        for each in json.loads(document)["estimates"]:  # what is left of the peak after each step
            left = 1
            for step in each["waterfall"]:
                left *= step["share"]
                known.append(left)
    cells = [html.unescape(re.sub(r"<[^>]*>", "", cell))
             for cell in re.findall(r"<td class=\"number[^\"]*\">(.*?)</td>", page)]
    checked, wrong = 0, []
    for cell in cells:
        parts = re.split(r"\.\.|/", cell)
        for part in parts:
            read = shown(part.strip() + (" GB" if part != parts[-1] and cell.endswith("GB") else ""))
            if read is None:
                continue
            value, half = read
            checked += 1
            scales = (1, 1e-3, 1e3, 3600, 1 / 3600, 1e6, 1e-6)
            if not any(math.isclose(abs(value), each * scale, rel_tol=1e-9, abs_tol=half)
                       for each in known for scale in scales):
                wrong.append(cell)
    if checked == 0 or wrong:
        sys.exit(f"{' '.join(words)}: {checked} numbers, not in the JSON: {wrong[:20]}")
    print(checked, "numbers")


if __name__ == "__main__":
    main()
