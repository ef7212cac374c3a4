#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls planted insertions of an element of which the reference has copies elsewhere: no anchored read shows their middle."""
import functools
import random

import gannet_testing
from gannet_testing import called, fastq_text, new_folder, run, samtools, vcf_body

COMPLEMENT = str.maketrans('ACGT', 'TGCA')
READ = 150
GENOME = 60000
HOMOZYGOUS, HETEROZYGOUS = 20000, 40000


def bases(chance, count):
    return ''.join(chance.choice('ACGT') for _ in range(count))


def pairs(chance, haplotypes, coverage):
    """Pairs without errors, as many of each haplotype."""
    first, second = [], []
    for number, sample in enumerate(haplotypes):
        for i in range(coverage * GENOME // (4 * READ)):
            insert = 300 + int(150 * chance.random())
            begin = int((len(sample) - insert) * chance.random())
            mates = [sample[begin:begin + READ], sample[begin + insert - READ:begin + insert].translate(COMPLEMENT)[::-1]]
            if chance.random() < 0.5:
                mates.reverse()
            name = f'p{number}.{i}'
            first.append((name, mates[0]))
            second.append((name, mates[1]))
    return first, second


@functools.cache
def planted():
    """A folder with ref.fa, r1.fq and r2.fq, and the inserted sequence: the element with its copy of the 12 bases before it."""
    chance = random.Random(5)
    element = bases(chance, 308)
    genome = bases(chance, GENOME)
    for place in (5000, 30000, 50000):
        genome = genome[:place] + element + genome[place + len(element):]
    inserted = {}
    haplotypes = [genome, genome]
    # From right to left, so that places stay where they are.
    for place, numbers in ((HETEROZYGOUS, [1]), (HOMOZYGOUS, [0, 1])):
        inserted[place] = element + genome[place - 12:place]
        for number in numbers:
            haplotypes[number] = haplotypes[number][:place] + inserted[place] + haplotypes[number][place:]
    first, second = pairs(chance, haplotypes, 40)
    folder = new_folder()
    (folder / 'ref.fa').write_text(f'>c\n{genome}\n')
    (folder / 'r1.fq').write_text(fastq_text(first))
    (folder / 'r2.fq').write_text(fastq_text(second))
    return folder, genome, inserted


@functools.cache
def results():
    folder, _, _ = planted()
    run('run', folder / 'ref.fa', folder / 'r1.fq', folder / 'r2.fq', '-o', folder / 'out', '--sample', 'S', '-q')
    return folder / 'out'


class LongInsertions(gannet_testing.Case):
    def rows(self, lines):
        return [(int(position), ref, alt, verdict, genotype.replace('|', '/')) for _, position, ref, alt, verdict, genotype in called(lines)]

    def expected(self):
        _, genome, inserted = planted()
        rows = []
        for place, genotype in ((HOMOZYGOUS, '1/1'), (HETEROZYGOUS, '0/1')):
            # In the leftmost place: the insertion may begin before the 12 bases, which are on both sides of it.
            moved = inserted[place]
            while moved[-1] == genome[place - 1]:
                moved = moved[-1] + moved[:-1]
                place -= 1
            rows.append((place, genome[place - 1], genome[place - 1] + moved, 'PASS', genotype))
        return rows

    def found(self, lines):
        return [(*row[:4], '0/1' if row[4] == '1/0' else row[4]) for row in self.rows(lines)]

    def test_run_calls_sequence_and_genotype(self):
        self.assertEqual(self.found(vcf_body(results() / 'S.vcf.gz')), self.expected())

    def test_call_gives_the_same_records(self):
        folder = self.folder()
        folder_of_reads = planted()[0]
        run('call', folder_of_reads / 'ref.fa', results() / 'S.bam', '-o', folder / 'out.vcf', '-q')
        self.assertEqual(vcf_body(folder / 'out.vcf'), vcf_body(results() / 'S.vcf.gz'))

    def test_threads_and_cram_change_nothing(self):
        folder = self.folder()
        reads = planted()[0]
        run('run', reads / 'ref.fa', reads / 'r1.fq', reads / 'r2.fq', '-o', folder, '--sample', 'S', '--threads', 1, '-q')
        self.assertEqual(gannet_testing.bam_records(folder / 'S.bam'), gannet_testing.bam_records(results() / 'S.bam'))
        self.assertEqual(vcf_body(folder / 'S.vcf.gz'), vcf_body(results() / 'S.vcf.gz'))
        run('align', reads / 'ref.fa', reads / 'r1.fq', reads / 'r2.fq', '-R', '@RG\\tID:S\\tSM:S', '-o', folder / 'S.cram', '-q')
        run('call', reads / 'ref.fa', folder / 'S.cram', '-o', folder / 'cram.vcf', '-q')
        self.assertEqual(self.found(vcf_body(folder / 'cram.vcf')), self.expected())

    def test_records_beside_them_have_the_sequence_of_the_mate(self):
        reads = planted()[0]
        sequences = {}
        for name in ('r1.fq', 'r2.fq'):
            lines = (reads / name).read_text().split('\n')
            sequences[name] = dict(zip((line[1:] for line in lines[0::4]), lines[1::4]))
        with_tag = 0
        for line in samtools('view', results() / 'S.bam').splitlines():
            fields = line.split('\t')
            tags = [field[5:] for field in fields[11:] if field.startswith('R2:Z:')]
            flag = int(fields[1])
            if not tags:
                continue
            with_tag += 1
            self.assertEqual(tags, [sequences['r2.fq' if flag & 0x40 else 'r1.fq'][fields[0]]])
            self.assertFalse(flag & 0x906)
            self.assertGreaterEqual(int(fields[4]), 30)
            near = min(abs(int(fields[3]) - place) for place in (HOMOZYGOUS, HETEROZYGOUS))
            self.assertLess(near, 700)
        self.assertGreater(with_tag, 20)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
