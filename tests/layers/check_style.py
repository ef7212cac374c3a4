#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the rules of CONTRIBUTING.md that a machine can: length of files, names of tests, names that are not to come back.

usage: check_style.py [ROOT]     exit 1 and one line per breach
"""
import pathlib
import re
import sys

FOLDERS = ("align", "cmake", "data", "kernels", "ml", "pipeline", "scripts", "tests", "variants", "workflows")
SOURCES = {".hpp", ".cpp", ".cu", ".cuh", ".py", ".cmake", ".nf", ".sh"}
MAX_LINES = 500
GOOGLE_TEST = re.compile(r"^\s*TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)")
PYTHON_TEST = re.compile(r"^\s+def test_(\w+)\(")
SUBJECT = re.compile(r"^[A-Z][A-Za-z0-9]*$")
CONDITION_EXPECTATION = re.compile(r"^[a-z0-9]+(_[a-z0-9]+)+$")
# Name or phrase -> what to write.
REPLACED = [(re.compile(r"\bk_most_"), "k_max_"), (re.compile(r"\bk_least_"), "k_min_")]


def is_source(path):
    if path.suffix in SOURCES:
        return True
    if path.suffix or path.parent.name == "expected":
        return False
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def test_name_breaches(name, lines):
    for number, line in enumerate(lines, 1):
        if found := GOOGLE_TEST.match(line):
            if not SUBJECT.match(found.group(1)) or not CONDITION_EXPECTATION.match(found.group(2)):
                yield f"{name}:{number}: tests are named Subject.condition_expectation, not {found.group(1)}.{found.group(2)}"
        elif name.endswith("_test.py") and (found := PYTHON_TEST.match(line)) and not CONDITION_EXPECTATION.match(found.group(1)):
            yield f"{name}:{number}: tests are named test_condition_expectation, not test_{found.group(1)}"


def breaches(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if "__pycache__" in path.parts or not path.is_file() or not is_source(path):
                continue
            name = path.relative_to(root).as_posix()
            lines = path.read_text().splitlines()
            if len(lines) > MAX_LINES:
                yield f"{name}: has {len(lines)} lines; a source file has at most {MAX_LINES}"
            if folder == "tests":
                yield from test_name_breaches(name, lines)
            if path.name == pathlib.Path(__file__).name:
                continue
            for number, line in enumerate(lines, 1):
                for pattern, better in REPLACED:
                    if found := pattern.search(line):
                        yield f"{name}:{number}: write {better}... instead of {found.group()}..."


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    found = list(breaches(root))
    print("\n".join(found) or "style: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
