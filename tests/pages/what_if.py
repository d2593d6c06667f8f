#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The what-if strip of an estimate's page has the figures of the program, to the last digit shown.

  what_if.py TRCOST [SETTINGS]

Chromium opens pages of several kinds of runs. Random prices (or utilizations), tokens, MFU and GPUs are typed into the
strip, 200 settings in all, and given to the program, with the goodput and overheads of the page. Ends with 77 where
there is no Chromium."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import browser

RUNS = [
    "--params 7e9 --accelerator h100-sxm --gpus 64",
    "--params 10e9 --modality vl --accelerator h100-sxm,b200,a100-sxm-80gb --gpus 64",
    "--params 70e9 --tokens 1e12 --accelerator b200 --gpus 512 --pricing own",
    "--params 7e9 --accelerator h200 --gpus 128 --storage --experiments 0.5 --evaluation 0.1 "
    "--production-overhead 0.8",
    "--model llama-3.1-8b --train lora --tokens 1e9 --accelerator h100-sxm --gpus 8",
    "--method grpo --model llama-3.1-8b --accelerator h100-sxm,b200 --gpus 32",
]

TYPE = """((platform, values) => {
  const form = document.querySelector('.what-if');
  if (form.platform) {
    form.platform.value = platform;
    form.platform.dispatchEvent(new Event('change'));
  }
  for (const [name, value] of Object.entries(values)) {
    form[name].value = value;
    form[name].dispatchEvent(new Event('input'));
  }
  const text = key => form.querySelector(`[data-key=${key}]`).textContent;
  return {total: text('total'), hours: text('hours'), days: text('days'),
          bill: [...form.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))};
})(PLATFORM, VALUES)"""


def dollars(usd):
    return f"${usd:,.2f}" if usd < 100 else f"${usd:,.0f}"


def program(words):
    done = subprocess.run([os.environ["TRCOST_PROGRAM"], "estimate", *words, "-q", "--format", "json"],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{words}: {done.stderr}")
    return json.loads(done.stdout)["estimates"]


def random_setting(source, own, inputs):
    """What is typed into the strip's inputs, and the same as flags."""
    typed = {"tokens": str(int(10 ** source.uniform(9, 13))), "mfu": f"{source.uniform(1, 70):.2f}%",
             "gpus": str(8 * source.randint(1, 64))}
    typed["utilization" if own else "price"] = f"{source.uniform(5, 100):.1f}%" if own else f"{source.uniform(.5, 12):.2f}"
    typed = {name: value for name, value in typed.items() if name in inputs}
    return typed, [word for name, value in typed.items() for word in (f"--{name}", value)]


def wanted_figures(estimate):
    items = estimate["cost"]["items"]
    return {"total": dollars(estimate["cost"]["total"]), "hours": f"{estimate['gpu_hours']:,.0f}",
            "days": f"{estimate['wall_clock_seconds'] / 86400:,.1f}",
            "bill": sorted(dollars(item["amount"]) for item in items)}


def check_run(tab, folder, run, count, source):
    words, own = run.split(), "own" in run
    page = folder / "page.html"
    subprocess.run([os.environ["TRCOST_PROGRAM"], "estimate", *words, "-q", "-o", str(page)], check=True)
    size = page.stat().st_size
    faults = [f"{run}: a page of {size} bytes"] if size > 80_000 else []
    tab.open(page.as_uri(), 1280)
    estimates = program(words)
    inputs = tab.evaluate("[...document.querySelectorAll('.what-if input')].map(each => each.name)")
    for _ in range(count):
        at = source.randrange(len(estimates))
        base = estimates[at]["performance"]
        typed, flags = random_setting(source, own, inputs)
        asked = list(words)
        asked[asked.index("--accelerator") + 1] = estimates[at]["accelerator"]
        if "mfu" in inputs:  # stages and rounds have speeds of their own, and no such input
            flags += ["--goodput", repr(base["goodput"]), "--production-overhead", repr(base["production_overhead"])]
            for name in ("--gpus", "--tokens", "--production-overhead"):
                if name in asked:
                    del asked[asked.index(name):asked.index(name) + 2]
        wanted = wanted_figures(program([*asked, *flags])[0])
        shown = tab.evaluate(TYPE.replace("PLATFORM", json.dumps(str(at))).replace("VALUES", json.dumps(typed)))
        shown["bill"] = sorted(amount for _, amount in shown["bill"])
        if shown != wanted:
            faults.append(f"{run} with {typed}: the strip has {shown}, the program {wanted}")
    return faults + tab.messages


def main():
    if browser.program() is None:
        print("no Chromium here: the strip is not tried")
        sys.exit(77)
    os.environ["TRCOST_PROGRAM"] = os.path.abspath(sys.argv[1])
    settings = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    source = random.Random(38)
    faults = []
    with tempfile.TemporaryDirectory(prefix="trcost-what-if-") as folder:
        os.environ["XDG_CONFIG_HOME"] = f"{folder}/none"
        tab = browser.Browser(folder)
        for run in RUNS:
            faults += check_run(tab, pathlib.Path(folder), run, settings // len(RUNS), source)
        tab.close()
    for fault in faults[:20]:
        print(fault)
    print(f"{settings} settings, {len(faults)} faults")
    sys.exit(len(faults) > 0)


if __name__ == "__main__":
    main()
