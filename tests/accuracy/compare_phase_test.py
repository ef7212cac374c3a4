#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests compare_phase on small files: what counts as a switch, which sites take part, the length of blocks."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / 'compare_phase'
HEAD = '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\n'


def record(position, genotype, block=None, alleles=('A', 'C'), filters='PASS', contig='c'):
    names, values = ('GT:PS', f'{genotype}:{block}') if block else ('GT', genotype)
    return f"{contig}\t{position}\t.\t{alleles[0]}\t{','.join(alleles[1:])}\t50\t{filters}\t.\t{names}\t{values}\n"


class ComparePhase(unittest.TestCase):
    def compare(self, truth, calls, *options):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, records in ('t.vcf', truth), ('c.vcf', calls):
                paths.append(pathlib.Path(folder) / name)
                paths[-1].write_text(HEAD + ''.join(records))
            done = subprocess.run([sys.executable, str(SCRIPT), *map(str, paths), '--json', *options], capture_output=True, text=True,
                                  check=True)
        return json.loads(done.stdout.splitlines()[0])

    def expect(self, result, **values):
        self.assertEqual({name: result[name] for name in values}, values)

    def test_same_phase_has_no_errors_whichever_haplotype_is_first(self):
        truth = [record(10, '0|1'), record(20, '1|0'), record(30, '0|1')]
        calls = [record(10, '1|0', 10), record(20, '0|1', 10), record(30, '1|0', 10)]
        self.expect(self.compare(truth, calls), hets=3, phased=3, blocks=1, n50=21, pairs=2, switches=0, hamming=0)

    def test_a_switch_is_one_error_and_its_tail_the_distance(self):
        truth = [record(position, '0|1') for position in (10, 20, 30, 40, 50)]
        calls = [record(position, '0|1' if position < 40 else '1|0', 10) for position in (10, 20, 30, 40, 50)]
        self.expect(self.compare(truth, calls), pairs=4, switches=1, hamming=2, compared=5)

    def test_blocks_are_compared_apart(self):
        truth = [record(position, '0|1') for position in (10, 20, 30, 40)]
        calls = [record(10, '0|1', 10), record(20, '0|1', 10), record(30, '1|0', 30), record(40, '1|0', 30)]
        self.expect(self.compare(truth, calls), blocks=2, pairs=2, switches=0, hamming=0)

    def test_single_and_unphased_sites_are_not_phased(self):
        truth = [record(position, '0|1') for position in (10, 20, 30)]
        calls = [record(10, '0|1', 10), record(20, '0/1'), record(30, '1|0', 30)]
        self.expect(self.compare(truth, calls), hets=3, phased=0, blocks=0, n50=0, pairs=0)

    def test_sites_that_the_truth_has_not_are_passed_over(self):
        truth = [record(10, '0|1'), record(20, '1|1'), record(30, '0|1'), record(40, '0/1')]
        calls = [record(10, '0|1', 10), record(20, '0|1', 10), record(25, '1|0', 10), record(30, '0|1', 10), record(40, '1|0', 10)]
        self.expect(self.compare(truth, calls), phased=5, compared=2, pairs=1, switches=0, n50=31)

    def test_padding_and_spanning_deletions_do_not_hide_a_change(self):
        truth = [record(10, '0|1', alleles=('AT', 'A')), record(20, '0|1', alleles=('G', 'T')), record(30, '1|2', alleles=('CA', 'C', 'CAA'))]
        calls = [record(10, '1|0', 10, alleles=('ATT', 'AT')), record(20, '2|1', 10, alleles=('G', 'T', '*')),
                 record(30, '1|2', 10, alleles=('CA', 'C', 'CAA'))]
        self.expect(self.compare(truth, calls), compared=3, pairs=2, switches=1)

    def test_filtered_calls_count_on_demand(self):
        truth = [record(10, '0|1'), record(20, '0|1')]
        calls = [record(10, '0|1', 10), record(20, '0|1', 10, filters='LowQual')]
        self.expect(self.compare(truth, calls), hets=1, phased=0)
        self.expect(self.compare(truth, calls, '--all-filters'), hets=2, phased=2)

    def test_half_of_the_length_is_in_blocks_of_n50(self):
        calls = []
        for begin, length in (100, 500), (1000, 300), (2000, 200), (3000, 100):
            calls += [record(begin, '0|1', begin), record(begin + length - 1, '0|1', begin)]
        self.expect(self.compare([], calls), n50=300, blocks=4)

    def test_regions_limit_both_files(self):
        truth = [record(position, '0|1') for position in (10, 20, 30)]
        calls = [record(position, '0|1', 10) for position in (10, 20, 30)]
        self.expect(self.compare(truth, calls, '--regions', 'c:15-30'), hets=2, pairs=1)


if __name__ == '__main__':
    unittest.main()
