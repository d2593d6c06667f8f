#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refits the constants of data/efficiency and data/stacks to the measured rows of data/runs.

Needs numpy and scipy and the program trcost_calibrate (a build with -DTRCOST_TESTS=ON makes it).

  refit.py --program build/tests/trcost_calibrate --data data             in-sample errors
  refit.py ... --leave-one-out                                            and with whole sources left out
  refit.py ... --write                                                    and writes the constants
  refit.py ... --check                                                    exits 1 where they moved by over 2 %

Every constant has a physical meaning (src/catalog/efficiency.h) and a prior: the value of
reference model 5.2 or of the maker's measurements, with a standard deviation of its logarithm. The
fit minimises soft_l1(ln(predicted/measured) / 5 %) over rows, weighted by 1 / size of their group,
plus the squared distance to the priors. No constant belongs to a row or to a source.
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

AMPERE = ["a100-sxm-80gb", "a100-sxm-40gb"]
HOPPER = ["h100-sxm", "h200"]
BLACKWELL = ["b200", "gb200-nvl72", "gb300-nvl72"]
VOLTA = ["v100-sxm-32gb"]
TPU = ["tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu-v7"]
HALF = ["matmul.bf16", "matmul.fp16"]

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


def chip(names, constants, prior, sigma, low=1e-9, high=0.97):
    constants = [constants] if isinstance(constants, str) else constants
    return Constant([("efficiency", n, c) for n in names for c in constants], prior, sigma, low, high)


def pooled(names, constants, ratio, sigma, kin, low=1e-9, high=0.97):
    constant = chip(names, constants, ratio, sigma, low, high)
    constant.kin = kin
    return constant


def stack(names, constant, prior, sigma, low=1e-9, high=1e9):
    names = [names] if isinstance(names, str) else names
    return Constant([("stack", n, constant) for n in names], prior, sigma, low, high)


def chip_constants():
    yield chip(AMPERE, HALF, 0.79, 0.03)
    yield chip(HOPPER, HALF, 0.65, 0.06)
    yield chip(HOPPER, "matmul.fp8", 0.58, 0.06)
    yield chip(VOLTA, "matmul.fp16", 0.70, 0.1)
    yield chip(["h100-sxm-96gb"], HALF, 0.6, 0.1)
    yield chip(["h100-sxm-96gb"], "matmul.fp8", 0.5, 0.15)
    # Little compute for its power and memory, or half the rate where sums are kept in 32 bit: matmuls
    # run close to the peak.
    yield chip(["h20"], HALF + ["matmul.fp8"], 0.85, 0.1)
    yield chip(["rtx-4090"], HALF, 0.8, 0.1)
    yield chip(["mi300x"], HALF, 0.36, 0.2)
    yield chip(["mi300x"], "matmul.fp8", 0.42, 0.2)
    for name in TPU:
        yield chip([name], HALF, 0.6, 0.2)
    yield chip(["tpu-v7"], "matmul.fp8", 0.5, 0.2)
    yield chip(["mi325x"], "matmul.fp8", 0.42, 0.2)
    # One die at 1,000 and at 1,200 W, and its successor at 1,400: each is near the one before it.
    blackwell = chip(["gb200-nvl72"], HALF, 0.62, 0.06)
    yield blackwell
    yield pooled(["b200"], HALF, 0.92, 0.06, blackwell)
    yield pooled(["gb300-nvl72"], HALF, 1.06, 0.06, blackwell)
    for name, fp8, mxfp8, nvfp4 in [("b200", 0.5, 0.5, 0.42), ("gb200-nvl72", 0.5, 0.5, 0.42),
                                    ("gb300-nvl72", 0.6, 0.6, 0.38)]:
        yield chip([name], "matmul.fp8", fp8, 0.1)
        yield chip([name], "matmul.mxfp8", mxfp8, 0.1)
        yield chip([name], "matmul.nvfp4", nvfp4, 0.15)
    for family, ramp in [(AMPERE + VOLTA, 8e-6), (HOPPER, 8e-6), (BLACKWELL, 8e-6)]:
        yield chip(family, "ramp_seconds", ramp, 0.3)
    for family, forward, backward in [(AMPERE, 0.62, 0.5), (HOPPER, 0.5, 0.42),
                                      (BLACKWELL, 0.5, 0.4)]:
        yield chip(family, "flash_forward", forward, 0.1)
        yield chip(family, "flash_backward", backward, 0.1)
    yield chip(AMPERE + VOLTA, "batched_matmul", 0.42, 0.2)
    yield chip(AMPERE, "memory", 0.84, 0.05)
    yield chip(HOPPER, "memory", 0.82, 0.05)
    yield chip(BLACKWELL, "memory", 0.78, 0.08)
    # Bus bandwidth by payload of all-reduce benchmarks (stas00/ml-engineering network/README.md; vTrain
    # trace/a100), without the 40 microseconds that one call takes to issue there: of 300, 450 and 900
    # GB/s A100 reaches 0.77, H200 as a ring 0.82, B200 0.65 to 0.73 at large payloads, and half of it at
    # about 8, 14 and 40 MiB.
    yield chip(AMPERE, "link", 0.77, 0.05)
    yield chip(HOPPER, "link", 0.8, 0.05)
    yield chip(BLACKWELL, "link", 0.68, 0.08)
    for family, half in [(AMPERE, 8e6), (HOPPER, 14e6), (BLACKWELL, 4e7)]:
        yield chip(family, "link_half_bytes", half, 0.4, 0, 1e9)
    yield chip(AMPERE, "network", 0.8, 0.15)
    yield chip(HOPPER, "network", 0.78, 0.1)


