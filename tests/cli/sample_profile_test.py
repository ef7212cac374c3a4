#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that contamination and base qualities are measured alike on every way to the calls, and what they change.

The contaminated sample is simulated by the program itself: reads of one person with 4 % of another's on the same reference, and
base qualities raised by a tenth, so that they promise too much.
"""
import functools
import gzip
import json
import re
import shutil
import subprocess

import gannet_testing
from gannet_testing import needs_tool, new_folder, program, run, simulated, vcf_body, vcf_header

SIZE_MB = 0.8
PART = 0.04
RAISED = bytes(33 + round((c - 33) / 0.9) if 33 + 10 <= c <= 33 + 40 else c for c in range(256))


def profile(path):
    lines = [line for line in vcf_header(path) if line.startswith('##gannet_sample_profile=')]
    assert len(lines) == 1, lines
    return lines[0].rstrip('\n').split('=', 1)[1]


def genotypes(path):
    """(contig, position, alleles) -> genotype of the records that pass."""
    records = (line.split('\t') for line in vcf_body(path))
    return {(r[0], r[1], r[3], r[4]): r[9].split(':')[0].replace('|', '/') for r in records if r[6] == 'PASS'}


class Dirty:
    """The contaminated sample, its run and the calls of the same alignments without a measurement."""

    def __init__(self):
        own = simulated(SIZE_MB, 30, 31)
        folder = new_folder()
        run('simulate', '--reference', own.reference, '--coverage', 30 * PART, '--seed', 32, '-o', folder / 'other', '-q')
        self.reference, self.truth = own.reference, own.truth
        self.reads = [folder / 'r_1.fq', folder / 'r_2.fq']
        for mate in range(2):
            with open(self.reads[mate], 'wb') as out:
                for prefix, reads in ((b'@own.', own.reads[mate]), (b'@other.', folder / 'other' / own.reads[mate].name)):
                    with gzip.open(reads) as lines:
                        for number, line in enumerate(lines):
                            if number % 4 == 0:
                                line = prefix + line[1:]
                            elif number % 4 == 3:
                                line = line.rstrip(b'\n').translate(RAISED) + b'\n'
                            out.write(line)
        self.out = folder / 'out'
        run('run', self.reference, *self.reads, '-o', self.out, '--sample', 's', '-q')
        self.bam, self.vcf = self.out / 's.bam', self.out / 's.vcf.gz'
        self.plain = folder / 'plain.vcf.gz'
        self.warnings = run('call', self.reference, self.bam, '-o', self.plain, '--no-scorer', '--contamination', '0', '--base-qualities',
                            'as-is').stderr


@functools.cache
def dirty():
    return Dirty()


class SampleProfile(gannet_testing.Case):
    def call(self, *words, alignments=None, **more):
        vcf = self.folder() / 'x.vcf.gz'
        run('call', dirty().reference, alignments or dirty().bam, '-o', vcf, '-q', *words, **more)
        return vcf

    def test_contamination_and_qualities_are_measured(self):
        text = profile(dirty().vcf)
        percent = float(re.match(r'contamination ([0-9.]+) %', text).group(1))
        self.assertTrue(0.7 * 100 * PART < percent < 1.3 * 100 * PART, text)
        pairs = re.search(r'base qualities ([0-9:,]+) \(measured', text).group(1).split(',')
        lowered = {int(reported): int(used) for reported, used in (pair.split(':') for pair in pairs)}
        for reported in (36, 41, 44):
            self.assertLessEqual(abs(lowered[reported] - 0.9 * reported), 1, text)

    def test_run_is_align_then_call(self):
        vcf = self.call()
        self.assertEqual(profile(vcf), profile(dirty().vcf))
        self.assertEqual(vcf_body(vcf), vcf_body(dirty().vcf))
        report = json.loads((dirty().out / 's.run.json').read_text())
        self.assertEqual(report['parameters']['sample_profile'], profile(dirty().vcf))

    def test_shards_and_threads_measure_the_same(self):
        contigs = [line.split('=')[2].split(',')[0] for line in vcf_header(dirty().vcf) if line.startswith('##contig=<ID=')]
        body = []
        for number, contig in enumerate(contigs):
            vcf = self.call('--regions', contig, '-t', number % 3 + 1)
            self.assertEqual(profile(vcf), profile(dirty().vcf))
            body += vcf_body(vcf)
        self.assertEqual(body, vcf_body(dirty().vcf))

    def test_file_without_an_index_measures_the_same(self):
        bam = self.folder() / 's.bam'
        shutil.copy(dirty().bam, bam)
        vcf = self.call(alignments=bam)
        self.assertEqual(profile(vcf), profile(dirty().vcf))
        self.assertEqual(vcf_body(vcf), vcf_body(dirty().vcf))

    def with_mapping_qualities(self, change):
        """The alignments with other mapping qualities, indexed."""
        needs_tool('samtools')
        path = self.folder() / 'm.bam'
        lines = subprocess.run(['samtools', 'view', '-h', '--no-PG', dirty().bam], check=True, capture_output=True, text=True).stdout.splitlines()
        rows = [line if line.startswith('@') else line.split('\t') for line in lines]
        text = '\n'.join(row if isinstance(row, str) else '\t'.join(row[:4] + [str(change(int(row[4])))] + row[5:]) for row in rows)
        subprocess.run(['samtools', 'view', '-b', '--no-PG', '-o', path], input=text + '\n', text=True, check=True)
        subprocess.run(['samtools', 'index', path], check=True)
        return path

    def test_lower_ceiling_of_mapping_qualities_is_brought_to_the_usual_scale(self):
        even = self.call(alignments=self.with_mapping_qualities(lambda quality: quality // 2 * 2))
        half = self.call(alignments=self.with_mapping_qualities(lambda quality: quality // 2))
        self.assertIn('; mapping qualities up to 60; reads of ', profile(even))
        self.assertEqual(profile(half), profile(even).replace('up to 60', 'up to 30, used as up to 60'))
        self.assertEqual(vcf_body(half), vcf_body(even))

    def test_higher_ceiling_of_mapping_qualities_changes_nothing(self):
        vcf = self.call(alignments=self.with_mapping_qualities(lambda quality: 250 if quality == 60 else quality))
        self.assertIn('; mapping qualities up to 250, used as up to 60;', profile(vcf))
        self.assertEqual(vcf_body(vcf), vcf_body(dirty().vcf))

    def test_cram_measures_the_same(self):
        needs_tool('samtools')
        cram = self.folder() / 's.cram'
        for words in (['view', '-C', '-T', dirty().reference, '-o', cram, dirty().bam], ['index', cram]):
            subprocess.run(['samtools', *map(str, words)], check=True, stderr=subprocess.DEVNULL)
        vcf = self.call(alignments=cram)
        self.assertEqual(profile(vcf), profile(dirty().vcf))
        self.assertEqual(vcf_body(vcf), vcf_body(dirty().vcf))

    def test_standard_input_is_called_as_it_is(self):
        vcf = self.folder() / 'x.vcf'
        with open(dirty().bam, 'rb') as alignments:
            subprocess.run([program(), 'call', dirty().reference, '-', '-o', vcf, '-q'], stdin=alignments, check=True)
        self.assertIn('not measured', profile(vcf))
        self.assertTrue(profile(vcf).endswith('mapping qualities up to 60; reads of about 150 bp'), profile(vcf))
        # The other one knows how often reads change repeats: their indels have other likelihoods.
        records, measured = set(vcf_body(vcf)), set(vcf_body(dirty().plain))
        self.assertGreater(len(records & measured), 0.9 * len(measured))
        self.assertLess(len(genotypes(vcf).items() ^ genotypes(dirty().plain).items()), 0.01 * len(measured))

    def test_other_person_makes_fewer_sites_heterozygous(self):
        truth = {key: value.replace('|', '/') for key, value in genotypes(dirty().truth).items()}
        homozygous = [key for key, value in truth.items() if value == '1/1']
        wrong = {}
        for path in (dirty().plain, dirty().vcf):
            calls = genotypes(path)
            wrong[path] = sum(calls.get(key) in ('0/1', '1/2') for key in homozygous)
        self.assertGreater(wrong[dirty().plain], 10)
        self.assertLess(wrong[dirty().vcf], wrong[dirty().plain] / 4)
        heterozygous = [key for key, value in truth.items() if value in ('0/1', '1/0')]
        found = [sum(genotypes(path).get(key) == '0/1' for key in heterozygous) for path in (dirty().plain, dirty().vcf)]
        self.assertGreaterEqual(found[1], found[0] - len(heterozygous) // 300)

    def test_given_values_are_used_and_stated(self):
        vcf = self.call('--contamination', '0.04', '--base-qualities', 'as-is')
        self.assertRegex(profile(vcf), r'^contamination 4\.00 % \(--contamination\); base qualities as reported \(--base-qualities\); depth [0-9]')
        command = next(line for line in vcf_header(vcf) if line.startswith('##gannet_command='))
        self.assertIn('--contamination 0.04 --base-qualities as-is', command)
        self.assertNotEqual(vcf_body(vcf), vcf_body(dirty().plain))
        for value in ('-1', '0.3', 'much', '2%', 'nan'):
            self.refused(2, 'call', dirty().reference, dirty().bam, '--contamination', value, says='--contamination')

    def test_contamination_is_warned_of(self):
        done = run('call', dirty().reference, dirty().bam, '-o', self.folder() / 'x.vcf')
        self.assertIn('are of another individual', done.stderr)
        self.assertNotIn('are of another individual', dirty().warnings)

    def test_contamination_beyond_the_estimates_is_at_least_the_highest(self):
        other, folder = simulated(SIZE_MB, 30, 31), self.folder()
        run('simulate', '--reference', other.reference, '--coverage', 6, '--seed', 32, '-o', folder / 'other', '-q')
        reads = []
        for mate in other.reads:
            reads.append(folder / mate.name)
            reads[-1].write_bytes(mate.read_bytes() + (folder / 'other' / mate.name).read_bytes())
        done = run('run', other.reference, *reads, '-o', folder / 'out', '--sample', 's')
        self.assertRegex(done.stderr, r'warning.* at least 1[0-9]\.00 % of the fragments are of another individual')
        self.assertRegex(profile(folder / 'out' / 's.vcf.gz'), r'^contamination at least 1[0-9]\.00 % \(measured: ')
        self.assertRegex((folder / 'out' / 's.report.html').read_text(), r'at least 1[0-9]\.00 %')

    def test_what_a_stream_of_alignments_cannot_have_is_warned_of(self):
        with open(dirty().bam, 'rb') as stream:
            done = run('call', dirty().reference, '-', '-o', self.folder() / 'x.vcf', '-q', stdin=stream)
        self.assertRegex(done.stderr, 'warning.* can be read only once: contamination and base qualities are not measured, and the scorer is not used')

    def test_clean_sample_is_called_as_without_a_measurement(self):
        sample = simulated(SIZE_MB, 30, 31)
        folder = self.folder()
        run('align', sample.reference, *sample.reads, '-o', folder / 's.bam', '--sample', 's', '-q')
        for name, words in (('auto', ()), ('off', ('--contamination', '0', '--base-qualities', 'as-is'))):
            run('call', sample.reference, folder / 's.bam', '-o', folder / f'{name}.vcf', '-q', *words)
        self.assertEqual(vcf_body(folder / 'auto.vcf'), vcf_body(folder / 'off.vcf'))
        self.assertRegex(profile(folder / 'auto.vcf'), r'^contamination 0\.00 % \(measured: .*; base qualities as reported; depth [0-9].*$')


class Damage(gannet_testing.Case):
    """FFPE tissue: in mate 1 four of 100 C are read as T, in mate 2 as many G as A."""

    def test_damage_is_named_and_gives_no_calls(self):
        own = simulated(SIZE_MB, 30, 31)
        folder = self.folder()
        (folder / 'library.json').write_text('{"deamination_rate": 0.04}')
        run('simulate', '--reference', own.reference, '--variants', own.truth, '--library', folder / 'library.json', '--fragment-mean', 250,
            '--coverage', 25, '--seed', 33, '-o', folder / 'reads', '-q')
        reads = sorted((folder / 'reads').glob('reads_?.fq.gz'))
        done = run('run', own.reference, *reads, '-o', folder / 'out', '--sample', 's')
        rate = float(re.search(r'in the direction of mate 1 it has C>T ([0-9.]+) %; such bases count for less', done.stderr).group(1))
        self.assertTrue(3.5 < rate < 4.3, rate)
        self.assertIn('; damage C>T %.2f %%; ' % rate, profile(folder / 'out' / 's.vcf.gz'))
        self.assertIn('contamination 0', profile(folder / 'out' / 's.vcf.gz'))
        as_is = folder / 'as_is.vcf.gz'
        said = run('call', own.reference, folder / 'out' / 's.bam', '-o', as_is, '--base-qualities', 'as-is').stderr
        self.assertIn('(--base-qualities as-is)', said)
        wrong = {}
        for name, calls in (('measured', folder / 'out' / 's.vcf.gz'), ('as is', as_is)):
            run('compare', own.truth, calls, '--reference', own.reference, '-o', folder / name)
            wrong[name] = json.loads((folder / name / 'compare.json').read_text())['genotype']['snp']['calls_wrong']
        self.assertLess(wrong['measured'], 20)
        self.assertGreater(wrong['as is'], 5 * wrong['measured'] + 50)

    def test_ancient_dna_is_damaged_at_the_ends_of_fragments(self):
        own = simulated(SIZE_MB, 30, 31)
        folder = self.folder()
        (folder / 'library.json').write_text('{"end_deamination_rate": 0.3}')
        run('simulate', '--reference', own.reference, '--variants', own.truth, '--library', folder / 'library.json', '--fragment-mean', 65,
            '--fragment-sd', 12, '--read-length', 60, '--coverage', 4, '--seed', 34, '-o', folder / 'reads', '-q')
        reads = sorted((folder / 'reads').glob('reads_?.fq.gz'))
        done = run('run', own.reference, *reads, '-o', folder / 'out', '--sample', 's')
        rates = re.search(r'in the direction of mate 1 it has (?:C>T [0-9.]+ %, )?at the begin C>T ([0-9.]+) %, at the end G>A ([0-9.]+) %', done.stderr)
        self.assertTrue(all(26 < float(rate) < 33 for rate in rates.groups()), rates.groups())
        run('call', own.reference, folder / 'out' / 's.bam', '-o', folder / 'as_is.vcf.gz', '--base-qualities', 'as-is')
        wrong = {}
        for name, calls in (('measured', folder / 'out' / 's.vcf.gz'), ('as is', folder / 'as_is.vcf.gz')):
            run('compare', own.truth, calls, '--reference', own.reference, '-o', folder / name)
            wrong[name] = json.loads((folder / name / 'compare.json').read_text())['allele']['snp']['calls_wrong']
        self.assertGreater(wrong['as is'], 4 * wrong['measured'] + 10, wrong)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
