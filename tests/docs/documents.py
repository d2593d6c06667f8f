#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command in every document runs, and prints what the document shows.

  documents.py TRCOST [--write] [--all]

Commands are: the lines of unnamed code blocks that begin with `trcost`, or with `$ trcost` before
what they print; `trcost ...` within a line of text, where it is no pattern (COMMAND, NAME, ...); the
examples of every command's help, which the man page has too; and those of the help topics. Each
runs in a folder with the files that the documents speak of, and has to end well. What stands under a
`$ trcost` line has to be the output, byte for byte; --write puts it there. JSON blocks of
data/README.md that are whole entries are read by the program as they stand. Other commands of code
blocks have to be in ELSEWHERE, with the test that runs them."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md", "data/runs/README.md",
             "examples/README.md", "examples/claims/README.md", "tests/README.md",
             "tests/calibration/README.md", "include/README.md", "src/README.md", "cmake/README.md"]
# Beginnings of lines that other tests run, or that need a network or root.
ELSEWHERE = {
    "sh examples/": "tests/cli/examples.bats",
    "sh tests/": "the tests themselves",
    "git clone": "needs a network",
    "mkdir": "makes a folder",
    "day=$(git": "needs the clone",
    "sudo": "tests/install",
    "(cd build": "tests/install",
    "cmake": "tests/install",
    "ninja": "tests/install",
    "ctest": "the tests themselves",
    "python3": "the calibration's own, see tests/calibration/README.md",
    "/usr/bin/python3": "the calibration's own, see tests/calibration/README.md",
    "build/": "benchmarks and the calibration's program",
    "source": "a shell's own",
}
# Commands that take long, and what narrows them to seconds where --all is not given.
SLOW = {"trcost validate --calibrated": " --source IBM"}
PATTERN = re.compile(r"[A-Z]{3,}\b(?![-.\w]*=)|\.\.\.|\||<|\[")
# Words in capitals that are no placeholder.
NAMES = re.compile(r"\b(FILE\.\w+|JSON|CSV|USD|MFU)\b")


def blocks(text):
    """(language, first line's index, lines) of every fenced block."""
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        fence = re.match(r"```(\S*)$", lines[i])
        if fence:
            end = next(k for k in range(i + 1, len(lines)) if lines[k].startswith("```"))
            yield fence[1], i + 1, lines[i + 1:end]
            i = end
        i += 1


def joined(lines):
    """Lines with those that go on in the next: after a backslash, a pipe or an open quote."""
    out = []
    for line in lines:
        if out and (out[-1].endswith("\\") or out[-1].endswith("|") or out[-1].count("'") % 2):
            before = out[-1]
            out[-1] = before[:-1] + " " + line.strip() if before.endswith("\\") else before + "\n" + line
        else:
            out.append(line)
    return [line for line in out if line.strip()]


def inline(text):
    """`trcost ...` in the text around the blocks."""
    outside = re.sub(r"(?ms)^```.*?^```", "", text)
    for command in re.findall(r"`(trcost [^`]+)`", outside):
        command = re.sub(r"\s+", " ", command)
        if not PATTERN.search(NAMES.sub("", command)) and len(command.split()) > 2:
            yield command


def examples_of_help(program):
    """The commands of every help page and topic."""
    def ask(*words):
        return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z]+) {2,}", ask("--help").split("Commands:")[1], re.M)
    topics = re.findall(r"^  ([a-z]+) {2,}", ask("help", "topics"), re.M)
    if len(names) < 15 or len(topics) < 4:
        sys.exit("the lists of commands and topics are not as they were")
    for name in dict.fromkeys(["--help", *names, *topics]):
        page = ask("--help") if name == "--help" else ask("help", name)
        for line in joined(page.split("\n")):
            if re.match(r"  trcost \S", line) and not PATTERN.search(NAMES.sub("", line.split("  #")[0])):
                yield line.strip()


class Place:
    """A folder with what the documents speak of."""

    def __init__(self, program):
        self.program = program
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="trcost-documents-"))
        (self.path / "bin").mkdir()
        (self.path / "bin/trcost").symlink_to(program)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("TRCOST")}
        self.env.update(PATH=f"{self.path}/bin:{self.env['PATH']}", XDG_CONFIG_HOME=f"{self.path}/none",
                        day="2026-10-20")  # of a table, as `git log` prints it
        for name in ("examples", "data", "tests"):
            (self.path / name).symlink_to(ROOT / name)
        shutil.copy(ROOT / "examples/accelerators/my-chip.json", self.path / "mine.json")
        shutil.copy(ROOT / "examples/accelerators/my-chip.json", self.path / "my-chip.json")
        shutil.copy(ROOT / "examples/studies/ablation.json", self.path / "study.json")
        shutil.copy(ROOT / "examples/calibrate/rows.csv", self.path / "rows.csv")
        (self.path / "train.log").write_text(
            " iteration 9/ 100 | elapsed time per iteration (ms): 9000.0 | global batch size: 512 |\n" * 3)
        (self.path / "mine/prices").mkdir(parents=True)
        head = ("InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,"
                "GpuInfo,AvailabilityZone\n")
        row = "gpu_8x_h100_sxm5,H100-SXM,8.0,208.0,1800.0,23.92,,us-east-1,,\n"
        for folder in ("lambda", "skypilot-catalog/catalogs/v8/lambda"):
            (self.path / folder).mkdir(parents=True)
            (self.path / folder / "vms.csv").write_text(head + row)
        (self.path / "sizes.csv").write_text("width,height,count\n640,480,9\n1920,1080,1\n")
        (self.path / "gpuhunt.csv").write_text(
            "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,"
            "provider\ngpu_8x_h100,us-east-1,23.92,208,1800,8,H100,80,False,,lambdalabs\n")
        (self.path / "sizes.txt").write_text("1e9\n7e9\n")
        (self.path / "run.json").write_text('{ "model": { "params": 1e9 } }\n')
        self.run("trcost calibrate --measured rows.csv --stack fsdp-compiled -o my-stack.json")
        self.run("trcost estimate --params 1e9 --format json > before.json")
        self.run("trcost estimate --params 1e9 --price 3 --format json > after.json")

    def run(self, command):
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.path, env=self.env,
                              capture_output=True, text=True, check=False, timeout=600)
        return done.returncode, done.stdout, done.stderr


