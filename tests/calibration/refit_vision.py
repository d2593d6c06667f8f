#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits what vision-language code adds to gathers of sharded weights to data/runs/vision.csv.

  refit_vision.py --program build/trcost --data data           what fits best, and with sources left out
  refit_vision.py ... --write                                  and writes them, and data/efficiency/vision_*.csv

The constants are those of data/stacks that begin with vision_. One vote per source: the mean
ln(predicted / reported) of its rows; the fit minimises the mean |vote| over a grid, so that every
source can be left out of it at no further cost. Run it after refit.py, whose constants these rows
do not enter. Spreads are those of sources left out and of those that data/runs/predicted_first.csv
holds, by stack where several sources ran one.
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

NORMAL_P80, NORMAL_P90 = 0.8416212335729143, 1.2815515655446004
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


def first_logs(data):
    """ln(predicted / reported) of runs whose sources no constant had seen, by source."""
    found = collections.defaultdict(list)
    with open(data / "runs/predicted_first.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "vision" and row["quality"] != "C" and row["predicted"]:
                log = math.log(float(row["predicted"]) / float(row["measured"]))
                found[row["source"].split()[0]].append((log, stack_of(row["scenario"])))
    return found


def stack_of(scenario):
    fields = dict(field.split("=", 1) for field in scenario.split())
    return fields.get("efficiency.stack", "typical")


def stacks_of_rows(data):
    with open(data / "runs/vision.csv", newline="") as file:
        return {row["id"]: stack_of(row["scenario"]) for row in csv.DictReader(file) if row["scenario"]}


class Spread:
    """Errors of sources, each of weight 1, that neither a constant nor the spread has seen."""

    def __init__(self, logs):
        self.logs = logs  # by source

    def sigma(self, without=None):
        """Of a normal distribution whose 60 and 80 % ranges hold at least as many of the sources."""
        sizes = [(abs(log), 1 / len(of)) for source, of in self.logs.items() if source != without for log in of]
        return max(quantile(sizes, 0.6) / NORMAL_P80, quantile(sizes, 0.8) / NORMAL_P90)

    def inside(self):
        """Share of the sources in ranges that have not seen them."""
        shares = [statistics.mean(abs(log) <= NORMAL_P90 * self.sigma(source) for log in of)
                  for source, of in self.logs.items()]
        return statistics.mean(shares)

    def row(self, stack, model, sigma):
        errors = [(abs(math.exp(log) - 1), 1 / len(of)) for of in self.logs.values() for log in of]
        rows, sources = len(errors), len(self.logs)
        return (f"any,{stack},{model},any,{rows},{sources},{sources},{sigma:.4f},"
                f"{quantile(errors, 0.5):.4f}\n")


def join_logs(rows, by_source, first, keep):
    """ln(predicted / reported) by source: replayed with its constants left out, and predicted first."""
    logs = collections.defaultdict(list)
    for key, row in rows.items():
        if keep(key):
            logs[row[0]].append(by_source[row[0]][key][2])
    for source, of in first.items():
        logs[source] += of
    return Spread(logs)


def report(rows, by_source):
    """Figures of rows, each predicted with the constants for its source."""
    means = collections.defaultdict(list)
    for key, row in rows.items():
        means[row[0]].append(by_source[row[0]][key][2])
    vote = [statistics.mean(v) for v in means.values()]
    return {"rows": len(rows), "sources": len(means), "factor": math.exp(statistics.median(map(abs, vote))),
            "bias": math.exp(statistics.median(vote))}


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
    stacks, first = stacks_of_rows(args.data), first_logs(args.data)
    families, left = [], {}
    for name, keep in (("vision", lambda k: not contrastive(k)), ("contrastive", contrastive)):
        rows = {key: row for key, row in now.items() if keep(key)}
        sources = {row[0] for row in rows.values()}
        seen, unseen = {s: now for s in sources}, {s: points[best(s)] for s in sources}
        left[name] = report(rows, unseen)
        print(name, "fitted", {k: round(v, 3) for k, v in report(rows, seen).items()})
        print(name, "source left out", {k: round(v, 3) for k, v in left[name].items()})
        spreads = {}
        for stack in ["any", *sorted({stacks[key] for key in rows})]:
            of_stack = lambda other: stack in ("any", other)
            unfitted = {source: [log for log, other in of if of_stack(other)] for source, of in first.items()}
            unfitted = {source: logs for source, logs in unfitted.items() if logs and name == "vision"}
            spread = spreads[stack] = join_logs(rows, unseen, unfitted, lambda key: of_stack(stacks[key]))
            print(f"{name} {stack}: {len(spread.logs)} sources, sigma {spread.sigma():.3f}, "
                  f"{spread.inside():.0%} inside a range that has not seen them" if len(spread.logs) > 1 else
                  f"{name} {stack}: 1 source, sigma {spread.sigma():.3f}")
        # An unknown stack has the mean spread of the known ones, however many sources each has.
        every = spreads.pop("any")
        families.append(every.row("any", name, statistics.geometric_mean(s.sigma() for s in spreads.values())))
        families += [spread.row(stack, name, spread.sigma()) for stack, spread in spreads.items()
                     if len(spreads) > 1]
    if not args.write:
        return
    files = Files(args.data)
    for (stack, name), value in zip(GRID, chosen):
        place, key = files.place("stack", stack, name)
        place[key] = value
    files.write()
    with open(args.data / "efficiency" / "vision_residuals.csv", "w") as out:
        out.write("architecture,stack,model,task,rows,groups,sources,sigma,median_error\n")
        out.writelines(families)
    with open(args.data / "efficiency" / "vision_left_out.csv", "w") as out:
        out.write("model,factor,bias\n")
        out.write(f"vision,{left['vision']['factor']:.4f},{left['vision']['bias']:.4f}\n")


if __name__ == "__main__":
    main()
