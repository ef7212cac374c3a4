#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the page that `gannet report` makes of several runs: all samples, outliers, links, folders without a finished run."""
import re
import shutil

import gannet_testing
import report_test
from gannet_testing import run
from report_test import copies_of_run, plain, report


class Cohort(gannet_testing.Case):
    def test_table_has_every_sample_and_marks_outliers(self):
        folder = copies_of_run(self.folder(), 6)
        page_path = folder / 'cohort.html'
        run('report', *sorted(folder.glob('run*')), '-o', page_path)
        page = page_path.read_text()
        report_test.Pages.assert_valid(self, page)
        table = re.search(r'<table class="samples">.*?</table>', page, re.S).group(0)
        rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', table, re.S)
        self.assertEqual([plain(row).split()[0] for row in rows], [f'P{number}' for number in range(6)])
        self.assertEqual(['outlier' in row for row in rows], [False] * 5 + [True])
        self.assertIn('href="run3/P3.report.html"', rows[3])
        piped = run('report', *sorted(folder.glob('run*')), '-o', '-').stdout  # from where no link leads anywhere
        self.assertIn(re.sub('<a href="[^"]*">(.*?)</a>', r'\1', table), piped)

    def test_folders_without_a_finished_run_are_named_and_left_out(self):
        folder = copies_of_run(self.folder(), 2)
        for failed in ('run2', 'run3'):
            (folder / failed).mkdir()
        page_path = folder / 'cohort.html'
        said = run('report', *sorted(folder.glob('run*')), '-o', page_path).stderr
        page = page_path.read_text()
        report_test.Pages.assert_valid(self, page)
        self.assertIn('<h1>2 samples</h1>', page)
        for failed in ('run2', 'run3'):
            self.assertIn(f'{folder / failed}: has no SAMPLE.run.json', said)
            self.assertIn(f'<code>{folder / failed}</code>', page)
        only = report(folder / 'run0', folder / 'run2')
        self.assertIn('<h1>1 sample</h1>', only)
        self.assertIn(f'<code>{folder / "run2"}</code>', only)
        self.refused(2, 'report', folder / 'run0', folder / 'run2', '-o', page_path, '--sites', 'sim1:9', says='--sites shows the reads of one run')
        self.refused(3, 'report', folder / 'run2', folder / 'run3', '-o', page_path, says='run2: has no SAMPLE.run.json')

    def test_a_folder_of_many_runs_is_a_cohort(self):
        folder = copies_of_run(self.folder(), 2)
        for path in (folder / 'run1').iterdir():
            shutil.move(path, folder / 'run0')
        self.assertIn('<h1>2 samples</h1>', report(folder / 'run0'))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
