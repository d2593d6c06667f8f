#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What check_includes.py finds in trees that are wrong in one way each, and that it lets a right one pass."""

import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("check_includes.py")
RIGHT = {
    "src/catalog/a.h": "namespace x {\ndouble speed(double of,\n             int at) noexcept;\n}\n",
    "src/catalog/a.cpp": '#include "catalog/a.h"\nnamespace x {\ndouble speed(double of, int at) noexcept {\n  return of;\n}\n}\n',
    "src/planner/b.h": '#include "catalog/a.h"\nnamespace x {\ntemplate <int kAt>\nint table();\n}\n',
    "src/planner/b.cpp": '#include "planner/b.h"\nnamespace x {\ntemplate <>\nint table<1>() {\n  return 1;\n}\n}\n',
    "include/trcost/b.h": "namespace x {\nstruct B;\n}\n",
    "src/estimate/resolve_b.h": "namespace x {\nint b(const Scenario& asked);\n}\n",
    "src/estimate/resolve_b.cpp": "namespace x {\nint b(const Scenario& asked) {\n  return 1;\n}\n}\n",
}
WRONG = {
    "an include that runs up": {"src/catalog/a.h": '#include "planner/b.h"\n'},
    "a header on no floor": {"include/trcost/lost.h": "\n"},
    "a header that is not installed": {"include/trcost/b.h": '#include "catalog/a.h"\n'},
    "a function that another floor defines": {"src/catalog/a.cpp": "\n", "src/planner/a.cpp": RIGHT["src/catalog/a.cpp"]},
    "a Scenario behind the question": {"src/cost/c.h": "namespace x {\nstruct C {\n  const Scenario* asked;\n};\n}\n"},
    "one of a public header": {"include/trcost/b.h": "namespace x {\nint lone();\n}\n",
                               "src/cost/c.cpp": "namespace x {\nint lone() {\n  return 1;\n}\n}\n"},
}


def passes(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, CHECK, folder], capture_output=True, check=False).returncode == 0


def main():
    if not passes(RIGHT):
        sys.exit("a right tree is refused")
    for what, files in WRONG.items():
        if passes({**RIGHT, **files}):
            sys.exit(f"not seen: {what}")


if __name__ == "__main__":
    main()
