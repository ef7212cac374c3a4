#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the phase of the VCF that `gannet run` writes: GT and PS against their definitions and the truth, and with the programs that read them."""
import json

import gannet_testing
from gannet_testing import bcftools, run, vcf_body, vcf_header

COMPARE_PHASE = gannet_testing.ROOT / 'tests' / 'accuracy' / 'compare_phase'


class Record:
    def __init__(self, line):
        self.columns = line.rstrip('\n').split('\t')
        self.contig, self.position = self.columns[0], int(self.columns[1])
        self.alleles = [self.columns[3], *self.columns[4].split(',')]
        self.sample = dict(zip(self.columns[8].split(':'), self.columns[9].split(':')))
        self.copies = self.sample['GT'].replace('|', '/').split('/')
        self.is_heterozygous = len(set(self.copies)) == 2


def genes(reference_index, folder):
    """One gene on each contig, whose coding sequence is all of it but the ends, as Ensembl writes GFF3."""
    lines = ['##gff-version 3']
    for row in reference_index.read_text().splitlines():
        contig, length = row.split('\t')[:2]
        end = 1000 + (int(length) - 2000) // 3 * 3
        for kind, phase, tags in (('gene', '.', f'ID=gene:G{contig};Name=G{contig};biotype=protein_coding'),
                                  ('mRNA', '.', f'ID=transcript:T{contig};Parent=gene:G{contig};biotype=protein_coding'),
                                  ('exon', '.', f'Parent=transcript:T{contig}'), ('CDS', '0', f'Parent=transcript:T{contig}')):
            lines.append('\t'.join([contig, 'test', kind, '1001', str(end), '.', '+', phase, tags]))
    path = folder / 'genes.gff3'
    path.write_text('\n'.join(lines) + '\n')
    return path


class PhaseTest(gannet_testing.Case):
    @classmethod
    def setUpClass(cls):
        cls.sample, cls.output = gannet_testing.called_sample()
        cls.vcf = cls.output / 's.vcf.gz'
        cls.records = [Record(line) for line in vcf_body(cls.vcf)]

    def unphased(self):
        path = self.folder() / 'unphased.vcf'
        lines = [line.replace('|', '/') for line in vcf_body(self.vcf)]
        path.write_text(''.join(vcf_header(self.vcf) + lines))
        return path

    def test_heterozygous_genotypes_are_in_blocks_named_by_their_first_site(self):
        blocks = {}
        for record in self.records:
            phased = '|' in record.sample['GT']
            self.assertEqual(phased, 'PS' in record.sample, record.columns)
            if not record.is_heterozygous:
                self.assertFalse(phased, record.columns)
            if phased:
                blocks.setdefault((record.contig, int(record.sample['PS'])), []).append(record)
        for (_, name), block in blocks.items():
            self.assertEqual(block[0].position, name)
            self.assertLess(int(block[0].copies[0]), int(block[0].copies[1]), block[0].columns)
        heterozygous = sum(record.is_heterozygous for record in self.records)
        self.assertGreater(heterozygous, 100)
        self.assertGreaterEqual(sum(map(len, blocks.values())), heterozygous - 2)  # two blocks seldom begin at one position

    def test_phase_is_that_of_the_truth(self):
        done = gannet_testing.execute([COMPARE_PHASE, self.sample.truth, self.vcf, '--json'])
        result = json.loads(done.stdout)
        self.assertGreater(result['pairs'], 30)
        self.assertEqual(result['switches'], 0, result)

    def test_csq_needs_no_option_for_unphased_genotypes(self):
        folder = self.folder()
        gff = genes(self.sample.reference.with_name('ref.fa.fai'), folder)
        out = folder / 'csq.vcf'
        bcftools('csq', '-f', self.sample.reference, '-g', gff, '-o', out, self.vcf)
        self.assertGreater(sum('BCSQ=' in line for line in vcf_body(out)), 100)
        refused = gannet_testing.execute(['bcftools', 'csq', '-f', self.sample.reference, '-g', gff, '-o', out, self.unphased()])
        self.assertNotEqual(refused.returncode, 0)  # so that this test means something
        self.assertIn('phase', refused.stderr)

    def test_compare_counts_phased_calls_as_unphased_ones(self):
        def counts(path):
            return run('compare', self.sample.truth, path, '--reference', self.sample.reference, '--targets', self.sample.confident).stdout

        self.assertEqual(counts(self.vcf), counts(self.unphased()))

    def test_bcftools_normalises_phased_records(self):
        out = self.folder() / 'split.vcf'
        bcftools('norm', '-m-', '-f', self.sample.reference, '-c', 'e', '-o', out, self.vcf)
        self.assertGreaterEqual(len(vcf_body(out)), len(self.records))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
