#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refits data/efficiency/pooling.json: how far sources lie apart, for `trcost calibrate`.

Needs numpy and scipy and the program trcost_calibrate (a build with -DTRCOST_TESTS=ON makes it).

  pooling.py --program build/tests/trcost_calibrate --data data           prints what it finds
  pooling.py ... --write                                                  and writes it

The error of a row, its source left out of the fit (left_out.csv), is the sum of what the source's
factors do (normal, one spread per factor), of its chip, of its experiment and of the step: the
spreads are those of the largest marginal likelihood, every source one vote however many rows it has.
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import subprocess

import numpy as np
from fitted_constants import origin_of
from scipy.optimize import minimize

FACTORS = ["kernels", "exchange", "elementwise", "attention", "dispatch", "experts", "adapters", "fixed"]
# Farther off is a wrong unit, a broken network or another program: no spread of a normal distribution.
MOST = 0.5
START = [0.12, 0.3, 0.3, 0.2, 0.4, 0.5, 0.5, 0.8, 0.05, 0.08, 0.05]
# Prior of a spread: weak, so that what rows hardly inform stays near its start.
LOOSE = 0.7


def slopes(program, data):
    """Of each row the error and its derivative by the logarithm of each factor."""
    out = subprocess.run([program, str(data)], input="plan\nslopes\n", text=True, check=True,
                         capture_output=True).stdout
    rows = {}
    for line in out.split(".\n")[1].splitlines():
        words = line.split()
        rows[words[0]] = [float(word) for word in words[1:]]
    return rows


def by_source(rows, data):
    """Errors, slopes, chips and experiments of each source."""
    out = collections.defaultdict(list)
    for row in csv.DictReader(open(data / "runs/throughput.csv", encoding="utf-8")):
        if row["id"] in rows and row["quality"] != "C" and abs(rows[row["id"]][0]) < MOST:
            out[origin_of(row)].append((rows[row["id"]], row["accelerator"], row["group"]))
    return out


def same(names):
    return np.array([[a == b for b in names] for a in names], float)


def minus_log_likelihood(z, sources):
    spreads = np.exp(z)
    total = 0
    for members in sources.values():
        error = np.array([m[0][0] for m in members])
        slope = np.array([m[0][1:] for m in members])
        chip, group = same([m[1] for m in members]), same([m[2] for m in members])
        covariance = slope @ np.diag(spreads[:-3] ** 2) @ slope.T
        covariance += spreads[-3] ** 2 * chip + spreads[-2] ** 2 * group
        covariance += spreads[-1] ** 2 * np.eye(len(error))
        _, determinant = np.linalg.slogdet(covariance)
        total += (determinant + error @ np.linalg.solve(covariance, error)) / len(error) ** 0.5
    return total / 2 + np.sum(((z - np.log(START)) / LOOSE) ** 2) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/tests/trcost_calibrate")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("data"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    sources = by_source(slopes(options.program, options.data), options.data)
    found = minimize(minus_log_likelihood, np.log(START), args=(sources,), method="L-BFGS-B")
    *factors, chip, group, row = np.exp(found.x)
    between_steps = math.hypot(group, row)
    print(f"{sum(map(len, sources.values()))} rows of {len(sources)} sources")
    for name, value in zip(FACTORS + ["chip", "experiment", "row"], np.exp(found.x)):
        print(f"{name:14} {value:.3f}")
    if not options.write:
        return
    path = options.data / "efficiency/pooling.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["between_sources"] = {n: round(float(v), 3) for n, v in zip(FACTORS, factors)}
    document["between_steps"] = round(between_steps, 3)
    document["between_chips"] = round(float(chip), 3)
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
