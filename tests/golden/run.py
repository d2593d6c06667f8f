#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole screens of the program. Sentences are pinned here and in no other test.

  run.py TRCOST [--write] [NAME...]

Each *.txt file is a transcript: lines that begin with "$ " are commands for bash, followed by what they
print. Lines of stderr begin with "! ". "exit code N" follows a command that does not end with 0. All
commands of a file run in one empty folder, in which `examples` and `tests` are those of the project.
With --write the files get what the program prints. To add a screen, write its command and use --write.
"""

import argparse
import concurrent.futures
import difflib
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def same(old, new):
    """Whether two transcripts are alike: numbers to 1e-9, as the last digits of an explanation may move."""
    return NUMBER.split(old) == NUMBER.split(new) and all(
        math.isclose(float(a), float(b), rel_tol=1e-9) for a, b in zip(NUMBER.findall(old), NUMBER.findall(new)))


def commands(text):
    return [line[2:] for line in text.splitlines() if line.startswith("$ ")]


def run(command, folder, environment):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    errors = "".join(f"! {line}\n" for line in done.stderr.splitlines())
    code = f"exit code {done.returncode}\n" if done.returncode else ""
    return f"$ {command}\n{done.stdout}{errors}{code}"


def transcript(program, text):
    with tempfile.TemporaryDirectory(prefix="trcost-golden-") as name:
        folder, programs = pathlib.Path(name, "work"), pathlib.Path(name, "programs")
        folder.mkdir()
        programs.mkdir()
        (programs / "trcost").symlink_to(program)
        for shared in ("examples", "tests"):
            (folder / shared).symlink_to(ROOT / shared)
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": name, "LC_ALL": "C.UTF-8"}
        return "".join(run(command, folder, environment) for command in commands(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME", help="files without .txt; default: all")
    args = parser.parse_intermixed_args()
    program = pathlib.Path(args.program).resolve()
    files = sorted(f for f in HERE.glob("*.txt") if not args.names or f.stem in args.names)
    before = [file.read_text(encoding="utf-8") for file in files]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        after = list(pool.map(lambda text: transcript(program, text), before))
    differ = 0
    for file, old, new in zip(files, before, after):
        if same(old, new):
            continue
        differ += 1
        if args.write:
            file.write_text(new, encoding="utf-8")
        else:
            sys.stdout.writelines(difflib.unified_diff(
                old.splitlines(True), new.splitlines(True), file.name, "printed now", n=1))
    screens = sum(len(commands(text)) for text in before)
    print(f"{screens} screens in {len(files)} files, {differ} files {'written' if args.write else 'differ'}")
    return 1 if differ and not args.write else 0


if __name__ == "__main__":
    sys.exit(main())
