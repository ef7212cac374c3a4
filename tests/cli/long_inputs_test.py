#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests inputs with lines, records and headers of any length: they are read in bounded memory, or refused."""
import gzip
import os
import struct
import subprocess
import time
import zlib

import gannet_testing
from gannet_testing import bcftools, error_lines, fastq_text, run, samtools
from small_sample import BGZF_END, alignments, sample


def block(data):
    """One BGZF block."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    return (bytes.fromhex('1f8b08040000000000ff0600424302') + b'\0' + struct.pack('<H', len(packed) + 25) + packed +
            struct.pack('<II', zlib.crc32(data), len(data)))


class Lengths(gannet_testing.Case):
    def peak(self, *words, code, feed=None):
        """Runs gannet with `feed` written to a pipe; its error, peak memory in MB and seconds."""
        started = time.time()
        with open(self.folder() / 'log', 'w+b') as log:
            process = gannet_testing.start(*words, stdin=subprocess.PIPE if feed else subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
            if feed:
                try:
                    for part in feed:
                        process.stdin.write(part)
                    process.stdin.close()
                except BrokenPipeError:
                    pass
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            log.seek(0)
            errors = log.read().decode()
        self.assertEqual(process.returncode, code, errors)
        self.assertEqual(len(error_lines(errors)), 0 if code == 0 else 1, errors)
        return errors, usage.ru_maxrss / 1024, time.time() - started

    def test_a_cigar_beyond_what_bam_holds_is_whole_in_sam(self):
        folder, operations = self.folder(), 33_000
        cigar, read = '1M1D' * operations + '1M', 'A' * (operations + 1)
        (folder / 'in.sam').write_text(f'@HD\tVN:1.6\n@SQ\tSN:c\tLN:100000\nr\t0\tc\t5\t60\t{cigar}\t*\t0\t0\t{read}\t{"I" * len(read)}\tXX:Z:kept\n')
        for source in ('in.sam', 'x.bam'):
            run('sort', folder / source, '-o', folder / 'x.bam' if source == 'in.sam' else folder / 'x.sam', '-q')
        text = [line for line in (folder / 'x.sam').read_text().splitlines() if line[0] != '@']
        self.assertEqual(text, samtools('view', folder / 'x.bam').splitlines())
        fields = text[0].split('\t')
        self.assertEqual((fields[5], fields[11:]), (cigar, ['XX:Z:kept']))

    def test_lines_without_an_end_are_refused_in_bounded_memory(self):
        reference = sample().reference
        long = [b'A' * (1 << 20)] * 200
        _, base, _ = self.peak('align', '--unsorted', reference, '-', '-o', '/dev/null', code=3, feed=[b'x'])
        for head, says in ((b'@r\n', 'longer than 16 MiB'), (b'@', 'longer than 16 MiB'), (b'', "begins with 'A'")):
            errors, memory, seconds = self.peak('align', '--unsorted', reference, '-', '-o', '/dev/null', code=3, feed=[head] + long)
            self.assertIn(says, errors)
            self.assertLess(memory, base + 250)
        bed = self.folder() / 'x.bed'
        bed.write_bytes(b'chr1\t' + b'1' * (30 << 20))
        errors, memory, _ = self.peak('call', reference, alignments(), '--targets', bed, '-o', '/dev/null', code=3)
        self.assertIn('longer than 1 MiB', errors)
        title = self.folder() / 'x.fa'
        title.write_bytes(b'>' + b'x' * (30 << 20))
        errors, memory, _ = self.peak('index', title, code=3)
        self.assertIn('title line longer than 1 MiB', errors)

    def bam_with_comments(self, comment, size):
        """A BAM of no records whose header has `comment` until it has `size` bytes."""
        head = samtools('view', '-H', '--no-PG', alignments()).encode()
        contigs = [line.split(b'\t') for line in head.splitlines() if line.startswith(b'@SQ')]
        head = b''.join(line + b'\n' for line in head.splitlines() if line[:3] in (b'@HD', b'@SQ', b'@RG'))
        count = (size - len(head)) // len(comment)
        at_once = 60_000 // len(comment)
        path = self.folder() / 'comments.bam'
        many = block(comment * at_once)
        with open(path, 'wb') as file:
            file.write(block(b'BAM\1' + (len(head) + count * len(comment)).to_bytes(4, 'little') + head))
            for _ in range(count // at_once):
                file.write(many)
            file.write(block(comment * (count % at_once)))
            fields = [dict(field.split(b':', 1) for field in line[1:]) for line in contigs]
            file.write(block(len(fields).to_bytes(4, 'little') +
                             b''.join((len(f[b'SN']) + 1).to_bytes(4, 'little') + f[b'SN'] + b'\0' + int(f[b'LN']).to_bytes(4, 'little') for f in fields)))
            file.write(BGZF_END)
        return path

    def test_headers_of_alignments_are_read_in_bounded_memory_or_refused(self):
        commands = lambda path: (['call', sample().reference, path, '-o', '/dev/null'], ['align', '--unsorted', sample().reference, path, '-o', '/dev/null'])
        for comment in (b'@CO\tx\n', b'@CO\t' + b'x' * 50_000 + b'\n'):
            short, long = self.bam_with_comments(comment, 40_000_000), self.bam_with_comments(comment, 200_000_000)
            for words in commands(long):
                errors, memory, _ = self.peak(*words, '--memory', '500M', code=3)
                self.assertIn('its header is longer than 64 MiB', errors)
                self.assertLess(memory, 300)
            for words in commands(short):
                _, memory, _ = self.peak(*words, '--memory', '500M', code=0)
                self.assertLess(memory, 400)
        sam = self.folder() / 'x.sam'
        with open(sam, 'w') as file:
            file.write('@HD\tVN:1.6\tSO:coordinate\n@CO\t')
            for _ in range(100):
                file.write('x' * 1_000_000)
            file.write('\n' + samtools('view', '-H', alignments()).split('\n', 1)[1])
        cram = self.folder() / 'x.cram'
        samtools('view', '-C', '--output-fmt-option', 'no_ref=1', '-o', cram, sam)
        for path in (sam, cram):
            for words in commands(path):
                errors, memory, _ = self.peak(*words, '--memory', '500M', code=3)
                self.assertIn('64 MiB', errors)
                self.assertLess(memory, 300)

    def test_headers_of_too_many_contigs_are_refused_in_bounded_memory(self):
        folder = self.folder()
        count, at_once = 1_000_000, 2_000
        sam, bam, vcf, fasta = folder / 'x.sam', folder / 'x.bam', folder / 'x.vcf', folder / 'x.fa'
        head = '@HD\tVN:1.6\tSO:coordinate\n'
        with open(sam, 'w') as text, open(bam, 'wb') as packed, open(vcf, 'w') as variants, open(fasta, 'w') as sequences:
            text.write(head)
            packed.write(block(b'BAM\1' + len(head).to_bytes(4, 'little') + head.encode() + count.to_bytes(4, 'little')))
            variants.write('##fileformat=VCFv4.2\n')
            for first in range(0, count, at_once):
                names = [f'{number:x}' for number in range(first, first + at_once)]
                text.write(''.join(f'@SQ\tSN:{name}\tLN:9\n' for name in names))
                packed.write(block(b''.join((len(name) + 1).to_bytes(4, 'little') + name.encode() + b'\0\x09\0\0\0' for name in names)))
                variants.write(''.join(f'##contig=<ID={name},length=9>\n' for name in names))
                sequences.write(''.join(f'>{name}\nACGT\n' for name in names))
            packed.write(BGZF_END)
            variants.write('#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n')
        cram, bcf = folder / 'x.cram', folder / 'x.bcf'
        samtools('view', '-C', '--output-fmt-option', 'no_ref=1', '-o', cram, sam)
        bcftools('view', '-Ob', '-o', bcf, vcf)
        reference = sample().reference
        for words in (*(['call', reference, path] for path in (sam, bam, cram)), *(['align', '--unsorted', reference, path] for path in (sam, bam, cram)),
                      *(['call', reference, alignments(), '--alleles', path] for path in (vcf, bcf)), ['index', fasta]):
            out = '/dev/null' if words[0] != 'index' else folder / 'x.gannet'
            errors, memory, _ = self.peak(*words, '-o', out, '--memory', '300M', code=7)
            self.assertIn('more than half of --memory', errors)
            self.assertLess(memory, 300, words)

    def test_a_long_header_of_bcf_is_refused_in_bounded_memory(self):
        bcf = self.folder() / 'x.bcf'
        size = 200_000_000
        with open(bcf, 'wb') as file:
            file.write(block(b'BCF\2\2' + size.to_bytes(4, 'little') + b'##fileformat=VCFv4.2\n##x='))
            long = block(b'y' * 60_000)
            for _ in range(size // 60_000):
                file.write(long)
            file.write(BGZF_END)
        errors, memory, _ = self.peak('call', sample().reference, alignments(), '--alleles', bcf, '-o', '/dev/null', '--memory', '500M', code=3)
        self.assertIn('longer than 64 MiB', errors)
        self.assertLess(memory, 300)

    def test_long_lines_of_vcf_are_refused_in_bounded_memory(self):
        lines = gzip.open(sample().truth, 'rt').read().splitlines(keepends=True)
        head = [line for line in lines if line.startswith('#')]
        columns = next(line for line in lines if not line.startswith('#')).split('\t')
        folder = self.folder()
        # In pieces: what this process has in memory counts as that of the runs which it starts.
        long = ['y' * 1_000_000] * 300
        texts = {'line': [*head, '\t'.join(columns[:2]) + '\t', *long, '\t' + '\t'.join(columns[3:])],
                 'header': [head[0], '##x=', *long, '\n', *head[1:]], 'lines': [head[0], *[f'##x={long[0]}\n'] * 100, *head[1:]]}
        for name, parts in texts.items():
            path = folder / f'{name}.vcf'
            with gzip.open(f'{path}.gz', 'wt', compresslevel=1) as packed, open(path, 'w') as plain:
                for part in parts:
                    packed.write(part)
                    plain.write(part)
            for given in (path, f'{path}.gz'):
                for words in (['call', sample().reference, alignments(), '--alleles', given, '-o', '/dev/null', '--memory', '500M'],
                              ['compare', sample().truth, given, '--reference', sample().reference]):
                    errors, memory, _ = self.peak(*words, code=3)
                    self.assertIn(' MiB, the limit', errors)
                    self.assertLess(memory, 350)

    def test_records_up_to_the_limit_are_read(self):
        reads = self.folder() / 'long.fq'
        reads.write_text(fastq_text([('long', 'ACGT' * 1_900_000), ('short', 'ACGT' * 20)]))
        self.assertEqual(int(run('fastq', reads, using='read_input').stdout), 2)

    def test_a_contig_on_one_line_is_read(self):
        fasta = self.folder() / 'line.fa'
        fasta.write_text('>one\n' + 'ACGTTGCA' * 400_000)
        self.assertEqual(int(run('reference', fasta, using='read_input').stdout), 1)

    def test_endless_zeros_are_refused_at_once(self):
        reference = sample().reference
        out = self.folder()
        for words in (['align', reference, '/dev/zero', '-o', out / 'x.bam'], ['align', reference, sample().reads[0], '/dev/zero', '-o', out / 'x.bam'],
                      ['index', '/dev/zero', '-o', out / 'x.gannet'], ['call', reference, '/dev/zero', '-o', out / 'x.vcf'],
                      ['call', '/dev/zero', alignments(), '-o', out / 'x.vcf'],
                      ['call', reference, alignments(), '--targets', '/dev/zero', '-o', out / 'x.vcf'],
                      ['compare', '/dev/zero', sample().truth, '--reference', reference], ['align', reference, '--lanes', '/dev/zero', '-o', out / 'x.bam']):
            errors, memory, seconds = self.peak(*words, code=3)
            self.assertIn('/dev/zero', errors)
            self.assertLess(seconds, 20, words)
            self.assertLess(memory, 700, words)
        self.assert_files(out)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
