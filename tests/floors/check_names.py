#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where two types of one name stand in the program's namespace: linked together they break the
one-definition rule, and no compiler says so.

  check_names.py [ROOT]

Types of an unnamed namespace, and those inside another type, are of their file alone.
"""

import pathlib
import re
import sys

from check_math import code_of

SCOPE = re.compile(r"\bnamespace\b(?P<space>[\w:\s]*)\{"
                   r"|\b(?:struct|class|union|enum(?:\s+class)?)\s+(?P<type>\w+)(?:\s+final)?\s*(?::(?!:)[^;{]*)?\{|[{}]")


def types(text):
    """The types that a file defines where other files see them."""
    found, scopes = [], []  # of a scope: its namespace, "" of an unnamed one, None of what is none
    for each in SCOPE.finditer(code_of(text)):
        if each.group() == "}":
            scopes.pop()
            continue
        if each["type"] and all(scopes):
            found.append("::".join([*scopes, each["type"]]))
        scopes.append(each["space"].strip() if each["space"] is not None else None)
    return found


def check_itself():
    """That it finds what it is to find."""
    text = "namespace x {{ struct A; {}enum class B : int {{ b }};{} struct C : A {{ struct D {{}}; }};\nstruct C::D {{}}; }}"
    assert types(text.format("", "")) == ["x::B", "x::C"]
    assert types(text.format("namespace { void f(A a) { a.g(); } ", " }")) == ["x::C"]
    assert types('namespace x { const char* a = "struct B {"; } // struct C {') == []


def main(root):
    check_itself()
    where = {}
    for folder in ("include", "src"):
        for path in sorted((root / folder).rglob("*")):
            for name in types(path.read_text(encoding="utf-8")) if path.suffix in (".h", ".cpp") else []:
                where.setdefault(name, []).append(str(path.relative_to(root)))
    twice = [f"{name} stands in {' and '.join(files)}" for name, files in sorted(where.items()) if len(files) > 1]
    print("\n".join(twice), end="\n" if twice else "")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
