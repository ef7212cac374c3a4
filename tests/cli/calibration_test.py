# SPDX-License-Identifier: MIT
"""Checks tests/accuracy/calibration: counts per bin, intervals, and what is called within a factor of two."""
import gzip
import importlib.machinery
import importlib.util
import subprocess
import sys

import gannet_testing
from gannet_testing import ROOT, Case

SCRIPT = ROOT / 'tests' / 'accuracy' / 'calibration'


def load():
    loader = importlib.machinery.SourceFileLoader('calibration', str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('calibration', loader))
    loader.exec_module(module)
    return module


def write(path, rows):
    """rows: (position, REF, ALT, QUAL, INFO, FORMAT, sample)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, 'wt') as out:
        out.write('##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\n')
        for position, reference, alternate, quality, info, names, sample in rows:
            out.write(f'c\t{position}\t.\t{reference}\t{alternate}\t{quality}\tPASS\t{info}\t{names}\t{sample}\n')


class Calibration(Case):
    @classmethod
    def setUpClass(cls):
        sys.dont_write_bytecode = True
        cls.calibration = load()

    def rows(self, calls):
        return {(r[0], r[1], r[2]): r[3:] for r in self.calibration.table(calls)}

    def test_interval_is_that_of_poisson_counts(self):
        for count, low, high in ((0, 0.0, 3.6889), (1, 0.0253, 5.5716), (10, 4.7954, 18.3904), (100, 81.3635, 121.6272)):
            interval = self.calibration.poisson_interval(count)
            self.assertAlmostEqual(interval[0], low, places=3)
            self.assertAlmostEqual(interval[1], high, places=3)

    def test_bins_hold_their_lower_edge(self):
        names = [self.calibration.bin_name(self.calibration.bin_of(q)) for q in (3, 9.99, 10, 29.9, 30, 50, 4000)]
        self.assertEqual(names, ['3-10', '3-10', '10-20', '20-30', '30-50', '50+', '50+'])
        self.assertIsNone(self.calibration.bin_of(2.99))

    def test_quality_counts_alleles_and_genotype_quality_counts_genotypes(self):
        rows = self.rows([('snp', 15.0, 25.0, False, True), ('snp', 15.0, 25.0, True, True), ('indel', 60.0, None, False, False)])
        self.assertEqual(rows['snp', 'QUAL', '10-20'][:2], (2, 1))
        self.assertEqual(rows['snp', 'GQ', '20-30'][:2], (2, 2))
        self.assertAlmostEqual(rows['snp', 'QUAL', '10-20'][5], 10 ** -1.5)
        self.assertEqual(rows['indel', 'QUAL', '50+'][:2], (1, 0))
        self.assertNotIn(('indel', 'GQ', '50+'), rows)

    def test_agreement_needs_enough_counts(self):
        def agree(stated, calls, wrong):
            return self.calibration.agreement(stated, calls, self.calibration.poisson_interval(wrong))
        self.assertEqual(agree(0.01, 10000, 100), 'yes')
        self.assertEqual(agree(0.01, 10000, 400), 'no')
        self.assertEqual(agree(0.01, 10000, 10), 'no')
        self.assertEqual(agree(0.01, 100, 1), '?')

    def test_folder_of_compare_is_joined_with_the_calls(self):
        folder = self.folder()
        calls = folder / 'calls.vcf.gz'
        write(calls, [(5, 'A', 'C', 12, '.', 'GT:GQ', '0/1:11'), (9, 'A', 'AC', 40, '.', 'GT:GQ', '0/1:35'),
                      (20, 'G', 'T,C', 55, '.', 'GT:GQ', '1/2:25')])
        write(folder / 'r' / 'tp.vcf.gz', [(9, 'A', 'AC', 40, 'CHANGES=x;MATCH=genotype', 'GT', '0/1'),
                                           (20, 'G', 'T,C', 55, 'CHANGES=x;MATCH=genotype', 'GT', '1/2')])
        write(folder / 'r' / 'fp.vcf.gz', [(5, 'A', 'C', 12, 'CHANGES=x;MATCH=allele', 'GT', '0/1'),
                                           (20, 'G', 'T,C', 55, 'CHANGES=x;MATCH=none', 'GT', '1/2')])
        done = subprocess.run([sys.executable, str(SCRIPT), '--compared', str(folder / 'r'), str(calls)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        cells = [[cell.strip() for cell in line.split('|')[1:6]] for line in done.stdout.splitlines()[2:]]
        self.assertEqual(cells, [['snp', 'QUAL', '10-20', '1', '0'], ['snp', 'QUAL', '50+', '1', '1'],
                                 ['snp', 'GQ', '10-20', '1', '1'], ['snp', 'GQ', '20-30', '1', '1'],
                                 ['indel', 'QUAL', '30-50', '1', '0'], ['indel', 'GQ', '30-50', '1', '0']])

    def test_calls_of_another_file_are_refused(self):
        folder = self.folder()
        write(folder / 'calls.vcf.gz', [])
        write(folder / 'r' / 'tp.vcf.gz', [(9, 'A', 'C', 40, 'MATCH=genotype', 'GT', '0/1')])
        write(folder / 'r' / 'fp.vcf.gz', [])
        done = subprocess.run([sys.executable, str(SCRIPT), '--compared', str(folder / 'r'), str(folder / 'calls.vcf.gz')],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('give the calls that were compared', done.stderr)

    def test_folders_of_vcfeval_give_both_kinds_of_error(self):
        folder = self.folder()
        sample = ('GT:GQ', '0/1:60')
        write(folder / 'g' / 'tp.vcf.gz', [(5, 'A', 'C', 70, '.', *sample)])
        write(folder / 'g' / 'fp.vcf.gz', [(9, 'A', 'C', 70, '.', *sample), (12, 'A', 'C', 70, '.', *sample)])
        write(folder / 'a' / 'tp.vcf.gz', [(5, 'A', 'C', 70, '.', *sample), (9, 'A', 'C', 70, '.', *sample)])
        write(folder / 'a' / 'fp.vcf.gz', [(12, 'A', 'C', 70, '.', *sample)])
        rows = self.rows(self.calibration.read_vcfeval(str(folder / 'g'), str(folder / 'a')))
        self.assertEqual(rows['snp', 'QUAL', '50+'][:2], (3, 1))
        self.assertEqual(rows['snp', 'GQ', '50+'][:2], (3, 2))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
