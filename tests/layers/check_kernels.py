#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles kernels for each device they ship for, and checks the assembler's report: no spills, no stack, bounded registers; and of
banded_sw, how many instructions a cell takes.

A spilled register is a round trip to memory in the innermost loop. Prints a table of the resources of each kernel. Instructions are
those of the largest inner loops on sm_90: of words that over columns, of halves those at the two edges of the bands and that between.

usage: check_kernels.py NVCC ROOT [--registers N] [--flag FLAG]... FILE.cu...
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import sass

ARCHITECTURES = ("sm_80", "sm_90")
ENTRY = re.compile(r"Compiling entry function '(\S+)' for '(\S+)'")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")
# Kernel -> cells of a column of a strip, and instructions that each may take, also at the edges of the bands. Trace 0: scores only.
HALF_CELLS, WORD_CELLS = 16, 8
CELLS = {"banded_sw::on_device::extend_half_groups<(banded_sw::Trace)0>": (HALF_CELLS, 15),
         "banded_sw::on_device::extend_half_groups<(banded_sw::Trace)1>": (HALF_CELLS, 22),
         "banded_sw::on_device::extend_half_groups<(banded_sw::Trace)2>": (HALF_CELLS, 22),
         "banded_sw::on_device::extend_groups<(banded_sw::Trace)0>": (WORD_CELLS, 34),
         "banded_sw::on_device::extend_groups<(banded_sw::Trace)1>": (WORD_CELLS, 48),
         "banded_sw::on_device::extend_groups<(banded_sw::Trace)2>": (WORD_CELLS, 48)}


def demangled(name):
    shown = subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip()
    return re.sub(r"\([^()]*\)$", "", re.sub(r"^void ", "", shown.replace("gannet::kernels::", "")))


def kernels_of(report):
    """Yields (kernel, architecture, registers, stack, stores, loads, shared) of a report of ptxas -v."""
    entry = stack = None
    for line in report.splitlines():
        if found := ENTRY.search(line):
            entry, stack = found.groups(), None
        elif found := STACK.search(line):
            stack = tuple(int(number) for number in found.groups())
        elif (found := REGISTERS.search(line)) and entry:
            shared = SHARED.search(line)
            yield (demangled(entry[0]), entry[1], int(found.group(1)), *stack, int(shared.group(1)) if shared else 0)
            entry = None


def instructions_per_cell(cubin):
    """(kernel, largest first, most allowed) of the kernels in CELLS."""
    for name, loops in sass.loops_of(cubin).items():
        if (kernel := demangled(name)) in CELLS:
            cells, most = CELLS[kernel]
            yield kernel, [loop / cells for loop in sorted(loops, reverse=True)[:3 if cells == HALF_CELLS else 1]], most


def compile_report(nvcc, root, flags, source, architecture, cubin):
    command = [nvcc, *flags, "-I", root, "-O3", f"-arch={architecture}", "-Xptxas", "-v", "-cubin", "-o", cubin, source]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nvcc")
    parser.add_argument("root")
    parser.add_argument("--registers", type=int, default=128, help="maximum number of registers per thread")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("files", nargs="+")
    given = parser.parse_args()
    wrong = 0
    counted = {}
    print("| kernel | device | registers | stack | spilled | shared |\n|---|---|---:|---:|---:|---:|")
    for source in given.files:
        seen = 0
        for architecture in ARCHITECTURES:
            with tempfile.TemporaryDirectory() as folder:
                cubin = os.path.join(folder, "kernels.cubin")
                report = compile_report(given.nvcc, given.root, given.flag, source, architecture, cubin)
                if architecture == "sm_90":
                    counted.update({kernel: (cells, most) for kernel, cells, most in instructions_per_cell(cubin)})
            for kernel, device, registers, stack, stores, loads, shared in kernels_of(report):
                seen += 1
                bad = stack + stores + loads > 0 or registers > given.registers
                wrong += bad
                print(f"| `{kernel}` | {device} | {registers} | {stack} | {stores + loads} | {shared} |{' <- too much' if bad else ''}")
        if seen == 0:
            print(f"{source}: the assembler reported no kernel, so nothing was checked")
            wrong += 1
    if any("banded_sw" in source for source in given.files) and set(counted) != set(CELLS):
        print(f"instructions per cell were not found of {sorted(set(CELLS) - set(counted))}")
        wrong += 1
    for kernel, (per_cell, most) in sorted(counted.items()):
        # Fewer than a recurrence takes: then these are not the loops that are meant.
        bad = not per_cell or per_cell[-1] < 4 or per_cell[0] > most
        wrong += bad
        print(f"`{kernel}`: {', '.join(f'{each:.1f}' for each in per_cell)} instructions per cell{' <- not as expected' if bad else ''}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
