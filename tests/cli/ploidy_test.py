#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks calls of haploid contigs: a simulated male against its truth, sex and ploidy options, and the records against bcftools."""
import functools
import json
import re

import gannet_testing
import scorer_test
from gannet_testing import bcftools, called, error_lines, run, vcf_body, vcf_header

PAR = (20_001, 60_000)  # 1-based, of chrX: called as diploid


class Male:
    """1.2 Mb in three contigs: an autosome of 30x, X and Y of 15x with one copy each."""

    def __init__(self):
        self.folder = gannet_testing.new_folder()
        run('simulate', '--size', 1.2, '--coverage', 0, '--seed', 21, '-o', self.folder / 'genome', '-q')
        self.reference = self.folder / 'ref.fa'
        names = iter(['chr1', 'chrX', 'chrY', 'chr2', 'chr3'])
        lines = (self.folder / 'genome' / 'ref.fa').read_text().splitlines()
        self.reference.write_text('\n'.join(f'>{next(names)}' if line.startswith('>') else line for line in lines) + '\n')
        run('simulate', '--reference', self.reference, '--haploid', 'chrX,chrY', '--coverage', 30, '--seed', 21, '-o', self.folder, '-q')
        self.truth = self.folder / 'truth.vcf.gz'
        self.confident = self.folder / 'confident.bed'
        self.par = self.folder / 'par.bed'
        self.par.write_text(f'chrX\t{PAR[0] - 1}\t{PAR[1]}\n')
        reads = [self.folder / 'reads_1.fq.gz', self.folder / 'reads_2.fq.gz']
        self.run = run('run', self.reference, *reads, '-o', self.folder / 'diploid', '--sample', 's', '--no-scorer')
        self.bam = self.folder / 'diploid' / 's.bam'
        self.diploid = self.folder / 'diploid' / 's.vcf.gz'

    def call(self, *options):
        """A VCF of the sample with these options."""
        path = gannet_testing.new_folder() / 'calls.vcf.gz'
        done = run('call', self.reference, self.bam, '-o', path, *options)
        return path, done.stderr


@functools.cache
def male():
    return Male()


@functools.cache
def male_calls(*scorer):
    return male().call('--sex', 'male', '--par', male().par, *(scorer or ['--no-scorer']))[0]


class Record:
    def __init__(self, line):
        self.line = line
        self.contig, position, _, self.ref, alternates = line.split('\t')[:5]
        self.position = int(position)
        self.alleles = [self.ref, *alternates.split(',')]
        columns = line.rstrip('\n').split('\t')
        self.info = dict(field.split('=') for field in columns[7].split(';'))
        self.sample = dict(zip(columns[8].split(':'), columns[9].split(':')))
        self.genotype = re.split('[/|]', self.sample['GT'])

    def is_haploid_locus(self):
        return self.contig == 'chrY' or (self.contig == 'chrX' and not PAR[0] <= self.position <= PAR[1])


def records(path):
    return [Record(line) for line in vcf_body(path)]


def f1(path, contigs, kind):
    """By gannet compare, with genotypes, on these contigs."""
    sample, folder = male(), gannet_testing.new_folder()
    targets = folder / 'targets.bed'
    targets.write_text(''.join(line for line in sample.confident.read_text().splitlines(True) if line.split('\t')[0] in contigs))
    run('compare', sample.truth, path, '--reference', sample.reference, '--targets', targets, '-o', folder, '-q')
    return json.loads((folder / 'compare.json').read_text())['genotype'][kind]['f1']


