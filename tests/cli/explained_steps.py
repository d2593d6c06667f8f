# SPDX-License-Identifier: Apache-2.0
"""Reads the text of `trcost serve --explain` and computes each step again from its numbers."""
import math
import re
import sys

NAMES = {"min": min, "max": max, "log2": math.log2}


def value_of(words):
    """The number that a result starts with."""
    return float(re.match(r"\$?([-+0-9.e]+)", words).group(1))


def steps(text):
    """(name, numbers, result) of each numbered step; a step's lines go on until the next `=`."""
    chain = text.split("formula by formula", 1)[1]
    # A source stands in brackets after the result, and what comes after the chain starts a heading.
    for step in re.split(r"\n  (?=\d+\. )", chain)[1:]:
        step = re.split(r"\n\n", step)[0]
        parts = re.split(r"\n  = ", step)
        if len(parts) >= 3:
            yield parts[0], " ".join(parts[-2].split()), parts[-1]


def main():
    seen = 0
    for name, numbers, result in steps(sys.stdin.read()):
        computed = eval(numbers.replace(" x ", " * ").replace("^", "**"), {"__builtins__": {}}, NAMES)
        said = value_of(result)
        if abs(computed - said) > 2e-4 * abs(said) + 1e-12:
            sys.exit(f"{name}\n  {numbers}\n  is {computed}, not {said}")
        seen += 1
    if seen < 15:
        sys.exit(f"only {seen} steps")


main()
