#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that introns of spliced reads (CIGAR operation N), which RNA has, are not called as deletions."""
import json
import random

import gannet_testing
from gannet_testing import bcftools, run, samtools

EXONS = [(2000, 2180), (2330, 2500), (2940, 3100)]  # introns of 150 and 440 bp
SNVS = {2100: 'het', 3020: 'hom'}
CLIPPED = 14  # an overhang up to this is clipped, as aligners do


def cigar_of(begin, length):
    """Of a read of the transcript: position and CIGAR; bases are those of the transcript."""
    blocks, passed = [], 0
    for exon, end in EXONS:
        first, last = max(begin, passed), min(begin + length, passed + end - exon)
        if first < last:
            blocks.append((exon + first - passed, last - first))
        passed += end - exon
    left = blocks.pop(0)[1] if len(blocks) > 1 and blocks[0][1] <= CLIPPED else 0
    right = blocks.pop()[1] if len(blocks) > 1 and blocks[-1][1] <= CLIPPED else 0
    text, at = f'{left}S' if left else '', None
    for position, size in blocks:
        text += (f'{position - at}N' if at else '') + f'{size}M'
        at = position + size
    return blocks[0][0], text + (f'{right}S' if right else '')


class SplicedReads(gannet_testing.Case):
    def setUp(self):
        self.work, chance = self.folder(), random.Random(7)
        genome = ''.join(chance.choice('ACGT') for _ in range(6000))
        self.reference = self.work / 'ref.fa'
        self.reference.write_text(f'>c\n{genome}\n')
        other = {'A': 'G', 'G': 'A', 'C': 'T', 'T': 'C'}
        alleles = [list(genome), list(genome)]
        for position, kind in SNVS.items():
            for copy in (0, 1) if kind == 'hom' else (1,):
                alleles[copy][position] = other[genome[position]]
        transcripts = [''.join(''.join(copy[begin:end]) for begin, end in EXONS) for copy in alleles]
        rows = []
        for number in range(400):
            begin, copy = chance.randrange(len(transcripts[0]) - 100), number % 2
            position, cigar = cigar_of(begin, 100)
            rows.append((position, f'r{number}\t{16 * chance.randrange(2)}\tc\t{position + 1}\t60\t{cigar}\t*\t0\t0\t'
                                   f'{transcripts[copy][begin:begin + 100]}\t{"F" * 100}'))
        self.bam = self.work / 'rna.bam'
        lines = ['@HD\tVN:1.6\tSO:coordinate', '@SQ\tSN:c\tLN:6000', *(row for _, row in sorted(rows))]
        samtools('view', '-b', '-o', self.bam, '-', input='\n'.join(lines) + '\n')
        self.spliced = sum('N' in row.split('\t')[5] for _, row in rows)

    def test_introns_are_no_deletions_and_a_warning_counts_the_reads(self):
        vcf, report = self.work / 'x.vcf', self.work / 'x.json'
        done = run('call', self.reference, self.bam, '-o', vcf, '--no-scorer', '--report', report)
        called = [line.split('\t') for line in bcftools('query', '-f', '%POS\t%REF\t%ALT\t%FILTER\t[%GT]\n', vcf).splitlines()]
        self.assertEqual([(int(row[0]) - 1, row[4].replace('|', '/')) for row in called], [(2100, '0/1'), (3020, '1/1')])
        says = f'{self.bam}: {self.spliced} reads are spliced (CIGAR operation N), as those of RNA are; calling is for DNA'
        self.assertGreater(self.spliced, 100)
        self.assertEqual(done.stderr.count('spliced'), 1)
        self.assertIn(f'[gannet] warning: {says}', done.stderr)
        self.assertIn(says, json.loads(report.read_text())['warnings'])
        self.refused(3, 'call', self.reference, self.bam, '-o', self.work / 'y.vcf', '--strict', says='are spliced')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
