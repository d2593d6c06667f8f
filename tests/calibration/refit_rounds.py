#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refits data/serving/rounds.json (`modern`, then `early-2025`) to data/serving/posttraining.csv.

The program says what the phases of a round would take alone; what ties them together is fitted:
factors on learning and generating, seconds of a round. Of early-2025 one factor on all of modern is.
--leave-one-out fits with each model (modern) or source (early-2025) left out; with --write its
predictions become data/serving/posttraining_left_out.csv, which `trcost validate --posttraining` shows.
"""
import argparse
import csv
import json
import math
import subprocess
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

NAMES = ["dense_step", "mixture_step", "blackwell", "dense_generation", "mixture_generation",
         "other_seconds", "sync_seconds_per_gb", "switch_seconds_per_billion"]
PRIOR = np.log([1.2, 2.0, 1.3, 1.3, 1.4, 8, 0.5, 0.05])  # data/phases.md A.3 to A.7
SPREAD = np.array([0.3, 0.5, 0.25, 0.25, 0.35, 0.7, 0.7, 1.0])
SENDERS = 64
FIGURES = ("sigma", "median_error", "rows")  # of a framework; the rest are factors and seconds


class Row:
    """A line of the table, its scenario as a document."""

    def __init__(self, line):
        self.id, self.source, self.unit = line["id"], line["source"], line["unit"]
        self.measured = float(line["measured"])
        parts = [dict(p.split("=") for p in part.split()) for part in line["scenario"].split("|")]
        self.base, self.stages = parts[0], parts[1:]
        self.framework = self.base["rollout.framework"]
        self.model, self.accelerator = self.base["model.name"], self.base["hardware.accelerator"]
        self.gpus = int(self.base.get("hardware.gpus", 0))
        self.placement = self.base.get("rollout.placement", "colocated")

    def document(self, **changes):
        def nested(pairs):
            out = {}
            for path, value in pairs.items():
                group, key = path.split(".")
                out.setdefault(group, {})[key] = value
            return out
        document = nested({**self.base, **changes})
        if self.stages:
            document["stages"] = [{"name": str(i + 1), **nested(stage)} for i, stage in enumerate(self.stages)]
        return json.dumps(document)


def estimate(program, data, document):
    run = subprocess.run([program, "estimate", "--format", "json", "--price", "2", "--data-dir", str(data),
                          "--scenario", "-"], input=document, capture_output=True, text=True)
    return None if run.returncode else json.loads(run.stdout)["estimates"][0]


def splits(row):
    if row.placement == "colocated":
        return [{}]
    return [{"rollout.generation_gpus": str(g)}
            for g in sorted({max(1, row.gpus * k // 8) for k in range(1, 8)})]


def alone(program, data, row, framework, learning):
    """What the phases of each split take without the framework's factors."""
    out = []
    for split in splits(row):
        found = estimate(program, data, row.document(**split))
        if not found:
            continue
        model = found["model"]
        mixture = model["params_active"] < 0.99 * model["params_total"]
        step = framework["mixture_step" if mixture else "dense_step"] * learning
        generation = framework["mixture_generation" if mixture else "dense_generation"]
        seconds = {"generate": 0.0, "other": 0.0}
        for phase in found["phases"]:
            if phase["kind"] == "generate":
                seconds["generate"] += phase["step_seconds"] / generation
            elif phase["kind"] != "wait":
                seconds["other"] += phase["step_seconds"] / step
        learners = row.gpus - int(split.get("rollout.generation_gpus", 0))
        out.append({**seconds, "learners": learners, "mixture": mixture,
                    "billions": model["params_total"] / 1e9,
                    "moving": found["rollout"]["moving_seconds"]})
    return out


def predicted(p, row, split):
    q = dict(zip(NAMES, p))
    learning = q["blackwell"] if row.accelerator.startswith("gb") else 1
    kind = "mixture" if split["mixture"] else "dense"
    other = split["other"] * q[f"{kind}_step"] * learning
    generate = split["generate"] * q[f"{kind}_generation"]
    serial = q["other_seconds"] * (1 - 1 / row.gpus) + q["sync_seconds_per_gb"] * 2 * split["billions"] / min(split["learners"], SENDERS)
    if row.placement == "async":
        return max(generate, other) + serial
    return generate + other + serial + q["switch_seconds_per_billion"] * split["billions"] + split["moving"]


def errors(x, cases):
    p = np.exp(x)
    return np.array([math.log(min(predicted(p, row, s) for s in found) / row.measured)
                     for row, found in cases])


def fit(cases):
    def cost(x):
        return np.concatenate([errors(x, cases), 0.2 * (x - PRIOR) / SPREAD])
    return least_squares(cost, PRIOR, loss="soft_l1", f_scale=0.2).x


