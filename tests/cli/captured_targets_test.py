#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls the SNVs of an exome: targets whose depth is high in their middle and differs between them, with many SNVs in some; and of one beside a genome."""
import functools
import json
import random
import unittest

import gannet_testing
from gannet_testing import called, fastq_text, mates_of, new_folder, run, vcf_body

READ, TARGET, EVERY, TARGETS = 150, 200, 3000, 150
FLANK = 300
DEPTH = 100
# Of the bases: as in genes of the MHC in each third target, else of an ordinary genome.
DENSE, SPARSE = 0.015, 0.001


def bases(chance, count):
    return ''.join(chance.choice('ACGT') for _ in range(count))


def snvs_of(chance, genome, begin, end, rate):
    """Position, base, and the haplotypes that have it."""
    for at in range(begin, end):
        if chance.random() < rate:
            yield at, chance.choice([b for b in 'ACGT' if b != genome[at]]), chance.choice([(0,), (1,), (0, 1)])


def fragments(chance, haplotypes, target, count):
    """Those that a probe in the middle of the target holds."""
    for _ in range(count):
        length = int(chance.gauss(300, 40))
        begin = target + TARGET // 2 - chance.randrange(length)
        yield chance.choice(haplotypes)[begin:begin + length]


def background(chance, haplotypes, depth):
    """Fragments of the whole genome."""
    for _ in range(int(depth * len(haplotypes[0]) / (2 * READ))):
        length = int(chance.gauss(400, 60))
        begin = chance.randrange(len(haplotypes[0]) - length)
        yield chance.choice(haplotypes)[begin:begin + length]


@functools.cache
def exome(beside=0, step=1, rates=(DENSE, SPARSE, SPARSE), reach=0):
    """A folder with ref.fa, targets.bed, r1.fq and r2.fq, and the SNVs within `reach` of the targets: position from 1, base and copies.

    `beside`: depth of the genome that is sequenced with it. `step`: of so many targets there is one.
    """
    chance = random.Random(11)
    genome = bases(chance, EVERY * (TARGETS + 1))
    haplotypes = [list(genome), list(genome)]
    truth, reads, rows = {}, ([], []), []
    begins = range(EVERY, EVERY * TARGETS, EVERY * step)
    for number, begin in enumerate(begins):
        for at, base, having in snvs_of(chance, genome, begin - FLANK, begin + TARGET + FLANK, rates[number % 3]):
            for haplotype in having:
                haplotypes[haplotype][at] = base
            if begin - reach <= at < begin + TARGET + reach:
                truth[at + 1] = base, len(having)
        rows.append(f'c\t{begin}\t{begin + TARGET}\n')
    texts = [''.join(letters) for letters in haplotypes]
    drawn = []
    for begin in begins:
        depth = DEPTH * chance.lognormvariate(0, 0.5)
        drawn.extend(fragments(chance, texts, begin, int(depth * 400 / 300)))
    drawn.extend(background(chance, texts, beside))
    for fragment in drawn:
        mates = mates_of(fragment, READ)
        chance.shuffle(mates)
        for out, mate in zip(reads, mates):
            out.append((f'p{len(out)}', mate))
    folder = new_folder()
    (folder / 'ref.fa').write_text(f'>c\n{genome}\n')
    (folder / 'targets.bed').write_text(''.join(rows))
    for number, mates in enumerate(reads, 1):
        (folder / f'r{number}.fq').write_text(fastq_text(mates))
    return folder, truth


def copies_called(vcf):
    """By position: base and copies of each SNV that passes."""
    out = {}
    for _, position, reference, alternate, filters, genotype in called(vcf_body(vcf)):
        if len(reference) == len(alternate) == 1 and filters == 'PASS':
            out[int(position)] = alternate, genotype.count('1')
    return out


class Exome(unittest.TestCase):

    def test_snvs_beside_others_of_a_target_are_called(self):
        folder, truth = exome()
        self.assertGreater(len(truth), 150)
        for name, options in (('targets', ['--targets', folder / 'targets.bed']), ('whole', [])):
            with self.subTest(name):
                out = folder / name
                run('run', folder / 'ref.fa', folder / 'r1.fq', folder / 'r2.fq', '--sample', 'S', '-o', out, '-q', '--no-report', *options)
                calls = copies_called(out / 'S.vcf.gz')
                right = sum(calls.get(at) == expected for at, expected in truth.items())
                self.assertGreaterEqual(right, 0.98 * len(truth))

    def test_snvs_of_targets_beside_a_genome_are_called(self):
        folder, truth = exome(10, 4, (0.003,) * 3, 150)
        self.assertGreater(len(truth), 40)
        logged = run('run', folder / 'ref.fa', folder / 'r1.fq', folder / 'r2.fq', '--sample', 'S', '-o', folder / 'out', '--no-report')
        calls = copies_called(folder / 'out' / 'S.vcf.gz')
        right = sum(calls.get(at) == expected for at, expected in truth.items())
        self.assertGreaterEqual(right, 0.98 * len(truth))
        self.assertIn('deep places all over the genome have two copies', logged.stderr)
        document = json.loads((folder / 'out' / 'S.run.json').read_text())
        self.assertIn('depth no evidence of copies (deep places have two copies)', json.dumps(document))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
