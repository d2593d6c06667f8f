#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refits the constants of data/efficiency and data/stacks to the measured rows of data/runs.

Needs numpy and scipy and the program trcost_calibrate (a build with -DTRCOST_TESTS=ON makes it).

  refit.py --program build/tests/trcost_calibrate --data data             in-sample errors
  refit.py ... --leave-one-out                                            and with whole sources left out
  refit.py ... --write                                                    and writes the constants
  refit.py ... --check                                                    exits 1 where they moved by over 2 %

Every constant has a physical meaning (src/catalog/efficiency.h) and a prior with its source and a
standard deviation of its logarithm (data/calibration/priors.csv). The fit minimises soft_l1(ln(predicted/measured) / 5 %) over rows,
weighted by 1 / size of their group, plus the squared distance to the priors. No constant belongs to a row or to a source.
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import subprocess
import sys

import numpy as np
from ranges import NORMAL_P90, Spreads, family_key, interval_score, quantile
from scipy.optimize import least_squares

# Weight of rows whose source leaves out the batch and the recomputation, or has other kernels.
WEAK = {"NeMo Framework Launcher README": 0.3,
        # Its own fused kernels in the place of the model code that users of the trainer run.
        "whyNLP/tinyllama README (whyNLP/tinyllama)": 0.1}
# Not fitted: a study that fixes a layout for the sake of a comparison, and a cluster whose other
# measurements are to judge the constants.
APART = ["AWS Megatron-Bridge dispatcher", "swiss-ai/Megatron-LM"]
# Groups that a fact is missing for: the network between the nodes; adapters on two projections only.
WEAK_GROUPS = {"qwen|7B|LoRA (multinode)": 0.3, "peft|llama3.2-3b|l40s|lora": 0.1}
# The single-node sweep is one group of 299 rows; as one row it would not be seen at all.
SWEEP = {"vTrain ground truth (Megatron-DeepSpeed), single node": 20.0}
SCALE = 0.05
STEP = 1e-2  # of a standard deviation of the prior


class Constant:
    """A number under one or several names, its prior and its range."""

    def __init__(self, targets, prior, sigma, low=1e-9, high=1e9, kin=None):
        self.targets, self.prior, self.sigma, self.low, self.high = targets, prior, sigma, low, high
        self.kin = kin  # partial pooling: the prior is a multiple of what this constant is fitted to

    def value(self, z, of_kin=1.0):
        return min(max(self.prior * of_kin * math.exp(z * self.sigma), self.low), self.high)


def read_priors(data):
    """The rows of data/calibration/priors.csv: constants that share one value, as `names: constants`
    parted by semicolons. A row that is a multiple of another (partial pooling) names it by its number."""
    constants = []
    with open(pathlib.Path(data, "calibration/priors.csv"), newline="") as file:
        for row in csv.DictReader(file):
            targets = []
            for group in row["constants"].split(";"):
                names, keys = (part.split() for part in group.split(":"))
                targets += [(row["kind"], name, key) for name in names for key in keys]
            prior, sigma, low, high = (float(row[c]) for c in ("prior", "sigma", "lowest", "highest"))
            kin = constants[int(row["multiple_of"]) - 1] if row["multiple_of"] else None
            constants.append(Constant(targets, prior, sigma, low, high, kin))
    return constants


