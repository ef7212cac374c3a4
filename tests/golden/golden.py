#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what gannet makes of two small samples with the files in tests/golden/expected, or (--update) rewrites these.

A change of results must be visible: whoever changes them runs tests/golden/update and commits the new files with the change, so that the
review sees which records and which calls became others. Nothing here says that the expected results are right; other tests do.

  crafted    crafted_sample.py: all records (SEQ and QUAL as a checksum), calls with and without the scorer, single-end records
  simulated  gannet simulate: the calls, and a summary of the records

Headers are compared but for the version, the command, the backend and the hash of the caller's numbers.
"""
import argparse
import collections
import difflib
import hashlib
import os
import pathlib
import re
import sys
import unittest
import zlib

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / 'expected'
sys.path.insert(0, str(HERE.parent / 'cli'))
import crafted_sample  # noqa: E402
import gannet_testing  # noqa: E402
import scorer_test  # noqa: E402
from gannet_testing import run, samtools  # noqa: E402

SHOWN_LINES = 40
# What differs between machines, versions and calls of one and the same program.
VARYING = [(re.compile(r'^(##source=gannet ).*'), r'\1VERSION'), (re.compile(r'^(##gannet_command=).*'), r'\1COMMAND'),
           (re.compile(r'^(##gannet_caller_model=)[0-9a-f]{16}$'), r'\1HASH'),
           (re.compile(r'\tVN:[^\t]*\tCL:.*'), '\tVN:VERSION\tCL:COMMAND')]
DROPPED = re.compile(r'^##gannet_backend=|^@CO\tgannet backend |^@PG\tID:samtools')


def plain_header(lines):
    kept = [line for line in lines if not DROPPED.match(line)]
    for pattern, text in VARYING:
        kept = [pattern.sub(text, line) for line in kept]
    return kept


def record_text(line):
    """A SAM line whose bases and qualities are replaced by a checksum: they are the input's."""
    fields = line.split('\t')
    fields[9:11] = [f'{zlib.crc32("".join(fields[9:11]).encode()):08x}']
    return '\t'.join(fields)


def records_text(bam):
    header = plain_header(samtools('view', '-H', '--no-PG', bam).splitlines())
    return '\n'.join(header + [record_text(line) for line in samtools('view', bam).splitlines()]) + '\n'


def vcf_text(path):
    header = plain_header([line.rstrip('\n') for line in gannet_testing.vcf_header(path)])
    return '\n'.join(header) + '\n' + ''.join(gannet_testing.vcf_body(path))


def summary_text(bam, inputs):
    """Counts that show what kind of change there was, and a checksum that shows that there was one."""
    flags, qualities, operations, tags = (collections.Counter() for _ in range(4))
    digest = hashlib.md5()
    for line in samtools('view', bam).splitlines():
        digest.update(line.encode() + b'\n')
        fields = line.split('\t')
        flags[int(fields[1])] += 1
        qualities[int(fields[4])] += 1
        for length, kind in re.findall(r'(\d+)(\D)', fields[5]):
            operations[kind] += int(length)
        tags.update(field[:2] for field in fields[11:])
    lines = [f'input {path.name} md5\t{hashlib.md5(gannet_testing.content(path)).hexdigest()}' for path in inputs]
    lines.append(f'records md5\t{digest.hexdigest()}')
    for name, counts in (('flag', flags), ('mapping quality', qualities), ('bases of CIGAR', operations), ('tag', tags)):
        lines += [f'{name} {key}\t{counts[key]}' for key in sorted(counts)]
    return '\n'.join(lines) + '\n'


def crafted():
    """Name of an expected file -> text."""
    folder = gannet_testing.new_folder()
    crafted_sample.write(folder)
    paired = ['ref.fa', 'reads_1.fq', 'reads_2.fq']
    run('run', *paired, '-o', 'out', '--sample', 'crafted', '--no-scorer', '-q', cwd=folder)
    scorer_test.write_model(folder, 'golden', 5)  # random weights that count everywhere
    run('call', 'ref.fa', 'out/crafted.bam', '-o', 'scored.vcf', '--model', 'golden.safetensors', '-q', cwd=folder)
    run('align', 'ref.fa', 'reads_1.fq', '-o', 'single.bam', '--sample', 'crafted', '-q', cwd=folder)
    single = records_text(folder / 'single.bam').splitlines(keepends=True)
    return {'crafted.bam.txt': records_text(folder / 'out/crafted.bam'), 'crafted.vcf': vcf_text(folder / 'out/crafted.vcf.gz'),
            'crafted_scorer.vcf': vcf_text(folder / 'scored.vcf'),
            'crafted_duplicates.txt': ''.join((folder / 'out/crafted.duplicates.txt').read_text().splitlines(keepends=True)[2:]),
            'crafted_single.bam.txt': ''.join(line for line in single if line.startswith('@') or int(line.split('\t')[3]) < 1000)}


