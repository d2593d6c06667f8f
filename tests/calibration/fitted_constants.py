#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fitted constants: their priors, where they stand, and of which rows they are.

  fitted_constants.py --data data     exits 1 where rows, priors or constants are others than those of
                                      the last refit.py --write (data/calibration/fit.json)

Needs nothing beside Python: the gate runs it. That the constants are what the fit gives, nightly
`refit.py --check` says.
"""

import argparse
import csv
import datetime
import hashlib
import json
import math
import pathlib
import sys

INPUTS = ["calibration/kept.csv", "calibration/priors.csv", "runs/throughput.csv"]
STAMP = "calibration/fit.json"


class Constant:
    """A number under one or several names, its prior and its range."""

    def __init__(self, targets, prior, sigma, low=1e-9, high=1e9, kin=None):
        self.targets, self.prior, self.sigma, self.low, self.high = targets, prior, sigma, low, high
        self.kin = kin  # partial pooling: the prior is a multiple of what this constant is fitted to

    def value(self, z, of_kin=1.0):
        return min(max(self.prior * of_kin * math.exp(z * self.sigma), self.low), self.high)


def read_priors(data):
    """The rows of data/calibration/priors.csv: constants that share one value, as `names: constants`
    parted by semicolons. A row that is a multiple of an earlier one (partial pooling) says of which."""
    found = {}
    with open(pathlib.Path(data, "calibration/priors.csv"), newline="") as file:
        for row in csv.DictReader(file):
            targets = []
            for group in row["constants"].split(";"):
                names, keys = (part.split() for part in group.split(":"))
                targets += [(row["kind"], name, key) for name in names for key in keys]
            prior, sigma, low, high = (float(row[c]) for c in ("prior", "sigma", "lowest", "highest"))
            kin = found[row["multiple_of"]] if row["multiple_of"] else None
            found[row["constants"]] = Constant(targets, prior, sigma, low, high, kin)
    return list(found.values())


def origin_of(row):
    """Whose measurements a row is of: one party on one cluster, whatever it published them in."""
    return row.get("origin") or row["source"]


def read_kept(data):
    with open(pathlib.Path(data, "calibration/kept.csv"), newline="") as file:
        return {(row["kind"], row["name"]) for row in csv.DictReader(file)}


class Files:
    """The constants where they stand: data/efficiency and `fitted` of data/stacks, every other key as it
    is."""

    def __init__(self, data):
        self.data, self.documents = data, {}

    def place(self, kind, name, key):
        """The object that holds a constant, and its key there."""
        folder = "efficiency" if kind == "efficiency" else "stacks"
        path = pathlib.Path(self.data, folder, name + ".json")
        document = self.documents.setdefault(path, json.loads(path.read_text()))
        if key.startswith("matmul."):
            return document.setdefault("matmul", {}), key[7:]
        return document["fitted"] if kind == "stack" else document, key

    def write(self):
        for path, document in self.documents.items():
            if "fitted" in document:
                document["fitted"]["date"] = str(datetime.date.today())
            path.write_text(json.dumps(document, indent=2) + "\n")


def digest(content):
    return hashlib.sha256(content).hexdigest()[:16]


def stamp(data):
    """What a fit is of, and what it gave, as digests."""
    files, lines = Files(data), []
    for constant in read_priors(data):
        for target in constant.targets:
            place, key = files.place(*target)
            lines.append(f"{' '.join(target)} {place[key]!r}")
    of = {name: digest(pathlib.Path(data, name).read_bytes()) for name in INPUTS}
    return {"sha256": of | {"constants": digest("\n".join(lines).encode())}}


def write_stamp(data):
    content = {"schema_version": "1.0", "date": str(datetime.date.today()),
               "made_by": "tests/calibration/refit.py --write"} | stamp(data)
    pathlib.Path(data, STAMP).write_text(json.dumps(content, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    data = parser.parse_args().data
    fitted = json.loads(pathlib.Path(data, STAMP).read_text())
    now = stamp(data)["sha256"]
    changed = [name for name in sorted(now) if now[name] != fitted["sha256"].get(name)]
    if changed:
        print(f"changed since the fit of {fitted['date']}: {', '.join(changed)}.\n"
              "tests/calibration/refit.py --write fits the constants again, --check says how far "
              "they stand from it")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
