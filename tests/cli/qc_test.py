#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the files of quality control against what samtools, mosdepth and Picard say of the same BAM, field by field."""
import functools
import json
import os
import random
import shutil
import zlib

import gannet_testing
from gannet_testing import execute, killed_run, needs_tool, new_folder, run, samtools, simulated
from qc_reads import complement, difficult_reads, fastqc_modules, write_reads

ENDINGS = gannet_testing.QC_ENDINGS


@functools.cache
def aligned(threads=2):
    """BAM and files of quality control of pairs and single reads together."""
    reference, reads = difficult_reads()
    output = new_folder()
    run('align', reference, '--lane', f'{reads}/a_1.fq,{reads}/a_2.fq,a', '--lane', f'{reads}/single.fq,,b', '--sample', 's',
        '-o', output / 's.bam', '--qc', output / 's', '-t', threads, '-q')
    return output


def sections(text):
    """Lines of samtools stats by their tag, comments at the end of a line left out."""
    found = {}
    for line in text.splitlines():
        if line and not line.startswith('#'):
            tag, rest = line.split('\t', 1)
            found.setdefault(tag, []).append(rest.split('\t#')[0].rstrip())
    return found


def joined(rows, *names):
    """The rows (name, number), with the sum of these names in place of the rows of each."""
    sum_of_names = sum(int(value) for name, value in rows if name in names)
    return [row for row in rows if row[0] not in names] + [[' '.join(names), str(sum_of_names)]]


def metrics(text):
    """Rows of Picard's metrics as dictionaries, and the lines of its histogram."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith('## METRICS CLASS'))
    names = lines[at + 1].split('\t')
    rows = []
    for line in lines[at + 2:]:
        if not line:
            break
        rows.append(dict(zip(names, line.split('\t'))))
    start = next((i for i, line in enumerate(lines) if line.startswith('## HISTOGRAM')), len(lines))
    return rows, [line for line in lines[start + 1:] if line]


def picard(tool, bam, *words):
    """What a tool of Picard writes. Its plots need R, which is not there and not needed."""
    needs_tool('PicardCommandLine')
    folder = new_folder()
    script = folder / 'Rscript'
    script.write_text('#!/bin/sh\nexit 0\n')
    script.chmod(0o755)
    done = execute(['PicardCommandLine', tool, f'I={bam}', f'O={folder}/out.txt', *words],
                   env={'PATH': f'{folder}:{os.environ["PATH"]}'})
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return (folder / 'out.txt').read_text()


class Compared(gannet_testing.Case):
    def assert_same_lines(self, ours, theirs, what):
        for i, (a, b) in enumerate(zip(ours, theirs)):
            self.assertEqual(a, b, f'{what}, line {i + 1}')
        self.assertEqual(len(ours), len(theirs), what)

    def dictionary(self, reference):
        """Picard's tools that walk over the reference want it."""
        if not reference.with_suffix('.dict').exists():
            samtools('dict', '-o', reference.with_suffix('.dict'), reference)
        return f'R={reference}'


