#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps what an attack with about 31,000 runs found to be right: extreme inputs end well and in bounded memory, and outputs are the same
bytes whatever the threads, batches and memory, headers included.

Other tests keep the rest: damaged weights (tests/unit/ml/weights_test.cpp, tests/fuzz/weights_fuzz.cpp, scorer_test.py), references
beyond 2^32 bases (tests/unit/align/large_reference_test.cpp, slow), kills and full disks (stopped_runs_test.py).
"""
import json
import random
import re

import gannet_testing
from gannet_testing import content, run, vcf_body

COMPLEMENT = str.maketrans('ACGT', 'TGCA')


def reverse_complement(bases):
    return bases.translate(COMPLEMENT)[::-1]


def random_bases(chance, count):
    return ''.join(chance.choices('ACGT', k=count))


def run_report(folder, sample='S'):
    return json.loads((folder / f'{sample}.run.json').read_text())


class Extremes(gannet_testing.Case):
    MEMORY_MB = 400

    def test_140_000_reads_at_one_site_are_called(self):
        chance = random.Random(4)
        genome = random_bases(chance, 4000)
        other = genome[:2000] + ('A' if genome[2000] != 'A' else 'C') + genome[2001:]
        mates = [[], []]
        for i in range(70000):
            haplotype, length, begin = chance.choice((genome, other)), chance.randrange(150, 450), chance.randrange(1900, 2000)
            fragment = haplotype[begin:begin + length]
            if chance.random() < 0.5:
                fragment = reverse_complement(fragment)
            mates[0].append((f'd{i}', fragment[:100]))
            mates[1].append((f'd{i}', reverse_complement(fragment)[:100]))
        folder = self.folder()
        (folder / 'ref.fa').write_text(f'>deep\n{genome}\n')
        reads = [folder / '1.fq', folder / '2.fq']
        for path, mate in zip(reads, mates):
            path.write_text(gannet_testing.fastq_text(mate))
        run('run', folder / 'ref.fa', *reads, '-o', folder / 'o', '--sample', 'S', '-t', 2, '--memory', f'{self.MEMORY_MB}M',
            '--no-scorer', '-q', timeout=120)
        calls = [line.split('\t') for line in vcf_body(folder / 'o/S.vcf.gz')]
        self.assertEqual([(fields[1], fields[6], fields[9].split(':')[0]) for fields in calls], [('2001', 'PASS', '0|1')])
        self.assertLess(run_report(folder / 'o')['execution']['peak_memory_bytes'], self.MEMORY_MB << 20)

    def test_100_000_contigs_are_aligned_to_and_called(self):
        chance = random.Random(5)
        contigs = [random_bases(chance, 100 + i % 50) for i in range(100000)]
        folder = self.folder()
        (folder / 'ref.fa').write_text(''.join(f'>contig_{i}\n{bases}\n' for i, bases in enumerate(contigs)))
        origin = [chance.randrange(len(contigs)) for _ in range(1000)] + [0, len(contigs) - 1]
        (folder / 'r.fq').write_text(gannet_testing.fastq_text((f'{k}:{i}', contigs[k][:100]) for i, k in enumerate(origin)))
        run('run', folder / 'ref.fa', folder / 'r.fq', '-o', folder / 'o', '--sample', 'S', '-q', timeout=120)
        self.assertEqual(vcf_body(folder / 'o/S.vcf.gz'), [])
        done = run('align', folder / 'ref.fa', folder / 'r.fq', '--unsorted', '--sample', 'S', '-q', timeout=120)
        records = [line.split('\t') for line in done.stdout.splitlines() if line[0] != '@']
        self.assertEqual([fields[2] for fields in records], [f'contig_{fields[0].split(":")[0]}' for fields in records])
        self.assertEqual(len(records), len(origin))

    def test_sample_that_is_a_path_is_refused(self):
        sample = gannet_testing.simulated(0.02, 10)
        folder = self.folder()
        inner = folder / 'a' / 'b'
        inner.mkdir(parents=True)
        for name in ('../../x', '/tmp/x', 'a/b'):
            self.refused(2, 'run', sample.reference, *sample.reads, '-o', inner, '--sample', name, says='sample')
        self.assert_files(inner)
        self.assert_files(folder, 'a')


class Determinism(gannet_testing.Case):
    """The same bytes of every output, whatever the threads, the batches, the memory and the slots."""

    @classmethod
    def setUpClass(cls):
        cls.sample = gannet_testing.simulated(0.5, 30, 9)

    def outputs(self, *options):
        """Name -> content of each output, and the bytes that were spilled."""
        folder = self.folder()
        run('run', self.sample.reference, *self.sample.reads, '-o', folder, '--sample', 'S', '-q', *options)
        files = {name: content(folder / name) for name in ('S.bam', 'S.vcf.gz', 'S.duplicates.txt')}
        return files, run_report(folder)['execution']['spilled_bytes']

    def minimum_memory_mb(self, threads):
        done = self.refused(7, 'run', self.sample.reference, *self.sample.reads, '-o', self.folder(), '-t', threads, '--memory', '1M')
        return int(re.search(r'needs? (\d+) MB', done.stderr).group(1))

    def test_outputs_are_equal_in_every_byte_but_their_compression(self):
        expected, spilled = self.outputs('-t', 1)
        self.assertEqual(spilled, 0)
        self.assertIn(b'@PG', expected['S.bam'][:4000])
        for options in (('-t', 4), ('-t', 2, '--slots', 1), ('--batch-bases', 3001, '--batch-records', 101),
                        ('-t', 3, '--batch-bases', 10 ** 7)):
            self.assert_equal(self.outputs(*options)[0], expected, options)
        for threads, more in ((1, ()), (1, ('--batch-bases', 20000))):
            options = ('-t', threads, '--memory', f'{self.minimum_memory_mb(threads) + 1}M', *more)
            files, spilled = self.outputs(*options)
            self.assertGreater(spilled, 0, 'nothing was spilled, so nothing was tested')
            self.assert_equal(files, expected, options)

    def assert_equal(self, files, expected, options):
        for name in expected:
            if files[name] != expected[name]:
                self.fail(f'{name} with {options}: {first_difference(files[name], expected[name])}')


def first_difference(one, other):
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f'from byte {at}: {one[at:at + 80]!r}, expected {other[at:at + 80]!r}'


if __name__ == '__main__':
    gannet_testing.main(__doc__)
