#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests ALT contigs: reads of the primary assembly keep their mapping quality, and variants are called there and nowhere else.

The reference has a chromosome whose bases [10000, 30000) are also in three ALT contigs, 0.3 %, 1 % and 3 % different, and a decoy.
The sample has a variant every 500 bases of the chromosome, each second one on both haplotypes; half of the variants in the stretch are
those of the closest ALT contig, as in a real sample.
"""
import functools
import random
import unittest

import gannet_testing as testing
from gannet_testing import Case, bcftools, run, samtools, vcf_header

LENGTH = 40_000
STRETCH = (10_000, 30_000)
COMPLEMENT = str.maketrans('ACGT', 'TGCA')


def other(base, chance):
    return chance.choice([letter for letter in 'ACGT' if letter != base])


def fasta_text(contigs):
    return ''.join(f'>{name}\n{bases}\n' for name, bases in contigs.items())


@functools.cache
def sample():
    """Folder with ref.fa (recognisable names), other.fa (names that say nothing), reads and the true positions (1-based)."""
    chance = random.Random(8)
    chromosome = ''.join(chance.choice('ACGT') for _ in range(LENGTH))
    stretch = chromosome[STRETCH[0]:STRETCH[1]]
    contigs = {'chr6': chromosome}
    for number, percent in enumerate((0.3, 1, 3), 1):
        contigs[f'chr6_K{number}_alt'] = ''.join(
            other(base, chance) if chance.random() < percent / 100 else base for base in stretch)
    contigs['chrUn_K9_decoy'] = ''.join(chance.choice('ACGT') for _ in range(5_000))
    nearest = contigs['chr6_K1_alt']
    haplotypes = [list(chromosome), list(chromosome)]
    truth = {}
    for at in range(250, LENGTH - 250, 500):
        truth[at + 1] = other(chromosome[at], chance)
        haplotypes[0][at] = truth[at + 1]
        if at // 500 % 2:
            haplotypes[1][at] = truth[at + 1]
    for at in range(*STRETCH):
        if nearest[at - STRETCH[0]] != chromosome[at] and at < 20_000 and at + 1 not in truth:
            truth[at + 1] = haplotypes[0][at] = nearest[at - STRETCH[0]]
    pairs = []
    for number in range(30 * LENGTH // 300):
        haplotype = ''.join(haplotypes[number % 2])
        insert = int(chance.gauss(400, 40))
        begin = chance.randrange(0, LENGTH - insert)
        fragment = haplotype[begin:begin + insert]
        mates = [''.join(other(base, chance) if chance.random() < 0.002 else base for base in mate)
                 for mate in (fragment[:150], fragment.translate(COMPLEMENT)[::-1][:150])]
        if number % 4 > 1:
            mates.reverse()
        pairs.append((f'p{number}.{begin}', *mates))
    folder = testing.new_folder()
    (folder / 'ref.fa').write_text(fasta_text(contigs))
    (folder / 'other.fa').write_text(fasta_text(dict(zip('abcde', contigs.values()))))
    for mate in (1, 2):
        (folder / f'r{mate}.fq').write_text(testing.fastq_text((pair[0], pair[mate]) for pair in pairs))
    return folder, truth


@functools.cache
def run_of(*options, reference='ref.fa'):
    folder, _ = sample()
    out = testing.new_folder()
    done = run('run', folder / reference, folder / 'r1.fq', folder / 'r2.fq', '-o', out, '--sample', 'S', '--no-scorer', *options)
    return out, done.stderr


def found(vcf):
    return {(contig, int(position)) for contig, position in
            (line.split() for line in bcftools('query', '-f', '%CHROM %POS\n', '-i', 'FILTER="PASS"', vcf).splitlines())}


class AlternateContigs(Case):
    def fraction_confident(self, bam, contig='chr6'):
        lines = samtools('view', '-F', '0x900', bam, f'{contig}:{STRETCH[0] + 500}-{STRETCH[1] - 500}').splitlines()
        self.assertGreater(len(lines), 1000)
        return sum(int(line.split('\t')[4]) >= 20 for line in lines) / len(lines)

    def recall(self, out, contig='chr6'):
        _, truth = sample()
        inside = {position for position in truth if STRETCH[0] < position <= STRETCH[1]}
        return len(inside & {position for name, position in found(out / 'S.vcf.gz') if name == contig}) / len(inside)

    def test_reads_of_the_primary_assembly_keep_their_quality_and_their_variants(self):
        aware, _ = run_of()
        unaware, _ = run_of('--alt', 'none')
        self.assertGreater(self.fraction_confident(aware / 'S.bam'), 0.99)
        self.assertLess(self.fraction_confident(unaware / 'S.bam'), 0.7)
        self.assertGreater(self.recall(aware), 0.97)
        self.assertLess(self.recall(unaware), 0.8)

    def test_better_alternate_hits_are_supplementary_with_pa_and_sa(self):
        out, _ = run_of()
        records = [line.split('\t') for line in samtools('view', out / 'S.bam').splitlines()]
        primary = {(r[0], int(r[1]) & 0xc0): r for r in records if not int(r[1]) & 0x900}
        self.assertEqual({r[2] for r in primary.values()}, {'chr6'})
        alternate = [r for r in records if int(r[1]) & 0x800]
        self.assertGreater(len(alternate), 100)
        for record in alternate:
            own = primary[record[0], int(record[1]) & 0xc0]
            score = {r: int(next(tag for tag in r_tags if tag.startswith('AS:i:'))[5:])
                     for r, r_tags in (('own', own[11:]), ('alt', record[11:]))}
            self.assertTrue(record[2].endswith('_alt'))
            self.assertGreater(score['alt'], score['own'])
            self.assertIn(f'SA:Z:{record[2]},{record[3]},', '\t'.join(own[11:]))
            pa = float(next(tag for tag in own[11:] if tag.startswith('pa:f:'))[5:])
            self.assertAlmostEqual(pa, score['own'] / score['alt'], delta=0.0006)

    def test_calls_are_on_primary_contigs_unless_others_are_asked_for(self):
        folder, _ = sample()
        out, log = run_of()
        self.assertIn('the reference has 3 ALT contigs and 1 decoy beside 1 contig of the primary assembly (by their names)', log)
        self.assertEqual({contig for contig, _ in found(out / 'S.vcf.gz')}, {'chr6'})
        self.assertIn('##gannet_contigs=primary: 1 contig; without 3 ALT contigs and 1 decoy\n', vcf_header(out / 'S.vcf.gz'))
        called = folder / 'called.vcf'
        run('call', folder / 'ref.fa', out / 'S.bam', '-o', called, '--no-scorer', '-q')
        self.assertEqual(testing.vcf_body(called), testing.vcf_body(out / 'S.vcf.gz'))
        run('call', folder / 'ref.fa', out / 'S.bam', '-o', called, '--no-scorer', '--contigs', 'all', '-q')
        self.assertIn('##gannet_contigs=all\n', vcf_header(called))
        run('call', folder / 'ref.fa', out / 'S.bam', '-o', called, '--no-scorer', '--regions', 'chr6_K1_alt', '-q')
        self.assertFalse([line for line in vcf_header(called) if line.startswith('##gannet_contigs')])
        self.refused(2, 'call', folder / 'ref.fa', out / 'S.bam', '-o', called, '--contigs', 'all', '--regions', 'chr6',
                     says='--contigs')

    def test_alternates_come_from_a_list_and_travel_in_the_header(self):
        folder, _ = sample()
        names = folder / 'names.alt'
        names.write_text('@HD\tVN:1.6\n' + ''.join(f'{name}\t0\ta\t1\t60\t*\t*\t0\t0\t*\t*\n' for name in 'bcd'))
        plain, log = run_of(reference='other.fa')
        self.assertNotIn('ALT contig', log)
        self.assertLess(self.fraction_confident(plain / 'S.bam', 'a'), 0.7)
        out, log = run_of('--alt', names, reference='other.fa')
        self.assertIn(f'3 ALT contigs beside 2 contigs of the primary assembly (ALT contigs from {names})', log)
        self.assertGreater(self.fraction_confident(out / 'S.bam', 'a'), 0.99)
        squares = [line for line in samtools('view', '-H', out / 'S.bam').splitlines() if line.startswith('@SQ')]
        self.assertEqual([line.endswith('\tAH:*') for line in squares], [False, True, True, True, False])
        called = folder / 'by_header.vcf'
        done = run('call', folder / 'other.fa', out / 'S.bam', '-o', called, '--no-scorer')
        self.assertIn('3 contigs more marked as ALT by the header of the alignments', done.stderr)
        self.assertEqual(testing.vcf_body(called), testing.vcf_body(out / 'S.vcf.gz'))
        beside = folder / 'other.fa.alt'
        beside.write_bytes(names.read_bytes())
        try:
            again = testing.new_folder()
            run('align', folder / 'other.fa', folder / 'r1.fq', folder / 'r2.fq', '-o', again / 'S.bam', '--sample', 'S', '-q')
            self.assertEqual(testing.bam_records(again / 'S.bam'), testing.bam_records(out / 'S.bam'))
        finally:
            beside.unlink()
        names.write_text('chr1_alt\n')
        self.refused(4, 'align', folder / 'other.fa', folder / 'r1.fq', '--alt', names, '-o', again / 'x.bam', says='names none of the contigs')
        self.refused(2, 'align', folder / 'other.fa', folder / 'r1.fq', '--alt', names, '-o', again / 'x.bam', '--metrics', names,
                     says='would be written over --alt')

    def test_threads_and_batches_change_nothing(self):
        folder, _ = sample()
        out, _ = run_of()
        other_bam = testing.new_folder() / 'S.bam'
        run('align', folder / 'ref.fa', folder / 'r1.fq', folder / 'r2.fq', '-o', other_bam, '--sample', 'S', '-q', '-t', 1,
            '--batch-bases', 20_000)
        self.assertEqual(testing.bam_records(other_bam), testing.bam_records(out / 'S.bam'))


if __name__ == '__main__':
    testing.main(__doc__)