STACKS = ["megatron", "mlperf", "megatron-deepspeed", "internevo", "fsdp", "fsdp-compiled", "maxtext",
          "hf-trainer", "typical"]


def tuning_constants():
    """What tuning is worth, for all software alike: few sources tell stacks apart."""
    others = [name for name in STACKS if name not in ("megatron", "typical")]
    usual = stack(others, "usual_gap", 0.09, 0.3, 0, 1)
    yield usual
    yield Constant([("stack", "megatron", "usual_gap")], 1, 0.3, 0, 1, usual)
    yield stack(STACKS, "first_run_gap", 0.5, 0.3, 0, 3)
    yield stack(["megatron"], "usual_overlap", 0.5, 0.7, 0, 1)
    yield chip(BLACKWELL, "usual_gap", 0.1, 0.5, 0, 1)


def stack_constants():
    yield stack(["megatron", "mlperf"], "release_gain", 0.08, 0.5, 0, 0.3)
    yield stack("megatron", "elementwise", 1.0, 0.2)
    yield stack(["megatron", "megatron-deepspeed"], "legacy_elementwise", 2.0, 0.3)
    yield stack("megatron", "dispatch_seconds", 6e-6, 0.5)
    yield stack("megatron", "collective_dispatch_seconds", 3e-5, 0.5)
    yield stack("megatron", "step_seconds", 5e-3, 1)
    yield stack("megatron", "tensor_overlap", 0.5, 0.4, 0, 0.99)
    yield stack("megatron", "data_overlap", 0.8, 0.2, 0, 1)
    yield stack("megatron", "straggler", 0.003, 0.4)
    # Two tiles of 128 rows, the usual height of a grouped product.
    yield stack("megatron", "grouped_half", 256, 0.6)
    # Two permutations before and two after the experts, each a read and a write of all copies: 2 by
    # count of bytes. What routing takes besides does not grow with the tokens: the copy of the counts
    # to the host, which waits for the device, and the kernels that it can only issue then.
    yield stack("megatron", "expert_traffic", 2, 0.15)
    yield stack("megatron", "expert_sync_seconds", 1e-3, 0.7, 0, 0.1)
    yield stack(["megatron", "fsdp-compiled"], "expert_traffic_block", 1.2, 0.4)
    yield stack("megatron", "expert_overlap", 0.25, 0.25, 0, 0.95)
    yield stack("megatron", "expert_network_overlap", 0.6, 0.3, 0, 1)
    yield stack(["megatron", "mlperf"], "stage_imbalance", 0.7, 0.3, 0, 1)
    yield stack("megatron", "lora_traffic", 1, 1)

    yield stack("mlperf", "elementwise", 0.9, 0.2)
    yield stack("mlperf", "matmul", 1, 0.07)
    yield stack("mlperf", "tensor_overlap", 0.7, 0.3, 0, 0.99)
    yield stack("mlperf", "straggler", 0.004, 0.3)
    yield stack("mlperf", "step_seconds", 2e-2, 1)
    yield stack("mlperf", "lora_traffic", 1, 0.7)

    yield stack("megatron-deepspeed", "elementwise", 1.3, 0.3)
    yield stack("megatron-deepspeed", "matmul", 1, 0.07)
    yield stack("megatron-deepspeed", "dispatch_seconds", 1.5e-5, 0.6)
    yield stack("megatron-deepspeed", "collective_dispatch_seconds", 5e-5, 0.7)
    yield stack("megatron-deepspeed", "micro_batch_seconds", 1e-3, 1)
    yield stack("megatron-deepspeed", "step_seconds", 1e-2, 1)
    yield stack("megatron-deepspeed", "optimizer_bytes", 40, 0.4)

    yield stack("internevo", "elementwise", 1.3, 0.3)
    yield stack("internevo", "dispatch_seconds", 1e-5, 0.6)
    yield stack("internevo", "step_seconds", 1e-2, 1)
    yield stack("internevo", "tensor_overlap", 0.2, 1, 0, 0.95)
    yield stack("internevo", "data_overlap", 0.5, 0.6, 0, 1)

    yield stack("fsdp", "elementwise", 1.8, 0.3)
    yield stack("fsdp", "matmul", 1, 0.07)
    yield stack("fsdp", "flash", 0.85, 0.15)
    yield stack("fsdp", "flash_backward", 0.6, 0.3)
    yield stack("fsdp", "dispatch_seconds", 1e-5, 0.6)
    yield stack("fsdp", "collective_dispatch_seconds", 5e-5, 0.7)
    yield stack("fsdp", "micro_batch_seconds", 1e-3, 1)
    yield stack("fsdp", "step_seconds", 1e-2, 1)
    yield stack("fsdp", "data_overlap", 0.8, 0.3, 0, 1)
    # Only FSDP's own rows tell what gathers over the network cost; other software runs the same ones.
    sharded = ["fsdp", "fsdp-compiled", "hf-trainer"]
    others = ["megatron", "mlperf", "megatron-deepspeed", "internevo", "typical"]
    yield Constant([("stack", n, "contention") for n in sharded] +
                   [("stack", n, "gather_contention") for n in sharded + others], 0.1, 0.7, 0, 1)

    yield stack("fsdp-compiled", "elementwise", 1.2, 0.3)
    yield stack("fsdp-compiled", "matmul", 1, 0.07)
    yield stack("fsdp-compiled", "data_overlap", 0.8, 0.3, 0, 1)
    yield stack("fsdp-compiled", "tensor_overlap", 0.3, 0.6, 0, 0.95)
    yield stack("fsdp-compiled", "context_imbalance", 0.5, 0.7, 0, 2)
    yield stack("fsdp-compiled", "grouped_half", 64, 0.6)
    yield stack("fsdp-compiled", "lora_traffic", 1, 0.7)
    yield stack("fsdp-compiled", "expert_traffic", 1.5, 0.5)

    yield stack("maxtext", "elementwise", 1.2, 0.3)
    yield stack("maxtext", "matmul", 1, 0.1)
    yield stack("maxtext", "data_overlap", 0.8, 0.3, 0, 1)
    yield Constant([("stack", "maxtext", c) for c in ["contention", "gather_contention"]],
                   0.1, 0.7, 0, 1)
    yield stack("maxtext", "lora_traffic", 1, 0.7)

    yield stack("hf-trainer", "elementwise", 2.5, 0.4)
    yield stack("hf-trainer", "dispatch_seconds", 1.5e-5, 0.6)
    yield stack("hf-trainer", "flash", 0.8, 0.2)
    yield stack("hf-trainer", "lora_traffic", 2.5, 0.5)  # dropout and casts of peft's adapters
    yield stack("hf-trainer", "dequantise_traffic", 3, 0.7)
    yield stack("hf-trainer", "data_overlap", 0.5, 0.5, 0, 1)


class Bench:
    """The rows, and the program that predicts them."""

    def __init__(self, program, data):
        self.constants = (list(chip_constants()) + list(stack_constants()) +
                          list(tuning_constants()))
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