def simulated():
    folder = gannet_testing.new_folder()
    run('simulate', '--size', 0.1, '--coverage', 25, '--seed', 3, '-o', 'data', '-q', cwd=folder)
    inputs = ['data/ref.fa', 'data/reads_1.fq.gz', 'data/reads_2.fq.gz']
    run('run', *inputs, '-o', 'out', '--sample', 'simulated', '--no-scorer', '-q', cwd=folder)
    return {'simulated.summary': summary_text(folder / 'out/simulated.bam', [folder / path for path in inputs]),
            'simulated.vcf': vcf_text(folder / 'out/simulated.vcf.gz')}


class Golden(gannet_testing.Case):
    def compare(self, texts):
        problems = []
        for name, text in texts.items():
            expected = (EXPECTED / name).read_text() if (EXPECTED / name).exists() else ''
            if text != expected:
                problems.append(difference(name, expected, text))
        if problems:
            self.fail('\n'.join(problems) + '\nIf this change of results is meant, run tests/golden/update and commit the new files with it.')

    def test_crafted_sample_is_unchanged(self):
        self.compare(crafted())

    def test_simulated_sample_is_unchanged(self):
        self.compare(simulated())

    def test_crafted_sample_holds_what_it_promises(self):
        """The expected files would guard little without the hard cases."""
        records = [line.split('\t') for line in (EXPECTED / 'crafted.bam.txt').read_text().splitlines() if line[0] != '@']
        flags = [int(fields[1]) for fields in records]
        for what, bit in (('duplicates', 0x400), ('supplementary records', 0x800), ('unmapped reads', 4), ('unmapped mates', 8)):
            self.assertGreater(sum(bool(flag & bit) for flag in flags), 3, what)
        for kind in 'IDS':
            self.assertGreater(sum(kind in fields[5] for fields in records), 10, kind)
        self.assertTrue(any(fields[4] == '0' and int(fields[1]) & 4 == 0 for fields in records))
        calls = [line.split('\t') for line in (EXPECTED / 'crafted.vcf').read_text().splitlines() if line[0] != '#']
        self.assertGreater(sum(',' in fields[4] for fields in calls), 2, 'sites of two alternate alleles')
        self.assertGreater(sum(len(fields[3]) > 5 for fields in calls), 2, 'deletions')
        self.assertGreater(sum(len(fields[4]) > 5 for fields in calls), 2, 'insertions')


def difference(name, expected, text):
    lines = list(difflib.unified_diff(expected.splitlines(), text.splitlines(), f'expected/{name}', 'now', lineterm='', n=0))
    changed = [line for line in lines[2:] if line[0] in '+-']
    shown = lines[:SHOWN_LINES] + (['...'] if len(lines) > SHOWN_LINES else [])
    removed = sum(line[0] == '-' for line in changed)
    return '\n'.join(shown + [f'{name}: {removed} lines of the expected file differ, {len(changed) - removed} lines are new'])


def update():
    EXPECTED.mkdir(exist_ok=True)
    for name, text in {**crafted(), **simulated()}.items():
        path = EXPECTED / name
        before = path.read_text() if path.exists() else ''
        path.write_text(text)
        print(difference(name, before, text) if before and before != text else f'{name}: {"unchanged" if before else "new"}')


if __name__ == '__main__':
    if '--update' in sys.argv:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument('--update', action='store_true')
        parser.add_argument('--gannet', required=True)
        gannet_testing.PROGRAMS['gannet'] = os.path.abspath(parser.parse_args().gannet)
        update()
    else:
        gannet_testing.main(__doc__)
