#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `run --format cram`: the records are those of the BAM, as samtools reads them; index, quality control, report and resuming."""
import functools
import json

import gannet_testing
from gannet_testing import killed_run, run, samtools, vcf_body


class Data:
    def __init__(self):
        self.sample = gannet_testing.simulated()
        self.bam_run, self.cram_run = self.run('bam'), self.run('cram')

    def words(self, folder, *options):
        return ['run', self.sample.reference, *self.sample.reads, '-o', folder, '--sample', 'S', '-q', *options]

    def run(self, form):
        folder = gannet_testing.new_folder()
        run(*self.words(folder, '--format', form))
        return folder

    def records(self, path):
        """Text of the records with their tags in one order: CRAM makes MD and NM anew, after the others."""
        lines = samtools('view', '-T', self.sample.reference, path).splitlines()
        return [tuple(fields[:11] + sorted(fields[11:])) for fields in (line.split('\t') for line in lines)]


@functools.cache
def data():
    gannet_testing.needs_tool('samtools')
    return Data()


class CramRun(gannet_testing.Case):
    def test_records_are_those_of_the_bam(self):
        found = data().records(data().cram_run / 'S.cram')
        self.assertEqual(found, data().records(data().bam_run / 'S.bam'))
        self.assertGreater(len(found), 20_000)
        samtools('quickcheck', data().cram_run / 'S.cram')
        self.assertEqual((data().cram_run / 'S.cram').read_bytes()[:6], b'CRAM\x03\x00')
        self.assertLess((data().cram_run / 'S.cram').stat().st_size, (data().bam_run / 'S.bam').stat().st_size)

    def test_the_index_leads_to_regions(self):
        contig = data().sample.reference.read_text().split()[0][1:]
        region = f'{contig}:20000-21000'
        counts = [samtools('view', '-c', '-T', data().sample.reference, path, region) for path in (data().cram_run / 'S.cram', data().bam_run / 'S.bam')]
        self.assertEqual(*counts)
        self.assertGreater(int(counts[0]), 50)

    def test_everything_else_is_equal(self):
        names = {folder: sorted(path.name for path in folder.iterdir()) for folder in (data().bam_run, data().cram_run)}
        self.assertEqual(sorted(name.replace('S.bam.bai', 'S.cram.crai').replace('S.bam', 'S.cram') for name in names[data().bam_run]), names[data().cram_run])
        self.assertEqual(vcf_body(data().cram_run / 'S.vcf.gz'), vcf_body(data().bam_run / 'S.vcf.gz'))
        for name in gannet_testing.qc_names('S'):
            if not name.endswith('.zip'):
                body = [[line for line in (folder / name).read_text().splitlines() if not line.startswith('#')] for folder in (data().bam_run, data().cram_run)]
                self.assertEqual(*body, name)
        reports = [json.loads((folder / 'S.run.json').read_text()) for folder in (data().bam_run, data().cram_run)]
        self.assertEqual(reports[0]['counts'], reports[1]['counts'])
        self.assertIn(str(data().cram_run / 'S.cram'), json.dumps(reports[1]['outputs']))
        self.assertNotIn('.bam', json.dumps(reports[1]['outputs']))

    def test_call_reads_it(self):
        calls = self.folder() / 'c.vcf'
        run('call', data().sample.reference, data().cram_run / 'S.cram', '-o', calls, '-q')
        self.assertEqual(vcf_body(calls), vcf_body(data().bam_run / 'S.vcf.gz'))

    def test_a_killed_run_goes_on_from_the_cram(self):
        folder = self.folder()
        killed_run(folder, data().words(folder, '--format', 'cram'), 'S.align.json')
        before = (folder / 'S.cram').stat().st_mtime_ns
        done = run(*[word for word in data().words(folder, '--format', 'cram') if word != '-q'])
        self.assertIn('finished by an earlier run', done.stderr)
        self.assertEqual((folder / 'S.cram').stat().st_mtime_ns, before)
        self.assertEqual(vcf_body(folder / 'S.vcf.gz'), vcf_body(data().bam_run / 'S.vcf.gz'))

    def test_the_other_format_is_left_with_a_warning(self):
        folder = data().run('bam')
        done = run(*data().words(folder, '--format', 'cram'))
        self.assertIn('S.bam: is there from before', done.stderr)
        self.assertTrue((folder / 'S.bam').exists() and (folder / 'S.cram').exists())

    def test_other_formats_are_refused(self):
        self.refused(2, *data().words(self.folder(), '--format', 'sam'), says='--format')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
