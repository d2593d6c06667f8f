#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refits the constants of data/efficiency and data/stacks to the measured rows of data/runs.

Needs numpy and scipy and the program trcost_calibrate (a build with -DTRCOST_TESTS=ON makes it).

  refit.py --program build/tests/trcost_calibrate --data data             in-sample errors
  refit.py ... --leave-one-out                                            and with whole sources left out
  refit.py ... --leave-one-out --from-priors                              each of those fits from the priors
  refit.py ... --write                                                    and writes the constants
  refit.py ... --check            exits 1 where a checked-in constant is not what the fit gives, by over
                                  a tenth of its prior's spread; with --leave-one-out also left_out.csv

Every constant has a physical meaning (src/catalog/hardware/efficiency.h) and a prior with its source and a
standard deviation of its logarithm (data/calibration/priors.csv). The fit minimises soft_l1(ln(predicted/measured) / 5 %) over rows,
weighted by 1 / size of their group, plus the squared distance to the priors. What data/calibration/kept.csv
names keeps its constants, for the reason given there. No constant belongs to a row or to a source.
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
from fitted_constants import Files, origin_of, read_kept, read_priors, write_stamp
from ranges import NORMAL_P90, Spreads, family_key, interval_score, quantile
from scipy.optimize import least_squares

# Weight of rows whose source leaves out the batch and the recomputation, or has other kernels.
WEAK = {"NeMo Framework Launcher README": 0.3,
        # Its own fused kernels in the place of the model code that users of the trainer run.
        "whyNLP/tinyllama README (whyNLP/tinyllama)": 0.1,
        # Neither batch nor recomputation said; no network; attention in plain matmuls, length 128.
        "EasyDeL issue 205 (erfanzar/EasyDeL)": 0.3,
        "Efficient Training of Large Language Models (Lightning, minGPT with FSDP)": 0.3,
        # One loop and one model on many chips, one machine seen at many sizes.
        "GPU Test page of an LLM trainer (torch 2.5.1/2.8)": 0.3,
        "GPT-2 124M sweep over 15 rented cards (RunPod)": 0.4,
        "lumi-llm-scaling (spyysalo, University of Turku)": 0.3,
        "SimuMax v1.2 measured on 8 x B200 "
        "(MooreThreads/SimuMax docs/b200/b200_release_v1.2_summary at 4dcaae5)": 0.3,
        "OpenLM issue 21 (mlfoundations/open_lm)": 0.3,
        "OpenLM pull request 244 (mlfoundations/open_lm)": 0.3,
        "Sheared-LLaMA README, Throughput (princeton-nlp/LLM-Shearing)": 0.3}
# Not fitted: a study that fixes a layout for the sake of a comparison, and a cluster whose other
# measurements are to judge the constants.
APART = ["AWS Megatron-Bridge dispatcher", "swiss-ai/Megatron-LM"]
# Groups that a fact is missing for: the network between the nodes; adapters on two projections only.
WEAK_GROUPS = {"qwen|7B|LoRA (multinode)": 0.3, "peft|llama3.2-3b|l40s|lora": 0.1}
# The single-node sweep is one group of 299 rows; as one row it would not be seen at all.
SWEEP = {"vTrain ground truth (Megatron-DeepSpeed), single node": 20.0}
SCALE = 0.05
STEP = 1e-2  # of a standard deviation of the prior
TO_THE_END = 40  # evaluations after which no fit from the priors moves on
# How far a repeated fit may end from the one that was checked in: the optimiser stops short of the
# minimum where the rows say little, and layouts that rows leave open are planned between its rounds.
NEAR = 0.1          # of a standard deviation of the prior
NEAR_LEFT_OUT = 0.05  # of a prediction, of a spread


