#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Aligns pairs of genomes made of repeats, and checks that no confident alignment is at the wrong copy."""
import random
import re

import gannet_testing
from gannet_testing import fastq_text, run

COMPLEMENT = str.maketrans('ACGT', 'TGCA')
READ = 150


def bases(chance, count):
    return ''.join('ACGT'[int(4 * chance.random())] for _ in range(count))


def mutated(chance, text, rate):
    """With substitutions, each base with this probability."""
    return ''.join('ACGT'['ACGT'.index(base) - 1 - int(3 * chance.random())] if chance.random() < rate else base
                   for base in text)


def pairs(chance, genome, sample, count):
    """Pairs of the sample, which has the coordinates of the genome; their names hold the positions of both mates."""
    first, second = [], []
    for i in range(count):
        insert = 280 + int(140 * chance.random())
        begin = int((len(genome) - insert) * chance.random())
        fragment = sample[begin:begin + insert]
        name = f'p{i}.{begin}.{begin + insert - READ}'
        first.append((name, fragment[:READ]))
        second.append((name, fragment[-READ:].translate(COMPLEMENT)[::-1]))
    return first, second


class Repeats(gannet_testing.Case):
    def align(self, genome, sample, chance, count):
        """(mapping quality, distance from the origin) of each read."""
        work = self.folder()
        first, second = pairs(chance, genome, sample, count)
        (work / 'ref.fa').write_text(f'>c\n{genome}\n')
        (work / 'r1.fq').write_text(fastq_text(first))
        (work / 'r2.fq').write_text(fastq_text(second))
        run('align', work / 'ref.fa', work / 'r1.fq', work / 'r2.fq', '--unsorted', '-q', '-o', work / 'out.sam')
        out = []
        for line in (work / 'out.sam').read_text().splitlines():
            if line.startswith('@'):
                continue
            name, flag, _, position, quality, cigar = line.split('\t')[:6]
            if int(flag) & 0x904:
                continue
            origin = int(name.split('.')[1 if int(flag) & 0x40 else 2])
            clip = re.match(r'(\d+)S', cigar)
            begin = int(position) - 1 - (int(clip.group(1)) if clip else 0)
            out.append((int(quality), abs(begin - origin)))
        self.assertGreater(len(out), 1.9 * count)
        return out

    def check(self, alignments, least_confident):
        wrong = [quality for quality, distance in alignments if quality >= 20 and distance > 50]
        confident = sum(quality >= 20 for quality, _ in alignments)
        self.assertEqual(wrong, [])
        self.assertGreater(confident, least_confident * len(alignments))

    def test_more_copies_than_are_looked_at(self):
        # 1,500 copies, 1 % of the bases changed in each: many reads match several copies, and seeds keep few of them.
        chance = random.Random(1)
        unit = bases(chance, 600)
        genome = ''.join(bases(chance, 700) + mutated(chance, unit, 0.01) for _ in range(1500))
        self.check(self.align(genome, genome, chance, 8000), 0.95)

    def test_shifts_by_a_unit_of_a_tandem_repeat(self):
        # Units of 55 bases, nearly the same: where the sample differs, a read may match the next unit better.
        chance = random.Random(2)
        arrays = []
        for _ in range(100):
            unit = bases(chance, 55)
            arrays.append(bases(chance, 800) + ''.join(mutated(chance, unit, 0.005) for _ in range(8)))
        genome = ''.join(arrays)
        self.check(self.align(genome, mutated(chance, genome, 0.005), chance, 8000), 0.85)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