class AsOtherPrograms(Compared):
    def text(self, ending):
        return (aligned() / f's.{ending}').read_text()

    def test_the_sample_has_all_that_is_counted_apart(self):
        flags = samtools('flagstat', '-O', 'tsv', aligned() / 's.bam')
        counts = {line.split('\t')[2]: line.split('\t')[0] for line in flags.splitlines()}
        for what in ('supplementary', 'duplicates', 'singletons', 'with mate mapped to a different chr'):
            self.assertNotIn(counts[what], ('0', 'N/A'), what)

    def test_stats_are_those_of_samtools(self):
        ours, theirs = sections(self.text('stats')), sections(samtools('stats', aligned() / 's.bam'))
        # Before samtools 1.22 the checksum of qualities was over half of them.
        names, bases, qualities = ours.pop('CHK')[0].split('\t')
        self.assertEqual([names, bases], theirs.pop('CHK')[0].split('\t')[:2])
        self.assertEqual(int(qualities, 16), self.checksum_of_qualities())
        # Before it, pairs whose mates begin at one position were inward where the first one is forward, and outward else.
        for found in (ours, theirs):
            found['SN'] = joined([line.split('\t') for line in found['SN']], 'inward oriented pairs:', 'outward oriented pairs:')
            found['IS'] = [(size, pairs, int(inward) + int(outward), other)
                           for size, pairs, inward, outward, other in (line.split('\t') for line in found['IS'])]
        for tag, lines in theirs.items():
            self.assert_same_lines(ours.get(tag, []), lines, f'samtools stats, {tag}')
        if 'MAPQ' not in theirs:  # since samtools 1.18
            ours.pop('MAPQ')
        self.assertEqual(sorted(ours), sorted(theirs))
        self.assertGreater(len(theirs['GCD']), 3)

    def checksum_of_qualities(self):
        sum = 0
        for line in samtools('view', aligned() / 's.bam').splitlines():
            columns = line.split('\t')
            if columns[9] != '*':
                sum += zlib.crc32(bytes(ord(letter) - 33 for letter in columns[10]))
        return sum % 2**32

    def test_flagstat_is_that_of_samtools(self):
        self.assert_same_lines(self.text('flagstat').splitlines(), samtools('flagstat', aligned() / 's.bam').splitlines(), 'flagstat')

    def test_idxstats_are_those_of_samtools(self):
        self.assert_same_lines(self.text('idxstats').splitlines(), samtools('idxstats', aligned() / 's.bam').splitlines(), 'idxstats')

    def test_lowest_depth_of_a_covered_genome_is_that_of_mosdepth(self):
        needs_tool('mosdepth')
        folder, chance = self.folder(), random.Random(3)
        contigs = {name: ''.join(chance.choice('ACGT') for _ in range(600)) for name in 'ab'}
        (folder / 'r.fa').write_text(''.join(f'>{name}\n{bases}\n' for name, bases in contigs.items()))
        (folder / 'r.fq').write_text(gannet_testing.fastq_text([(f'{name}{at}', bases[at:at + 100]) for name, bases in contigs.items() for at in range(0, 501, 20)]))
        run('align', folder / 'r.fa', folder / 'r.fq', '-o', folder / 's.bam', '--qc', folder / 's', '-q')
        self.assertEqual(execute(['mosdepth', '-n', folder / 'theirs', folder / 's.bam']).returncode, 0)
        ours = (folder / 's.mosdepth.summary.txt').read_text()
        self.assertEqual(ours, (folder / 'theirs.mosdepth.summary.txt').read_text())
        self.assertNotEqual(ours.splitlines()[1].split('\t')[4], '0')  # the contigs themselves are covered

    def test_depth_is_that_of_mosdepth(self):
        needs_tool('mosdepth')
        prefix = self.folder() / 's'
        done = execute(['mosdepth', '-n', prefix, aligned() / 's.bam'])
        self.assertEqual(done.returncode, 0, done.stderr)
        for ending in ('mosdepth.summary.txt', 'mosdepth.global.dist.txt'):
            theirs = (prefix.parent / f's.{ending}').read_text().splitlines()
            self.assert_same_lines(self.text(ending).splitlines(), theirs, ending)

    def assert_same_metrics(self, ours, theirs, what):
        (our_rows, our_histogram), (their_rows, their_histogram) = metrics(ours), metrics(theirs)
        self.assertEqual(len(our_rows), len(their_rows), what)
        for a, b in zip(our_rows, their_rows):
            self.assertEqual(a, b, what)
        self.assert_same_lines(our_histogram, their_histogram, f'{what}, histogram')

    def test_insert_sizes_are_those_of_picard(self):
        theirs = picard('CollectInsertSizeMetrics', aligned() / 's.bam', f'H={self.folder()}/plot.pdf')
        self.assert_same_metrics(self.text('insert_size_metrics'), theirs, 'CollectInsertSizeMetrics')

    def test_alignment_summary_is_that_of_picard(self):
        theirs = picard('CollectAlignmentSummaryMetrics', aligned() / 's.bam', f'R={difficult_reads()[0]}')
        self.assert_same_metrics(self.text('alignment_summary_metrics'), theirs, 'CollectAlignmentSummaryMetrics')


    def assert_wgs_metrics(self, stem, reference):
        theirs = picard('CollectWgsMetrics', f'{stem}.bam', self.dictionary(reference))
        (our_rows, our_histogram), (their_rows, their_histogram) = metrics(gannet_testing.content(f'{stem}.wgs_metrics').decode()), metrics(theirs)
        for row in our_rows + their_rows:  # of random samples
            del row['HET_SNP_SENSITIVITY'], row['HET_SNP_Q']
        self.assertEqual(our_rows, their_rows)
        self.assert_same_lines(our_histogram, their_histogram, 'CollectWgsMetrics, histogram')
        return their_rows[0]

    def test_coverage_is_that_of_picard(self):
        row = self.assert_wgs_metrics(aligned() / 's', difficult_reads()[0])
        for name, value in row.items():
            if name.startswith('PCT_EXC') and name not in ('PCT_EXC_CAPPED', 'PCT_EXC_ADAPTER'):
                self.assertGreater(float(value), 0.0005, name)

    def test_deep_coverage_is_that_of_picard(self):
        sample, folder = simulated(0.02, 700, 7), self.folder()
        run('align', sample.reference, *sample.reads, '--sample', 's', '-o', folder / 's.bam', '--qc', folder / 's', '-q')
        self.assertGreater(float(self.assert_wgs_metrics(folder / 's', sample.reference)['PCT_EXC_CAPPED']), 0.01)

    def test_gc_bias_is_that_of_picard(self):
        summary = self.folder() / 'summary.txt'
        theirs = picard('CollectGcBiasMetrics', aligned() / 's.bam', self.dictionary(difficult_reads()[0]), f'S={summary}',
                        f'CHART={self.folder()}/plot.pdf')
        self.assert_same_metrics(self.text('gc_bias.detail_metrics'), theirs, 'CollectGcBiasMetrics')
        (ours,), _ = metrics(self.text('gc_bias.summary_metrics'))
        (theirs,), _ = metrics(summary.read_text())
        # Picard passes over the first hundred reads without bases only.
        del theirs['TOTAL_CLUSTERS']
        records = [line.split('\t') for line in samtools('view', aligned() / 's.bam').splitlines()]
        clusters = sum(record[9] != '*' and (int(record[1]) & 1 == 0 or int(record[1]) & 0x40 != 0) for record in records)
        self.assertEqual(ours.pop('TOTAL_CLUSTERS'), str(clusters))
        self.assertEqual(ours, theirs)


