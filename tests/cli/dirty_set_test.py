# SPDX-License-Identifier: MIT
"""Checks that tests/accuracy/dirty_set makes the faults that it is asked for, and only those."""
import gzip
import json
import subprocess
import sys

import gannet_testing
from gannet_testing import ROOT, Case, program

SCRIPT = ROOT / 'tests' / 'accuracy' / 'dirty_set'
CLEAN = ('--contamination', '0', '--copies', '0', '--slope', '1')


def records(path):
    with gzip.open(path, 'rt') as lines:
        text = lines.read().split('\n')[:-1]
    return list(zip(text[0::4], text[1::4], text[3::4]))


class DirtySet(Case):
    def setUp(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            gannet_testing.skip('python3-numpy is missing')
        gannet_testing.needs_tool('tabix')
        self.made = self.folder()

    def make(self, name, *options):
        folder = self.made / name
        done = subprocess.run([sys.executable, str(SCRIPT), '--gannet', str(program()), '--size', '0.4', '--coverage', '10', '--seed', '5',
                               '-o', str(folder), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder, json.loads((folder / 'dirty_set.json').read_text())

    def test_no_fault_leaves_the_sample(self):
        folder, counts = self.make('clean', *CLEAN)
        self.assertEqual((counts['hidden_bp'], counts['stranger_pairs'], counts['errors_beyond_the_qualities']), (0, 0, 0))
        self.assertEqual((folder / 'copies.bed').read_text(), '')
        self.assertFalse((folder / 'stranger.vcf.gz').exists())
        self.assertEqual(len(records(folder / 'reads_1.fq.gz')), counts['pairs'])

    def test_contamination_mixes_in_the_fraction(self):
        folder, counts = self.make('mixed', *CLEAN, '--contamination', '0.1')
        first, second = (records(folder / f'reads_{mate}.fq.gz') for mate in (1, 2))
        self.assertEqual([r[0] for r in first], [r[0] for r in second])
        strangers = [r[0].startswith('@stranger.') for r in first]
        self.assertEqual(sum(strangers), counts['stranger_pairs'])
        self.assertAlmostEqual(sum(strangers) / len(first), 0.1, delta=0.01)
        half = len(first) // 2
        self.assertGreater(sum(strangers[:half]), sum(strangers) * 0.4, 'the reads of both persons are not mixed')

    def test_copies_lengthen_the_haplotypes(self):
        folder, counts = self.make('copies', *CLEAN, '--copies', '20')
        rows = [line.split() for line in (folder / 'copies.bed').read_text().splitlines()]
        self.assertGreater(len(rows), 2)
        expected = 0
        for _, begin, end, copies, haplotypes, _ in rows:
            self.assertTrue(900 <= int(end) - int(begin) <= 40000 and 1 <= int(copies) <= 3)
            expected += (int(end) - int(begin)) * int(copies) * len(haplotypes.split('+'))
        self.assertAlmostEqual(counts['hidden_bp'] / expected, 1, delta=0.05)
        plain = self.make('plain', *CLEAN)[1]
        self.assertAlmostEqual(counts['pairs'] / plain['pairs'], 1 + counts['hidden_bp'] / (2 * counts['known_bp']), delta=0.02)

    def test_slope_adds_the_missing_errors(self):
        steep, counts = self.make('steep', *CLEAN, '--slope', '0.9')
        plain, _ = self.make('plain', *CLEAN)
        changed, expected, bases = 0, 0.0, 0
        for mate in (1, 2):
            for before, after in zip(records(plain / f'reads_{mate}.fq.gz'), records(steep / f'reads_{mate}.fq.gz')):
                self.assertEqual((before[0], before[2]), (after[0], after[2]))
                bases += len(before[1])
                changed += sum(x != y for x, y in zip(before[1], after[1]))
                for quality in set(before[2]):
                    q = ord(quality) - 33
                    expected += before[2].count(quality) * (10 ** (-0.09 * q) - 10 ** (-0.1 * q))
        self.assertEqual(changed, counts['errors_beyond_the_qualities'])
        self.assertAlmostEqual(changed / expected, 1, delta=0.05)
        self.assertGreater(expected, 1000)

    def test_equal_seed_gives_equal_reads(self):
        one, two = self.make('one')[0], self.make('two', '--threads', '1')[0]
        for name in ('truth.vcf.gz', 'copies.bed', 'ref.fa'):
            self.assertEqual((one / name).read_bytes(), (two / name).read_bytes(), name)
        self.assertEqual(records(one / 'reads_2.fq.gz'), records(two / 'reads_2.fq.gz'))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