class Bench:
    """The rows, and the program that predicts them."""

    def __init__(self, program, data):
        self.constants = read_priors(data)
        self.process = subprocess.Popen([program, data], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        with open(pathlib.Path(data) / "runs/throughput.csv", newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.origin = np.array([origin_of(row) for row in self.rows])
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


def leave_one_out(bench, best, mask, from_priors=False):
    """Each origin predicted by constants that never saw it: with its rows as tuned
    as they say, and as by who does not know. A fit starts from the constants of all rows, or from the
    priors, and runs until it stands still: where one origin decides a stack's constants, a fit
    without it that stops on its way ends elsewhere each time."""
    start = None if from_priors else best
    stated, unstated = np.zeros((2, len(bench.rows)))
    for origin in sorted(set(bench.origin)):
        out = bench.origin == origin
        seen = bench.weight[out].any()
        z = bench.fit(mask & ~out, start, TO_THE_END) if seen else best
        stated[out] = bench.predict(z)[out]
        bench.state_tuning(False)
        unstated[out] = bench.predict(z)[out]
        bench.state_tuning(True)
    bench.predict(best)
    return np.where(mask, stated, 0), np.where(mask, unstated, 0)


def rounded(value):
    return float(f"{value:.4g}")


def fitted_targets(bench, z, data):
    """(constant, target, value) of what a fit decides."""
    kept = read_kept(data)
    for constant, value in bench.values(z).items():
        for target in constant.targets:
            if target[:2] not in kept:
                yield constant, target, rounded(value)


def write_constants(bench, z, data):
    files = Files(data)
    for _, target, value in fitted_targets(bench, z, data):
        place, key = files.place(*target)
        place[key] = value
    files.write()


def moved_constants(bench, z, data):
    """The constants that stand elsewhere than the fit puts them, in standard deviations of the prior."""
    files, moved = Files(data), []
    for constant, target, value in fitted_targets(bench, z, data):
        place, key = files.place(*target)
        if key not in place:
            moved.append(f"{target[1]} {key}: fitted {value}, the file has none")
            continue
        sigmas = math.log(max(value, 1e-12) / max(place[key], 1e-12)) / constant.sigma
        if abs(sigmas) > NEAR:
            moved.append(f"{target[1]} {key}: fitted {value}, the file has {place[key]} "
                         f"({sigmas:+.2f} sigma)")
    return moved


def moved_left_out(data, rows):
    """The rows of left_out.csv that are not what this fit predicts of them."""
    with open(pathlib.Path(data, "efficiency/left_out.csv"), newline="") as file:
        old = {row["id"]: row for row in csv.DictReader(file)}
    new = {row["id"]: row for row in rows}
    moved = [f"{name}: in one of file and fit only" for name in sorted(old.keys() ^ new.keys())]
    for name in sorted(old.keys() & new.keys()):
        far = abs(math.log(new[name]["predicted"] / float(old[name]["predicted"])))
        wider = abs(new[name]["sigma"] - float(old[name]["sigma"]))
        if max(far, wider) > NEAR_LEFT_OUT:
            moved.append(f"{name}: {new[name]}, the file has {old[name]}")
    return moved


def write_table(data, name, rows):
    with open(pathlib.Path(data, "efficiency", name), "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def print_ranges(bench, spreads):
    """How well ranges hold rows whose source neither constants nor spreads have seen."""
    sets = collections.defaultdict(list)
    for i in spreads.members[("any",) * 4]:
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


def fitted(bench, rounds):
    z = np.zeros(len(bench.constants))
    for _ in range(rounds):  # layouts that rows leave open depend on the constants
        bench.plan(z)
        z = bench.fit(bench.usable(), z)
    bench.plan(z)
    return bench.fit(bench.usable(), z, TO_THE_END)


def print_constants(bench, z):
    for (constant, value), at in zip(bench.values(z).items(), z):
        _, name, key = constant.targets[0]
        print(f"{name:22s} {key:28s} prior {constant.prior:9.4g}  fitted "
              f"{value:9.4g}  ({at:+.1f} sigma)")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--leave-one-out", action="store_true")
    parser.add_argument("--from-priors", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def main():
    options = read_options()
    bench = Bench(options.program, options.data)
    z = fitted(bench, options.rounds)
    mask = bench.usable()
    print_constants(bench, z)
    report(bench, np.where(mask, bench.predict(z), 0), "in-sample")
    moved = moved_constants(bench, z, options.data)
    if options.write:
        write_constants(bench, z, options.data)
        write_stamp(options.data)
    if options.leave_one_out:
        stated, left_out = leave_one_out(bench, z, mask, options.from_priors)
        report(bench, stated, "whole sources left out, tuning of their rows stated")
        report(bench, left_out, "whole sources left out, tuning not stated")
        spreads = Spreads(bench, left_out, bench.counted)
        print_ranges(bench, spreads)
        moved += moved_left_out(options.data, list(spreads.left_out(left_out)))
        if options.write:
            write_table(options.data, "residuals.csv", list(spreads.table()))
            write_table(options.data, "left_out.csv", list(spreads.left_out(left_out)))
    print("\nnot as the fit has it:" if moved else "\nthe files hold what the fit gives", *moved, sep="\n")
    return 1 if options.check and moved else 0


if __name__ == "__main__":
    sys.exit(main())
