#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damages every kind of input in seeded ways and judges what gannet makes of it.

A run must end within 10 s, without a signal, with one of the documented exit codes but 1, and, where that is not 0, with exactly one
line that reports an error. Exit 0 is right only where an independent reader accepts the mutant (samtools, bcftools, gzip, the parsers
below), and the result is what follows from what that reader found: for most kinds, what gannet makes of the same content written anew.

  mutants_test.py --gannet PROGRAM [--count N] [--kind KIND]... [--seed S] [--jobs J] [--keep FOLDER]

`--count` is the number of mutants of all kinds together. A failure prints kind and number; `--kind KIND --only NUMBER` repeats it.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

import kinds
import mutant_sample

HERE = pathlib.Path(__file__).resolve().parent


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--gannet', required=True)
    parser.add_argument('--score-examples', help='the program tests/support/score_examples, for the kind gnx')
    parser.add_argument('--count', type=int, default=300)
    parser.add_argument('--kind', action='append', choices=sorted(kinds.KINDS), help='only these kinds')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', type=int, help='number of one mutant')
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument('--keep', type=pathlib.Path, help='folder for the mutants that fail')
    return parser.parse_args()


def check(kind, number, given, root):
    """One mutant: its outcome for the table, and what is wrong with it or None."""
    chance = random.Random(f'{given.seed} {kind.name} {number}')
    folder = pathlib.Path(tempfile.mkdtemp(dir=root))
    try:
        data = kind.mutate(chance)
        path = kind.place(folder, data)
        begin = time.monotonic()
        outcome, fault = kind.judge(folder, path, data)
        if fault and given.keep:
            given.keep.mkdir(parents=True, exist_ok=True)
            shutil.copytree(folder, given.keep / f'{kind.name}-{number}', dirs_exist_ok=True)
        if given.only is not None:
            print(f'{kind.name} {number}: {outcome}, {time.monotonic() - begin:.2f} s: {fault or "as it should be"}')
        return outcome, fault
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    given = options()
    missing = [tool for tool in ('samtools', 'bcftools') if shutil.which(tool) is None]
    if missing:
        print(f'SKIPPED: {", ".join(missing)} not installed (scripts/setup test)')
        return 1 if os.environ.get('GANNET_REQUIRE_TOOLS') == '1' else 77
    root = pathlib.Path(tempfile.mkdtemp(prefix='gannet-mutants-'))
    os.environ['XDG_CACHE_HOME'] = str(root / 'cache')
    os.environ['REF_PATH'] = '/nonexistent/%s'  # samtools and gannet decode CRAM with the reference given only
    try:
        sample = mutant_sample.Sample(given.gannet, given.score_examples, root / 'sample')
        names = given.kind or [name for name in kinds.KINDS if name != 'gnx' or given.score_examples]
        all_kinds = [kinds.KINDS[name](name, sample) for name in names]
        faults = [f'{kind.name}: the sound input: {fault}' for kind in all_kinds if (fault := kind.check_original(root))]
        print(*faults, sep='\n', end='\n' if faults else '')
        each = -(-given.count // len(all_kinds))
        numbers = [given.only] if given.only is not None else range(each)
        jobs = [(kind, number) for number in numbers for kind in all_kinds]
        table = collections.defaultdict(collections.Counter)
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for (kind, number), (outcome, fault) in zip(jobs, pool.map(lambda job: check(*job, given, root), jobs)):
                table[kind.name][outcome] += 1
                if fault:
                    faults.append(f'{kind.name} {number} (seed {given.seed}): {fault}')
                    print(faults[-1], flush=True)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    outcomes = sorted({outcome for counts in table.values() for outcome in counts})
    print('kind'.ljust(12) + ''.join(outcome.rjust(14) for outcome in outcomes))
    for name, counts in table.items():
        print(name.ljust(12) + ''.join(str(counts[outcome]).rjust(14) for outcome in outcomes))
    print(f'{len(jobs)} mutants, {len(faults)} faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
