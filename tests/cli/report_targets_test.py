#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the verdict on panels and exomes: the depth of their targets, targets without reads, and adapter dimers."""
import pathlib
import re

import gannet_testing
from gannet_testing import run, simulated
from report_test import checks, finished, good, page_of, verdict


class Targets(gannet_testing.Case):
    def test_lost_targets_fail(self):
        sample, folder = simulated(0.5, 30, 7), self.folder()
        reference = folder / 'r.fa'
        lost = ''.join('ACGTTGCATC'[i * i % 7 + i % 4] for i in range(50000))
        reference.write_bytes(gannet_testing.content(sample.reference) + f'>lost\n{lost}\n'.encode())
        contig = reference.read_text().split('\n', 1)[0][1:].split()[0]
        bed = folder / 't.bed'
        bed.write_text(''.join(f'{name}\t{begin}\t{begin + 200}\n' for name in (contig, 'lost') for begin in range(1000, 49000, 1000)))
        run('run', reference, *sample.reads, '-o', folder / 'out', '--sample', 'S', '--no-scorer', '-q', '--targets', bed)
        page = page_of(folder / 'out')
        row = [line.split('\t') for line in (folder / 'out' / 'S.hs_metrics').read_text().splitlines() if line.count('\t') > 20]
        metrics, found = {name: float(value) for name, value in zip(*row) if re.match(r'[\d.]+$', value)}, checks(page)
        self.assertAlmostEqual(metrics['ZERO_CVG_TARGETS_PCT'], 0.5, delta=0.03)  # and where the genome is not known
        self.assertEqual(verdict(page), 'fail')
        for check, column in (('Targets without coverage', 'ZERO_CVG_TARGETS_PCT'), ('Target bases at 20x', 'PCT_TARGET_BASES_20X')):
            self.assertEqual(found[check][1], 'fail')
            self.assertAlmostEqual(float(found[check][0][:-2]), 100 * metrics[column], delta=0.006)
        self.assertAlmostEqual(float(found['Mean depth of targets'][0][:-1]), metrics['MEAN_TARGET_COVERAGE'], delta=0.06)

    def test_targets_are_judged_by_their_bases(self):
        sample = simulated(0.5, 30, 7)
        bed = self.folder() / 't.bed'
        contig, length = (pathlib.Path(f'{sample.reference}.fai').read_text().split('\t')[:2] if pathlib.Path(f'{sample.reference}.fai').exists()
                          else [line.split(b'\t')[i].decode() for line in [gannet_testing.content(good() / 'S.idxstats').splitlines()[0]] for i in (0, 1)])
        bed.write_text(f'{contig}\t0\t{int(length) // 2}\n')
        found = checks(page_of(finished(sample, '--targets', bed)))
        for check in ('Mean depth', 'Breadth at 10x'):
            self.assertNotIn(check, found)
        self.assertEqual((found['Mean depth of targets'][1], found['Targets without coverage']), ('pass', ('0 %', 'pass')))
        self.assertGreater(float(found['Target bases at 20x'][0][:-2]), 80)
        found = checks(page_of(finished(sample, '--regions', contig)))
        self.assertEqual((found['Breadth at 10x'][1], found['Depth at called sites'][1]), ('not judged', 'pass'))


class Libraries(gannet_testing.Case):
    def test_adapter_dimers_are_named(self):
        sample, folder = simulated(0.2, 20, 7), self.folder()
        reads = [folder / '1.fq', folder / '2.fq']
        for path, source, adapter in zip(reads, sample.reads, ('AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG',
                                                               'AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATT')):
            bases = (adapter + 'A' * 150)[:150]
            path.write_text(gannet_testing.content(source).decode() + gannet_testing.fastq_text([(f'd{i}', bases) for i in range(5000)]))
        for words, says in ((reads, 'few: adapter dimers'), (simulated(0.2, 20, 8).reads, 'few: another species')):
            page = page_of(finished(sample, reads=words))
            self.assertIn(says, re.search(r'>Mapped reads</th>.*?<td class="note">(.*?)</td>', page).group(1))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