class SimulatedMale(gannet_testing.Case):
    def test_haploid_contigs_have_haploid_calls_only(self):
        found = records(male_calls())
        haploid = [record for record in found if record.is_haploid_locus()]
        self.assertGreater(len([record for record in haploid if record.contig == 'chrX']), 100)
        self.assertGreater(len([record for record in haploid if record.contig == 'chrY']), 100)
        for record in found:
            self.assertEqual(len(record.genotype), 1 if record.is_haploid_locus() else 2, record.line)
            alleles = len(record.alleles)
            expected = alleles if record.is_haploid_locus() else alleles * (alleles + 1) // 2
            self.assertEqual(len(record.sample['PL'].split(',')), expected, record.line)
            self.assertEqual(len(record.sample['AD'].split(',')), alleles, record.line)
            if record.is_haploid_locus():
                self.assertEqual((record.genotype, record.info['AN'], record.info['AC']), (['1'], '1', '1'), record.line)
                likelihoods = [int(value) for value in record.sample['PL'].split(',')]
                self.assertEqual(likelihoods[1], 0, record.line)
                self.assertGreater(likelihoods[0], 0, record.line)

    def test_calls_of_the_autosomes_and_of_the_par_are_those_without_sex(self):
        # How often reads change repeats is measured where the sample is diploid.
        def diploid_part(path):
            return called(record.line for record in records(path) if not record.is_haploid_locus())
        expected = diploid_part(male().diploid)
        self.assertGreater(len(expected), 400)
        self.assertEqual(diploid_part(male_calls()), expected)
        self.assertTrue(any(record.contig == 'chrX' for record in records(male_calls()) if not record.is_haploid_locus()))

    def test_f1_is_that_of_the_autosomes(self):
        autosomes = set(re.findall(r'ID=(chr\d)', ''.join(vcf_header(male().diploid))))
        for kind, margin in (('snp', 0.015), ('indel', 0.05)):
            autosomal, haploid = f1(male_calls(), autosomes, kind), f1(male_calls(), {'chrX', 'chrY'}, kind)
            self.assertGreaterEqual(haploid, autosomal - margin, kind)
            self.assertGreaterEqual(haploid, f1(male().diploid, {'chrX', 'chrY'}, kind), f'{kind}, as haploid and as diploid')

    def test_scorer_gives_haploid_genotypes_too(self):
        model = scorer_test.write_model(self.folder(), 'random', 5)
        self.assertNotEqual(vcf_body(male_calls('--model', str(model))), vcf_body(male_calls()))
        found = [record for record in records(male_calls('--model', str(model))) if record.is_haploid_locus()]
        self.assertGreater(len(found), 100)
        for record in found:
            self.assertEqual(record.genotype, ['1'], record.line)
            self.assertEqual(len(record.sample['PL'].split(',')), 2, record.line)

    def test_shards_and_bcf_have_the_same_records(self):
        expected = vcf_body(male_calls())
        parts = []
        # The second cut is inside of the PAR.
        for region in ('chr1', 'chrX:1-40000', 'chrX:40001-1000000', 'chrY'):
            if region.startswith('chrX:40001'):
                length = dict(re.findall(r'ID=(\w+),length=(\d+)', ''.join(vcf_header(male_calls()))))['chrX']
                region = f'chrX:40001-{length}'
            path, _ = male().call('--sex', 'male', '--par', male().par, '--no-scorer', '--regions', region, '-t', 1)
            parts += vcf_body(path)
        self.assertEqual(parts, [line for line in expected if line.split('\t')[0] in ('chr1', 'chrX', 'chrY')])
        bcf = self.folder() / 'c.bcf'
        run('call', male().reference, male().bam, '-o', bcf, '--sex', 'male', '--par', male().par, '--no-scorer', '-q')
        self.assertEqual(bcftools('view', '-H', bcf), ''.join(expected))


