#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every page in a real browser: Chromium opens it, finds its figures, and prints it.

  pages.py TRCOST [--only NAME,NAME] [FOLDER]

Each command writes its page, which headless Chromium reads; its document has to have the figures named
here, each an image with a name for who cannot see it and a table behind it, marks inside its frame,
words inside its frame, and no script. Printed to PDF, the page has its title and the command (needs pdftotext, else
that part is left out). FOLDER keeps pages and screenshots, light and dark, to be looked at. Ends with
77 where there is no Chromium."""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Name, command, titles of figures.
PAGES = [
    ("estimate", "estimate --params 10e9 --modality vl",
     ["Total against wall-clock", "Range of the total", "left of dense peak", "Memory of the fullest"]),
    ("own", "estimate --params 70e9 --tokens 2e12 --pricing own --accelerator h100-sxm,b200",
     ["Total against wall-clock", "rows of the total"]),
    ("grpo", "estimate --method grpo --model llama-3.1-8b --gpus 32 --accelerator h100-sxm,b200", ["Range of the total"]),
    ("stages", "estimate --scenario examples/scenarios/tulu-3-8b.json", ["Range of the total"]),
    ("memory", "memory --model llava-1.5-7b --train lora", []),
    ("sweep-lines", "sweep --params 7e9 --accelerator h100-sxm,b200 --vary hardware.gpus=8..1024:x2", ["cost.total over hardware.gpus"]),
    ("sweep-heat", "sweep --model llama-3.1-8b --accelerator h100-sxm --vary data.tokens=1e11..1.6e12:x2 "
     "--vary hardware.gpus=64..512:x2", ["cost.total over data.tokens and hardware.gpus"]),
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
]
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Reader(html.parser.HTMLParser):
    """Figures with their names and parts, as the browser has them."""

    def __init__(self):
        super().__init__()
        self.figures = []
        self.inside = None
        self.script = False
        self.headings = 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.script |= tag == "script"
        self.headings += tag == "h1"
        if tag == "figure":
            self.inside = {"name": "", "marks": 0, "table": False, "outside": []}
            self.figures.append(self.inside)
        if self.inside is None:
            return
        if tag == "svg":
            self.inside["name"] = attrs.get("aria-label", "")
            self.inside["box"] = [float(v) for v in attrs["viewbox"].split()]
        if tag in ("rect", "circle", "polyline"):
            self.inside["marks"] += 1
        if tag in ("rect", "circle", "text"):
            x = float(attrs.get("x", attrs.get("cx", 0)))
            y = float(attrs.get("y", attrs.get("cy", 0)))
            _, _, wide, high = self.inside["box"]
            if not (-1 <= x <= wide + 1 and -1 <= y <= high + 1):
                self.inside["outside"].append((tag, x, y))
        self.inside["table"] |= tag == "table"

    def handle_endtag(self, tag):
        if tag == "figure":
            self.inside = None


def browser():
    return next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


def chromium(program, folder, *words):
    return subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         f"--user-data-dir={folder}/profile", *words],
        capture_output=True, text=True, check=False, timeout=120)


def check(program, folder, name, command, figures):
    page = folder / f"{name}.html"
    done = subprocess.run([os.environ["TRCOST_PROGRAM"], *command.split(), "-o", str(page)],
                          capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode not in (0, 3):
        return [f"exit code {done.returncode}: {done.stderr[:300]}"]
    dom = chromium(program, folder, "--dump-dom", page.as_uri()).stdout
    reader = Reader()
    reader.feed(dom)
    out = []
    if reader.script or reader.headings != 1:
        out.append("a script, or not one title")
    for wanted in figures:
        if not any(wanted in figure["name"] for figure in reader.figures):
            out.append(f"no figure \"{wanted}\" among {[f['name'] for f in reader.figures]}")
    for figure in reader.figures:
        if not figure["name"] or figure["marks"] == 0 or not figure["table"]:
            out.append(f"figure without name, marks or table: {figure}")
        if figure["outside"]:
            out.append(f"{figure['name']}: outside of its frame: {figure['outside'][:3]}")
    if shutil.which("pdftotext"):
        pdf = folder / f"{name}.pdf"
        chromium(program, folder, f"--print-to-pdf={pdf}", "--no-pdf-header-footer", page.as_uri())
        text = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True,
                              check=False).stdout
        words = re.sub(r"\s+", "", text)
        title = re.search(r"<h1>(.*?)</h1>", page.read_text())[1]
        if title.replace(" ", "") not in words or "trcost" + command.split()[0] not in words:
            out.append("printed, the page lacks its title or its command")
    return out


def main():
    program = browser()
    if program is None:
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
    for name, command, figures in pages:
        for line in check(program, folder, name, command, figures):
            failed += 1
            print(f"{command}: {line}", flush=True)
        if keep:
            page = (folder / f"{name}.html").as_uri()
            chromium(program, folder, "--window-size=1200,2600", f"--screenshot={folder}/{name}.png", page)
    print(f"{len(pages)} pages, {failed} faults")
    if not keep:
        shutil.rmtree(folder)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
