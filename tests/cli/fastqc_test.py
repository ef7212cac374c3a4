#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the archives of FastQC against what FastQC says of the same FASTQ files, field by field."""
import functools
import json
import random

import gannet_testing
import trim_test
from gannet_testing import execute, needs_tool, new_folder, run, samtools
from held_runs import Held, wait_until
from qc_reads import complement, difficult_reads, fastq_records, fastqc_modules, write_reads


class ComparedWithFastqc(gannet_testing.Case):
    def fastqc(self, *paths):
        """The folder with what FastQC finds in the files, whose names differ; one start for all of them, since it takes longer than the counting."""
        needs_tool('fastqc')
        output = self.folder()
        done = execute(['fastqc', '-q', '-o', output, *paths])
        self.assertEqual(done.returncode, 0, done.stderr)
        return output

    def compare(self, *reads, inputs=None, options=(), theirs=None):
        """FastQC on the reads, all that it finds in a module that gannet has. `inputs`: words that give gannet the same reads. `theirs`: of fastqc()."""
        output, folder = theirs or self.fastqc(*reads), self.folder()
        run('align', difficult_reads()[0], *(inputs or reads), '-o', folder / 's.bam', '--sample', 's', '--qc', folder / 's', *options, '-q')
        for number, path in enumerate(reads, 1):
            ours = fastqc_modules(folder / f's.R{number}_fastqc.zip')
            theirs = fastqc_modules(output / (path.name.removesuffix('.fq') + '_fastqc.zip'))
            self.assertEqual([row for row in ours['Basic Statistics'][1] if row[0] != 'Filename'],
                             [row for row in theirs['Basic Statistics'][1] if row[0] != 'Filename'])
            self.assertEqual(list(theirs), list(ours))
            for name, (status, rows) in ours.items():
                if name != 'Basic Statistics':
                    self.assertEqual(status, theirs[name][0], name)
                    self.compare_rows(name, rows, theirs[name][1])
        return folder

    def compare_each(self, paths):
        """Each file of single reads alone."""
        theirs = self.fastqc(*paths)
        for path in paths:
            with self.subTest(path.stem):
                yield self.compare(path, theirs=theirs)

    def compare_rows(self, name, rows, their_rows):
        self.assertEqual(len(rows), len(their_rows), name)
        for row, their_row in zip(rows, their_rows):
            self.assertEqual(row[0], their_row[0], name)
            if name == 'Overrepresented sequences':  # of FastQC's adapters gannet knows some
                if their_row[3] == 'No Hit':
                    self.assertEqual(row[3], their_row[3], row[0])
                row, their_row = row[:3], their_row[:3]
            for value, their_value in zip(row[1:], their_row[1:], strict=True):
                if row[0] == '#Total Deduplicated Percentage' or not row[0].startswith('#'):
                    if value != their_value:
                        self.assertAlmostEqual(float(value), float(their_value), delta=1e-9 * max(1, float(their_value)), msg=f'{name}: {row}')
                else:
                    self.assertEqual(value, their_value)


