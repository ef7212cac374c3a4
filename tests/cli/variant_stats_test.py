#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks SAMPLE.bcftools_stats.txt against what bcftools stats says of the same VCF."""
import gannet_testing
from gannet_testing import run, simulated
from qc_test import sections


class AsBcftools(gannet_testing.Case):
    def compare(self, *options):
        """Returns the sections of bcftools stats."""
        sample, folder = simulated(0.4, 25, 5), self.folder()
        run('run', sample.reference, *sample.reads, '-o', folder, '--sample', 'S', '--no-scorer', '--no-report', '-q', *options)
        ours = sections((folder / 'S.bcftools_stats.txt').read_text())
        theirs = sections(gannet_testing.bcftools('stats', '-s', '-', folder / 'S.vcf.gz'))
        self.assertEqual(ours.pop('ID'), ['0\tS.vcf.gz'])
        theirs.pop('ID')
        for tag, lines in theirs.items():
            self.assertEqual(ours.get(tag), lines, f'bcftools stats, {tag}')
        self.assertEqual(sorted(ours), sorted(theirs))
        return theirs

    def test_stats_are_those_of_bcftools(self):
        theirs = self.compare()
        self.assertGreater(len(theirs['IDD']), 5)
        self.assertGreater(len(theirs['QUAL']), 5)

    def test_stats_of_a_haploid_sample_are_those_of_bcftools(self):
        self.assertNotEqual(self.compare('--ploidy', '1')['PSC'][0].split('\t')[11], '0')

    def test_stats_of_given_alleles_are_those_of_bcftools(self):
        reference = simulated(0.4, 25, 5).reference
        name, _, lines = reference.read_text()[1:].split('>')[0].partition('\n')
        bases = lines.replace('\n', '').upper()
        given = ['##fileformat=VCFv4.2', f'##contig=<ID={name.split()[0]}>', '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO']
        for at in range(5000, len(bases) - 100, 1501):
            if 'N' in bases[at:at + 4]:
                continue
            one, two = [base for base in 'ACGT' if base != bases[at]][:2]
            pair = ''.join('C' if base != 'C' else 'A' for base in bases[at:at + 2])
            ref, alt = [(bases[at], one), (bases[at], f'{one},{two}'), (bases[at:at + 2], pair), (bases[at], bases[at] + 'ACGTTG'),
                        (bases[at:at + 4], bases[at]), (bases[at], f'{one},{bases[at]}GG')][at % 6]
            given.append(f'{name.split()[0]}\t{at + 1}\t.\t{ref}\t{alt}\t.\t.\t.')
        path = self.folder() / 'given.vcf'
        path.write_text('\n'.join(given) + '\n')
        summary = dict(line.split('\t')[1:] for line in self.compare('--alleles', path)['SN'])
        self.assertGreater(int(summary['number of multiallelic sites:']), 10)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
