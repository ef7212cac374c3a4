#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what device code must not use, since nvcc makes something else of it without a word.

With --expt-relaxed-constexpr nvcc compiles the host's constexpr functions for the device too. Three things then go wrong silently:
  - std::popcount, std::countr_zero, std::countl_zero and their kin become constants: kernels/bits.hpp has these for both sides;
  - a constant at namespace scope that is bound by reference (std::min(x, k_most)) does not exist there: `trap` in its stead;
  - so does one that is an array and is indexed at run time.
Device code is each .cu file of kernels/ and the headers that it includes, but for what only the host calls.

usage: check_device_code.py [ROOT]     exit 1 and one line per breach
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"(kernels/[^"]+)"')
BITS = re.compile(r"\bstd::(popcount|count[lr]_(?:zero|one)|bit_(?:width|ceil|floor)|has_single_bit|rot[lr])\b")
BY_REFERENCE = re.compile(r"\bstd::(?:min|max|clamp)\b")
INDEXED = re.compile(r"\bk_\w+\[")
CONSTANT = re.compile(r"^\s*(?:static\s+|inline\s+|constexpr\s+|alignas\(\d+\)\s+|const\s+)+[\w:<>]+\s+k_\w+\[[^]]*\]\s*=")
BIT_FUNCTIONS = "kernels/bits.hpp"
# What a .cu file needs to enqueue its kernels: plans and layouts of memory.
HOST_ONLY = re.compile(r"^kernels/cuda/(?!warp\.hpp)|_(plan|sections|backends|packed)\.hpp$|^kernels/candidates/mismatches\.hpp$")


def device_headers(root):
    """Paths of the .cu files and of what they include, from `root`."""
    left = sorted(path.relative_to(root).as_posix() for path in (root / "kernels").rglob("*.cu"))
    seen = set()
    while left:
        name = left.pop()
        if name in seen or HOST_ONLY.search(name):
            continue
        seen.add(name)
        left += [found.group(1) for line in (root / name).read_text().splitlines() if (found := INCLUDE.match(line))]
    return sorted(seen - {BIT_FUNCTIONS})


def arguments(text):
    """The outermost arguments of a call whose name `text` begins behind, or none where it is no call."""
    depth, begin, result = 0, 0, []
    text = re.sub(r"^\s*<[^()]*?>(?=\()", "", text)
    if not text.startswith("("):
        return result
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if at == 0:
            begin = 1
        elif depth == 0 or (depth == 1 and letter == ","):
            result.append(text[begin:at].strip())
            begin = at + 1
        if depth == 0:
            break
    return result


def breaches(root):
    for name in device_headers(root):
        text = (root / name).read_text()
        text = re.sub(r"//[^\n]*", "", text)
        for found in BY_REFERENCE.finditer(text):
            for argument in arguments(text[found.end():]):
                if re.fullmatch(r"(?:\w+::)*k_\w+", argument):
                    number = text.count("\n", 0, found.start()) + 1
                    yield f"{name}:{number}: {found.group()} binds {argument} by reference, which the device has not: compare the values"
        for number, line in enumerate(text.splitlines(), 1):
            if found := BITS.search(line):
                yield f"{name}:{number}: {found.group()} is a constant in device code: {BIT_FUNCTIONS} has what to call"
            if (found := INDEXED.search(line)) and not CONSTANT.match(line):
                yield f"{name}:{number}: {found.group()}...] is read at run time, but the device has no such array"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    found = list(breaches(root))
    print("\n".join(found) or f"device code: clean ({len(device_headers(root))} files)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