class Bench:
    """The rows, and the program that predicts them."""

    def __init__(self, program, data):
        self.constants = read_priors(data)
        self.process = subprocess.Popen([program, data], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        with open(pathlib.Path(data) / "runs/throughput.csv", newline="") as file:
            self.rows = list(csv.DictReader(file))
        sizes = collections.Counter(row["group"] for row in self.rows)
        self.plain = np.array([1 / sizes[row["group"]] for row in self.rows])
        self.weight = np.array([
            w * WEAK.get(row["source"], 1.0) * WEAK_GROUPS.get(row["group"], 1.0)
            * SWEEP.get(row["source"], 1.0) * (row["quality"] != "C")
            * (not row["source"].startswith(tuple(APART)))
            for w, row in zip(self.plain, self.rows)])
        self.measured = np.array([float(row["tokens_per_second_per_gpu"]) for row in self.rows])
        self.mixture = np.array([row["model"] in self.mixtures(data) for row in self.rows])
        self.architecture = {}
        for path in pathlib.Path(data, "accelerators").glob("*.json"):
            chip_file = json.loads(path.read_text())
            self.architecture[chip_file["name"]] = chip_file["architecture"]
        self.fitted_chips = {path.stem for path in pathlib.Path(data, "efficiency").glob("*.json")}
        # Rows of quality C and the study apart show what can go wrong, not how far estimates lie.
        self.counted = np.array([row["quality"] != "C" and not row["source"].startswith(tuple(APART))
                                 for row in self.rows])
        self.layouts = []

    @staticmethod
    def mixtures(data, known={}):
        if data not in known:
            found = set()
            for folder in ("models", "runs/models"):
                for path in pathlib.Path(data, folder).glob("*.json"):
                    model = json.loads(path.read_text())
                    if model.get("language", {}).get("moe"):
                        found.add(model["name"])
            known[data] = found
        return known[data]

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) != ".\n":
            if not line:
                sys.exit("the calibration program ended")
            lines.append(line.rstrip("\n"))
        return lines

    def values(self, z):
        found = {}
        for constant, at in zip(self.constants, z):
            found[constant] = constant.value(at, found[constant.kin] if constant.kin else 1)
        return found

    def send(self, z):
        for constant, value in self.values(z).items():
            for kind, name, key in constant.targets:
                self.process.stdin.write(f"{kind} {name} {key} {value:.10g}\n")

    def state_tuning(self, stated):
        """Whether rows are predicted as tuned as they say, or as by who does not know."""
        self.process.stdin.write(f"tuning {'row' if stated else 'default'}\n")

    def plan(self, z):
        self.send(z)
        self.layouts = self.ask("plan")

    def predict(self, z):
        self.send(z)
        return np.array([float(x) for x in self.ask("run")])

    def usable(self):
        return np.array([float(x) for x in self.ask("run")]) > 0

    def fit(self, mask, start=None, evaluations=12):
        index = np.where(mask)[0]
        weight = np.sqrt(self.weight[index])

        def residuals(z):
            ratio = np.log(np.maximum(self.predict(z)[index], 1e-9) / self.measured[index])
            return np.concatenate([weight * np.clip(ratio, -2, 2) / SCALE, z])

        def loss(squares):  # soft_l1 for the rows, plain squares for the priors
            rho = np.empty((3, len(squares)))
            t = 1 + squares
            rho[0], rho[1], rho[2] = 2 * (np.sqrt(t) - 1), t**-0.5, -0.5 * t**-1.5
            rho[0, len(index):], rho[1, len(index):], rho[2, len(index):] = squares[len(index):], 1, 0
            return rho

        def slopes(z):
            # An absolute step: scipy's is relative to z, and z is 0 at the prior.
            here = residuals(z)
            return np.stack([(residuals(z + step) - here) / STEP for step in STEP * np.eye(len(z))],
                            axis=1)

        start = np.zeros(len(self.constants)) if start is None else start
        return least_squares(residuals, start, slopes, loss=loss, max_nfev=evaluations).x


def families(bench):
    """Sets of rows to report, in the words of the README."""
    sets = collections.OrderedDict()
    for i, row in enumerate(bench.rows):
        kind = "MoE" if bench.mixture[i] else "dense"
        task = "pre-training" if row["task"] == "pretrain" else "fine-tuning"
        layout = "layout known" if row["layout_known"] == "yes" else "layout planned"
        for key in [("all", "all rows"), ("family", f"{kind} {task}, {layout}"),
                    ("stack", row["stack"] or "not published"),
                    ("accelerator", row["accelerator"]), ("precision", row["precision"]),
                    ("tuning", row["tuning"]), ("stack", f"{row['stack']}, {row['tuning']}"),
                    ("source", row["source"])]:
            sets.setdefault(key, []).append(i)
    return sets


def report(bench, predicted, title):
    error = np.where(predicted > 0, predicted / bench.measured - 1, np.nan)
    known = ~np.isnan(error)
    print(f"\n{title}\n{'rows':>5} {'median':>7} {'p90':>7} {'bias':>7}")
    for (dimension, value), members in sorted(families(bench).items()):
        index = np.array([i for i in members if known[i]])
        if not len(index):
            continue
        w = bench.plain[index]
        print(f"{len(index):5d} {100 * quantile(abs(error[index]), w, .5):6.1f}% "
              f"{100 * quantile(abs(error[index]), w, .9):6.1f}% "
              f"{100 * quantile(error[index], w, .5):+6.1f}%  {dimension}: {value}")
    return error


