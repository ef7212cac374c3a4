#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that objects compiled for an instruction set share no code with the rest of the program.

The linker keeps one copy of each weak symbol (inline functions, templates). If that were the copy from an AVX-512 object, the
entire program would run it and end with SIGILL on other CPUs. So every symbol that such an object defines for others must
be in, or be instantiated with types of, a namespace gannet::...::<isa>.

usage: check_isa_symbols.py NM ISA=OBJECT...
"""
import re
import subprocess
import sys

# Defined for others: code and data (T D B R), weak (W V w v), unique (u), common (C), indirect (i).
SHARED_KINDS = set("TDBRWVuCi")
# A pointer to the unwinder's personality routine: data of the language runtime, without code.
HARMLESS = re.compile(r"^DW\.ref\.")


def shared_symbols(nm: str, path: str) -> list[tuple[str, str]]:
    listing = subprocess.run([nm, "--demangle", "--defined-only", path], check=True, capture_output=True, text=True)
    symbols = []
    for line in listing.stdout.splitlines():
        match = re.match(r"^[0-9a-f]* +(\S) (.*)$", line)
        if match and match[1] in SHARED_KINDS and not HARMLESS.match(match[2]):
            symbols.append((match[1], match[2]))
    return symbols


def main() -> int:
    nm, objects = sys.argv[1], [argument.split("=", 1) for argument in sys.argv[2:]]
    wrong = checked = 0
    for isa, path in objects:
        symbols = shared_symbols(nm, path)
        if not symbols:
            print(f"{path}: defines nothing, so nothing was checked")
            wrong += 1
        for kind, name in symbols:
            checked += 1
            if not re.search(rf"\bgannet::(\w+::)+{isa}::", name):
                print(f"{path}: {kind} {name}: outside gannet::...::{isa}")
                wrong += 1
    if not objects:
        print("no object was given")
        return 1
    if wrong == 0:
        print(f"isa symbols: clean ({checked} in {len(objects)} objects)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
