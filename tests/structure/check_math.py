#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where the program computes with the C library: its exp, log, pow and the like differ in the last
digit from one machine to the next, and the same question has to print the same bytes.

  check_math.py [ROOT]

src/quantity/portable_math.h has them from +, -, x, / and square roots. Functions that IEEE 754 wants
exact (sqrt, fmod, remainder, fma, floor, ldexp and so on) may be called anywhere.
"""

import pathlib
import re
import sys

# Functions of <cmath> that are not rounded alike everywhere.
NAMES = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot", "sin", "cos", "tan", "asin",
         "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "tgamma", "lgamma"]
# With f and l behind them too; a member or a function of our own has another name before it.
CALL = re.compile(rf"(?<![\w.>])(?:(?:std)?::\s*)?(?:{'|'.join(NAMES)})[fl]?\s*\(|\bstd::(?:{'|'.join(NAMES)})[fl]?\b")
NOT_CODE = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'')


def code_of(text):
    """The text without comments and strings, its lines where they were."""
    return NOT_CODE.sub(lambda found: "\n" * found.group().count("\n"), text)


def calls(text):
    """(line, call) of each one in a source's text."""
    code = code_of(text)
    return [(code.count("\n", 0, found.start()) + 1, found.group().strip("( ")) for found in CALL.finditer(code)]


def check_itself():
    """That it finds what it is to find."""
    for text in ("x = std::log(y);", "x = log2(y);", "std::transform(a, b, c, std::exp);", "::pow(x, y)",
                 "std::powf(x, 2)", "a + exp(b)", 'f("a", std::cbrt(x))'):
        assert len(calls(text)) == 1, text
    for text in ("portable_exp(x)", "std::sqrt(x)", "// std::exp(x)", '"exp(-1.28 x {})"', "result.log(x)", "at->pow(x)",
                 "catalog(x)", "std::fmod(a, b)", "/* log(x) */", "'\"'; portable_log(x)", "unit_power(x)"):
        assert not calls(text), text


def main(root):
    check_itself()
    found = [f"{path.relative_to(root)}:{line}: {call} differs from machine to machine; take portable_{call.split(':')[-1]}"
             for folder in ("include", "src") for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cpp", ".def")
             for line, call in calls(path.read_text(encoding="utf-8"))]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
