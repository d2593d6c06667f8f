#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The folder docs/: what its commands print, and the pages that they write.

  gallery.py TRCOST [--write]

Compares the outputs in docs/*.md, and each page that docs/README.md links below a command, with what the program makes
now. --write puts it there. The folder has at most MOST_BYTES."""

import os
import re
import shutil
import subprocess
import sys

import documents

DOCS = documents.ROOT / "docs"
MOST_BYTES = 400_000
LINKED = re.compile(r"^```\n\$ (trcost [^\n|]*).*?^```\n\[As a page\]\((\w+\.html)\)", re.M | re.S)


def check_pages(place, write):
    """Names of the pages that differ from what their commands write, or that no command writes."""
    linked = {page: command.strip() for command, page in LINKED.findall((DOCS / "README.md").read_text())}
    stale = [page.name for page in DOCS.glob("*.html") if page.name not in linked]
    for page, command in linked.items():
        words = command.replace(" --format table", "").split()
        subprocess.run([*words, "-o", page], cwd=place.path, env=place.env, check=True, capture_output=True)
        made = (place.path / page).read_bytes()
        kept = DOCS / page
        if kept.exists() and kept.read_bytes() == made:
            continue
        stale.append(page)
        if write:
            kept.write_bytes(made)
    return stale


def main():
    write = "--write" in sys.argv
    check = documents.Check(os.path.abspath(sys.argv[1]), write, documents.SLOW, "tests/docs/gallery.py TRCOST --write")
    for path in sorted(DOCS.glob("*.md")):
        check.document(f"docs/{path.name}")
    stale = check_pages(check.place, write)
    shutil.rmtree(check.place.path)
    if stale:
        print(("written: " if write else "not as the program makes them: ") + ", ".join(stale))
        if not write:
            print("tests/docs/gallery.py TRCOST --write puts them there")
    size = sum(path.stat().st_size for path in DOCS.iterdir())
    print(f"{check.count} commands, {check.failed} not as the documents say; {size} bytes")
    sys.exit(check.failed > 0 or (bool(stale) and not write) or size > MOST_BYTES)


if __name__ == "__main__":
    main()
