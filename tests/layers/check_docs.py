#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the documents: links and anchors lead somewhere, the README names every package that the build needs, no more than 30,000 words
but for what is generated from code and tables, and docs/results.md is what its tables say. Exit 1 and one line per fault.

usage: check_docs.py [ROOT]
"""
import pathlib
import re
import subprocess
import sys

MAX_WORDS = 30_000
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# Between the markers of the scripts that write tables into documents.
GENERATED = re.compile(r"<!-- (\w+): written by .*?<!-- \1: end -->", re.DOTALL)
GENERATED_PAGES = {"results.md", "options.md"}
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def documents(root):
    return [root / name for name in subprocess.run(["git", "-C", root, "ls-files", "*.md"], check=True, capture_output=True, text=True).stdout.split()]


def anchors(path):
    """As GitHub makes them: lower case, blanks as hyphens, no other punctuation."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"[*`]", "", heading)).strip().lower().replace(" ", "-") for heading in headings}


def link_faults(root, path):
    for target in LINK.findall(FENCE.sub("", path.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        other = (path.parent / file).resolve() if file else path
        if not other.exists():
            yield f"{path.relative_to(root)}: {target}: there is no such file"
        elif anchor and anchor not in anchors(other):
            yield f"{path.relative_to(root)}: {target}: there is no such heading"


def package_faults(root):
    setup = (root / "scripts" / "setup").read_text()
    packages = re.search(r"build_packages=\((.*?)\)", setup, re.DOTALL)[1].split()
    readme = (root / "README.md").read_text()
    for package in packages:
        if f"`{package}`" not in readme:
            yield f"README.md: does not name {package}, which scripts/setup installs for the build"


def faults(root):
    paths = documents(root)
    for path in paths:
        yield from link_faults(root, path)
    yield from package_faults(root)
    words = sum(len(GENERATED.sub("", path.read_text()).split()) for path in paths if path.name not in GENERATED_PAGES)
    if words > MAX_WORDS:
        yield f"documents: {words} words without what is generated; at most {MAX_WORDS}"
    done = subprocess.run([sys.executable, root / "scripts" / "update_results", "--check"], capture_output=True, text=True)
    if done.returncode != 0:
        yield done.stderr.strip()


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    found = list(faults(root))
    print("\n".join(found) or "documents: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
