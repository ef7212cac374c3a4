#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the counts of optical duplicates of `gannet align` and `gannet markdup`, and the library's size, against Picard's MarkDuplicates."""
import functools
import random

import gannet_testing
from gannet_testing import run, samtools
from sort_test import SortCase, text


@functools.cache
def with_optical_duplicates():
    """Two lanes of one library and one of another: the sample, the words that name the lanes, and a folder with the alignments and metrics of align. Most pairs have
    copies, near on the flow cell or not, some with the mates exchanged."""
    sample, folder, rng = gannet_testing.simulated(0.2, 20), gannet_testing.new_folder(), random.Random(11)
    mates = [gannet_testing.content(path).decode().splitlines() for path in sample.reads]
    lanes = [[], [], []]
    for i in range(0, len(mates[0]), 4):
        pair = [[lines[i + 1], lines[i + 3]] for lines in mates]
        tile, x, y = rng.randrange(1101, 1105), rng.randrange(1000, 32700), rng.randrange(1000, 32700)
        lane = rng.randrange(3)
        lanes[lane].append((tile, x, y, pair))
        for _ in range(rng.choice([0, 0, 1, 2, 5])):
            step = rng.choice([40, 100, 150, 2500, 2600])
            x, y = (min(32767, max(0, value + rng.randint(-step, step))) for value in (x, y))  # where Picard before 3.5 knows x and y
            other = lane if rng.random() < 0.8 else rng.randrange(3)
            lanes[other].append((tile if rng.random() < 0.9 else tile + 1, x, y, pair if rng.random() < 0.9 else pair[::-1]))
    lanes = [list({row[:3]: row for row in pairs}.values()) for pairs in lanes]  # two pairs of one name are none
    words = []
    for lane, pairs in enumerate(lanes):
        rng.shuffle(pairs)
        paths = [folder / f'{lane}_{mate}.fq' for mate in (1, 2)]
        for mate, path in enumerate(paths):
            path.write_text(''.join(f'@A00744:46:HV3C3:{lane}:{tile}:{x}:{y}\n{pair[mate][0]}\n+\n{pair[mate][1]}\n' for tile, x, y, pair in pairs))
        library = 'two' if lane == 2 else 'one'
        words += ['--lane', f'{paths[0]},{paths[1]},@RG\\tID:{lane}\\tSM:s\\tLB:{library}']
    run('align', sample.reference, *words, '-o', folder / 'a.bam', '--metrics', folder / 'a.txt', '-q')
    return sample, words, folder


class Optical(SortCase):
    def table(self, path):
        lines = path.read_text().splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith('LIBRARY'))
        return sorted(line.split('\t') for line in lines[at + 1:lines.index('', at)])

    def picard(self, source, *words):
        gannet_testing.needs_tool('PicardCommandLine')
        folder = self.folder()
        done = gannet_testing.execute(['PicardCommandLine', 'MarkDuplicates', f'I={source}', f'O={folder}/o.bam', f'M={folder}/m.txt', 'QUIET=true', 'VERBOSITY=ERROR', *words])
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return self.table(folder / 'm.txt')

    def test_counts_and_library_size_are_those_of_picard(self):
        sample, words, folder = with_optical_duplicates()
        theirs = self.picard(folder / 'a.bam')
        self.assertEqual([row[0] for row in theirs], ['one', 'two'])
        for row in theirs:
            self.assertGreater(int(row[7]), 500)
            self.assertGreater(int(row[6]), int(row[7]) + 100)
        self.assertEqual(self.table(folder / 'a.txt'), theirs)
        header, lines = text(folder / 'a.bam')
        for distance in (0, 2500):
            theirs = self.picard(folder / 'a.bam', f'OPTICAL_DUPLICATE_PIXEL_DISTANCE={distance}')
            run('align', sample.reference, *words, '-o', folder / 'b.bam', '--metrics', folder / 'b.txt', '--optical-distance', distance, '-t', 2, '-q')
            self.assertEqual(self.table(folder / 'b.txt'), theirs)
            run('markdup', self.shuffled(folder, header, lines, distance), '-o', folder / 'c.bam', '--metrics', folder / 'c.txt', '--optical-distance', distance, '-q')
            self.assertEqual(self.table(folder / 'c.txt'), theirs)
            self.assertIn(f'--optical-distance {distance}', samtools('view', '-H', '--no-PG', folder / 'c.bam'))

    def test_counts_do_not_depend_on_threads_and_batches(self):
        sample, words, folder = with_optical_duplicates()
        for more in (['-t', 1], ['-t', 3, '--batch-bases', 20000]):
            run('align', sample.reference, *words, '-o', folder / 'o.bam', '--metrics', folder / 'o.txt', '-q', *more)
            self.assertEqual(self.table(folder / 'o.txt'), self.table(folder / 'a.txt'))

    def test_names_without_places_have_none(self):
        _, _, folder = with_optical_duplicates()
        header, lines = text(folder / 'a.bam')
        for old, new in ((':', '.'), ('A00744:46:', 'A00744:')):  # six fields
            source = folder / 'renamed.sam'
            source.write_text(header + ''.join(line.split('\t')[0].replace(old, new) + line[line.index('\t'):] + '\n' for line in lines))
            run('markdup', source, '-o', folder / 'o.bam', '--metrics', folder / 'o.txt', '-q')
            rows_of, with_places = self.table(folder / 'o.txt'), self.table(folder / 'a.txt')
            self.assertEqual([row[7] for row in rows_of], ['0', '0'])
            self.assertEqual([row[:7] for row in rows_of], [row[:7] for row in with_places])
            self.assertLess(int(rows_of[0][9]), int(with_places[0][9]))

    def test_distance_is_refused_where_duplicates_are_not_marked(self):
        sample, _, folder = with_optical_duplicates()
        self.refused(2, 'align', sample.reference, *sample.reads, '--unsorted', '--optical-distance', 2500, '-o', folder / 'x.bam', says='contradicts --unsorted')
        self.refused(2, 'align', sample.reference, *sample.reads, '--no-duplicates', '--optical-distance', 2500, '-o', folder / 'x.bam', says='--no-duplicates')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
