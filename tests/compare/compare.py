#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the same commands through two builds of the program and says where they differ.

  compare.py OLD NEW [--random N] [--seed S] [--show K]

Texts have to be equal and numbers equal to 1e-9, in every format, on standard output and standard
error, with the same exit code. The commands are those of commands.txt, one per line as typed in the
root of the project, and N random scenarios. A line "NAME.json = COMMAND" stores what OLD prints for
later commands that read NAME.json. Prints each command that differs with its first differing line,
and exits 1 if there is one.
"""

import argparse
import io
import itertools
import json
import math
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
TOLERANCE = 1e-9

FORMATS = ["table", "json", "jsonl", "csv", "md", "html"]
MODELS = ["llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "mixtral-8x7b", "deepseek-v3", "qwen3-30b-a3b",
          "gpt-oss-20b", "gemma-2-9b", "llava-1.5-7b", "qwen2.5-vl-7b", "llama-3.2-11b-vision"]
CHIPS = ["a100-sxm-80gb", "a100-sxm-40gb", "h100-sxm", "h100-pcie", "h200", "b200", "gb200-nvl72", "gb300-nvl72",
         "rtx-4090", "mi300x", "tpu-v5p", "trainium2", "gaudi3"]
STACKS = ["megatron", "fsdp", "fsdp-compiled", "hf-trainer", "typical", "maxtext", "megatron-deepspeed"]


def random_command(rng):
    """A random scenario; a refusal is an answer too."""
    some = lambda share: rng.random() < share
    out = ["estimate", "--format", rng.choice(FORMATS)]
    if some(0.5):
        out += ["--model", rng.choice(MODELS)]
    else:
        out += ["--params", f"{10 ** rng.uniform(8, 12):.4g}"]
        if some(0.4):
            out += ["--modality", "vl"]
    if some(0.7):
        out += ["--accelerator", ",".join(rng.sample(CHIPS, rng.choice([1, 1, 2])))]
    if some(0.5):
        out += ["--gpus", str(int(2 ** rng.uniform(0, 12)))]
    if some(0.5):
        out += ["--tokens", f"{10 ** rng.uniform(8, 13):.4g}"]
    elif some(0.5):
        out += ["--samples", f"{10 ** rng.uniform(3, 8):.4g}"]
    for flag, share, values in [
            ("--stack", 0.5, STACKS), ("--precision", 0.3, ["bf16", "fp16", "fp8", "best"]),
            ("--train", 0.3, ["full", "frozen-vision", "projector", "lora", "qlora"]),
            ("--seq-length", 0.3, ["2048", "8192", "32768"]), ("--global-batch", 0.2, ["128", "512", "2048"]),
            ("--tp", 0.15, ["1", "2", "8"]), ("--pp", 0.1, ["1", "2", "4"]), ("--mfu", 0.1, ["0.3", "0.45"]),
            ("--pricing", 0.3, ["on-demand", "reserved-1y", "reserved-3y", "spot", "own"]),
            ("--price", 0.2, ["2", "1.5..3"]), ("--recompute", 0.15, ["none", "selective", "full"]),
            ("--sharding", 0.15, ["none", "optimizer", "parameters"]), ("--experiments", 0.1, ["1.5"]),
            ("--deadline", 0.2, ["7d", "90d"]), ("--draws", 0.05, ["500"]), ("--region", 0.1, ["fr", "us"])]:
        if some(share):
            out += [flag, rng.choice(values)]
    if some(0.15):
        out.append("--explain")
    return out


def text_of(output):
    """Output as text; a workbook as the text of its parts."""
    if not output.startswith(b"PK"):
        return output.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(output)) as book:
        parts = [f"== {name}\n{book.read(name).decode(errors='replace')}" for name in book.namelist()]
    return "\n".join(parts).replace("><", ">\n<")


def answer(program, words):
    done = subprocess.run([program, *words], capture_output=True, cwd=ROOT, timeout=120,
                          stdin=subprocess.DEVNULL, check=False)
    return done.returncode, text_of(done.stdout), text_of(done.stderr)


def read_commands(old, folder):
    """The commands of commands.txt, after writing the results that they read into `folder`."""
    stored, commands = {}, []
    for line in (HERE / "commands.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, is_stored, command = line.partition(" = ")
        words = [stored.get(word, word) for word in shlex.split(command if is_stored else line)]
        if is_stored:
            stored[name] = str(folder / name)
            (folder / name).write_text(answer(old, words)[1], encoding="utf-8")
        else:
            commands.append(words)
    return commands


def same_line(old, new):
    if old == new:
        return True
    if NUMBER.split(old) != NUMBER.split(new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new))
    return all(math.isclose(float(a), float(b), rel_tol=TOLERANCE) for a, b in pairs)


def difference(old, new):
    if old[0] != new[0]:
        return f"exit code {old[0]} -> {new[0]}"
    for name, was, now in (("stdout", old[1], new[1]), ("stderr", old[2], new[2])):
        for number, (a, b) in enumerate(itertools.zip_longest(was.splitlines(), now.splitlines()), 1):
            if a is None or b is None or not same_line(a, b):
                return f"{name}:{number}\n  - {(a or '(nothing)')[:400]}\n  + {(b or '(nothing)')[:400]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--random", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=40, help="differences printed")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    old, new = (str(pathlib.Path(p).resolve()) for p in (args.old, args.new))
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        commands = read_commands(old, pathlib.Path(folder))
        commands += [random_command(rng) for _ in range(args.random)]
        for words in commands:
            found = difference(answer(old, words), answer(new, words))
            if found is None:
                continue
            differ += 1
            if differ <= args.show:
                print(f"{shlex.join(words)}\n  {found}")
    print(json.dumps({"commands": len(commands), "differ": differ}))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
