#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests which records `gannet markdup` takes for mates where read groups and names do not say the same, against Picard's MarkDuplicates."""
import gannet_testing
from gannet_testing import run, samtools

DUPLICATE = 0x400


def sam(path):
    """Header and records."""
    return samtools('view', '-H', '--no-PG', path), samtools('view', path).splitlines()


class Mates(gannet_testing.Case):
    def pairs(self, folder, name, *templates):
        """Each template: name, position, the read groups of its left and right mate, the quality; and which mate is left."""
        lines = ['@HD\tVN:1.6\tSO:unsorted', '@SQ\tSN:c\tLN:100000', *(f'@RG\tID:{group}\tSM:s\tLB:{group[0]}' for group in ('a1', 'a2', 'b1'))]
        for read, at, groups, quality, *read2_is_left in templates:
            left, right = (163, 83) if read2_is_left else (99, 147)
            lines += [f'{read}\t{flag}\tc\t{position}\t60\t10M\t=\t{mate}\t{size}\tACGTACGTAC\t{quality * 10}\tRG:Z:{group}'
                      for flag, position, mate, size, group in ((left, at, at + 200, 210, groups[0]), (right, at + 200, at, -210, groups[1]))]
        path = folder / f'{name}.bam'
        samtools('sort', '-o', path, '-', input='\n'.join(lines) + '\n')
        return path

    def marked(self, path):
        rows = [line.split('\t') for line in sam(path)[1]]
        groups = [next(tag[5:] for tag in row if tag.startswith('RG:Z:')) for row in rows]
        return sorted((row[0], group, int(row[3])) for row, group in zip(rows, groups) if int(row[1]) & DUPLICATE)

    def picard(self, source, folder):
        gannet_testing.needs_tool('PicardCommandLine')
        done = gannet_testing.execute(['PicardCommandLine', 'MarkDuplicates', f'I={source}', f'O={folder}/picard.bam', f'M={folder}/picard.txt', 'READ_NAME_REGEX=null',
                                       'ASSUME_SORT_ORDER=coordinate', 'QUIET=true', 'VERBOSITY=ERROR', 'VALIDATION_STRINGENCY=SILENT'])
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return folder / 'picard.bam'

    def test_mates_in_two_read_groups_are_one_template_as_in_picard(self):
        folder = self.folder()
        for name, templates, expected in (
                ('one_library', [('p', 100, ('a1', 'a1'), 'I'), ('q', 100, ('a1', 'a2'), '5')], [('q', 'a1', 100), ('q', 'a2', 300)]),
                ('right_of_another', [('p', 100, ('a1', 'a1'), 'I'), ('q', 100, ('a1', 'b1'), '5')], [('q', 'a1', 100), ('q', 'b1', 300)]),
                ('left_of_another', [('p', 100, ('a1', 'a1'), 'I'), ('q', 100, ('b1', 'a1'), '5')], []),
                ('read2_is_left', [('p', 100, ('a1', 'a1'), 'I', True), ('q', 100, ('a1', 'b1'), '5', True)], [('q', 'a1', 100), ('q', 'b1', 300)]),
                ('two_of_two', [('p', 100, ('b1', 'a1'), 'I'), ('q', 100, ('b1', 'a2'), '5'), ('r', 100, ('a1', 'b1'), '4')], [('q', 'a2', 300), ('q', 'b1', 100)])):
            with self.subTest(name):
                source = self.pairs(folder, name, *templates)
                run('markdup', source, '-o', folder / 'o.bam', '-q')
                self.assertEqual(self.marked(folder / 'o.bam'), expected)
                self.assertEqual(self.marked(self.picard(source, folder)), expected)

    def test_templates_of_one_name_in_two_read_groups_are_two(self):
        """Picard (2.27) and samtools take their four records for one another's mates."""
        folder = self.folder()
        apart = [('p', 100, ('a1', 'a1'), 'I'), ('p', 100, ('a2', 'a2'), '5'), ('q', 600, ('a1', 'a1'), 'I'), ('q', 600, ('b1', 'b1'), '5')]
        source = self.pairs(folder, 'apart', *apart)
        run('markdup', source, '-o', folder / 'o.bam', '-q')
        self.assertEqual(self.marked(folder / 'o.bam'), [('p', 'a2', 100), ('p', 'a2', 300)])
        # Halves of two templates, as a region that was cut out leaves them: each one's mate is elsewhere.
        header, lines = sam(self.pairs(folder, 'halves', ('p', 100, ('a1', 'a1'), 'I'), ('q', 100, ('a1', 'a2'), '5')))
        self.assertEqual(sum('=\t100\t-210' in line for line in lines), 2)
        lines = [line.replace('=\t100\t-210', '=\t60\t-250') if line.startswith('q') else line for line in lines]
        (folder / 'halves.sam').write_text(header + '\n'.join(lines) + '\n')
        run('markdup', folder / 'halves.sam', '-o', folder / 'o.bam', '-q')
        self.assertEqual(self.marked(folder / 'o.bam'), [])


if __name__ == '__main__':
    gannet_testing.main(__doc__)
