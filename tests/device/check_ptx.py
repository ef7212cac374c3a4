#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks PTX of kernels: nvcc puts `trap` where it found that the code could not be right, such as the use of a host's constant as an object,
and leaves out what would follow, without a warning.

usage: check_ptx.py FILE.ptx...     exit 1 and one line per trap
"""
import pathlib
import re
import sys

TRAP = re.compile(r"^\s*(?:@!?%\w+\s+)?trap\s*;")
ENTRY = re.compile(r"\.entry\s+(\w+)")


def main():
    if len(sys.argv) < 2:
        sys.exit("no PTX was given, so nothing was checked")
    found, kernels = 0, 0
    for path in sys.argv[1:]:
        entry = "before any kernel"
        for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
            if name := ENTRY.search(line):
                entry, kernels = name[1], kernels + 1
            if TRAP.match(line):
                print(f"{path}:{number}: trap in {entry}: nvcc left out code there (tests/layers/check_device_code.py says what it cannot compile)")
                found += 1
    print(f"{kernels} kernels, {found} traps")
    return 1 if found or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
