#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what `gannet report` says of a run some of whose files are gone."""
import json
import shutil

import gannet_testing
from gannet_testing import run, simulated
from report_test import checks, finished, good, report


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
        self.refused(4, 'report', out, '-o', out / 'x.html', '--sites', 'sim1:9000', says='/none/ref.fa')
        run('report', out, '-o', out / 'x.html', '-q')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
