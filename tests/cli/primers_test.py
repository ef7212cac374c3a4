#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls a panel of overlapping amplicons whose primers, with the reference's bases, lie over variants of the sample."""
import functools
import random

import gannet_testing
from gannet_testing import called, fastq_text, mates_of, new_folder, run, samtools, vcf_body, vcf_header

READ, AMPLICON, PRIMER, STEP, FIRST, AMPLICONS, DEPTH = 150, 180, 22, 126, 1000, 30, 60
LENGTH = 6000


@functools.cache
def panel():
    """A folder with ref.fa, primers.bed, r1.fq and r2.fq, and the SNVs: position from 1, base and copies."""
    chance = random.Random(17)
    genome = ''.join(chance.choice('ACGT') for _ in range(LENGTH))
    begins = [FIRST + number * STEP for number in range(AMPLICONS)]
    haplotypes, truth, rows = [list(genome), list(genome)], {}, []
    for number, begin in enumerate(begins):
        end = begin + AMPLICON
        rows.append(f'c\t{begin}\t{begin + PRIMER}\ta{number}_LEFT\t1\t+\nc\t{end - PRIMER}\t{end}\ta{number}_RIGHT\t1\t-\n')
        if 0 < number < AMPLICONS - 1:  # in a primer, left and right in turn, where a neighbour has the sample's bases
            at = (begin if number % 2 else end - PRIMER) + 6 + number % 10
            base = chance.choice([b for b in 'ACGT' if b != genome[at]])
            copies = 1 + number // 2 % 2
            for haplotype in haplotypes[:copies]:
                haplotype[at] = base
            truth[at + 1] = base, copies
    texts = [''.join(letters) for letters in haplotypes]
    reads = [], []
    for begin in begins:
        end = begin + AMPLICON
        for _ in range(DEPTH):
            fragment = genome[begin:begin + PRIMER] + chance.choice(texts)[begin + PRIMER:end - PRIMER] + genome[end - PRIMER:end]
            for out, mate in zip(reads, mates_of(fragment, READ)):
                out.append((f'p{len(out)}', mate))
    folder = new_folder()
    (folder / 'ref.fa').write_text(f'>c\n{genome}\n')
    (folder / 'primers.bed').write_text(''.join(rows))
    for number, mates in enumerate(reads, 1):
        (folder / f'r{number}.fq').write_text(fastq_text(mates))
    return folder, truth


def copies_called(vcf):
    """By position: base and copies of each SNV that passes."""
    return {int(position): (alternate, genotype.count('1'))
            for _, position, _, alternate, filters, genotype in called(vcf_body(vcf)) if filters == 'PASS'}


def duplicates(bam):
    return int(samtools('view', '-c', '-f', 'DUP', bam))


class Primers(gannet_testing.Case):
    def run_panel(self, out, *options):
        folder, _ = panel()
        return run('run', folder / 'ref.fa', folder / 'r1.fq', folder / 'r2.fq', '--sample', 'S', '-o', out, '--no-report', *options)

    def test_variants_under_primers_have_their_genotypes(self):
        folder, truth = panel()
        out = self.folder()
        log = self.run_panel(out, '--primers', folder / 'primers.bed').stderr
        self.assertEqual(copies_called(out / 'S.vcf.gz'), truth)
        self.assertEqual(duplicates(out / 'S.bam'), 0)
        self.assertNotIn('warning', log)
        self.assertIn(f'--primers {folder / "primers.bed"}', ' '.join(vcf_header(out / 'S.vcf.gz')))

        other = self.folder()  # as calling would be without: else this test would show nothing
        self.run_panel(other, '--no-duplicates')
        right = sum(copies_called(other / 'S.vcf.gz').get(at) == expected for at, expected in truth.items())
        self.assertLess(right, 0.7 * len(truth))

    def test_call_leaves_out_primers_that_are_clipped_softly(self):
        folder, truth = panel()
        out = self.folder()
        self.run_panel(out, '--no-duplicates')
        samtools('ampliconclip', '--both-ends', '--strand', '-b', folder / 'primers.bed', '-o', out / 'clipped.unsorted.bam', out / 'S.bam')
        samtools('sort', '-o', out / 'clipped.bam', out / 'clipped.unsorted.bam')
        for alignments in ('S.bam', 'clipped.bam'):
            with self.subTest(alignments):
                run('call', folder / 'ref.fa', out / alignments, '--primers', folder / 'primers.bed', '-o', out / 'x.vcf')
                self.assertEqual(copies_called(out / 'x.vcf'), truth)

    def test_umis_mark_duplicates_all_the_same(self):
        folder, _ = panel()
        out = self.folder()
        for number in (1, 2):
            text = (folder / f'r{number}.fq').read_text().split('\n')
            text[::4] = [f'{name} RX:Z:{"ACGT"[at % 4]}AAAAAA' if name else '' for at, name in enumerate(text[::4])]
            (out / f'u{number}.fq').write_text('\n'.join(text))
        run('run', folder / 'ref.fa', out / 'u1.fq', out / 'u2.fq', '-C', '--umi', '--sample', 'S', '-o', out, '--no-report',
            '--primers', folder / 'primers.bed')
        self.assertGreater(duplicates(out / 'S.bam'), 0)

    def test_call_names_amplicons_whose_reads_are_marked_as_duplicates(self):
        folder, _ = panel()
        out = self.folder()
        log = self.run_panel(out).stderr
        self.assertIn('--primers BED', log)
        log = run('call', folder / 'ref.fa', out / 'S.bam', '--primers', folder / 'primers.bed', '-o', out / 'x.vcf').stderr
        self.assertRegex(log, r'S\.bam: 9\d\.\d % of the mapped reads are marked as duplicates and are not used')
        samtools('view', '-b', '--remove-flags', 'DUP', '-o', out / 'unmarked.bam', out / 'S.bam')
        run('call', folder / 'ref.fa', out / 'unmarked.bam', '--primers', folder / 'primers.bed', '-o', out / 'x.vcf')
        self.assertEqual(copies_called(out / 'x.vcf'), panel()[1])

    def test_what_are_no_primers_is_refused_before_anything_is_aligned(self):
        folder, _ = panel()
        out = self.folder()
        files = {'amplicons.bed': (f'c\t100\t200\nc\t{FIRST}\t{FIRST + AMPLICON}\n', 3, f'amplicons.bed: c:{FIRST + 1}-{FIRST + AMPLICON}: has 180 bp, and a primer at most 100: '
                                   'give the primers, not the amplicons between them'),
                 'empty.bed': ('# none\n', 2, 'empty.bed: holds no primer'),
                 'other.bed': ('d\t1\t20\n', 4, "contig 'd' is not in the reference"),
                 'text.bed': ('primer\n', 3, 'text.bed: line 1: has fewer than three columns')}
        for name, (text, code, says) in files.items():
            (out / name).write_text(text)
            for words in (['run', folder / 'ref.fa', folder / 'r1.fq', '-o', out / 'out', '--sample', 'S'],
                          ['run', '--dry-run', folder / 'ref.fa', folder / 'r1.fq', '-o', out / 'out', '--sample', 'S']):
                with self.subTest(name, words=words):
                    self.refused(code, *words, '--primers', out / name, says=says)
        self.refused(2, 'run', folder / 'ref.fa', folder / 'r1.fq', '-o', out / 'out', '--sample', 'S', '--primers', '', says='--primers')
        self.refused(3, 'run', folder / 'ref.fa', folder / 'r1.fq', '-o', out / 'out', '--sample', 'S', '--primers', out / 'none.bed', says='none.bed: cannot be opened')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
