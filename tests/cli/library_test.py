#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks `gannet simulate --library`: presets, JSON files, refusals, the same bytes for any number of threads."""
import json

import gannet_testing
from gannet_testing import content, run

PRESETS = ['clean', 'pcr-free', 'pcr', 'old']


def simulate(folder, *more):
    run('simulate', '--size', 0.3, '--coverage', 6, '--seed', 3, '-o', folder, '-q', *more)
    return folder


class Library(gannet_testing.Case):
    def test_presets_give_different_reads_and_the_same_truth(self):
        folder = self.folder()
        seen = {}
        for preset in PRESETS:
            made = simulate(folder / preset, '--library', preset)
            seen[preset] = content(made / 'reads_1.fq.gz')
            self.assertEqual(content(made / 'truth.vcf.gz'), content(folder / 'clean/truth.vcf.gz'), preset)
            written = json.loads((made / 'library.json').read_text())
            self.assertEqual(len(written), 34)
            self.assertEqual(json.loads((made / 'simulate.json').read_text())['duplicate_share'], written['duplicate_share'])
        self.assertEqual(len(set(seen.values())), len(PRESETS))
        self.assertEqual(content(simulate(folder / 'none') / 'reads_1.fq.gz'), seen['clean'])

    def test_library_json_makes_the_same_set_with_any_threads(self):
        folder = self.folder()
        first = simulate(folder / 'first', '--library', 'old', '-t', 1)
        again = simulate(folder / 'again', '--library', first / 'library.json', '-t', 3)
        names = sorted(path.name for path in first.iterdir())
        self.assertIn('hidden_copies.bed', names)
        self.assertIn('contaminant.vcf.gz', names)
        self.assert_files(again, *names)
        for name in names:
            self.assertEqual((first / name).read_bytes(), (again / name).read_bytes(), name)

    def test_duplicates_option_goes_before_the_library(self):
        folder = self.folder()
        made = simulate(folder / 'x', '--library', 'pcr', '--duplicates', 0)
        self.assertEqual(json.loads((made / 'library.json').read_text())['duplicate_share'], 0)
        self.assertEqual(json.loads((made / 'simulate.json').read_text())['duplicate_pairs'], 0)

    def test_files_of_an_earlier_library_are_removed(self):
        folder = self.folder()
        made = simulate(folder / 'x', '--library', 'old')
        self.assertTrue((made / 'contaminant.vcf.gz.tbi').exists())
        simulate(made)
        self.assert_files(made, 'ref.fa', 'ref.fa.fai', 'truth.vcf.gz', 'truth.vcf.gz.tbi', 'confident.bed', 'library.json',
                          'reads_1.fq.gz', 'reads_2.fq.gz', 'simulate.json')

    def test_bad_libraries_are_refused_with_file_and_key(self):
        folder = self.folder()
        for text, says in [('{"slip_factr": 1}', '"slip_factr" is not a field of a library'),
                           ('{"contamination_share": 0.9}', '"contamination_share" is 0.9; it must be 0 to 0.5'),
                           ('{"gc_bias": 1, "gc_bias": 2}', 'has the key "gc_bias" twice'),
                           ('{"gc_bias": NaN}', 'not JSON'), ('{"gc_bias": 1e999}', 'not JSON'), ('', 'not JSON'), ('[]', 'not a JSON object')]:
            path = folder / 'bad.json'
            path.write_text(text)
            self.refused(3, 'simulate', '--size', 0.3, '-o', folder / 'out', '--library', path, says=f'{path}: ')
            self.refused(3, 'simulate', '--size', 0.3, '-o', folder / 'out', '--library', path, says=says)
        self.refused(3, 'simulate', '--size', 0.3, '-o', folder / 'out', '--library', 'pcrfree', says='clean, pcr-free, pcr, old')
        self.refused(3, 'simulate', '--size', 0.3, '-o', folder / 'out', '--library', folder, says='a folder')
        self.refused(2, 'simulate', '--size', 0.3, '-o', folder / 'out', '--library', '', says='--library')
        self.assertFalse((folder / 'out').exists())

    def test_library_that_is_an_output_is_refused(self):
        folder = self.folder()
        made = simulate(folder / 'x')
        before = (made / 'library.json').read_bytes()
        self.refused(2, 'simulate', '--size', 0.3, '-o', made, '--library', made / 'library.json', says='--library')
        self.assertEqual((made / 'library.json').read_bytes(), before)

    def test_given_reference_is_never_written_over(self):
        folder = self.folder()
        made = simulate(folder / 'x')
        library = folder / 'l.json'
        library.write_text('{"missing_paralogue_share": 1}')
        before = (made / 'ref.fa').read_bytes()
        self.refused(2, 'simulate', '--reference', made / 'ref.fa', '--library', library, '-o', made, says='ref.fa')
        self.assertEqual((made / 'ref.fa').read_bytes(), before)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