@functools.cache
def with_targets(threads=2):
    """As aligned(), with targets that overlap, touch, have names or none and may be without reads."""
    reference, reads = difficult_reads()
    output, rng = new_folder(), random.Random(4)
    contigs = [(lines.split()[0], sum(map(len, lines.splitlines()[1:]))) for lines in reference.read_text().split('>')[1:]]
    rows = []
    for name, length in contigs:
        for at in range(100, length - 3000, 5000):
            begin = at + rng.randrange(1500)
            end = begin + rng.choice((1, 60, 120, 500, 1500))
            rows.append(f'{name}\t{begin}\t{end}' + rng.choice(('', f'\ttarget{at}', f'\ttarget{at}\t0\t+')))
            if at % 3 == 0:
                rows.append(f'{name}\t{end - 1}\t{end + 50}\toverlapping')
            elif at % 3 == 1:
                rows.append(f'{name}\t{end}\t{end + 40}')
        if length > 5000:
            rows += [f'{name}\t2000\t2090\tgene one\tx', f'{name}\t4000\t4000\tno length']
    rng.shuffle(rows)
    (output / 'panel.bed').write_text('# comment\n' + '\n'.join(rows) + '\n')
    run('align', reference, '--lane', f'{reads}/a_1.fq,{reads}/a_2.fq,a', '--lane', f'{reads}/single.fq,,b', '--sample', 's',
        '-o', output / 's.bam', '--targets', output / 'panel.bed', '--qc', output / 's', '-t', threads, '-q')
    return output


