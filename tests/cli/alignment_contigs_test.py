#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that alignments, their header and the reference of a CRAM fit together: a contig that the header lacks, positions that BAM cannot hold, a FASTA with other
contigs or other bases; and that no file is read that the command does not name.
"""
import gzip
import random
import subprocess

import gannet_testing
from gannet_testing import run, samtools


def fasta(path, contigs):
    path.write_text(''.join(f'>{name}\n' + ''.join(sequence[i:i + 60] + '\n' for i in range(0, len(sequence), 60)) for name, sequence in contigs.items()))
    return path


def drawn(bases, seed):
    return ''.join(random.Random(seed).choices('ACGT', k=bases))


SEQUENCES = {'c1': drawn(3000, 1), 'c2': drawn(2000, 2)}


def sam(header, *records):
    return ''.join(line + '\n' for line in ('@HD\tVN:1.6', *header, *records))


def read(name, contig, position, mate_contig='*', mate_position=0):
    sequence = SEQUENCES.get(contig, SEQUENCES['c1'])[:20]
    return f'{name}\t{0 if mate_contig == "*" else 65}\t{contig}\t{position}\t60\t20M\t{mate_contig}\t{mate_position}\t0\t{sequence}\t{"I" * 20}'


CONTIGS = [f'@SQ\tSN:{name}\tLN:{len(sequence)}' for name, sequence in SEQUENCES.items()]


class Headers(gannet_testing.Case):
    def given(self, text):
        path = self.folder() / 'in.sam'
        path.write_text(text)
        return path

    def test_a_contig_that_the_header_lacks_is_refused(self):
        for records in ([read('a', 'c1', 1), read('b', 'c3', 1)], [read('a', 'c1', 1), read('b', 'c1', 1, 'c3', 5)]):
            source = self.given(sam(CONTIGS, *records))
            for command in (('sort', source), ('markdup', source), ('call', fasta(source.parent / 'r.fa', SEQUENCES), source)):
                output = source.parent / ('o.vcf.gz' if command[0] == 'call' else 'o.bam')
                self.refused(4, *command, '-o', output, says="in.sam: record 2: the header names no contig 'c3'")
                self.assertFalse(output.exists())
        # What is unmapped, or has a mate on the same contig, is on none that could be missing.
        unmapped = 'u\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII'
        output = self.folder() / 'o.bam'
        run('sort', self.given(sam(CONTIGS, read('a', 'c1', 1, '=', 40), unmapped)), '-o', output, '-q')
        self.assertEqual(samtools('view', '-c', output), '2\n')

    def test_position_zero_is_unplaced_as_for_samtools(self):
        output = self.folder() / 'o.bam'
        for record in ('r\t0\tc1\t0\t9\t4M\t*\t0\t0\tACGT\tIIII', 'r\t65\tc1\t5\t9\t4M\tc1\t0\t0\tACGT\tIIII', 'r\t4\tc1\t0\t0\t*\t*\t0\t0\tACGT\tIIII'):
            source = self.given(sam(CONTIGS, record))
            run('sort', source, '-o', output, '-q')
            self.assertEqual(samtools('view', output), samtools('view', source))

    def test_a_damaged_header_is_named(self):
        self.refused(3, 'sort', self.given('@HD\tVN:1.6\n@SQ\tSN:c1\tLN:9\n@PG\tPN:x\n' + read('a', '*', 0)), '-o', self.folder() / 'o.bam', says='in.sam')
        text = bytearray(subprocess.run(['samtools', 'view', '-b', '--no-PG', self.given(sam(CONTIGS, read('a', 'c1', 1)))], capture_output=True, check=True).stdout)
        plain = gzip.decompress(text)
        damaged = self.folder() / 'd.bam'
        damaged.write_bytes(subprocess.run(['bgzip', '-c'], input=plain.replace(b'\n@SQ\tSN:c2', b'\n@\0Q\tSN:c2'), capture_output=True, check=True).stdout)
        self.refused(3, 'sort', damaged, '-o', self.folder() / 'o.bam', says='d.bam: its header is not a SAM header')

    def test_positions_that_bam_cannot_hold_are_refused(self):
        output = self.folder() / 'o.bam'
        self.refused(3, 'sort', self.given(sam(['@SQ\tSN:c1\tLN:3000000000'], read('a', 'c1', 2_500_000_000))), '-o', output, says="contig 'c1' is 3000000000 bp long")
        for record in (read('a', 'c1', 2_500_000_000), read('a', 'c1', 5, 'c2', 2_500_000_000)):
            self.refused(3, 'sort', self.given(sam(CONTIGS, record)), '-o', output, says='record 1: has a position or template length beyond 2147483647')
        self.assertFalse(output.exists())


class Bases(gannet_testing.Case):
    """What SAM allows in SEQ and QUAL beside letters."""

    def test_bases_written_as_equal_are_those_of_the_reference(self):
        sample, output = gannet_testing.called_sample()
        folder = self.folder()
        (folder / 'equal.bam').write_bytes(subprocess.run(['samtools', 'calmd', '-e', '-b', output / 's.bam', sample.reference], capture_output=True, check=True).stdout)
        self.assertGreater(samtools('view', folder / 'equal.bam').count('====='), 1000)
        for name, source in (('plain', output / 's.bam'), ('equal', folder / 'equal.bam')):
            run('call', sample.reference, source, '-o', folder / f'{name}.vcf', '-q')
        bodies = [[line for line in (folder / f'{name}.vcf').read_text().splitlines() if not line.startswith('#')] for name in ('plain', 'equal')]
        self.assertGreater(len(bodies[0]), 20)
        self.assertEqual(*bodies)
        samtools('collate', '-o', folder / 'grouped.bam', folder / 'equal.bam')
        self.refused(3, 'align', sample.reference, folder / 'grouped.bam', '-o', folder / 'o.bam', says="has '=' in place of bases")

    def test_reads_without_base_qualities_are_not_passed_over_in_silence(self):
        sample, output = gannet_testing.called_sample()
        folder = self.folder()
        lines = samtools('view', '-h', output / 's.bam').splitlines()
        for name, every in (('all', 1), ('some', 10)):
            rows = [line.split('\t') for line in lines]
            for number, row in enumerate(rows):
                if not row[0].startswith('@') and number % every == 0:
                    row[10] = '*'
            (folder / f'{name}.sam').write_text(''.join('\t'.join(row) + '\n' for row in rows))
        self.refused(3, 'call', sample.reference, folder / 'all.sam', '-o', folder / 'o.vcf', says='all.sam: none of the mapped reads has base qualities')
        self.refused(3, 'call', sample.reference, folder / 'some.sam', '-o', folder / 'o.vcf', '--strict', says='10.0 % of the mapped reads have no base qualities')
        self.assertFalse((folder / 'o.vcf').exists())
        self.assertRegex(run('call', sample.reference, folder / 'some.sam', '-o', folder / 'o.vcf').stderr, 'warning: .*some.sam: 10.0 % of the mapped reads')


class CramReference(gannet_testing.Case):
    def files(self, *options):
        folder = self.folder()
        reference = fasta(folder / 'r.fa', SEQUENCES)
        (folder / 'in.sam').write_text(sam(CONTIGS, *(read(f'r{i}', 'c1', 1 + i) for i in range(50)), read('z', 'c2', 1)))
        samtools('view', '-C', '-T', reference, '-o', folder / 'in.cram', folder / 'in.sam')
        samtools('view', '-b', '-T', reference, '-o', folder / 'in.bam', folder / 'in.cram')  # with M5
        return folder, reference

    def test_no_file_is_read_that_only_the_header_names(self):
        folder, reference = self.files()
        self.assertIn('UR:', samtools('view', '-H', folder / 'in.cram'))
        before = reference.read_bytes()
        for output in (['-o', reference, '--format', 'sam'], ['-o', folder / 'o.bam', '--trace', reference], ['-o', folder / 'o.bam']):
            self.refused(3, 'sort', folder / 'in.cram', *output, says='in.cram: record 1: cannot be decoded: the reference that the file was made with is needed (--reference)')
        self.refused(3, 'align', fasta(folder / 'other.fa', SEQUENCES), folder / 'in.cram', '-o', reference, '--format', 'sam', says='in.cram')
        self.assertEqual(reference.read_bytes(), before)
        run('sort', folder / 'in.cram', '--reference', reference, '-o', folder / 'o.bam', '-q')
        self.assertIn('UR:', samtools('view', '-H', folder / 'o.bam'))  # a line of the header, which stays
        self.assertEqual(samtools('view', '-c', folder / 'o.bam'), '51\n')

    def test_the_cause_of_a_reference_that_does_not_serve_is_named(self):
        folder, reference = self.files()
        other = fasta(folder / 'other.fa', {'c1': SEQUENCES['c1'], 'c2': drawn(2000, 9)})
        self.refused(4, 'sort', folder / 'in.cram', '-o', folder / 'o.bam', '--reference', other, says="in.cram: contig 'c2' has another sequence (MD5 ")
        packed = folder / 'packed.fa.gz'
        packed.write_bytes(gzip.compress(reference.read_bytes()))
        self.refused(3, 'sort', folder / 'in.bam', '-o', folder / 'o.cram', '--reference', packed, says='packed.fa.gz: is plain gzip, which cannot be indexed')
        run('index', packed, '-q')
        self.refused(3, 'call', packed, folder / 'in.cram', '-o', folder / 'o.vcf', says='packed.fa.gz: is plain gzip, which cannot be indexed')

    def test_an_old_index_of_picard_s_name_goes(self):
        folder, reference = self.files()
        for name in ('in.bai', 'o.bai', 'o.crai', 'o.bam.csi', 'o.csi'):
            (folder / name).write_text('old')
        run('sort', folder / 'in.sam', '-o', folder / 'o.bam', '-q')
        self.assertEqual(sorted(path.name for path in folder.glob('o.*')), ['o.bam', 'o.bam.bai', 'o.crai'])
        run('sort', folder / 'in.sam', '-o', folder / 'o.cram', '--reference', reference, '-q')
        self.assertEqual(sorted(path.name for path in folder.glob('o.*')), ['o.bam', 'o.bam.bai', 'o.cram', 'o.cram.crai'])
        run('sort', folder / 'in.sam', '-o', folder / 'in.bam', '-q')  # of another file of the same stem
        self.assertFalse((folder / 'in.bai').exists())
        self.refused(2, 'sort', folder / 'in.bam', '-o', folder / 'in.bam.bai', '--format', 'sam', says='an index of the alignments')

    def test_cram_is_written_against_the_reference_of_its_header_only(self):
        folder, _ = self.files()
        longer = fasta(folder / 'longer.fa', {'c1': SEQUENCES['c1'] + 'A', 'c2': SEQUENCES['c2']})
        fewer = fasta(folder / 'fewer.fa', {'c1': SEQUENCES['c1']})
        other = fasta(folder / 'other.fa', {'c1': SEQUENCES['c1'], 'c2': drawn(2000, 9)})
        for command in ('sort', 'markdup'):
            words = command, folder / 'in.bam', '-o', folder / 'o.cram', '--reference'
            self.refused(4, *words, longer, says="in.bam: contig 'c1' is 3000 bp long, but 3001 in")
            self.refused(4, *words, fewer, says="in.bam: contig 'c2' is not in the reference")
            self.refused(4, *words, other, says="in.bam: contig 'c2' has another sequence (MD5 ")
            self.assertEqual([path.name for path in folder.iterdir() if path.name.startswith('o.')], [])
        lower = fasta(folder / 'lower.fa', {name: sequence.lower() for name, sequence in SEQUENCES.items()})
        run('sort', folder / 'in.bam', '-o', folder / 'o.cram', '--reference', lower, '-q')
        self.assertEqual(samtools('view', '-c', '-T', folder / 'r.fa', folder / 'o.cram'), '51\n')


if __name__ == '__main__':
    gannet_testing.main(__doc__)
