#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what trcost reads from the recipes of files/ with each folder's expected.json.

  check_recipes.py TRCOST [NAME...]

Fields have to come out exactly, every key has to be accounted for, and what no file says has to be named.
"""

import fnmatch
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent / "files"


def leaves(tree, prefix=""):
    for key, value in tree.items():
        path = f"{prefix}.{key}" if prefix else key
        if isinstance(value, dict):
            yield from leaves(value, path)
        else:
            yield path, value


def same(wanted, found):
    if isinstance(wanted, bool):
        return found in (wanted, "on" if wanted else "off")
    if isinstance(wanted, (int, float)) and isinstance(found, (int, float)):
        return abs(found - wanted) <= 1e-9 * abs(wanted)
    return wanted == found


def check(program, folder):
    expected = json.loads((folder / "expected.json").read_text())
    given = {}
    for path, value in expected["given"].items():
        group, name = path.split(".", 1)
        given.setdefault(group, {})[name] = value
    files = [str(folder / name) for name in expected["files"][:1]]

    def read(scenario):
        words = [program, "recipe", *files, "--format", "json", "--scenario", "-"]
        done = subprocess.run(words, input=json.dumps(scenario), capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.stdout else {"error": done.stderr}

    found = read(given)
    # Files that the first does not name are named too.
    if len(found.get("files", [])) < len(expected["files"]):
        files[:] = [str(folder / name) for name in expected["files"]]
        found = read(given)
    if "error" in found:
        return [found["error"].strip()], 0, len(expected["fields"])
    faults = []
    if found["framework"] != expected["framework"]:
        faults.append(f"framework {found['framework']} instead of {expected['framework']}")
    fields = dict(expected["given"])
    fields.update(leaves(found["scenario"]))
    good = 0
    for path, wanted in expected["fields"].items():
        if path in fields and same(wanted, fields[path]):
            good += 1
        elif path in fields:
            faults.append(f"WRONG {path} = {fields[path]!r} instead of {wanted!r}")
        else:
            faults.append(f"missing {path} = {wanted!r}")
    bare = read({})
    named = {gap["path"] for gap in bare.get("missing", [])}
    for path in expected.get("ask") or []:
        if path not in named:
            faults.append(f"not asked for: {path}")
    keys = {}
    for row in found["keys"]:
        keys.setdefault(row["key"], set()).add(row["status"])
    for row in expected["report"]:
        hits = [k for k in keys if fnmatch.fnmatchcase(k, row["key"])]
        if not any("reported" in keys[k] for k in hits):
            faults.append(f"not reported: {row['key']} ({hits or 'absent'})")
    return faults, good, len(expected["fields"])


def main():
    program, names = sys.argv[1], sys.argv[2:]
    good = all_fields = bad = 0
    for folder in sorted(HERE.iterdir()):
        if not (folder / "expected.json").exists() or (names and folder.name not in names):
            continue
        faults, right, count = check(program, folder)
        good += right
        all_fields += count
        bad += bool(faults)
        for fault in faults:
            print(f"{folder.name}: {fault}")
    print(f"{good} of {all_fields} fields, {bad} recipes with faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