class AsFastqc(ComparedWithFastqc):
    def with_bases(self, name):
        path = self.folder() / name
        write_reads(path, [(read[0], read[1] or 'ACGTN', '+', read[3] or '#####') for read in fastq_records(difficult_reads()[1] / name)])
        return path

    def test_pairs_of_many_lengths_are_counted_as_fastqc_does(self):
        self.compare(self.with_bases('a_1.fq'), self.with_bases('a_2.fq'))

    def test_single_reads_are_counted_as_fastqc_does(self):
        folder = self.compare(self.with_bases('single.fq'))
        self.assertFalse((folder / 's.R2_fastqc.zip').exists())

    def test_adapters_are_counted_as_fastqc_does(self):
        adapters = ('AGATCGGAAGAG', 'TGGAATTCTCGG', 'GATCGTCGGACT', 'CTGTCTCTTATA', 'CGCCTTGGCCGT')
        rng, path, reads = random.Random(8), self.folder() / 'x.fq', []
        genome = ''.join(line for line in difficult_reads()[0].read_text().splitlines() if line[0] != '>')
        for i in range(4000):
            at = rng.randrange(len(genome) - 200)
            length = rng.choice((12, 13, 20, 60, 100, 150, 151))
            bases = genome[at:at + length] if i % 2 else complement(genome[at:at + length])
            for _ in range(rng.choice((0, 0, 1, 1, 2)) if length > 12 else 0):
                begin = rng.randrange(length - 12 + 1)
                bases = bases[:begin] + rng.choice(adapters) + bases[begin + 12:]
            reads.append((f'@r{i}', bases, '+', '#' + 'F' * (length - 1)))
        write_reads(path, reads)
        folder = self.compare(path)
        flags = [int(line.split('\t')[1]) & 20 for line in samtools('view', '-F', '0x900', folder / 's.bam').splitlines()]
        self.assertTrue(all(flags.count(flag) > 500 for flag in (0, 4, 16)), 'forward, unmapped and reverse reads')

    def test_reads_shorter_than_adapters_are_counted_as_fastqc_does(self):
        path = self.folder() / 'x.fq'
        write_reads(path, [(f'@r{i}', ('ACGTTGCAGTCA', 'TTGACCAGTA')[i % 2], '+', '#' * (12 - 2 * (i % 2))) for i in range(20)])
        self.compare(path)

    def test_long_and_short_reads_are_counted_as_fastqc_does(self):
        paths = []
        for length in (50, 300, 1300):
            rng = random.Random(length)
            paths.append(self.folder() / f'length_{length}.fq')
            reads = [''.join(rng.choices('ACGTN', (30, 20, 20, 29, 1), k=length)) for _ in range(150)]
            write_reads(paths[-1], [(f'@r{i}', bases, '+', ''.join(chr(33 + rng.randrange(2, 41)) for _ in bases)) for i, bases in enumerate(reads)])
        self.assertEqual(len(list(self.compare_each(paths))), 3)


@functools.cache
def repetitive_reads():
    """Two lanes of pairs and one of single reads with more than 100,000 different sequences, some of them read often: from the first read
    on, only before or only behind the hundred thousandth, or about it. Two FASTQ files as FastQC reads them, and words for gannet."""
    rng, folder = random.Random(21), new_folder()
    genome = ''.join(rng.choices('ACGT', k=400_000))
    adapter = 'GATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG'
    often = [''.join(rng.choices('ACGT', k=150)) for _ in range(6)]

    def bases(i, mate):
        kind, length = rng.randrange(100), rng.choice((40, 50, 75, 76, 150))
        if kind < 2:
            return often[0][:length]  # equal where 50 are read, and where more than 75 are
        if kind < 4 and i < 60_000:
            return often[1][:76]
        if kind < 6 and i > 150_000:
            return often[2][:75]
        if kind < 8 and i > 125_000 + 5_000 * mate:
            return often[3]
        if kind < 9:
            return often[4][:60] + rng.choice('ACGT') * 30  # the same for FastQC
        if kind == 9:
            return (adapter + often[5])[:100]
        if kind == 10:
            return 'N' * length
        at = rng.randrange(len(genome) - 150) if kind < 88 else rng.randrange(300)
        read = genome[at:at + length]
        if kind < 14:
            read = read[:20] + 'N' + read[21:]
        return read.lower() if kind == 20 else read

    sizes = (100_000, 80_000, 40_000)
    files = [[], []]
    words, at = [], 0
    for lane, size in enumerate(sizes):
        paths = []
        for mate in range(2 if lane < 2 else 1):
            reads = []
            for i in range(at, at + size):
                read = bases(i, mate)
                reads.append((f'@A:1:F:1:{1101 + i // 5000}:{lane}:{i}', read, '+', '#' + 'F' * (len(read) - 1)))
            paths.append(folder / f'lane{lane}_{mate + 1}.fq')
            write_reads(paths[-1], reads)
            files[mate].append(paths[-1])
        words += ['--lane', ','.join(map(str, paths)) + ('' if lane < 2 else ',') + f',{lane}']
        at += size
    whole = []
    for mate, parts in enumerate(files):
        whole.append(folder / f'whole_{mate + 1}.fq')
        whole[-1].write_bytes(b''.join(part.read_bytes() for part in parts))
    return whole, words


