#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks in the machine code that loops which ask for memory ahead of time do so: GCC 12 takes a function that does nothing but prefetch for a
pure one and drops its calls (data/prefetch.hpp), which changes no result and shows in no other test. Usage: check_prefetches.py OBJDUMP PROGRAM"""
import re
import subprocess
import sys

FUNCTIONS = (
    "gannet::align::Aligner::build_records(",
    "gannet::align::sort::Sorter::load(",
    "gannet::data::bam::BlockCutter::next(",
    "gannet::pipeline::Coverage::add(",
    "gannet::variants::MappingFilter::load(",
    "gannet::variants::cut_chunk(",
    "gannet::variants::load_reads(",
)


def main():
    objdump, program = sys.argv[1:]
    listing = subprocess.Popen([objdump, "-d", "-C", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True, errors="replace")
    seen, asking, current = set(), set(), None
    for line in listing.stdout:
        if line.endswith(">:\n"):
            name = line[line.index("<") + 1:]
            current = next((function for function in FUNCTIONS if name.startswith(function)), None)
            seen.add(current)
        elif current is not None and re.search(r"\tprefetch", line):
            asking.add(current)
    if listing.wait() != 0:
        sys.exit(f"check_prefetches: {objdump} failed")
    faults = [f"{function[:-1]}: {'no prefetch' if function in seen else 'not in the program'}" for function in FUNCTIONS if function not in asking]
    if faults:
        sys.exit("check_prefetches: " + "; ".join(faults))
    print(f"{len(FUNCTIONS)} functions have their prefetches")


if __name__ == "__main__":
    main()
