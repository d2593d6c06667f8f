#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every page in a real browser: Chromium opens it on a desk and on a phone, light and dark, and prints it.

  pages.py TRCOST [--only NAME,NAME] [FOLDER]

Each command writes its page. It has to have the figures named here, each with a name for who cannot see it, marks, and
a table; no text below 11 px, no text outside of the window, no horizontal scroll of the page, and no message on the
console. Printed to PDF, it has its title and the command (needs pdftotext, else that part is left out). FOLDER keeps
pages, screenshots and PDFs, to be looked at. Ends with 77 where there is no Chromium."""

import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import browser

# Name, command, titles of figures.
PAGES = [
    ("estimate", "estimate --params 10e9 --modality vl",
     ["Total against wall-clock", "Range of the total", "left of dense peak", "Memory of the fullest"]),
    ("own", "estimate --params 70e9 --tokens 2e12 --pricing own --accelerator h100-sxm,b200",
     ["Total against wall-clock", "rows of the total"]),
    ("grpo", "estimate --method grpo --model llama-3.1-8b --gpus 32 --accelerator h100-sxm,b200", ["Range of the total"]),
    ("stages", "estimate --scenario examples/scenarios/tulu-3-8b.json", ["Range of the total"]),
    ("memory", "memory --model llava-1.5-7b --train lora", []),
    ("sweep-lines", "sweep --params 7e9 --accelerator h100-sxm,b200 --vary hardware.gpus=8..1024:x2", ["total by GPUs"]),
    ("sweep-heat", "sweep --model llama-3.1-8b --accelerator h100-sxm --vary data.tokens=1e11..1.6e12:x2 "
     "--vary hardware.gpus=64..512:x2", ["total by tokens and GPUs"]),
    ("solve-tokens", "solve --for tokens --budget 1M --params 7e9", ["data.tokens, as the search found it"]),
    ("solve-gpus", "solve --for gpus --duration 20d --params 7e9 --tokens 5e11 --accelerator h100-sxm",
     ["hardware.gpus, as the search found it"]),
    ("serve", "serve --model llama-3.1-70b", ["Dollars per million", "decode step", "Throughput by speed per user"]),
    ("transfer", "transfer --model llama-2-7b --train lora --tokens 2e9 --from a100-sxm-80gb --from-gpus 8 "
     "--measured 20h --to h200,b200", []),
    ("experiments", "experiments --params 10B --tokens 200B --runs 20 --params-fraction 0.1 --tokens-fraction 0.1", []),
    ("diff", "diff before.json after.json", []),
    ("tokens", "tokens --image 1920x1080", []),
    ("validate", "validate", ["Predicted against measured"]),
    ("validate-runs", "validate --runs", ["Predicted against reported"]),
    ("validate-vision", "validate --vision", ["Predicted against reported"]),
    ("validate-serving", "validate --serving", ["Predicted against measured"]),
    ("validate-posttraining", "validate --posttraining", ["Predicted against measured seconds"]),
    ("list", "list accelerators", []),
    ("prices", "list prices", []),
    ("regions", "list regions", []),
    ("show", "show h100-sxm", []),
    ("config", "config show", []),
    ("recipe", "recipe examples/recipes/axolotl.yaml", []),
    ("tco", "tco --accelerator h100-sxm,b200 --gpus 64 --years 3", []),
]
ROOT = pathlib.Path(__file__).resolve().parents[2]


SCREENS = [(width, dark) for width in (1280, 390) for dark in (False, True)]
SMALLEST_TEXT = 11  # pixels

# What the browser made of the page: its figures, and texts that are too small or that nobody can scroll to.
INSPECT = """(() => {
  const figures = [...document.querySelectorAll('figure')].map(f => ({
    name: f.querySelector('[aria-label]')?.getAttribute('aria-label') ?? f.querySelector('caption')?.textContent ?? '',
    marks: f.querySelectorAll('rect, use, polyline, td[style]').length,
    table: f.querySelector('table') !== null}));
  const small = [], outside = [];
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('.unseen, caption, script, title, details:not([open]) > :not(summary)')) continue;
    if (![...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
    const box = e.getBoundingClientRect();
    if (box.width === 0) continue;
    const scale = e.getScreenCTM ? e.getScreenCTM().d : 1;
    if (parseFloat(getComputedStyle(e).fontSize) * scale < SMALLEST_TEXT) small.push(e.textContent);
    if (!e.closest('.wide') && (box.left < 0 || box.right > innerWidth + 1)) outside.push(e.textContent);
  }
  return {titles: document.querySelectorAll('h1').length, figures, small, outside,
          over: document.documentElement.scrollWidth - innerWidth};
})()""".replace("SMALLEST_TEXT", str(SMALLEST_TEXT))


def printed_faults(tab, page, command):
    """Prints a page and finds its title and its command in the PDF."""
    pdf = page.with_suffix(".pdf")
    tab.pdf(pdf)
    if not shutil.which("pdftotext"):
        return []
    text = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, check=False).stdout
    words = re.sub(r"\s+", "", text)
    title = html.unescape(re.search(r"<h1>(.*?)</h1>", page.read_text())[1])
    found = title.replace(" ", "") in words and "trcost" + command.split()[0] in words
    return [] if found else ["printed, the page lacks its title or its command"]


def check(tab, folder, name, command, figures, keep):
    page = folder / f"{name}.html"
    done = subprocess.run([os.environ["TRCOST_PROGRAM"], *command.split(), "-o", str(page)],
                          capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode not in (0, 3):
        return [f"exit code {done.returncode}: {done.stderr[:300]}"]
    out = []
    for width, dark in SCREENS:
        tab.open(page.as_uri(), width, dark=dark)
        seen = tab.evaluate(INSPECT)
        where = f"{width} px{', dark' if dark else ''}: "
        names = [figure["name"] for figure in seen["figures"]]
        out += [f"{where}no figure \"{wanted}\" among {names}" for wanted in figures
                if not any(wanted in each for each in names)]
        out += [f"{where}figure without name, marks or table: {figure}" for figure in seen["figures"]
                if not (figure["name"] and figure["marks"] and figure["table"])]
        out += [f"{where}{fault}: {seen[fault]}" for fault in ("small", "outside") if seen[fault]]
        out += [f"{where}scrolls by {seen['over']} px"] if seen["over"] > 0 else []
        out += [f"{where}{seen['titles']} titles"] if seen["titles"] != 1 else []
        out += [f"{where}on the console: {message}" for message in tab.messages]
        if keep:
            tab.picture(folder / f"{name}-{width}{'-dark' if dark else ''}.png")
    return out + printed_faults(tab, page, command)


def main():
    if browser.program() is None:
        print("no Chromium here: pages are not opened")
        sys.exit(77)
    only = None
    if "--only" in sys.argv:
        at = sys.argv.index("--only")
        only = sys.argv[at + 1].split(",")
        del sys.argv[at:at + 2]
    pages = [page for page in PAGES if only is None or page[0] in only]
    keep = len(sys.argv) > 2
    folder = pathlib.Path(sys.argv[2] if keep else tempfile.mkdtemp(prefix="trcost-pages-")).resolve()
    folder.mkdir(exist_ok=True)
    os.environ["TRCOST_PROGRAM"] = os.path.abspath(sys.argv[1])
    os.environ["XDG_CONFIG_HOME"] = f"{folder}/none"
    if not (folder / "examples").exists():
        (folder / "examples").symlink_to(ROOT / "examples")
    for name, price in (("before", "2"), ("after", "3")):
        subprocess.run([os.environ["TRCOST_PROGRAM"], "estimate", "--params", "1e9", "--price", price,
                        "-o", f"{name}.json"], cwd=folder, check=True, capture_output=True)
    failed = 0
    tab = browser.Browser(folder)
    for name, command, figures in pages:
        for line in check(tab, folder, name, command, figures, keep):
            failed += 1
            print(f"{command}: {line}", flush=True)
    tab.close()
    print(f"{len(pages)} pages, {failed} faults")
    if not keep:
        shutil.rmtree(folder)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