class Bcftools(gannet_testing.Case):
    def test_norm_and_view_accept_the_records(self):
        folder = self.folder()
        done = bcftools('norm', '-f', male().reference, '-c', 'e', '-m', '-any', male_calls(), '-o', folder / 'n.vcf')
        self.assertEqual(done, '')
        self.assertGreaterEqual(len(vcf_body(folder / 'n.vcf')), len(vcf_body(male_calls())))
        for record in records(folder / 'n.vcf'):
            if record.is_haploid_locus():
                self.assertEqual(len(record.sample['PL'].split(',')), 2, record.line)
        viewed = bcftools('view', '-H', '-i', 'GT="hap"', male_calls())
        self.assertEqual([Record(line).is_haploid_locus() for line in viewed.splitlines()],
                         [True] * len([record for record in records(male_calls()) if record.is_haploid_locus()]))

    def test_stats_counts_haploid_genotypes(self):
        stats = bcftools('stats', '-s', '-', male_calls())
        header = next(line for line in stats.splitlines() if line.startswith('# PSC\t'))
        columns = [re.sub(r'\[\d+\]', '', name) for name in header[2:].split('\t')]
        counts = dict(zip(columns, next(line for line in stats.splitlines() if line.startswith('PSC')).split('\t')))
        found = records(male_calls())
        self.assertEqual(int(counts['nHapAlt']), len([record for record in found if record.is_haploid_locus()]))
        self.assertEqual(int(counts['nHapRef']), 0)

    def test_fill_tags_counts_as_the_records_do(self):
        wanted = '%CHROM\t%POS\t%INFO/AC\t%INFO/AN\t%INFO/AF\n'
        folder = self.folder()
        bcftools('annotate', '-x', 'INFO', male_calls(), '-o', folder / 'bare.vcf')
        bcftools('+fill-tags', folder / 'bare.vcf', '-o', folder / 'filled.vcf', '--', '-t', 'AC,AN,AF')
        self.assertEqual(bcftools('query', '-f', wanted, folder / 'filled.vcf'), bcftools('query', '-f', wanted, male_calls()))


class Picard(gannet_testing.Case):
    def test_sort_vcf_keeps_haploid_records(self):
        out = self.folder() / 'sorted.vcf'
        gannet_testing.tool_output('PicardCommandLine', ['SortVcf', f'I={male_calls()}', f'O={out}', 'QUIET=true', 'VERBOSITY=ERROR'], {})
        self.assertEqual([(record.contig, record.position, record.alleles, record.sample) for record in records(out)],
                         [(record.contig, record.position, record.alleles, record.sample) for record in records(male_calls())])


