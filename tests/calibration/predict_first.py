#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps data/runs/predicted_first.csv: predictions of measurements that no constant had seen yet.

Without options, prints the errors of the stored predictions by kind. --add FILE predicts the rows of
FILE (columns kind, id, source, quality, group, unit, measured, scenario) and appends them with the
date and the version. Kinds are throughput, memory, vision, rounds and serving. --now predicts the stored rows again, to compare, and changes nothing.
"""
import argparse
import csv
import datetime
import json
import math
import subprocess
from pathlib import Path

TABLE = Path("data/runs/predicted_first.csv")
COLUMNS = ["kind", "id", "source", "quality", "group", "unit", "measured", "predicted", "p10", "p90",
           "problem", "date", "version", "reference", "scenario"]
BYTES = {"GiB": 2**30, "GB": 1e9}


def run_json(program, arguments, text=None):
    done = subprocess.run([program, *arguments, "--format", "json"], input=text, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[0])
    return json.loads(done.stdout)


def scenario_document(fields):
    document = {}
    for field in fields.split():
        path, value = field.split("=", 1)
        section, name = path.split(".")
        try:
            document.setdefault(section, {})[name] = json.loads(value)
        except json.JSONDecodeError:
            document.setdefault(section, {})[name] = value
    return json.dumps(document)


def predict_serving(row, program):
    """Fields of `serve.` are flags of the command."""
    fields = [field.split("=", 1) for field in row["scenario"].split()]
    flags = [f"--{path.removeprefix('serve.').replace('_', '-')}={value}"
             for path, value in fields if path.startswith("serve.")]
    scenario = " ".join("=".join(field) for field in fields if not field[0].startswith("serve."))
    serving = run_json(program, ["serve", "--no-config", "--no-curve", "--scenario", "-", *flags],
                       scenario_document(scenario))["serving"][0]
    spread = serving["range"]["output_tokens_per_second_per_gpu"]
    return serving["output_tokens_per_second_per_gpu"], spread["p10"], spread["p90"]


def predict(row, program):
    """Predicted value and 80% range, in the row's unit. No range for memory, which has none."""
    if row["kind"] == "serving":
        return predict_serving(row, program)
    estimate = run_json(program, ["estimate", "--no-config", "--scenario", "-"],
                        scenario_document(row["scenario"]))["estimates"][0]
    if row["kind"] == "memory":
        return estimate["memory"]["total_bytes"] / BYTES[row["unit"]], None, None
    if row["kind"] == "vision":
        spread = estimate["range"]["gpu_hours"]
        return estimate["gpu_hours"], spread["p10"], spread["p90"]
    if row["kind"] == "rounds":
        # The range of a round is that of the GPU-hours, whose overheads are no part of it.
        seconds, spread = estimate["performance"]["step_seconds"], estimate["range"]["gpu_hours"]
        share = seconds / spread["p50"]
        return seconds, spread["p10"] * share, spread["p90"] * share
    speed = estimate["performance"]["tokens_per_second_per_gpu"]
    hours, spread = estimate["gpu_hours"], estimate["range"]["gpu_hours"]
    return speed, speed * hours / spread["p90"], speed * hours / spread["p10"]


def set_prediction(row, program):
    row.update(predicted="", p10="", p90="", problem="")
    try:
        values = predict(row, program)
    except RuntimeError as error:
        row["problem"] = str(error)
        return
    for name, value in zip(("predicted", "p10", "p90"), values):
        row[name] = "" if value is None else f"{value:.6g}"


def weighted_quantile(pairs, share):
    """The smallest value at which `share` of the weight is reached; pairs are (value, weight)."""
    total, reached = sum(w for _, w in pairs), 0
    for value, weight in sorted(pairs):
        reached += weight
        if reached >= share * total * (1 - 1e-12):
            return value
    return math.nan


def counted_weights(rows, column):
    """1 / size of each row's class, so that each class weighs one."""
    sizes = {}
    for row in rows:
        sizes[row[column]] = sizes.get(row[column], 0) + 1
    return [1 / sizes[row[column]] for row in rows]


def describe_errors(rows, weights):
    errors = [float(row["predicted"]) / float(row["measured"]) - 1 for row in rows]
    sizes = list(zip(map(abs, errors), weights))
    text = (f"{weighted_quantile(sizes, 0.5):9.1%}{weighted_quantile(sizes, 0.9):9.1%}"
            f"{weighted_quantile(list(zip(errors, weights)), 0.5):+9.1%}")
    if not all(row["p10"] for row in rows):
        return text + f"{'n/a':>9}{'n/a':>9}"
    inside = sum(w for row, w in zip(rows, weights)
                 if float(row["p10"]) <= float(row["measured"]) <= float(row["p90"])) / sum(weights)
    widths = [(float(row["p90"]) / float(row["p10"]), w) for row, w in zip(rows, weights)]
    return text + f"{inside:9.0%}{weighted_quantile(widths, 0.5):9.2f}"


def print_errors(rows, title):
    print(f"{title}\n{'kind':12}{'one vote each':15}{'rows':>6}{'sources':>9}{'median':>9}{'p90':>9}"
          f"{'bias':>9}{'inside':>9}{'P90/P10':>9}")
    for kind in dict.fromkeys(row["kind"] for row in rows):
        # Rows of quality C show what can go wrong, so they are stored but not counted.
        of_kind = [r for r in rows if r["kind"] == kind and r["predicted"] and r["quality"] != "C"]
        sources = len({row["source"] for row in of_kind})
        for vote, column in (("row", "id"), ("experiment", "group"), ("source", "source")):
            print(f"{kind:12}{vote:15}{len(of_kind):6}{sources:9}"
                  f"{describe_errors(of_kind, counted_weights(of_kind, column))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/trcost")
    parser.add_argument("--add", type=Path, help="rows to predict and append")
    parser.add_argument("--now", action="store_true", help="predict the stored rows again, to compare")
    options = parser.parse_args()
    rows = list(csv.DictReader(TABLE.open(newline=""))) if TABLE.exists() else []
    if options.add:
        about = subprocess.run([options.program, "--version"], text=True, capture_output=True,
                               check=True).stdout
        version = about.split("(")[0].removeprefix("trcost ").strip()
        stored = {row["id"] for row in rows}
        for line in csv.DictReader(options.add.open(newline="")):
            if line["id"] in stored:
                raise SystemExit(f"{line['id']}: is stored already, and a first prediction is final")
            row = {name: line.get(name, "") for name in COLUMNS}
            set_prediction(row, options.program)
            row.update(date=datetime.date.today().isoformat(), version=version)
            rows.append(row)
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    print_errors(rows, "predicted first")
    if options.now:
        again = [dict(row) for row in rows]
        for row in again:
            set_prediction(row, options.program)
        print_errors(again, "now")


if __name__ == "__main__":
    main()