class Tiles(ComparedWithFastqc):
    def write(self, name, of, counts, mate=0, seed=5):
        """Reads of some lengths on some tiles; those of one tile are bad, as those of another from cycle 60 on."""
        rng, path, reads = random.Random(seed + mate), self.folder() / name, []
        for i in range(*counts):
            tile = 1101 + i * 7 // 1000 % 12 + 1000 * (i // 13 % 2)
            length = rng.choice((60, 100, 150, 151))
            low = 14 if tile == 1103 else 30 if tile == 2107 else 36
            quality = ''.join(chr(33 + rng.randrange(low, 41)) for _ in range(60)) + ''.join(chr(33 + rng.randrange(low - 9 * (tile == 2107), 41)) for _ in range(length - 60))
            reads.append((of(i, tile, mate), ''.join(rng.choices('ACGT', k=length)), '+', '#' + quality[1:]))
        write_reads(path, reads)
        return path

    def test_qualities_by_tile_are_those_of_fastqc(self):
        name = '@A00:1:FLOW:2:{1}:{0}:77 {2}:N:0:ACGT'
        of = lambda i, tile, mate: name.format(i, tile, mate + 1)
        lanes = [(0, 9_003), (9_003, 20_011), (20_011, 25_000)]
        files = [[self.write(f'{lane}_{mate}.fq', of, counts, mate) for lane, counts in enumerate(lanes[:2 + (mate == 0)])] for mate in (0, 1)]
        files[0][1], files[0][2] = files[0][2], files[0][1]  # single reads between the pairs
        whole = []
        for mate in (0, 1):
            whole.append(self.folder() / f'whole_{mate + 1}.fq')
            whole[-1].write_text(''.join(path.read_text() for path in files[mate]))
        lanes = ['--lane', f'{files[0][0]},{files[1][0]},a', '--lane', f'{files[0][1]},,b', '--lane', f'{files[0][2]},{files[1][1]},c']
        folder = self.compare(*whole, inputs=lanes, options=('-t', 3, '--batch-bases', 30_000))
        for number in (1, 2):
            status, rows = fastqc_modules(folder / f's.R{number}_fastqc.zip')['Per tile sequence quality']
            self.assertEqual(status, 'fail')
            self.assertEqual(len({row[0] for row in rows[1:]}), 24)

    def test_names_of_older_sequencers_have_tiles(self):
        self.compare(self.write('old.fq', lambda i, tile, mate: f'@HWUSI-EAS493_0001:2:{tile}:{i}:16900#0/1', (0, 3000)))

    def test_other_names_have_none(self):
        names = {'letter': lambda i, tile, mate: f'@A00:1:FLOW:2:{"x" if i == 1999 else ""}{tile}:{i}:77', 'four': lambda i, tile, mate: f'@{tile}:{i}:77:3',
                 'many': lambda i, tile, mate: f'@A00:1:FLOW:2:{i}:{tile}:77'}
        for folder in self.compare_each([self.write(f'{name}.fq', of, (0, 12_000)) for name, of in names.items()]):
            self.assertNotIn('Per tile sequence quality', fastqc_modules(folder / 's.R1_fastqc.zip'))


def saved_checkpoints(folder):
    """The manifest, if there is one, by its time."""
    return {path.stat().st_mtime_ns for path in folder.glob('.gannet-checkpoint-*/manifest')}


