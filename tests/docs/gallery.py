#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The front page of docs/: commands with what they print, and the page that each of them writes.

  gallery.py TRCOST [--write]

Compares docs/*.html with what the program makes now. --write puts it there."""

import html
import os
import pathlib
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
# Page, heading, command. The first one is the main example.
GALLERY = [
    ("estimate", "What does a training run cost?", "estimate --params 10e9 --modality vl"),
    ("finetune", "What does a fine-tuning run cost?",
     "estimate --model llama-3.1-8b --train lora --samples 100000 --accelerator h100-sxm"),
    ("memory", "Which GPUs hold it?", "memory --model llama-3.1-8b --train lora"),
    ("solve", "What does a budget buy?", "solve --for tokens --budget 1M --params 7e9"),
    ("sweep", "Which setting is cheapest?",
     "sweep --params 7e9 --tokens 1e12 --vary gpus=64..1024:x2 --vary accelerator=h100-sxm,h200,b200"),
    ("heat", "How do size and tokens move the total?",
     "sweep --accelerator b200 --gpus 256 --vary params=1e9..32e9:x2 --vary tokens=1e11..1.6e12:x2"),
    ("serve", "What does serving cost?", "serve --model llama-3.1-70b"),
    ("tco", "Own, reserve or rent?", "tco --accelerator h100-sxm,b200 --gpus 64 --years 3"),
    ("accuracy", "How accurate is it?", "validate"),
]
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .8rem 1rem; border: 1px solid #868e96; border-radius: 8px; font-size: 13px;
      line-height: 1.35; }
h2 { margin: 2.5rem 0 .3rem; }
"""


def outputs(program, folder):
    """What every command prints, after each has written its page."""
    out = {}
    environment = {**os.environ, "XDG_CONFIG_HOME": f"{folder}/none", "COLUMNS": "80"}
    for name, _, command in GALLERY:
        words = [program, *command.split(), "-q"]
        subprocess.run([*words, "-o", f"{name}.html"], cwd=folder, env=environment, check=True)
        out[name] = subprocess.run([*words, "--format", "table"], cwd=folder, env=environment, check=True,
                                   capture_output=True, text=True).stdout
    return out


def front_page(texts):
    parts = ["<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
             "content=\"width=device-width, initial-scale=1\">\n<title>trcost</title>\n"
             f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>trcost</h1>\n"
             "<p>What training, fine-tuning and serving of language and vision-language models costs: time, memory, "
             "energy and dollars, with ranges. Each question below has its command, what it prints, and the page that "
             "<code>-o FILE.html</code> writes.</p>\n"]
    for name, heading, command in GALLERY:
        screen = html.escape(f"$ trcost {command}\n{texts[name].rstrip()}")
        parts.append(f"<h2 id=\"{name}\">{heading}</h2>\n<pre>{screen}</pre>\n"
                     f"<p><a href=\"{name}.html\">The same as a page</a></p>\n")
    return "".join(parts) + "</main>\n</body>\n</html>\n"


def main():
    write = "--write" in sys.argv
    program = os.path.abspath(sys.argv[1])
    stale = []
    with tempfile.TemporaryDirectory(prefix="trcost-docs-") as name:
        folder = pathlib.Path(name)
        (folder / "index.html").write_text(front_page(outputs(program, folder)), encoding="utf-8")
        for page in sorted(folder.glob("*.html")):
            kept = DOCS / page.name
            if kept.exists() and kept.read_bytes() == page.read_bytes():
                continue
            stale.append(page.name)
            if write:
                kept.write_bytes(page.read_bytes())
    if stale:
        print(("written: " if write else "not as the program makes them: ") + ", ".join(stale))
        if not write:
            print("tests/docs/gallery.py TRCOST --write")
    sys.exit(bool(stale) and not write)


if __name__ == "__main__":
    main()