def say(what, e):
    e = np.abs(e)
    print(f"{what}: {len(e)} rounds, median {np.exp(np.median(e)) - 1:.1%}, "
          f"90th percentile {np.exp(np.quantile(e, 0.9)) - 1:.1%}")


def sigma_of(left):
    return float(f"{np.quantile(np.abs(left), 0.68):.3g}")


def median_of(left):
    return float(f"{np.exp(np.median(np.abs(left))) - 1:.3g}")


def fit_modern(a, document, rows, left_out):
    cases = []
    for row in rows:
        learning = document["learning"]["blackwell"] if row.accelerator.startswith("gb") else 1
        found = alone(a.program, a.data, row, document["modern"], learning)
        if found:
            cases.append((row, found))
        else:
            print("no answer:", row.id)
    x = fit(cases)
    say("modern, fitted", errors(x, cases))
    left = {}
    if a.leave_one_out:
        for model in sorted({row.model for row, _ in cases}):
            out = [c for c in cases if c[0].model == model]
            rest = fit([c for c in cases if c[0].model != model])
            left.update({row.id: (row, e) for (row, _), e in zip(out, errors(rest, out))})
        say("modern, each model left out", [e for _, e in left.values()])
    values = dict(zip(NAMES, np.exp(x)))
    document["learning"]["blackwell"] = float(f"{values.pop('blackwell'):.3g}")
    document["modern"].update({n: float(f"{v:.3g}") for n, v in values.items()})
    document["modern"]["rows"] = len(cases)
    finish(document["modern"], left, left_out)


def finish(framework, left, left_out, sigma=None):
    if not left:
        return
    found = [e for _, e in left.values()]
    framework["median_error"], framework["sigma"] = median_of(found), sigma or sigma_of(found)
    left_out.update({i: (row.measured * math.exp(e), framework["sigma"]) for i, (row, e) in left.items()})


def fit_early(a, document, rows, left_out):
    """One factor on all that modern is: ln(measured / predicted), one vote per source."""
    ratio, votes = {}, {}
    for row in rows:
        found = estimate(a.program, a.data, row.document(**{"rollout.framework": "modern"}))
        if not found:
            print("no answer:", row.id)
            continue
        predicted = found["gpu_hours"] if row.unit == "gpu_hours" else found["performance"]["step_seconds"]
        ratio[row.id] = math.log(row.measured / predicted)
        votes.setdefault(row.source, []).append(ratio[row.id])
    mean = {source: float(np.mean(v)) for source, v in votes.items()}
    factor = float(np.mean(list(mean.values())))
    say("early-2025, fitted", [factor - v for v in ratio.values()])
    left = {}
    if a.leave_one_out:
        for row in rows:
            if row.id in ratio:
                rest = float(np.mean([v for source, v in mean.items() if source != row.source]))
                left[row.id] = (row, rest - ratio[row.id])
        say("early-2025, each source left out", [e for _, e in left.values()])
    print(f"early-2025 takes {math.exp(factor):.2f} times as long as modern, by {len(mean)} sources: "
          + ", ".join(f"{source} {math.exp(v):.2f}" for source, v in mean.items()))
    early = {n: float(f"{v * math.exp(factor):.3g}") for n, v in document["modern"].items() if n not in FIGURES}
    # Few votes: the spread of one more of them around their mean.
    sigma = float(np.std(list(mean.values()), ddof=1)) * math.sqrt(1 + 1 / len(mean))
    document["early-2025"] = {**document["early-2025"], **early, "rows": len(ratio)}
    finish(document["early-2025"], left, left_out, float(f"{sigma:.3g}"))


def write_left_out(path, left_out):
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "predicted", "sigma"])
        for row, (predicted_value, sigma) in sorted(left_out.items()):
            writer.writerow([row, f"{predicted_value:.4g}", sigma])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/trcost")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--leave-one-out", action="store_true")
    parser.add_argument("--write", action="store_true")
    a = parser.parse_args()
    path = a.data / "serving/rounds.json"
    document = json.loads(path.read_text())
    lines = csv.DictReader((a.data / "serving/posttraining.csv").open())
    rows = [Row(line) for line in lines if line["fit"] == "yes"]
    left_out = {}
    fit_modern(a, document, [r for r in rows if r.framework == "modern"], left_out)
    if a.write:
        path.write_text(json.dumps(document, indent=2) + "\n")  # early-2025 is fitted beside the new modern
    fit_early(a, document, [r for r in rows if r.framework == "early-2025"], left_out)
    if a.write:
        path.write_text(json.dumps(document, indent=2) + "\n")
        if left_out:
            write_left_out(a.data / "serving/posttraining_left_out.csv", left_out)


if __name__ == "__main__":
    main()