class Duplication(ComparedWithFastqc):
    """The modules of FastQC that depend on the order of the reads."""

    def test_more_sequences_than_are_tracked_are_counted_as_fastqc_does(self):
        whole, words = repetitive_reads()
        folder = self.compare(*whole, inputs=words, options=('-t', 3, '--batch-bases', 50_000))
        for number in (1, 2):
            modules = fastqc_modules(folder / f's.R{number}_fastqc.zip')
            sources = [row[3] for row in modules['Overrepresented sequences'][1][1:]]
            self.assertGreater(len(sources), 5)
            self.assertTrue(any(source.startswith('TruSeq Adapter (100% over 33bp)') for source in sources), sources)
            compared = [read[:50] if len(read) > 75 else read for read in (read[1].upper() for read in fastq_records(whole[number - 1]))]
            self.assertGreater(len(set(compared[:150_000])), 100_000)  # a good while before the end

    def test_threads_and_batches_do_not_change_a_byte(self):
        _, words = repetitive_reads()
        seen = set()
        for options in (('-t', 1), ('-t', 4, '--batch-bases', 20_000), ('-t', 3, '--batch-bases', 3_000_000)):
            folder = self.folder()
            run('align', difficult_reads()[0], *words, '-o', folder / 's.bam', '--sample', 's', '--qc', folder / 's', *options, '-q')
            modules = [fastqc_modules(folder / f's.R{number}_fastqc.zip') for number in (1, 2)]
            seen.add(json.dumps(modules))
        self.assertEqual(len(seen), 1)

    def test_adapters_that_are_trimmed_are_still_seen(self):
        reference, folder = difficult_reads()[0], self.folder()
        reads = [folder / 'raw_1.fq', folder / 'raw_2.fq']
        made = trim_test.pairs(reference, 300, 3)
        for mate, path in enumerate(reads):
            write_reads(path, [(f'@r{i}', row[2 + mate], '+', '#' + 'F' * (len(row[2 + mate]) - 1)) for i, row in enumerate(made * 3)])
        outputs = [self.folder(), self.compare(*reads)]
        run('align', reference, *reads, '-o', outputs[0] / 's.bam', '--sample', 's', '--qc', outputs[0] / 's', '--trim-adapters', '-q')
        for number in (1, 2):
            trimmed, whole = (fastqc_modules(output / f's.R{number}_fastqc.zip') for output in outputs)
            self.assertNotEqual(trimmed['Sequence Length Distribution'], whole['Sequence Length Distribution'])
            for name in ('Sequence Duplication Levels', 'Overrepresented sequences'):
                self.assertEqual(trimmed[name], whole[name])
            self.assertGreater(len(whole['Overrepresented sequences'][1]), 1)

    def test_files_of_few_reads_are_counted_as_fastqc_does(self):
        rng, paths = random.Random(3), []
        for count, distinct, length in ((1, 1, 50), (1, 1, 150), (3, 2, 76), (700, 300, 75), (2500, 1200, 40), (4000, 60, 150), (30_000, 29_000, 50)):
            known = [''.join(rng.choices('ACGT', k=length)) for _ in range(distinct)]
            reads = [known[i] if i < distinct else rng.choice(known) for i in range(count)]
            paths.append(self.folder() / f'{count}_reads_of_{length}.fq')
            write_reads(paths[-1], [(f'@r{i}', bases, '+', '#' + 'F' * (length - 1)) for i, bases in enumerate(reads)])
        self.assertEqual(len(list(self.compare_each(paths))), 7)

    def test_a_continued_run_counts_what_was_aligned_before(self):
        whole, words = repetitive_reads()
        finished, folder = self.folder(), self.folder()
        command = ('run', difficult_reads()[0], *words, '--sample', 's', '--no-scorer', '--checkpoint', '--checkpoint-every', 20_000, '-q')
        run(*command, '-o', finished)
        # Before and after all tracked sequences are known.
        for count, more in ((1, ('--no-qc',)), (1, ()), (5, ('-t', 1))):
            seen = set()
            before = saved_checkpoints(folder)
            with Held(*command, '-o', folder, *more) as held:
                wait_until('more checkpoints', lambda: len(seen.update(saved_checkpoints(folder)) or seen - before) >= count or
                           held.process.poll() is not None)
                held.process.kill()
        done = run(*command[:-1], '-o', folder)
        self.assertIn('that an earlier run has aligned', done.stderr)
        for number in (1, 2):
            self.assertEqual(fastqc_modules(folder / f's.R{number}_fastqc.zip'), fastqc_modules(finished / f's.R{number}_fastqc.zip'))


if __name__ == '__main__':
    gannet_testing.main(__doc__)
