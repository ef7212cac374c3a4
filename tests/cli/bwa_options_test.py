#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests what users of bwa mem pass on and rely on: -T, -M, -I, -C, the scores, XA, and the tags of unaligned BAM.

The reference is random but for a stretch that it holds three times, once exactly and once with a base deleted.
"""
import functools
import random

import gannet_testing as testing
from gannet_testing import Case, run, samtools

COMPLEMENT = str.maketrans('ACGT', 'TGCA')


def reverse_complement(bases):
    return bases.translate(COMPLEMENT)[::-1]


@functools.cache
def reference():
    """Path and bases of contig one; [4000, 4600) is also at 8000, and at 12000 without its base 300."""
    chance = random.Random(3)
    bases = [chance.choice('ACGT') for _ in range(20_000)]
    copy = bases[4000:4600]
    bases[8000:8600] = copy
    bases[12000:12599] = copy[:300] + copy[301:]
    path = testing.new_folder() / 'ref.fa'
    text = ''.join(bases)
    path.write_text(f'>one\n{text}\n')
    return path, text


def unlike(base, count):
    """Random bases of which the first is another than the given one."""
    chance = random.Random(9)
    return next(letter for letter in 'ACGT' if letter != base) + ''.join(chance.choice('ACGT') for _ in range(count - 1))


def records(*options, reads, mates=None, tail=''):
    """Unsorted SAM records of these reads, as lists of fields."""
    folder = testing.new_folder()
    files = []
    for number, bases in enumerate((reads, mates) if mates else (reads,), 1):
        (folder / f'r{number}.fq').write_text(testing.fastq_text(((f'r{i}', b) for i, b in enumerate(bases)), tail=tail))
        files.append(folder / f'r{number}.fq')
    done = run('align', reference()[0], *files, '--unsorted', '--sample', 'S', *options)
    return [line.split('\t') for line in done.stdout.splitlines() if not line.startswith('@')]


def tag(record, name):
    return next((field[5:] for field in record[11:] if field.startswith(name + ':')), None)


class OtherHits(Case):
    def test_xa_lists_ungapped_and_gapped_hits_of_both_strands(self):
        _, bases = reference()
        read = bases[4220:4370]
        before = 80  # gaps are leftmost
        while bases[4220 + before - 1] == bases[4300]:
            before -= 1
        for turned in (False, True):
            record, = records(reads=[reverse_complement(read) if turned else read])
            strand = '-' if turned else '+'
            here = {4221: 8221, 8221: 4221}[int(record[3])]
            self.assertEqual(record[4], '0')
            self.assertEqual(sorted(tag(record, 'XA').split(';')),
                             sorted(['', f'one,{strand}{here},150M,0', f'one,{strand}12221,{before}M1I{149 - before}M,1']))

    def test_xa_is_only_of_hits_of_nearly_the_same_score(self):
        _, bases = reference()
        self.assertIsNone(tag(records(reads=[bases[1000:1150]])[0], 'XA'))
        record, = records(reads=[bases[4100:4190] + unlike(bases[4190], 60)])
        others = {4101, 8101, 12101} - {int(record[3])}
        self.assertEqual(record[5], '90M60S')
        self.assertEqual(sorted(tag(record, 'XA').split(';')), [''] + sorted(f'one,+{at},90M60S,0' for at in others))


class Options(Case):
    def test_the_minimum_score_decides_what_is_reported(self):
        _, bases = reference()
        read = bases[1000:1045] + unlike(bases[1045], 55)
        self.assertEqual(records(reads=[read])[0][5], '45M55S')
        self.assertEqual(records('-T', 60, reads=[read])[0][1], '4')
        self.assertEqual(records('--min-score', 40, reads=[read])[0][5], '45M55S')

    def test_split_reads_are_secondary_with_m(self):
        _, bases = reference()
        begin = next(at for at in range(1000, 2000)
                     if bases[at + 90] != bases[15000] and bases[at + 89] != bases[14999])
        read = bases[begin:begin + 90] + bases[15000:15060]
        self.assertEqual([r[1] for r in records(reads=[read])], ['0', '2048'])
        split = records('-M', reads=[read])
        self.assertEqual([r[1] for r in split], ['0', '256'])
        self.assertEqual(split[1][5], '90S60M')
        self.assertEqual(len(split[1][9]), 150)
        self.assertTrue(tag(split[0], 'SA').startswith('one,15001,+,90S60M,'))

    def test_the_insert_size_that_is_given_decides_what_is_proper(self):
        _, bases = reference()
        reads = [bases[1000:1100]]
        mates = [reverse_complement(bases[1650:1750])]
        proper = {option: int(records('-I', option, reads=reads, mates=mates)[0][1]) & 2
                  for option in ('400', '400,100', '600,50,750', '600,50,749', '900,100,1200,750', '900,100,1200,751')}
        self.assertEqual(proper, {'400': 0, '400,100': 2, '600,50,750': 2, '600,50,749': 0, '900,100,1200,750': 2,
                                  '900,100,1200,751': 0})
        for wrong, why in (('x', 'is not such a list'), ('400,', 'is not such a list'), ('400,nan', 'is not such a list'), ('1e9', 'is not such a list'), ('0', 'the mean is less than 1'),
                           ('-400', 'the mean is less than 1'), ('1,2,3,4,5', 'more than four values'), ('400,0', 'the standard deviation is not greater than 0'),
                           ('400,-50', 'the standard deviation is not greater than 0'), ('400,0,500,300', 'the standard deviation is not greater than 0'),
                           ('400,50,300', 'the maximum is below the mean'), ('400,50,500,450', 'the minimum is above the mean'), ('400,50,-5', 'the maximum is below the mean')):
            with self.subTest(wrong):
                self.refused(2, 'align', reference()[0], '-', '-I', wrong, '-o', 'x.bam', says=f'{why}; -I takes MEAN[,SD[,MAX[,MIN]]]')

    def test_fractions_of_an_insert_size_are_rounded(self):
        folder = testing.new_folder()
        (folder / 'r.fq').write_text(testing.fastq_text([('r', reference()[1][1000:1100])]))
        for given, meant in (('400.5', '401,40,561,241'), ('400.2,49.6', '400,50,600,200'), ('400,0.2', '400,1,404,396')):
            self.assertIn(f'insert_size={meant}\n', run('align', reference()[0], folder / 'r.fq', '--unsorted', '-I', given, '-q').stdout)

    def test_gap_and_clipping_penalties_decide_between_alignments(self):
        _, bases = reference()
        deletion = bases[1000:1060] + bases[1064:1124]  # 4 bases: 6 + 4 * 1
        self.assertIn('M4D', records(reads=[deletion])[0][5])
        self.assertNotIn('D', records('-O', 80, reads=[deletion])[0][5])
        self.assertNotIn('D', records('-E', '30,30', reads=[deletion])[0][5])
        mismatch = bases[1000:1097] + 'ACGT'['CGTA'.index(bases[1097])] + bases[1098:1100]
        self.assertEqual(records(reads=[mismatch])[0][5], '100M')
        self.assertEqual(records('-L', 0, reads=[mismatch])[0][5], '97M3S')
        far = dict(reads=[bases[4100:4200]], mates=[reverse_complement(bases[9000:9100])])
        self.assertEqual(records('-A', 1, '-B', 4, '-U', 17, **far)[0][3], records(**far)[0][3])
        self.refused(2, 'align', reference()[0], '-', '-O', '6,7', '-o', 'x.bam', says='6,7 are two values')

    def test_results_name_the_options_in_their_header(self):
        folder = testing.new_folder()
        (folder / 'r.fq').write_text(testing.fastq_text([('r', reference()[1][1000:1100])]))
        header = run('align', reference()[0], folder / 'r.fq', '--unsorted', '-M', '-T', 40, '-I', '300,30', '-E', 2, '-q').stdout
        self.assertIn(' -M -T 40 -E 2 -I 300,30,420,180\n', header)
        self.assertIn('minimum_score=40 of_any_length unpaired_penalty=17 insert_size=300,30,420,180\n', header)


def score(record):
    return int(tag(record, 'AS'))


def parameters_of(*options):
    """What the header of an alignment with these options says of the scores."""
    folder = testing.new_folder()
    (folder / 'r.fq').write_text(testing.fastq_text([('r', reference()[1][1000:1100])]))
    header = run('align', reference()[0], folder / 'r.fq', '--unsorted', '-q', *options).stdout
    comment = next(line for line in header.splitlines() if 'unpaired_penalty=' in line)
    return dict(word.split('=') for word in comment.split() if '=' in word), header


class Scores(Case):
    def test_scores_are_those_of_the_definition(self):
        # 2 for a match, 5 for a mismatch; twice the usual 6 + 1 for each base of a gap; 1 for an N. bwa mem gives the same.
        _, bases = reference()
        other = dict(zip('ACGT', 'CGTA'))
        whole = bases[1000:1120]
        reads = {
            'complete': (whole, '120M', 120 * 2),
            'mismatch': (whole[:60] + other[whole[60]] + whole[61:], '120M', 119 * 2 - 5),
            'ambiguous': (whole[:60] + 'N' + whole[61:], '120M', 119 * 2 - 1),
            'deletion': (bases[1000:1060] + bases[1064:1124], None, 120 * 2 - (12 + 4 * 2)),
            'insertion': (whole[:60] + 'ACG' + whole[60:], None, 120 * 2 - (12 + 3 * 2)),
            'mismatch near the end': (whole[:116] + other[whole[116]] + whole[117:], '120M', 119 * 2 - 5),
            'clipped': (whole[:70] + unlike(bases[1070], 50), '70M50S', 70 * 2),
        }
        found = records('-A', 2, '-B', 5, reads=[read for read, _, _ in reads.values()])
        for record, (name, (_, cigar, expected)) in zip(found, reads.items(), strict=True):
            with self.subTest(name):
                self.assertEqual(record[3], '1001')
                self.assertEqual(score(record), expected)
                if cigar:
                    self.assertEqual(record[5], cigar)
        self.assertIn('4D', found[3][5])
        self.assertIn('3I', found[4][5])

    def test_a_multiplies_what_is_not_given(self):
        usual = dict(match='1', mismatch='4', gap_open='6', gap_extend='1', end_bonus='5', minimum_score='30',
                     unpaired_penalty='17')
        for options, by, given, text in (
                ((), 1, {}, None),
                (('-A', 1), 1, {}, None),
                (('-A', 2), 2, {}, '-A 2'),
                (('--match', 100), 100, {}, '-A 100'),
                (('-B', 9), 1, dict(mismatch='9'), '-B 9'),
                (('-T', 40, '-A', 3, '--mismatch', 5), 3, dict(mismatch='5', minimum_score='40'), '-A 3 -T 40 -B 5'),
                (('-O', 6, '-A', 2, '-E', 1, '-L', 5, '-U', 17), 2,
                 dict(gap_open='6', gap_extend='1', end_bonus='5', unpaired_penalty='17'), '-A 2 -O 6 -E 1 -L 5 -U 17'),
                (('-A', 2, '-B', 8, '-O', '12,12'), 2, {}, '-A 2')):
            with self.subTest(options):
                parameters, header = parameters_of(*options)
                expected = {name: str(by * int(value)) for name, value in usual.items()} | given
                self.assertEqual({name: parameters[name] for name in usual}, expected)
                command = next(line for line in header.splitlines() if '\tCL:' in line)
                if text:
                    self.assertIn(' ' + text, command)
                else:
                    self.assertNotRegex(command, ' -[ABOELTU] ')

    def test_multiplied_scores_change_nothing_but_as_and_xs(self):
        sample = testing.simulated(0.3, 8, 31)

        def lines(*options):
            text = run('align', sample.folder / 'ref.fa', *sample.reads, '--unsorted', '-q', *options).stdout
            return [line.split('\t') for line in text.splitlines() if not line.startswith('@')]

        usual = lines()
        doubled = lines('-A', 2)
        self.assertEqual(len(usual), len(doubled))
        self.assertGreater(sum(0 < int(record[4]) < 60 for record in usual), 20)
        for before, after in zip(usual, doubled):
            if 'N' in before[9]:  # costs 1 in both
                continue
            for name in ('AS', 'XS'):
                value = tag(before, name)
                before = [f'{name}:i:{2 * int(value)}' if field.startswith(name + ':') else field for field in before]
            self.assertEqual(before, after)

    def test_the_mismatch_penalty_decides_between_alignments(self):
        _, bases = reference()
        other = dict(zip('ACGT', 'CGTA'))
        near_end = bases[1000:1097] + other[bases[1097]] + bases[1098:1100]  # 99 - B and the bonus of 5, against 97
        self.assertEqual(records('-B', 7, reads=[near_end])[0][5], '100M')
        self.assertEqual(records('-B', 8, reads=[near_end])[0][5], '97M3S')
        # A clipped end behind a gap is found where only a mismatch could avoid it.
        gap = bases[1000:1080] + bases[1084:1144]
        clipped = gap[:132] + other[gap[132]] + gap[133:]
        for options, end in (((), 'M'), (('-B', 100), '8S')):
            cigar = records(*options, reads=[clipped])[0][5]
            self.assertIn('M4D', cigar)
            self.assertTrue(cigar.endswith(end), cigar)

    def test_scores_out_of_range_are_refused_in_one_line(self):
        for option, value, says in (('--match', 0, '0 is out of range; valid: 1 to 100'), ('--match', 101, 'valid: 1 to 100'),
                                    ('--match', '2,2', 'is not a number; valid: 1 to 100'), ('--match', '1.5', '1.5'),
                                    ('--mismatch', -1, '-1 is out of range; valid: 0 to 1000'), ('--mismatch', 1001, 'valid: 0 to 1000'),
                                    ('--gap-open', 1001, 'valid: 0 to 1000'), ('--unpaired', 10001, 'valid: 0 to 10000')):
            with self.subTest(f'{option} {value}'):
                self.refused(2, 'align', reference()[0], '-', f'{option}={value}', '-o', 'x.bam', says=says)


class Tags(Case):
    def test_comments_become_tags_with_c(self):
        _, bases = reference()
        reads, mates = [bases[1000:1100]], [reverse_complement(bases[1300:1400])]
        tail = ' 1:N:0:ACGT\tRX:Z:ACGT-TTTT\tXQ:i:-7\tRG:Z:other'
        for record in records('-C', reads=reads, mates=mates, tail=tail):
            self.assertEqual(record[-2:], ['RX:Z:ACGT-TTTT', 'XQ:i:-7'])
            self.assertEqual(tag(record, 'RG'), 'S')
        self.assertIsNone(tag(records(reads=reads, tail=tail)[0], 'RX'))
        folder = testing.new_folder()
        (folder / 'r.fq').write_text(testing.fastq_text([('r', 'ACGT')], tail=' length=4'))
        self.refused(3, 'align', reference()[0], folder / 'r.fq', '-C', '-o', folder / 'x.bam',
                     says="record 1: its comment is not tags of SAM separated by tabs, as -C needs: 'length=4'")

    def test_a_tag_that_is_there_twice_is_refused(self):
        folder = testing.new_folder()
        (folder / 'r.fq').write_text(testing.fastq_text([('r', 'ACGT')], tail=' RX:Z:AAA\tBC:Z:T\tRX:Z:CCC'))
        self.refused(3, 'align', reference()[0], folder / 'r.fq', '-C', '-o', folder / 'x.bam', says='record 1: ')
        self.refused(3, 'align', reference()[0], folder / 'r.fq', '-C', '-o', folder / 'x.bam', says='the tag RX twice')
        self.assert_files(folder, 'r.fq')

    def test_tags_of_unaligned_bam_are_carried(self):
        _, bases = reference()
        first, second = bases[1000:1100], reverse_complement(bases[1300:1400])
        sam = ('@HD\tVN:1.6\tSO:unsorted\tGO:query\n@RG\tID:g\tSM:S\n'
               f'r\t141\t*\t0\t0\t*\t*\t0\t0\t{second}\t{"I" * 100}\tRX:Z:ACGT\tZM:i:2\tRG:Z:g\tOQ:Z:{"F" * 100}\n'  # mate 2 first
               f'r\t77\t*\t0\t0\t*\t*\t0\t0\t{first}\t{"I" * 100}\tRX:Z:ACGT\tZM:i:1\tBC:Z:TT\tRG:Z:g\n'
               f's\t77\t*\t0\t0\t*\t*\t0\t0\t{first}\t{"I" * 100}\tRG:Z:g\n'
               f's\t141\t*\t0\t0\t*\t*\t0\t0\t{second}\t{"I" * 100}\tRG:Z:g\tCP:i:7\tZB:B:c,1,-2\n')
        folder = testing.new_folder()
        (folder / 'u.sam').write_text(sam)
        samtools('view', '-b', '-o', folder / 'u.bam', folder / 'u.sam')
        lines = run('align', reference()[0], folder / 'u.bam', '--unsorted', '-q').stdout.splitlines()
        out = [line.split('\t') for line in lines if not line.startswith('@')]
        carried = [record[[field[:2] for field in record].index('RG') + 1:] for record in out]
        self.assertEqual(carried, [['RX:Z:ACGT', 'ZM:i:1', 'BC:Z:TT'], ['RX:Z:ACGT', 'ZM:i:2'], [], ['ZB:B:c,1,-2']])
        self.assertEqual([record[9] for record in out], [first, reverse_complement(second)] * 2)


if __name__ == '__main__':
    testing.main(__doc__)
