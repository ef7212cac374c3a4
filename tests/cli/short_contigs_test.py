#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks calls on contigs that are hardly longer than a fragment, as transcripts are: depth rises from their ends over most of them."""
import random

import gannet_testing
from gannet_testing import run, vcf_body

CONTIGS = 80
READ_BP = 100


def write_sample(folder):
    """Contigs of 300 to 1,000 bp and reads of 30x with heterozygous SNVs, one in 120 bp."""
    draw = random.Random(5)
    turn = str.maketrans('ACGT', 'TGCA')
    with open(folder / 'ref.fa', 'w') as fasta, open(folder / 'r1.fq', 'w') as first, open(folder / 'r2.fq', 'w') as second:
        for contig in range(CONTIGS):
            bases = draw.choices('ACGT', k=draw.randint(300, 1000))
            fasta.write(f'>t{contig}\n{"".join(bases)}\n')
            other = [draw.choice('ACGT') if draw.random() < 1 / 90 else base for base in bases]
            for pair in range(30 * len(bases) // (2 * READ_BP)):
                size = min(len(bases), max(READ_BP, int(draw.gauss(250, 40))))
                begin = draw.randint(0, len(bases) - size)
                fragment = ''.join(draw.choice((bases, other))[begin:begin + size])
                mates = [fragment[:READ_BP], fragment[-READ_BP:].translate(turn)[::-1]]
                draw.shuffle(mates)
                for file, mate in zip((first, second), mates):
                    file.write(f'@{contig}_{pair}\n{mate}\n+\n{"F" * READ_BP}\n')


class ShortContigs(gannet_testing.Case):
    def test_depth_that_rises_from_their_ends_is_no_sign_of_further_copies(self):
        folder = self.folder()
        write_sample(folder)
        run('align', folder / 'ref.fa', folder / 'r1.fq', folder / 'r2.fq', '-o', folder / 'x.bam', '-q')
        run('call', folder / 'ref.fa', folder / 'x.bam', '-o', folder / 'x.vcf', '-q')
        filters = [line.split('\t')[6] for line in vcf_body(folder / 'x.vcf')]
        self.assertGreater(len(filters), 300)
        self.assertNotIn('HighDepth', filters)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
