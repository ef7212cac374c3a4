#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks `--alleles`: every given allele has a record, discovered calls stay as they are, shards join to the whole, and what is refused."""
import functools
import os
import random

import gannet_testing
import scorer_test
from gannet_testing import content, error_lines, run, vcf_body, vcf_header


class Data:
    """A simulated sample, and alleles: those of the truth and as many that the sample does not have."""

    def __init__(self):
        self.sample = gannet_testing.simulated(0.12, 20, 11)
        self.folder = gannet_testing.new_folder()
        self.reference = self.sample.reference
        run('run', self.reference, *self.sample.reads, '-o', self.folder / 'out', '--sample', 's', '--no-scorer', '-q')
        self.bam = self.folder / 'out' / 's.bam'
        self.plain = vcf_body(self.folder / 'out' / 's.vcf.gz')
        self.contigs = {}
        for block in self.reference.read_text().split('>')[1:]:
            name, *lines = block.splitlines()
            self.contigs[name.split()[0]] = ''.join(lines).upper()
        truth = [line.split('\t')[:5] for line in vcf_body(self.sample.truth)]
        self.present = [(c, int(p), r, alt) for c, p, _, r, a in truth for alt in a.split(',')]
        self.absent = self.make_absent({p for _, p, _, _ in self.present})
        self.given = self.write('given.vcf', self.present + self.absent)

    def make_absent(self, taken):
        rng = random.Random(5)
        absent = []
        for contig, letters in self.contigs.items():
            for position in range(2_000, len(letters) - 2_000, 700):
                around = letters[position - 1:position + 60]
                if 'N' in around or any(p in taken for p in range(position - 40, position + 80)):
                    continue
                reference = letters[position - 1]
                kind = rng.randrange(3)
                if kind == 0:
                    absent.append((contig, position, reference, 'ACGT'[('ACGT'.index(reference) + 1) % 4]))
                elif kind == 1:
                    absent.append((contig, position, letters[position - 1:position + 3], reference))
                else:
                    absent.append((contig, position, reference, reference + 'GATTACAT'))
        return absent

    def write(self, name, alleles, extra=''):
        path = self.folder / name
        lines = ['##fileformat=VCFv4.2'] + [f'##contig=<ID={c},length={len(s)}>' for c, s in self.contigs.items()]
        lines.append('#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO')
        lines += [f'{c}\t{p}\t.\t{r}\t{a}\t.\t.\t.' for c, p, r, a in sorted(alleles, key=lambda x: (list(self.contigs).index(x[0]), x[1]))]
        path.write_text('\n'.join(lines) + '\n' + extra)
        return path

    def call(self, *options):
        path = gannet_testing.new_folder() / 'calls.vcf'
        done = run('call', self.reference, self.bam, '-o', path, '--no-scorer', *options)
        return path, done.stderr


@functools.cache
def data():
    return Data()


@functools.cache
def given_calls():
    return data().call('--alleles', data().given)[0]


def normal(contig, position, reference, alternate, contigs):
    """Trimmed and leftmost, as (contig, position, REF, ALT)."""
    while reference[-1] == alternate[-1]:
        if min(len(reference), len(alternate)) == 1:
            before = contigs[contig][position - 2]
            reference, alternate, position = before + reference, before + alternate, position - 1
        reference, alternate = reference[:-1], alternate[:-1]
    while min(len(reference), len(alternate)) > 1 and reference[0] == alternate[0]:
        reference, alternate, position = reference[1:], alternate[1:], position + 1
    return contig, position, reference, alternate


def alleles_of(lines):
    """Normal allele -> its record's columns."""
    found = {}
    for line in lines:
        columns = line.rstrip('\n').split('\t')
        for alternate in columns[4].split(','):
            if set(alternate) <= set('ACGT'):
                found[normal(columns[0], int(columns[1]), columns[3], alternate, data().contigs)] = columns
    return found


def sample_of(columns):
    return dict(zip(columns[8].split(':'), columns[9].split(':')))


