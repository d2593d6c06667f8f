#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repeats the fits beside the training step's and says where the checked-in figures are others.

  repeat.py --program build/trcost --bench build/tests/trcost_calibrate --data data

Each fit writes into a copy of the data; a number of its files may lie NEAR the checked-in one, which
the planner's choices under new constants move it by. Exits 1 where one lies elsewhere, 77 where numpy
or scipy is missing. The training step's own constants `refit.py --check` repeats.
"""

import argparse
import csv
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

NEAR = 0.05   # of a number
FOLDER = pathlib.Path(__file__).parent


def fits(options, data):
    """(words of a fit, files that it writes)."""
    program, bench = ["--program", options.program], ["--program", options.bench]
    yield ["pooling.py", *bench], ["efficiency/pooling.json"]
    yield ["refit_vision.py", *program], [
        "stacks/hf-trainer.json", "stacks/megatron.json", "efficiency/vision_residuals.csv", "efficiency/vision_left_out.csv"]
    yield ["refit_serving.py", "--leave-one-out"], [
        "serving/architectures.json", "serving/spread.json",
        *sorted(str(p.relative_to(data)) for p in (data / "engines").glob("*.json"))]
    yield ["refit_rounds.py", *program, "--leave-one-out"], [
        "serving/rounds.json", "serving/posttraining_left_out.csv"]


def numbers(path):
    """The numbers of a file by their place in it."""
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            rows = {i: row for i, row in enumerate(csv.DictReader(file))}
    else:
        rows = {"": json.loads(path.read_text())}
    found = {}

    def walk(place, value):
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(f"{place} {key}", inner)
        elif isinstance(value, list):
            walk(place, dict(enumerate(value)))
        else:
            try:
                found[place] = float(value)
            except (TypeError, ValueError):
                found[place] = value
    walk(path.name, rows)
    return found


def moved(old, new):
    for place in sorted(old.keys() | new.keys()):
        a, b = old.get(place), new.get(place)
        if place.endswith(" date") or a == b:
            continue
        if isinstance(a, float) and isinstance(b, float) and abs(a - b) <= NEAR * abs(a):
            continue
        yield f"{place}: checked in {a}, the fit gives {b}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not all(importlib.util.find_spec(name) for name in ("numpy", "scipy")):
        print("needs numpy and scipy (Debian: python3-numpy, python3-scipy)")
        return 77
    found = []
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "data"
        shutil.copytree(options.data, copy)
        for words, files in fits(options, options.data):
            before = {name: numbers(copy / name) for name in files}
            subprocess.run([sys.executable, FOLDER / words[0], *words[1:], "--data", copy, "--write"],
                           check=True, stdout=subprocess.DEVNULL)
            lines = [line for name in files for line in moved(before[name], numbers(copy / name))]
            print(f"{words[0]}: {sum(map(len, before.values()))} figures, {len(lines)} elsewhere")
            found += lines
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
