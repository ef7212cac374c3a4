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


MAKERS = []


def for_fastqc(make):
    """Marks a function that writes FASTQ files, whose names no other one has, and returns their paths."""
    MAKERS.append(functools.cache(make))
    return MAKERS[-1]


def fastqc(paths):
    """The folder with what FastQC finds in the files."""
    needs_tool('fastqc')
    output = new_folder()
    done = execute(['fastqc', '-q', '-o', output, *paths])
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return output


@functools.cache
def fastqc_of_all():
    """One start for the files of all tests but the largest, since it takes longer than the counting."""
    paths = [path for make in MAKERS for path in make()]
    assert len({path.name for path in paths}) == len(paths)
    return fastqc(paths)


class ComparedWithFastqc(gannet_testing.Case):
    def compare(self, *reads, inputs=None, options=(), theirs=None):
        """FastQC on the reads, all that it finds in a module that gannet has. `inputs`: words that give gannet the same reads. `theirs`: of fastqc()."""
        output, folder = theirs or fastqc_of_all(), self.folder()
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
        for path in paths:
            with self.subTest(path.stem):
                yield self.compare(path)

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


def with_bases(name):
    path = new_folder() / name
    write_reads(path, [(read[0], read[1] or 'ACGTN', '+', read[3] or '#####') for read in fastq_records(difficult_reads()[1] / name)])
    return path


@for_fastqc
def pairs():
    return [with_bases('a_1.fq'), with_bases('a_2.fq')]


@for_fastqc
def single():
    return [with_bases('single.fq')]


@for_fastqc
def with_adapters():
    adapters = ('AGATCGGAAGAG', 'TGGAATTCTCGG', 'GATCGTCGGACT', 'CTGTCTCTTATA', 'CGCCTTGGCCGT')
    rng, path, reads = random.Random(8), new_folder() / 'adapters.fq', []
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
    return [path]


@for_fastqc
def shorter_than_adapters():
    path = new_folder() / 'short.fq'
    write_reads(path, [(f'@r{i}', ('ACGTTGCAGTCA', 'TTGACCAGTA')[i % 2], '+', '#' * (12 - 2 * (i % 2))) for i in range(20)])
    return [path]


@for_fastqc
def long_and_short():
    folder, paths = new_folder(), []
    for length in (50, 300, 1300):
        rng = random.Random(length)
        paths.append(folder / f'length_{length}.fq')
        reads = [''.join(rng.choices('ACGTN', (30, 20, 20, 29, 1), k=length)) for _ in range(150)]
        write_reads(paths[-1], [(f'@r{i}', bases, '+', ''.join(chr(33 + rng.randrange(2, 41)) for _ in bases)) for i, bases in enumerate(reads)])
    return paths


class AsFastqc(ComparedWithFastqc):
    def test_pairs_of_many_lengths_are_counted_as_fastqc_does(self):
        self.compare(*pairs())

    def test_single_reads_are_counted_as_fastqc_does(self):
        folder = self.compare(*single())
        self.assertFalse((folder / 's.R2_fastqc.zip').exists())

    def test_adapters_are_counted_as_fastqc_does(self):
        folder = self.compare(*with_adapters())
        flags = [int(line.split('\t')[1]) & 20 for line in samtools('view', '-F', '0x900', folder / 's.bam').splitlines()]
        self.assertTrue(all(flags.count(flag) > 500 for flag in (0, 4, 16)), 'forward, unmapped and reverse reads')

    def test_reads_shorter_than_adapters_are_counted_as_fastqc_does(self):
        self.compare(*shorter_than_adapters())

    def test_long_and_short_reads_are_counted_as_fastqc_does(self):
        self.assertEqual(len(list(self.compare_each(long_and_short()))), 3)


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


def write_tiles(name, of, counts, mate=0, seed=5):
    """Reads of some lengths on some tiles; those of one tile are bad, as those of another from cycle 60 on."""
    rng, path, reads = random.Random(seed + mate), new_folder() / name, []
    for i in range(*counts):
        tile = 1101 + i * 7 // 1000 % 12 + 1000 * (i // 13 % 2)
        length = rng.choice((60, 100, 150, 151))
        low = 14 if tile == 1103 else 30 if tile == 2107 else 36
        quality = ''.join(chr(33 + rng.randrange(low, 41)) for _ in range(60)) + ''.join(chr(33 + rng.randrange(low - 9 * (tile == 2107), 41)) for _ in range(length - 60))
        reads.append((of(i, tile, mate), ''.join(rng.choices('ACGT', k=length)), '+', '#' + quality[1:]))
    write_reads(path, reads)
    return path


@functools.cache
def lanes_of_tiles():
    """Files of each mate: three lanes of the first, of which the second one, single reads between the pairs, has no mates."""
    name = '@A00:1:FLOW:2:{1}:{0}:77 {2}:N:0:ACGT'
    of = lambda i, tile, mate: name.format(i, tile, mate + 1)
    lanes = [(0, 9_003), (9_003, 20_011), (20_011, 25_000)]
    files = [[write_tiles(f'{lane}_{mate}.fq', of, counts, mate) for lane, counts in enumerate(lanes[:2 + (mate == 0)])] for mate in (0, 1)]
    files[0][1], files[0][2] = files[0][2], files[0][1]
    return files


