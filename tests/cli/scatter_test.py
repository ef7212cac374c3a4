#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `gannet scatter`: its shards are what call and run call on a reference with ALT contigs, decoys and HLA alleles, and the
union of their calls is the VCF of run, byte for byte."""
import functools
import pathlib
import random
import shutil

import gannet_testing
from gannet_testing import Case, run, simulated, vcf_body

OTHERS = ('chr1_K1_alt', 'HLA-A*01:01:01:01', 'chrUn_K2_decoy', 'chr2_G3_fix')


@functools.cache
def analysis_set():
    """A reference of two chromosomes and contigs of every other kind, a run on it, and the run's VCF without the other kinds."""
    sample = simulated(0.3, 15, 3)
    folder = gannet_testing.new_folder()
    chance = random.Random(4)
    contigs = dict(part.split('\n', 1) for part in sample.reference.read_text()[1:].split('>'))
    sequences = [text.replace('\n', '') for text in contigs.values()]
    text = ''.join(f'>chr{number}\n{sequence}\n' for number, sequence in enumerate(sequences, 1))
    for name in OTHERS:
        text += f'>{name}\n' + ''.join(chance.choice('ACGT') for _ in range(9000)) + '\n'
    (folder / 'ref.fa').write_text(text)
    run('run', folder / 'ref.fa', *sample.reads, '-o', folder / 'out', '--sample', 'S', '--gvcf', '-q')
    return folder


def scatter(*options, reference=None):
    """The lines of standard output."""
    return run('scatter', reference or analysis_set() / 'ref.fa', '-q', *options).stdout.splitlines()


def names_of(lines):
    return {region.rsplit(':', 1)[0] for line in lines for region in line.split(',')}


def bed_files(*options):
    folder = gannet_testing.new_folder()
    run('scatter', analysis_set() / 'ref.fa', '-o', folder, '-q', *options)
    return sorted(folder.iterdir())


def calls_of(beds, *options):
    """VCF and gVCF lines of the shards, one after the other."""
    folder = gannet_testing.new_folder()
    bodies, blocks = [], []
    for bed in beds:
        out = folder / f'{bed.stem}.vcf.gz'
        gvcf = folder / f'{bed.stem}.g.vcf.gz'
        run('call', analysis_set() / 'ref.fa', analysis_set() / 'out/S.bam', '--regions-file', bed, '-o', out, '--gvcf', gvcf, '-q', *options)
        bodies += vcf_body(out)
        blocks += vcf_body(gvcf)
    return bodies, blocks


