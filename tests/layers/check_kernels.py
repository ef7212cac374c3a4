#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles kernels for each device they ship for, and checks the assembler's report: no spills, no stack, bounded registers.

A spilled register is a round trip to memory in the innermost loop. Prints a table of the resources of each kernel.

usage: check_kernels.py NVCC ROOT [--registers N] [--flag FLAG]... FILE.cu...
"""
import argparse
import re
import subprocess
import sys

ARCHITECTURES = ("sm_80", "sm_90")
ENTRY = re.compile(r"Compiling entry function '(\S+)' for '(\S+)'")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


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


def compile_report(nvcc, root, flags, source, architecture):
    command = [nvcc, *flags, "-I", root, "-O3", f"-arch={architecture}", "-Xptxas", "-v", "-cubin", "-o", "/dev/null", source]
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
    print("| kernel | device | registers | stack | spilled | shared |\n|---|---|---:|---:|---:|---:|")
    for source in given.files:
        seen = 0
        for architecture in ARCHITECTURES:
            report = compile_report(given.nvcc, given.root, given.flag, source, architecture)
            for kernel, device, registers, stack, stores, loads, shared in kernels_of(report):
                seen += 1
                bad = stack + stores + loads > 0 or registers > given.registers
                wrong += bad
                print(f"| `{kernel}` | {device} | {registers} | {stack} | {stores + loads} | {shared} |{' <- too much' if bad else ''}")
        if seen == 0:
            print(f"{source}: the assembler reported no kernel, so nothing was checked")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