class Targets(Compared):
    def test_regions_are_those_of_mosdepth(self):
        needs_tool('mosdepth')
        prefix = self.folder() / 's'
        done = execute(['mosdepth', '--by', with_targets() / 'panel.bed', prefix, with_targets() / 's.bam'])
        self.assertEqual(done.returncode, 0, done.stderr)
        for ending in ('mosdepth.summary.txt', 'mosdepth.global.dist.txt', 'mosdepth.region.dist.txt', 'regions.bed.gz'):
            ours, theirs = (gannet_testing.content(f'{stem}.{ending}') for stem in (with_targets() / 's', prefix))
            self.assert_same_lines(ours.decode().splitlines(), theirs.decode().splitlines(), ending)

    def test_target_metrics_are_those_of_picard(self):
        reference = difficult_reads()[0]
        self.dictionary(reference)
        intervals = self.folder() / 'panel.interval_list'
        rows = [line.split('\t') for line in (with_targets() / 'panel.bed').read_text().splitlines() if not line.startswith('#')]
        rows = [row for row in rows if row[1] != row[2]]
        intervals.write_text(reference.with_suffix('.dict').read_text() +
                             ''.join(f'{row[0]}\t{int(row[1]) + 1}\t{row[2]}\t+\tx\n' for row in rows))
        theirs = picard('CollectHsMetrics', with_targets() / 's.bam', f'BI={intervals}', f'TI={intervals}', f'R={reference}')
        (our_rows, our_histogram), (their_rows, their_histogram) = metrics((with_targets() / 's.hs_metrics').read_text()), metrics(theirs)
        for row in our_rows + their_rows:  # of random samples
            del row['HET_SNP_SENSITIVITY'], row['HET_SNP_Q']
        self.assertEqual(our_rows, their_rows)
        self.assert_same_lines([line.split('\t')[:2] for line in our_histogram], [line.split('\t')[:2] for line in their_histogram],
                               'CollectHsMetrics, histogram')
        for name in ('ON_TARGET_BASES', 'NEAR_BAIT_BASES', 'OFF_BAIT_BASES', 'PCT_EXC_OVERLAP', 'PCT_EXC_BASEQ', 'PCT_EXC_MAPQ', 'HS_LIBRARY_SIZE'):
            self.assertGreater(float(their_rows[0][name]), 0, name)

    def test_the_next_contig_is_not_near_a_bait(self):
        folder, rng = self.folder(), random.Random(3)
        contigs = [''.join(rng.choices('ACGT', k=6000)) for _ in range(2)]
        reference, intervals = folder / 'ref.fa', folder / 't.interval_list'
        reference.write_text(''.join(f'>c{i}\n{bases}\n' for i, bases in enumerate(contigs)))
        for mate in (1, 2):
            pairs = [(at, contigs[1][at:at + 300]) for at in range(0, 400, 10)]
            write_reads(folder / f'r_{mate}.fq', [(f'@r{at}', bases[:100] if mate == 1 else complement(bases[-100:]), '+', 'I' * 100) for at, bases in pairs])
        (folder / 't.bed').write_text('c0\t5900\t5950\n')
        run('align', reference, folder / 'r_1.fq', folder / 'r_2.fq', '-o', folder / 's.bam', '--sample', 's', '--targets', folder / 't.bed', '--qc', folder / 's', '-q')
        row, = metrics((folder / 's.hs_metrics').read_text())[0]
        self.assertEqual([row[name] for name in ('ON_BAIT_BASES', 'NEAR_BAIT_BASES', 'OFF_BAIT_BASES', 'HS_LIBRARY_SIZE')], ['0', '0', '8000', ''])
        self.dictionary(reference)
        intervals.write_text(reference.with_suffix('.dict').read_text() + 'c0\t5901\t5950\t+\tx\n')
        theirs, = metrics(picard('CollectHsMetrics', folder / 's.bam', f'BI={intervals}', f'TI={intervals}', f'R={reference}', 'SAMPLE_SIZE=10'))[0]
        for name in ('HET_SNP_SENSITIVITY', 'HET_SNP_Q'):  # of random samples
            del row[name], theirs[name]
        self.assertEqual(row, theirs)

    def test_threads_do_not_change_them(self):
        for ending in ('hs_metrics', 'regions.bed.gz', 'mosdepth.region.dist.txt'):
            one, three = ((with_targets(threads) / f's.{ending}').read_bytes().replace(str(with_targets(threads)).encode(), b'X') for threads in (1, 3))
            self.assertEqual(one, three, ending)