class Check:
    def __init__(self, program, write, narrowed, rebuild="tests/docs/documents.py TRCOST --write"):
        self.place = Place(program)
        self.rebuild = rebuild
        self.write = write
        self.narrowed = narrowed
        self.checked = set()
        self.failed = 0
        self.count = 0

    def fail(self, where, words):
        self.failed += 1
        print(f"{where}: {words}", flush=True)

    def command(self, where, command, shown=False):
        command = re.sub(r"\s+#.*$", "", command)
        if command in self.checked and not shown:
            return ""
        self.checked.add(command)
        self.count += 1
        code, out, err = self.place.run(command + (self.narrowed.get(command, "") if not shown else ""))
        # `diff --fail-above` ends with 3 where it finds what it looks for.
        if code != 0 and not (code == 3 and ("--fail-above" in command or "--max-error" in command)):
            self.fail(where, f"{command}\n  exit code {code}: {err.strip()[:300]}")
        return out

    def block(self, name, lines, first):
        for line in joined(lines):
            where = f"{name}:{first + 1}"
            if line.startswith("trcost "):
                self.command(where, line)
            elif not line.startswith(("#", " ")) and not line.startswith(tuple(ELSEWHERE)):
                self.fail(where, f"not known to any test: {line[:80]}")

    def transcript(self, path, name, lines, first):
        out = self.command(f"{name}:{first + 1}", lines[0][2:], shown=True)
        shown = "\n".join(lines[1:]) + "\n"
        if out == shown:
            return
        if not self.write:
            self.fail(f"{name}:{first + 1}", f"`{lines[0][2:]}` prints something else; "
                      f"{self.rebuild} puts it there")
            return
        text = path.read_text()
        path.write_text(text.replace("\n".join(lines) + "\n", lines[0] + "\n" + out, 1))

    def entry(self, where, text):
        """A whole entry of the catalog, as the program reads it."""
        entry = json.loads(text)
        kinds = {"dense_peak": "accelerators", "tiers": "systems", "language": "models", "prices": "prices"}
        kind = next((kinds[key] for key in kinds if key in entry), None)
        if kind is None:
            self.fail(where, "JSON of no kind that is known here")
            return
        file = f"{entry.get('name', 'pasted')}.json"
        (self.place.path / file).write_text(text)
        if kind == "prices":
            (self.place.path / "pasted/prices").mkdir(parents=True, exist_ok=True)
            (self.place.path / "pasted/prices" / file).write_text(text)
            self.command(where, "trcost estimate --params 1e9 --accelerator h100-sxm --data-dir pasted")
        else:
            self.command(where, f"trcost show {kind} ./{file}")
        if kind == "accelerators":
            self.command(where, f"trcost estimate --params 1e9 --accelerator ./{file} --price 2")
        if kind == "models":
            self.command(where, f"trcost estimate --model ./{file} --tokens 1e9 --accelerator h100-sxm")

    def document(self, name):
        path = ROOT / name
        text = path.read_text()
        for language, first, lines in blocks(text):
            if lines and lines[0].startswith("$ trcost "):
                self.transcript(path, name, lines, first)
            elif language == "json":
                self.entry(f"{name}:{first + 1}", "\n".join(lines))
            elif language in ("", "sh") and not lines[0].startswith("{"):
                self.block(name, lines, first)
        for command in inline(text):
            self.command(name, command)


def main():
    check = Check(os.path.abspath(sys.argv[1]), "--write" in sys.argv[2:], {} if "--all" in sys.argv[2:] else SLOW)
    for name in DOCUMENTS:
        if (ROOT / name).exists():
            check.document(name)
    for command in examples_of_help(check.place.program):
        if " > /etc/" not in command and "| man" not in command:
            check.command("help", command)
    shutil.rmtree(check.place.path)
    print(f"{check.count} commands, {check.failed} not as the documents say")
    sys.exit(check.failed > 0)


if __name__ == "__main__":
    main()
