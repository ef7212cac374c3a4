#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what `gannet report` says of the sequences of a run, and of a run some of whose files are gone."""
import json
import pathlib
import re
import shutil

import gannet_testing
from gannet_testing import run, simulated
from qc_reads import fastqc_modules
from report_test import checks, finished, good, page_of, plain, report


class Sequences(gannet_testing.Case):
    def shares(self, out):
        return [float(fastqc_modules(out / f'S.R{number}_fastqc.zip')['Sequence Duplication Levels'][1][0][1]) for number in (1, 2)]

    def test_duplicates_and_over_represented_sequences_are_those_of_fastqc(self):
        sample, folder, reads = simulated(0.1, 12, 3), self.folder(), []
        adapter = 'AGATCGGAAGAGCACACGTCTGAACTCCAGTCACACGTACGTATCTCGTATGCCGTCTTCTGCTTG'
        for mate, path in enumerate(sample.reads):
            reads.append(folder / f'r{mate}.fq')
            often = 50 + 10 * mate
            more = gannet_testing.fastq_text((f'a{i}', adapter[mate:][:60] if i < often else 'ACGT' * 20) for i in range(60))
            reads[-1].write_text(gannet_testing.content(path).decode() + more)
        out = finished(sample, reads=reads)
        page, (first, second) = page_of(out), self.shares(out)
        self.assertIn(f'duplicate sequences: {first:.2f} % of the first reads, {second:.2f} % of the second reads', page)
        tables = re.findall(r'<caption>Sequences of more than 0.1 % of the (.*?) \(FastQC\).*?<tbody>(.*?)</tbody>', page, re.S)
        self.assertEqual([name for name, _ in tables], ['first reads', 'second reads'])
        for number, (_, rows) in enumerate(tables, 1):
            shown = [[plain(cell) for cell in re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row, re.S)] for row in re.findall(r'<tr>(.*?)</tr>', rows, re.S)]
            wanted = [[row[0], row[1], f'{float(row[2]):.2f} %', row[3]]
                      for row in fastqc_modules(out / f'S.R{number}_fastqc.zip')['Overrepresented sequences'][1][1:]]
            self.assertEqual(shown, wanted)
            self.assertEqual(shown[0][1], str(40 + 10 * number))
            self.assertTrue(shown[0][3].startswith('TruSeq Adapter'))

    def test_a_run_without_over_represented_sequences_says_so(self):
        first, second = self.shares(good())
        self.assertIn(f'duplicate sequences: {first:.2f} % of the first reads, {second:.2f} % of the second reads', page_of(good()))
        self.assertIn('No sequence is over-represented.', page_of(good()))
        folder = shutil.copytree(good(), self.folder() / 'copy')
        (folder / 'S.R1_fastqc.zip').unlink()
        (folder / 'S.R2_fastqc.zip').unlink()
        self.assertNotIn('over-represented', report(folder))


class Files(gannet_testing.Case):
    def test_every_file_that_the_run_wrote_is_looked_for(self):
        out = finished(simulated(0.1, 12, 3), '--gvcf')
        kept = {'S.run.json', 'S.report.html'}  # the one says what there is, the other is made again
        indexes = {'S.bam.bai': 'index of S.bam', 'S.vcf.gz.tbi': 'index of S.vcf.gz', 'S.g.vcf.gz.tbi': 'index of S.g.vcf.gz'}
        names = {path.name for path in out.iterdir()} - kept
        self.assertLess({*indexes, 'S.bam', 'S.flagstat', 'S.wgs_metrics', 'S.R2_fastqc.zip', 'S.bcftools_stats.txt', 'S.g.vcf.gz'}, names)
        copy = shutil.copytree(out, self.folder() / 'copy')
        for name in sorted(names):
            (copy / name).rename(copy / 'away')
            page = report(copy, '-q')
            (copy / 'away').rename(copy / name)
            self.assertEqual(checks(page)['Files of the run'], ('1 missing', 'look'), name)
            self.assertIn(f'there is no {indexes.get(name, name)}<', page)
        self.assertEqual(checks(report(copy))['Files of the run'], ('all there', 'pass'))

    def test_log_has_the_messages_and_is_no_input(self):
        folder = shutil.copytree(good(), self.folder() / 'copy')
        words, log = ['report', folder, '-o', folder / 'x.html', '-q'], self.folder() / 'log.txt'
        run(*words, '--log', log)
        self.assertRegex(log.read_text(), r'\[gannet\] S: ')
        self.refused(8, *words, '--log', self.folder() / 'none' / 'log.txt', says='none')
        self.refused(2, *words, '--log', folder / 'x.html', says='are the same file')
        reference = json.loads((folder / 'S.run.json').read_text())['reference']
        for path in (folder / 'S.bam', folder / 'S.run.json', f'{reference}.gannet'):
            before = pathlib.Path(path).read_bytes()
            self.refused(2, *words, '--log', path, says='--log')
            self.assertEqual(pathlib.Path(path).read_bytes(), before)

    def test_sites_need_the_reads(self):
        for name in ('S.bam', 'S.bam.bai', 'S.vcf.gz'):
            folder = shutil.copytree(good(), self.folder() / 'copy')
            (folder / name).unlink()
            self.refused(3, 'report', folder, '-o', folder / 'x.html', '--sites', 'sim1:9000', says=f'{name.removesuffix(".bai")}: ')
            self.assertFalse((folder / 'x.html').exists())
            run('report', folder, '-o', folder / 'x.html', '-q')
        out = finished(simulated(0.1, 12, 3), '--format', 'cram')
        data = json.loads((out / 'S.run.json').read_text())
        (out / 'S.run.json').write_text(json.dumps({**data, 'reference': '/none/ref.fa'}))
        self.refused(3, 'report', out, '-o', out / 'x.html', '--sites', 'sim1:9000', says='/none/ref.fa')
        run('report', out, '-o', out / 'x.html', '-q')


class CutFiles(gannet_testing.Case):
    def test_tables_of_picard_that_were_cut_between_lines_are_refused(self):
        for name in ('S.duplicates.txt', 'S.insert_size_metrics', 'S.alignment_summary_metrics', 'S.wgs_metrics', 'S.gc_bias.detail_metrics'):
            lines = (good() / name).read_text().splitlines(keepends=True)
            begin = next(number for number, line in enumerate(lines) if line.startswith('## METRICS CLASS'))
            for kept in (1, 3):  # without columns; with one row
                folder = shutil.copytree(good(), self.folder() / 'copy')
                (folder / name).write_text(''.join(lines[:begin + kept]))
                self.refused(3, 'report', folder, '-o', folder / 'x.html', says=f'{folder / name}: ')
                self.assertFalse((folder / 'x.html').exists())


if __name__ == '__main__':
    gannet_testing.main(__doc__)