class Options(gannet_testing.Case):
    def header(self, path):
        return next(line for line in vcf_header(path) if line.startswith('##gannet_ploidy=')).rstrip('\n').split('=', 1)[1]

    def test_header_states_the_ploidy_and_why(self):
        self.assertEqual(self.header(male().diploid), '2')
        self.assertEqual(self.header(male_calls()), '2; chrX 1 (male); chrY 1 (male); chrX:20001-60000 2 (--par)')
        command = next(line for line in vcf_header(male_calls()) if line.startswith('##gannet_command='))
        self.assertIn(f'--sex male --par {male().par}', command)

    def test_females_have_no_calls_on_y(self):
        path, log = male().call('--sex', 'female', '--no-scorer', '-q')
        found = vcf_body(path)
        self.assertEqual([line for line in found if line.startswith('chrY\t')], [])
        self.assertEqual(called(found), called(line for line in vcf_body(male().diploid) if not line.startswith('chrY\t')))
        self.assertEqual(self.header(path), '2; chrY 0 (female)')
        self.assertIn('--sex female, but X has', log)  # the reads are those of a male
        self.refused(3, 'call', male().reference, male().bam, '-o', self.folder() / 'x.vcf', '--sex', 'female', '--strict',
                     says='as in a male (--strict)')

    def exome(self):
        """Targets of 200 bp, on X and Y half as many as elsewhere."""
        bed = self.folder() / 'targets.bed'
        lengths = re.findall(r'SN:(\S+)\tLN:(\d+)', gannet_testing.samtools('view', '-H', male().bam))
        bed.write_text(''.join(f'{name}\t{begin}\t{begin + 200}\n' for name, length in lengths
                               for begin in range(400, int(length) - 1000, 2000 if name in ('chrX', 'chrY') else 1000)))
        return bed

    def test_sex_of_an_exome_is_that_of_its_targets(self):
        bed = self.exome()
        self.assertIn('--sex female, but X has', male().call('--sex', 'female', '--targets', bed, '--no-scorer', '-q')[1])
        self.assertNotIn('of the depth of the autosomes', male().call('--sex', 'male', '--par', male().par, '--targets', bed, '--no-scorer')[1])
        self.assertIn('as in a male: --sex male', male().call('--targets', bed, '--no-scorer')[1])
        # Of one contig alone no reads of the others are read.
        self.assertNotIn('of the depth of the autosomes', male().call('--sex', 'female', '--targets', bed, '--regions', 'chr1', '--no-scorer')[1])

    def test_alignments_without_reads_to_call_are_named(self):
        folder = self.folder()
        bed, empty, one = folder / 'none.bed', folder / 'empty.bam', folder / 'one.bam'
        gannet_testing.samtools('view', '-H', '-b', '-o', empty, male().bam)
        self.assertIn(f'{empty}: has no mapped reads, so there is nothing to call',
                      run('call', male().reference, empty, '-o', folder / 'x.vcf', '-q').stderr)
        gannet_testing.samtools('view', '-b', '-o', one, '--write-index', male().bam, 'chr1')
        bed.write_text('chr2\t1000\t2000\n')
        self.assertIn('has no mapped reads in the regions',
                      run('call', male().reference, one, '--targets', bed, '-o', folder / 'y.vcf', '-q').stderr)

    def test_depth_of_a_male_is_logged_with_advice(self):
        for log in (male().run.stderr, male().call('--no-scorer')[1]):
            advice = [line for line in log.splitlines() if '--sex male' in line]
            self.assertEqual(len(advice), 1, log)
            self.assertRegex(advice[0], r'X has [45]\d\.\d % and Y [345]\d\.\d % of the depth of the autosomes')
        for options in (['--sex', 'male', '--par', male().par], ['--ploidy', 2], ['--regions', 'chr1']):
            self.assertNotIn('depth of the autosomes', male().call('--no-scorer', *options)[1], options)

    def test_ploidy_by_number_and_by_file(self):
        self.assertEqual({len(record.genotype) for record in records(male().call('--ploidy', 1, '--no-scorer')[0])}, {1})
        folder = self.folder()
        bed = folder / 'ploidy.bed'
        length = 60_000
        bed.write_text(f'chr1\t0\t{length}\t1\nchrY\t0\t{length}\t0\n')
        found = records(male().call('--ploidy', bed, '--no-scorer')[0])
        self.assertTrue(found)
        for record in found:
            inside = record.position <= length and record.contig in ('chr1', 'chrY')
            self.assertFalse(inside and record.contig == 'chrY', record.line)
            self.assertEqual(len(record.genotype), 1 if inside else 2, record.line)
        rows = folder / 'ploidy.txt'
        rows.write_text('chrX 1 20000 M 1\nchrX 60001 9000000 M 1\nX 1 10 M 1\nchrY 1 9000000 M 1\nchrY 1 9000000 F 0\n* * * M 2\n* * * F 2\n')
        self.assertEqual(vcf_body(male().call('--ploidy', rows, '--sex', 'male', '--no-scorer')[0]), vcf_body(male_calls()))

    def test_a_file_by_sex_that_names_no_contig_of_the_reference_is_refused(self):
        rows = self.folder() / 'ploidy.txt'
        rows.write_text('X 1 20000 M 1\nY 1 9000000 M 1\nY 1 9000000 F 0\n')
        self.refused(4, 'call', male().reference, male().bam, '-o', self.folder() / 'x.vcf', '--ploidy', rows, '--sex', 'male',
                     says="of the contigs of its rows for a male none is in ")

    def test_contradictions_and_other_ploidies_are_refused(self):
        folder = self.folder()
        call = ['call', male().reference, male().bam, '-o', folder / 'x.vcf']
        (folder / 'three.bed').write_text('chrX\t0\t100\t3\n')
        for options, code, says in (
                (['--ploidy', 3], 2, '3 is not supported; valid: 1, 2 or a file'),
                (['--ploidy', 0], 2, '0 is not supported'),
                (['--ploidy', folder / 'three.bed'], 2, 'line 1: the ploidy 3 is not supported'),
                (['--ploidy', folder / 'none.bed'], 3, 'none.bed'),
                (['--ploidy', 1, '--sex', 'male'], 2, '--sex contradicts --ploidy'),
                (['--par', male().par], 2, '--par has an effect with --sex only'),
                (['--sex', 'male'], 2, '--par BED'),
                (['--sex', 'unknown'], 2, 'unknown')):
            self.refused(code, *call, *options, says=says)
        self.assert_files(folder, 'three.bed')

    def test_par_beside_sex_female_is_without_effect(self):
        folder = self.folder()
        self.assertEqual(vcf_body(male().call('--sex', 'female', '--par', male().par, '--no-scorer')[0]), vcf_body(male().call('--sex', 'female', '--no-scorer')[0]))

    def test_ploidy_files_are_inputs_that_are_not_replaced(self):
        folder = self.folder()
        (folder / 'p.vcf').write_text('chrX\t0\t100\t1\n')
        self.refused(2, 'call', male().reference, male().bam, '--ploidy', folder / 'p.vcf', '-o', folder / 'p.vcf', says='p.vcf')
        self.refused(2, 'call', male().reference, male().bam, '--sex', 'male', '--par', folder / 'p.vcf', '-o', folder / 'p.vcf',
                     says='p.vcf')

    def test_run_has_the_calls_of_call(self):
        folder = self.folder()
        reads = [male().folder / 'reads_1.fq.gz', male().folder / 'reads_2.fq.gz']
        run('run', male().reference, *reads, '-o', folder, '--sample', 's', '--no-scorer', '--sex', 'male', '--par', male().par, '-q')
        self.assertEqual(vcf_body(folder / 's.vcf.gz'), vcf_body(male_calls()))
        report = json.loads((folder / 's.run.json').read_text())
        self.assertEqual(report['parameters']['ploidy'], self.header(male_calls()))
        haploid = [record for record in records(male_calls()) if len(record.genotype) == 1]
        self.assertEqual(report['counts']['call']['all']['haploid_alternate'], len(haploid))

    def test_reference_without_sex_chromosomes_is_called_with_a_warning(self):
        sample = gannet_testing.simulated(0.1, 10, 4)
        folder = self.folder()
        run('align', sample.reference, *sample.reads, '-o', folder / 's.bam', '-q')
        done = run('call', sample.reference, folder / 's.bam', '-o', folder / 'x.vcf', '--sex', 'male', '-q')
        self.assertIn('--sex male has no effect', done.stderr)
        self.assertEqual(error_lines(done.stderr), [])


