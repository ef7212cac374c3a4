#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every file of the corpus of malformed inputs as tests/malformed.tsv says, and fails on any other answer.

A row gives: path, role, verdict, exit code, why. A path is relative to the corpus; ARCHIVE:MEMBER is a member of an
archive, where * matches any part of a name and a row that names a member takes precedence over one with a *; A,B is a
pair of FASTQ files, or a file and its reference. For `refused`, `why` is what the one-line error must contain. Every
file of the corpus must have a row. Members of archives that have no row must be read or refused without a crash
and in time.
"""
import argparse
import concurrent.futures
import csv
import fnmatch
import os
import pathlib
import subprocess
import sys
import tarfile

import gannet_testing
from gannet_testing import SKIPPED

ROLES = {'fastq', 'fastq-pair', 'interleaved', 'reference', 'bam', 'vcf', 'bed', 'none'}
VERDICTS = {'read', 'refused', 'warning', 'any', '-'}
MADE_REFERENCE = ''.join(f'>{name}\n{"ACGT" * 250}\n' for name in ('chr1', 'chr2'))


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--table', required=True, type=pathlib.Path)
    parser.add_argument('--data', type=pathlib.Path, help='the corpus; default GANNET_TEST_DATA/malformed')
    parser.add_argument('--read-input', required=True, help='the program tests/support/read_input')
    parser.add_argument('--gannet', help='also through this program')
    parser.add_argument('-j', type=int, default=2, help='at a time')
    parser.add_argument('--timeout-s', type=float, default=60)
    given = parser.parse_args()
    if given.data is None:
        given.data, _ = gannet_testing.test_data_path('malformed')
    return given


def read_table(path):
    with open(path, newline='') as file:
        lines = (line for line in file if not line.startswith('#'))
        rows = list(csv.DictReader(lines, delimiter='\t', quoting=csv.QUOTE_NONE))
    for row in rows:
        if row['role'] not in ROLES or row['verdict'] not in VERDICTS or not row['why']:
            sys.exit(f'{path}: bad row {row}')
    return rows


def unpack(data, folder):
    """The corpus with its archives unpacked beside: path in the table -> file."""
    files = {}
    for path in sorted(p for p in data.rglob('*') if p.is_file()):
        name = str(path.relative_to(data))
        files[name] = path
        if name.endswith('.tar.xz'):
            target = folder / name
            with tarfile.open(path) as archive:
                archive.extractall(target)
            for member in sorted(p for p in target.rglob('*') if p.is_file()):
                files[f'{name}:{member.relative_to(target)}'] = member
    return files


def plan(rows, files):
    """Jobs (row, name, paths), and what is wrong with the table."""
    jobs, faults, seen = [], [], set()
    for row in (r for r in rows if '*' not in r['path']):
        names = row['path'].split(',')
        head = names[0].rsplit('/', 1)[0] + '/' if '/' in names[0] else ''
        names = [names[0]] + [n if n in files else head + n for n in names[1:]]
        missing = [n for n in names if n not in files]
        if missing:
            faults.append(f'{row["path"]}: the table names a file that does not exist')
            continue
        seen.update(names)
        if row['role'] != 'none':
            jobs.append((row, row['path'], [files[n] for n in names]))
    for row in (r for r in rows if '*' in r['path']):
        matching = [n for n in files if n not in seen and fnmatch.fnmatchcase(n, row['path'])]
        if not matching:
            faults.append(f'{row["path"]}: the table names files that do not exist')
        seen.update(matching)
        if row['role'] != 'none':
            jobs += [(row, name, [files[name]]) for name in matching]
    for name, path in files.items():
        if name in seen:
            continue
        if ':' not in name:
            faults.append(f'{name}: is not in the table')
            continue
        role = {'.sam': 'bam', '.bam': 'bam', '.cram': 'bam', '.vcf': 'vcf', '.gz': 'vcf', '.fa': 'reference'}.get(path.suffix)
        if role:
            jobs.append(({'role': role, 'verdict': 'any', 'exit': '-', 'why': '-'}, name, [path]))
    return jobs, faults


def run(command, timeout):
    """(exit code, standard error) of a command; the code is None where it hangs."""
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=timeout, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, ''
    return done.returncode, done.stderr.decode(errors='replace')


def judge(row, paths, code, errors, exact):
    """What is wrong with an answer, or None."""
    if code is None:
        return 'hangs'
    if code < 0 or 'Sanitizer' in errors or 'runtime error' in errors:
        return f'crashes ({code}): {errors.strip()[-400:]}'
    lines = [line for line in errors.splitlines() if line.strip()]
    complaints = [line for line in lines if 'error: ' in line]
    if code != 0:
        if len(complaints) != 1:
            return f'exit {code} with {len(complaints)} error lines: {errors!r}'
        if not any(path.name in complaints[0] for path in paths):
            return f'the error does not name the file: {complaints[0]}'
    if row['verdict'] == 'any':
        return None if code in (0, 3, 4) else f'exit {code}: {errors.strip()}'
    if exact and str(code) != row['exit']:
        return f'exit {code}, not {row["exit"]}: {errors.strip()}'
    if not exact and (code == 0) != (row['exit'] == '0'):
        return f'exit {code}, where {row["exit"]} is expected: {errors.strip()}'
    if row['verdict'] == 'refused' and exact and row['why'] not in complaints[0]:
        return f'another error than "{row["why"]}": {complaints[0]}'
    if row['verdict'] == 'warning' and 'warning' not in errors:
        return 'no warning'
    return None


class Runner:
    def __init__(self, given, folder):
        self.given = given
        self.folder = folder
        self.reference = folder / 'made.fa'
        self.reference.write_text(MADE_REFERENCE)

    def reader_command(self, row, paths):
        command = [self.given.read_input, row['role'], *map(str, paths)]
        return command + [str(self.reference)] if row['role'] == 'bed' else command

    def gannet_command(self, row, paths):
        """The same through the program, where its answer does not depend on a reference that is missing."""
        gannet, reference, role = self.given.gannet, str(self.reference), row['role']
        if role in ('fastq', 'fastq-pair'):
            return [gannet, 'align', '--unsorted', reference, *map(str, paths), '-o', '/dev/null']
        if role == 'interleaved':
            return [gannet, 'align', '--unsorted', '--interleaved', reference, str(paths[0]), '-o', '/dev/null']
        if row['verdict'] != 'refused':
            return None
        out = str(self.folder / f'out-{os.getpid()}-{abs(hash(paths[0]))}')
        if role == 'reference':
            return [gannet, 'index', str(paths[0]), '-o', out]
        if role == 'bam':
            return [gannet, 'call', reference, str(paths[0]), '-o', out + '.vcf']
        if role == 'vcf':
            return [gannet, 'compare', str(paths[0]), str(paths[0]), '--reference', reference, '-o', out]
        return None

    def check(self, job):
        row, name, paths = job
        code, errors = run(self.reader_command(row, paths), self.given.timeout_s)
        fault = judge(row, paths, code, errors, exact=True)
        if fault:
            return f'{name}: {fault}'
        if not self.given.gannet or row['verdict'] == 'any':
            return None
        command = self.gannet_command(row, paths)
        if command is None:
            return None
        code, errors = run(command, self.given.timeout_s)
        fault = judge(row, paths, code, errors, exact=row['role'] in ('fastq', 'fastq-pair', 'interleaved', 'reference'))
        return f'{name}: {" ".join(command[1:2])}: {fault}' if fault else None


def main():
    given = options()
    if not given.data.is_dir():
        print(f'SKIPPED: the corpus is not at {given.data} (GANNET_TEST_DATA)')
        return 1 if gannet_testing.required('GANNET_REQUIRE_DATA') else SKIPPED
    folder = gannet_testing.new_folder()
    jobs, faults = plan(read_table(given.table), unpack(given.data, folder))
    runner = Runner(given, folder)
    if given.gannet:
        code, errors = run([given.gannet, 'index', str(runner.reference)], 600)
        if code != 0:
            sys.exit(f'the made reference cannot be indexed: {errors}')
    with concurrent.futures.ThreadPoolExecutor(given.j) as pool:
        faults += [fault for fault in pool.map(runner.check, jobs) if fault]
    for fault in faults:
        print(fault)
    listed = sum(row['verdict'] != 'any' for row, _, _ in jobs)
    print(f'{listed} inputs of the table and {len(jobs) - listed} others of archives: {len(faults)} faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