class Files(gannet_testing.Case):
    def test_threads_do_not_change_a_byte(self):
        for ending in ENDINGS:
            one, three = ((aligned(threads) / f's.{ending}').read_bytes().replace(str(aligned(threads)).encode(), b'X') for threads in (1, 3))
            self.assertEqual(one, three, ending)

    def words(self, folder, *options):
        sample = simulated(0.2, 20, 7)
        return ('run', sample.reference, *sample.reads, '-o', folder, '--sample', 'S', '--no-scorer', *options)

    def test_run_writes_them_unless_told_not_to(self):
        folder = self.folder()
        run(*self.words(folder), '-q')
        for ending in ENDINGS:
            self.assertGreater((folder / f'S.{ending}').stat().st_size, 40, ending)
        report = json.loads((folder / 'S.run.json').read_text())
        self.assertGreater((folder / 'S.bcftools_stats.txt').stat().st_size, 40)
        self.assertEqual(report['outputs']['quality control'], str(folder / 'S.*'))
        without = self.folder()
        run(*self.words(without, '--no-qc'), '-q')
        self.assert_files(without, 'S.bam', 'S.bam.bai', 'S.duplicates.txt', 'S.vcf.gz', 'S.vcf.gz.tbi', 'S.run.json')
        for name in ('S.bam', 'S.duplicates.txt'):
            self.assertEqual((folder / name).read_bytes(), (without / name).read_bytes(), name)

    def test_a_resumed_run_has_those_of_its_bam(self):
        whole, folder = self.folder(), self.folder()
        run(*self.words(whole), '-q')
        killed_run(folder, self.words(folder), 'S.vcf.gz')
        before = {ending: (folder / f'S.{ending}').stat().st_ino for ending in ENDINGS}
        done = run(*self.words(folder))
        self.assertIn('finished by an earlier run', done.stderr)
        for ending in ENDINGS:
            self.assertEqual((folder / f'S.{ending}').stat().st_ino, before[ending], ending)
            self.assertEqual((folder / f'S.{ending}').read_bytes(), (whole / f'S.{ending}').read_bytes(), ending)

    def test_those_of_an_earlier_run_are_not_taken_for_those_of_a_later_bam(self):
        other, folder = simulated(0.2, 10, 8), self.folder()
        run('run', simulated(0.2, 20, 7).reference, *other.reads, '-o', folder, '--sample', 'S', '--no-scorer', '-q')
        strange = (folder / 'S.flagstat').read_text()
        (folder / 'S.vcf.gz').unlink()
        killed_run(folder, self.words(folder, '--no-qc'), 'S.vcf.gz')
        self.assertEqual((folder / 'S.flagstat').read_text(), strange)
        done = run(*self.words(folder))
        self.assertIn('no files of quality control', done.stderr)
        self.assertNotEqual((folder / 'S.flagstat').read_text(), strange)

    def test_what_cannot_be_is_refused(self):
        sample, folder = simulated(0.2, 20, 7), self.folder()
        self.refused(2, 'align', sample.reference, *sample.reads, '--unsorted', '-o', folder / 's.sam', '--qc', folder / 's',
                     says='--qc contradicts --unsorted')
        reads = folder / 's.stats'
        reads.write_text('@r\nACGT\n+\nIIII\n')
        self.refused(2, 'align', sample.reference, reads, '-o', folder / 's.bam', '--qc', folder / 's', says='s.stats')
        self.refused(8, 'align', sample.reference, *sample.reads, '-o', folder / 'x.bam', '--qc', folder / 'none/s', says='none')
        self.assert_files(folder, 's.stats')

    def test_multiqc_finds_every_file(self):
        if shutil.which('multiqc') is None:  # not a package of the tests: it brings a hundred others
            gannet_testing.skip('multiqc is not installed (apt-get install multiqc)')
        folder, report = self.folder(), self.folder()
        targets = self.folder() / 'targets.bed'
        name, _, _ = simulated(0.2, 20, 7).reference.read_text()[1:].partition('\n')
        targets.write_text(f'{name.split()[0]}\t1000\t70000\n')
        run(*self.words(folder), '-q')
        run(*(word if word != 'S' else 'T' for word in self.words(folder, '--targets', targets)), '-q')
        (folder / 'none.fq').write_text('')
        for name, reads in (('single', simulated(0.2, 20, 7).reads[:1]), ('none', [folder / 'none.fq'])):
            run('run', simulated(0.2, 20, 7).reference, *reads, '-o', folder / name, '--sample', name, '-q')
        done = execute(['multiqc', folder / 'single', folder / 'none', folder, '-o', report, '--no-ansi'])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('broke', done.stdout + done.stderr)
        sources = (report / 'multiqc_data' / 'multiqc_sources.txt').read_text()
        for ending in (*ENDINGS, 'duplicates.txt', 'bcftools_stats.txt'):
            if ending != 'mosdepth.summary.txt':  # the same numbers are in the distribution
                self.assertIn(f'/S.{ending}', sources)
        for ending in ('hs_metrics', 'mosdepth.region.dist.txt'):
            self.assertIn(f'/T.{ending}', sources)
        names, *rows = [line.split('\t') for line in (report / 'multiqc_data' / 'multiqc_fastqc.txt').read_text().splitlines()]
        rows = [row for row in rows if not row[0].startswith(('single', 'none'))]
        for row in rows:
            found = dict(zip(names, row))
            share = fastqc_modules(folder / f'{found["Sample"].replace("_", ".", 1)}_fastqc.zip')['Sequence Duplication Levels'][1][0][1]
            self.assertEqual(found['total_deduplicated_percentage'], share)
            self.assertEqual((found['sequence_duplication_levels'], found['overrepresented_sequences']), ('pass', 'pass'))
        self.assertEqual(len(rows), 4)

    def test_shares_at_halves_are_rounded_as_by_samtools(self):
        folder, rng, reference = self.folder(), random.Random(4), simulated(0.2, 20, 7).reference
        genome = ''.join(line for line in reference.read_text().splitlines() if line[0] != '>')
        reads = [genome[at:at + 100] for at in (1000, 2000, 3000)] + [''.join(rng.choices('ACGT', k=100)) for _ in range(797)]
        (folder / 'x.fq').write_text(''.join(f'@r{i}\n{bases}\n+\n{"I" * 100}\n' for i, bases in enumerate(reads)))
        run('align', reference, folder / 'x.fq', '-o', folder / 's.bam', '--sample', 's', '--qc', folder / 's', '-q')
        self.assertIn('3 + 0 mapped (0.37% : N/A)', samtools('flagstat', folder / 's.bam'))
        self.assertEqual((folder / 's.flagstat').read_text(), samtools('flagstat', folder / 's.bam'))

    def test_files_without_rows_have_no_columns(self):
        """As Picard's: MultiQC ends its part on Picard, of all samples, where it finds columns without rows."""
        sample, folder, rng = simulated(0.2, 20, 7), self.folder(), random.Random(5)
        (folder / 'none.fq').write_text('')
        (folder / 'foreign.fq').write_text(''.join(f'@r{i}\n{"".join(rng.choices("ACGT", k=100))}\n+\n{"I" * 100}\n' for i in range(100)))
        kinds = {'none': ([folder / 'none.fq'], True), 'foreign': ([folder / 'foreign.fq'], True), 'single': (sample.reads[:1], False)}
        for name, (reads, lacks_gc) in kinds.items():
            run('run', sample.reference, *reads, '-o', folder / name, '--sample', name, '-q')
            for ending, lacks in (('insert_size_metrics', True), ('gc_bias.summary_metrics', lacks_gc), ('gc_bias.detail_metrics', lacks_gc)):
                text = (folder / name / f'{name}.{ending}').read_text()
                self.assertEqual('METRICS CLASS' not in text, lacks, (name, ending))
                self.assertIn('INPUT=', text)
            run('report', folder / name, '-o', folder / 'page.html', '-q')
            (folder / name / f'{name}.insert_size_metrics').write_text('## htsjdk.samtools.metrics.StringHeader\n')  # cut
            self.refused(3, 'report', folder / name, '-o', folder / 'page.html', '-q', says='has no table')

    def test_no_reads_give_complete_files(self):
        folder = self.folder()
        (folder / 'none.fq').write_text('')
        run('align', simulated(0.2, 20, 7).reference, folder / 'none.fq', '-o', folder / 's.bam', '--sample', 's', '--qc', folder / 's', '-q')
        self.assertIn('SN\traw total sequences:\t0\t', (folder / 's.stats').read_text())
        self.assertEqual((folder / 's.flagstat').read_text(), samtools('flagstat', folder / 's.bam'))
        self.assertNotIn('nan', ''.join((folder / f's.{ending}').read_text() for ending in ENDINGS if not ending.endswith('zip')).lower())
        row, = metrics((folder / 's.alignment_summary_metrics').read_text())[0]
        self.assertEqual({value for value in row.values() if value}, {'UNPAIRED', '0'})  # as Picard
        self.assertEqual(list(fastqc_modules(folder / 's.R1_fastqc.zip')), ['Basic Statistics'])
        self.assertFalse((folder / 's.R2_fastqc.zip').exists())


if __name__ == '__main__':
    gannet_testing.main(__doc__)
