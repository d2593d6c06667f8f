#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refits data/serving/rounds.json (framework `modern`) to data/serving/rounds.csv.

The program says what the phases of a round would take alone; what ties them together is fitted:
factors on learning and generating, seconds of a round. --leave-one-out fits with each model left out.
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


def arguments(row, data):
    model = data / f"runs/models/{row['model']}.json"
    out = ["estimate", "--format", "json", "--price", "2", "--steps", "1", "--data-dir", str(data),
           "--method", row["method"], "--model", str(model) if model.exists() else row["model"],
           "--accelerator", row["accelerator"], "--gpus", row["gpus"], "--precision", row["precision"],
           "--prompts", row["prompts"], "--samples-per-prompt", row["samples_per_prompt"],
           "--prompt-tokens", row["prompt_tokens"], "--response-tokens", row["response_tokens"],
           "--response-limit", row["response_limit"], "--global-batch", row["global_batch"],
           "--rollout-framework", row["framework"]]
    if row["framework"] == "modern":
        return out + ["--stack", "megatron", "--reference", "off"]
    return out + ["--stack", "hf-trainer", "--reward-model", "350e6", "--critic-model", "350e6"]


def splits(row):
    if row["placement"] == "colocated":
        return [[]]
    gpus = int(row["gpus"])
    return [["--placement", "async", "--generation-gpus", str(g)]
            for g in sorted({max(1, gpus * k // 8) for k in range(1, 8)})]


def alone(program, data, row, framework, learning):
    """What the phases of each split take without the framework's factors."""
    out = []
    for split in splits(row):
        run = subprocess.run([program, *arguments(row, data), *split], capture_output=True, text=True)
        if run.returncode:
            continue
        phases = json.loads(run.stdout)["estimates"][0]["phases"]
        model = json.loads(run.stdout)["estimates"][0]["model"]
        mixture = model["params_active"] < 0.99 * model["params_total"]
        step = framework["mixture_step" if mixture else "dense_step"] * learning
        generation = framework["mixture_generation" if mixture else "dense_generation"]
        seconds = {"generate": 0.0, "other": 0.0}
        for phase in phases:
            if phase["kind"] == "generate":
                seconds["generate"] += phase["step_seconds"] / generation
            elif phase["kind"] != "wait":
                seconds["other"] += phase["step_seconds"] / step
        learners = int(row["gpus"]) - (int(split[-1]) if split else 0)
        out.append({**seconds, "learners": learners, "mixture": mixture,
                    "billions": model["params_total"] / 1e9})
    return out


def predicted(p, row, split):
    q = dict(zip(NAMES, p))
    learning = q["blackwell"] if row["accelerator"].startswith("gb") else 1
    kind = "mixture" if split["mixture"] else "dense"
    other = split["other"] * q[f"{kind}_step"] * learning
    generate = split["generate"] * q[f"{kind}_generation"]
    serial = q["other_seconds"] + q["sync_seconds_per_gb"] * 2 * split["billions"] / min(split["learners"], SENDERS)
    if row["placement"] == "async":
        return max(generate, other) + serial
    return generate + other + serial + q["switch_seconds_per_billion"] * split["billions"]


def errors(x, cases):
    p = np.exp(x)
    return np.array([math.log(min(predicted(p, row, s) for s in found) / float(row["step_seconds"]))
                     for row, found in cases])


def fit(cases):
    def cost(x):
        return np.concatenate([errors(x, cases), 0.2 * (x - PRIOR) / SPREAD])
    return least_squares(cost, PRIOR, loss="soft_l1", f_scale=0.2).x


def say(what, e):
    e = np.abs(e)
    print(f"{what}: {len(e)} rounds, median {np.exp(np.median(e)) - 1:.1%}, "
          f"90th percentile {np.exp(np.quantile(e, 0.9)) - 1:.1%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/trcost")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--leave-one-out", action="store_true")
    parser.add_argument("--write", action="store_true")
    a = parser.parse_args()
    path = a.data / "serving/rounds.json"
    document = json.loads(path.read_text())
    rows = [r for r in csv.DictReader((a.data / "serving/rounds.csv").open())
            if r["framework"] == "modern" and r["fitted"] == "yes"]
    cases = []
    for row in rows:
        learning = document["learning"]["blackwell"] if row["accelerator"].startswith("gb") else 1
        found = alone(a.program, a.data, row, document["modern"], learning)
        if found:
            cases.append((row, found))
        else:
            print("no answer:", row["model"], row["accelerator"], row["gpus"], row["placement"])
    x = fit(cases)
    say("fitted", errors(x, cases))
    left = np.array([])
    if a.leave_one_out:
        for model in sorted({row["model"] for row, _ in cases}):
            rest = fit([c for c in cases if c[0]["model"] != model])
            left = np.concatenate([left, errors(rest, [c for c in cases if c[0]["model"] == model])])
        say("each model left out", left)
    if not a.write:
        return
    values = dict(zip(NAMES, np.exp(x)))
    document["learning"]["blackwell"] = float(f"{values.pop('blackwell'):.3g}")
    document["modern"].update({n: float(f"{v:.3g}") for n, v in values.items()})
    document["modern"]["rows"] = len(cases)
    if len(left):
        document["modern"]["median_error"] = float(f"{np.exp(np.median(np.abs(left))) - 1:.3g}")
        document["modern"]["sigma"] = float(f"{np.quantile(np.abs(left), 0.68):.3g}")
    path.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
