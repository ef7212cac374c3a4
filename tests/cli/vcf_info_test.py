#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks INFO and FILTER of the VCF that `gannet run` writes: against bcftools, and against their definitions.

AC, AN and AF are those of `bcftools +fill-tags`; DP, QD and FS follow from QUAL, AD and SB; bcftools can filter by all of them; the
header describes each filter with its threshold, and no filter that the run cannot set.
"""
import math

import gannet_testing
from gannet_testing import bcftools, run, vcf_body, vcf_header

RANK_SUMS = ['BaseQRankSum', 'MQRankSum', 'ReadPosRankSum']
TAGS = ['AC', 'AF', 'AN', 'AS_SB_TABLE', 'BaseQRankSum', 'DP', 'FS', 'MQ', 'MQRankSum', 'QD', 'ReadPosRankSum', 'SB', 'SOR']


def exact_strand_bias(table):
    """Phred-scaled p-value of Fisher's exact test, two-sided, as R's fisher.test."""
    a, b, c, d = table
    forward, reverse, alternate = a + c, b + d, c + d

    def log_choose(n, k):
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    def probability(k):
        return math.exp(log_choose(forward, k) + log_choose(reverse, alternate - k) - log_choose(forward + reverse, alternate))

    observed = probability(c)
    values = [probability(k) for k in range(max(0, alternate - reverse), min(alternate, forward) + 1)]
    return -10 * math.log10(min(1.0, sum(value for value in values if value <= observed * (1 + 3e-4))))


class Record:
    def __init__(self, line):
        self.columns = line.rstrip('\n').split('\t')
        self.site = tuple(self.columns[:5])
        self.quality = float(self.columns[5])
        self.tags = [field.split('=')[0] for field in self.columns[7].split(';')]
        self.info = dict(field.split('=') for field in self.columns[7].split(';'))
        self.sample = dict(zip(self.columns[8].split(':'), self.columns[9].split(':')))

    def numbers(self, tag):
        return [float(value) for value in self.info[tag].split(',')]


class InfoTest(gannet_testing.Case):
    @classmethod
    def setUpClass(cls):
        cls.sample, cls.output = gannet_testing.called_sample()
        cls.vcf = cls.output / 's.vcf.gz'
        cls.records = [Record(line) for line in vcf_body(cls.vcf)]

    def test_every_record_has_every_tag_in_order(self):
        self.assertGreater(len(self.records), 200)
        for record in self.records:
            depths = [int(depth) for depth in record.sample['AD'].split(',')]
            has_both = depths[0] > 0 and max(depths[1:]) > 0
            # A read of a haplotype need not have a base at the position itself.
            wanted = [tag for tag in TAGS if tag not in RANK_SUMS or tag in record.tags]
            self.assertEqual(record.tags, wanted)
            if not has_both:
                self.assertFalse(set(RANK_SUMS) & set(record.tags), record.columns)
        mixed = [record for record in self.records if record.sample['GT'] in ('0/1', '0|1', '1|0') and len(record.columns[3]) == len(record.columns[4]) == 1]
        self.assertGreater(len(mixed), 100)
        for record in mixed:
            self.assertLessEqual(set(RANK_SUMS), set(record.tags), record.columns)

    def test_strand_counts_by_allele_are_those_of_the_depths(self):
        for record in self.records:
            table = [[int(count) for count in of_allele.split(',')] for of_allele in record.info['AS_SB_TABLE'].split('|')]
            alleles = [record.columns[3], *record.columns[4].split(',')]
            self.assertEqual([sum(counts) for counts in table], [int(depth) for depth in record.sample['AD'].split(',')])
            # A spanning deletion counts as the reference.
            sides = [0 if i == 0 or allele == '*' else 2 for i, allele in enumerate(alleles)]
            expected = [sum(counts[strand] for side, counts in zip(sides, table) if side == row) for row in (0, 2) for strand in (0, 1)]
            self.assertEqual([int(count) for count in record.info['SB'].split(',')], expected)

    def test_strand_odds_ratio_is_gatks_formula(self):
        for record in self.records:
            a, b, c, d = (int(count) + 1 for count in record.info['SB'].split(','))
            odds = a * d / (b * c)
            expected = math.log(odds + 1 / odds) + math.log(min(a, b) / max(a, b)) - math.log(min(c, d) / max(c, d))
            self.assertAlmostEqual(record.numbers('SOR')[0], expected, delta=0.00051, msg=record.columns)

    def test_rank_sums_are_z_scores(self):
        for tag in RANK_SUMS:
            values = [record.numbers(tag)[0] for record in self.records if tag in record.info and record.sample['GT'][0] != record.sample['GT'][2]]
            self.assertGreater(len(values), 100)
            mean = sum(values) / len(values)
            spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
            self.assertLess(abs(mean), 0.5, tag)
            self.assertTrue(spread < 1.4 and (spread > 0.7 or tag == 'MQRankSum'), f'{tag}: {spread}')

    def test_allele_counts_are_those_of_fill_tags(self):
        wanted = '%CHROM\t%POS\t%REF\t%ALT\t%INFO/AC\t%INFO/AN\t%INFO/AF\n'
        ours = bcftools('query', '-f', wanted, self.vcf)
        bare = self.folder() / 'bare.vcf'
        bcftools('annotate', '-x', 'INFO', self.vcf, '-o', bare)
        self.assertNotIn('AC=', bare.read_text())
        filled = self.folder() / 'filled.vcf'
        bcftools('+fill-tags', bare, '-o', filled, '--', '-t', 'AC,AN,AF')
        self.assertEqual(bcftools('query', '-f', wanted, filled), ours)

    def test_depth_and_quality_by_depth_follow_from_the_sample(self):
        for record in self.records:
            depths = [int(depth) for depth in record.sample['AD'].split(',')]
            self.assertEqual(record.info['DP'], record.sample['DP'])
            self.assertGreaterEqual(int(record.info['DP']), sum(depths))
            quotient = record.quality / sum(depths)  # QD is of QUAL before its limit, which is never below 10
            self.assertGreaterEqual(record.numbers('QD')[0], quotient - 0.0051, msg=record.columns)
            if record.quality < 10:
                self.assertAlmostEqual(record.numbers('QD')[0], quotient, delta=0.0051, msg=record.columns)

    def test_strand_bias_is_fishers_exact_test(self):
        biased = 0
        for record in self.records:
            table = [int(count) for count in record.info['SB'].split(',')]
            expected = exact_strand_bias(table)
            biased += expected > 3
            self.assertAlmostEqual(record.numbers('FS')[0], expected, delta=0.05, msg=record.columns)
        self.assertGreater(biased, 10)

    def test_bcftools_filters_by_the_tags(self):
        for expression, holds in (
                ('INFO/FS>3', lambda r: r.numbers('FS')[0] > 3),
                ('QD<8', lambda r: r.numbers('QD')[0] < 8),
                ('INFO/AC=2', lambda r: 2 in r.numbers('AC')),
                ('INFO/AF<0.75 && INFO/DP>=20', lambda r: min(r.numbers('AF')) < 0.75 and r.numbers('DP')[0] >= 20),
                ('QD<2.0 || FS>60.0 || MQ<40.0',
                 lambda r: r.numbers('QD')[0] < 2 or r.numbers('FS')[0] > 60 or r.numbers('MQ')[0] < 40)):
            found = bcftools('query', '-i', expression, '-f', '%CHROM\t%POS\t%ID\t%REF\t%ALT\n', self.vcf)
            expected = [r.site for r in self.records if holds(r)]
            self.assertEqual([tuple(line.split('\t')) for line in found.splitlines()], expected, expression)

    def test_bcftools_stats_counts_sites_by_depth(self):
        stats = bcftools('stats', '-s', '-', self.vcf)
        counts = {line.split('\t')[2]: int(line.split('\t')[3]) for line in stats.splitlines() if line.startswith('SN\t')}
        self.assertEqual(counts['number of records:'], len(self.records))
        # Column 5 counts sites by INFO/DP; column 3 counts genotypes by FORMAT/DP.
        rows = [line.split('\t') for line in stats.splitlines() if line.startswith('DP\t')]
        self.assertEqual(sum(int(row[5]) for row in rows), len(self.records))

    def test_values_are_the_same_through_bcf(self):
        run('call', self.sample.reference, self.output / 's.bam', '-o', self.output / 'c.bcf', '--no-scorer', '-q')
        self.assertEqual(bcftools('view', '-H', self.output / 'c.bcf'), ''.join(vcf_body(self.vcf)))


class FilterTest(gannet_testing.Case):
    def descriptions(self, path):
        lines = [line for line in vcf_header(path) if line.startswith('##FILTER=<ID=')]
        return {line.split('=<ID=')[1].split(',')[0]: line.split('Description="')[1].rstrip('">\n') for line in lines}

    def test_header_states_thresholds(self):
        sample = gannet_testing.simulated(0.2, 20)
        folder = self.folder()
        run('align', sample.reference, *sample.reads, '-o', folder / 's.bam', '-q')
        names = ['PASS', 'LowQual', 'LowDepth', 'StrandBias', 'HighDepth', 'AlleleBias']
        for options in ('--no-scorer', '--scorer'):
            path = folder / f'{options}.vcf'
            run('call', sample.reference, folder / 's.bam', '-o', path, options, '-q')
            found = self.descriptions(path)
            self.assertEqual(list(found), names)
            for name, text in found.items():
                self.assertTrue(name == 'PASS' or any(letter.isdigit() for letter in text), f'{name}: {text}')
            self.assertEqual(found['LowQual'], 'QUAL below 10')
            used = {name for line in vcf_body(path) for name in line.split('\t')[6].split(';')}
            self.assertLessEqual(used, set(names))
            bcftools('view', path, '-Ou', '-o', '/dev/null')  # every tag and filter is defined


if __name__ == '__main__':
    gannet_testing.main(__doc__)
