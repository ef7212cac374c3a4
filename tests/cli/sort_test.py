#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks `gannet sort` and `gannet markdup`: the order of samtools sort, and the flags of samtools markdup, of Picard's MarkDuplicates and
of `gannet align`, whatever the order of the input; nothing is written over the input.
"""
import collections
import functools
import gzip
import itertools
import random
import re
import subprocess

import gannet_testing
from gannet_testing import ROOT, run, samtools, test_data

DUPLICATE = 0x400
NOT_PRIMARY = 0x900


@functools.cache
def called_sample():
    """Tests only read what it names."""
    return gannet_testing.called_sample()


def rows(path):
    return [line.split('\t') for line in samtools('view', path).splitlines()]


def text(path):
    """Header and records as SAM."""
    return samtools('view', '-H', '--no-PG', path), samtools('view', path).splitlines()


def made_up(seed):
    maker = ROOT / 'tests/cli/make_duplicate_cases.py'
    return subprocess.run(['python3', maker, str(seed), '2000'], capture_output=True, text=True, check=True).stdout


def flags(path):
    """By name, and what else tells records of one name apart."""
    return collections.Counter((row[0], int(row[1]), row[2], row[3], row[5]) for row in rows(path))


class SortCase(gannet_testing.Case):
    def shuffled(self, folder, header, lines, seed):
        path = folder / f'shuffled.{seed}.sam'
        lines = list(lines)
        random.Random(seed).shuffle(lines)
        path.write_text(header + '\n'.join(lines) + '\n')
        return path


class Sort(SortCase):
    def check(self, source, *options):
        folder = self.folder()
        run('sort', source, '-o', folder / 'ours.bam', '-q', *options)
        samtools('sort', '--no-PG', '-o', folder / 'theirs.bam', source)
        ours, theirs, given = rows(folder / 'ours.bam'), rows(folder / 'theirs.bam'), rows(source)
        self.assertGreater(len(ours), 100)
        self.assertEqual([row[2:4] for row in ours], [row[2:4] for row in theirs])
        # Of equal positions the order is that of the input.
        contigs = [line.split('\t')[1][3:] for line in samtools('view', '-H', source).splitlines() if line.startswith('@SQ')]
        order = {name: i for i, name in enumerate(contigs)}
        self.assertEqual(ours, sorted(given, key=lambda row: (order.get(row[2], len(order)), int(row[3]))))
        self.assertEqual(samtools('idxstats', folder / 'ours.bam'), self.idxstats(folder / 'theirs.bam'))
        return folder / 'ours.bam'

    def idxstats(self, path):
        samtools('index', path)
        return samtools('idxstats', path)

    def test_order_is_that_of_samtools(self):
        header, lines = text(self.given(made_up(1)))
        self.check(self.shuffled(self.folder(), header, lines, 1))
        header, lines = text(test_data('giab-na12878-chr20-50x/NA12878_S1.chr20.10_10p1mb.bam'))
        self.check(self.shuffled(self.folder(), header, lines, 2), '-t', 2)

    def test_output_does_not_depend_on_memory_and_threads(self):
        folder = self.folder()
        header, lines = text(test_data('giab-na12878-chr20-50x/NA12878_S1.chr20.10_10p1mb.bam'))
        source = self.shuffled(folder, header, [line.replace('\t', f'.{i}\t', 1) for i in range(4) for line in lines], 3)
        for command in ('sort', 'markdup'):
            spilled = run(command, source, '-o', folder / 'a.bam', '-t', 1, '--memory', '180M', '--tmp', folder).stderr
            self.assertRegex(spilled, r'MB were spilled')
            self.assertNotIn('spilled', run(command, source, '-o', folder / 'b.bam', '-t', 2, '--memory', '2G').stderr)
            self.assertEqual((folder / 'a.bam').read_bytes(), (folder / 'b.bam').read_bytes())
        self.refused(7, 'sort', source, '-o', folder / 'c.bam', '--memory', '100M', says='--memory')
        self.assert_files(folder, source.name, 'a.bam', 'a.bam.bai', 'b.bam', 'b.bam.bai')

    def given(self, sam):
        path = self.folder() / 'given.sam'
        path.write_text(sam)
        return path

    def test_header_keeps_its_lines_and_names_the_program_after_the_last_one(self):
        lines = ['@HD\tVN:1.5\tSO:queryname\tSS:x', '@SQ\tSN:c\tLN:1000\tM5:0123', '@PG\tID:bwa\tPN:bwa', '@PG\tID:gannet\tPN:gannet\tPP:bwa',
                 '@CO\ta comment', '@RG\tID:a\tSM:b']
        source = self.given('\n'.join(lines) + '\nr\t0\tc\t5\t60\t4M\t*\t0\t0\tACGT\tIIII\n')
        output = self.folder() / 'o.sam'
        run('sort', source, '-o', output, '-q')
        found = [line for line in output.read_text().splitlines() if line.startswith('@')]
        self.assertEqual(found[0], '@HD\tVN:1.5\tSO:coordinate')
        self.assertEqual(found[1:-1], lines[1:])
        self.assertTrue(found[-1].startswith('@PG\tID:gannet.1\tPN:gannet\tPP:gannet\tVN:'), found[-1])

    def test_formats_and_standard_streams(self):
        sample, output = called_sample()
        bam, folder = output / 's.bam', self.folder()
        run('sort', bam, '-o', folder / 'o.cram', '--reference', sample.reference, '-q')
        self.assertEqual(samtools('view', '-T', sample.reference, folder / 'o.cram').count('\n'), samtools('view', bam).count('\n'))
        self.assertTrue((folder / 'o.cram.crai').exists())
        body = samtools('view', bam)
        piped = run('sort', '-', '--format', 'sam', '-q', input=samtools('view', '-h', bam)).stdout
        self.assertEqual(''.join(line + '\n' for line in piped.splitlines() if not line.startswith('@')), body)
        self.refused(2, 'sort', bam, '-o', folder / 'x.cram', says='--reference')

    def test_formats_and_streams_are_read_alike_with_any_number_of_threads(self):
        sample, folder = gannet_testing.simulated(0.1, 25, 3), self.folder()
        run('align', sample.reference, *sample.reads, '-o', folder / 's.bam', '--sample', 's', '-q')
        header, lines = text(folder / 's.bam')
        (folder / 's.bam').unlink()
        (folder / 's.bam.bai').unlink()
        self.shuffled(folder, header, lines, 6).rename(folder / 'in.sam')
        self.assertGreater((folder / 'in.sam').stat().st_size, 5 << 20)  # several times what a thread takes at once
        subprocess.run(['bgzip', '-k', folder / 'in.sam'], check=True)
        (folder / 'gzip.sam.gz').write_bytes(gzip.compress((folder / 'in.sam').read_bytes()))
        samtools('view', '--no-PG', '-b', '-o', folder / 'in.bam', folder / 'in.sam')
        samtools('view', '--no-PG', '-C', '--output-fmt-option', 'seqs_per_slice=2000', '-T', sample.reference, '-o', folder / 'in.cram', folder / 'in.sam')
        for command, numbers in (('sort', (1, 5)), ('markdup', (2,))):  # their reading is one
            texts = set()
            for name in ('in.sam', 'in.sam.gz', 'gzip.sam.gz', 'in.bam', 'in.cram'):
                for threads in numbers:
                    words = ['-o', folder / 'out.bam', '-q', '-t', threads, '--reference', sample.reference]
                    run(command, folder / name, *words, timeout=120)
                    texts.add(samtools('view', folder / 'out.bam'))
                    run(command, '-', *words, input=(folder / name).read_bytes(), text=False, timeout=120)
                    texts.add(samtools('view', folder / 'out.bam'))
            # CRAM makes MD and NM anew, behind the other tags.
            self.assertLessEqual(len(texts), 2)
            bodies = {tuple(tuple(row[:11] + sorted(row[11:])) for row in (line.split('\t') for line in view.splitlines())) for view in texts}
            self.assertEqual(len(bodies), 1, command)
            self.assertEqual(len(bodies.pop()), len(lines))

    def test_what_is_cut_or_damaged_leaves_nothing_with_any_number_of_threads(self):
        _, output = called_sample()
        folder = self.folder()
        plain = samtools('view', '-h', output / 's.bam')
        (folder / 'in.sam').write_text(plain)
        subprocess.run(['bgzip', '-k', folder / 'in.sam'], check=True)
        whole = (output / 's.bam').read_bytes()
        cut = {'half.bam': whole[:len(whole) // 2], 'no_marker.bam': whole[:-28], 'half.sam': plain[:len(plain) // 2].encode(),
               'half.sam.gz': (folder / 'in.sam.gz').read_bytes()[:-40], 'cigar.sam': re.sub(r'\t\d+M\t', '\t7Q\t', plain, count=1).encode(),
               'no_contig.sam': b'@HD\tVN:1.6\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n', 'empty.sam': b''}
        for name, data in cut.items():
            (folder / name).write_bytes(data)
            for command, threads in (('sort', 1), ('markdup', 3)):
                with self.subTest(name, threads=threads):
                    self.refused(3, command, folder / name, '-o', folder / 'out.bam', '-t', threads, says=name, timeout=120)
                    if name != 'empty.sam':
                        run(command, '-', '-o', folder / 'out.bam', '-t', threads, input=data, text=False, code=3, timeout=120)
        self.assert_files(folder, 'in.sam', 'in.sam.gz', *cut)

    def test_index_beside_an_unsorted_file_is_of_no_account(self):
        _, output = called_sample()
        folder = self.folder()
        header, lines = text(output / 's.bam')
        samtools('view', '-b', '-o', folder / 'in.bam', self.shuffled(self.folder(), header, lines, 7))
        (folder / 'in.bam.bai').write_bytes((output / 's.bam.bai').read_bytes())
        run('sort', folder / 'in.bam', '-o', folder / 'out.bam', '-q')
        self.assertEqual(samtools('view', folder / 'out.bam').count('\n'), len(lines))

    def test_no_record_gives_a_whole_file(self):
        folder = self.folder()
        source = self.given('@HD\tVN:1.6\n@SQ\tSN:c\tLN:1000\n')
        for command in ('sort', 'markdup'):
            run(command, source, '-o', folder / 'out.bam', '-q')
            samtools('quickcheck', folder / 'out.bam')
            self.assertEqual(rows(folder / 'out.bam'), [])
            self.assertTrue((folder / 'out.bam.bai').exists())

    def test_input_is_never_written_over(self):
        folder = self.folder()
        source = folder / 'in.bam'
        sample, output = called_sample()
        source.write_bytes((output / 's.bam').read_bytes())
        before = source.read_bytes()
        for command in ('sort', 'markdup'):
            self.refused(2, command, source, '-o', source, says='in.bam')
            (folder / 'link.bam').symlink_to('in.bam')
            self.refused(2, command, source, '-o', folder / 'link.bam', says='in.bam')
            (folder / 'link.bam').unlink()
        self.refused(2, 'markdup', source, '-o', folder / 'out.bam', '--metrics', source, says='in.bam')
        self.assertEqual(source.read_bytes(), before)
        self.assert_files(folder, 'in.bam')


class MarkDuplicates(SortCase):
    def test_flags_are_those_of_samtools_in_any_order(self):
        for seed in (1, 2, 3, 4):
            folder = self.folder()
            source = folder / 'grouped.sam'
            source.write_text(made_up(seed))
            samtools('fixmate', '-m', source, folder / 'fixed.bam')
            samtools('sort', '-o', folder / 'sorted.bam', folder / 'fixed.bam')
            samtools('markdup', folder / 'sorted.bam', folder / 'theirs.bam')
            expected = flags(folder / 'theirs.bam')
            self.assertGreater(sum(key[1] & DUPLICATE != 0 for key in expected), 100)
            header, lines = text(source)
            marked = folder / 'marked.sam'  # old marks are taken away
            marked.write_text(re.sub(r'^(n\S+)\t(\d+)', lambda found: f'{found[1]}\t{int(found[2]) | DUPLICATE}', source.read_text(), flags=re.MULTILINE))
            for given in (source, folder / 'sorted.bam', marked):
                run('markdup', given, '-o', folder / 'ours.bam', '-q', '-t', seed)
                self.assertEqual(flags(folder / 'ours.bam'), expected, given)
            # Of single reads with equal sums and positions the first one stays, so those are others in another order.
            shuffled = self.shuffled(folder, header, lines, seed)
            run('markdup', shuffled, '-o', folder / 'ours.bam', '-q', '-t', seed)
            found = flags(folder / 'ours.bam')
            for is_pair in (True, False):
                ours, theirs = ([key for key in marks.elements() if key[1] & DUPLICATE and (key[1] & 9 == 1) == is_pair] for marks in (found, expected))
                self.assertEqual(*((sorted(ours), sorted(theirs)) if is_pair else (len(ours), len(theirs))))
            run('sort', shuffled, '-o', folder / 'sorted.sam', '-q')
            run('markdup', folder / 'sorted.sam', '-o', folder / 'again.bam', '-q')
            self.assertEqual(rows(folder / 'again.bam'), rows(folder / 'ours.bam'))

    def test_flags_and_metrics_are_those_of_align(self):
        sample, output = called_sample()
        folder = self.folder()
        header, lines = text(output / 's.bam')
        run('markdup', self.shuffled(folder, header, lines, 5), '-o', folder / 'ours.bam', '--metrics', folder / 'm.txt', '-q')
        self.assertEqual(flags(folder / 'ours.bam') - flags(output / 's.bam'), collections.Counter())
        tables = [[line for line in path.read_text().splitlines() if not line.startswith('#')] for path in (folder / 'm.txt', output / 's.duplicates.txt')]
        self.assertEqual(*tables)

    def with_umis(self, folder, seed, umis, error, copies, places=60):
        """Molecules at `places` places, each read pair with its molecule's UMI, of which each base is wrong with probability `error`. Returns the path of a
        shuffled SAM and the molecule of each name."""
        rng = random.Random(seed)
        lines, molecule_of = [], {}
        for place in range(places):
            at = 1000 + place * 500
            for umi in rng.sample(umis, rng.randint(1, min(6, len(umis)))):
                for _ in range(rng.randint(*copies)):
                    seen = ''.join(rng.choice([b for b in 'ACGT' if b != base]) if rng.random() < error else base for base in umi)
                    name = f'r{len(molecule_of)}'
                    molecule_of[name] = (place, umi)
                    quality = chr(33 + rng.randint(20, 40)) * 50
                    for flag, position, mate, length in ((99, at, at + 150, 200), (147, at + 150, at, -200)):
                        lines.append(f'{name}\t{flag}\tc\t{position}\t60\t50M\t=\t{mate}\t{length}\t{"ACGTA" * 10}\t{quality}\tRG:Z:a\tRX:Z:{seen[:4]}-{seen[4:]}')
        return self.shuffled(folder, '@HD\tVN:1.6\n@SQ\tSN:c\tLN:50000\n@RG\tID:a\tSM:s\n', lines, seed), molecule_of

    def kept(self, path):
        return {row[0] for row in rows(path) if not int(row[1]) & DUPLICATE}

    def test_umis_of_molecules_without_errors_are_told_apart(self):
        """UMIs that differ by two bases or more."""
        umis = [''.join(bases) + bases[0] + bases[1] + 'ACGT' for bases in itertools.product('ACGT', repeat=2)]
        folder = self.folder()
        source, molecule_of = self.with_umis(folder, 8, umis, 0, (1, 8))
        run('markdup', source, '--umi', '-o', folder / 'o.bam', '-q')
        kept = self.kept(folder / 'o.bam')
        self.assertEqual(sorted(molecule_of[name] for name in kept), sorted(set(molecule_of.values())))
        run('markdup', source, '-o', folder / 'plain.bam', '-q')
        self.assertEqual(len(self.kept(folder / 'plain.bam')), 60)
        # Picard compares UMIs as they are.
        samtools('sort', '-o', folder / 'sorted.bam', source)
        theirs, _ = self.picard(folder / 'sorted.bam', folder, 'BARCODE_TAG=RX')
        self.assertEqual(sorted(molecule_of[name] for name in self.kept(theirs)), sorted(molecule_of[name] for name in kept))

    def test_umis_with_errors_are_joined_as_directional_adjacency_has_it(self):
        """Beside the definition, written down once more: a UMI takes those one base away that are seen n times where it is seen 2n - 1 times or more."""
        rng = random.Random(3)
        umis = [''.join(rng.choice('ACGT') for _ in range(8)) for _ in range(8)]
        umis += [umi[:7] + rng.choice('ACGT') for umi in umis]  # and neighbours of them
        folder = self.folder()
        source, molecule_of = self.with_umis(folder, 10, sorted(set(umis)), 0.01, (1, 40))
        run('markdup', source, '--umi', '-o', folder / 'o.bam', '-q')
        counts = collections.defaultdict(collections.Counter)
        seen = {}
        for row in rows(folder / 'o.bam'):
            if int(row[1]) & 0x40:
                seen[row[0]] = (row[3], row[-1].split(':')[-1].replace('-', ''))
                counts[row[3]][seen[row[0]][1]] += 1
        head_of = {}
        for place, found in counts.items():
            for head in sorted(found, key=lambda umi: (-found[umi], umi)):
                waiting = [] if (place, head) in head_of else [head]
                while waiting:
                    umi = waiting.pop()
                    head_of[place, umi] = head
                    waiting += [other for other in found if (place, other) not in head_of and other not in waiting and found[umi] >= 2 * found[other] - 1
                                and sum(a != b for a, b in zip(umi, other)) == 1]
        expected = {(place, head) for (place, _), head in head_of.items()}
        kept = [(seen[name][0], head_of[seen[name]]) for name in self.kept(folder / 'o.bam')]
        self.assertEqual(sorted(kept), sorted(expected))
        self.assertGreater(len(head_of), len(expected) + 100)

    def test_record_without_umi_is_refused(self):
        folder = self.folder()
        source, _ = self.with_umis(folder, 4, ['ACGTACGT'], 0, (1, 4), places=3)
        bare = folder / 'bare.sam'
        bare.write_text(source.read_text().replace('RX:Z', 'XX:Z'))
        self.refused(3, 'markdup', bare, '--umi', '-o', folder / 'x.bam', says="bare.sam: read '")
        self.refused(3, 'markdup', bare, '--umi', '-o', folder / 'x.bam', says="' has no UMI (RX)")
        bare.write_text(source.read_text().replace('RX:Z:', 'RX:Z:!'))
        self.refused(3, 'markdup', bare, '--umi', '-o', folder / 'x.bam', says='is not 1 to 21 bases')
        # Of several lanes the read group says which.
        sample = gannet_testing.simulated(0.2, 20)
        bases = gannet_testing.content(sample.reads[0]).decode().splitlines()[1]
        for lane in 'ab':
            (folder / f'{lane}.fq').write_text(f'@{lane} RX:Z:{"ACGT" if lane == "a" else "AC+T"}\n{bases}\n+\n{"I" * len(bases)}\n')
        lanes = [word for lane in 'ab' for word in ('--lane', f'{folder}/{lane}.fq,,@RG\\tID:of_{lane}\\tSM:s')]
        self.refused(3, 'align', sample.reference, *lanes, '-C', '--umi', '-o', folder / 'x.bam', says="read group of_b: read 'b': its UMI (RX) is not")
        self.refused(3, 'align', sample.reference, folder / 'b.fq', '-C', '--umi', '-o', folder / 'x.bam', says="b.fq: read 'b': its UMI (RX) is not")

    def test_tags_of_earlier_marks_go(self):
        folder = self.folder()
        old, other = ['DT:Z:LB', 'DI:i:7', 'DS:i:2', 'dt:Z:LB', 'do:Z:r1'], ['NM:i:0', 'RG:Z:a', 'dT:Z:x', 'ds:B:S,1,2']
        source = folder / 'in.sam'
        lines = []
        for i, tags in enumerate((old + other, other[:1] + old[::-1] + other[1:], other + old, other, old)):
            lines.append('\t'.join([f'r{i}', str(DUPLICATE), 'c', str(100 * i + 1), '60', '10M', '*', '0', '0', 'ACGTACGTAC', 'I' * 10, *tags]))
        source.write_text('@SQ\tSN:c\tLN:2000\n@RG\tID:a\tSM:s\n' + '\n'.join(lines) + '\n')
        for command, kept in (('markdup', [other, other, other, other, []]), ('sort', [row.split('\t')[11:] for row in lines])):
            run(command, source, '-o', folder / 'o.bam', '-q')
            self.assertEqual([row[11:] for row in rows(folder / 'o.bam')], kept)
        self.assertEqual([row[1] for row in rows(folder / 'o.bam')], [str(DUPLICATE)] * 5)

    def test_mates_are_found_by_read_group_and_name(self):
        """Two groups, two libraries, the same names in both, of which each has another half as the better ones; and so many distant
        mates that they do not all wait in memory."""
        folder = self.folder()
        lines = []
        for worse, group in enumerate('ba'):
            for i in range(80000):
                at = 1 + i // 2 * 3
                for flag, contig, position, other, mate in ((97, 'c', at, 'd', at), (145, 'd', at, 'c', at)):
                    quality = 'H' if i % 2 == worse else 'I'
                    lines.append(f'r{i}\t{flag}\t{contig}\t{position}\t60\t10M\t{other}\t{mate}\t0\tACGTACGTAC\t{quality * 10}\tRG:Z:{group}')
        header = '@HD\tVN:1.6\n@SQ\tSN:c\tLN:200000\n@SQ\tSN:d\tLN:200000\n@RG\tID:a\tSM:s\tLB:x\n@RG\tID:b\tSM:s\tLB:y\n'
        source = self.shuffled(folder, header, lines, 1)
        expected = None
        for words in (['-t', 1], ['-t', 3, '--memory', '290M']):
            run('markdup', source, '-o', folder / 'o.bam', '-q', *words)
            marked = collections.Counter((row[0], row[2], row[-1]) for row in rows(folder / 'o.bam') if int(row[1]) & DUPLICATE)
            expected = expected or collections.Counter((f'r{i}', contig, f'RG:Z:{group}') for worse, group in enumerate('ba') for i in range(worse, 80000, 2) for contig in 'cd')
            self.assertEqual(marked, expected)

    def test_align_marks_by_umi_as_markdup_does(self):
        sample, folder = gannet_testing.simulated(0.2, 20), self.folder()
        reads = []
        for path in sample.reads:
            lines = gannet_testing.content(path).decode().splitlines() if isinstance(gannet_testing.content(path), bytes) else gannet_testing.content(path).splitlines()
            tagged = [f'{line.split()[0]}\tRX:Z:{"ACGT"[i // 4 % 4] * 6}' if i % 4 == 0 else line for i, line in enumerate(lines)]
            reads.append(folder / f'{len(reads)}.fq')
            reads[-1].write_text('\n'.join(tagged) + '\n')
        run('align', sample.reference, *reads, '-C', '--umi', '-o', folder / 'a.bam', '-q')
        run('align', sample.reference, *reads, '-C', '-o', folder / 'b.bam', '-q')
        run('markdup', folder / 'b.bam', '--umi', '-o', folder / 'c.bam', '-q')
        self.assertEqual(flags(folder / 'a.bam'), flags(folder / 'c.bam'))
        self.assertNotEqual(flags(folder / 'a.bam'), flags(folder / 'b.bam'))
        self.assertIn('--umi', samtools('view', '-H', '--no-PG', folder / 'a.bam'))

    def picard_tool(self, tool, *words):
        gannet_testing.needs_tool('PicardCommandLine')
        done = gannet_testing.execute(['PicardCommandLine', tool, *words, 'QUIET=true', 'VERBOSITY=ERROR', 'VALIDATION_STRINGENCY=SILENT'])
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])

    def picard(self, source, folder, *more):
        """Marks in a file that is sorted, by coordinate or by name: Picard takes no other."""
        self.picard_tool('MarkDuplicates', f'I={source}', f'O={folder}/picard.bam', f'M={folder}/picard.txt', 'READ_NAME_REGEX=null', *more)
        return folder / 'picard.bam', (folder / 'picard.txt').read_text()

    def by_name(self, path):
        """The records in the order that Picard takes for sorted by name: bytes of names, the first mate before the second, primary ones first."""
        header, lines = samtools('view', '-H', '--no-PG', path).splitlines(), samtools('view', path).splitlines()
        header = ['@HD\tVN:1.6\tSO:queryname', *(line for line in header if not line.startswith('@HD'))]

        def place(line):
            name, flag, _ = line.split('\t', 2)
            return name, int(flag) & 0x80, int(flag) & NOT_PRIMARY

        source = self.folder() / 'queryname.bam'
        samtools('view', '--no-PG', '-b', '-o', source, '-', input='\n'.join([*header, *sorted(lines, key=place)]) + '\n')
        return source

    def compare_with_picard(self, source, *more):
        """As many duplicates at each place; where others are kept, they are as good: Picard keeps the first of equal ones, samtools and gannet the one whose
        name is first."""
        folder = self.folder()
        theirs, metrics = self.picard(source, folder, *more)
        run('markdup', source, '-o', folder / 'ours.bam', '--metrics', folder / 'ours.txt', '-q')
        marked = []
        score = collections.defaultdict(int)
        for path in (folder / 'ours.bam', theirs):
            table = {}
            for row in rows(path):
                if int(row[1]) & (NOT_PRIMARY | 4):
                    continue  # Picard also marks the other records of a template whose input is sorted by name
                table[row[0], int(row[1]) & 0xc0] = bool(int(row[1]) & DUPLICATE)
                if path == theirs:
                    score[row[0]] += sum(ord(q) - 33 for q in row[10] if ord(q) - 33 >= 15)
            marked.append(table)
        self.assertEqual(marked[0].keys(), marked[1].keys())
        self.assertEqual(sum(marked[0].values()), sum(marked[1].values()))
        self.assertGreater(sum(marked[0].values()), 10)
        ours = sorted(score[name] for (name, _), is_marked in marked[0].items() if is_marked)
        picards = sorted(score[name] for (name, _), is_marked in marked[1].items() if is_marked)
        self.assertEqual(ours, picards)
        differ = sum(marked[0][key] != marked[1][key] for key in marked[0])
        self.assertLess(differ, len(marked[0]) / 50)
        row = [[line.split('\t') for line in text_of.splitlines() if line.count('\t') > 7][1][1:7] for text_of in (metrics, (folder / 'ours.txt').read_text())]
        self.assertEqual(*row)

    def test_flags_are_those_of_picard_on_real_alignments(self):
        # By coordinate as they are. The deepest one by coordinate only: Picard's tools take most of the time of this test.
        for name, orders in (('giab-na12878-chr20-50x/NA12878_S1.chr20.10_10p1mb.bam', ('coordinate', 'queryname')),
                             ('adversarial-depth/NA12878_chrM_1-1000_deep.bam', ('coordinate',)),
                             ('adversarial-depth/HG002_GRCh38_chr20_60855_chr21_5113853_repeat_pileup.bam', ('coordinate', 'queryname'))):
            for order in orders:
                with self.subTest(name, order=order):
                    source, more = test_data(name), ['ASSUME_SORT_ORDER=coordinate']  # not all headers say so
                    if order == 'queryname':
                        source, more = self.by_name(test_data(name)), []
                    self.compare_with_picard(source, *more)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