@for_fastqc
def tiles():
    whole = [new_folder() / f'tiles_{mate}.fq' for mate in (1, 2)]
    for path, files in zip(whole, lanes_of_tiles()):
        path.write_text(''.join(file.read_text() for file in files))
    return whole


@for_fastqc
def names_of_older_sequencers():
    return [write_tiles('old.fq', lambda i, tile, mate: f'@HWUSI-EAS493_0001:2:{tile}:{i}:16900#0/1', (0, 3000))]


@for_fastqc
def names_without_tiles():
    names = {'letter': lambda i, tile, mate: f'@A00:1:FLOW:2:{"x" if i == 1999 else ""}{tile}:{i}:77', 'four': lambda i, tile, mate: f'@{tile}:{i}:77:3',
             'many': lambda i, tile, mate: f'@A00:1:FLOW:2:{i}:{tile}:77'}
    return [write_tiles(f'{name}.fq', of, (0, 12_000)) for name, of in names.items()]


class Tiles(ComparedWithFastqc):
    def test_qualities_by_tile_are_those_of_fastqc(self):
        files = lanes_of_tiles()
        lanes = ['--lane', f'{files[0][0]},{files[1][0]},a', '--lane', f'{files[0][1]},,b', '--lane', f'{files[0][2]},{files[1][1]},c']
        folder = self.compare(*tiles(), inputs=lanes, options=('-t', 3, '--batch-bases', 30_000))
        for number in (1, 2):
            status, rows = fastqc_modules(folder / f's.R{number}_fastqc.zip')['Per tile sequence quality']
            self.assertEqual(status, 'fail')
            self.assertEqual(len({row[0] for row in rows[1:]}), 24)

    def test_names_of_older_sequencers_have_tiles(self):
        self.compare(*names_of_older_sequencers())

    def test_other_names_have_none(self):
        folders = list(self.compare_each(names_without_tiles()))
        self.assertEqual(len(folders), 3)
        for folder in folders:
            self.assertNotIn('Per tile sequence quality', fastqc_modules(folder / 's.R1_fastqc.zip'))


def saved_checkpoints(folder):
    """The manifest, if there is one, by its time."""
    return {path.stat().st_mtime_ns for path in folder.glob('.gannet-checkpoint-*/manifest')}


@for_fastqc
def to_be_trimmed():
    """Pairs that are shorter than their reads, three times each."""
    paths = [new_folder() / f'raw_{mate}.fq' for mate in (1, 2)]
    made = trim_test.pairs(difficult_reads()[0], 300, 3)
    for mate, path in enumerate(paths):
        write_reads(path, [(f'@r{i}', row[2 + mate], '+', '#' + 'F' * (len(row[2 + mate]) - 1)) for i, row in enumerate(made * 3)])
    return paths


@for_fastqc
def few_reads():
    rng, folder, paths = random.Random(3), new_folder(), []
    for count, distinct, length in ((1, 1, 50), (1, 1, 150), (3, 2, 76), (700, 300, 75), (2500, 1200, 40), (4000, 60, 150), (30_000, 29_000, 50)):
        known = [''.join(rng.choices('ACGT', k=length)) for _ in range(distinct)]
        reads = [known[i] if i < distinct else rng.choice(known) for i in range(count)]
        paths.append(folder / f'{count}_reads_of_{length}.fq')
        write_reads(paths[-1], [(f'@r{i}', bases, '+', '#' + 'F' * (length - 1)) for i, bases in enumerate(reads)])
    return paths


class Duplication(ComparedWithFastqc):
    """The modules of FastQC that depend on the order of the reads."""

    def test_more_sequences_than_are_tracked_are_counted_as_fastqc_does(self):
        whole, words = repetitive_reads()
        folder = self.compare(*whole, inputs=words, options=('-t', 3, '--batch-bases', 50_000), theirs=fastqc(whole))
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
        reference, reads = difficult_reads()[0], to_be_trimmed()
        outputs = [self.folder(), self.compare(*reads)]
        run('align', reference, *reads, '-o', outputs[0] / 's.bam', '--sample', 's', '--qc', outputs[0] / 's', '--trim-adapters', '-q')
        for number in (1, 2):
            trimmed, whole = (fastqc_modules(output / f's.R{number}_fastqc.zip') for output in outputs)
            self.assertNotEqual(trimmed['Sequence Length Distribution'], whole['Sequence Length Distribution'])
            for name in ('Sequence Duplication Levels', 'Overrepresented sequences'):
                self.assertEqual(trimmed[name], whole[name])
            self.assertGreater(len(whole['Overrepresented sequences'][1]), 1)

    def test_files_of_few_reads_are_counted_as_fastqc_does(self):
        self.assertEqual(len(list(self.compare_each(few_reads()))), 7)

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
