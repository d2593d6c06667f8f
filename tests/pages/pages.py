#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every page in a real browser: Chromium opens it on a desk and on a phone, light and dark, and prints it.

  pages.py TRCOST [--only NAME,NAME] [FOLDER]

Each command writes its page. It has to have the figures named here, each with a name for who cannot see it, marks, and
a table; no text below 11 px, no text outside of the window, no horizontal scroll of the page, no message on the
console, and a contrast of 4.5 for text and 3 for marks. An estimate's page has at most 80 KB, that of 10,000 rows at
most 3 MB, scripts at most 15 KB. Printed to PDF, it has its title and the command (needs pdftotext, else that part is left out). FOLDER keeps
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
    ("sweep-10000", "sweep --params 7e9 --tokens 1e12 --mfu 0.4 --accelerator h100-sxm,b200 "
     "--vary hardware.gpus=8..40000:8", ["total by GPUs"]),
    ("solve-tokens", "solve --for tokens --budget 1M --params 7e9", ["total by tokens"]),
    ("solve-gpus", "solve --for gpus --duration 20d --params 7e9 --tokens 5e11 --accelerator h100-sxm",
     ["wall-clock by GPUs"]),
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
MOST_SCRIPT = 15_000  # bytes
# Bytes of pages by the command and the name.
MOST_BYTES = {"estimate": 80_000, "sweep-10000": 3_000_000}

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
  // Contrast by WCAG 2.2 of texts and marks on what is behind them.
  const channels = color => {
    const numbers = color.match(/[\\d.e-]+/g).map(Number), unit = color.startsWith('color') ? 1 : 255;
    return {rgb: numbers.slice(0, 3).map(n => n / unit), alpha: numbers[3] ?? 1};
  };
  const light = ({rgb}) => rgb.map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const contrast = (a, b) => {
    const [high, low] = [light(channels(a)), light(channels(b))].sort((x, y) => y - x);
    return (high + .05) / (low + .05);
  };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if (channels(color).alpha > 0) return color;
    }
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(0, 0, 0)' : 'rgb(255, 255, 255)';
  };
  const known = new Map(), faint = [];
  const look = (e, colors, least) => {
    const back = behind(e), key = [back, ...colors].join();
    if (!known.has(key)) known.set(key, Math.max(...colors.map(color => contrast(color, back))));
    if (known.get(key) < least) faint.push(`${e.outerHTML.slice(0, 80)} ${known.get(key).toFixed(2)}`);
  };
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('script, title, defs, .unseen, caption') || e.getBoundingClientRect().width === 0) continue;
    const style = getComputedStyle(e);
    if ([...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())) {
      look(e, [e instanceof SVGElement ? style.fill : style.color], 4.5);
    }
    if (e.matches('svg rect, svg use, svg polyline, svg circle')) {
      look(e, [style.fill, style.stroke].filter(color => color !== 'none'), 3);
    }
  }
  return {titles: document.querySelectorAll('h1').length, figures, small, outside, faint: faint.slice(0, 5),
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
    text = page.read_text()
    most = MOST_BYTES.get(name, MOST_BYTES.get(command.split()[0]))
    out = [f"{len(text.encode())} bytes, at most {most}"] if most and len(text.encode()) > most else []
    script = sum(map(len, re.findall(r"<script>.*?</script>", text, re.S)))
    out += [f"{script} bytes of scripts"] if script > MOST_SCRIPT else []
    for width, dark in SCREENS:
        tab.open(page.as_uri(), width, dark=dark)
        seen = tab.evaluate(INSPECT)
        where = f"{width} px{', dark' if dark else ''}: "
        names = [figure["name"] for figure in seen["figures"]]
        out += [f"{where}no figure \"{wanted}\" among {names}" for wanted in figures
                if not any(wanted in each for each in names)]
        out += [f"{where}figure without name, marks or table: {figure}" for figure in seen["figures"]
                if not (figure["name"] and figure["marks"] and figure["table"])]
        out += [f"{where}{fault}: {seen[fault]}" for fault in ("small", "outside", "faint") if seen[fault]]
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
    if any(name == "sweep-10000" for name, _, _ in pages):
        tab.open((folder / "sweep-10000.html").as_uri(), 1280)
        paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
        print(f"first paint of 10,000 rows: {paint} ms")
    tab.close()
    print(f"{len(pages)} pages, {failed} faults")
    if not keep:
        shutil.rmtree(folder)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