class Scatter(Case):
    def test_union_of_shards_is_the_run(self):
        beds = bed_files('--count', 7)
        self.assertEqual([bed.name for bed in beds], [f'000{i}-of-0007.bed' for i in range(1, 8)])
        bodies, blocks = calls_of(beds)
        expected = vcf_body(analysis_set() / 'out/S.vcf.gz')
        self.assertGreater(len(expected), 100)
        self.assertEqual(bodies, expected)
        self.assertEqual(blocks, vcf_body(analysis_set() / 'out/S.g.vcf.gz'))

    def test_shards_leave_out_the_contigs_that_call_leaves_out(self):
        primary = names_of(scatter('--count', 4))
        self.assertTrue(primary)
        self.assertFalse(primary & set(OTHERS))
        self.assertEqual(names_of(scatter('--count', 4, '--contigs', 'all')), primary | set(OTHERS))

    def test_a_list_of_alternates_decides(self):
        folder = self.folder()
        shutil.copy(analysis_set() / 'ref.fa', folder / 'ref.fa')
        (folder / 'ref.fa.alt').write_text('chr2\t0\n')
        self.assertEqual(names_of(scatter('--count', 3, reference=folder / 'ref.fa')) & {'chr1', 'chr2'}, {'chr1'})
        self.assertIn('chr2', names_of(scatter('--count', 3, '--alt', 'none', reference=folder / 'ref.fa')))

    def test_lines_are_what_regions_takes(self):
        lines = scatter('--count', 3)
        self.assertEqual(len(lines), 3)
        folder = self.folder()
        found = []
        for number, line in enumerate(lines):
            run('call', analysis_set() / 'ref.fa', analysis_set() / 'out/S.bam', '--regions', line, '-o', folder / f'{number}.vcf', '-q')
            found += vcf_body(folder / f'{number}.vcf')
        self.assertEqual(found, vcf_body(analysis_set() / 'out/S.vcf.gz'))

    def test_targets_are_divided(self):
        bed = self.folder() / 'targets.bed'
        bed.write_text(''.join(f'chr1\t{at}\t{at + 400}\n' for at in range(500, 90_000, 700)))
        beds = bed_files('--count', 3, '--targets', bed)
        self.assertEqual(len(beds), 3)
        merged = []
        for begin, end in (map(int, line.split('\t')[1:]) for path in beds for line in path.read_text().splitlines()):
            if merged and merged[-1][1] == begin:  # a target that lies in two windows may be in two shards
                begin = merged.pop()[0]
            merged.append((begin, end))
        self.assertEqual(''.join(f'chr1\t{begin}\t{end}\n' for begin, end in merged), bed.read_text())
        whole = self.folder() / 'x.vcf.gz'
        run('call', analysis_set() / 'ref.fa', analysis_set() / 'out/S.bam', '--targets', bed, '-o', whole, '--gvcf', whole.with_name('x.g.vcf.gz'), '-q')
        bodies, blocks = calls_of(beds, '--targets', bed)
        self.assertGreater(len(bodies), 20)
        self.assertEqual(bodies, vcf_body(whole))
        self.assertEqual(blocks, vcf_body(whole.with_name('x.g.vcf.gz')))

    def test_size_gives_the_number_of_shards(self):
        self.assertEqual(len(scatter('--size', 0.1)), 3)
        self.assertEqual(len(scatter('--size', 1)), 1)

    def test_the_header_of_a_shard_names_its_file(self):
        bed = bed_files('--count', 2)[0]
        out = self.folder() / 'x.vcf'
        run('call', analysis_set() / 'ref.fa', analysis_set() / 'out/S.bam', '--regions-file', bed, '-o', out, '-q')
        self.assertIn(f'--regions-file {bed}', out.read_text())

    def test_what_cannot_be_planned_is_refused(self):
        reference = analysis_set() / 'ref.fa'
        self.refused(2, 'scatter', reference, says='give --count N, or --size MB')
        self.refused(2, 'scatter', reference, '--count', 0, says='--count')
        self.refused(2, 'scatter', reference, '--count', 2, '--size', 1, says='--count')
        self.refused(4, 'scatter', reference, '--count', 2, '--regions', 'chr77', says="contig 'chr77' is not in the reference")
        self.refused(3, 'scatter', pathlib.Path('/nonexistent.fa'), '--count', 2, says='/nonexistent.fa')
        folder = self.folder()
        run('scatter', reference, '--count', 3, '-o', folder, '-q')
        self.refused(2, 'scatter', reference, '--count', 2, '-o', folder, says='of another plan')
        self.assert_files(folder, *[f'000{i}-of-0003.bed' for i in (1, 2, 3)])
        empty = self.folder() / 'empty.bed'
        empty.write_text('')
        words = ('call', reference, analysis_set() / 'out/S.bam', '-o', empty.parent / 'x.vcf')
        self.refused(2, *words, '--regions-file', empty, says='holds no interval')
        self.refused(2, *words, '--regions-file', empty, '--contigs', 'all', says='--contigs')
        self.refused(3, *words, '--regions-file', '/nonexistent.bed', says='/nonexistent.bed')


class Reports(Case):
    """What align and call say of a run with --report is what run says in run.json."""

    def test_align_and_call_report_what_run_reports(self):
        import json
        folder = self.folder()
        sample = simulated(0.3, 15, 3)
        reference = analysis_set() / 'ref.fa'
        run('align', reference, *sample.reads, '-o', folder / 'S.bam', '--sample', 'S', '--report', folder / 'a.json', '-q')
        run('call', reference, folder / 'S.bam', '-o', folder / 'S.vcf.gz', '--report', folder / 'c.json', '-q')
        whole = json.loads((analysis_set() / 'out/S.run.json').read_text())
        align, call = (json.loads((folder / name).read_text()) for name in ('a.json', 'c.json'))
        self.assertEqual({**align['counts'], **call['counts']}, whole['counts'])
        self.assertEqual({**align['parameters'], **call['parameters']}, whole['parameters'])
        for key in ('sample', 'reference', 'backend', 'program', 'build'):
            self.assertEqual((align[key], call[key]), (whole[key], whole[key]))
        self.refused(2, 'call', reference, folder / 'S.bam', '-o', folder / 'x.vcf', '--report', folder / 'S.bam', says='would be written over')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
