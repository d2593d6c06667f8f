#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where the folders of src/ and include/ break a rule of CONTRIBUTING.md.

  check_folders.py ROOT

A folder has at most 25 files. The includes between the folders of a layer make no cycle, so that the
folders have an order. A header of src/ that declares functions has a source of its name beside it.
"""

import collections
import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# A function declared at the margin, and what defines one there.
DECLARED = re.compile(r"^(?!using|typedef|inline|friend)[\w:<>,&* ]+[ &*]\w+\((?:[^;{}]|\{\})*\)[\w ]*;", re.MULTILINE)


def path_between(edges, start, end):
    """Shortest list of folders from one to another, or None."""
    paths, seen = collections.deque([[start]]), {start}
    while paths:
        path = paths.popleft()
        if path[-1] == end:
            return path
        for folder in sorted(edges[path[-1]]):
            if folder not in seen:
                seen.add(folder)
                paths.append([*path, folder])
    return None


def cycles(root):
    """A line per pair of folders of a layer that need each other, with an include each way."""
    edges = collections.defaultdict(dict)  # folder -> folder that it needs -> the include that needs it
    for file in sorted((root / "src").glob("*/**/*.*")):
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            target = root / "src" / name
            layer = file.relative_to(root).parts[1]
            if target.exists() and name.split("/")[0] == layer and target.parent != file.parent:
                edges[file.parent].setdefault(target.parent, f"{file.relative_to(root)} includes {name}")
    for one, needs in sorted(edges.items()):
        for other in sorted(needs):
            back = path_between(edges, other, one)
            if back and (len(back) > 2 or one < other):
                yield f"cycle: {needs[other]}, and {edges[back[0]][back[1]]}"


def main():
    root, problems = pathlib.Path(sys.argv[1]), []
    for folder in [*(root / "src").glob("**/"), *(root / "include").glob("**/")]:
        files = sum(each.is_file() for each in folder.iterdir())
        if files > 25:
            problems.append(f"{folder.relative_to(root)}: {files} files; at most 25 stand in a folder")
    problems += cycles(root)
    # Headers whose functions stand in several sources, or in one of another name.
    shared = {"documents.h", "document.h", "rules.h", "column_table.h", "choices.h", "quantity.h", "portable_math.h",
              "weight_formats.h"}
    for header in sorted((root / "src").glob("**/*.h")):
        if header.name not in shared and not header.with_suffix(".cpp").exists() and DECLARED.search(header.read_text(encoding="utf-8")):
            problems.append(f"{header.relative_to(root)}: no source of its name stands beside it")
    print("\n".join(problems))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