class Mitochondria(gannet_testing.Case):
    def test_human_mitochondria_are_haploid_by_default(self):
        folder = self.folder()
        run('simulate', '--size', 0.05, '--coverage', 0, '--seed', 5, '-o', folder / 'genome', '-q')
        bases = ''.join(line for line in (folder / 'genome' / 'ref.fa').read_text().splitlines() if line[0] != '>').replace('N', '')
        reference = folder / 'ref.fa'
        reference.write_text(f'>chr1\n{bases[:16_569]}\n>chrM\n{bases[16_569:33_138]}\n')
        run('simulate', '--reference', reference, '--haploid', 'chrM', '--coverage', 60, '--seed', 3, '-o', folder, '-q')
        reads = [folder / 'reads_1.fq.gz', folder / 'reads_2.fq.gz']
        run('run', reference, *reads, '-o', folder / 'out', '--sample', 's', '--no-scorer', '-q')
        found = records(folder / 'out' / 's.vcf.gz')
        for contig, ploidy in (('chr1', 2), ('chrM', 1)):
            genotypes = [record.genotype for record in found if record.contig == contig]
            self.assertGreater(len(genotypes), 3, contig)
            self.assertEqual({len(genotype) for genotype in genotypes}, {ploidy}, contig)
        self.assertIn('##gannet_ploidy=2; chrM 1 (mitochondrial)\n', vcf_header(folder / 'out' / 's.vcf.gz'))
        run('call', reference, folder / 'out' / 's.bam', '-o', folder / 'd.vcf', '--no-scorer', '--ploidy', 2, '-q')
        self.assertEqual({len(record.genotype) for record in records(folder / 'd.vcf')}, {2})


if __name__ == '__main__':
    gannet_testing.main(__doc__)
