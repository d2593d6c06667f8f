#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where an include runs up the floors of CONTRIBUTING.md, where a header has no floor, where a
public header needs one that is not installed with it, where a function is declared on one floor and
defined on another, or where a Scenario is read behind the Question that is made of it.

  check_includes.py [ROOT]

A source's floor is its folder of src/, that of its header beside it. A public header's floor is that
of the source of its name; those without one stand in PUBLIC.
"""

import pathlib
import re
import sys

FLOORS = ["quantity", "text", "catalog", "scenario", "workload", "performance", "planner", "cost",
          "estimate", "study", "report", "cli", "python"]

PUBLIC = {
    "report": "report", "serving_point": "performance", "sweep": "study", "tokens": "workload",
    "uncertainty": "cost",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def floor_of_source(root, path):
    parts = path.relative_to(root).parts
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else None
    if path.stem in PUBLIC:
        return PUBLIC[path.stem]
    return next((f for f in FLOORS if (root / "src" / f / f"{path.stem}.cpp").exists()), None)


def resolve(root, source, name):
    for base in (root / "include", root / "src", source.parent):
        if (base / name).exists():
            return base / name
    return None


# A function at the margin, up to what follows its arguments: a declaration ends there, a body begins.
FUNCTION = re.compile(r"^(?:template <[^;{}]*>\n)?[A-Za-z_][\w:<>,&*\s\[\]]*?[\s&*](\w+)(?:<[\w:, ]+>)?\(([^;{}]*?)\)"
                      r"(?: const| noexcept)*\s*([;{])", re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def functions(source):
    """The names of functions that stand at the margin of a file: those declared, those defined."""
    declared, defined = set(), set()
    for name, _, end in FUNCTION.findall(COMMENT.sub("", source.read_text(encoding="utf-8"))):
        (declared if end == ";" else defined).add(name)
    return declared, defined


def elsewhere(root, sources):
    """(header, function, floor) of what a header of another floor declares."""
    floors = {}  # of the definitions of a name
    for source in sources:
        for name in functions(source)[1]:
            floors.setdefault(name, set()).add(floor_of_source(root, source))
    for header in (s for s in sources if s.suffix == ".h"):
        floor = floor_of_source(root, header)
        for name in functions(header)[0]:
            found = floors.get(name, {floor}) - {None}
            if found and floor not in found:
                yield str(header.relative_to(root)), name, sorted(found)[0]


# What makes the Question of a Scenario, and what asks further ones.
READERS = re.compile(r"estimate/(?:question|resolve)\w*\.\w+|estimate/(?:estimate|memory_fit|token_budgets)\.\w+")


def behind_the_question(root, sources):
    """Sources from the estimate down that name a Scenario, and make no Question of it."""
    for source in (s for s in sources if s.is_relative_to(root / "src")):
        floor, path = floor_of_source(root, source), str(source.relative_to(root / "src"))
        if floor is None or FLOORS.index(floor) > FLOORS.index("estimate") or floor == "scenario":
            continue
        if not READERS.fullmatch(path) and re.search(r"\bScenario\b", COMMENT.sub("", source.read_text(encoding="utf-8"))):
            yield path


def main(root):
    up, homeless, hidden = set(), [], set()
    sources = [p for folder in ("include", "src") for p in sorted((root / folder).rglob("*"))
               if p.suffix in (".h", ".cpp", ".def")]
    for source in sources:
        floor = floor_of_source(root, source)
        if floor is None:
            if source.suffix != ".def":
                homeless.append(str(source.relative_to(root)))
            continue
        for name in INCLUDE.findall(source.read_text(encoding="utf-8")):
            target = resolve(root, source, name)
            if target is None or target.suffix == ".def":
                continue
            if "include" in source.relative_to(root).parts[:1] and target.is_relative_to(root / "src"):
                hidden.add((str(source.relative_to(root)), name))
            below = floor_of_source(root, target)
            if below is not None and FLOORS.index(below) > FLOORS.index(floor):
                up.add((str(source.relative_to(root)), str(target.relative_to(root))))
    for path in homeless:
        print(f"{path}: on no floor")
    for source, name in sorted(hidden):
        print(f"{source}: includes {name}, which is not installed with it")
    for source, target in sorted(up):
        print(f"{source}: includes {target}, which stands on a higher floor")
    strangers = sorted(elsewhere(root, sources))
    for header, name, floor in strangers:
        print(f"{header}: declares {name}(), which {floor} defines")
    behind = list(behind_the_question(root, sources))
    for path in behind:
        print(f"{path}: names a Scenario, which only what makes a Question of it reads")
    return 1 if homeless or up or hidden or strangers or behind else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