def leave_one_out(bench, best, mask):
    """Each source predicted by constants that never saw it: with its rows as tuned
    as they say, and as by who does not know."""
    stated, unstated = np.zeros((2, len(bench.rows)))
    for source in sorted({row["source"] for row in bench.rows}):
        out = np.array([row["source"] == source for row in bench.rows])
        seen = bench.weight[out].any()
        z = bench.fit(mask & ~out, best, evaluations=5) if seen else best
        stated[out] = bench.predict(z)[out]
        bench.state_tuning(False)
        unstated[out] = bench.predict(z)[out]
        bench.state_tuning(True)
    bench.predict(best)
    return np.where(mask, stated, 0), np.where(mask, unstated, 0)


def rounded(value):
    return float(f"{value:.4g}")


def write_constants(bench, z, data):
    """Puts the fitted values into the data files, leaving every other key as it is."""
    changed = 0.0
    files = {}
    for constant, value in bench.values(z).items():
        for kind, name, key in constant.targets:
            folder = "efficiency" if kind == "efficiency" else "stacks"
            path = pathlib.Path(data, folder, name + ".json")
            content = files.setdefault(path, json.loads(path.read_text()))
            place = content
            if key.startswith("matmul."):
                place, key = content.setdefault("matmul", {}), key[7:]
            new = rounded(value)
            old = place.get(key, constant.prior)
            changed = max(changed, abs(math.log(max(new, 1e-12) / max(old, 1e-12))))
            place[key] = new
    return files, changed


def write_table(data, name, rows):
    with open(pathlib.Path(data, "efficiency", name), "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def print_ranges(bench, spreads):
    """How well ranges hold rows whose source neither constants nor spreads have seen."""
    sets = collections.defaultdict(list)
    for i in spreads.members[("any",) * 5]:
        a, s, k, t, l = family_key(bench, i)
        sigma = spreads.nearest_sigma(i, spreads.source[i])
        for name in ["all", f"{k} {t}, layout {l}", f"{a} {s} {k} {t}"]:
            sets[name].append((i, sigma))
    print("\nranges, source unseen by constants and spreads\n rows  inside  P90/P10  score")
    for name, members in sorted(sets.items()):
        index = np.array([i for i, _ in members])
        sigma = np.array([x for _, x in members])
        ratio, w = spreads.ratio[index], bench.plain[index]
        inside = np.average(abs(ratio) <= NORMAL_P90 * sigma, weights=w)
        width = math.exp(2 * NORMAL_P90 * quantile(sigma, w, 0.5))
        score = np.average(interval_score(ratio, sigma), weights=w)
        print(f"{len(index):5d} {100 * inside:6.0f}% {width:7.2f} {score:7.2f}  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--leave-one-out", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    bench = Bench(options.program, options.data)
    z = np.zeros(len(bench.constants))
    for _ in range(options.rounds):  # layouts that rows leave open depend on the constants
        bench.plan(z)
        z = bench.fit(bench.usable(), z)
    bench.plan(z)
    mask = bench.usable()
    for (constant, value), at in zip(bench.values(z).items(), z):
        kind, name, key = constant.targets[0]
        print(f"{name:22s} {key:28s} prior {constant.prior:9.4g}  fitted "
              f"{value:9.4g}  ({at:+.1f} sigma)")
    report(bench, np.where(mask, bench.predict(z), 0), "in-sample")
    files, changed = write_constants(bench, z, options.data)
    print(f"\nlargest change against the checked-in constants: {100 * (math.exp(changed) - 1):.1f} %")
    if options.write:
        for path, content in files.items():
            path.write_text(json.dumps(content, indent=2) + "\n")
    if options.leave_one_out:
        stated, left_out = leave_one_out(bench, z, mask)
        report(bench, stated, "whole sources left out, tuning of their rows stated")
        report(bench, left_out, "whole sources left out, tuning not stated")
        spreads = Spreads(bench, left_out, bench.counted)
        print_ranges(bench, spreads)
        if options.write:
            write_table(options.data, "residuals.csv", list(spreads.table()))
            write_table(options.data, "left_out.csv", list(spreads.left_out(left_out)))
    return 1 if options.check and changed > math.log(1.02) else 0


if __name__ == "__main__":
    sys.exit(main())
