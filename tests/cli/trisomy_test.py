#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls a sample that has a contig three times: the alleles of the third copy are on a third of its reads, or on two thirds."""
import random

import gannet_testing
from gannet_testing import Case, called, fastq_text, mates_of, new_folder, run, simulated, vcf_body

CONTIG = 'sim2'
READ, FRAGMENT = 150, 400


def sequence_of(fasta, contig):
    (found,) = [block for block in fasta.read_text().split('>') if block.split('\n', 1)[0].split(' ')[0] == contig]
    return ''.join(found.split('\n')[1:]).upper()


def third_copy(genome, depth):
    """Pairs of a haplotype that has the reference's alleles."""
    chance = random.Random(5)
    mates = [], []
    for number in range(int(len(genome) * depth / (2 * READ))):
        begin = chance.randrange(len(genome) - FRAGMENT)
        fragment = genome[begin:begin + FRAGMENT]
        pair = mates_of(fragment, READ)
        chance.shuffle(pair)
        for out, bases in zip(mates, pair):
            out.append((f'third{number}', bases))
    return mates


class Trisomy(Case):

    def test_alleles_of_three_copies_pass(self):
        sample = simulated(size_mb=1.2, coverage=60, seed=3)
        genome = sequence_of(sample.reference, CONTIG)
        folder = new_folder()
        files = []
        for number, pairs in enumerate(third_copy(genome, 30), 1):
            files.append(folder / f'third_{number}.fq')
            files[-1].write_text(fastq_text(pairs))
        log = run('run', sample.reference, '--lane', f'{sample.reads[0]},{sample.reads[1]},a', '--lane', f'{files[0]},{files[1]},b',
                  '--sample', 'S', '-o', folder, '--no-report').stderr
        self.assertIn(f'by its depth the sample has 3 copies of {CONTIG}\n', log)
        truth = [(contig, position) for contig, position, *_ in called(vcf_body(sample.truth)) if contig == CONTIG]
        self.assertGreater(len(truth), 200)
        calls = {(contig, position): (filters, genotype.replace('|', '/')) for contig, position, _, _, filters, genotype in called(vcf_body(folder / 'S.vcf.gz'))}
        right = [calls.get(place) in (('PASS', '0/1'), ('PASS', '1/0')) for place in truth]
        self.assertGreaterEqual(sum(right), 0.98 * len(truth))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
