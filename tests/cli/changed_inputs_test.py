#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests inputs that another program cuts or overwrites while they are read: the run ends with exit 3, whatever it had read by then."""
import collections
import os
import shutil

import gannet_testing
from gannet_testing import error_lines, run, samtools
from held_runs import Held, SafetyCase, names, partial_files, wait_until

ALLELES = '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'


def blocks(data):
    """The blocks of a BGZF file."""
    found, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at + 16:at + 18], 'little') + 1
        found.append(data[at:at + size])
        at += size
    return found


class Alignments(SafetyCase):
    """`call` is held between its two passes by a pipe for --alleles, which it reads when the alignments are open."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.finished = gannet_testing.new_folder()
        run('align', cls.reference, *cls.sample.reads, '-o', cls.finished / 's.bam', '--sample', 's', '-q')

    def alignments(self, ending):
        folder = self.folder()
        for name in ('ref.fa', 'ref.fa.fai'):
            shutil.copy(self.reference.parent / name, folder / name)
        if ending == 'cram':
            samtools('view', '-C', '-T', self.reference, '--output-fmt-option', 'seqs_per_slice=500', '-o', folder / 's.cram', self.finished / 's.bam')
            samtools('index', folder / 's.cram')
        else:
            shutil.copy(self.finished / 's.bam', folder)
            shutil.copy(self.finished / 's.bam.bai', folder)
        return folder / f's.{ending}'

    def held_call(self, path, change):
        """Exit code, errors and names of the output folder of a run during which `change(path)` is called."""
        out = self.folder()
        pipe = self.pipe(self.folder(), 'alleles.vcf')
        with Held('call', path.parent / 'ref.fa', path, '-o', out / 'x.vcf', '--alleles', pipe, '-q', '-t', 1) as held:
            with open(pipe, 'w') as alleles:  # returns when the run has opened the other end
                change(path)
                alleles.write(ALLELES)
            code, errors = held.end()
        return code, errors, names(out)

    def refused_after(self, path, change, says='was changed while it was read'):
        code, errors, left = self.held_call(path, change)
        self.assertEqual(code, 3, errors)
        self.assertEqual(len(error_lines(errors)), 1, errors)
        self.assertIn(says, errors)
        self.assertEqual(left, [])

    def cut(self, path):
        """At the end of a block in the last chunk of the last contig: what is left can be read to its end."""
        data = path.read_bytes()
        parts = blocks(data)
        os.truncate(path, sum(map(len, parts[:len(parts) * 9 // 10])))

    def test_files_that_nobody_changes_are_called(self):
        for ending in ('bam', 'cram'):
            self.assertEqual(self.held_call(self.alignments(ending), lambda path: None)[0::2], (0, ['x.vcf']))

    def test_a_bam_that_is_cut_is_refused(self):
        self.refused_after(self.alignments('bam'), self.cut)

    def test_a_bam_without_index_that_is_cut_is_refused(self):
        path = self.alignments('bam')
        (path.parent / 's.bam.bai').unlink()
        self.refused_after(path, self.cut)

    def test_a_bam_that_is_overwritten_is_refused(self):
        def overwrite(path):
            data = path.read_bytes()
            with open(path, 'r+b') as file:  # the same size and another time
                file.write(data)
        path = self.alignments('bam')
        os.utime(path, (1, 1))
        self.refused_after(path, overwrite)

    def test_a_bam_with_the_same_size_and_time_and_another_end_is_refused(self):
        def damage(path):
            times = os.stat(path)
            with open(path, 'r+b') as file:
                file.seek(-40, os.SEEK_END)
                file.write(b'x')
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.refused_after(self.alignments('bam'), damage, says='s.bam')

    def test_a_bam_that_is_replaced_is_refused(self):
        def replace(path):
            shutil.copy(path, path.parent / 'other')
            (path.parent / 'other').rename(path)
        self.refused_after(self.alignments('bam'), replace, says='another file has its name')

    def test_a_changed_index_and_a_changed_reference_of_cram_are_refused(self):
        self.refused_after(self.alignments('bam'), lambda path: os.utime(f'{path}.bai', (1, 1)))
        self.refused_after(self.alignments('cram'), lambda path: os.truncate(f'{path}.crai', 20), says='s.cram.crai')
        self.refused_after(self.alignments('cram'), lambda path: os.truncate(path.parent / 'ref.fa', 1000), says='s.cram')

    def test_a_cram_that_is_cut_is_refused(self):
        def cut(path):
            lines = gannet_testing.content(f'{path}.crai').decode().splitlines()
            os.truncate(path, int(lines[-1].split('\t')[3]))
        self.refused_after(self.alignments('cram'), cut, says='s.cram')

    def cram_with_lines(self, change, several=False):
        """A CRAM, some of whose slices hold two contigs where `several`, and its .crai, of whose lines `change` makes others."""
        path = self.alignments('cram')
        if several:
            samtools('view', '-C', '-T', self.reference, '--output-fmt-option', 'multi_seq_per_slice=1', '--output-fmt-option', 'seqs_per_slice=700',
                     '-o', path, self.finished / 's.bam')
            samtools('index', path)
        crai = path.parent / 's.cram.crai'
        lines = [line.split('\t') for line in gannet_testing.content(crai).decode().splitlines()]
        crai.write_text(''.join('\t'.join(map(str, line)) + '\n' for line in change(lines)))
        return path

    def refused_crai(self, change, says, **more):
        path = self.cram_with_lines(change, **more)
        self.refused(3, 'call', path.parent / 'ref.fa', path, says='s.cram.crai: ' + says)

    def test_a_crai_is_compared_with_every_container(self):
        path = self.cram_with_lines(lambda lines: lines)
        run('call', path.parent / 'ref.fa', path, '-q')
        middle = lambda lines: len(lines) // 2
        self.refused_crai(lambda lines: lines[:middle(lines)] + lines[middle(lines) + 1:], 'leaves records out')
        self.refused_crai(lambda lines: lines[1:], 'leaves records out')

        def shorter(lines):
            lines[middle(lines)][2] = int(lines[middle(lines)][2]) // 2
            return lines
        self.refused_crai(shorter, 'states other positions than the file')

        def moved(lines):
            lines[middle(lines)][3] = int(lines[middle(lines)][3]) + 1
            return lines
        self.refused_crai(moved, 'leaves records out')

    def test_a_crai_of_another_file_is_refused(self):
        other = self.folder() / 'other.cram'
        samtools('view', '-C', '-T', self.reference, '--output-fmt-option', 'seqs_per_slice=501', '-o', other, self.finished / 's.bam')
        samtools('index', other)
        lines = [line.split('\t') for line in gannet_testing.content(f'{other}.crai').decode().splitlines()]
        self.refused_crai(lambda _: lines, '')

    def test_a_crai_is_compared_with_slices_of_several_contigs(self):
        path = self.cram_with_lines(lambda lines: lines, several=True)
        run('call', path.parent / 'ref.fa', path, '-q')

        def without_one_contig(lines):
            slices = collections.Counter((line[3], line[4]) for line in lines)
            at = next(i for i, line in enumerate(lines) if slices[line[3], line[4]] > 1)
            return lines[:at] + lines[at + 1:]
        self.refused_crai(without_one_contig, 'leaves records out', several=True)

    def test_a_crai_without_its_last_line_is_refused(self):
        for lines_left_out in (1, 2, 1000):
            path = self.alignments('cram')
            crai = path.parent / 's.cram.crai'
            lines = gannet_testing.content(crai).decode().splitlines(keepends=True)
            while lines[-1].startswith('-1\t'):
                lines.pop()  # of records without a position
            crai.write_text(''.join(lines))
            run('call', path.parent / 'ref.fa', path, '-q')
            crai.write_text(''.join(lines[:-lines_left_out]))
            self.refused(3, 'call', path.parent / 'ref.fa', path, says='s.cram.crai')


class Indexes(SafetyCase):
    """`align` is held by a pipe in the place of its reads, when the index is mapped."""

    def held_align_with(self, change, code=3):
        work, out = self.folder(), self.folder()
        for name in ('ref.fa', 'ref.fa.fai', 'ref.fa.gannet'):
            shutil.copy(self.reference.parent / name, work / name)
        pipe = self.pipe(self.folder(), 'reads.fq')
        reads = self.reads(self.folder(), count=4000).read_text()
        with Held('align', work / 'ref.fa', pipe, '-o', out / 'x.bam', '--sample', 's', '-q') as held:
            with open(pipe, 'w') as input:
                input.write(reads[:len(reads) // 8 // 1000 * 1000])
                input.flush()
                wait_until('a partial file', lambda: partial_files(out) or held.process.poll() is not None)
                change(work / 'ref.fa.gannet')
                try:
                    input.write(reads[len(reads) // 8 // 1000 * 1000:])
                    input.flush()
                except BrokenPipeError:
                    pass
            got, errors = held.end()
        self.assertEqual(got, code, errors)
        self.assertEqual(names(out), [] if code else ['x.bam', 'x.bam.bai'])
        return errors

    def test_an_index_that_nobody_changes_is_used(self):
        self.held_align_with(lambda index: None, code=0)

    def test_an_index_that_is_cut_ends_the_run(self):
        for size in (0, 5000):
            errors = self.held_align_with(lambda index: os.truncate(index, size))
            self.assertEqual(len(error_lines(errors)), 1, errors)
            self.assertIn('ref.fa.gannet: was c', errors)  # changed, or cut where that was met

    def test_an_index_that_is_written_to_ends_the_run(self):
        errors = self.held_align_with(lambda index: os.utime(index, (1, 1)))
        self.assertIn('ref.fa.gannet: was changed while it was read', errors)

    def test_an_index_that_is_replaced_stays_in_use(self):
        def replace(index):
            shutil.copy(index, index.parent / 'other')
            (index.parent / 'other').rename(index)
        self.held_align_with(replace, code=0)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
