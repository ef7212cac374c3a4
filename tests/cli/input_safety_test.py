#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs gannet on inputs that are damaged, contradictory or not what the command asks for: each must be refused in one line with the
right exit code, or be read correctly; none may end in a signal, without an end, or with a wrong answer."""
import concurrent.futures
import functools
import hashlib
import http.server
import os
import pathlib
import random
import shutil
import struct
import subprocess
import threading

import gannet_testing
from gannet_testing import called, error_lines, fastq_text, new_folder, run, samtools
from small_sample import alignments, sample


def calls(bam, *words, code=0, **more):
    done = run('call', sample().reference, bam, '-q', *words, code=code, **more)
    return [line for line in done.stdout.splitlines() if not line.startswith('#')]


def flipped(data, chance):
    """One byte changed, or the end cut off."""
    if chance.random() < 0.25:
        return data[:chance.randrange(len(data))]
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1:]


def blocks(data):
    """The BGZF blocks of a file."""
    found, at = [], 0
    while at < len(data):
        size = struct.unpack_from('<H', data, at + 16)[0] + 1
        found.append(data[at:at + size])
        at += size
    return found


class Samples(gannet_testing.Case):
    """A BAM of the samples S and T: records of even and odd templates."""

    @classmethod
    def setUpClass(cls):
        cls.work = new_folder()
        lines = samtools('view', '-h', alignments()).splitlines()
        header = [line for line in lines if line.startswith('@') and not line.startswith('@RG')]
        records = [line for line in lines if not line.startswith('@')]
        is_t = lambda line: int(hashlib.md5(line.split('\t')[0].encode()).hexdigest(), 16) % 2 == 1
        groups = {'a': '@RG\tID:a\tSM:S', 'b': '@RG\tID:b\tSM:T'}
        renamed = [line.replace('RG:Z:a', 'RG:Z:b') if is_t(line) else line for line in records]
        cls.make('mixed.bam', header + list(groups.values()), renamed)
        cls.make('S.bam', header + [groups['a']], [line for line in renamed if not is_t(line)])
        cls.make('T.bam', header + [groups['b']], [line for line in renamed if is_t(line)])
        missing = [renamed[0].replace('RG:Z:a', 'XX:Z:a').replace('RG:Z:b', 'XX:Z:b')] + renamed[1:]
        cls.make('missing.bam', header + list(groups.values()), missing)
        cls.make('unknown.bam', header + list(groups.values()), [renamed[0].replace('RG:Z:a', 'RG:Z:c').replace('RG:Z:b', 'RG:Z:c')] + renamed[1:])

    @classmethod
    def make(cls, name, header, records):
        path = cls.work / name
        samtools('view', '-b', '-o', path, '-', input='\n'.join(header + records) + '\n')
        samtools('index', path)

    def call(self, name, *words):
        return calls(self.work / name, *words)

    def test_a_sample_is_called_from_its_records_alone(self):
        for name in ('S', 'T'):
            self.assertEqual(self.call('mixed.bam', '--sample', name), self.call(f'{name}.bam'))
        self.assertNotEqual(self.call('S.bam'), self.call('T.bam'))

    def test_a_file_without_an_index_gives_the_same(self):
        shutil.copy(self.work / 'mixed.bam', self.work / 'plain.bam')
        self.assertEqual(self.call('plain.bam', '--sample', 'T'), self.call('T.bam'))

    def test_unknown_samples_are_refused_with_the_names_there_are(self):
        for command in (['call'], ['examples', '-o', self.folder()]):
            self.refused(2, *command, sample().reference, self.work / 'mixed.bam', '--sample', 'nobody', says='are of S, T')
            self.refused(2, *command, sample().reference, self.work / 'mixed.bam', says='several samples (S, T)')
            self.refused(2, *command, sample().reference, self.work / 'S.bam', '--sample', 'T', says='are of S')

    def test_records_of_no_known_sample_are_refused(self):
        self.refused(3, 'call', sample().reference, self.work / 'missing.bam', '--sample', 'S', says='has no read group (RG)')
        self.refused(3, 'call', sample().reference, self.work / 'unknown.bam', '--sample', 'S', says="read group 'c' has no sample")


class Lanes(gannet_testing.Case):
    def setUp(self):
        self.work = self.folder()
        self.reads = self.write('r1.fq', fastq_text([(f'r{i}', 'ACGTTGCAAC' * 8) for i in range(20)]))
        self.mates = self.write('r2.fq', fastq_text([(f'r{i}', 'TTGCAACGTA' * 8) for i in range(20)]))

    def write(self, name, text):
        (self.work / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.work / name

    def unaligned(self):
        text = '@HD\tVN:1.6\tSO:unsorted\n@RG\tID:u7\tSM:mine\tLB:lib\tPU:f.7\n'
        text += ''.join(f'u{i}\t4\t*\t0\t0\t*\t*\t0\t0\t{"ACGTTGCAAC" * 8}\t{"I" * 80}\n' for i in range(50))
        samtools('view', '-b', '-o', self.work / 'u.bam', '-', input=text)
        return self.work / 'u.bam'

    def header(self, *words, **more):
        text = run('align', '--unsorted', sample().reference, *words, '-o', '-', '-q', **more).stdout
        return [line if isinstance(line, str) else line.decode() for line in text.splitlines()]

    def read_groups(self, *words, **more):
        return [line for line in self.header(*words, **more) if line.startswith('@RG')]

    def align_refused(self, code, *words, says):
        self.refused(code, 'align', sample().reference, *words, '-o', self.work / 'x.bam', says=says)
        self.assertFalse((self.work / 'x.bam').exists())

    def test_an_unaligned_bam_on_standard_input_keeps_its_read_group(self):
        path = self.unaligned()
        of_file = self.read_groups(path)
        self.assertEqual(of_file, ['@RG\tID:u7\tSM:mine\tLB:lib\tPL:ILLUMINA\tPU:f.7'] if 'PL:ILLUMINA' in of_file[0]
                         else ['@RG\tID:u7\tSM:mine\tLB:lib\tPU:f.7'])
        with open(path, 'rb') as file:
            self.assertEqual(self.read_groups('-', stdin=file), of_file)
        piped = subprocess.run([gannet_testing.program(), 'align', '--unsorted', str(sample().reference), '-', '-o', '-'],
                               input=path.read_bytes(), capture_output=True, timeout=60)
        self.assertEqual(piped.returncode, 0, piped.stderr)
        lines = piped.stdout.decode().splitlines()
        self.assertEqual([line for line in lines if line.startswith('@RG')], of_file)
        self.assertEqual(sum(not line.startswith('@') for line in lines), 50)

    def test_a_blank_for_the_comma_of_a_lane_is_refused(self):
        self.align_refused(2, '--lane', self.reads, self.mates, says=f'joined by a comma: --lane {self.reads},{self.mates}')
        lanes = self.write('lanes.tsv', f'{self.reads}\t{self.mates}\n')
        self.align_refused(2, '--lanes', lanes, self.mates, says='cannot be given beside --lane')

    def test_columns_of_lanes_are_checked(self):
        more = self.write('more.tsv', f'R1\tR2\n{self.reads}\t{self.mates}\tx\tSM:other\n')
        self.align_refused(3, '--lanes', more, says='more.tsv: record 2: has more than three columns')
        control = self.write('control.tsv', f'{self.reads}\t{self.mates}\tx\x01y\n')
        self.align_refused(3, '--lanes', control, says='control.tsv: record 1: its read group id')
        damaged = self.write('damaged.tsv', f'{self.reads}\t{self.mates}\t@RG\\tSM:x\n')
        self.align_refused(3, '--lanes', damaged, says='damaged.tsv: record 1: read group')
        self.align_refused(3, '--lanes', self.write('none.tsv', f'.\t{self.mates}\n'), says='names no first file')
        self.align_refused(3, '--lanes', '/dev/zero', says='/dev/zero')

    def test_names_that_would_break_a_header_are_refused(self):
        for name in ('x\n@SQ\tSN:evil\tLN:5', 'x\tSM:other', 'x\x1b[2J', 'a/b', 'm\u00fcller', ''):
            self.align_refused(2, self.reads, self.mates, '--sample', name, says='sample')
        self.refused(2, 'call', sample().reference, alignments(), '--sample', '', says='empty')
        self.refused(2, 'call', sample().reference, alignments(), '--sample', 'a\nb', says='sample name')
        for name in ('x\n@SQ\tSN:evil\tLN:5', 'x\tSM:other'):
            self.align_refused(2, '--lane', f'{self.reads},{self.mates},{name}', says='read group id')
        self.align_refused(2, self.reads, '-R', '@RG\\tID:x\n@SQ\\tSM:s', says='read group')

    def test_one_file_under_two_names_is_refused(self):
        os.link(self.reads, self.work / 'hard.fq')
        (self.work / 'soft.fq').symlink_to(self.reads)
        (self.work / 'sub').mkdir()
        for other in ('hard.fq', 'soft.fq', 'sub/../r1.fq'):
            self.align_refused(2, self.reads, self.work / other, says='is the same file as')
        self.align_refused(2, self.reads, self.reads, says='given twice')
        self.align_refused(2, '--lane', f'{self.reads},{self.mates}', '--lane', f'{self.work}/soft.fq', says='is the same file as')

    def test_pipes_are_read_under_a_neutral_name(self):
        command = (f'"$0" align --unsorted "$1" <(cat "$2") <(cat "$3") -o - 2>"$4"')
        done = subprocess.run(['bash', '-c', command, gannet_testing.program(), str(sample().reference), str(self.reads), str(self.mates),
                               str(self.work / 'log')], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, (self.work / 'log').read_text())
        self.assertIn('\tSM:sample\t', done.stdout)
        self.assertIn('sample: sample (', (self.work / 'log').read_text())
        with open(self.reads, 'rb') as file:
            self.assertIn('\tSM:sample\t', self.read_groups('/dev/stdin', stdin=file)[0])

    def test_closed_standard_input_is_no_empty_file(self):
        for words in (['align', sample().reference, '-', '-o', self.work / 'x.bam'], ['call', sample().reference, '-', '-o', self.work / 'x.vcf'],
                      ['run', sample().reference, '-', '-o', self.work / 'x'], ['sort', '-', '-o', self.work / 'x.bam']):
            done = subprocess.run(['bash', '-c', '"$@" <&-', 'bash', gannet_testing.program(), *map(str, words), '-q'], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, error_lines(done.stderr)), (3, ['gannet: error: standard input is closed: open it, or name a file']), words)
            self.assertFalse([path for path in self.work.iterdir() if path.name.startswith('x')], words)
        closed = subprocess.run(['bash', '-c', '"$@" <&-', 'bash', gannet_testing.program(), 'align', str(sample().reference), str(self.reads), '-o', str(self.work / 'y.bam'), '-q'],
                                capture_output=True, text=True, timeout=60)
        self.assertEqual(closed.returncode, 0, closed.stderr)

    def test_reads_that_are_too_long_are_counted(self):
        long = self.write('long.fq', fastq_text([('a', 'ACGTTGCAAC' * 500), ('b', 'ACGTTGCAAC' * 8)]))
        done = run('align', sample().reference, long, '-o', self.work / 'long.bam')
        self.assertIn('1 of 2 reads are longer than 4096 bases', done.stderr)


class Completeness(gannet_testing.Case):
    """Files and pipes that end too early."""

    def unaligned(self, folder, ending):
        flags = (77, 141)
        text = '@HD\tVN:1.6\tSO:unsorted\n@RG\tID:u\tSM:u\n'
        chance = random.Random(5)
        for i in range(6000):
            for flag in flags:
                bases = ''.join(chance.choice('ACGT') for _ in range(60))
                text += f'u{i}\t{flag}\t*\t0\t0\t*\t*\t0\t0\t{bases}\t{"I" * 60}\n'
        kind = ['-C', '--output-fmt-option', 'seqs_per_slice=1000', '--output-fmt-option', 'no_ref=1'] if ending == 'cram' else ['-b']
        samtools('view', *kind, '-o', folder / f'u.{ending}', '-', input=text)
        return folder / f'u.{ending}'

    def truncated(self, path):
        """The file without its marker, and cut where a container or block ends in its middle."""
        data = path.read_bytes()
        if path.suffix == '.bam':
            parts = blocks(data)
            self.assertGreater(len(parts), 5)
            return [data[:-28], b''.join(parts[:len(parts) // 2])]
        return [data[:-38]]

    def test_truncated_unaligned_files_and_pipes_are_refused(self):
        work = self.folder()
        for ending in ('bam', 'cram'):
            path = self.unaligned(work, ending)
            whole = run('align', '--unsorted', sample().reference, path, '-o', '-', '-q').stdout
            piped = run('align', '--unsorted', sample().reference, '-', '-o', '-', '-q', input=path.read_bytes(), text=False).stdout
            count = lambda text: sum(not line.startswith('@') for line in text.splitlines())
            self.assertEqual((count(whole), count(piped.decode())), (12000, 12000))
            for k, data in enumerate(self.truncated(path)):
                cut = work / f'cut{k}.{ending}'
                cut.write_bytes(data)
                self.refused(3, 'align', '--unsorted', sample().reference, cut, '-o', '/dev/null', says='truncated')
                done = run('align', '--unsorted', sample().reference, '-', '-o', '/dev/null', input=data, text=False, code=3)
                self.assertIn(b'truncated', done.stderr)

    def test_alignments_on_standard_input_are_called_or_refused_when_cut(self):
        data = alignments().read_bytes()
        expected = calls(alignments(), '--no-scorer')  # what is read once is not measured, and not scored
        self.assertGreater(len(expected), 20)
        done = run('call', sample().reference, '-', '-q', input=data, text=False)
        found = [line for line in done.stdout.decode().splitlines() if not line.startswith('#')]
        # Nor are the changes of repeats measured: an indel of low QUAL may pass in one and not in the other.
        places = [[(*record[:4], record[5]) for record in called(lines)] for lines in (found, expected)]
        self.assertEqual(places[0], places[1])
        parts = blocks(data)
        for cut in (data[:-28], b''.join(parts[:len(parts) // 2])):
            done = run('call', sample().reference, '-', '-q', input=cut, text=False, code=3)
            self.assertIn(b'truncated', done.stderr)

    def test_a_closed_pipe_ends_cram_without_a_signal(self):
        for words in (['-t', '1'], ['-t', '2'], ['-t', '2', '--unsorted']):
            for kept in (10, 30000):
                aligner = gannet_testing.start('align', *words, sample().reference, *sample().reads, '-o', '-', '--format', 'cram', '-q',
                                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                aligner.stdout.read(kept)
                aligner.stdout.close()
                errors = aligner.stderr.read()
                aligner.stderr.close()
                self.assertIn(aligner.wait(60), (0, 8), errors)


class Indexes(gannet_testing.Case):
    """Small index files, changed in one byte or cut: the run is refused, or its calls are right."""

    def judge(self, folder, name, target, expected, mutants, command, codes=(3,)):
        """Runs `command` on a folder that is linked, but for `name`, which is a mutant of `target`."""
        data = target.read_bytes()
        chance = random.Random(f'{name}')
        jobs = [(k, flipped(data, chance)) for k in range(mutants)]

        def check(job):
            k, mutant = job
            beside = folder / f'{name}-{k}'
            beside.mkdir()
            for path in target.parent.iterdir():
                if path != target:
                    (beside / path.name).symlink_to(path)
            (beside / target.name).write_bytes(mutant)
            done = run(*command(beside), code=None, timeout=60)
            if done.returncode in codes:
                return None if len(error_lines(done.stderr)) == 1 else f'mutant {k}: {done.stderr}'
            body = [line for line in done.stdout.splitlines() if not line.startswith('#')]
            if done.returncode == 0 and body == expected:
                return None
            return f'mutant {k}: exit {done.returncode}, {len(body)} of {len(expected)} calls: {done.stderr}'

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            faults = [fault for fault in pool.map(check, jobs) if fault]
        self.assertEqual(faults, [])

    def folder_of_alignments(self, *index):
        folder = self.folder()
        shutil.copy(alignments(), folder / 's.bam')
        samtools('index', *index, folder / 's.bam')
        return folder

    def test_damaged_bai_and_csi_are_refused_or_do_no_harm(self):
        region = ['--regions', sample_regions()]
        for index, ending, mutants in (([], 'bai', 40), (['-c'], 'csi', 12)):
            folder = self.folder_of_alignments(*index)
            expected = calls(folder / 's.bam', *region)
            self.assertGreater(len(expected), 5)
            command = lambda beside: ['call', sample().reference, beside / 's.bam', '-q', '-t', '1', *region]
            self.judge(self.folder(), ending, folder / f's.bam.{ending}', expected, mutants, command)

    def test_damaged_bai_leaves_complete_calls_unchanged(self):
        folder = self.folder_of_alignments()
        command = lambda beside: ['call', sample().reference, beside / 's.bam', '-q', '-t', '1']
        self.judge(self.folder(), 'bai', folder / 's.bam.bai', calls(alignments()), 20, command)

    def test_an_index_of_another_file_is_refused(self):
        folder = self.folder_of_alignments()
        half = folder / 'half.bam'
        samtools('view', '-b', '-s', '0.5', '-o', half, folder / 's.bam')
        shutil.copy(folder / 's.bam.bai', folder / 'half.bam.bai')
        self.refused(3, 'call', sample().reference, half, says='half.bam.bai')
        samtools('index', half)
        shutil.copy(folder / 'half.bam.bai', folder / 's.bam.bai')
        self.refused(3, 'call', sample().reference, folder / 's.bam', says='s.bam.bai')

    def test_damaged_crai_fai_and_gzi_are_refused_or_do_no_harm(self):
        folder = self.folder()
        reference = folder / 'ref.fa'
        shutil.copy(sample().reference, reference)
        gannet_testing.tool_output('bgzip', [reference], {})
        reference = folder / 'ref.fa.gz'
        samtools('faidx', reference)
        samtools('view', '-C', '-T', reference, '-o', folder / 's.cram', alignments())
        samtools('index', folder / 's.cram')
        region = ['--regions', sample_regions()]
        expected = calls(alignments(), *region)
        command = lambda beside: ['call', beside / 'ref.fa.gz', beside / 's.cram', '-q', '-t', '1', *region]
        self.assertEqual([line for line in run(*command(folder)).stdout.splitlines() if not line.startswith('#')], expected)
        for name in ('s.cram.crai', 'ref.fa.gz.fai', 'ref.fa.gz.gzi'):
            self.judge(self.folder(), name, folder / name, expected, 10, command, codes=(3, 4))

    def test_a_fai_of_another_fasta_is_refused_for_cram(self):
        folder = self.folder()
        shutil.copy(sample().reference, folder / 'ref.fa')
        (folder / 'ref.fa.fai').write_text('chr1\t100\t6\t60\t61\n')
        samtools('view', '-C', '-T', sample().reference, '-o', folder / 's.cram', alignments())
        self.refused(3, 'call', folder / 'ref.fa', folder / 's.cram', says='ref.fa.fai')


@functools.cache
def sample_regions():
    """A region in the middle of the longest contig."""
    lengths = [line.split('\t')[:2] for line in pathlib.Path(f'{sample().reference}.fai').read_text().splitlines()]
    name, length = max(lengths, key=lambda pair: int(pair[1]))
    return f'{name}:{int(length) // 4}-{int(length) * 3 // 4}'


class References(gannet_testing.Case):
    def test_contig_names_that_sam_does_not_allow_are_refused(self):
        for name in ('*', '=x', '*x', 'a,b', 'a<b', 'a>b', 'a[b', 'a]b', 'a(b', 'a)b', 'a{b', 'a}b', 'a"b', "a'b", 'a`b', 'a\\b'):
            fasta = self.folder() / 'x.fa'
            fasta.write_text(f'>good\nACGTACGT\n>{name}\nACGT\n')
            done = self.refused(3, 'index', fasta, says='x.fa: record 2')
            self.assertIn('SAM', done.stderr)
        fasta = self.folder() / 'x.fa'
        fasta.write_text('>HLA-A*01:01\nACGTACGT\n>gi|12|ref|NC_1.1|\nACGT\n>a=b;c@d\nACGT\n')
        run('index', fasta)

    def test_links_that_lead_nowhere_are_inputs_that_cannot_be_opened(self):
        folder = self.folder()
        loop = folder / 'loop.fa'
        loop.symlink_to(loop)
        (folder / 'gone.fa').symlink_to(folder / 'nothing.fa')
        reference, reads = sample().reference, sample().reads[0]
        for path, why in ((loop, 'cannot be opened: too many levels of symbolic links'), (folder / 'gone.fa', 'no such file')):
            for words in (['align', path, reads, '-o', folder / 'y.bam'], ['run', path, reads, '-o', folder / 'y'], ['index', path], ['call', path, alignments(), '-o', folder / 'y.vcf'],
                          ['align', reference, path, '-o', folder / 'y.bam'], ['align', reference, reads, '--index', path, '-o', folder / 'y.bam'], ['call', reference, path, '-o', folder / 'y.vcf'],
                          ['call', reference, alignments(), '--targets', path, '-o', folder / 'y.vcf'], ['align', path, reads, '-o', folder / 'y.bam', '--dry-run'],
                          ['sort', path, '-o', folder / 'y.bam'], ['simulate', '--reference', path, '-o', folder / 'y']):
                with self.subTest(words):
                    done = self.refused(3, *words, '-q', says=f'error: {path}: ')
                    self.assertIn(why, done.stderr.lower())

    def test_pipes_where_files_are_needed_are_refused(self):
        folder = self.folder()
        fasta = folder / 'ref.fa'
        fasta.write_bytes(sample().reference.read_bytes())
        run('call', fasta, alignments(), '-o', folder / 'x.vcf', '--gvcf', folder / 'x.g.vcf.gz', '-q')
        before = sorted(folder.iterdir())
        for pipe, words in ((fasta, ['align', '@', sample().reads[0], '-o', folder / 'y.bam']), (fasta, ['run', '@', sample().reads[0], '-o', folder / 'y']),
                            (fasta, ['index', '@', '-o', folder / 'y']), (fasta, ['align', '@', sample().reads[0], '-o', folder / 'y.bam', '--dry-run']),
                            (folder / 'x.g.vcf.gz', ['joint', fasta, '@', '-o', folder / 'y.vcf']),
                            (sample().truth, ['call', fasta, alignments(), '--dbsnp', '@', '-o', folder / 'y.vcf'])):
            line = ' '.join(f'<(cat {pipe})' if word == '@' else f"'{word}'" for word in words)
            done = subprocess.run(['bash', '-c', f'"$0" {line} -q', gannet_testing.program()], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 3, (words, done.stderr))
            self.assertRegex('\n'.join(error_lines(done.stderr)), r'^gannet: error: /dev/fd/\d+: is a pipe; a file is needed$')
            shutil.rmtree(folder / 'y', ignore_errors=True)  # the folder of `run`
            self.assertEqual(sorted(folder.iterdir()), before)

    def test_arguments_in_the_wrong_order_are_explained(self):
        reads = sample().reads[0]
        self.refused(2, 'call', alignments(), sample().reference, says='the reference FASTA comes first')
        self.refused(2, 'align', reads, sample().reference, '-o', self.folder() / 'x.bam', says='the reference FASTA comes first')
        self.refused(2, 'index', alignments(), says='holds alignments')
        self.refused(2, 'index', reads, says='holds FASTQ')

    def test_a_bed_given_as_regions_is_explained(self):
        self.refused(2, 'call', sample().reference, alignments(), '--regions', sample().confident, says='--targets')

    def test_cram_is_decoded_with_a_local_ref_path_and_never_over_the_network(self):
        work = self.folder()
        sequences = {}
        for line in sample().reference.read_text().splitlines():
            if line.startswith('>'):
                name = line[1:].split()[0]
                sequences[name] = ''
            else:
                sequences[name] += line.strip().upper()
        folder = work / 'cache'
        for bases in sequences.values():
            digest = hashlib.md5(bases.encode()).hexdigest()
            (folder / digest[:2] / digest[2:4]).mkdir(parents=True, exist_ok=True)
            (folder / digest[:2] / digest[2:4] / digest[4:]).write_text(bases)
        collated = work / 'reads.cram'
        samtools('collate', '-o', work / 'c.bam', alignments())
        gone = work / 'gone.fa'  # htslib also looks where the header says that the reference was
        shutil.copy(sample().reference, gone)
        samtools('view', '-C', '-T', gone, '-o', collated, work / 'c.bam')
        gone.unlink()
        words = ['align', '--unsorted', sample().reference, collated, '-o', '-', '-q']
        asked = []

        class Server(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_error(404)

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(('127.0.0.1', 0), Server) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f'http://127.0.0.1:{server.server_port}/%s'
            local = run(*words, env={'REF_PATH': f'{address}:{folder}/%2s/%2s/%s'})
            none = {'REF_CACHE': '', 'XDG_CACHE_HOME': work, 'HOME': work}
            failed = run(*words, code=3, env={'REF_PATH': address, **none})
            server.shutdown()
        self.assertGreater(sum(not line.startswith('@') for line in local.stdout.splitlines()), 1000)
        self.assertEqual(len(error_lines(failed.stderr)), 1)
        self.assertIn('the reference that the file was made with is needed (in REF_PATH or REF_CACHE)', failed.stderr)
        self.assertEqual(asked, [])


if __name__ == '__main__':
    gannet_testing.main(__doc__)
