# SPDX-License-Identifier: Apache-2.0
"""Reads the text of `trcost estimate --explain` and computes collectives, kernels, passes, stages and activations
again: each stands as numbers that a calculator takes, with its result below."""
import math
import re
import sys

WHICH = re.compile(r"one of |.*: attention of one layer, |.*: element-wise|transfer between stages|"
                   r"activations kept|bytes of a micro-batch|forward work done again|(?:for|back)ward pass|"
                   r"mean stage|slowest stage")
NAMES = {"max": max, "min": min, "log2": math.log2, "sqrt": math.sqrt}


def main():
    seen = set()
    for step in re.split(r"\n\s*\d+\. ", sys.stdin.read())[1:]:
        found = re.match(r"(.*?)\n\s*formula\s(.*?)\n\s*numbers\s(.*?)\n\s*result\s*([-+0-9.e]+)", step, re.S)
        if not found or not WHICH.match(found.group(1)):
            continue
        name, numbers, said = found.group(1), " ".join(found.group(3).split()), float(found.group(4))
        numbers = re.sub(r" s( |$)", r"\1", numbers.split(";")[0])
        computed = eval(numbers.replace(" x ", " * ").replace("^", "**"), {"__builtins__": {}}, NAMES)
        if abs(computed - said) > 2e-5 * abs(said):
            sys.exit(f"{name}\n  {numbers}\n  is {computed}, not {said}")
        seen.add(WHICH.match(name).group(0))
    if len(seen) < 10:
        sys.exit(f"only {seen}")


main()