class Alleles(gannet_testing.Case):
    def test_every_given_allele_has_a_record(self):
        found = alleles_of(vcf_body(given_calls()))
        wanted = [normal(*allele, data().contigs) for allele in data().present + data().absent]
        self.assertGreater(len(data().absent), 60)
        self.assertEqual([allele for allele in wanted if allele not in found], [])

    def test_absent_alleles_are_0_0_with_likelihoods(self):
        found = alleles_of(vcf_body(given_calls()))
        covered = 0
        for allele in data().absent:
            columns = found[normal(*allele, data().contigs)]
            sample = sample_of(columns)
            if sample['DP'] == '0':
                self.assertEqual(sample['GT'], './.', columns)
                continue
            covered += 1
            self.assertEqual(sample['GT'], '0/0', columns)
            self.assertEqual(columns[6], '.', columns)
            likelihoods = [int(x) for x in sample['PL'].split(',')]
            self.assertEqual(likelihoods[0], 0, columns)
            self.assertGreater(likelihoods[2], likelihoods[1], columns)
            if int(sample['DP']) >= 12:
                self.assertGreater(int(sample['GQ']), 20, columns)
        self.assertGreater(covered, 50)

    def test_discovered_calls_stay_as_they_are(self):
        lines = set(vcf_body(given_calls()))
        self.assertGreater(len(data().plain), 50)
        self.assertEqual([line for line in data().plain if line not in lines], [])

    def test_records_are_sorted_and_each_allele_is_written_once(self):
        places, alleles = [], []
        for line in vcf_body(given_calls()):
            columns = line.split('\t')
            places.append((list(data().contigs).index(columns[0]), int(columns[1])))
            alleles += [(columns[0], columns[1], columns[3], a) for a in columns[4].split(',')]
        self.assertEqual(places, sorted(places))
        self.assertEqual(len(alleles), len(set(alleles)))

    def test_shards_join_to_the_whole(self):
        joined = []
        for contig, letters in data().contigs.items():
            cuts = [0, 8_192, len(letters) // 2 + 123, len(letters)]
            for begin, end in zip(sorted(set(cuts)), sorted(set(cuts))[1:]):
                if begin < len(letters):
                    path, _ = data().call('--alleles', data().given, '--regions', f'{contig}:{begin + 1}-{min(end, len(letters))}')
                    joined += vcf_body(path)
        self.assertEqual(joined, vcf_body(given_calls()))

    def test_run_writes_what_call_writes(self):
        folder = self.folder()
        run('run', data().reference, *data().sample.reads, '-o', folder, '--sample', 's', '--no-scorer', '-q', '--alleles', data().given)
        self.assertEqual(vcf_body(folder / 's.vcf.gz'), vcf_body(given_calls()))

    def test_header_names_the_file(self):
        self.assertIn(str(data().given), ''.join(vcf_header(given_calls())))

    def test_indels_that_are_not_leftmost_and_mnps_are_normalised(self):
        contig, letters = next(iter(data().contigs.items()))
        at = next(i for i in range(5_000, len(letters)) if letters[i:i + 5] == letters[i] * 5 and 'N' not in letters[i - 9:i + 9]
                  and letters[i - 1] != letters[i])
        right = (contig, at + 4, letters[at + 3:at + 5], letters[at + 3])
        path, _ = data().call('--alleles', data().write('right.vcf', [right]))
        self.assertIn(normal(*right, data().contigs), alleles_of(vcf_body(path)))
        self.assertIn((contig, at, letters[at - 1:at + 1], letters[at - 1]), alleles_of(vcf_body(path)))
        swap = str.maketrans('ACGT', 'CATG')
        mnp = (contig, 6_001, letters[6_000:6_002], letters[6_000:6_002].translate(swap))
        path, _ = data().call('--alleles', data().write('mnp.vcf', [mnp]))
        found = alleles_of(vcf_body(path))
        for i in range(2):
            base = letters[6_000 + i]
            self.assertIn((contig, 6_001 + i, base, base.translate(swap)), found)

    def test_haploid_contigs_have_haploid_genotypes(self):
        path, _ = data().call('--alleles', data().given, '--ploidy', '1')
        found = alleles_of(vcf_body(path))
        for allele in data().absent:
            sample = sample_of(found[normal(*allele, data().contigs)])
            self.assertIn(sample['GT'], ('0', '.'))
            if sample['GT'] == '0':
                self.assertEqual(len(sample['PL'].split(',')), 2)

    def test_positions_without_reads_are_missing(self):
        empty = self.folder() / 'empty.bam'
        gannet_testing.samtools('view', '-b', '-H', '-o', empty, data().bam)
        gannet_testing.samtools('index', empty)
        path = self.folder() / 'calls.vcf'
        run('call', data().reference, empty, '-o', path, '--no-scorer', '--alleles', data().given)
        found = alleles_of(vcf_body(path))
        for allele in data().present + data().absent:
            sample = sample_of(found[normal(*allele, data().contigs)])
            self.assertEqual((sample['GT'], sample['DP']), ('./.', '0'))

    def test_symbolic_alleles_are_counted_and_left_out(self):
        contig, letters = next(iter(data().contigs.items()))
        extra = f'{contig}\t9000\t.\t{letters[8_999]}\t<DEL>,*\t.\t.\t.\n'
        path, log = data().call('--alleles', data().write('symbolic.vcf', [], extra))
        self.assertIn('2 alleles cannot be genotyped', log)
        self.assertEqual(vcf_body(path), data().plain)

    def test_alleles_of_the_first_bases_are_counted_and_left_out(self):
        """The VCF form of POS 1: the base behind the event is included. The indel has no base before it, as the caller needs one."""
        contig, letters = next(iter(data().contigs.items()))
        for given in ((letters[:4], letters[3]), (letters[0], 'GATC' + letters[0])):
            path, log = data().call('--alleles', data().write('first.vcf', [(contig, 1, *given)]))
            self.assertRegex(log, '1 alleles cannot be genotyped and are left out: .*, 1 with or beside N, .*of the first bases of a contig')
            self.assertEqual(vcf_body(path), data().plain)

    def test_the_scorer_may_be_used_with_it(self):
        scored = self.folder() / 'scored.vcf'
        model = scorer_test.write_model(self.folder(), 'random', 5)
        run('call', data().reference, data().bam, '-o', scored, '--model', model, '--alleles', data().given)
        plain = self.folder() / 'plain.vcf'
        run('call', data().reference, data().bam, '-o', plain, '--no-scorer', '--alleles', data().given)
        self.assertNotEqual(vcf_body(scored), vcf_body(plain))
        found = alleles_of(vcf_body(scored))
        wanted = [normal(*allele, data().contigs) for allele in data().present + data().absent]
        self.assertEqual([allele for allele in wanted if allele not in found], [])

    def test_faults_are_refused(self):
        contig, letters = next(iter(data().contigs.items()))
        other = 'C' if letters[8_999] != 'C' else 'G'
        wrong = data().write('wrong.vcf', [], f'{contig}\t9000\t.\t{other}\tT\t.\t.\t.\n')
        out = self.folder() / 'calls.vcf'
        self.refused(4, 'call', data().reference, data().bam, '-o', out, '--alleles', wrong, says='REF')
        unknown = data().write('unknown.vcf', [], 'nowhere\t9000\t.\tA\tT\t.\t.\t.\n')
        self.refused(4, 'call', data().reference, data().bam, '-o', out, '--alleles', unknown, says='nowhere')
        self.refused(3, 'call', data().reference, data().bam, '-o', out, '--alleles', data().reference, says='VCF')
        before = content(data().given)
        link = self.folder() / 'link.vcf'
        os.link(data().given, link)
        self.refused(2, 'call', data().reference, data().bam, '-o', link, '--alleles', data().given, says='--alleles')
        self.assertEqual(content(data().given), before)


if __name__ == '__main__':
    gannet_testing.main(__doc__)
