#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits what vision-language code adds to gathers of sharded weights to data/runs/vision.csv.

  refit_vision.py --program build/trcost --data data           what fits best, and with sources left out
  refit_vision.py ... --write                                  and writes them, and data/efficiency/vision_*.csv

The constants are those of data/stacks that begin with vision_. One vote per source: the mean
ln(predicted / reported) of its rows; the fit minimises the mean |vote| over a grid, so that every
source can be left out of it at no further cost. Run it after refit.py, whose constants these rows
do not enter.
"""

import argparse
import collections
import csv
import io
import itertools
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

from fitted_constants import Files

# Beside the 2.6 ms that text takes there; at most what ms-swift's micro-steps of sharded weights leave
# (2.45 and 1.95 s, tests/estimate/test_vision_tuning.cpp).
GRID = {
    ("hf-trainer", "vision_gather_seconds"): [0.002, 0.004, 0.006, 0.0075],
}


def replay(program, data, values):
    with tempfile.TemporaryDirectory() as folder:
        stacks = collections.defaultdict(dict)
        for (stack, name), value in values.items():
            stacks[stack][name] = value
        for stack, constants in stacks.items():
            document = json.loads((data / "stacks" / f"{stack}.json").read_text())
            document["fitted"].update(constants)
            path = pathlib.Path(folder) / "stacks" / f"{stack}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(document))
        out = subprocess.run([program, "--data-dir", folder, "-q", "validate", "--vision", "--format", "csv"],
                             check=True, capture_output=True, text=True).stdout
    rows = {}
    for row in csv.DictReader(io.StringIO(out)):
        if float(row["weight"]) > 0:
            log = math.log(float(row["predicted_gpu_hours"]) / float(row["reported_gpu_hours"]))
            rows[row["id"]] = (row["source"], row["run"], log, float(row["weight"]))
    return rows


def votes(rows, keep):
    sums = collections.defaultdict(list)
    for key, (source, _, log, _) in rows.items():
        if keep(key):
            sums[source].append(log)
    return {source: statistics.mean(logs) for source, logs in sums.items()}


def quantile(pairs, share):
    pairs = sorted(pairs)
    total, seen = sum(w for _, w in pairs), 0
    for value, weight in pairs:
        seen += weight
        if seen >= share * total:
            return value
    return pairs[-1][0]


def report(rows, by_source):
    """Figures of rows, each predicted with the constants for its source."""
    logs = {key: by_source[row[0]][key][2] for key, row in rows.items()}
    means = collections.defaultdict(list)
    for key, row in rows.items():
        means[row[0]].append(logs[key])
    vote = [statistics.mean(v) for v in means.values()]
    sizes = [(abs(logs[key]), row[3]) for key, row in rows.items()]
    errors = [(abs(math.exp(logs[key]) - 1), row[3]) for key, row in rows.items()]
    return {"rows": len(rows), "sources": len(means), "factor": math.exp(statistics.median(map(abs, vote))),
            "bias": math.exp(statistics.median(vote)), "sigma": quantile(sizes, 0.6) / 0.8416,
            "median_error": quantile(errors, 0.5)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    contrastive = lambda key: key.startswith(("VT-cnclip", "VT-superclass", "VR35", "VR36", "VR38"))
    points = {}
    for values in itertools.product(*GRID.values()):
        points[values] = replay(args.program, args.data, dict(zip(GRID, values)))

    def best(without):
        def loss(values):
            rows = points[values]
            kept = votes(rows, lambda k: not contrastive(k) and rows[k][0] != without)
            return statistics.mean(abs(v) for v in kept.values())
        return min(points, key=loss)

    chosen = best(None)
    now = points[chosen]
    for (stack, name), value in zip(GRID, chosen):
        print(f"{stack} {name} {value}")
    families = {}
    for name, keep in (("vision", lambda k: not contrastive(k)), ("contrastive", contrastive)):
        rows = {key: row for key, row in now.items() if keep(key)}
        sources = {row[0] for row in rows.values()}
        fitted = report(rows, {s: now for s in sources})
        left = report(rows, {s: points[best(s)] for s in sources}) if name == "vision" else fitted
        families[name] = left
        print(name, "fitted", {k: round(v, 3) for k, v in fitted.items()})
        print(name, "source left out", {k: round(v, 3) for k, v in left.items()})
    if not args.write:
        return
    files = Files(args.data)
    for (stack, name), value in zip(GRID, chosen):
        place, key = files.place("stack", stack, name)
        place[key] = value
    files.write()
    with open(args.data / "efficiency" / "vision_residuals.csv", "w") as out:
        out.write("architecture,stack,model,task,rows,groups,sources,sigma,median_error\n")
        for name, f in families.items():
            out.write(f"any,any,{name},any,{f['rows']},{f['sources']},{f['sources']},{f['sigma']:.4f},{f['median_error']:.4f}\n")
    with open(args.data / "efficiency" / "vision_left_out.csv", "w") as out:
        out.write("model,factor,bias\n")
        out.write(f"vision,{families['vision']['factor']:.4f},{families['vision']['bias']:.4f}\n")


if __name__ == "__main__":
    main()
