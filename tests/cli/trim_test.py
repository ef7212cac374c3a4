#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks --trim-adapters of align and run: what follows a fragment is removed from its mates, records are those of reads that were trimmed before,
it is counted, and nothing depends on backends, threads and batches.
"""
import json
import random

import gannet_testing
from gannet_testing import run, samtools

ADAPTERS = ('AGATCGGAAGAGCACACGTCTGAACTCCAGTCA', 'AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT')
READ = 100


def reverse_complement(bases):
    return bases.translate(str.maketrans('ACGTN', 'TGCAN'))[::-1]


def pairs(reference, count, seed):
    """(name, fragment length, mate 1, mate 2) of fragments of 40 to 300 bp; every fourth mate 1 has two errors."""
    rng = random.Random(seed)
    genome = ''.join(line.strip() for line in reference.read_text().splitlines() if line[0] != '>').upper()
    made = []
    while len(made) < count:
        length, at = rng.randint(40, 300), rng.randrange(len(genome) - 400)
        fragment = genome[at:at + length]
        if set(fragment) - set('ACGT') or len({fragment[i:i + 12] for i in range(length - 11)}) < length - 11:
            continue  # no repeats: with them several lengths are right
        tail = ''.join(rng.choice('ACGT') for _ in range(READ))
        mates = [(bases + adapter + tail)[:READ] for bases, adapter in zip((fragment, reverse_complement(fragment)), ADAPTERS)]
        if len(made) % 4 == 0:
            at = rng.randrange(10, 30)
            mates[0] = mates[0][:at] + reverse_complement(mates[0][at:at + 1]) + 'N' + mates[0][at + 2:]
        made.append((f'p{len(made)}', length, *mates))
    return made


class TrimAdapters(gannet_testing.Case):
    def files(self, made, folder, cut=False):
        paths = []
        for mate in (0, 1):
            paths.append(folder / f'{"cut" if cut else "raw"}_{mate + 1}.fq')
            paths[-1].write_text(gannet_testing.fastq_text([(row[0], row[2 + mate][:row[1]] if cut else row[2 + mate]) for row in made]))
        return paths

    def body(self, path):
        return samtools('view', path)

    def test_records_are_those_of_reads_that_end_with_their_fragment(self):
        sample, folder = gannet_testing.simulated(), self.folder()
        made = pairs(sample.reference, 3000, 1)
        raw, cut = self.files(made, folder), self.files(made, folder, True)
        run('align', sample.reference, *cut, '-o', folder / 'cut.bam', '-q', '--sample', 's')
        expected = self.body(folder / 'cut.bam')
        for words in (['-t', 1], ['-t', 2, '--batch-bases', 20000], ['--backend', 'reference'], ['--backend', 'emulated'], ['--memory', '1G']):
            done = run('align', sample.reference, *raw, '-o', folder / 'raw.bam', '--sample', 's', '--trim-adapters', *words, '--report', folder / 'r.json')
            self.assertEqual(self.body(folder / 'raw.bam'), expected, words)
            counts = json.loads((folder / 'r.json').read_text())['counts']['align']
            self.assertEqual(counts['trimmed_reads'], sum(2 for row in made if row[1] < READ))
            self.assertEqual(counts['trimmed_bases'], sum(2 * (READ - row[1]) for row in made if row[1] < READ))
            self.assertEqual(counts['bases'], sum(2 * min(READ, row[1]) for row in made))
            self.assertIn(f'{counts["trimmed_reads"]} reads had adapters', done.stderr)
        self.assertIn('--trim-adapters', samtools('view', '-H', '--no-PG', folder / 'raw.bam'))
        run('align', sample.reference, *raw, '-o', folder / 'off.bam', '--sample', 's', '-q', '--report', folder / 'r.json')
        self.assertNotEqual(self.body(folder / 'off.bam'), expected)
        self.assertEqual(json.loads((folder / 'r.json').read_text())['counts']['align']['trimmed_reads'], 0)

    def test_run_trims_as_align_does_and_single_reads_stay(self):
        sample, folder = gannet_testing.simulated(), self.folder()
        raw = self.files(pairs(sample.reference, 1000, 2), folder)
        run('align', sample.reference, *raw, '-o', folder / 'a.bam', '-q', '--sample', 's', '--trim-adapters')
        run('run', sample.reference, *raw, '-o', folder / 'run', '-q', '--sample', 's', '--trim-adapters', '--no-scorer')
        self.assertEqual(self.body(folder / 'run/s.bam'), self.body(folder / 'a.bam'))
        for name, words in (('on', ['--trim-adapters']), ('off', [])):
            run('align', sample.reference, raw[0], '-o', folder / f'{name}.bam', '-q', '--sample', 's', *words)
        self.assertEqual(self.body(folder / 'on.bam'), self.body(folder / 'off.bam'))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
