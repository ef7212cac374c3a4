#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what becomes of the flags, read groups and tags of unaligned BAM: QC-failed reads stay so, read groups are not mixed, tags of another alignment are left out."""
import functools

import gannet_testing
from gannet_testing import run, samtools

BASES = 'ACGTTGCAACGGATCCATTGACCATGCAAGTCTAGGCTTAACCGTATGCA' * 2


@functools.cache
def reference():
    path = gannet_testing.new_folder() / 'ref.fa'
    path.write_text(f'>c1\n{BASES}\n')
    return path


def record(name, flag, tags=''):
    return f'{name}\t{flag}\t*\t0\t0\t*\t*\t0\t0\t{BASES}\t{"I" * len(BASES)}{tags}\n'


class UnalignedBam(gannet_testing.Case):
    def bam(self, *records, groups=('@RG\tID:g\tSM:S',)):
        path = self.folder() / 'u.bam'
        samtools('view', '-b', '-o', path, '-', input='@HD\tVN:1.6\tSO:unsorted\n' + ''.join(group + '\n' for group in groups) + ''.join(records))
        return path

    def aligned(self, *records, **more):
        lines = run('align', reference(), self.bam(*records, **more), '--unsorted', '-q').stdout.splitlines()
        return [line.split('\t') for line in lines if not line.startswith('@')], [line for line in lines if line.startswith('@RG')]

    def test_reads_that_failed_the_filter_stay_so(self):
        single = [record('a', 4), record('b', 4 + 512), record('c', 4)]
        self.assertEqual([int(fields[1]) & 512 for fields in self.aligned(*single)[0]], [0, 512, 0])
        # Mate 2 comes first in the file, and alone has failed.
        paired = [record('p', 77), record('p', 141), record('q', 141 + 512), record('q', 77), record('r', 77 + 512), record('r', 141 + 512)]
        found = {(fields[0], int(fields[1]) & 0xc0): int(fields[1]) & 512 for fields in self.aligned(*paired)[0]}
        self.assertEqual(found, {('p', 64): 0, ('p', 128): 0, ('q', 64): 0, ('q', 128): 512, ('r', 64): 512, ('r', 128): 512})

    def test_records_of_several_read_groups_are_refused(self):
        for groups in (['@RG\tID:g\tSM:S'], []):
            mixed = self.bam(record('a', 4, '\tRG:Z:g'), record('b', 4), record('c', 4, '\tRG:Z:h'), groups=groups)
            self.refused(3, 'align', reference(), mixed, '-o', self.folder() / 'x.bam', says='record 3: is of read group h, others of g')
        only_others = self.bam(record('a', 4, '\tRG:Z:h'))
        self.refused(3, 'align', reference(), only_others, '-o', self.folder() / 'x.bam', says='record 1: is of read group h, others of g')
        self.assertEqual(len(self.aligned(record('a', 4, '\tRG:Z:h'), record('b', 4, '\tRG:Z:h'), groups=[])[0]), 2)

    def test_the_read_group_keeps_all_of_its_fields(self):
        group = '@RG\tID:g\tSM:S\tPL:ELEMENT\tCN:us\tDT:2026-01-02\tPG:bcl\tPI:400\tPM:m'
        fields = self.aligned(record('a', 4), groups=[group])[1][0].split('\t')
        self.assertLessEqual({'ID:g', 'SM:S', 'PL:ELEMENT', 'CN:us', 'DT:2026-01-02', 'PI:400', 'PM:m'}, set(fields))
        self.assertNotIn('PG:bcl', fields)  # its @PG line is not in the new header
        told = self.bam(record('a', 4), groups=['@RG\tID:g\tSM:S\tDS:red\x1b[31m'])
        self.refused(3, 'align', reference(), told, '-o', self.folder() / 'x.bam', says='its read group holds a control character')

    def test_tags_of_another_alignment_are_left_out(self):
        left_out = ['cs:Z::10*ag:139', 'tp:A:P', 'cm:i:5', 's1:i:140', 'de:f:0.01', 'YT:Z:CP', 'DT:Z:SQ', 'DI:i:3', 'dt:Z:SQ', 'do:Z:r9', 'NM:i:7']
        fields = self.aligned(record('a', 4, ''.join('\t' + tag for tag in [*left_out, 'RX:Z:AC', 'zz:i:3'])))[0][0]
        names = [field[:2] for field in fields[11:]]
        self.assertEqual([tag for tag in left_out if tag in fields], [])
        self.assertLessEqual({'RX', 'zz'}, set(names))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
